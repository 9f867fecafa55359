#include "tools/berth/common.h"

#include <google/protobuf/text_format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "berth/proto/config.pb.h"
#include "core/base/printable.h"
#include "core/formats/graphdef.h"
#include "tools/berth/commands.h"

namespace berth::tool {
namespace {

bool IsText(const std::string& path) { return path.ends_with(".pbtxt"); }

Result<std::string> ReadGraphDef(const std::string& path) {
  BERTH_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path));
  if (!IsText(path)) return bytes;
  return GraphTextToBinary(bytes);
}

Result<std::string> ReadConfig(const std::string& path) {
  if (path.empty()) return std::string();
  BERTH_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path));
  if (!IsText(path)) return bytes;
  tf::ConfigProto config;
  if (!google::protobuf::TextFormat::ParseFromString(bytes, &config)) {
    return InvalidArgument("'" + path + "' is no ConfigProto in text form");
  }
  return config.SerializeAsString();
}

}  // namespace

int Report(const Status& status) {
  if (status.ok()) return kDone;
  std::fprintf(stderr, "berth: %s\n", Printable(status.ToString()).c_str());
  return kFailed;
}

void Print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (text.empty() || text.back() != '\n') std::fputc('\n', stdout);
}

Result<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return NotFound("cannot read '" + path + "': " + std::strerror(errno));
  }
  std::string data{std::istreambuf_iterator<char>(file),
                   std::istreambuf_iterator<char>()};
  if (file.bad()) return DataLoss("cannot read all of '" + path + "'");
  return data;
}

Status WriteFile(const std::string& path, const std::string& data) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(data.data(), static_cast<std::streamsize>(data.size()));
  file.close();
  if (!file) {
    return FailedPrecondition("cannot write '" + path + "': " + std::strerror(errno));
  }
  return {};
}

void AddGraphFlags(CLI::App* command, GraphFlags* flags) {
  command
      ->add_option("graph", flags->graph,
                   "GraphDef, in text form if the name ends in .pbtxt")
      ->type_name("GRAPH.pb")
      ->required();
  command
      ->add_option("--config", flags->config,
                   "ConfigProto, in text form if the name ends in .pbtxt")
      ->type_name("CONFIG.pb");
  command->add_flag("--soft", flags->soft, "Allow soft placement");
}

Result<std::unique_ptr<Session>> OpenSession(const GraphFlags& flags) {
  BERTH_ASSIGN_OR_RETURN(const std::string graph, ReadGraphDef(flags.graph));
  BERTH_ASSIGN_OR_RETURN(const std::string config, ReadConfig(flags.config));
  Result<SessionOptions> options = SessionOptions::FromConfigProto(config);
  if (!options.ok()) {
    return options.status().WithPrefix("'" + flags.config + "': ");
  }
  BERTH_RETURN_IF_ERROR(options->ApplyEnvironment());
  if (flags.soft) options->allow_soft_placement = true;
  BERTH_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                         Session::Create(*std::move(options)));
  BERTH_RETURN_IF_ERROR(session->Extend(graph).WithPrefix("'" + flags.graph + "': "));
  return session;
}

}  // namespace berth::tool
