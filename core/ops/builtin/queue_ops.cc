// Queues.
#include "core/ops/builtin_ops.h"

namespace berth {
namespace {

constexpr OpSpec kQueueOps[] = {
    {"FIFOQueue", "-> handle: Ref(string)",
     "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = "
     "-1; container: string = ''; shared_name: string = ''",
     nullptr, kStateful},
    {"FIFOQueueV2", "-> handle: resource",
     "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = "
     "-1; container: string = ''; shared_name: string = ''",
     nullptr, kStateful},
    {"PaddingFIFOQueue", "-> handle: Ref(string)",
     "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = "
     "-1; container: string = ''; shared_name: string = ''",
     nullptr, kStateful},
    {"PaddingFIFOQueueV2", "-> handle: resource",
     "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = "
     "-1; container: string = ''; shared_name: string = ''",
     nullptr, kStateful},
    {"PriorityQueue", "-> handle: Ref(string)",
     "component_types: list(type) >= 0 = []; shapes: list(shape) >= 0; capacity: int = "
     "-1; container: string = ''; shared_name: string = ''",
     nullptr, kStateful},
    {"PriorityQueueV2", "-> handle: resource",
     "component_types: list(type) >= 0 = []; shapes: list(shape) >= 0; capacity: int = "
     "-1; container: string = ''; shared_name: string = ''",
     nullptr, kStateful},
    {"QueueClose", "handle: Ref(string)", "cancel_pending_enqueues: bool = false"},
    {"QueueCloseV2", "handle: resource", "cancel_pending_enqueues: bool = false", nullptr,
     kStateful},
    {"QueueDequeue", "handle: Ref(string) -> components: component_types",
     "component_types: list(type) >= 1; timeout_ms: int = -1"},
    {"QueueDequeueMany", "handle: Ref(string), n: int32 -> components: component_types",
     "component_types: list(type) >= 1; timeout_ms: int = -1"},
    {"QueueDequeueManyV2", "handle: resource, n: int32 -> components: component_types",
     "component_types: list(type) >= 1; timeout_ms: int = -1", nullptr, kStateful},
    {"QueueDequeueUpTo", "handle: Ref(string), n: int32 -> components: component_types",
     "component_types: list(type) >= 1; timeout_ms: int = -1"},
    {"QueueDequeueUpToV2", "handle: resource, n: int32 -> components: component_types",
     "component_types: list(type) >= 1; timeout_ms: int = -1", nullptr, kStateful},
    {"QueueDequeueV2", "handle: resource -> components: component_types",
     "component_types: list(type) >= 1; timeout_ms: int = -1", nullptr, kStateful},
    {"QueueEnqueue", "handle: Ref(string), components: Tcomponents",
     "Tcomponents: list(type) >= 1; timeout_ms: int = -1"},
    {"QueueEnqueueMany", "handle: Ref(string), components: Tcomponents",
     "Tcomponents: list(type) >= 1; timeout_ms: int = -1"},
    {"QueueEnqueueManyV2", "handle: resource, components: Tcomponents",
     "Tcomponents: list(type) >= 1; timeout_ms: int = -1", nullptr, kStateful},
    {"QueueEnqueueV2", "handle: resource, components: Tcomponents",
     "Tcomponents: list(type) >= 1; timeout_ms: int = -1", nullptr, kStateful},
    {"QueueIsClosed", "handle: Ref(string) -> is_closed: bool"},
    {"QueueIsClosedV2", "handle: resource -> is_closed: bool", "", nullptr, kStateful},
    {"QueueSize", "handle: Ref(string) -> size: int32"},
    {"QueueSizeV2", "handle: resource -> size: int32", "", nullptr, kStateful},
    {"RandomShuffleQueue", "-> handle: Ref(string)",
     "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = "
     "-1; min_after_dequeue: int = 0; seed: int = 0; seed2: int = 0; container: string = "
     "''; shared_name: string = ''",
     nullptr, kStateful},
    {"RandomShuffleQueueV2", "-> handle: resource",
     "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = "
     "-1; min_after_dequeue: int = 0; seed: int = 0; seed2: int = 0; container: string = "
     "''; shared_name: string = ''",
     nullptr, kStateful},
};

}  // namespace

std::span<const OpSpec> QueueOps() { return kQueueOps; }

}  // namespace berth
