// A plugin that brings ops: BERTH_TEST_OPS is 0 for a new op with a shape function and a
// kernel, 1 for one that redefines MatMul, 2 for a new op and then the redefinition, 3
// for the same new op as 0 (another plugin), 4 for it with another definition, 5 for
// bytes that are no OpDef.
#include <cstring>
#include <string>

#include "conformance/bad_plugins/plain_plugin.h"

namespace {

// The wire format of protobuf, as far as an OpDef needs it.
std::string Field(int number, const std::string& bytes) {
  std::string out;
  out += static_cast<char>(number << 3 | 2);
  out += static_cast<char>(bytes.size());
  return out + bytes;
}
std::string Number(int number, int value) {
  std::string out;
  if (number > 15) {  // the tag takes two bytes
    out += static_cast<char>((number << 3 & 0x7f) | 0x80);
    out += static_cast<char>(number >> 4);
  } else {
    out += static_cast<char>(number << 3);
  }
  out += static_cast<char>(value);
  return out;
}

// name: T, a type attribute with the default float; x: T -> y: T.
std::string UnaryOpDef(const std::string& name) {
  const std::string value = Number(6, BERTH_FLOAT);
  return Field(1, name) + Field(2, Field(1, "x") + Field(4, "T")) +
         Field(3, Field(1, "y") + Field(4, "T")) +
         Field(4, Field(1, "T") + Field(2, "type") + Field(3, value));
}

// Output: the input's shape with the first dimension doubled.
berth_status_code InferShapes(const berth_node* node, berth_shape* outputs,
                              berth_error* error) {
  const berth_value_info& in = *node->inputs[0];
  if (in.rank < 0) return BERTH_OK;
  if (in.rank == 0) {
    error->message = "Twice wants at least a vector";
    return BERTH_INVALID_ARGUMENT;
  }
  outputs[0].rank = in.rank;
  for (int32_t i = 0; i < in.rank; ++i) outputs[0].dims[i] = in.dims[i];
  if (outputs[0].dims[0] > 0) outputs[0].dims[0] *= 2;
  return BERTH_OK;
}

berth_op_def Def(const std::string& bytes) {
  berth_op_def def = {};
  def.struct_size = sizeof(def);
  def.op_def = bytes.data();
  def.op_def_size = bytes.size();
  def.infer_shapes = &InferShapes;
  return def;
}

berth_status_code Create(const berth_kernel_def*, berth_device*, const berth_node*,
                         berth_kernel** out, berth_error*) {
  static char kernel;
  *out = reinterpret_cast<berth_kernel*>(&kernel);
  return BERTH_OK;
}
void Destroy(berth_kernel*) {}
berth_status_code Compute(const berth_kernel*, const berth_prepared*,
                          berth_compute_context*, berth_error*) {
  return BERTH_OK;
}

}  // namespace

extern "C" BERTH_EXPORT berth_status_code berth_plugin_query(
    const berth_query_args*, const berth_plugin** out_plugin, berth_error*) {
  static const std::string twice =
      UnaryOpDef("Test>Twice") + (BERTH_TEST_OPS == 4 ? Number(17, 1) : "");
  static const std::string matmul =
      BERTH_TEST_OPS == 5 ? "no proto" : UnaryOpDef("MatMul");
  static const berth_op_def twice_def = Def(twice);
  static const berth_op_def matmul_def = Def(matmul);
  static const berth_op_def* const defs[] = {&twice_def, &matmul_def};
  static const berth_kernel_def row = [] {
    berth_kernel_def made = {};
    made.struct_size = sizeof(made);
    made.op = "Test>Twice";
    made.device_type = "CPU";
    made.create = &Create;
    made.destroy = &Destroy;
    made.compute = &Compute;
    return made;
  }();
  static const berth_kernel_def* const rows[] = {&row};
  static const berth_plugin plugin = [] {
    berth_plugin made = PlainPlugin(BERTH_TEST_NAME);
    const bool alone = BERTH_TEST_OPS == 1 || BERTH_TEST_OPS == 5;
    made.ops = alone ? defs + 1 : defs;
    made.num_ops = BERTH_TEST_OPS == 2 ? 2 : 1;
    if (BERTH_TEST_OPS == 0) {
      made.kernels = rows;
      made.num_kernels = 1;
    }
    return made;
  }();
  *out_plugin = &plugin;
  return BERTH_OK;
}
