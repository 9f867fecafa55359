// Images.
#include "core/ops/builtin_ops.h"
#include "core/ops/shapes/image_shapes.h"

namespace berth {
namespace {

constexpr OpSpec kImageOps[] = {
    {"AdjustContrast",
     "images: T, contrast_factor: float, min_value: float, max_value: float -> output: "
     "float",
     "T: {uint8, int8, int16, int32, int64, float, double}", AdjustContrastShape, 0, 2,
     "Use AdjustContrastv2 instead"},
    {"AdjustContrastv2", "images: T, contrast_factor: float -> output: T",
     "T: {half, float} = float", AdjustShape},
    {"AdjustHue", "images: T, delta: float -> output: T", "T: {half, float} = float",
     AdjustShape},
    {"AdjustSaturation", "images: T, scale: float -> output: T",
     "T: {half, float} = float", AdjustShape},
    {"CropAndResize",
     "image: T, boxes: float, box_ind: int32, crop_size: int32 -> crops: float",
     "T: {uint8, uint16, int8, int16, int32, int64, half, float, double}; method: "
     "{'bilinear', 'nearest'} = 'bilinear'; extrapolation_value: float = 0",
     CropAndResizeShape},
    {"CropAndResizeGradBoxes",
     "grads: float, image: T, boxes: float, box_ind: int32 -> output: float",
     "T: {uint8, uint16, int8, int16, int32, int64, half, float, double}; method: "
     "{'bilinear'} = 'bilinear'",
     CropAndResizeGradBoxesShape},
    {"CropAndResizeGradImage",
     "grads: float, boxes: float, box_ind: int32, image_size: int32 -> output: T",
     "T: {float, half, double}; method: {'bilinear', 'nearest'} = 'bilinear'",
     CropAndResizeGradImageShape},
    {"DecodeAndCropJpeg", "contents: string, crop_window: int32 -> image: uint8",
     "channels: int = 0; ratio: int = 1; fancy_upscaling: bool = true; "
     "try_recover_truncated: bool = false; acceptable_fraction: float = 1; dct_method: "
     "string = ''",
     DecodeAndCropJpegShape},
    {"DecodeBmp", "contents: string -> image: uint8", "channels: int = 0",
     DecodeImageFileShape},
    {"DecodeImage", "contents: string -> image: dtype",
     "channels: int = 0; dtype: {uint8, uint16, float} = uint8; expand_animations: bool "
     "= true",
     DecodeImageShape},
    {"DecodeJpeg", "contents: string -> image: uint8",
     "channels: int = 0; ratio: int = 1; fancy_upscaling: bool = true; "
     "try_recover_truncated: bool = false; acceptable_fraction: float = 1; dct_method: "
     "string = ''",
     DecodeImageFileShape},
    {"DecodePng", "contents: string -> image: dtype",
     "channels: int = 0; dtype: {uint8, uint16} = uint8", DecodeImageFileShape},
    {"DrawBoundingBoxes", "images: T, boxes: float -> output: T",
     "T: {float, half} = float", DrawBoundingBoxesShape},
    {"DrawBoundingBoxesV2", "images: T, boxes: float, colors: float -> output: T",
     "T: {float, half} = float", DrawBoundingBoxesShape},
    {"EncodeJpeg", "image: uint8 -> contents: string",
     "format: {'', 'grayscale', 'rgb'} = ''; quality: int = 95; progressive: bool = "
     "false; optimize_size: bool = false; chroma_downsampling: bool = true; "
     "density_unit: {'in', 'cm'} = 'in'; x_density: int = 300; y_density: int = 300; "
     "xmp_metadata: string = ''",
     EncodeJpegShape},
    {"EncodePng", "image: T -> contents: string",
     "compression: int = -1; T: {uint8, uint16} = uint8", EncodePngShape},
    {"ExtractGlimpse", "input: float, size: int32, offsets: float -> glimpse: float",
     "centered: bool = true; normalized: bool = true; uniform_noise: bool = true; noise: "
     "string = 'uniform'",
     ExtractGlimpseShape},
    {"ExtractJpegShape", "contents: string -> image_shape: output_type",
     "output_type: index = int32", ExtractJpegShapeShape},
    {"HSVToRGB", "images: T -> output: T", "T: floating = float", ColorspaceShape},
    {"NonMaxSuppression",
     "boxes: float, scores: float, max_output_size: int32 -> selected_indices: int32",
     "iou_threshold: float = 0.5", NonMaxSuppressionShape},
    {"NonMaxSuppressionV2",
     "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold -> "
     "selected_indices: int32",
     "T: {half, float} = float; T_threshold: {half, float} = float",
     NonMaxSuppressionShape},
    {"NonMaxSuppressionV3",
     "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, "
     "score_threshold: T_threshold -> selected_indices: int32",
     "T: {half, float} = float; T_threshold: {half, float} = float",
     NonMaxSuppressionShape},
    {"NonMaxSuppressionV4",
     "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, "
     "score_threshold: T_threshold -> selected_indices: int32, valid_outputs: int32",
     "T: {half, float} = float; T_threshold: {half, float} = float; "
     "pad_to_max_output_size: bool = false",
     NonMaxSuppressionShape},
    {"RGBToHSV", "images: T -> output: T", "T: floating = float", ColorspaceShape},
    {"ResizeArea", "images: T, size: int32 -> resized_images: float",
     "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}; "
     "align_corners: bool = false",
     ResizeShape},
    {"ResizeBicubic", "images: T, size: int32 -> resized_images: float",
     "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}; "
     "align_corners: bool = false; half_pixel_centers: bool = false",
     ResizeShape},
    {"ResizeBicubicGrad", "grads: float, original_image: T -> output: T",
     "T: {float, double}; align_corners: bool = false; half_pixel_centers: bool = false",
     ResizeGradShape},
    {"ResizeBilinear", "images: T, size: int32 -> resized_images: float",
     "T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double}; "
     "align_corners: bool = false; half_pixel_centers: bool = false",
     ResizeShape},
    {"ResizeBilinearGrad", "grads: float, original_image: T -> output: T",
     "T: floating; align_corners: bool = false; half_pixel_centers: bool = false",
     ResizeGradShape},
    {"ResizeNearestNeighbor", "images: T, size: int32 -> resized_images: T",
     "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}; "
     "align_corners: bool = false; half_pixel_centers: bool = false",
     ResizeShape},
    {"ResizeNearestNeighborGrad", "grads: T, size: int32 -> output: T",
     "T: {uint8, int8, int32, half, float, double, bfloat16}; align_corners: bool = "
     "false; half_pixel_centers: bool = false",
     ResizeShape},
};

}  // namespace

std::span<const OpSpec> ImageOps() { return kImageOps; }

}  // namespace berth
