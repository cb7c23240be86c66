// SPDX-License-Identifier: Apache-2.0
// One of the two memories as a module: the SRAM (8 single-port banks) or the external memory.
//
// Contract: datapaths that read whole operands use MemoryIf; copies go through the TLM-2.0 socket. An address outside gives
// TLM_ADDRESS_ERROR_RESPONSE. Values move in zero time.
// Timing: none here. Ports, bursts and latency are demands of a command's phases (hw/timing), served by the in-flight
// arbiter. Not modelled: refresh, open rows of external memory (D-013), ECC (D-020), banks between commands (D-005).
#pragma once

#include "sim/kit/module.hpp"
#include "sim/mem/storage.hpp"

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <optional>
#include <span>

namespace vernier::mem {

class MemoryIf : public virtual sc_core::sc_interface {
 public:
  [[nodiscard]] virtual const Storage& storage() const = 0;
  virtual void write(int64_t offset, std::span<const std::byte> bytes) = 0;
  /// For jobs without values: the bytes count as written.
  virtual void mark_written(int64_t offset, int64_t num_bytes) = 0;
};

class Memory : public kit::Module, public MemoryIf {
 public:
  Memory(const sc_core::sc_module_name& name, kit::JobClock& clock, int64_t size_bytes);
  tlm_utils::multi_passthrough_target_socket<Memory> access_target{"access_target"};  // any number of initiators

  void reset() override { storage_.reset(); }
  [[nodiscard]] const Storage& storage() const override { return storage_; }
  void write(int64_t offset, std::span<const std::byte> bytes) override { storage_.write(offset, bytes); }
  void mark_written(int64_t offset, int64_t num_bytes) override { storage_.mark_written(offset, num_bytes); }

 private:
  void b_transport(int initiator_id, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  Storage storage_;
};

}  // namespace vernier::mem
