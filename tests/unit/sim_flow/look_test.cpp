// SPDX-License-Identifier: Apache-2.0
// The functions that look inside: dump, explain, inspect, waves and timelines, the first difference.
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/npy.hpp"
#include "sim/flow/files/compile.hpp"
#include "sim/flow/look/dump.hpp"
#include "sim/flow/look/explain.hpp"
#include "sim/flow/look/inspect.hpp"
#include "sim/flow/run/run.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/sim_flow/demo.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <numeric>

namespace vernier::flow {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
namespace fs = std::filesystem;

/// The demo network with wrong weights.
std::string wrong_package(const tests::TemporaryDirectory& folder) {
  package::Package package = compile({.model = tests::demo_file()}).package.value();
  for (std::byte& byte : package.image.at(0).bytes) byte ^= std::byte{0x15};
  const fs::path file = folder / "wrong.vnpu";
  base::write_file(file, package::to_bytes(package));
  return file.string();
}

TEST_CASE("dump: a tensor is what a run gives as its output, as values, text and file") {
  const tests::TemporaryDirectory folder;
  const RunResult ran = run({.model = tests::demo_file(), .seed = 7});
  REQUIRE(ran.outputs.size() == 1);
  const std::string name = ran.output_ends.at(0).name;
  DumpRequest request{.model = tests::demo_file(), .tensor = name, .seed = 7};
  const DumpResult dumped = dump(request);
  REQUIRE_FALSE(dumped.failure);
  REQUIRE(dumped.tensors.size() == 1);
  CHECK(dumped.tensors[0].values == ran.outputs[0]);
  CHECK(dumped.files.empty());
  CHECK_THAT(to_text(dumped), StartsWith("# tensor " + name));
  request.output = (folder / "out.npy").string();
  const DumpResult written = dump(request);
  CHECK(written.files == std::vector<std::string>{request.output});
  CHECK_THAT(file_lines(written).at(0), StartsWith(request.output + ": tensor " + name));
  CHECK(base::read_text_file(request.output) == base::to_npy(ran.outputs[0]));
  request.tensor = "no such tensor";
  CHECK_THROWS_WITH(dump(request), StartsWith("--tensor: no tensor and no layer"));
}

TEST_CASE("dump: all tensors go into a folder, each into its file") {
  const tests::TemporaryDirectory folder;
  const DumpResult all = dump({.model = tests::demo_file(), .tensor = "all", .output = (folder / "all").string()});
  CHECK(all.tensors.size() > 2);
  REQUIRE(all.files.size() == all.tensors.size());
  for (const std::string& file : all.files) CHECK(fs::exists(file));
  CHECK(std::distance(fs::directory_iterator(folder / "all"), {}) == std::ssize(all.files));
}

TEST_CASE("dump: SRAM at the end of a cycle, and sums of the array") {
  const DumpResult memory = dump({.model = tests::demo_file(), .sram = SramWindow{0, 64, 0}});
  REQUIRE(memory.sram);
  CHECK(memory.sram->bytes.size() == 64);
  CHECK_THAT(to_text(memory), StartsWith("# SRAM 0x0 to 0x40 at the end of cycle 0"));
  const DumpResult sums =
      dump({.model = tests::demo_file(), .accumulator = AccumulatorChoice{.command_idx = 0, .cycle = {}, .name = ""}});
  REQUIRE(sums.tensors.size() == 1);
  CHECK(sums.tensors[0].values.type() == base::ElementType::Int48);
  const auto in_no_command = [] {
    dump({.model = tests::demo_file(), .accumulator = AccumulatorChoice{{}, 1'000'000, ""}});
  };
  CHECK_THROWS_WITH(in_no_command(), Contains("is beyond the end"));
  CHECK_THROWS_WITH(dump({.model = tests::demo_file()}), StartsWith("dump: needs one of"));
}

TEST_CASE("explain: the story of a layer has its cycles of the run") {
  const tests::TemporaryDirectory folder;
  const std::string json = (folder / "s.json").string();
  const ExplainResult explained = explain({.model = tests::demo_file(), .layer = "0", .report_files = {json}});
  REQUIRE_FALSE(explained.failure);
  const report::LayerStory& story = explained.story;
  CHECK(story.layer_idx == 0);
  CHECK_FALSE(story.operators.empty());
  CHECK_FALSE(story.choices.empty());
  CHECK_FALSE(story.places.empty());
  const report::Report report = run({.model = tests::demo_file()}).report;
  CHECK(story.layer().attributed_cycles == report.layers[0].attributed_cycles);
  CHECK(base::read_text_file(json) == report::to_json(story));
  CHECK_THROWS_WITH(explain({.model = tests::demo_file(), .layer = "no such layer"}), StartsWith("--layer: no layer"));
}

TEST_CASE("inspect: operators, layers and commands as figures, whose sums agree with each other and with a run") {
  const Inspection found = inspect({.model = tests::demo_file()});
  CHECK(found.format == "TOSA");
  REQUIRE(found.network);
  REQUIRE(found.program);
  CHECK(found.refusal.empty());
  const report::Report report = run({.model = tests::demo_file()}).report;
  const InspectedNetwork& network = *found.network;
  CHECK(network.macs == report.macs());
  CHECK(network.num_operators == std::ssize(found.program->operators));
  CHECK(network.num_layers == std::ssize(found.program->layers));
  const auto sum = [](const auto& entries, auto member) {
    return std::accumulate(entries.begin(), entries.end(), int64_t{0},
                           [&](int64_t so_far, const auto& entry) { return so_far + entry.*member; });
  };
  CHECK(sum(network.kinds, &OperatorCount::count) == network.num_operators);
  CHECK(sum(network.kinds, &OperatorCount::macs) == network.macs);
  CHECK(sum(found.program->layers, &InspectedLayer::macs) == network.macs);
  CHECK(sum(found.program->operators, &InspectedOperator::macs) == network.macs);
  CHECK(found.program->num_commands == report.commands);
  CHECK(found.program->sram_peak_bytes == report.sram_peak_bytes);
  CHECK(found.program->weight_bytes == report.weight_bytes);
  CHECK(network.live_peak.bytes >= network.largest_map_bytes);
  CHECK_THAT(to_text(found, {.width_columns = 100}), Contains("TOSA network") && Contains("CONV2D"));
}

TEST_CASE("inspect: a network that the machine has no room for is a finding") {
  InspectRequest request{.model = tests::demo_file()};
  request.machine.sram_bytes = 1024;
  const Inspection found = inspect(request);
  CHECK(found.network);
  CHECK_FALSE(found.program);
  CHECK_THAT(found.refusal, Contains("of SRAM"));
  CHECK_THAT(to_text(found, {.width_columns = 100}), Contains("does not run on v256: "));
}

TEST_CASE("inspect: a package says of what it is one") {
  const tests::TemporaryDirectory folder;
  const std::string file = (folder / "demo.vnpu").string();
  compile({.model = tests::demo_file(), .output = file});
  const Inspection found = inspect({.model = file});
  CHECK(found.format.empty());
  CHECK(found.package_of == "demo.tosa");
  CHECK_THAT(to_text(found, {.width_columns = 100}), Contains("package of demo.tosa"));
}

TEST_CASE("run: waves of a window and timelines are files of the request") {
  const tests::TemporaryDirectory folder;
  RunRequest request{.model = tests::demo_file()};
  request.traces.waves = {(folder / "w.vcd").string(), (folder / "w.ftr").string()};
  request.traces.wave_window = WaveWindow{0, 100};
  request.traces.timelines = {(folder / "t.json").string()};
  CHECK(run(request).verdict() == Verdict::Good);
  const std::string part = base::read_text_file(folder / "w.vcd");
  CHECK_THAT(part, Contains("$scope module npu $end"));
  CHECK(fs::exists(folder / "w.vcd.gtkw"));
  CHECK(fs::file_size(folder / "w.ftr") > 0);
  CHECK_THAT(base::read_text_file(folder / "t.json"), Contains("command_idx"));
  request.traces.wave_window.reset();
  CHECK(run(request).verdict() == Verdict::Good);
  CHECK(base::read_text_file(folder / "w.vcd").size() > part.size());
  request.traces.wave_window = WaveWindow{0, 1'000'000};
  fs::remove(folder / "w.vcd");
  CHECK_THROWS_WITH(run(request), Contains("reaches beyond the end"));
  CHECK_FALSE(fs::exists(folder / "w.vcd"));
}

TEST_CASE("run: a mismatch is looked into where the request says where to") {
  const tests::TemporaryDirectory folder;
  RunRequest request{.model = wrong_package(folder)};
  const RunResult plain = run(request);
  CHECK(plain.verdict() == Verdict::Mismatch);
  REQUIRE(plain.report.check.first_difference);
  CHECK(plain.report.check.first_difference->operands.empty());
  request.rerun_folder = (folder / "").string();
  const RunResult looked = run(request);
  CHECK(looked.verdict() == Verdict::Mismatch);
  CHECK_THAT(looked.report.notes.back(),
             Contains("around the first difference: gtkwave --dump ") && Contains("wrong.vnpu.first-difference."));
  CHECK((fs::exists(folder / "wrong.vnpu.first-difference.fst") || fs::exists(folder / "wrong.vnpu.first-difference.vcd")));
}

}  // namespace
}  // namespace vernier::flow
