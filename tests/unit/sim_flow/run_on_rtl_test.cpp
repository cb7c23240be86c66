// SPDX-License-Identifier: Apache-2.0
// Runs on RTL: blocks in C++ that are right, or wrong in a known way.
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/package/command_codec.hpp"
#include "sim/flow/model/ends.hpp"
#include "sim/flow/model/inputs.hpp"
#include "sim/flow/model/model.hpp"
#include "sim/flow/rtl/rtl_session.hpp"
#include "sim/flow/run/run.hpp"
#include "tests/cosim/flawed_blocks.hpp"
#include "tests/cosim/flawed_unit.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <set>
#include <utility>

namespace vernier::flow {
namespace {

using Catch::Matchers::Contains;
using cosim::ArrayFlaw;
using cosim::Flaw;
namespace fs = std::filesystem;

struct Flaws {
  ArrayFlaw array = ArrayFlaw::None;
  Flaw lanes = Flaw::None;
};

RunRequest options_of(const std::string& network, const Flaws& flaws) {
  RunRequest options;
  options.model = tests::source_path("tests/golden/networks/" + network + "/model.tosa").string();
  options.machine.config = "v64";
  options.backend = "rtl";
  options.rtl.make_own = cosim::flawed_blocks(flaws.lanes, flaws.array);
  return options;
}

struct Ran {
  Verdict verdict = Verdict::Good;
  report::Report report;
};

Ran run_of(const RunRequest& options) {
  RunResult result = run(options);
  REQUIRE_FALSE(result.failure);
  REQUIRE(result.report.rtl);
  return {result.verdict(), std::move(result.report)};
}

/// Runs in a folder of its own, where a run leaves its wave.
class InFolder {
 public:
  InFolder() { fs::current_path(folder_ / ""); }
  ~InFolder() { fs::current_path(before_); }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;

 private:
  tests::TemporaryDirectory folder_;
  fs::path before_ = fs::current_path();
};

}  // namespace

TEST_CASE("backend rtl: right blocks match, and cycles, values and report are those of the simulator") {
  if (!cosim::has_rtl()) return;
  for (const char* network : {"conv_1x1_c20_oc33", "softmax_rows", "conv_clamp_table"}) {
    INFO(network);
    RunRequest options = options_of(network, {});
    options.check_all = true;
    const Ran rtl = run_of(options);
    CHECK(rtl.verdict == Verdict::Good);
    CHECK(rtl.report.backend == "rtl");
    CHECK(rtl.report.check.result == "match");
    CHECK(rtl.report.rtl->mismatches == 0);
    CHECK(rtl.report.rtl->vectors > 0);
    CHECK(rtl.report.rtl->rtl_cycles == rtl.report.rtl->model_cycles);
    CHECK(rtl.report.rtl->commands + rtl.report.rtl->commands_without_rtl + 1 == rtl.report.commands);  // END
    options.backend = "sim";
    const RunResult sim = run(options);
    CHECK(sim.verdict() == Verdict::Good);
    CHECK_FALSE(sim.report.rtl);
    CHECK(sim.report.cycles == rtl.report.cycles);
    CHECK(sim.report.check.elements_compared == rtl.report.check.elements_compared);
  }
}

TEST_CASE("backend rtl: any mismatch of value or edge ends the run with 3") {
  if (!cosim::has_rtl()) return;
  const Ran zeros = run_of(options_of("conv_1x1_c20_oc33", {.array = ArrayFlaw::Zeros}));
  CHECK(zeros.verdict == Verdict::Mismatch);
  CHECK(zeros.report.check.result == "mismatch");
  CHECK(zeros.report.rtl->cycle_mismatches == 0);
  CHECK_THAT(zeros.report.rtl->first_mismatches.front(), Contains("out_value_o lane 0: expected "));
  REQUIRE(zeros.report.rtl->mismatch_details.size() == zeros.report.rtl->first_mismatches.size());
  const report::RtlUse::MismatchDetail& first = zeros.report.rtl->mismatch_details.front();
  CHECK(first.kind == "value");
  CHECK(first.unit == "npu_datapath");
  CHECK(first.port == "out_value_o");
  CHECK(first.lane == 0);
  CHECK(first.actual.number == 0);
  CHECK(first.expected.number.value_or(0) != 0);
  CHECK_THAT(zeros.report.rtl->first_mismatches.front(),
             Contains(fmt::format("{}, npu_datapath, vector 0, cycle {}, ", first.command, first.cycle)) &&
                 Contains(": expected " + first.expected.text + ", actual 0: " + first.operands));
  const Ran late = run_of(options_of("conv_1x1_c20_oc33", {.array = ArrayFlaw::Late}));
  CHECK(late.verdict == Verdict::Mismatch);
  CHECK(late.report.check.result == "match");
  CHECK(late.report.rtl->cycle_mismatches > 0);
  const Ran lanes = run_of(options_of("softmax_rows", {.lanes = Flaw::Late}));
  CHECK(lanes.verdict == Verdict::Mismatch);
  CHECK(lanes.report.check.result == "match");
  CHECK(lanes.report.rtl->commands > 0);
  CHECK_THAT(lanes.report.rtl->first_mismatches.front(), Contains("1 cycle later than hw/spec says"));
}

TEST_CASE("backend rtl: jobs that follow each other are all compared, counts are of one") {
  if (!cosim::has_rtl()) return;
  RunRequest options = options_of("conv_1x1_c20_oc33", {});
  const Ran one = run_of(options);
  options.iterations = 3;
  const Ran three = run_of(options);
  CHECK(three.verdict == Verdict::Good);
  CHECK(three.report.check.iterations_compared == 3);
  CHECK(three.report.rtl->commands == one.report.rtl->commands);
  CHECK(three.report.rtl->vectors == one.report.rtl->vectors);
  CHECK(three.report.rtl->slowest_commands.size() == one.report.rtl->slowest_commands.size());
  options = options_of("conv_1x1_c20_oc33", {.array = ArrayFlaw::Zeros});
  const int64_t mismatches = run_of(options).report.rtl->mismatches;
  options.iterations = 3;
  CHECK(run_of(options).report.rtl->mismatches == 3 * mismatches);
}

TEST_CASE(
    "backend rtl: a unit from elsewhere that no command uses is told, and is a mismatch where its depth has to be ours") {
  if (!cosim::has_rtl()) return;
  struct Used {
    std::string unused;
    int64_t mismatches = 0;
    std::string first_mismatch;
  };
  const auto used_of = [](const std::string& network, Flaw flaw, bool is_strict, std::string_view theirs) {
    const RunRequest options = options_of(network, {.lanes = flaw});
    const Model model = load_model(options.model, options.machine);
    const package::Package package = package_of(model, options.machine);
    const cosim::RtlLibrary own = cosim::rtl_of(options.rtl.make_own);
    RtlSource source{.own = own, .foreign = own, .folder = "DIR", .is_strict = is_strict};
    source.foreign->concerns = [theirs](const spec::RtlBlock& block) {
      return block.unit == theirs || (block.unit == "datapath" && theirs != "core" && theirs != "vector");
    };
    source.foreign->has_array = false;
    RtlSession session = RtlBlocks(package.config.datapath, source).begin(package, {});
    CHECK(session.run_job(zero_inputs(ends_of(package).inputs), {}).job.is_done());
    const RtlOutcome rtl = std::move(session).finish();
    const report::RtlUse use = rtl.use();
    CHECK(use.unused == rtl.unused());
    CHECK(rtl.is_equal() == (use.mismatches == 0));
    return Used{use.unused, use.mismatches, use.first_mismatches.empty() ? "" : use.first_mismatches.front()};
  };
  // The array keeps a unit of ours, and has no vector command.
  Used conv = used_of("conv_3x3_pad", Flaw::Late, false, "rescale");
  CHECK(conv.unused == "npu_rescale_unit of DIR not used");
  CHECK(conv.mismatches == 0);
  conv = used_of("conv_3x3_pad", Flaw::Late, true, "rescale");
  CHECK(conv.unused == "npu_rescale_unit of DIR not used");
  CHECK(conv.mismatches == 1);
  CHECK_THAT(conv.first_mismatch, Contains("npu_rescale_unit: takes 5 cycles, and hw/spec says 4; no command used it"));
  // Of our depth it is in the array; vector commands have steps for it.
  CHECK(used_of("conv_3x3_pad", Flaw::None, true, "rescale").unused.empty());
  CHECK(used_of("softmax_rows", Flaw::Late, false, "rescale").unused.empty());
  // Units that a network has no work for.
  CHECK(used_of("conv_3x3_pad", Flaw::None, false, "table").unused == "npu_table_unit of DIR not used");
  CHECK(used_of("conv_clamp_table", Flaw::None, false, "table").unused.empty());
  CHECK(used_of("conv_3x3_pad", Flaw::None, false, "vector").unused == "npu_vector_unit of DIR not used");
  CHECK(used_of("softmax_rows", Flaw::None, false, "vector").unused.empty());
  CHECK(used_of("conv_3x3_pad", Flaw::None, true, "core").unused == "nothing of DIR used");
}

TEST_CASE("backend rtl: each command of the array has its cycles, those of the model and those of the RTL") {
  for (const auto flaw : {ArrayFlaw::None, ArrayFlaw::Late}) {
    const Ran ran = run_of(options_of("conv_1x1_c20_oc33", {.array = flaw}));
    const std::vector<report::RtlUse::CommandCycles>& cycles = ran.report.rtl->command_cycles;
    REQUIRE_FALSE(cycles.empty());
    for (const report::RtlUse::CommandCycles& command : cycles) {
      CHECK(command.unit == "mac_array");
      CHECK(ran.report.command_list.at(static_cast<size_t>(command.command_idx)).unit == "mac_array");
      CHECK(command.model_cycles > 0);
      CHECK(command.rtl_cycles == command.model_cycles + (flaw == ArrayFlaw::Late ? 1 : 0));
    }
  }
}

TEST_CASE("backend rtl: the slowest commands come first") {
  if (!cosim::has_rtl()) return;
  const Ran ran = run_of(options_of("small_classifier", {}));
  const std::vector<report::RtlUse::SlowCommand>& slowest = ran.report.rtl->slowest_commands;
  REQUIRE(slowest.size() > 1);
  for (size_t i = 1; i < slowest.size(); ++i) CHECK(slowest[i - 1].cycles >= slowest[i].cycles);
  for (const report::RtlUse::SlowCommand& command : slowest) {
    CHECK((command.unit == "mac_array" || command.unit == "vector_unit"));
    CHECK(ran.report.command_list.at(static_cast<size_t>(command.command_idx)).unit == command.unit);
  }
}

TEST_CASE("backend rtl: after a mismatch there is a wave around the first command that differs, of RTL where it ran there") {
  if (!cosim::has_rtl()) return;
  const InFolder folder;
  for (const bool is_array : {true, false}) {
    RunRequest options = is_array ? options_of("conv_1x1_c20_oc33", {.array = ArrayFlaw::Zeros})
                                  : options_of("softmax_rows", {.lanes = Flaw::Late});
    options.rerun_folder = "";
    options.report_files = {"r.json"};
    CHECK(run(options).verdict() == Verdict::Mismatch);
    CHECK_THAT(base::read_text_file("r.json"),
               Contains("around the first mismatch") && Contains(": gtkwave --dump model.tosa.first-difference."));
    CHECK(fs::exists("model.tosa.first-difference.fst") != fs::exists("model.tosa.first-difference.vcd"));
    for (const char* file : {"model.tosa.first-difference.fst", "model.tosa.first-difference.vcd"}) fs::remove(file);
    options.rerun_folder.reset();
    CHECK(run(options).verdict() == Verdict::Mismatch);
    CHECK_FALSE(fs::exists("model.tosa.first-difference.fst"));
    CHECK_FALSE(fs::exists("model.tosa.first-difference.vcd"));
  }
}

TEST_CASE("backend rtl: RTL whose signals are too many is left out of a wave, and the run ends as without one") {
  if (!cosim::has_rtl()) return;
  const InFolder folder;
  const auto with_few_bytes = [](const Flaws& flaws) {
    RunRequest options = options_of("softmax_rows", flaws);
    options.rtl.most_wave_bytes = size_t{3} << 10;
    options.rerun_folder = "";
    options.report_files = {"r.json"};
    // Blocks of the program, which have signals; only the lanes of vector commands may be wrong.
    options.rtl.make_own = [flaws](std::string_view unit, int lanes) {
      if (flaws.lanes == Flaw::None || (unit != "rescale" && unit != "table")) return cosim::make_unit(unit, lanes);
      return cosim::make_model_block("npu_" + std::string(unit) + "_unit", lanes, flaws.lanes);
    };
    return options;
  };
  RunRequest options = with_few_bytes({.lanes = Flaw::Late});
  CHECK(run(options).verdict() == Verdict::Mismatch);
  CHECK_THAT(base::read_text_file("r.json"),
             Contains("of the machine (the RTL's would be too large), around the first mismatch"));
  CHECK_THAT(base::read_text_file("r.json"), Contains(".replay.json"));
  options = with_few_bytes({});
  options.traces.waves = {"w.vcd"};
  CHECK(run(options).verdict() == Verdict::Good);
  CHECK_THAT(base::read_text_file("r.json"), Contains("the RTL's signals of the vector unit would take more than"));
  CHECK_THAT(base::read_text_file("w.vcd"), Contains("$scope module npu $end") && !Contains("vector_rtl0"));
  options.rtl.most_wave_bytes = cosim::RtlWave::kMostBytes;
  CHECK(run(options).verdict() == Verdict::Good);
  CHECK_THAT(base::read_text_file("w.vcd"), Contains("vector_rtl0"));
}

TEST_CASE("backend rtl: RTL that stands still ends the run with 4, and what the machine did is in the wave") {
  if (!cosim::has_rtl()) return;
  const InFolder folder;
  RunRequest options = options_of("conv_1x1_c20_oc33", {.array = ArrayFlaw::NotReady});
  options.traces.waves = {"w.vcd", "w.ftr"};
  options.traces.timelines = {"t.json"};
  CHECK(run(options).verdict() == Verdict::Fault);
  CHECK(fs::exists("w.vcd"));
  CHECK(fs::exists("w.ftr"));
  CHECK_THAT(base::read_text_file("t.json"), Contains("command_idx"));
  // A layer that has no cycle before the machine stops changes nothing of that.
  fs::remove("w.vcd");
  options.traces.wave_layer = "0";
  CHECK(run(options).verdict() == Verdict::Fault);
  CHECK(fs::exists("w.vcd"));
  CHECK(run(options_of("softmax_rows", {.lanes = Flaw::NoResult})).verdict() == Verdict::Fault);
}

TEST_CASE("backend rtl: blocks that there are not end the run before anything is compiled") {
  if (!cosim::has_rtl()) return;
  RunRequest options = options_of("conv_1x1_c20_oc33", {});
  options.rtl.make_own = [](std::string_view unit, int) -> std::unique_ptr<cosim::RtlBlock> {
    throw base::UserError(unit, "there is none");
  };
  CHECK_THROWS_WITH(run(options), "rescale: there is none");
}

TEST_CASE("A command comes with the slices of its reduction that run before it") {
  if (!cosim::has_rtl()) return;
  const std::string model = tests::source_path("tests/golden/networks/fc_200_17/model.tosa").string();
  MachineOptions machine;
  machine.config = "v64";
  machine.memory = "external";
  machine.sram_bytes = 1024;
  const Model loaded = load_model(model, machine);
  const package::Package package = package_of(loaded, machine);
  int32_t idx = 0;
  std::set<int32_t> wanted;
  const std::span<const std::byte> stream(package.stream);
  for (size_t offset = 0; offset < stream.size(); ++idx) {
    const package::Decoded decoded = package::decode(stream.subspan(offset));
    offset += static_cast<size_t>(decoded.length_bytes);
    const auto* mac = std::get_if<spec::MacCommand>(&decoded.command.body);
    if (mac == nullptr) {
      CHECK(with_earlier_slices(package, idx) == std::set<int32_t>{idx});
      continue;
    }
    if (mac->first) wanted.clear();
    wanted.insert(idx);
    CHECK(with_earlier_slices(package, idx) == wanted);
  }
  CHECK(wanted.size() > 1);
}

}  // namespace vernier::flow
