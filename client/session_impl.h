// What a client session is made of. Internal to the client library.
#pragma once

#include <atomic>
#include <memory>

#include "absl/synchronization/mutex.h"
#include "client/graph_builder.h"
#include "client/session.h"
#include "core/session/session.h"

namespace berth::client {

struct Session::Impl {
  std::shared_ptr<GraphBuilder> builder;
  std::unique_ptr<berth::Session> core;
  // Nodes of the builder's graph that the session has. Runs of several threads may find
  // new ones at once; who holds `sync` adds them.
  std::atomic<int> synced = 0;
  absl::Mutex sync;
};

}  // namespace berth::client
