// What a client session is made of. Internal to the client library.
#pragma once

#include <memory>

#include "client/graph_builder.h"
#include "client/session.h"
#include "core/session/session.h"

namespace berth::client {

struct Session::Impl {
  std::shared_ptr<GraphBuilder> builder;
  std::unique_ptr<berth::Session> core;
  int synced = 0;  // nodes of the builder's graph that the session has
};

}  // namespace berth::client
