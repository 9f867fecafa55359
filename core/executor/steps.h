// The steps of the core: what is in a step list besides kernels.
#pragma once

#include <berth/kernel.h>

#include "core/base/buffer.h"
#include "core/base/status.h"
#include "core/base/tensor.h"
#include "core/executor/device_set.h"
#include "core/executor/program.h"

namespace berth::executor {

class Frame;

// The code behind an item that is no plain kernel: `kernel` is the Item, and the
// context's owner the Frame.
decltype(berth_kernel_def::compute) StepOf(ItemKind kind);

// Each does one item; see ItemKind.
// variable_steps.cc
Status RunBind(Frame& frame, const Item& item);
Status RunRead(Frame& frame, const Item& item);
Status RunAssign(Frame& frame, const Item& item);
Status RunUpdate(Frame& frame, const Item& item);
Status RunIsInit(Frame& frame, const Item& item);
Status RunDestroy(Frame& frame, const Item& item);
Status RunLockedKernel(Frame& frame, const Item& item);
// move_steps.cc
Status RunRelease(Frame& frame, const Item& item);
Status RunRebind(Frame& frame, const Item& item);
Status RunReshape(Frame& frame, const Item& item);
Status RunShapeOf(Frame& frame, const Item& item);
Status RunCopy(Frame& frame, const Item& item);
Status RunRuntimeCopy(Frame& frame, const Item& item);
Status RunWait(Frame& frame, const Item& item);
// kernel_steps.cc
Status RunAsyncKernel(Frame& frame, const Item& item);
Status RunRuntimeKernel(Frame& frame, const Item& item);
Status RunHostOp(Frame& frame, const Item& item);

// Copies `size` bytes between two places of tensors, on the stream of the device that is
// part of it; strings are copied as strings. `to` and `from` are views of equal size.
Status CopyTensor(Frame& frame, int32_t device, const berth_tensor& from,
                  const berth_tensor& to, bool from_host, bool to_host);
// Waits until the device's stream of the frame is empty.
Status Synchronize(Frame& frame, int32_t device);

// A copy of a host tensor in a device's memory; returns when it is there.
Result<BufferRef> CopyToDevice(DeviceSet& devices, Space space, const Tensor& tensor);

// Copies element by element where they are strings, else bytes.
void CopyHost(DType dtype, const void* from, void* to, uint64_t size);

}  // namespace berth::executor
