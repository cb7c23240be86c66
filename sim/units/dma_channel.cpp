// SPDX-License-Identifier: Apache-2.0
#include "sim/units/dma_channel.hpp"

#include "hw/base/error.hpp"
#include "sim/units/copy_walk.hpp"
#include "sim/units/corner_turner.hpp"
#include "sim/units/indexed_runs.hpp"

namespace vernier::units {

namespace {
const spec::DmaCommand& dma_of(const spec::Command& command) { return std::get<spec::DmaCommand>(command.body); }
}  // namespace

DmaChannel::DmaChannel(const sc_core::sc_module_name& name, kit::JobClock& clock, const config::MachineConfig& config,
                       const UnitRole& role, DueEvent& bus_error)
    : QueuedUnit(name, clock, config, role), bus_error_(bus_error) {}

timing::Profile DmaChannel::profile(const spec::Command& command) { return timing::profile(dma_of(command), config()); }

std::optional<CommandFault> DmaChannel::check_state(const spec::Command& command) {
  const spec::DmaCommand& dma = dma_of(command);
  const auto is_outside = [](const base::Address& address) { return address.space == base::MemorySpace::External; };
  const bool reads = dma.kind != spec::DmaKind::Fill && is_outside(dma.src.base);
  const bool writes = dma.kind != spec::DmaKind::TableFill && is_outside(dma.dst.base);
  if (!reads && !writes) return std::nullopt;
  if (!bus_error_.happens(now())) return std::nullopt;
  return CommandFault{spec::FaultCode::BusError, "the external memory answered its first transfer with an error",
                      reads ? dma.src.base : dma.dst.base};
}

void DmaChannel::sample(Running& running) {
  running.sampled.clear();
  if (!running.has_values) return;
  const spec::DmaCommand& command = dma_of(running.issued.command);
  if (has_indices(command)) return sample_indexed(running, command);
  const bool is_transpose = command.kind == spec::DmaKind::Transpose;
  const CopyWalk walk(is_transpose ? source_rows(command) : command);
  const auto run_bytes = static_cast<size_t>(walk.run_bytes());
  if (command.kind == spec::DmaKind::Fill) {
    running.sampled.resize(run_bytes);  // every run gets the same
    const auto period = static_cast<size_t>(command.fill_bytes);
    for (size_t i = 0; i < run_bytes; ++i) {
      running.sampled[i] = static_cast<std::byte>(static_cast<uint64_t>(command.fill_value) >> (i % period * 8) & 0xFFU);
    }
    return;
  }
  running.sampled.resize(run_bytes * static_cast<size_t>(walk.num_runs()));
  size_t position = 0;
  walk.for_each([&](int64_t src, int64_t) {
    transfer(tlm::TLM_READ_COMMAND, command.src.base.space, src, std::span(running.sampled).subspan(position, run_bytes));
    position += run_bytes;
  });
  if (is_transpose) running.sampled = turn_corners(command, running.sampled);
}

void DmaChannel::commit(Running& running) {
  const spec::DmaCommand& command = dma_of(running.issued.command);
  if (command.kind == spec::DmaKind::TableFill) {
    return table_port->fill(command.table_slot, command.table_type, running.sampled);
  }
  if (!running.has_values) return;
  if (has_indices(command)) return commit_indexed(running, command);
  const CopyWalk walk(command.kind == spec::DmaKind::Transpose ? destination_columns(command) : command);
  const auto run_bytes = static_cast<size_t>(walk.run_bytes());
  const size_t step = command.kind == spec::DmaKind::Fill ? 0 : run_bytes;
  size_t position = 0;
  walk.for_each([&](int64_t, int64_t dst) {
    transfer(tlm::TLM_WRITE_COMMAND, command.dst.base.space, dst, std::span(running.sampled).subspan(position, run_bytes));
    position += step;
  });
}

// What is sampled: the index list, then the runs.

void DmaChannel::sample_indexed(Running& running, const spec::DmaCommand& command) {
  const auto list_bytes = static_cast<size_t>(index_list_bytes(command));
  const auto run_bytes = static_cast<size_t>(command.run_bytes);
  running.sampled.resize(list_bytes);
  transfer(tlm::TLM_READ_COMMAND, base::MemorySpace::Sram, command.index_base, running.sampled);
  const std::vector<IndexedRun> runs = indexed_runs(command, running.sampled);
  running.sampled.resize(list_bytes + runs.size() * run_bytes);
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].src == IndexedRun::kNowhere) continue;  // zeros
    transfer(tlm::TLM_READ_COMMAND, command.src.base.space, runs[i].src,
             std::span(running.sampled).subspan(list_bytes + i * run_bytes, run_bytes));
  }
}

void DmaChannel::commit_indexed(Running& running, const spec::DmaCommand& command) {
  const std::span<std::byte> sampled(running.sampled);
  const auto list_bytes = static_cast<size_t>(index_list_bytes(command));
  const auto run_bytes = static_cast<size_t>(command.run_bytes);
  const std::vector<IndexedRun> runs = indexed_runs(command, sampled.first(list_bytes));
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].dst == IndexedRun::kNowhere) continue;
    transfer(tlm::TLM_WRITE_COMMAND, command.dst.base.space, runs[i].dst,
             sampled.subspan(list_bytes + i * run_bytes, run_bytes));
  }
}

void DmaChannel::transfer(tlm::tlm_command direction, base::MemorySpace space, int64_t offset, std::span<std::byte> bytes) {
  transaction_.set_command(direction);
  transaction_.set_address(static_cast<uint64_t>(offset));
  transaction_.set_data_ptr(reinterpret_cast<unsigned char*>(bytes.data()));
  transaction_.set_data_length(static_cast<unsigned int>(bytes.size()));
  transaction_.set_streaming_width(static_cast<unsigned int>(bytes.size()));
  transaction_.set_byte_enable_ptr(nullptr);
  transaction_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  if (space == base::MemorySpace::Sram) {
    sram_initiator->b_transport(transaction_, delay);
  } else {
    external_initiator->b_transport(transaction_, delay);
  }
  VERNIER_CHECK(transaction_.is_response_ok(), "a transfer of {} bytes at {} failed after its bounds were checked",
                bytes.size(), offset);
}

}  // namespace vernier::units
