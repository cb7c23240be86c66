// SPDX-License-Identifier: Apache-2.0
#include "hw/base/division.hpp"
#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "hw/config/limits.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/spec/control_system.hpp"
#include "hw/spec/latency.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace vernier::config {
namespace {

constexpr int64_t kNanosecondsPerSecond = 1'000'000'000;

/// The member under an overridable key, whole numbers only, of a constant or a changeable configuration.
template <typename Config>
auto& member(Config& config, std::string_view key) {
  if (key == "clock_hz") return config.clock_hz;
  if (key == "sram_bytes") return config.sram_bytes;
  if (key == "external_latency_cycles") return config.external.latency_cycles;
  if (key == "external_burst_bytes") return config.external.burst_bytes;
  VERNIER_CHECK(key == "queue_depth_commands", "no configuration key {}", key);
  return config.queue_depth;
}

/// whole x ratio; to the nearest whole number where the exact one has more digits than anybody reads.
base::Ratio product(int64_t whole, base::Ratio ratio) {
  const int64_t common = std::gcd(whole, ratio.denominator());
  const auto numerator = static_cast<base::Wide>(whole / common) * ratio.numerator();
  const int64_t denominator = ratio.denominator() / common;
  if (numerator <= std::numeric_limits<int64_t>::max()) return {static_cast<int64_t>(numerator), denominator};
  return static_cast<int64_t>((numerator + denominator / 2) / denominator);
}

/// Appends values in the order of printing.
class Values {
 public:
  void text(std::string key, std::string value, bool is_overridable, std::string meaning) {
    values_.push_back({std::move(key), std::move(value), std::nullopt, is_overridable, std::move(meaning)});
  }
  void fixed(std::string key, int64_t value, std::string meaning) {
    values_.push_back({std::move(key), fmt::format("{}", value), value, false, std::move(meaning)});
  }
  void overridable(const MachineConfig& config) {
    for (const detail::Limit& limit : detail::kLimits) {
      const base::Ratio value = detail::value_of(config, limit.key);
      values_.push_back(
          {std::string(limit.key), base::to_string(value), value, true,
           fmt::format("{}; {} to {}", limit.meaning, base::to_string(limit.least), base::to_string(limit.most))});
      for (const detail::Twin& twin : detail::kTwins) {
        if (twin.key == limit.key) add_twin(config, twin);
      }
    }
  }
  std::vector<ConfigValue> take() && { return std::move(values_); }

 private:
  void add_twin(const MachineConfig& config, const detail::Twin& twin) {
    const base::Ratio value = detail::twin_of(config, twin);
    const double decimal = static_cast<double>(value.numerator()) / static_cast<double>(value.denominator());
    values_.push_back({std::string(twin.name), value.is_whole() ? base::to_string(value) : fmt::format("{:.3f}", decimal),
                       value, true, std::string(twin.meaning)});
  }

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
  values.fixed("weight_load_rows_per_cycle", spec::kWeightLoadRows, "rows of the weight tile, at most");
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

/// The memories on the die that commands, firmware and host write.
int64_t parity_bits(const MachineConfig& config) {
  if (config.sram_protection != spec::SramProtection::Parity) return 0;
  const int64_t control_bytes =
      int64_t{spec::cpu_window(spec::CpuWindowId::Ram).size_bytes} + spec::cpu_window(spec::CpuWindowId::Shared).size_bytes;
  return (config.sram_bytes + control_bytes) * spec::kParityBitsPerByte;
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

base::Ratio detail::value_of(const MachineConfig& config, std::string_view key) {
  return key == "external_bytes_per_cycle" ? config.external.bytes_per_cycle : base::Ratio(member(config, key));
}

void detail::set_value(MachineConfig& config, std::string_view key, base::Ratio value) {
  if (key == "external_bytes_per_cycle") {
    config.external.bytes_per_cycle = value;
  } else {
    VERNIER_CHECK(value.is_whole(), "{} is {}", key, base::to_string(value));
    member(config, key) = value.numerator();
  }
}

std::string detail::out_of_range(const Limit& limit, base::Ratio value) {
  const bool is_size = limit.key == "sram_bytes";
  const auto text = [&](base::Ratio v) { return is_size ? base::size_text(v.numerator()) : base::to_string(v); };
  return fmt::format("{} is {}, allowed {} {} to {}", limit.key, text(value), is_size ? "on every preset are" : "are",
                     text(limit.least), text(limit.most));
}

base::Ratio detail::twin_of(const MachineConfig& config, const Twin& twin) {
  if (twin.name == "external_latency_ns")
    return product(config.external.latency_cycles, {kNanosecondsPerSecond, config.clock_hz});
  VERNIER_CHECK(twin.name == "external_bytes_per_second", "no configuration key {}", twin.name);
  return product(config.clock_hz, config.external.bytes_per_cycle);
}

std::pair<int64_t, int64_t> detail::range_of(const MachineConfig& config, const Twin& twin) {
  const auto limit = std::find_if(kLimits.begin(), kLimits.end(), [&](const Limit& l) { return l.key == twin.key; });
  VERNIER_CHECK(limit != kLimits.end(), "{} stands for {}", twin.name, twin.key);
  MachineConfig least = config, most = config;
  set_value(least, limit->key, limit->least);
  set_value(most, limit->key, limit->most);
  const base::Ratio first = twin_of(least, twin), last = twin_of(most, twin);
  const bool rounds_up = twin.name == "external_latency_ns";  // to a cycle at least
  return {rounds_up ? 1 : base::ceil_div(first.numerator(), first.denominator()), last.numerator() / last.denominator()};
}

void detail::set_twin(MachineConfig& config, const Twin& twin, int64_t value) {
  if (twin.name == "external_latency_ns") {
    config.external.latency_cycles = base::ceil_div(value, {kNanosecondsPerSecond, config.clock_hz});
  } else {
    VERNIER_CHECK(twin.name == "external_bytes_per_second", "no configuration key {}", twin.name);
    config.external.bytes_per_cycle = {value, config.clock_hz};
  }
}

std::vector<ConfigValue> values_of(const MachineConfig& config) {
  Values values;
  values.text("name", config.name, true, "of the configuration");
  values.text("base", config.base, true, "the preset that it starts from");
  values.overridable(config);
  values.text("external_is_full_duplex", config.external.is_full_duplex ? "true" : "false", true,
              "reads and writes have external_bytes_per_cycle each; true or false");
  values.text("memory_mode", std::string(spec::kMemoryModeNames[static_cast<size_t>(config.memory_mode)]), true,
              "what is where at cycle 0; sram, weights-external or external");
  values.text("sram_protection", std::string(spec::kSramProtectionNames[static_cast<size_t>(config.sram_protection)]), true,
              "of each byte: none, or parity, a bit that finds one wrong bit");
  values.fixed("sram_parity_bits", parity_bits(config),
               "beside those of SRAM and the control CPU's memories; no access takes longer");
  add_datapath(values, config.datapath);
  add_latencies(values);
  return std::move(values).take();
}

}  // namespace vernier::config
