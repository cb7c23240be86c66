// SPDX-License-Identifier: Apache-2.0
// One of the two memories as a module: the SRAM (8 single-port banks) or the external memory.
//
// Contract: datapaths that read whole operands use MemoryIf; copies go through the TLM-2.0 socket. An address outside gives
// TLM_ADDRESS_ERROR_RESPONSE. Values move in zero time.
// Timing: none here. Ports, bursts and latency are demands of a command's phases (hw/timing), served by the in-flight
// arbiter. Parity takes no time (kParityCycles). Not modelled: refresh, open rows of external memory (D-013), codes that
// mend a bit (D-020), banks between commands (D-005).
#pragma once

#include "sim/kit/module.hpp"
#include "sim/mem/storage.hpp"

#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <optional>
#include <span>

namespace vernier::mem {

class MemoryIf : public virtual sc_core::sc_interface {
 public:
  [[nodiscard]] virtual StorageView storage() const = 0;
  /// Precondition of all: storage().contains(offset, number of bytes).
  virtual void write(int64_t offset, std::span<const std::byte> bytes) = 0;
  /// For jobs without values: the bytes count as written.
  virtual void mark_written(int64_t offset, int64_t num_bytes) = 0;
  /// They count as unwritten.
  virtual void forget(int64_t offset, int64_t num_bytes) = 0;
  /// A bit of a byte changes, as a fault in the memory does it.
  virtual void flip(int64_t offset, int bit) = 0;
  /// Somebody reads these bytes: the first whose parity bit does not fit it, which counts as an error. None where the memory
  /// has no parity bits.
  virtual std::optional<int64_t> find_parity_error(int64_t offset, int64_t num_bytes) = 0;
  /// Of the first byte that the NPU may write; those before it may only be read.
  [[nodiscard]] virtual int64_t first_writable() const { return 0; }
};

/// Serves a TLM-2.0 transaction from a memory: an address outside gives an address error, a read that finds a parity error a
/// generic one.
void serve(MemoryIf& memory, tlm::tlm_generic_payload& transaction);

class Memory : public kit::Module, public MemoryIf {
 public:
  Memory(const sc_core::sc_module_name& name, kit::JobClock& clock, int64_t size_bytes);
  /// Any number of initiators, or none.
  tlm_utils::multi_passthrough_target_socket<Memory, 32, tlm::tlm_base_protocol_types, 0, sc_core::SC_ZERO_OR_MORE_BOUND>
      access_target{"access_target"};

  void reset() override { storage_.reset(); }
  /// As Storage::rest().
  void rest() { storage_.rest(); }
  [[nodiscard]] const Storage& whole() const { return storage_; }
  [[nodiscard]] StorageView storage() const override { return StorageView(storage_); }
  void write(int64_t offset, std::span<const std::byte> bytes) override { storage_.write(offset, bytes); }
  void mark_written(int64_t offset, int64_t num_bytes) override { storage_.mark_written(offset, num_bytes); }
  void forget(int64_t offset, int64_t num_bytes) override { storage_.forget(offset, num_bytes); }
  void flip(int64_t offset, int bit) override { storage_.flip(offset, bit); }
  std::optional<int64_t> find_parity_error(int64_t offset, int64_t num_bytes) override;

  /// Whether each byte has a parity bit.
  void protect(bool has_parity) { has_parity_ = has_parity; }
  /// Reads that have found one since clear_parity_errors().
  [[nodiscard]] int64_t num_parity_errors() const { return num_parity_errors_; }
  void clear_parity_errors() { num_parity_errors_ = 0; }

 private:
  void b_transport(int initiator_id, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  Storage storage_;
  bool has_parity_ = false;
  int64_t num_parity_errors_ = 0;
};

}  // namespace vernier::mem
