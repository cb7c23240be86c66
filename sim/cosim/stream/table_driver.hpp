// SPDX-License-Identifier: Apache-2.0
// Vectors for npu_table_unit: look-ups in the slots that are full, while the other one may be filled.
#pragma once

#include "hw/base/element_type.hpp"
#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/stream/unit_driver.hpp"
#include "sim/kernels/kernels.hpp"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace vernier::cosim {

/// What a slot holds: its bytes as they lie in SRAM.
struct Table {
  base::ElementType format = base::ElementType::Int8;
  std::vector<std::byte> bytes;
};

/// Entries of each format's length; neighbours of an int16 table may differ by more than 16 bits.
Table draw_table(base::ElementType format, Random& random);
int64_t table_bytes(base::ElementType format);

/// The ports of a block that fill a slot.
struct TableFillPins {
  explicit TableFillPins(const ClockedBlock& block);
  /// A word of a table of that format for `table_slot`; bytes that the table has not are 0. Sets no valid.
  void put(size_t table_slot, base::ElementType format, std::span<const std::byte> bytes, int64_t number);
  Port valid, ready, slot, type, word, data;
};

/// What differs about slot_format_o, without unit and cycle.
std::optional<Mismatch> formats_difference(uint64_t actual, uint64_t expected);
/// hw/model's result of operand `x`, of which 16 bits count.
int32_t look_up(const Table& table, int32_t x);
/// Which entries operand `x` meets.
std::string explain_look_up(const Table& table, int slot, int32_t x);

/// Every entry of every format in each slot; for int16 also with and without a fraction, and how the next entry lies.
class TableCoverage {
 public:
  TableCoverage();
  void count(int slot, const Table& table, int32_t x);
  [[nodiscard]] int64_t num_legal() const { return static_cast<int64_t>(hits_.size()); }
  [[nodiscard]] int64_t num_hit() const;

 private:
  std::vector<bool> hits_;
};

class TableDriver : public UnitDriver {
 public:
  explicit TableDriver(ClockedBlock& block);
  bool can_draw() override;
  void draw(int slot, Random& random) override;
  void drive(int slot) override;
  void scramble(Random& random) override;
  [[nodiscard]] std::span<const int32_t> expected(int slot) const override;
  [[nodiscard]] int group_of(int slot) const override;
  [[nodiscard]] std::vector<std::string> groups() const override { return {"int8", "int16", "int32"}; }
  [[nodiscard]] std::string explain(int slot, int lane) const override;
  void offer(Random& random) override;
  bool see() override;
  void clocked() override;
  [[nodiscard]] std::optional<Mismatch> state_difference() const override;
  void was_reset() override;
  /// Every slot is full, since some cycles: a replay of the last ones then begins with full slots.
  [[nodiscard]] bool is_good_for_reset() const override;
  [[nodiscard]] std::string waiting() const override;
  [[nodiscard]] const TableCoverage& coverage() const { return coverage_; }

 protected:
  /// Chooses the table to look up in, and the operands. The random ones; an exhaustive test has its own.
  virtual int choose(std::vector<int32_t>& operands, Random& random);
  /// The next table for `table_slot`, or nothing to fill now.
  virtual std::optional<Table> next_table(int table_slot, Random& random);
  [[nodiscard]] bool is_full(int table_slot) const { return tables_[static_cast<size_t>(table_slot)].has_value(); }

 private:
  struct Vector {
    int table_slot = 0;
    Table table;
    std::vector<int32_t> operands, expected;
  };

  int lanes_;
  TableFillPins fill_;
  Port formats_;
  Port look_slot_, look_value_;
  std::array<Vector, kNumSlots> vectors_;
  std::array<std::optional<Table>, spec::kNumTableSlots> tables_;  // full slots
  std::array<uint64_t, spec::kNumTableSlots> shown_{};             // what slot_format_o has to say of each
  int64_t full_cycles_ = 0;                                        // since every slot is full
  int last_used_ = 0;  // the slot of the vector that was drawn last, which may not be filled yet
  std::optional<Table> filling_;
  int filling_slot_ = 0;
  int64_t next_word_ = 0;
  bool is_fill_valid_ = false, is_word_taken_ = false;
  TableCoverage coverage_;
};

}  // namespace vernier::cosim
