// Queues.
#include "core/ops/builtin_ops.h"
#include "core/ops/shapes/common.h"
#include "core/ops/shapes/data_flow_shapes.h"

namespace berth {
namespace {

constexpr OpSpec kQueueOps[] = {
    {"FIFOQueue", "-> handle: Ref(string)",
     "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = "
     "-1; container: string = ''; shared_name: string = ''",
     RefHandleShape, kStateful},
    {"FIFOQueueV2", "-> handle: resource",
     "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = "
     "-1; container: string = ''; shared_name: string = ''",
     QueueHandleShape, kStateful},
    {"PaddingFIFOQueue", "-> handle: Ref(string)",
     "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = "
     "-1; container: string = ''; shared_name: string = ''",
     RefHandleShape, kStateful},
    {"PaddingFIFOQueueV2", "-> handle: resource",
     "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = "
     "-1; container: string = ''; shared_name: string = ''",
     QueueHandleShape, kStateful},
    {"PriorityQueue", "-> handle: Ref(string)",
     "component_types: list(type) >= 0 = []; shapes: list(shape) >= 0; capacity: int = "
     "-1; container: string = ''; shared_name: string = ''",
     RefHandleShape, kStateful},
    {"PriorityQueueV2", "-> handle: resource",
     "component_types: list(type) >= 0 = []; shapes: list(shape) >= 0; capacity: int = "
     "-1; container: string = ''; shared_name: string = ''",
     QueueHandleShape, kStateful},
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
    {"QueueIsClosed", "handle: Ref(string) -> is_closed: bool", "", ScalarShape},
    {"QueueIsClosedV2", "handle: resource -> is_closed: bool", "", ScalarShape,
     kStateful},
    {"QueueSize", "handle: Ref(string) -> size: int32", "", ScalarShape},
    {"QueueSizeV2", "handle: resource -> size: int32", "", ScalarShape, kStateful},
    {"RandomShuffleQueue", "-> handle: Ref(string)",
     "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = "
     "-1; min_after_dequeue: int = 0; seed: int = 0; seed2: int = 0; container: string = "
     "''; shared_name: string = ''",
     RefHandleShape, kStateful},
    {"RandomShuffleQueueV2", "-> handle: resource",
     "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = "
     "-1; min_after_dequeue: int = 0; seed: int = 0; seed2: int = 0; container: string = "
     "''; shared_name: string = ''",
     QueueHandleShape, kStateful},
};

}  // namespace

std::span<const OpSpec> QueueOps() { return kQueueOps; }

}  // namespace berth
