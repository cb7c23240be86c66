// SPDX-License-Identifier: Apache-2.0
// An NPU and a host that knows nothing but its registers.
#pragma once

#include "sim/kit/simulation_context.hpp"
#include "sim/soc/npu_top.hpp"
#include "sim/soc/register_block.hpp"
#include "tests/support/stream_assembler.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

namespace vernier::soc {

/// Counts what it is told.
struct Follower : JobObserver {
  void starting(uint32_t job, const units::StreamLocation&) override { started.push_back(job); }
  void resetting() override { ++num_resets; }
  void ended() override { ++num_ends; }
  std::vector<uint32_t> started;
  int num_resets = 0, num_ends = 0;
};

/// Whether each of the first `num_bytes` of a memory is `value`, but for those of [begin, end).
inline bool is_untouched(const mem::Memory& memory, int64_t num_bytes, int64_t begin, int64_t end, std::byte value) {
  const auto bytes = memory.whole().bytes().first(static_cast<size_t>(num_bytes));
  const auto is_value = [&](std::byte byte) { return byte == value; };
  return std::all_of(bytes.begin(), bytes.begin() + begin, is_value) &&
         std::all_of(bytes.begin() + end, bytes.end(), is_value);
}

struct RegisterMachine {
  RegisterMachine() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }
  tlm::tlm_response_status access(tlm::tlm_command command, uint32_t address, uint32_t& value, unsigned length = 4) {
    tlm::tlm_generic_payload transaction;
    transaction.set_command(command);
    transaction.set_address(address);
    transaction.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    transaction.set_data_length(length);
    sc_core::sc_time delay;
    top.host_initiator->b_transport(transaction, delay);
    return transaction.get_response_status();
  }
  uint32_t read(std::string_view name) {
    uint32_t value = 0;
    REQUIRE(access(tlm::TLM_READ_COMMAND, register_offset(spec::kRegisters, name), value) == tlm::TLM_OK_RESPONSE);
    return value;
  }
  void write(std::string_view name, uint32_t value) {
    REQUIRE(access(tlm::TLM_WRITE_COMMAND, register_offset(spec::kRegisters, name), value) == tlm::TLM_OK_RESPONSE);
  }
  void set_up() {
    units::JobSetup setup;
    setup.watchdog_cycles = 1'000'000;
    top.command_log.set_up(std::move(setup));
  }
  void run(const support::StreamAssembler& assembler) {
    top.reset();
    auto stream = assembler;
    const std::vector<std::byte>& bytes = stream.package().stream;
    top.sram.write(support::kStreamBase, bytes);
    set_up();
    write("STREAM_ADDRESS", support::kStreamBase);
    write("STREAM_BYTES", static_cast<uint32_t>(bytes.size()));
    write("IRQ_ENABLE", 3);
    clock.begin();
    write("CONTROL", 1);
    CHECK(read("STATUS") == 1);
    sc_core::sc_start();
  }

  config::MachineConfig config = config::preset_config("v256", "test");
  kit::SimulationContext context;
  kit::JobClock clock;
  units::KernelDatapath datapath{config};
  NpuTop top{"npu", clock, config, datapath};
};

}  // namespace vernier::soc
