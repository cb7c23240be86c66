// SPDX-License-Identifier: Apache-2.0
#include "hw/gen/rtl_texts.hpp"

#include "hw/spec/rtl_ports.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using Catch::Matchers::Contains;
using namespace vernier;

TEST_CASE("the package has the latencies and the codes of the contract") {
  const std::string package = gen::spec_package();
  CHECK_THAT(package, Contains("  localparam int RescalePipelineCycles = 4;\n"));
  CHECK_THAT(package, Contains("  localparam logic [2:0] TYPE_INT48 = 3'd5;\n"));
  CHECK_THAT(package, Contains("  localparam logic [2:0] ROUNDING_HALF_EVEN = 3'd3;\n"));
  CHECK_THAT(package, !Contains("TYPE_SHAPE"));
}

TEST_CASE("the page of ports has every port with its width for each number of lanes") {
  const std::string page = gen::rtl_ports_page();
  CHECK_THAT(page, Contains(fmt::format("Interface version {}.", spec::kRtlInterfaceVersion)));
  CHECK_THAT(page, Contains("| `scale_value_i` | in | 384 | 768 | 1536 |"));
  CHECK_THAT(page, Contains("| `tbl_word_i` | in | 8 | 7 | 6 |"));  // 129, 65 and 33 words of 8, 16 and 32 bytes
}

TEST_CASE("a binding names every pin") {
  for (const spec::RtlBlock& block : spec::kRtlBlocks) {
    const std::string binding = gen::rtl_binding(block, "Vx", gen::BindingVariant::Check);
    for (const spec::RtlPort& port : block.ports) {
      CHECK_THAT(binding, Contains("&model_." + std::string(port.name) + ", "));
    }
    CHECK_THAT(binding, !Contains("VerilatedVcdC"));
    CHECK_THAT(binding, !Contains("load_i"));
    CHECK_THAT(gen::rtl_binding(block, "Vx", gen::BindingVariant::Plain), Contains("VerilatedVcdC") && !Contains("load_i"));
    CHECK_THAT(gen::rtl_binding(block, "Vx", gen::BindingVariant::Held), Contains("VerilatedVcdC") && Contains("load_i"));
  }
}

TEST_CASE("a holder has a register before each input but clock and reset, and every port of its block") {
  for (const spec::RtlBlock& block : spec::kRtlBlocks) {
    const std::string holder = gen::rtl_holder(block, 16);
    CHECK_THAT(holder, Contains(fmt::format("module {}_held (", block.name)));
    CHECK_THAT(holder, Contains(fmt::format("{0} #(.Lanes(16)) {0} (", block.name)));
    for (const spec::RtlPort& port : block.ports) {
      const bool is_held = !port.is_output && port.name != "clk_i" && port.name != "rst_ni";
      CHECK_THAT(holder, Contains(fmt::format(".{0}({0}{1})", port.name, is_held ? "_held" : "")));
      const std::string load = fmt::format("    {0}_held <= {0};", port.name);
      if (is_held) CHECK_THAT(holder, Contains(load));
      if (!is_held) CHECK_THAT(holder, !Contains(load));
    }
    CHECK_THAT(holder, Contains(block.unit == "rescale" ? "input logic [767:0] scale_value_i" : "input logic en_i"));
  }
}
