// Sessions and callables of the C API.
#include <absl/container/inlined_vector.h>

#include <span>
#include <string_view>
#include <vector>

#include "core/capi/capi_internal.h"
#include "core/placer/explain.h"
#include "core/session/run_wire.h"

using berth::Result;
using berth::RunSettings;
using berth::Session;
using berth::Status;
using berth::Tensor;
using berth::capi::Guard;

namespace berth::capi {
namespace {

std::string_view View(const void* data, size_t size) {
  return {static_cast<const char*>(data), data == nullptr ? 0 : size};
}

Result<std::vector<std::string>> Names(const char* const* names, uint32_t count,
                                       const char* role) {
  std::vector<std::string> list;
  list.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    if (names == nullptr || names[i] == nullptr) {
      return InvalidArgument("the name of " + std::string(role) + " " +
                             std::to_string(i) + " is NULL");
    }
    list.emplace_back(names[i]);
  }
  return list;
}

Status Create(const berth_session_args& args, berth_session** out_session) {
  BERTH_ASSIGN_OR_RETURN(SessionOptions options, SessionOptions::FromConfigProto(View(
                                                     args.config, args.config_size)));
  BERTH_RETURN_IF_ERROR(options.ApplyEnvironment());
  BERTH_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                         Session::Create(std::move(options)));
  if (args.graph_def != nullptr) {
    BERTH_RETURN_IF_ERROR(session->Extend(View(args.graph_def, args.graph_def_size)));
  }
  *out_session = new berth_session{std::move(session)};
  return {};
}

Result<RunSettings> Settings(const void* options, size_t size) {
  if (size == 0) return RunSettings{};
  return DecodeRunOptions(View(options, size));
}

// Gives the metadata out when it was asked for.
void GiveMetadata(const RunTrace& trace, berth_bytes** run_metadata) {
  if (run_metadata != nullptr) *run_metadata = MakeBytes(EncodeRunMetadata(trace));
}

Status Run(Session* session, const berth_run_args& args) {
  BERTH_ASSIGN_OR_RETURN(const RunSettings settings,
                         Settings(args.run_options, args.run_options_size));
  BERTH_ASSIGN_OR_RETURN(std::vector<std::string> names,
                         Names(args.feed_names, args.num_feeds, "feed"));
  BERTH_ASSIGN_OR_RETURN(const std::vector<std::string> fetches,
                         Names(args.fetch_names, args.num_fetches, "fetch"));
  BERTH_ASSIGN_OR_RETURN(const std::vector<std::string> targets,
                         Names(args.target_names, args.num_targets, "target"));
  Session::Feeds feeds;
  for (size_t i = 0; i < names.size(); ++i) {
    if (args.feeds == nullptr || args.feeds[i] == nullptr) {
      return InvalidArgument("the value fed to '" + names[i] + "' is NULL");
    }
    feeds.emplace_back(std::move(names[i]), args.feeds[i]->tensor);
  }
  std::vector<Tensor> outputs;
  RunTrace trace;
  BERTH_RETURN_IF_ERROR(session->Run(feeds, fetches, targets, settings, &outputs,
                                     args.run_metadata != nullptr ? &trace : nullptr));
  for (uint32_t i = 0; i < args.num_fetches; ++i) {
    args.fetches[i] = new berth_value{std::move(outputs[i]), {}, false};
  }
  GiveMetadata(trace, args.run_metadata);
  return {};
}

using TensorList = absl::InlinedVector<Tensor, 8>;

// What the run may write into for this output: the value's memory. Moved, not copied: a
// buffer is written in place only when nobody else holds it.
Tensor TakeOutput(berth_value* value) {
  if (value == nullptr) return {};
  return std::move(value->wraps_caller ? value->alias : value->tensor);
}

// Puts what the run left into the caller's output handle.
Status GiveOutput(Tensor left, size_t index, berth_value** output) {
  if (*output == nullptr) {
    if (left.is_valid()) *output = new berth_value{std::move(left), {}, false};
    return {};
  }
  berth_value& value = **output;
  if (!value.wraps_caller) {
    value.tensor = std::move(left);
    return {};
  }
  if (left.is_valid() && left.raw() == value.tensor.raw()) {
    value.alias = std::move(left);
    return {};
  }
  value.alias = AliasOf(value.tensor);
  return InvalidArgument("output " + std::to_string(index) + " is " +
                         std::string(DTypeName(left.dtype())) + " " +
                         left.shape().ToString() + ", but the memory given for it is " +
                         std::string(DTypeName(value.tensor.dtype())) + " " +
                         value.tensor.shape().ToString());
}

Status RunCallable(berth_callable* callable, const berth_run_callable_args& args) {
  BERTH_ASSIGN_OR_RETURN(const RunSettings settings,
                         Settings(args.run_options, args.run_options_size));
  TensorList inputs(callable->num_inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (args.inputs[i] == nullptr) {
      return InvalidArgument("input " + std::to_string(i) + " of the callable is NULL");
    }
    inputs[i] = args.inputs[i]->tensor;
  }
  TensorList outputs(callable->num_outputs);
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i] = TakeOutput(args.outputs[i]);
  RunTrace trace;
  Status status = callable->callable->Run(
      {inputs.data(), inputs.size()}, {outputs.data(), outputs.size()}, settings,
      args.run_metadata != nullptr ? &trace : nullptr);
  for (size_t i = 0; i < outputs.size(); ++i) {
    // After a failure nothing new is handed out, but what was taken goes back.
    if (!status.ok() && args.outputs[i] == nullptr) continue;
    Status given = GiveOutput(std::move(outputs[i]), i, &args.outputs[i]);
    if (status.ok()) status = std::move(given);
  }
  if (status.ok()) GiveMetadata(trace, args.run_metadata);
  return status;
}

Status Placement(Session* session, std::string_view format, berth_bytes** out_bytes) {
  std::string text;
  Status bad_format;
  BERTH_RETURN_IF_ERROR(
      session->ViewPlacement([&](const Graph& graph, const berth::Placement& placement) {
        if (format == "json") {
          text = ExplainJson(graph, placement);
        } else if (format == "text") {
          text = ExplainText(graph, placement);
        } else if (format == "html") {
          text = ExplainHtml(graph, placement, "Placement");
        } else {
          bad_format = InvalidArgument("format '" + std::string(format) +
                                       "' is none of json, text, html");
        }
      }));
  BERTH_RETURN_IF_ERROR(bad_format);
  *out_bytes = MakeBytes(std::move(text));
  return {};
}

}  // namespace
}  // namespace berth::capi

extern "C" {

berth_status_code berth_session_create(const berth_session_args* args,
                                       berth_session** out_session, berth_error* error) {
  return Guard(error, [&] { return berth::capi::Create(*args, out_session); });
}

berth_status_code berth_session_extend(berth_session* session, const void* graph_def,
                                       size_t size, berth_error* error) {
  return Guard(error, [&] {
    return session->session->Extend(berth::capi::View(graph_def, size));
  });
}

berth_status_code berth_session_run(berth_session* session, const berth_run_args* args,
                                    berth_error* error) {
  return Guard(error, [&] { return berth::capi::Run(session->session.get(), *args); });
}

berth_status_code berth_session_placement(berth_session* session, const char* format,
                                          berth_bytes** out_bytes, berth_error* error) {
  return Guard(error, [&] {
    return berth::capi::Placement(session->session.get(), format, out_bytes);
  });
}

berth_status_code berth_session_close(berth_session* session, berth_error* error) {
  return Guard(error, [&] { return session->session->Close(); });
}

void berth_session_release(berth_session* session) { delete session; }

berth_status_code berth_make_callable(berth_session* session,
                                      const berth_callable_args* args,
                                      berth_callable** out_callable, berth_error* error) {
  return Guard(error, [&]() -> Status {
    Session::Signature signature;
    BERTH_ASSIGN_OR_RETURN(signature.feeds,
                           berth::capi::Names(args->feed_names, args->num_feeds, "feed"));
    BERTH_ASSIGN_OR_RETURN(
        signature.fetches,
        berth::capi::Names(args->fetch_names, args->num_fetches, "fetch"));
    BERTH_ASSIGN_OR_RETURN(
        signature.targets,
        berth::capi::Names(args->target_names, args->num_targets, "target"));
    BERTH_ASSIGN_OR_RETURN(auto callable, session->session->MakeCallable(signature));
    *out_callable = new berth_callable{session->session, std::move(callable),
                                       args->num_feeds, args->num_fetches};
    return {};
  });
}

berth_status_code berth_run_callable(berth_callable* callable,
                                     const berth_run_callable_args* args,
                                     berth_error* error) {
  return Guard(error, [&] { return berth::capi::RunCallable(callable, *args); });
}

void berth_callable_release(berth_callable* callable) { delete callable; }

}  // extern "C"
