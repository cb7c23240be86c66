// SPDX-License-Identifier: Apache-2.0
#include "tests/cosim/array_model_block.hpp"

#include "hw/model/table.hpp"
#include "hw/model/wrap.hpp"
#include "hw/sequence/mac_order.hpp"
#include "hw/spec/command_ports.hpp"
#include "hw/spec/rtl_ports.hpp"
#include "hw/timing/mac_edges.hpp"
#include "hw/timing/mac_timeline.hpp"
#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/stimulus/rescale_vectors.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vernier::cosim {
namespace {

using spec::ArrayState;

/// The fields that the port has; the others keep what an empty command has.
spec::MacCommand command_of(const Port& port, int64_t lanes) {
  spec::MacCommand command;
  command.residual = true;  // so that all fields are there
  int first_bit = 0;
  const auto take = [&](const spec::FieldInfo& field, auto& member) {
    if (field.is_address_only) return;
    uint64_t bits = 0;
    for (int i = 0; i < field.width_bits; ++i) bits |= port.field(first_bit + i, 1) << i;
    first_bit += field.width_bits;
    const int64_t value =
        field.is_signed ? model::sign_extend(static_cast<int64_t>(bits), field.width_bits) : static_cast<int64_t>(bits);
    using Member = std::remove_reference_t<decltype(member)>;
    if (field.name != "residual") member = static_cast<Member>(value);
  };
  spec::visit_fields(take, command);
  command.residual = false;
  // Addresses are not told: elements of a row are taken to lie side by side.
  command.in_channels = std::max<int64_t>(1, command.reduction_end);
  command.input.block_pitch_bytes = lanes * base::stored_bytes(command.input.type);
  return command;
}

class ArrayModel final : public RtlBlock {
 public:
  ArrayModel(int lanes, ArrayFlaw flaw) : lanes_(lanes), flaw_(flaw), edges_({lanes, 4, 2}) {
    for (const spec::RtlPort& port : spec::rtl_block_of_unit("datapath")->ports) {
      const int bits = port.bits(lanes);
      auto& bytes = memory_[std::string(port.name)];
      bytes.resize(static_cast<size_t>(bits + 7) / 8 + 8);
      ports_[std::string(port.name)] = Port(bytes.data(), bits);
      pins_.push_back({port.name, bytes.data(), bytes.size()});
    }
  }
  [[nodiscard]] std::span<const Pin> pins() const override { return pins_; }

  void eval() override {
    const bool clock = in("clk_i") != 0;
    const bool is_edge = clock && !clock_;
    if (in("rst_ni") == 0 && (flaw_ != ArrayFlaw::ResetsByClock || is_edge)) {
      running_.reset();
      if (flaw_ != ArrayFlaw::SurvivesReset) due_.clear();
      before_ = {};
      edges_ = timing::MacEdgeSequence({lanes_, 4, 2});
      if (flaw_ != ArrayFlaw::KeepsBank) bank_ = 0;
    } else if (is_edge) {
      fill_table();
      if (in("en_i") != 0) edge();
    }
    clock_ = clock;
    drive();
  }

 private:
  struct Row {
    int64_t edge;
    std::vector<int64_t> lanes, values;
    int64_t row, bank;
    bool is_last_of_tile, is_last;
  };
  struct WeightTile {
    std::vector<int64_t> cells;
    int64_t beats = 0;
    bool is_whole = false;
  };
  struct Operand {
    int64_t pixel, element, byte;
  };
  struct ActivationRow {
    std::vector<Operand> operands;
    int64_t beats = 0;
    bool is_whole = false;
  };
  struct Left {
    int64_t drain_end = 0, last_result = 0;
  };
  /// The command whose beats come.
  struct Running {
    Running(const spec::MacCommand& given, const spec::Datapath& datapath) : command(given), order(command, datapath) {}
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    spec::MacCommand command;
    sequence::MacOrder order;
    int64_t taken = 0;  // the edge
    std::deque<WeightTile> tiles;
    std::deque<ActivationRow> rows;
    std::deque<std::vector<std::array<uint8_t, spec::kChannelParameterBytes>>> parameters;
    std::optional<sequence::MacPlace> place{sequence::MacPlace{}};
    std::vector<int64_t> weights;  // the active tile
    std::vector<std::vector<int64_t>> sums;
    timing::MacTimeline line;
    int64_t load_cycles = spec::kTileSwapCycles;
    timing::CommandEdges schedule;
    int64_t tiles_taken = 0;
    bool is_finished = false;
  };

  uint64_t in(const std::string& name) { return ports_.at(name).get(); }
  Port& at(const std::string& name) { return ports_.at(name); }

  void fill_table() {
    if (in("tbl_valid_i") == 0) return;
    for (int64_t i = 0; i < lanes_; ++i) {
      const auto byte = static_cast<size_t>(static_cast<int64_t>(in("tbl_word_i")) * lanes_ + i);
      if (byte < tables_[0].size()) tables_[in("tbl_slot_i")][byte] = static_cast<int8_t>(at("tbl_data_i").field(i, 8));
    }
  }

  [[nodiscard]] bool can_take_command() const {
    return flaw_ != ArrayFlaw::NotReady && (!running_ || edge_ >= running_->schedule.next_command);
  }

  void edge() {
    const bool leaves = in("out_ready_i") != 0 || flaw_ == ArrayFlaw::NoHold;
    if (!due_.empty() && due_.front().edge <= edge_ && leaves) due_.pop_front();
    if (running_) take_beats();
    if (in("cmd_valid_i") != 0 && can_take_command()) take_command();
    ++edge_;
  }

  void take_command() {
    running_ = std::make_unique<Running>(command_of(at("cmd_i"), lanes_), spec::Datapath{lanes_, 4, 2});
    Running& run = *running_;
    run.taken = edge_;
    run.schedule = edges_.next(run.command, edge_);
    const int64_t begin = edge_ + spec::kSramReadLatencyCycles;
    run.line = timing::MacTimeline(std::max<int64_t>(0, before_.drain_end - begin),
                                   std::max<int64_t>(0, before_.last_result - begin));
  }

  void take_beats() {
    Running& run = *running_;
    if (in("wgt_valid_i") != 0 && has_free_shadow()) take_weights(run);
    if (in("act_valid_i") != 0 && state() == ArrayState::Busy) take_activations(run);
    const bool is_garbage = flaw_ == ArrayFlaw::TakesGarbage;
    if (is_garbage ? std::exchange(is_prm_due_, in("prm_valid_i") != 0) : in("prm_valid_i") != 0) {
      auto& channels = run.parameters.emplace_back(static_cast<size_t>(lanes_));
      for (int64_t byte = 0; byte < lanes_ * spec::kChannelParameterBytes; ++byte) {
        channels[static_cast<size_t>(byte / spec::kChannelParameterBytes)]
                [static_cast<size_t>(byte % spec::kChannelParameterBytes)] =
                    static_cast<uint8_t>(at("prm_i").field(byte, 8));
      }
    }
    while (run.place && multiply(run)) {
    }
    if (!run.place && !std::exchange(run.is_finished, true)) finish(run);
  }

  void take_weights(Running& run) {
    if (run.tiles.empty() || run.tiles.back().is_whole) {
      run.tiles.emplace_back().cells.resize(static_cast<size_t>(lanes_ * lanes_));
    }
    WeightTile& tile = run.tiles.back();
    const int row_bits = spec::bits_to_count(lanes_);
    for (int64_t word = 0; word < spec::kWeightLoadWords; ++word) {
      if (at("wgt_word_valid_i").field(word, 1) == 0) continue;
      const auto lane = static_cast<int64_t>(at("wgt_row_i").field(word, row_bits));
      for (int64_t i = 0; i < lanes_; ++i) {
        if (at("wgt_mask_i").field(word * lanes_ + i, 1) == 0) continue;
        const auto byte = static_cast<int8_t>(at("wgt_data_i").field(word * lanes_ + i, 8));
        tile.cells[static_cast<size_t>(lane * lanes_ + i)] = byte - run.command.weight_zero_point;
      }
    }
    ++tile.beats;
    tile.is_whole = in("wgt_last_i") != 0;
    if (tile.is_whole) ++run.tiles_taken;
  }

  void take_activations(Running& run) {
    if (run.rows.empty() || run.rows.back().is_whole) run.rows.emplace_back();
    ActivationRow& row = run.rows.back();
    const int number_bits = spec::bits_to_count(2 * lanes_), count_bits = spec::bits_to_count(lanes_ + 1);
    for (int64_t bytes = 0; bytes < run.order.pixels * spec::kActivationSegments; ++bytes) {
      const int64_t pixel = bytes / spec::kActivationSegments, segment = bytes % spec::kActivationSegments;
      const auto offset = static_cast<int64_t>(at("act_offset_i").field(bytes, number_bits));
      const auto length = static_cast<int64_t>(at("act_length_i").field(bytes, count_bits));
      const auto to = static_cast<int64_t>(at("act_to_i").field(bytes, number_bits));
      for (int64_t i = 0; i < length; ++i) {
        if (at("act_mask_i").field(pixel * lanes_ + to + i, 1) != 0) continue;
        const uint64_t byte = at("act_data_i").field(2 * segment * lanes_ + offset + i, 8);
        const int64_t x = run.command.input_is_unsigned ? static_cast<int64_t>(byte) : static_cast<int8_t>(byte);
        row.operands.push_back({pixel, to + i, x - run.command.input_zero_point});
      }
    }
    ++row.beats;
    row.is_whole = in("act_last_i") != 0;
  }

  /// The rows of the next weight tile, when all that they need is there.
  bool multiply(Running& run) {
    const sequence::MacPlace place = *run.place;
    const int64_t first_row = run.order.first_row(place.row_tile), end_row = run.order.end_row(place.row_tile);
    const auto num_rows = static_cast<size_t>(end_row - first_row);
    const bool loads = run.order.is_loaded(place);
    if (loads && (run.tiles.empty() || !run.tiles.front().is_whole)) return false;
    if (run.rows.size() < num_rows || !run.rows[num_rows - 1].is_whole) return false;
    if (run.command.last && run.parameters.size() <= static_cast<size_t>(place.channel_tile)) return false;
    if (place.step == 0) {
      run.line.take_bank();
      run.sums.assign(num_rows, std::vector<int64_t>(static_cast<size_t>(lanes_)));
      if (!run.command.first) run.sums = kept_;
    }
    if (loads) {
      run.line.take_weights(run.load_cycles + run.tiles.front().beats);
      run.load_cycles = 0;
      run.weights = std::move(run.tiles.front().cells);
      run.tiles.pop_front();
    }
    int64_t beats = 0;
    for (size_t r = 0; r < num_rows; ++r) {
      const ActivationRow row = std::move(run.rows.front());
      run.rows.pop_front();
      beats += row.beats;
      for (int64_t lane = 0; lane < lanes_; ++lane) {
        int64_t& sum = run.sums[r][static_cast<size_t>(lane)];
        const int64_t pixel = lane / run.order.tile_channels, first = lane % run.order.tile_channels * lanes_;
        for (const Operand& x : row.operands) {
          if (x.pixel == pixel) sum += x.byte * run.weights[static_cast<size_t>(first + x.element)];
        }
        sum = model::wrap48(sum);
      }
    }
    run.line.multiply(beats);
    sequence::MacPlace next = place;
    const bool has_next = run.order.advance(next);
    const bool ends_tile = !has_next || next.row_tile != place.row_tile || next.channel_tile != place.channel_tile;
    if (ends_tile && run.command.last) drain(run, place, !has_next);
    run.place = has_next ? std::optional(next) : std::nullopt;
    return true;
  }

  void drain(Running& run, const sequence::MacPlace& place, bool is_last) {
    const auto rows = static_cast<int64_t>(run.sums.size());
    run.line.drain(rows);
    const int64_t fill = run.command.rescale ? spec::kRescalePipelineCycles : 1;
    const int64_t start = run.taken + spec::kSramReadLatencyCycles + run.line.drain_start() + spec::kMacPipelineCycles +
                          fill + (run.command.table ? spec::kTablePipelineCycles : 0);
    for (int64_t row = 0; row < rows; ++row) {
      Row& out = due_.emplace_back(
          Row{start + row + 1 + (flaw_ == ArrayFlaw::Late ? 1 : 0), {}, {}, row, bank_, row + 1 == rows, false});
      out.is_last = is_last && out.is_last_of_tile;
      const sequence::MacRow pixels = run.order.row(run.order.first_row(place.row_tile) + row);
      for (int64_t lane = 0; lane < lanes_; ++lane) {
        const int64_t pixel = lane / run.order.tile_channels, channel = lane % run.order.tile_channels;
        if (channel >= run.order.num_channels(place.channel_tile)) continue;
        if (pixels.first_column + pixel >= run.command.out_columns) continue;
        const int64_t sum = run.sums[static_cast<size_t>(row)][static_cast<size_t>(lane)];
        const auto& parameters = run.parameters[static_cast<size_t>(place.channel_tile)][static_cast<size_t>(channel)];
        out.lanes.push_back(lane);
        out.values.push_back(flaw_ == ArrayFlaw::Zeros ? 0 : finished(run.command, sum, parameters));
      }
    }
    before_ = {run.taken + spec::kSramReadLatencyCycles + run.line.drain_end(), start + rows};
    if (flaw_ == ArrayFlaw::NoResult) due_.clear();
    if (flaw_ == ArrayFlaw::ExtraRow && is_last) due_.push_back(due_.back());
    bank_ = 1 - bank_;
  }

  [[nodiscard]] int64_t finished(const spec::MacCommand& m, int64_t sum,
                                 const std::array<uint8_t, spec::kChannelParameterBytes>& parameters) const {
    const auto number = [&](size_t first, size_t bytes) {
      uint64_t value = 0;
      for (size_t i = 0; i < bytes; ++i) value |= uint64_t{parameters[first + i]} << (8 * i);
      return model::sign_extend(static_cast<int64_t>(value), static_cast<int>(8 * bytes));
    };
    const size_t bias_bytes = m.scale32 ? 4 : 6;
    int64_t value = model::wrap48(sum + number(0, bias_bytes));
    if (!m.accumulator_is_48) value = model::wrap32(value);
    if (!m.rescale) return value;
    const RescaleLane lane{value, static_cast<int32_t>(number(bias_bytes, 8 - bias_bytes)), parameters[8]};
    const int32_t scaled = rescale_steps(setup_of(m), lane).result;
    return m.table ? model::table_8(static_cast<int16_t>(scaled), tables_[static_cast<size_t>(m.table_slot)]) : scaled;
  }

  void finish(Running& run) {
    if (run.command.last) {
      run.line.wait_for_last_drain();
    } else {
      kept_ = run.sums;
    }
  }

  /// As the schedule has it.
  [[nodiscard]] ArrayState state() const {
    if (!running_) return ArrayState::Idle;
    int64_t end = running_->taken;
    for (const timing::StateCycles& part : running_->schedule.states) {
      end += part.cycles;
      if (edge_ <= end) return part.state;
    }
    return ArrayState::Idle;
  }
  /// Beats are taken in the cycles of the schedule: of weights while the shadow is free, or becomes it at this edge.
  [[nodiscard]] bool has_free_shadow() const {
    const auto is_over = [&](int64_t swap) { return swap <= edge_; };
    return running_->tiles_taken <= std::ranges::count_if(running_->schedule.swaps, is_over);
  }

  void drive() {
    at("wgt_ready_o").set(running_ && has_free_shadow() ? 1 : 0);
    at("act_ready_o").set(state() == ArrayState::Busy ? 1 : 0);
    at("prm_ready_o").set(running_ ? 1 : 0);
    at("tbl_ready_o").set(1);
    at("cmd_ready_o").set(can_take_command() ? 1 : 0);
    const bool is_wrong = flaw_ == ArrayFlaw::WrongState && state() == ArrayState::WeightLoad;
    at("stall_o").set(static_cast<uint64_t>(is_wrong ? ArrayState::Busy : state()));
    bool has_row = !due_.empty() && due_.front().edge <= edge_;
    if (flaw_ == ArrayFlaw::WaitsForReady && in("out_ready_i") == 0) has_row = false;
    at("out_valid_o").set(has_row ? 1 : 0);
    if (!has_row) return;
    const Row& row = due_.front();
    at("out_mask_o").set(0);
    for (size_t i = 0; i < row.lanes.size(); ++i) {
      at("out_mask_o").set_field(row.lanes[i], 1, flaw_ == ArrayFlaw::WrongMask && i == 0 ? 0 : 1);
      at("out_value_o").set_field(row.lanes[i], spec::kAccumulatorBits, static_cast<uint64_t>(row.values[i]));
    }
    const bool is_changed = flaw_ == ArrayFlaw::FollowsReady && in("out_ready_i") == 0;
    at("out_row_o").set(static_cast<uint64_t>(row.row) + (is_changed ? 1 : 0));
    at("out_bank_o").set(static_cast<uint64_t>(row.bank));
    at("out_last_of_tile_o").set(row.is_last_of_tile ? 1 : 0);
    at("out_last_o").set(row.is_last ? 1 : 0);
  }

  int lanes_;
  ArrayFlaw flaw_;
  std::map<std::string, std::vector<std::byte>> memory_;
  std::map<std::string, Port> ports_;
  std::vector<Pin> pins_;
  bool clock_ = false;
  bool is_prm_due_ = false;  // TakesGarbage
  int64_t edge_ = 0, bank_ = 0;
  std::unique_ptr<Running> running_;
  std::deque<Row> due_;
  Left before_;
  timing::MacEdgeSequence edges_;
  std::vector<std::vector<int64_t>> kept_;
  std::array<std::array<int8_t, model::kTable8Entries>, spec::kNumTableSlots> tables_{};
};

}  // namespace

bool array_model_has_pace_of(const spec::MacCommand& command, int lanes) {
  std::vector<std::byte> bytes(static_cast<size_t>(spec::port_bits<spec::MacCommand>(spec::PortFields::OfDatapath)) / 8 + 8);
  Port port(bytes.data(), 8 * std::ssize(bytes));
  spec::visit_port(command, spec::PortFields::OfDatapath,
                   [&](const spec::FieldInfo& field, int first_bit, const auto& member) {
                     port.set_bits(first_bit, field.width_bits, static_cast<uint64_t>(static_cast<int64_t>(member)));
                   });
  const auto edges_of = [&](const spec::MacCommand& c) { return timing::MacEdgeSequence({lanes, 4, 2}).next(c, 0); };
  const timing::CommandEdges real = edges_of(command), assumed = edges_of(command_of(port, lanes));
  const auto is_same = [](const timing::StateCycles& a, const timing::StateCycles& b) {
    return a.state == b.state && a.cycles == b.cycles;
  };
  return real.results == assumed.results && real.swaps == assumed.swaps && real.next_command == assumed.next_command &&
         std::ranges::equal(real.states, assumed.states, is_same);
}

std::unique_ptr<RtlBlock> make_array_model(int lanes, ArrayFlaw flaw) { return std::make_unique<ArrayModel>(lanes, flaw); }

}  // namespace vernier::cosim
