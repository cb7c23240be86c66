// SPDX-License-Identifier: Apache-2.0
#include "sim/gdb/breakpoints.hpp"

#include <algorithm>

namespace vernier::gdb {

bool Breakpoints::insert(const Entry& entry) {
  if (std::find(entries_.begin(), entries_.end(), entry) != entries_.end()) return true;
  if (entries_.size() == kMost) return false;
  entries_.push_back(entry);
  return true;
}

void Breakpoints::remove(const Entry& entry) { std::erase(entries_, entry); }

bool Breakpoints::has(uint32_t pc) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [pc](const Entry& one) { return !is_watchpoint(one.type) && one.address == pc; });
}

bool Breakpoints::has_watchpoints() const {
  return std::any_of(entries_.begin(), entries_.end(), [](const Entry& one) { return is_watchpoint(one.type); });
}

std::optional<Breakpoints::Entry> Breakpoints::met_by(const MemoryAccess& access) const {
  for (const Entry& one : entries_) {
    if (!is_watchpoint(one.type) || one.type == (access.is_write ? StopPoint::Read : StopPoint::Write)) continue;
    const uint64_t end = uint64_t{one.address} + one.num_bytes, access_end = uint64_t{access.address} + access.num_bytes;
    if (access.address < end && one.address < access_end) return one;
  }
  return std::nullopt;
}

}  // namespace vernier::gdb
