// SPDX-License-Identifier: Apache-2.0
// Networks on npu_core_sram: array and vector unit at once, commands in the order of the model's edges; what the DMA brings
// comes from the model. All bytes that the model has written stand in the SRAM at the end, what copies read is right, and
// the total is near the model's.
#include "tests/cosim/built_widths.hpp"
#include "tests/cosim/core_networks.hpp"
#include "tests/cosim/flawed_unit.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

using namespace vernier;
using namespace vernier::cosim;

namespace {

std::string text_of(const CoreResult& result) {
  std::string text = fmt::format("{} cycles, model {}; {}", result.total_cycles, result.model_total_cycles,
                                 first_text(result.first_mismatches));
  for (const CoreCommand& command : result.commands) {
    if (command.unit == "dma" || std::abs(command.percent_apart()) < 10) continue;
    text += fmt::format("; command {}: {} to {}, model {} to {}", command.command_idx, command.start_cycle,
                        command.end_cycle, command.model_start_cycle, command.model_end_cycle);
  }
  return text;
}

config::MachineConfig with_memory(config::MachineConfig machine, spec::MemoryMode mode) {
  machine.memory_mode = mode;
  return machine;
}

}  // namespace

TEST_CASE("core with its memory: small networks run on it with the model's values and nearly its cycles") {
  if (!has_rtl() || !is_built("npu_core_sram", kLanes)) return;
  CoreSramBench bench(static_cast<int>(kLanes));
  int64_t rtl_cycles = 0, model_cycles = 0;
  for (const std::string name :
       {"small_classifier", "residual_block", "depthwise_separable", "softmax_rows", "conv_clamp_table", "avg_pool_2x2",
        "residual_shortcut", "branch_two_consumers", "table_int16", "resize_int16_wide"}) {
    const CoreResult result = run_on_core(bench, compiled(name, v64()));
    INFO(name << ": " << text_of(result));
    CHECK(result.wrong_bytes == 0);
    CHECK(std::abs(result.total_cycles - result.model_total_cycles) <=
          std::max<int64_t>(32, result.model_total_cycles * 3 / 100));
    rtl_cycles += result.total_cycles;
    model_cycles += result.model_total_cycles;
  }
  INFO(rtl_cycles << " cycles, model " << model_cycles);
  CHECK(std::abs(rtl_cycles - model_cycles) * 100 <= model_cycles);
}

TEST_CASE("core with its memory: networks whose data lie outside run on it with the model's values and nearly its cycles") {
  if (!has_rtl() || !is_built("npu_core_sram", kLanes)) return;
  CoreSramBench bench(static_cast<int>(kLanes));
  for (const spec::MemoryMode mode : {spec::MemoryMode::WeightsExternal, spec::MemoryMode::External}) {
    for (const std::string name : {"small_classifier", "residual_block", "depthwise_separable", "table_int16"}) {
      const CoreResult result = run_on_core(bench, compiled(name, with_memory(v64(), mode)));
      INFO(name << ": " << text_of(result));
      CHECK(result.wrong_bytes == 0);
      CHECK(std::abs(result.total_cycles - result.model_total_cycles) <=
            std::max<int64_t>(32, result.model_total_cycles * 3 / 100));
    }
  }
}

TEST_CASE("core with its memory: a wrong result is found, with the command that wrote it") {
  if (!has_rtl() || !is_built("npu_core_sram", kLanes)) return;
  int64_t num_ends = 0;
  // The SRAM has another word after the third command of the array has ended: that of the outer port, which reads it.
  auto flawed =
      std::make_unique<FlawedUnit>(make_rtl_block("npu_core_sram", static_cast<int>(kLanes)), [&](FlawedUnit& unit) {
        if (unit.is_high("clk_i")) return;
        num_ends += unit.is_high("mac_end_o") ? 1 : 0;
        if (num_ends >= 3) static_cast<uint8_t*>(unit.pin("mem_rdata_o").data)[2 * kLanes] = 0x55;
      });
  CoreSramBench bench(std::move(flawed), static_cast<int>(kLanes));
  const CoreResult result = run_on_core(bench, compiled("small_classifier", v64()));
  CHECK(result.wrong_bytes > 0);
  REQUIRE(!result.first_mismatches.empty());
  INFO(result.first_mismatches.front().print());
  CHECK(result.first_mismatches.front().unit == "npu_core_sram");
}

TEST_CASE("core with its memory: real networks run on it with the model's values and within 1 % of its cycles", "[slow]") {
  if (!has_rtl() || !is_built("npu_core_sram", kLanes)) return;
  const auto nets = tests::shared_path("golden/nets");
  if (nets.empty()) {
    WARN("skipped: ../shared/golden/nets is not there");
    return;
  }
  CoreSramBench bench(static_cast<int>(kLanes));
  for (const char* name : {"ad01_int8", "kws_ref_model", "str_ww_ref_model", "pretrainedResnet_quant"}) {
    const std::string file = nets / name / "model.tosa";
    const std::vector<std::byte> bytes = base::read_file(file);
    const package::Package package =
        emit::compile(import::import_graph(file, bytes, ir::kLevel8k), {file, bytes}, v64(), {1});
    const CoreResult result = run_on_core(bench, package);
    INFO(name << ": " << text_of(result));
    CHECK(result.wrong_bytes == 0);
    REQUIRE(result.worst_command() != nullptr);
    CHECK(std::abs(result.worst_command()->percent_apart()) <= 10);
    CHECK(std::abs(result.total_cycles - result.model_total_cycles) * 100 <= result.model_total_cycles);
  }
}
