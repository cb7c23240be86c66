// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/stream/array_results.hpp"

#include <array>
#include <string_view>

namespace vernier::cosim {
namespace {

constexpr std::array<std::string_view, 7> kRowPorts{"out_valid_o", "out_value_o",        "out_mask_o", "out_row_o",
                                                    "out_bank_o",  "out_last_of_tile_o", "out_last_o"};

}  // namespace

ArrayResults::ArrayResults(const ClockedBlock& block)
    : valid_(block.port("out_valid_o")),
      ready_(block.port("out_ready_i")),
      value_(block.port("out_value_o")),
      mask_(block.port("out_mask_o")),
      row_(block.port("out_row_o")),
      bank_(block.port("out_bank_o")),
      last_of_tile_(block.port("out_last_of_tile_o")),
      last_(block.port("out_last_o")),
      held_(block, kRowPorts) {}

std::optional<Mismatch> ArrayResults::compare(const ArrayTraffic& traffic, const ArrayRow& row, int64_t bank,
                                              bool has_operands) const {
  std::optional<Mismatch> found;
  std::string flags;
  const auto check = [&](std::string_view port, uint64_t actual, uint64_t expected) {
    if (actual == expected) return;
    Mismatch flag{.port = std::string(port), .expected = expected, .actual = actual};
    append_difference(flags, flag.print());
    if (found) {
      append_difference(found->after, flag.print());
    } else {
      found = std::move(flag);
    }
  };
  uint64_t mask = 0;
  for (const int64_t lane : row.lanes) mask |= uint64_t{1} << lane;
  check("out_mask_o", mask_.get(), mask);
  check("out_row_o", row_.get(), static_cast<uint64_t>(row.row_tile_row));
  check("out_bank_o", bank_.get(), static_cast<uint64_t>(bank));
  check("out_last_of_tile_o", last_of_tile_.get(), row.is_last_of_tile ? 1 : 0);
  check("out_last_o", last_.get(), row.is_last ? 1 : 0);
  for (size_t i = 0; i < row.lanes.size(); ++i) {
    const int64_t actual = value_of(row.lanes[i]);
    if (actual == row.values[i]) continue;
    return Mismatch{.port = "out_value_o",
                    .lane = static_cast<int>(row.lanes[i]),
                    .expected = row.values[i],
                    .actual = actual,
                    .operands = has_operands ? traffic.explain(row, row.lanes[i]) : "",
                    .before = flags};
  }
  return found;
}

int64_t ArrayResults::value_of(int64_t lane) const {
  constexpr unsigned kAbove = 64 - spec::kAccumulatorBits;
  return static_cast<int64_t>(value_.field(lane, spec::kAccumulatorBits) << kAbove) >> kAbove;
}

void ArrayResults::give(const ArrayRow& row, base::ElementType type, const ResultSink& sink) const {
  const auto num_bytes = static_cast<size_t>(base::stored_bytes(type));
  for (size_t i = 0; i < row.lanes.size(); ++i) {
    const int64_t value = value_of(row.lanes[i]);
    if (mask_.field(row.lanes[i], 1) != 0) sink(row.addresses[i], std::as_bytes(std::span(&value, 1)).first(num_bytes));
  }
}

}  // namespace vernier::cosim
