// SPDX-License-Identifier: Apache-2.0
// Vector commands of a simulated machine on the vector unit's RTL: what is compared, what goes on, what is named.
#include "sim/cosim/network/rtl_vector_unit.hpp"
#include "tests/cosim/array_model_block.hpp"
#include "tests/cosim/flawed_unit.hpp"
#include "tests/cosim/network_runs.hpp"

#include <catch2/catch.hpp>

#include <cstring>
#include <string_view>

using namespace vernier;
using namespace vernier::cosim;
using Catch::Matchers::Contains;

TEST_CASE("network: vector commands run on their unit, alone and with those of their lanes, and what those give goes on") {
  if (!has_rtl()) return;
  for (const char* network :
       {"rescale_per_channel", "rescale_int16_scale16", "table_int16", "softmax_rows", "reduce_max_int32"}) {
    const package::Package package = compiled(network, v64());
    const std::vector<base::Tensor> inputs = random_inputs(package);
    const std::vector<base::Tensor> right = kernels_outputs(package, inputs);
    const bool has_lanes = std::string_view(network) != "reduce_max_int32";
    INFO(network);
    for (const Flaw flaw : {Flaw::None, Flaw::Zeros, Flaw::Late}) {
      LaneUnits lanes(make_model_block("npu_rescale_unit", kLanes, flaw), make_model_block("npu_table_unit", kLanes, flaw),
                      kLanes);
      RtlVectorUnit unit(make_rtl_block("npu_vector_unit", kLanes), package.config.datapath,
                         {.run = {.seed = 5}, .lanes = &lanes});
      const Ran ran = run_on(make_array_model(kLanes, ArrayFlaw::None), package, inputs, {.vector_unit = &unit});
      const NetworkResult& result = ran.report.result;
      const bool is_right = flaw == Flaw::None || !has_lanes;
      CHECK(result.vector_commands_compared > 0);
      CHECK(result.vectors() > 0);
      CHECK(result.model_cycles == result.rtl_cycles);
      CHECK((result.mismatches() == 0) == is_right);
      CHECK((result.cycle_mismatches() > 0) == (flaw == Flaw::Late && has_lanes));
      CHECK((ran.outputs == right) == (flaw != Flaw::Zeros || !has_lanes));
      CHECK((result.commands_different() > 0) == !is_right);
      if (is_right) continue;
      CHECK(result.first_command_different >= 0);
      CHECK_THAT(result.first_text(),
                 Contains(fmt::format("command {}, layer '", result.first_command_different)) && Contains("_unit, vector "));
    }
  }
}

TEST_CASE("network: what the vector unit stores goes on, whatever it is, and is named") {
  if (!has_rtl()) return;
  const package::Package package = compiled("softmax_rows", v64());
  const std::vector<base::Tensor> inputs = random_inputs(package);
  for (const bool is_flawed : {false, true}) {
    RtlVectorUnit unit(std::make_unique<FlawedUnit>(make_rtl_block("npu_vector_unit", kLanes),
                                                    [is_flawed](FlawedUnit& flawed) {
                                                      const Pin& data = flawed.pin("st_data_o");
                                                      if (is_flawed) std::memset(data.data, 0x55, data.bytes);
                                                    }),
                       package.config.datapath, {.run = {.seed = 5}});
    const Ran ran = run_on(make_array_model(kLanes, ArrayFlaw::None), package, inputs, {.vector_unit = &unit});
    const NetworkResult& result = ran.report.result;
    CHECK(result.vector_commands_compared == std::ssize(result.command_cycles));
    CHECK((ran.outputs == kernels_outputs(package, inputs)) == !is_flawed);
    CHECK((result.mismatches() == 0) == !is_flawed);
    if (!is_flawed) continue;
    for (const base::Tensor& output : ran.outputs) CHECK(output.at(0) == 0x55);
    CHECK(result.cycle_mismatches() == 0);
    CHECK(result.commands_different() == result.vector_commands_compared);
    CHECK_THAT(result.first_text(),
               Contains("npu_vector_unit, vector 0, cycle ") && Contains("st_data_o lane ") && Contains("expected "));
  }
}
