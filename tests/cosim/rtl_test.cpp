// SPDX-License-Identifier: Apache-2.0
// The blocks of hw/rtl against the golden model. Where the program has no RTL, these tests say so and check nothing.
#include "hw/base/error.hpp"
#include "sim/cosim/network/cosim.hpp"
#include "sim/cosim/stream/table_driver.hpp"
#include "tests/cosim/array_checks.hpp"
#include "tests/cosim/array_commands.hpp"
#include "tests/cosim/register_changes.hpp"

#include <catch2/catch.hpp>

#include <cstring>

using namespace vernier;
using namespace vernier::cosim;

namespace {

/// The units whose results come a fixed number of cycles later.
std::span<const spec::RtlBlock> pipes() { return std::span(spec::kRtlBlocks).first(2); }

void check_equal(const CosimReport& report) {
  INFO(cosim_text(report));
  CHECK(report.result.vectors == report.options.vectors);
  CHECK(report.result.mismatches == 0);
  CHECK(report.result.cycle_mismatches == 0);
  CHECK(report.result.rtl_cycles == report.result.model_cycles);
}

/// 20 tables of int16, each looked up at all 65,536 operands while the next one is filled; then the formats of a byte at all
/// 256.
class ExhaustiveTables : public TableDriver {
 public:
  explicit ExhaustiveTables(ClockedBlock& block) : TableDriver(block), lanes_(block.lanes()) {
    Random random(3);
    for (int i = 0; i < kNumTables; ++i) {
      const auto format = i < kNumInt16 ? base::ElementType::Int16
                          : i % 2 == 0  ? base::ElementType::Int8
                                        : base::ElementType::Int32;
      tables_.push_back(draw_table(format, random));
      for (size_t entry = 0; i < kNumExtreme && 2 * entry < tables_.back().bytes.size(); ++entry) {
        const auto value =
            static_cast<int16_t>((entry + static_cast<size_t>(i)) / (static_cast<size_t>(i) + 1) % 2 == 0 ? -32768 : 32767);
        std::memcpy(tables_.back().bytes.data() + 2 * entry, &value, sizeof value);
      }
    }
    for (const Table& table : tables_) num_vectors_ += num_operands(table) / lanes_;
  }
  [[nodiscard]] int64_t num_vectors() const { return num_vectors_; }
  bool can_draw() override { return current_ < kNumTables && filled_ > current_ && is_full(current_ % 2); }

 protected:
  int choose(std::vector<int32_t>& operands, Random& /*random*/) override {
    for (int32_t& x : operands) x = static_cast<int32_t>(next_operand_++ - 32768);
    const int slot = current_ % 2;
    if (next_operand_ < num_operands(tables_[static_cast<size_t>(current_)])) return slot;
    next_operand_ = 0;
    ++current_;
    return slot;
  }
  std::optional<Table> next_table(int table_slot, Random& /*random*/) override {
    if (filled_ >= kNumTables || filled_ > current_ + 1 || table_slot != filled_ % 2) return std::nullopt;
    return tables_[static_cast<size_t>(filled_++)];
  }

 private:
  static constexpr int kNumInt16 = 20, kNumExtreme = 4, kNumTables = 28;
  static int64_t num_operands(const Table& table) { return table.format == base::ElementType::Int16 ? 65536 : 256; }
  int64_t lanes_;
  std::vector<Table> tables_;
  int64_t num_vectors_ = 0, next_operand_ = 0;
  int current_ = 0, filled_ = 0;
};

}  // namespace

TEST_CASE("RTL equals the model in value and edge, for each number of lanes") {
  if (!has_rtl()) return;
  for (const char* unit : {"rescale", "table"}) {
    for (const int lanes : spec::kRtlLanes) check_equal(run_cosim({unit, "any", lanes, 10'000, 5}));
  }
}

TEST_CASE("a million vectors of the rescale unit hit every legal bin", "[slow]") {
  if (!has_rtl()) return;
  const CosimReport report = run_cosim({"rescale", "v64", 8, 1'000'000, 1});
  check_equal(report);
  CHECK(report.bins_legal == 5081);
  CHECK(report.bins_hit == report.bins_legal);
}

TEST_CASE("a million vectors of the table unit hit every bin", "[slow]") {
  if (!has_rtl()) return;
  const CosimReport report = run_cosim({"table", "v64", 8, 1'000'000, 1});
  check_equal(report);
  CHECK(report.bins_hit == report.bins_legal);
}

TEST_CASE("every operand of 20 tables of int16, and of those of a byte") {
  if (!has_rtl()) return;
  ClockedBlock block(make_rtl_block("npu_table_unit", 16), *spec::rtl_block_of_unit("table"), 16);
  ExhaustiveTables driver(block);
  LockStep lock_step(block, driver, 1, {.has_resets = false});
  const LockStepResult result = lock_step.run(driver.num_vectors());
  check_equal(result);
  CHECK(result.vectors == (20 * 65536 + 8 * 256) / 16);
}

TEST_CASE("registers start from anything: assertions on, five seeds, the same results") {
  if (!has_rtl()) return;
  for (const spec::RtlBlock& unit : pipes()) {
    for (int seed = 1; seed <= 5; ++seed) {
      auto block = make_rtl_block(unit.name, 16, RtlVariant::Check, {.reset_seed = seed});
      check_equal(run_cosim({std::string(unit.unit), "v256", 16, 3000, 11}, std::move(block)));
    }
  }
}

TEST_CASE("reset takes effect without a clock, and empties the slots") {
  if (!has_rtl()) return;
  for (const spec::RtlBlock& unit : pipes()) {
    ClockedBlock block(make_rtl_block(unit.name, 8, RtlVariant::Plain), unit, 8);
    block.reset();
    const std::string group(unit.results);
    block.port(group + "_valid_i").set(1);
    for (int64_t i = 0; i < unit.latency_cycles; ++i) block.edge();
    CHECK(block.port(group + "_valid_o").get() == 1);
    block.port("rst_ni").set(0);
    block.settle();
    CHECK(block.port(group + "_valid_o").get() == 0);
    block.port("rst_ni").set(1);
    block.port(group + "_valid_i").set(0);
    for (int64_t i = 0; i < 2 * unit.latency_cycles; ++i) {
      block.edge();
      CHECK(block.port(group + "_valid_o").get() == 0);
    }
  }
}

TEST_CASE("no register changes in an idle cycle, whatever the operands' pins do") {
  if (!has_rtl()) return;
  for (const spec::RtlBlock& unit : pipes()) {
    ClockedBlock block(make_rtl_block(unit.name, 16, RtlVariant::Plain), unit, 16);
    RegisterChanges registers(block, 9);
    block.reset();
    const std::string valid = std::string(unit.results) + "_valid_i";
    const std::array<std::string_view, 2> low{valid, "tbl_valid_i"};
    registers.scramble("busy", std::span(low).last(1), true, 20, valid);
    registers.scramble("drains", low, true, 10);
    registers.scramble("idle", low, true);
    registers.scramble("refills", std::span(low).last(1), true, 20, valid);
    registers.scramble("en_i low", std::span(low).last(1), false, 50, valid);
    for (const auto& [name, changes] : registers.finish()) {
      INFO(unit.name << ", " << name);
      if (name == "busy") CHECK(changes > 20);  // the count counts
      if (name == "idle" || name == "en_i low") CHECK(changes == 0);
    }
  }
}
