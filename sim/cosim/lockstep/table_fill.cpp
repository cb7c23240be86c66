// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/lockstep/table_fill.hpp"

#include "sim/cosim/lockstep/bench.hpp"
#include "sim/cosim/stream/table_driver.hpp"

namespace vernier::cosim {
namespace {

/// Gives word after word: tbl_ready_o is always high.
class TableFill : public Participant {
 public:
  TableFill(const ClockedBlock& block, const kernels::TableMemory& tables)
      : tables_(tables), pins_(block), lanes_(block.lanes()) {
    skip_full();
  }
  [[nodiscard]] bool is_over() const { return slot_ == tables_.size(); }
  void offer(bool /*is_enabled*/) override {
    pins_.valid.set(1);
    pins_.put(slot_, *tables_[slot_].type, tables_[slot_].bytes, word_);
  }
  void clocked() override {
    ++word_;
    skip_full();
    pins_.valid.set(is_over() ? 0 : 1);
  }

 private:
  void skip_full() {
    while (!is_over() && (!tables_[slot_].type || word_ * lanes_ >= table_bytes(*tables_[slot_].type))) {
      ++slot_;
      word_ = 0;
    }
  }
  const kernels::TableMemory& tables_;
  TableFillPins pins_;
  int64_t lanes_;
  size_t slot_ = 0;
  int64_t word_ = 0;
};

}  // namespace

void fill_tables(ClockedBlock& block, const kernels::TableMemory& tables, PinLog* log) {
  TableFill fill(block, tables);
  Scoreboard board(block);
  Bench bench(block, board);
  bench.add(fill);
  if (log != nullptr) bench.keep_log(*log);
  while (!fill.is_over()) bench.cycle();
  block.settle();
}

}  // namespace vernier::cosim
