// SPDX-License-Identifier: Apache-2.0
// Every event of the performance counters on whole networks, each on several machines, against the figures of the report.
#include "sim/flow/model/ends.hpp"
#include "sim/flow/model/inputs.hpp"
#include "sim/flow/model/model.hpp"
#include "tests/support/event_counts.hpp"
#include "tests/support/source_tree.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <limits>

namespace vernier::flow {
namespace {

/// Cycles do not depend on values. Returns how many events are not 0, of the way to start a job that has fewer.
int64_t check_network(const std::filesystem::path& file, const std::string& config, const std::string& memory) {
  CAPTURE(file.string(), config, memory);
  MachineOptions options;
  options.config = config;
  options.memory = memory;
  const Model model = load_network(file.string(), options);
  const package::Package package = package_of(model, options);
  const std::vector<base::Tensor> inputs = make_inputs(ends_of(package).inputs, {}, 1);
  int64_t least_seen = std::numeric_limits<int64_t>::max();
  for (const soc::Control control : {soc::Control::Direct, soc::Control::Cpu}) {
    soc::Npu npu(package.config, control);
    soc::JobOptions job_options;
    job_options.values = false;
    const int64_t num_seen = tests::check_all_events(
        [&](const soc::JobOptions& chosen) {
          soc::JobResult job = npu.run(package, inputs, chosen);
          REQUIRE(job.is_done());
          return job;
        },
        job_options);
    least_seen = std::min(least_seen, num_seen);
  }
  return least_seen;
}

TEST_CASE("performance counters of the made networks are the report's figures") {
  size_t number = 0;
  for (const char* network : {"avg_pool_3x3_pad", "branch_accumulator", "depthwise_separable", "residual_shortcut",
                              "small_classifier", "softmax_rank_3"}) {
    const auto file = tests::source_path(std::string("tests/golden/networks/") + network + "/model.tosa");
    const char* memory = std::array{"external", "sram", "weights-external"}.at(number++ % 3);
    for (const char* config : {"v64", "v256", "v1024"}) CHECK(check_network(file, config, memory) > 20);
  }
}

/// Quick tests look at the first network alone: all twelve take minutes.
TEST_CASE("performance counters of real networks are the report's figures") {
  const bool is_night = std::getenv("VERNIER_NIGHT") != nullptr;
  for (const char* network : {"kws_ref_model", "ad01_int8", "pretrainedResnet_quant", "mobilenet_v1_025_96_int8",
                              "str_ww_ref_model", "vww_96_int8", "ds_cnn_kws_int16x8", "mobilenet_v1_025_96_int16x8",
                              "vit_tiny_int8", "mobilenet_v2_quantized_1x3x224x224", "unet_96_int8", "resnet50_int8"}) {
    const std::filesystem::path folder = tests::shared_path(std::string("golden/nets/") + network);
    if (folder.empty()) {
      WARN("skipped: ../shared/golden/nets is not there");
      return;
    }
    for (const char* config : {"v64", "v256", "v1024"}) CHECK(check_network(folder / "model.tosa", config, "external") > 20);
    if (!is_night) return;
  }
}

}  // namespace
}  // namespace vernier::flow
