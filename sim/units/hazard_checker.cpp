// SPDX-License-Identifier: Apache-2.0
#include "sim/units/hazard_checker.hpp"

#include "hw/base/error.hpp"
#include "sim/units/self_overlap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vernier::units {

namespace {

using package::Range;
using package::Storage;

base::Address address_of(Storage storage, int64_t offset) {
  return {storage == Storage::Sram ? base::MemorySpace::Sram : base::MemorySpace::External, static_cast<uint64_t>(offset)};
}

/// The pair that conflicts, for the message; within a queue only read-after-write does.
std::string describe_conflict(const std::vector<Range>& earlier, const std::vector<Range>& later, bool is_same_queue) {
  for (const Range& first : earlier) {
    for (const Range& second : later) {
      const bool is_pair = is_same_queue ? first.is_write && !second.is_write : first.is_write || second.is_write;
      if (is_pair && package::overlaps(first, second)) {
        return fmt::format("{} its {}, which overlaps the {} that {}", second.is_write ? "writes" : "reads", second.what,
                           first.what, first.is_write ? "is written by" : "is read by");
      }
    }
  }
  return "conflicts with";
}

}  // namespace

HazardChecker::HazardChecker(const sc_core::sc_module_name& name, kit::JobClock& clock, const spec::Datapath& datapath)
    : kit::Module(name, clock), datapath_(datapath) {}

mem::MemoryIf* HazardChecker::memory_of(Storage storage) {
  if (storage == Storage::Sram) return sram_port.operator->();
  if (storage == Storage::External) return external_port.operator->();
  return nullptr;
}

std::optional<CommandFault> HazardChecker::check_bounds(const IssuedCommand& command) {
  ranges_ = package::ranges_of(command.command, datapath_);
  for (const Range& range : ranges_) {
    const mem::MemoryIf* memory = memory_of(range.storage);
    if (memory == nullptr) continue;
    const int64_t size = memory->storage().size_bytes();
    const std::string_view name = range.storage == Storage::Sram ? "sram" : "external memory";
    if (std::string why = package::why_outside(range, name, size); !why.empty())
      return CommandFault{spec::FaultCode::AddressOutOfRange, std::move(why), address_of(range.storage, range.base)};
    if (range.is_write && range.base < memory->first_writable())
      return CommandFault{spec::FaultCode::WriteProtected,
                          fmt::format("{} is bytes {} to {} of {}, of which the first {} may only be read", range.what,
                                      range.base, range.end() - 1, name, memory->first_writable()),
                          address_of(range.storage, range.base)};
  }
  return std::nullopt;
}

std::optional<CommandFault> HazardChecker::enter(const IssuedCommand& command) {
  VERNIER_CHECK(command.command.header.queue < static_cast<spec::Queue>(spec::kNumQueues), "a command without a queue");
  if (auto fault = check_conflicts(command, ranges_)) return fault;
  if (auto fault = check_read(ranges_)) return fault;
  in_flight_.push_back({command.command_idx, command.command.header.queue, std::move(ranges_)});
  return std::nullopt;
}

std::optional<CommandFault> HazardChecker::check_conflicts(const IssuedCommand& command,
                                                           const std::vector<Range>& ranges) const {
  for (const Entry& other : in_flight_) {
    const package::Conflict conflict = package::conflict_between(other.ranges, ranges);
    const bool is_same_queue = other.queue == command.command.header.queue;
    if (is_same_queue ? !conflict.read_after_write : !conflict.any()) continue;
    return CommandFault{spec::FaultCode::Hazard,
                        fmt::format("{} {}, in flight", describe_conflict(other.ranges, ranges, is_same_queue),
                                    log_port->describe(other.command_idx))};
  }
  if (const auto overlap = find_self_overlap(command.command, ranges))
    return CommandFault{spec::FaultCode::Hazard, *overlap};
  return std::nullopt;
}

std::optional<CommandFault> HazardChecker::check_read(const std::vector<Range>& ranges) {
  std::optional<CommandFault> fault;
  for (const Range& range : ranges) {
    mem::MemoryIf* memory = memory_of(range.storage);
    if (range.is_write || memory == nullptr) continue;
    const mem::StorageView storage = memory->storage();
    package::for_each_run(range, [&](int64_t offset, int64_t bytes) {
      if (fault) return;
      if (const auto wrong = memory->find_parity_error(offset, bytes)) {
        const base::Address at = address_of(range.storage, *wrong);
        fault = CommandFault{spec::FaultCode::ParityError, fmt::format("{} reads {}, whose parity is wrong", range.what, at),
                             at};
        return;
      }
      if (const auto unwritten = storage.first_unwritten(offset, bytes)) {
        const base::Address at = address_of(range.storage, *unwritten);
        fault = CommandFault{spec::FaultCode::UninitialisedRead,
                             fmt::format("{} reads {}, which nobody has written", range.what, at), at};
      }
    });
    if (fault) return fault;
  }
  return std::nullopt;
}

void HazardChecker::mark_written(int32_t command_idx) {
  for (const Range& range : entry_of(command_idx)->ranges) {
    mem::MemoryIf* memory = memory_of(range.storage);
    if (!range.is_write || memory == nullptr) continue;
    package::for_each_run(range, [&](int64_t offset, int64_t bytes) { memory->mark_written(offset, bytes); });
  }
}

void HazardChecker::leave(int32_t command_idx) { in_flight_.erase(entry_of(command_idx)); }

std::vector<HazardChecker::Entry>::iterator HazardChecker::entry_of(int32_t command_idx) {
  const auto entry =
      std::find_if(in_flight_.begin(), in_flight_.end(), [&](const Entry& e) { return e.command_idx == command_idx; });
  VERNIER_CHECK(entry != in_flight_.end(), "command {} is not in flight", command_idx);
  return entry;
}

}  // namespace vernier::units
