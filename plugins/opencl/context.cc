#include "plugins/opencl/context.h"

#include <algorithm>
#include <charconv>

#include "plugins/opencl/kernel_sources.h"
#include "plugins/opencl/program.h"

namespace berth::opencl {
namespace {

// Errors that the driver reports outside any call.
void CL_CALLBACK OnContextError(const char* text, const void*, size_t, void* user_data) {
  const auto* host = static_cast<const sdk::Host*>(user_data);
  const std::string message = std::string("OpenCL: the driver reports: ") + text;
  host->Log(BERTH_LOG_WARNING, message.c_str());
}

}  // namespace

Result<Settings> ReadSettings(const sdk::Host& host) {
  Settings settings;
  if (const char* text = host.Option("max_group_size"); text != nullptr) {
    const std::string_view view(text);
    const auto parsed =
        std::from_chars(view.data(), view.data() + view.size(), settings.max_group_size);
    if (parsed.ec != std::errc() || parsed.ptr != view.data() + view.size()) {
      return sdk::InvalidArgument("opencl option max_group_size=\"" + std::string(view) +
                                  "\": must be a whole number; 0 sets no limit");
    }
  }
  if (const char* text = host.Option("gemm"); text != nullptr) {
    const std::string_view view(text);
    if (view == "builtin") {
      settings.gemm = GemmChoice::kBuiltin;
    } else if (view == "clblast") {
      settings.gemm = GemmChoice::kClBlast;
    } else if (view != "auto") {
      return sdk::InvalidArgument("opencl option gemm=\"" + std::string(view) +
                                  "\": must be auto, builtin or clblast");
    }
  }
  if (const char* text = host.Option("build_options"); text != nullptr) {
    settings.build_options = text;
  }
  if (const char* text = host.Option("program_cache"); text != nullptr) {
    const std::string_view view(text);
    if (view != "0" && view != "1") {
      return sdk::InvalidArgument("opencl option program_cache=\"" + std::string(view) +
                                  "\": must be 0 or 1");
    }
    settings.use_cache = view == "1";
  }
  return settings;
}

Result<std::shared_ptr<Context>> Context::Create(const PhysicalDevice& facts,
                                                 const Settings& settings,
                                                 const sdk::Host& host) {
  std::shared_ptr<Context> context(new Context(facts, settings, host));
  const cl_context_properties properties[] = {
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(facts.platform), 0};
  cl_int code = CL_SUCCESS;
  context->context_.reset(clCreateContext(properties, 1, &facts.device, &OnContextError,
                                          const_cast<sdk::Host*>(&context->host_),
                                          &code));
  if (code != CL_SUCCESS) {
    const Status why = ClStatus(code, "clCreateContext", __FILE__, __LINE__);
    return Status(why.code(), facts.Describe() + ": " + why.message());
  }
  return context;
}

std::string Context::CommonOptions() const {
  std::string options = "-cl-std=CL1.2";
  if (facts_.exact_divide) options += " -cl-fp32-correctly-rounded-divide-sqrt";
  return options;
}

Result<const KernelRef*> Context::Kernel(const char* file, const std::string& options,
                                         const char* name) {
  std::string all = CommonOptions();
  if (!options.empty()) all += " " + options;
  if (!settings_.build_options.empty()) all += " " + settings_.build_options;
  const std::string key = std::string(file) + ".cl " + all;

  std::lock_guard<std::mutex> lock(programs_mutex_);
  auto found = programs_.find(key);
  if (found == programs_.end()) {
    Program made;
    const std::string_view body = KernelSource(file);
    if (body.empty()) {
      return sdk::Internal(std::string("there is no OpenCL kernel file ") + file + ".cl");
    }
    const std::string source = std::string(KernelSource("common")) + std::string(body);
    const std::string file_name = std::string(file) + ".cl";
    BuildRequest request;
    request.context = context_.get();
    request.device = &facts_;
    request.name = file_name;
    request.source = source;
    request.options = all;
    request.host = settings_.use_cache ? &host_ : nullptr;
    Result<ClProgram> program = BuildProgram(request);
    if (program.ok()) {
      made.program = std::move(*program);
    } else {
      made.status = program.status();
    }
    found = programs_.emplace(key, std::move(made)).first;
  }
  Program& program = found->second;
  if (!program.status.ok()) {
    return Status(program.status.code(),
                  std::string("kernel ") + name + ": " + program.status.message());
  }
  auto kernel = program.kernels.find(name);
  if (kernel == program.kernels.end()) {
    Result<KernelRef> made = MakeKernel(program, name);
    if (!made.ok()) return made.status();
    kernel = program.kernels.emplace(name, std::move(*made)).first;
  }
  return static_cast<const KernelRef*>(&kernel->second);
}

Result<KernelRef> Context::MakeKernel(const Program& program, const char* name) {
  cl_int code = CL_SUCCESS;
  const ClKernel kernel(clCreateKernel(program.program.get(), name, &code));
  if (code != CL_SUCCESS) {
    return sdk::Internal(std::string("kernel ") + name + " on " + facts_.Describe() +
                         ": clCreateKernel failed: " + ClCodeName(code));
  }
  size_t limit = facts_.max_group_size;
  size_t of_kernel = 0;
  if (clGetKernelWorkGroupInfo(kernel.get(), facts_.device, CL_KERNEL_WORK_GROUP_SIZE,
                               sizeof(of_kernel), &of_kernel, nullptr) == CL_SUCCESS &&
      of_kernel > 0) {
    limit = std::min(limit, of_kernel);
  }
  if (settings_.max_group_size > 0) limit = std::min(limit, settings_.max_group_size);
  KernelRef ref;
  ref.id = num_kernels_++;
  ref.program = program.program.get();
  ref.name = name;
  ref.max_group = std::max<size_t>(limit, 1);
  return ref;
}

int32_t Context::AddErrorSite(const char* node, const char* op) {
  std::lock_guard<std::mutex> lock(sites_mutex_);
  const int32_t site = next_site_++;
  sites_[site] = {node, op};
  return site;
}

void Context::RemoveErrorSite(int32_t site) {
  std::lock_guard<std::mutex> lock(sites_mutex_);
  sites_.erase(site);
}

ErrorSite Context::FindErrorSite(int32_t site) const {
  std::lock_guard<std::mutex> lock(sites_mutex_);
  const auto found = sites_.find(site);
  if (found == sites_.end()) return {"(gone)", "an op"};
  return found->second;
}

}  // namespace berth::opencl
