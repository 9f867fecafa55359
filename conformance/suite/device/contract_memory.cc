// Contract cases of device memory.
#include <algorithm>
#include <cstdint>

#include "conformance/suite/device/contract.h"

namespace berth::conformance {
namespace {

constexpr uint64_t kSizes[] = {1, 3, 63, 64, 65, 1000, 4096, 65537, 1 << 20};

berth_memory_stats Statistics(const Subject& subject) {
  berth_memory_stats stats = {};
  stats.struct_size = sizeof(stats);
  subject.api().memory_stats(subject.device(), &stats);
  return stats;
}

Result<Finding> Alignment(const Subject& subject) {
  const uint64_t alignment = subject.desc().base_alignment;
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    return Finding{fault::kContract,
                   "base_alignment " + std::to_string(alignment) + " is no power of two"};
  }
  std::vector<Memory> kept;
  for (const uint64_t size : kSizes) {
    BERTH_ASSIGN_OR_RETURN(Memory memory, Memory::Make(subject, size));
    const auto address = reinterpret_cast<uintptr_t>(memory.address());
    if (address % alignment != 0) {
      return Finding{fault::kContract, "an allocation of " + std::to_string(size) +
                                           " bytes is not aligned to base_alignment " +
                                           std::to_string(alignment)};
    }
    if (subject.is_host() && address == 0) {
      return Finding{fault::kContract,
                     "the device says IS_HOST and its memory has no host address"};
    }
    kept.push_back(std::move(memory));
  }
  return Finding{};
}

// Many allocations, each with a pattern of its own, all alive: none overlaps another.
Result<Finding> Distinct(const Subject& subject) {
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, Stream::Make(subject));
  std::vector<Memory> memories;
  for (int round = 0; round < 4; ++round) {
    for (const uint64_t size : kSizes) {
      BERTH_ASSIGN_OR_RETURN(Memory memory, Memory::Make(subject, size));
      BERTH_RETURN_IF_ERROR(
          memory.Write(*stream, Pattern(size, static_cast<unsigned>(memories.size()))));
      memories.push_back(std::move(memory));
    }
  }
  for (size_t i = 0; i < memories.size(); ++i) {
    std::vector<char> now(memories[i].size());
    BERTH_RETURN_IF_ERROR(memories[i].Read(*stream, &now));
    if (now != Pattern(now.size(), static_cast<unsigned>(i))) {
      return Finding{fault::kContract,
                     "two allocations that are alive share memory: number " +
                         std::to_string(i) + " lost what was written to it"};
    }
  }
  return Finding{};
}

Result<Finding> StatisticsAreTrue(const Subject& subject) {
  if (subject.api().memory_stats == nullptr) {
    return Unimplemented("memory_stats is optional and absent");
  }
  const berth_memory_stats before = Statistics(subject);
  {
    BERTH_ASSIGN_OR_RETURN(const Memory memory, Memory::Make(subject, 1 << 20));
    const berth_memory_stats during = Statistics(subject);
    if (during.bytes_in_use == 0 && during.peak_bytes_in_use == 0 &&
        during.num_allocations == 0) {
      return Unimplemented("memory_stats knows nothing: all is zero");
    }
    if (during.bytes_in_use < before.bytes_in_use + (1 << 20) ||
        during.num_allocations != before.num_allocations + 1 ||
        during.peak_bytes_in_use < during.bytes_in_use) {
      return Finding{fault::kContract,
                     "with 1 MiB more, bytes_in_use went from " +
                         std::to_string(before.bytes_in_use) + " to " +
                         std::to_string(during.bytes_in_use) + ", num_allocations from " +
                         std::to_string(before.num_allocations) + " to " +
                         std::to_string(during.num_allocations) + ", the peak is " +
                         std::to_string(during.peak_bytes_in_use)};
    }
  }
  const berth_memory_stats after = Statistics(subject);
  if (after.bytes_in_use != before.bytes_in_use ||
      after.num_allocations != before.num_allocations) {
    return Finding{fault::kLeak, "after free, bytes_in_use is " +
                                     std::to_string(after.bytes_in_use) + " instead of " +
                                     std::to_string(before.bytes_in_use)};
  }
  return Finding{};
}

// More than there can be is refused with RESOURCE_EXHAUSTED, and what follows works.
Result<Finding> Exhaustion(const Subject& subject) {
  for (const uint64_t size : {uint64_t{1} << 62, UINT64_MAX - 4096, UINT64_MAX}) {
    const Result<Memory> memory = Memory::Make(subject, size);
    const Code code = memory.ok() ? Code::kOk : memory.status().code();
    if (code != Code::kResourceExhausted && code != Code::kInvalidArgument) {
      return Finding{fault::kContract,
                     "allocate of " + std::to_string(size) +
                         " bytes should be RESOURCE_EXHAUSTED and is " +
                         (memory.ok() ? "OK" : memory.status().ToString())};
    }
    if (memory.status().message().empty()) {
      return Finding{fault::kContract, "allocate fails without a message"};
    }
  }
  BERTH_RETURN_IF_ERROR(Memory::Make(subject, 4096).status());
  return Finding{};
}

// Many small ones, freed out of order, again and again.
Result<Finding> Churn(const Subject& subject) {
  std::vector<Memory> kept;
  uint32_t state = 7;
  for (int i = 0; i < 500; ++i) {
    state = state * 1664525U + 1013904223U;
    if (kept.size() > 20) {
      const size_t victim = (state >> 8) % kept.size();
      std::swap(kept[victim], kept.back());
      kept.pop_back();
    }
    BERTH_ASSIGN_OR_RETURN(Memory memory,
                           Memory::Make(subject, 1 + (state >> 16) % 5000));
    kept.push_back(std::move(memory));
  }
  return Finding{};
}

Result<Finding> KindHasAddress(const Subject& subject, berth_memory_kind kind) {
  const Result<Memory> memory = Memory::Make(subject, 1000, kind);
  if (!memory.ok() && memory.status().code() == Code::kUnimplemented) {
    return Unimplemented("the device has no memory of this kind: " +
                         std::string(memory.status().message()));
  }
  BERTH_RETURN_IF_ERROR(memory.status());
  if (memory->address() == nullptr) {
    return Finding{fault::kContract, "memory of this kind must have a host address"};
  }
  std::fill_n(memory->address(), 1000, 'x');
  return Finding{};
}

}  // namespace

void AddMemoryCases(const std::shared_ptr<SubjectHolder>& holder,
                    std::vector<Case>* cases) {
  const auto add = [&](const char* name, ContractCheck check,
                       Tier tier = Tier::kMandatory) {
    cases->push_back(
        ContractCase(holder, std::string("memory/") + name, std::move(check), tier));
  };
  add("alignment", Alignment);
  add("distinct", Distinct);
  add("statistics", StatisticsAreTrue, Tier::kOptional);
  add("exhaustion", Exhaustion);
  add("churn", Churn);
  add(
      "pinned",
      [](const Subject& subject) { return KindHasAddress(subject, BERTH_MEMORY_PINNED); },
      Tier::kOptional);
  add(
      "host-visible",
      [](const Subject& subject) {
        return KindHasAddress(subject, BERTH_MEMORY_HOST_VISIBLE);
      },
      Tier::kOptional);
}

}  // namespace berth::conformance
