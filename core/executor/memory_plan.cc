#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/executor/program.h"

namespace berth::executor {
namespace {

// The arena of one space: blocks that grow up to a limit, best fit among what is free.
class Arena {
 public:
  explicit Arena(const ArenaLimits& limits) : limits_(limits) {}

  // False when no block may be that large.
  bool Allocate(uint64_t size, int32_t* block, uint64_t* offset) {
    const auto it = by_size_.lower_bound({size, 0, 0});
    if (it != by_size_.end()) {
      const auto [free_size, free_block, free_offset] = *it;
      Erase(free_block, free_offset, free_size);
      if (free_size > size) Insert(free_block, free_offset + size, free_size - size);
      *block = free_block;
      *offset = free_offset;
      return true;
    }
    if (limits_.largest_block != 0 && size > limits_.largest_block) return false;
    if (sizes_.empty() || !Grow(size, offset)) {
      sizes_.push_back(size);
      free_.emplace_back();
      *offset = 0;
    }
    *block = static_cast<int32_t>(sizes_.size()) - 1;
    return true;
  }

  void Free(int32_t block, uint64_t offset, uint64_t size) {
    std::map<uint64_t, uint64_t>& free = free_[static_cast<size_t>(block)];
    const auto next = free.lower_bound(offset);
    uint64_t begin = offset;
    uint64_t end = offset + size;
    if (next != free.begin()) {
      const auto previous = std::prev(next);
      if (previous->first + previous->second == offset) begin = previous->first;
    }
    if (next != free.end() && next->first == end) end += next->second;
    if (begin < offset) Erase(block, begin, offset - begin);
    if (end > offset + size) Erase(block, offset + size, end - offset - size);
    Insert(block, begin, end - begin);
  }

  const std::vector<uint64_t>& sizes() const { return sizes_; }

 private:
  // Makes the last block longer, from its free tail on.
  bool Grow(uint64_t size, uint64_t* offset) {
    const auto block = static_cast<int32_t>(sizes_.size()) - 1;
    uint64_t start = sizes_.back();
    std::map<uint64_t, uint64_t>& free = free_.back();
    if (!free.empty()) {
      const auto last = std::prev(free.end());
      if (last->first + last->second == start) start = last->first;
    }
    if (limits_.largest_block != 0 && start + size > limits_.largest_block) return false;
    if (start < sizes_.back()) Erase(block, start, sizes_.back() - start);
    sizes_.back() = start + size;
    *offset = start;
    return true;
  }

  void Insert(int32_t block, uint64_t offset, uint64_t size) {
    free_[static_cast<size_t>(block)].emplace(offset, size);
    by_size_.insert({size, block, offset});
  }
  void Erase(int32_t block, uint64_t offset, uint64_t size) {
    free_[static_cast<size_t>(block)].erase(offset);
    by_size_.erase({size, block, offset});
  }

  ArenaLimits limits_;
  std::vector<uint64_t> sizes_;
  std::vector<std::map<uint64_t, uint64_t>> free_;  // by block: offset -> size
  std::set<std::tuple<uint64_t, int32_t, uint64_t>> by_size_;
};

class MemoryPlanner {
 public:
  MemoryPlanner(const Plan& plan, std::span<const ArenaLimits> limits, Program* program)
      : plan_(plan), limits_(limits), program_(*program) {
    for (const ArenaLimits& limit : limits) arenas_.emplace_back(limit);
  }

  Status Run(std::vector<std::vector<uint64_t>>* block_sizes) {
    CountUses();
    held_back_.resize(static_cast<size_t>(plan_.env.devices->size()));
    for (const Item& item : program_.items) BERTH_RETURN_IF_ERROR(Place(item));
    for (const Arena& arena : arenas_) block_sizes->push_back(arena.sizes());
    return OkStatus();
  }

 private:
  void CountUses() {
    uses_.assign(program_.storages.size(), 0);
    freed_.assign(program_.storages.size(), false);
    for (const Item& item : program_.items) {
      for (const int32_t view : program_.InputsOf(item)) {
        ++uses_[program_.views[view].storage];
      }
    }
    for (const FetchSource& fetch : program_.fetches) {
      ++uses_[program_.views[fetch.view].storage];
    }
  }

  bool IsArena(int32_t storage) const {
    return program_.storages[storage].kind == Storage::kArena;
  }

  // Device work that reads host memory has not read it before the host waited for it.
  bool ReadsLate(const Item& item, int32_t storage) const {
    return item.device >= 0 && plan_.env.devices->at(item.device).is_async &&
           program_.storages[storage].space == kHostSpace;
  }

  Status Place(const Item& item) {
    if (item.kind == ItemKind::kWait) {
      std::vector<int32_t> storages;
      storages.swap(held_back_[static_cast<size_t>(item.device)]);
      for (const int32_t storage : storages) Drop(storage);
      return OkStatus();
    }
    const auto outputs = program_.OutputsOf(item);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const int32_t storage = program_.views[outputs[i]].storage;
      if (!IsNew(storage)) continue;
      if (TakeOver(item, static_cast<int32_t>(i), storage)) continue;
      if (IsArena(storage)) BERTH_RETURN_IF_ERROR(Allocate(item, storage));
    }
    int32_t scratch = -1;
    if (item.scratch >= 0) {
      scratch = program_.views[item.scratch].storage;
      BERTH_RETURN_IF_ERROR(Allocate(item, scratch));
    }
    for (const int32_t view : program_.InputsOf(item)) {
      const int32_t storage = program_.Root(program_.views[view].storage);
      if (ReadsLate(item, storage)) {
        held_back_[static_cast<size_t>(item.device)].push_back(storage);
      } else {
        Drop(storage);
      }
    }
    // Outputs that nobody reads.
    for (const int32_t view : outputs) {
      const int32_t storage = program_.Root(program_.views[view].storage);
      if (uses_[storage] == 0) FreeNow(storage);
    }
    if (scratch >= 0) FreeNow(scratch);
    return OkStatus();
  }

  // An output of a rename (kReshape, kRebind) lies in memory that is there already.
  bool IsNew(int32_t storage) const {
    const Storage& s = program_.storages[storage];
    return s.same_as < 0 && s.block < 0 &&
           (s.kind == Storage::kArena || s.kind == Storage::kFetch);
  }

  // Lets the output lie in the memory of an input that nobody reads later.
  bool TakeOver(const Item& item, int32_t output, int32_t storage) {
    if (item.kind != ItemKind::kKernel && item.kind != ItemKind::kAsyncKernel) {
      return false;
    }
    const berth_kernel_def& def = item.kernel->def();
    const auto inputs = program_.InputsOf(item);
    Storage& out = program_.storages[storage];
    for (uint32_t k = 0; k < def.num_inplace_pairs; ++k) {
      const berth_inplace_pair& pair = def.inplace_pairs[k];
      if (pair.output != output || pair.input < 0 ||
          pair.input >= static_cast<int32_t>(inputs.size()) ||
          (k < 64 && (item.inplace_refused >> k & 1) != 0)) {
        continue;
      }
      const int32_t input =
          program_.Root(program_.views[inputs[static_cast<size_t>(pair.input)]].storage);
      Storage& in = program_.storages[input];
      if (in.kind != Storage::kArena || in.space != out.space || in.size != out.size ||
          uses_[input] != 1 || ReadsLate(item, input)) {
        continue;
      }
      // The input's memory goes on as the output's; the drop of this use is to come.
      in.kind = out.kind;
      in.index = out.index;
      if (in.kind == Storage::kFetch && in.block >= 0) {
        arenas_[static_cast<size_t>(in.space)].Free(in.block, in.offset, Rounded(in));
        in.block = -1;
      }
      out.same_as = input;
      uses_[input] += uses_[storage];
      return true;
    }
    return false;
  }

  uint64_t Rounded(const Storage& storage) const {
    const uint64_t alignment =
        std::max<uint64_t>(limits_[static_cast<size_t>(storage.space)].alignment, 1);
    const uint64_t size = (storage.size + alignment - 1) / alignment * alignment;
    return std::max(size, alignment);
  }

  Status Allocate(const Item& item, int32_t index) {
    Storage& storage = program_.storages[index];
    if (storage.size > std::numeric_limits<int64_t>::max() / 2) {
      return ResourceExhausted("a tensor of " + std::to_string(storage.size) + " bytes");
    }
    if (!arenas_[static_cast<size_t>(storage.space)].Allocate(
            Rounded(storage), &storage.block, &storage.offset)) {
      const ArenaLimits& limits = limits_[static_cast<size_t>(storage.space)];
      const Status status = ResourceExhausted(
          "a tensor of " + std::to_string(storage.size) +
          " bytes does not fit into one allocation of the device (at most " +
          std::to_string(limits.largest_block) + " bytes); make the batch smaller");
      if (item.kernel != nullptr) return item.kernel->Located(status);
      if (item.node < 0) return status;
      const PlanNode& node = plan_.nodes[item.node];
      return WithNode(status, *node.node, &plan_.DeviceOf(node));
    }
    return OkStatus();
  }

  void Drop(int32_t storage) {
    storage = program_.Root(storage);
    if (--uses_[storage] == 0) FreeNow(storage);
  }

  void FreeNow(int32_t index) {
    const Storage& storage = program_.storages[index];
    if (storage.kind != Storage::kArena || storage.block < 0 || freed_[index]) return;
    freed_[index] = true;
    arenas_[static_cast<size_t>(storage.space)].Free(storage.block, storage.offset,
                                                     Rounded(storage));
  }

  const Plan& plan_;
  std::span<const ArenaLimits> limits_;
  Program& program_;
  std::vector<Arena> arenas_;  // by space
  std::vector<int32_t> uses_;  // by storage: readers to come
  std::vector<bool> freed_;    // by storage
  // By device: host storages that its work still reads.
  std::vector<std::vector<int32_t>> held_back_;
};

}  // namespace

Status PlanMemory(const Plan& plan, std::span<const ArenaLimits> limits, Program* program,
                  std::vector<std::vector<uint64_t>>* block_sizes) {
  return MemoryPlanner(plan, limits, program).Run(block_sizes);
}

}  // namespace berth::executor
