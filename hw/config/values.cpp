// SPDX-License-Identifier: Apache-2.0
#include "hw/base/error.hpp"
#include "hw/config/limits.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/spec/latency.hpp"

namespace vernier::config {
namespace {

/// The member under an overridable key, of a constant or a changeable configuration.
template <typename Config>
auto& member(Config& config, std::string_view key) {
  if (key == "clock_hz") return config.clock_hz;
  if (key == "sram_bytes") return config.sram_bytes;
  if (key == "external_bytes_per_cycle") return config.external.bytes_per_cycle;
  if (key == "external_latency_cycles") return config.external.latency_cycles;
  if (key == "external_burst_bytes") return config.external.burst_bytes;
  VERNIER_CHECK(key == "queue_depth_commands", "no configuration key {}", key);
  return config.queue_depth;
}

/// Appends values in the order of printing.
class Values {
 public:
  void text(std::string key, std::string value, bool is_overridable, std::string meaning) {
    values_.push_back({std::move(key), std::move(value), false, is_overridable, std::move(meaning)});
  }
  void fixed(std::string key, int64_t value, std::string meaning) {
    values_.push_back({std::move(key), fmt::format("{}", value), true, false, std::move(meaning)});
  }
  void overridable(const MachineConfig& config) {
    for (const detail::Limit& limit : detail::kLimits) {
      values_.push_back({std::string(limit.key), fmt::format("{}", detail::value_of(config, limit.key)), true, true,
                         fmt::format("{}; {} to {}", limit.meaning, limit.least, limit.most)});
    }
  }
  std::vector<ConfigValue> take() && { return std::move(values_); }

 private:
  std::vector<ConfigValue> values_;
};

void add_datapath(Values& values, const spec::Datapath& d) {
  values.fixed("macs_per_cycle", d.macs_per_cycle(), "int8 x int8 multiply-accumulates");
  values.fixed("lanes", d.lanes, "N: output channels at once, elements of a dot product, bytes of an SRAM word");
  values.fixed("sram_word_bytes", d.word_bytes(), "N");
  values.fixed("num_sram_banks", spec::kNumSramBanks, "single-port; bank = word mod banks");
  values.fixed("sram_read_words_per_cycle", d.sram_read_words, "all readers together");
  values.fixed("sram_write_words_per_cycle", d.sram_write_words, "all writers together");
  values.fixed("sram_read_bytes_per_cycle", int64_t{d.sram_read_words} * d.word_bytes(), "whole words");
  values.fixed("sram_write_bytes_per_cycle", int64_t{d.sram_write_words} * d.word_bytes(), "whole words");
  values.fixed("activation_segments_per_cycle", spec::kActivationSegments, "unaligned runs of up to N bytes");
  values.fixed("weight_tile_bytes", d.weight_tile_bytes(), "N x N, shadowed");
  values.fixed("weight_load_words_per_cycle", spec::kWeightLoadWords, "at most, and what the read port gives");
  values.fixed("num_accumulator_banks", spec::kNumAccumulatorBanks, "one accumulates while the other drains");
  values.fixed("accumulator_rows", spec::kAccumulatorRows, "of N accumulators, in a bank");
  values.fixed("accumulator_bits", spec::kAccumulatorBits, "of one accumulator");
  values.fixed("max_lane_split_pixels", int64_t{1} << spec::kMaxLaneSplitLog2, "pixels that may share the lanes");
  values.fixed("depthwise_taps", d.depthwise_taps(), "window of a lane; more take passes");
  values.fixed("rescale_lanes", d.rescale_lanes(), "elements a cycle");
  values.fixed("vector_lanes", d.vector_lanes(), "elements a cycle, of 32 bits");
  values.fixed("table_lanes", d.table_lanes(), "elements a cycle");
  values.fixed("num_table_slots", spec::kNumTableSlots, "513 x 16, 256 x 8 or 256 x 32 bit each");
  values.fixed("num_vector_registers", spec::kNumVectorRegisters, "of the vector unit");
  values.fixed("max_vector_steps", spec::kMaxVectorSteps, "of one vector program");
  values.fixed("dma_bytes_per_cycle", d.dma_bytes(), "at most, each direction");
}

void add_latencies(Values& values) {
  values.fixed("sram_read_latency_cycles", spec::kSramReadLatencyCycles, "address to data at the unit");
  values.fixed("mac_pipeline_cycles", spec::kMacPipelineCycles, "operand register to accumulator");
  values.fixed("rescale_pipeline_cycles", spec::kRescalePipelineCycles, "zero point, multiply, round and saturate");
  values.fixed("table_pipeline_cycles", spec::kTablePipelineCycles, "bank read, interpolate");
  values.fixed("vector_slot_cycles", spec::kVectorSlotCycles, "each slot that a program uses in sequence");
  values.fixed("issue_cycles", spec::kIssueCycles, "dispatch to the earliest start in the unit");
  values.fixed("decode_cycles", spec::kDecodeCycles, "a command, after its last word");
  values.fixed("token_cycles", spec::kTokenCycles, "a command's end to the start of one that waits for it");
  values.fixed("tile_swap_cycles", spec::kTileSwapCycles, "shadow weight tile to active, after a wait");
  values.fixed("lane_reduction_step_cycles", spec::kLaneReductionStepCycles, "a level of the tree across N lanes");
  values.fixed("int_div_cycles", spec::kIntDivCycles, "INTDIV of one vector");
  values.fixed("dma_setup_cycles", spec::kDmaSetupCycles, "descriptor to first address");
}

}  // namespace

int64_t detail::value_of(const MachineConfig& config, std::string_view key) { return member(config, key); }
void detail::set_value(MachineConfig& config, std::string_view key, int64_t value) { member(config, key) = value; }

std::vector<ConfigValue> values_of(const MachineConfig& config) {
  Values values;
  values.text("name", config.name, true, "of the configuration");
  values.text("base", config.base, true, "the preset that it starts from");
  values.overridable(config);
  values.text("external_is_full_duplex", config.external.is_full_duplex ? "true" : "false", true,
              "reads and writes have external_bytes_per_cycle each; true or false");
  values.text("memory_mode", std::string(spec::kMemoryModeNames[static_cast<size_t>(config.memory_mode)]), true,
              "what is where at cycle 0; sram, weights-external or external");
  add_datapath(values, config.datapath);
  add_latencies(values);
  return std::move(values).take();
}

}  // namespace vernier::config
