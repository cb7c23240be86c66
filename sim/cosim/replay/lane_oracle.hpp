// SPDX-License-Identifier: Apache-2.0
// What npu_rescale_unit and npu_table_unit have to give for what stands on their pins, from hw/model.
#pragma once

#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/stimulus/rescale_vectors.hpp"
#include "sim/cosim/stream/table_driver.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vernier::cosim {

class LaneOracle {
 public:
  /// A vector that an edge takes, and its results.
  struct Vector {
    uint64_t tag = 0;
    std::vector<int32_t> results;
    RescaleSetup setup;
    std::vector<RescaleLane> lanes;
    std::shared_ptr<const Table> table;
    int table_slot = 0;
    std::vector<int32_t> operands;
  };

  /// `block` is a rescale or a table unit; the oracle looks at its pins.
  explicit LaneOracle(const ClockedBlock& block);
  void reset();
  /// What the next edge takes. UserError (of `subject`) for operands or words of a table that no unit takes.
  std::optional<Vector> edge(std::string_view subject);
  /// slot_format_o after the edges so far, of a table unit.
  [[nodiscard]] uint64_t formats() const;
  [[nodiscard]] const std::array<std::shared_ptr<const Table>, spec::kNumTableSlots>& tables() const { return tables_; }

  [[nodiscard]] int group_of(const Vector& vector) const;
  [[nodiscard]] std::vector<std::string> groups() const;
  [[nodiscard]] std::string explain(const Vector& vector, int lane) const;

 private:
  Vector rescaled(std::string_view subject) const;
  Vector looked_up(std::string_view subject) const;
  void take_word(std::string_view subject);

  bool is_table_;
  int lanes_;
  Port en_, valid_, tag_;
  Port value_, multiplier_, shift_, scale32_, rounding_, in_type_, in_unsigned_, in_zero_point_, out_type_, out_unsigned_,
      out_zero_point_, clamp_min_, clamp_max_;
  Port fill_valid_, fill_slot_, fill_type_, fill_word_, fill_data_, look_slot_, look_value_;
  std::array<std::shared_ptr<const Table>, spec::kNumTableSlots> tables_;  // full slots
  std::array<Table, spec::kNumTableSlots> filling_;
};

}  // namespace vernier::cosim
