// SPDX-License-Identifier: Apache-2.0
// Where a CPU is to stop: breakpoints and watchpoints, kept here and not in the program's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace vernier::gdb {

/// The types of the packets Z and z. Both kinds of breakpoint are the same here.
enum class StopPoint : uint32_t { SoftwareBreakpoint = 0, HardwareBreakpoint = 1, Write = 2, Read = 3, Access = 4 };

constexpr bool is_watchpoint(StopPoint type) { return type >= StopPoint::Write; }

/// A load or store.
struct MemoryAccess {
  uint32_t address = 0, num_bytes = 0;
  bool is_write = false;
};

class Breakpoints {
 public:
  static constexpr size_t kMost = 1024;

  struct Entry {
    StopPoint type = StopPoint::SoftwareBreakpoint;
    uint32_t address = 0;
    uint32_t num_bytes = 0;  // of a watchpoint, which covers [address, address + num_bytes)
    bool operator==(const Entry&) const = default;
  };

  /// An entry that is there already stays as it is. False: there are kMost.
  bool insert(const Entry& entry);
  /// Nothing happens where it is not there.
  void remove(const Entry& entry);
  void clear() { entries_.clear(); }

  /// Whether the instruction there has a breakpoint.
  [[nodiscard]] bool has(uint32_t pc) const;
  [[nodiscard]] bool has_watchpoints() const;
  /// The first watchpoint that an access meets: an access of its kind to one of its bytes.
  [[nodiscard]] std::optional<Entry> met_by(const MemoryAccess& access) const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace vernier::gdb
