// SPDX-License-Identifier: Apache-2.0
// What a network that does not fit is refused with.
#include "compiler/emit/compile.hpp"
#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "hw/spec/registers.hpp"
#include "tests/support/graph_builder.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <map>
#include <regex>
#include <string>

using namespace vernier;
using Catch::Matchers::Contains;
using tests::GraphBuilder;

namespace {

constexpr auto kModes = {spec::MemoryMode::Sram, spec::MemoryMode::WeightsExternal, spec::MemoryMode::External};
using Needs = std::map<std::string, int64_t>;  // by the name of the memory mode

std::string name_of(spec::MemoryMode mode) { return std::string(spec::kMemoryModeNames[static_cast<size_t>(mode)]); }

ir::TensorId convolution(GraphBuilder& b, ir::TensorId x) {
  const int64_t channels = b.shape_of(x)[3];
  const auto w = b.constant(tests::random_tensor(base::ElementType::Int8, {channels, 3, 3, channels}, 1));
  const auto bias = b.constant(tests::random_tensor(base::ElementType::Int32, {channels}, 2, -1000, 1000));
  const auto sums = b.conv2d(x, w, bias, {.pad = {1, 1, 1, 1}});
  return b.rescale(sums, base::ElementType::Int8, {.multipliers = {1 << 30}, .shifts = {38}});
}

ir::Graph two_convolutions() {
  GraphBuilder b;
  return b.build({convolution(b, convolution(b, b.input("x", base::ElementType::Int8, {1, 20, 20, 24})))});
}

config::MachineConfig machine(spec::MemoryMode mode, int64_t sram_bytes) {
  config::MachineConfig config = config::preset_config("v256", "test");
  config.memory_mode = mode;
  config.sram_bytes = sram_bytes;
  config.origins.sram = "--sram-bytes";
  return config;
}

/// The line without the name of the file; empty where the network is taken.
std::string refused(const ir::Graph& graph, const config::MachineConfig& config, int64_t optimize = 1) {
  try {
    emit::compile(graph, {"net.tosa", {}}, config, {optimize});
    return "";
  } catch (const base::UserError& error) {
    const std::string text = error.what();
    REQUIRE_THAT(text, Catch::Matchers::StartsWith("net.tosa: "));
    return text.substr(std::string("net.tosa: ").size());
  }
}

Needs needs_of(const std::string& line) {
  Needs needs;
  std::smatch own;
  REQUIRE(std::regex_search(line, own, std::regex("^needs ([0-9]+) B .*of SRAM with .* in memory mode '([a-z-]+)'")));
  needs[own[2]] = std::stoll(own[1]);
  const std::regex other("'([a-z-]+)' needs ([0-9]+) B");
  for (std::sregex_iterator it(line.begin(), line.end(), other), end; it != end; ++it)
    needs[(*it)[1]] = std::stoll((*it)[2]);
  return needs;
}

}  // namespace

TEST_CASE("The refusal of an SRAM names all modes' needs, and in each that size is taken and a step less is not") {
  const ir::Graph graph = two_convolutions();
  for (const int64_t optimize : {0, 1}) {
    const Needs needs = needs_of(refused(graph, machine(spec::MemoryMode::Sram, 1024), optimize));
    REQUIRE(needs.size() == 3);
    CHECK(needs.at("sram") > needs.at("weights-external"));
    CHECK(needs.at("weights-external") > needs.at("external"));
    for (const spec::MemoryMode mode : kModes) {
      CAPTURE(optimize, name_of(mode));
      const int64_t least = needs.at(name_of(mode));
      CHECK(refused(graph, machine(mode, least), optimize).empty());
      for (const int64_t bytes : {int64_t{1024}, least - 128}) {
        if (bytes < 1024 || bytes >= least) continue;  // no machine has less
        CHECK(needs_of(refused(graph, machine(mode, bytes), optimize)) == needs);
      }
    }
  }
}

TEST_CASE("The refusal says who set the size, and both sizes in one unit") {
  const ir::Graph graph = two_convolutions();
  for (const std::string origin : {"preset 'v256'", "small.toml:3", "--sram-bytes"}) {
    config::MachineConfig config = machine(spec::MemoryMode::WeightsExternal, 2048);
    config.origins.sram = origin;
    const std::string line = refused(graph, config);
    const Needs needs = needs_of(line);
    const auto size = [&](spec::MemoryMode mode) { return base::size_text(needs.at(name_of(mode))); };
    CHECK(line == fmt::format("needs {} of SRAM with feature maps and weights in memory mode 'weights-external', {} gives "
                              "2048 B (2 KiB); memory mode 'sram' needs {}, 'external' needs {}",
                              size(spec::MemoryMode::WeightsExternal), origin, size(spec::MemoryMode::Sram),
                              size(spec::MemoryMode::External)));
  }
}

TEST_CASE("Where parts of steps find room but are too many, the refusal says so") {
  GraphBuilder b;
  const ir::Graph graph = b.build({convolution(b, b.input("x", base::ElementType::Int8, {1, 192, 192, 64}))});
  config::MachineConfig config = config::preset_config("v64", "test");
  config.memory_mode = spec::MemoryMode::External;
  config.sram_bytes = 1024;
  CHECK_THAT(
      refused(graph, config),
      Contains("preset 'v64' gives 1024 B (1 KiB), in which it takes more than 200,000 commands, the most that a plan "
               "may have; memory mode 'sram' needs "));
  config.memory_mode = spec::MemoryMode::Sram;
  CHECK_THAT(refused(graph, config), !Contains("commands, the most"));
}

TEST_CASE("A need beyond the largest SRAM is told, but not as advice") {
  GraphBuilder b;
  const int64_t half = spec::kMaxSramBytes / 2;
  const auto x = b.input("x", base::ElementType::Int8, {half / 65536, 65536});
  const ir::Graph graph = b.build({b.op(ir::OpKind::BitwiseNot, {x}, base::ElementType::Int8, {half / 65536, 65536})});
  const config::MachineConfig sram = machine(spec::MemoryMode::Sram, 64 << 20);
  CHECK_THAT(refused(graph, sram),
             Contains("--sram-bytes gives 67108864 B (64 MiB), a machine may have 268435456 B (256 MiB)"));
  CHECK_THAT(refused(graph, machine(spec::MemoryMode::External, 1024)), !Contains("'sram' needs"));
}

TEST_CASE("What the machine cannot do is told with the operator and its result") {
  GraphBuilder b;
  const int64_t elements = (1 << 16) + 1;
  const auto x = b.input("x", base::ElementType::Int8, {1, elements});
  const auto y = b.op(ir::OpKind::ArgMax, {x}, base::ElementType::Int32, {1}, ir::AxisAttributes{1});
  const ir::Graph graph = b.build({y});
  CHECK_THAT(refused(graph, machine(spec::MemoryMode::Sram, 64 << 20)),
             Contains("ARGMAX '" + graph.tensor(y).name + "' is over 65537 elements, allowed are 65536"));
}
