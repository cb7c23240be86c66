// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/lockstep/foreign_block.hpp"

#include "hw/base/error.hpp"
#include "sim/cosim/lockstep/array_lock_step.hpp"
#include "sim/cosim/stream/table_driver.hpp"

namespace vernier::cosim {

int64_t measured_latency(ClockedBlock& block) {
  const std::string group(block.description().results);
  block.reset();
  if (group == "look") {  // of a slot that is empty a look-up need not give anything
    kernels::TableMemory tables;
    tables[0].type = base::ElementType::Int8;
    fill_tables(block, tables);
  }
  Port valid_i = block.port(group + "_valid_i");
  const Port valid_o = block.port(group + "_valid_o");
  valid_i.set(1);
  block.settle();
  if (valid_o.get() != 0)
    throw Hang(fmt::format("{}: {}_valid_o is high before there is an operand", block.description().name, group));
  block.edge();
  valid_i.set(0);
  for (int64_t cycles = 1; cycles <= kHangCycles; ++cycles) {
    block.settle();
    const bool is_there = valid_o.get() != 0;
    if (is_there) {
      block.reset();
      return cycles;
    }
    block.edge();
  }
  throw Hang(
      fmt::format("{}: {}_valid_o did not come in {} cycles after a vector", block.description().name, group, kHangCycles));
}

void require_answer(ClockedBlock& block, const spec::Datapath& datapath) {
  ArrayLockStep lock_step(block, datapath, 1);
  Random random(1);
  std::vector<ArrayCommand> commands = draw_array_sequence(datapath, random);
  while (!commands.front().command.first || !commands.front().command.last) commands = draw_array_sequence(datapath, random);
  commands.resize(1);
  int64_t num_results = 0;
  lock_step.on_result([&](int64_t, uint64_t) { ++num_results; });
  lock_step.run_sequence(std::move(commands), ArrayPace::Ideal);
  block.reset();
  if (num_results > 0) return;
  throw Hang(fmt::format("{}: out_valid_o never came for a command of {} rows of results", block.description().name,
                         lock_step.result().vectors));
}

}  // namespace vernier::cosim
