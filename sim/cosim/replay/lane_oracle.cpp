// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/replay/lane_oracle.hpp"

#include "hw/base/error.hpp"
#include "hw/model/wrap.hpp"

#include <algorithm>

namespace vernier::cosim {
namespace {

using base::ElementType;

ElementType type_of(std::string_view subject, std::string_view port, uint64_t bits, ElementType most) {
  if (bits >= static_cast<uint64_t>(ElementType::Int8) && bits <= static_cast<uint64_t>(most))
    return static_cast<ElementType>(bits);
  throw base::UserError(subject, "{} is {} with a vector, allowed are {} to {}", port, bits,
                        static_cast<int>(ElementType::Int8), static_cast<int>(most));
}

int32_t signed32(const Port& port) { return static_cast<int32_t>(port.get()); }

}  // namespace

LaneOracle::LaneOracle(const ClockedBlock& block)
    : is_table_(block.description().unit == "table"), lanes_(block.lanes()), en_(block.port("en_i")) {
  if (is_table_) {
    valid_ = block.port("look_valid_i");
    tag_ = block.port("look_tag_i");
    look_slot_ = block.port("look_slot_i");
    look_value_ = block.port("look_value_i");
    fill_valid_ = block.port("tbl_valid_i");
    fill_slot_ = block.port("tbl_slot_i");
    fill_type_ = block.port("tbl_type_i");
    fill_word_ = block.port("tbl_word_i");
    fill_data_ = block.port("tbl_data_i");
    return;
  }
  VERNIER_CHECK(block.description().unit == "rescale", "an oracle of {}", block.description().unit);
  valid_ = block.port("scale_valid_i");
  tag_ = block.port("scale_tag_i");
  value_ = block.port("scale_value_i");
  multiplier_ = block.port("scale_multiplier_i");
  shift_ = block.port("scale_shift_i");
  scale32_ = block.port("scale_scale32_i");
  rounding_ = block.port("scale_rounding_i");
  in_type_ = block.port("scale_in_type_i");
  in_unsigned_ = block.port("scale_in_unsigned_i");
  in_zero_point_ = block.port("scale_in_zero_point_i");
  out_type_ = block.port("scale_out_type_i");
  out_unsigned_ = block.port("scale_out_unsigned_i");
  out_zero_point_ = block.port("scale_out_zero_point_i");
  clamp_min_ = block.port("scale_clamp_min_i");
  clamp_max_ = block.port("scale_clamp_max_i");
}

void LaneOracle::reset() {
  tables_ = {};
  filling_ = {};
}

std::optional<LaneOracle::Vector> LaneOracle::edge(std::string_view subject) {
  std::optional<Vector> vector;
  if (en_.get() != 0 && valid_.get() != 0) vector = is_table_ ? looked_up(subject) : rescaled(subject);
  if (is_table_ && fill_valid_.get() != 0) take_word(subject);
  return vector;
}

LaneOracle::Vector LaneOracle::rescaled(std::string_view subject) const {
  Vector vector;
  vector.tag = tag_.get();
  RescaleSetup& setup = vector.setup;
  setup.in_type = type_of(subject, "scale_in_type_i", in_type_.get(), ElementType::Int48);
  setup.out_type = type_of(subject, "scale_out_type_i", out_type_.get(), ElementType::Int32);
  const uint64_t rounding = rounding_.get(), most = static_cast<uint64_t>(spec::Rounding::HalfEven);
  if (rounding > most)
    throw base::UserError(subject, "scale_rounding_i is {} with a vector, allowed are 0 to {}", rounding, most);
  setup.rounding = static_cast<spec::Rounding>(rounding);
  setup.scale32 = scale32_.get() != 0;
  setup.in_unsigned = in_unsigned_.get() != 0;
  setup.out_unsigned = out_unsigned_.get() != 0;
  setup.in_zero_point = signed32(in_zero_point_);
  setup.out_zero_point = signed32(out_zero_point_);
  setup.clamp_min = signed32(clamp_min_);
  setup.clamp_max = signed32(clamp_max_);
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    vector.lanes.push_back({model::sign_extend(static_cast<int64_t>(value_.field(lane, 48)), 48),
                            static_cast<int32_t>(multiplier_.field(lane, 32)), static_cast<int32_t>(shift_.field(lane, 6))});
    vector.results.push_back(rescale_steps(setup, vector.lanes.back()).result);
  }
  return vector;
}

LaneOracle::Vector LaneOracle::looked_up(std::string_view subject) const {
  Vector vector;
  vector.tag = tag_.get();
  vector.table_slot = static_cast<int>(look_slot_.get());
  vector.table = tables_[static_cast<size_t>(vector.table_slot)];
  if (!vector.table)
    throw base::UserError(subject, "a vector is looked up in slot {}, which is not full", vector.table_slot);
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    vector.operands.push_back(static_cast<int16_t>(look_value_.field(lane, 16)));
    vector.results.push_back(look_up(*vector.table, vector.operands.back()));
  }
  return vector;
}

/// Words of a table come in their order, from 0 on; one that comes once more is the same word.
void LaneOracle::take_word(std::string_view subject) {
  const auto slot = static_cast<size_t>(fill_slot_.get());
  const auto word = static_cast<int64_t>(fill_word_.get());
  Table& table = filling_[slot];
  if (word == 0) table = {type_of(subject, "tbl_type_i", fill_type_.get(), ElementType::Int32), {}};
  const auto begin = word * lanes_;
  if (word > 0 && std::ssize(table.bytes) != begin && std::ssize(table.bytes) != begin + lanes_)
    throw base::UserError(subject, "word {} of a table for slot {} does not follow the word before it", word, slot);
  tables_[slot].reset();
  table.bytes.resize(static_cast<size_t>(begin + lanes_));
  for (int64_t byte = 0; byte < lanes_; ++byte)
    table.bytes[static_cast<size_t>(begin + byte)] = static_cast<std::byte>(fill_data_.field(byte, 8));
  if (std::ssize(table.bytes) < table_bytes(table.format)) return;
  auto full = std::make_shared<Table>(table);
  full->bytes.resize(static_cast<size_t>(table_bytes(table.format)));
  tables_[slot] = std::move(full);
}

uint64_t LaneOracle::formats() const {
  uint64_t formats = 0;
  for (size_t i = 0; i < tables_.size(); ++i) {
    if (tables_[i]) formats |= static_cast<uint64_t>(tables_[i]->format) << (3 * i);
  }
  return formats;
}

int LaneOracle::group_of(const Vector& vector) const {
  if (!is_table_) return cosim::group_of(vector.setup);
  return static_cast<int>(vector.table->format) - static_cast<int>(ElementType::Int8);
}

std::vector<std::string> LaneOracle::groups() const {
  return is_table_ ? std::vector<std::string>{"int8", "int16", "int32"} : rescale_groups();
}

std::string LaneOracle::explain(const Vector& vector, int lane) const {
  const auto idx = static_cast<size_t>(lane);
  return is_table_ ? explain_look_up(*vector.table, vector.table_slot, vector.operands[idx])
                   : cosim::explain(vector.setup, vector.lanes[idx]);
}

}  // namespace vernier::cosim
