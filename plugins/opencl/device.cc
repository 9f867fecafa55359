#include "plugins/opencl/device.h"

#include <algorithm>
#include <string>
#include <utility>

#include "plugins/opencl/event.h"
#include "plugins/opencl/stream.h"

namespace berth::opencl {

Result<std::unique_ptr<sdk::Device>> OpenClDevice::Create(
    std::shared_ptr<Context> context, const sdk::DeviceInfo& info) {
  std::unique_ptr<OpenClDevice> device(new OpenClDevice(std::move(context), info));
  cl_int code = CL_SUCCESS;
  device->transfers_.reset(clCreateCommandQueue(
      device->context_->cl(), device->context_->facts().device, 0, &code));
  if (code != CL_SUCCESS) {
    return ClStatus(code, "clCreateCommandQueue", __FILE__, __LINE__);
  }
  return std::unique_ptr<sdk::Device>(std::move(device));
}

OpenClDevice::~OpenClDevice() = default;

// Counts `size` against the device's memory, or says that there is no room.
Status OpenClDevice::Reserve(uint64_t size) {
  const std::string asked =
      info_.name + ": out of memory: " + std::to_string(size) + " bytes asked for, ";
  if (info_.largest_allocation > 0 && size > info_.largest_allocation) {
    return sdk::ResourceExhausted(asked + "but one allocation is at most " +
                                  std::to_string(info_.largest_allocation) + " bytes");
  }
  std::lock_guard<std::mutex> lock(mutex_);
  if (info_.memory_bytes > 0 && size > info_.memory_bytes - bytes_in_use_) {
    return sdk::ResourceExhausted(asked + std::to_string(bytes_in_use_) + " of " +
                                  std::to_string(info_.memory_bytes) +
                                  " bytes are in use");
  }
  bytes_in_use_ += size;
  peak_bytes_ = std::max(peak_bytes_, bytes_in_use_);
  ++num_allocations_;
  return {};
}

void OpenClDevice::Unreserve(uint64_t size) {
  std::lock_guard<std::mutex> lock(mutex_);
  bytes_in_use_ -= size;
  --num_allocations_;
}

Status OpenClDevice::Fill(Memory* memory) {
  cl_context context = context_->cl();
  const size_t size = memory->size;
  cl_int code = CL_SUCCESS;
  switch (memory->kind) {
    case BERTH_MEMORY_DEVICE:
      memory->buffer.reset(
          clCreateBuffer(context, CL_MEM_READ_WRITE, size, nullptr, &code));
      break;
    case BERTH_MEMORY_PINNED:
      memory->buffer.reset(clCreateBuffer(
          context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size, nullptr, &code));
      if (code != CL_SUCCESS) break;
      memory->host = clEnqueueMapBuffer(transfers_.get(), memory->buffer.get(), CL_TRUE,
                                        CL_MAP_READ | CL_MAP_WRITE, 0, size, 0, nullptr,
                                        nullptr, &code);
      break;
    case BERTH_MEMORY_HOST_VISIBLE:
      if (!context_->facts().fine_grained_svm) {
        return sdk::Unimplemented(info_.name +
                                  ": has no host-visible memory (the driver offers no "
                                  "fine-grained shared virtual memory)");
      }
      memory->svm = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER,
                               size, info_.base_alignment);
      if (memory->svm == nullptr) {
        return sdk::ResourceExhausted(info_.name +
                                      ": out of memory: clSVMAlloc gives no " +
                                      std::to_string(size) + " bytes");
      }
      memory->host = memory->svm;
      memory->buffer.reset(clCreateBuffer(
          context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size, memory->svm, &code));
      break;
    default:
      return sdk::InvalidArgument("OpenCL: unknown memory kind " +
                                  std::to_string(memory->kind));
  }
  if (code == CL_INVALID_BUFFER_SIZE) code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  return ClStatus(code, "clCreateBuffer", __FILE__, __LINE__);
}

Result<berth_memory*> OpenClDevice::Allocate(berth_memory_kind kind, uint64_t size) {
  BERTH_SDK_RETURN_IF_ERROR(Reserve(size));
  auto memory = std::make_unique<Memory>();
  memory->kind = kind;
  memory->size = size;
  const Status filled = Fill(memory.get());
  if (!filled.ok()) {
    memory->buffer.reset();
    if (memory->svm != nullptr) clSVMFree(context_->cl(), memory->svm);
    Unreserve(size);
    return filled;
  }
  return reinterpret_cast<berth_memory*>(memory.release());
}

void OpenClDevice::Free(berth_memory* handle) {
  if (handle == nullptr) return;
  const std::unique_ptr<Memory> memory(MemoryOf(handle));
  const uint64_t size = memory->size;
  if (memory->kind == BERTH_MEMORY_PINNED && memory->host != nullptr) {
    clEnqueueUnmapMemObject(transfers_.get(), memory->buffer.get(), memory->host, 0,
                            nullptr, nullptr);
    clFinish(transfers_.get());
  }
  memory->buffer.reset();
  if (memory->svm != nullptr) clSVMFree(context_->cl(), memory->svm);
  Unreserve(size);
}

void* OpenClDevice::HostAddress(berth_memory* memory) {
  return memory == nullptr ? nullptr : MemoryOf(memory)->host;
}

void OpenClDevice::MemoryStats(berth_memory_stats* stats) {
  std::lock_guard<std::mutex> lock(mutex_);
  stats->bytes_in_use = bytes_in_use_;
  stats->peak_bytes_in_use = peak_bytes_;
  stats->num_allocations = num_allocations_;
  stats->bytes_limit = info_.memory_bytes;
}

Result<std::unique_ptr<sdk::Stream>> OpenClDevice::CreateStream() {
  return OpenClStream::Create(this);
}

Result<std::unique_ptr<sdk::Event>> OpenClDevice::CreateEvent() {
  return std::unique_ptr<sdk::Event>(std::make_unique<OpenClEvent>());
}

Status OpenClDevice::Synchronize() {
  std::lock_guard<std::mutex> lock(mutex_);
  for (cl_command_queue queue : queues_) BERTH_CL_RETURN_IF_ERROR(clFinish(queue));
  return {};
}

Status OpenClDevice::ReadBlocking(berth_memory* source, uint64_t offset, uint64_t size,
                                  void* target) {
  BERTH_CL_RETURN_IF_ERROR(clEnqueueReadBuffer(transfers_.get(), BufferOf(source),
                                               CL_TRUE, offset, size, target, 0, nullptr,
                                               nullptr));
  return {};
}

void OpenClDevice::AddQueue(cl_command_queue queue) {
  std::lock_guard<std::mutex> lock(mutex_);
  queues_.push_back(queue);
}

void OpenClDevice::RemoveQueue(cl_command_queue queue) {
  std::lock_guard<std::mutex> lock(mutex_);
  queues_.erase(std::remove(queues_.begin(), queues_.end(), queue), queues_.end());
}

}  // namespace berth::opencl
