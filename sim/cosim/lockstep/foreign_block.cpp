// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/lockstep/foreign_block.hpp"

#include "hw/base/error.hpp"
#include "sim/cosim/lockstep/array_lock_step.hpp"
#include "sim/cosim/lockstep/table_fill.hpp"

namespace vernier::cosim {
namespace {

/// Offers a vector in its first cycle, and waits for the result.
class FirstResult : private Participant {
 public:
  explicit FirstResult(ClockedBlock& block)
      : block_(block),
        group_(block.description().results),
        valid_i_(block.port(group_ + "_valid_i")),
        valid_o_(block.port(group_ + "_valid_o")),
        board_(block),
        bench_(block, board_) {
    bench_.add(*this);
  }
  int64_t latency() {
    int64_t cycles = 0;
    for (is_there_ = false; !is_there_; ++cycles) {
      if (cycles > kHangCycles)
        throw Hang(fmt::format("{}: {}_valid_o did not come in {} cycles after a vector", block_.description().name, group_,
                               kHangCycles));
      bench_.cycle();
    }
    bench_.reset();
    return cycles;
  }

 private:
  void offer(bool /*is_enabled*/) override { valid_i_.set(bench_.edge() == 0 ? 1 : 0); }
  void settled() override {
    if (bench_.edge() == 0 && valid_o_.get() != 0)
      throw Hang(fmt::format("{}: {}_valid_o is high before there is an operand", block_.description().name, group_));
  }
  void clocked() override { is_there_ = valid_o_.get() != 0; }

  ClockedBlock& block_;
  std::string group_;
  Port valid_i_, valid_o_;
  Scoreboard board_;
  Bench bench_;
  bool is_there_ = false;
};

}  // namespace

int64_t measured_latency(ClockedBlock& block) {
  block.reset();
  if (block.description().results == "look") {  // of a slot that is empty a look-up need not give anything
    kernels::TableMemory tables;
    tables[0].type = base::ElementType::Int8;
    fill_tables(block, tables);
  }
  return FirstResult(block).latency();
}

void require_answer(ClockedBlock& block, const spec::Datapath& datapath) {
  ArrayLockStep lock_step(block, datapath);
  Random random(1);
  std::vector<Work> works = works_of(draw_array_sequence(datapath, random));
  while (!works.front().mac().first || !works.front().mac().last) works = works_of(draw_array_sequence(datapath, random));
  works.erase(works.begin() + 1, works.end());
  int64_t num_results = 0;
  lock_step.run_sequence(
      {.works = std::move(works), .on_result = [&](int64_t, std::span<const std::byte>) { ++num_results; }});
  block.reset();
  if (num_results > 0) return;
  throw Hang(fmt::format("{}: out_valid_o never came for a command of {} rows of results", block.description().name,
                         lock_step.result().vectors));
}

}  // namespace vernier::cosim
