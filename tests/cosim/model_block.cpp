// SPDX-License-Identifier: Apache-2.0
#include "tests/cosim/model_block.hpp"

#include "hw/base/error.hpp"
#include "hw/spec/rtl_ports.hpp"
#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/stimulus/rescale_vectors.hpp"
#include "sim/cosim/stream/table_driver.hpp"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace vernier::cosim {
namespace {

/// A pipeline of results with valid and tag; what it computes is the heir's.
class ModelBlock : public RtlBlock {
 public:
  ModelBlock(const spec::RtlBlock& description, int lanes, Flaw flaw)
      : lanes_(lanes), flaw_(flaw), group_(description.results), latency_(description.latency_cycles) {
    if (flaw == Flaw::Late) ++latency_;
    if (flaw == Flaw::Early) --latency_;
    for (const spec::RtlPort& port : description.ports) {
      const int bits = port.bits(lanes);
      auto& bytes = memory_[std::string(port.name)];
      bytes.resize(static_cast<size_t>(bits + 7) / 8);
      ports_[std::string(port.name)] = Port(bytes.data(), bits);
      pins_.push_back({port.name, bytes.data(), bytes.size()});
    }
    stages_.resize(static_cast<size_t>(latency_));
  }
  [[nodiscard]] std::span<const Pin> pins() const override { return pins_; }

  void eval() override {
    const bool clock = in("clk_i") != 0;
    if (in("rst_ni") == 0) {
      const bool is_edge = clock && !clock_;
      if (flaw_ != Flaw::SyncReset || is_edge) clear();
    } else if (clock && !clock_) {
      if (in("en_i") != 0 || flaw_ == Flaw::NoHold) shift();
      edge();
    }
    clock_ = clock;
    const Stage& last = stages_.back();
    const bool shows = flaw_ != Flaw::NoResult && !(flaw_ == Flaw::FollowsEn && in("en_i") == 0);
    at(group_ + "_valid_o").set(last.valid && shows ? 1 : 0);
    at(group_ + "_tag_o").set(last.tag);
    for (size_t i = 0; i < last.results.size(); ++i) {
      at(group_ + "_result_o").set_field(static_cast<int64_t>(i), 32, static_cast<uint32_t>(last.results[i]));
    }
    outputs();
  }

 protected:
  virtual std::vector<int32_t> compute() = 0;
  virtual void edge() {}
  virtual void reset_state() {}
  virtual void outputs() {}
  Port& at(const std::string& name) { return ports_.at(name); }
  uint64_t in(const std::string& name) { return at(name).get(); }
  int64_t signed_in(const std::string& name) { return static_cast<int32_t>(in(name)); }
  int lanes_;
  Flaw flaw_;

 private:
  struct Stage {
    bool valid = false;
    uint64_t tag = 0;
    std::vector<int32_t> results;
  };
  void clear() {
    if (flaw_ != Flaw::SurvivesReset) stages_.assign(stages_.size(), {});
    reset_state();
  }
  void shift() {
    for (size_t i = stages_.size() - 1; i > 0; --i) {
      // Registers keep what they have when nothing comes.
      stages_[i].valid = stages_[i - 1].valid;
      if (stages_[i].valid) stages_[i] = stages_[i - 1];
    }
    stages_[0].valid = in(group_ + "_valid_i") != 0;
    if (!stages_[0].valid) return;
    ++num_beats_;
    stages_[0].tag = in(group_ + "_tag_i") ^ (flaw_ == Flaw::WrongTag && num_beats_ % 100 == 0 ? 1U : 0U);
    stages_[0].results = compute();
    if (flaw_ == Flaw::Zeros) stages_[0].results.assign(static_cast<size_t>(lanes_), 0);
  }

  std::string group_;
  int64_t latency_;
  bool clock_ = false;
  int64_t num_beats_ = 0;
  std::map<std::string, std::vector<std::byte>> memory_;
  std::map<std::string, Port> ports_;
  std::vector<Pin> pins_;
  std::vector<Stage> stages_;
};

class RescaleModel final : public ModelBlock {
 public:
  RescaleModel(int lanes, Flaw flaw) : ModelBlock(*spec::rtl_block_of_unit("rescale"), lanes, flaw) {}

 protected:
  std::vector<int32_t> compute() override {
    RescaleSetup setup;
    setup.in_type = static_cast<base::ElementType>(in("scale_in_type_i"));
    setup.out_type = static_cast<base::ElementType>(in("scale_out_type_i"));
    setup.in_unsigned = in("scale_in_unsigned_i") != 0;
    setup.out_unsigned = in("scale_out_unsigned_i") != 0;
    setup.scale32 = in("scale_scale32_i") != 0;
    setup.rounding = static_cast<spec::Rounding>(in("scale_rounding_i"));
    setup.in_zero_point = static_cast<int32_t>(signed_in("scale_in_zero_point_i"));
    setup.out_zero_point = static_cast<int32_t>(signed_in("scale_out_zero_point_i"));
    setup.clamp_min = static_cast<int32_t>(signed_in("scale_clamp_min_i"));
    setup.clamp_max = static_cast<int32_t>(signed_in("scale_clamp_max_i"));
    std::vector<int32_t> results;
    for (int64_t i = 0; i < lanes_; ++i) {
      const RescaleLane lane{static_cast<int64_t>(at("scale_value_i").field(i, 48)),
                             static_cast<int32_t>(at("scale_multiplier_i").field(i, 32)),
                             static_cast<int32_t>(at("scale_shift_i").field(i, 6))};
      results.push_back(rescale_steps(setup, lane).result);
    }
    return results;
  }
};

class TableModel final : public ModelBlock {
 public:
  TableModel(int lanes, Flaw flaw) : ModelBlock(*spec::rtl_block_of_unit("table"), lanes, flaw) {}

 protected:
  std::vector<int32_t> compute() override {
    const Table& table = slots_[in("look_slot_i")];
    std::vector<int32_t> results;
    for (int64_t i = 0; i < lanes_; ++i) {
      results.push_back(look_up(table, static_cast<int16_t>(at("look_value_i").field(i, 16))));
    }
    return results;
  }
  void edge() override {
    if (in("tbl_valid_i") == 0 || flaw_ == Flaw::NotReady) return;
    Table& table = slots_[in("tbl_slot_i")];
    const auto word = static_cast<int64_t>(in("tbl_word_i"));
    table.format = static_cast<base::ElementType>(in("tbl_type_i"));
    const int64_t size = table_bytes(table.format);
    table.bytes.resize(static_cast<size_t>(size));
    for (int64_t i = 0; i < lanes_ && word * lanes_ + i < size; ++i) {
      table.bytes[static_cast<size_t>(word * lanes_ + i)] = static_cast<std::byte>(at("tbl_data_i").field(i, 8));
    }
    formats_[in("tbl_slot_i")] = (word + 1) * lanes_ >= size ? in("tbl_type_i") : 0;
  }
  void reset_state() override {
    if (flaw_ != Flaw::KeepsSlot0 && flaw_ != Flaw::HidesSlot0) formats_[0] = 0;
    if (flaw_ != Flaw::KeepsSlot1) formats_[1] = 0;
  }
  void outputs() override {
    at("tbl_ready_o").set(flaw_ == Flaw::NotReady ? 0 : 1);
    const bool hides = flaw_ == Flaw::HidesSlot0 && in("rst_ni") == 0;
    at("slot_format_o").set(hides ? 0 : formats_[0] | formats_[1] << 3);
  }

 private:
  std::array<Table, 2> slots_;
  std::array<uint64_t, 2> formats_{};
};

}  // namespace

std::unique_ptr<RtlBlock> make_model_block(std::string_view name, int lanes, Flaw flaw) {
  if (name == "npu_rescale_unit") return std::make_unique<RescaleModel>(lanes, flaw);
  VERNIER_CHECK(name == "npu_table_unit", "no model of {}", name);
  return std::make_unique<TableModel>(lanes, flaw);
}

}  // namespace vernier::cosim
