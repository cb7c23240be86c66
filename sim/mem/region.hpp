// SPDX-License-Identifier: Apache-2.0
// The part of a memory that the running job has: the NPU's units reach the memory through it, and their addresses count from
// its first byte.
//
// Contract: after reset() it is all of the memory, to be read and written. place() gives it another extent. What lies
// outside does not exist for who goes through it: storage() ends there, and a transaction gets an address error. Bytes
// before first_writable() may only be read, which the hazard checker looks at before a command starts. Timing: none; adding
// a base takes no cycle, since the first register of an address generator holds the sum.
#pragma once

#include "sim/mem/memory.hpp"

namespace vernier::mem {

/// A part of a memory.
struct RegionExtent {
  int64_t base = 0, size_bytes = 0;
  int64_t read_only_bytes = 0;  // from the base on
  bool operator==(const RegionExtent&) const = default;
};

/// A memory through an extent of it.
class Window : public MemoryIf {
 public:
  /// Precondition: the extent lies in the memory.
  Window(Memory& memory, const RegionExtent& extent) : memory_(memory), extent_(extent) {}
  /// All of it.
  explicit Window(Memory& memory) : Window(memory, {0, memory.whole().size_bytes(), 0}) {}

  [[nodiscard]] const RegionExtent& extent() const { return extent_; }
  [[nodiscard]] StorageView storage() const override { return {memory_.whole(), extent_.base, extent_.size_bytes}; }
  void write(int64_t offset, std::span<const std::byte> bytes) override;
  void mark_written(int64_t offset, int64_t num_bytes) override;
  void forget(int64_t offset, int64_t num_bytes) override { memory_.forget(extent_.base + offset, num_bytes); }
  void flip(int64_t offset, int bit) override { memory_.flip(extent_.base + offset, bit); }
  std::optional<int64_t> find_parity_error(int64_t offset, int64_t num_bytes) override;
  [[nodiscard]] int64_t first_writable() const override { return extent_.read_only_bytes; }

 protected:
  Memory& memory_;
  RegionExtent extent_;
  int64_t peak_bytes_ = 0;  // one past the highest byte that was written through it
};

class Region : public kit::Module, public Window {
 public:
  Region(const sc_core::sc_module_name& name, kit::JobClock& clock, Memory& memory);
  tlm_utils::multi_passthrough_target_socket<Region> access_target{"access_target"};  // any number of initiators

  void reset() override;
  /// An extent that leaves the memory, or whose base is no multiple of `alignment_bytes`, is one of no bytes: nothing can be
  /// reached through it.
  void place(const RegionExtent& extent, int64_t alignment_bytes);
  /// One past the highest byte that was written through it since reset() or begin_peak().
  [[nodiscard]] int64_t peak_bytes() const { return peak_bytes_; }
  void begin_peak() { peak_bytes_ = 0; }

 private:
  void b_transport(int initiator_id, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
};

}  // namespace vernier::mem
