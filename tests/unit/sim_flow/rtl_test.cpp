// SPDX-License-Identifier: Apache-2.0
// The functions of RTL, on blocks in C++ that are right, or wrong in a known way: a session, a unit, a network, a replay.
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "sim/flow/files/compile.hpp"
#include "sim/flow/model/ends.hpp"
#include "sim/flow/model/inputs.hpp"
#include "sim/flow/rtl/network.hpp"
#include "sim/flow/rtl/replay.hpp"
#include "sim/flow/rtl/rtl_session.hpp"
#include "sim/flow/rtl/unit.hpp"
#include "tests/cosim/flawed_blocks.hpp"
#include "tests/cosim/flawed_unit.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace vernier::flow {
namespace {

using Catch::Matchers::Contains;
using cosim::ArrayFlaw;
using cosim::Flaw;
namespace fs = std::filesystem;

std::string network_file(const std::string& name) {
  return tests::source_path("tests/golden/networks/" + name + "/model.tosa").string();
}

MachineOptions v64() {
  MachineOptions machine;
  machine.config = "v64";
  return machine;
}

// The order of calls is a matter of types: a session is begun once, from blocks that are given up for it.
static_assert(!std::is_copy_constructible_v<RtlBlocks> && !std::is_copy_constructible_v<RtlSession>);
template <typename Blocks>
concept CanBeginAgain = requires(Blocks& blocks, const package::Package& package) {
  blocks.begin(package, RtlWork{});
};
template <typename Session>
concept CanFinishAgain = requires(Session& session) {
  session.finish();
};
static_assert(!CanBeginAgain<RtlBlocks> && !CanFinishAgain<RtlSession>);

TEST_CASE("A session on RTL: jobs, then what was found") {
  if (!cosim::has_rtl()) return;
  const package::Package package = compile({.model = network_file("conv_1x1_c20_oc33"), .machine = v64()}).package.value();
  const std::vector<base::Tensor> inputs = make_inputs(ends_of(package).inputs, {}, 1);
  const soc::JobResult by_kernels = soc::Npu(package.config).run(package, inputs);
  RtlSource source{.own = cosim::rtl_of(cosim::flawed_blocks(Flaw::None, ArrayFlaw::None))};
  std::set<int32_t> all;
  for (int32_t i = 0; i < std::ssize(package.command_layers); ++i) all.insert(i);
  int64_t num_told = 0;
  RtlWork work{.drawn = all, .progress = [&](const cosim::RtlProgress&) { ++num_told; }};
  RtlSession session = RtlBlocks(package.config.datapath, source).begin(package, work);
  for (const bool is_drawn : {false, true}) {
    const RtlJob job = session.run_job(inputs, {}, is_drawn);
    CHECK_FALSE(job.hang);
    CHECK(job.job.outputs == by_kernels.outputs);
    CHECK(job.job.cycles == by_kernels.cycles);
  }
  const RtlOutcome right = std::move(session).finish();
  CHECK(num_told > 0);
  CHECK(right.is_equal());
  CHECK(right.result().commands_compared() > 0);
  CHECK(right.use().rtl_cycles == right.use().model_cycles);
  CHECK_FALSE(right.fault());
  CHECK(right.waves().size() == 2);
  CHECK(right.wave_notes().empty());

  source.own = cosim::rtl_of(cosim::flawed_blocks(Flaw::None, ArrayFlaw::Zeros));
  RtlSession wrong_session = RtlBlocks(package.config.datapath, source).begin(package, {});
  CHECK(wrong_session.run_job(inputs, {}).job.outputs != by_kernels.outputs);
  const RtlOutcome wrong = std::move(wrong_session).finish();
  CHECK_FALSE(wrong.is_equal());
  CHECK(wrong.fault());
  CHECK(wrong.waves().empty());

  source.own = cosim::rtl_of(cosim::flawed_blocks(Flaw::None, ArrayFlaw::NotReady));
  RtlSession stuck = RtlBlocks(package.config.datapath, source).begin(package, {});
  const RtlJob job = stuck.run_job(inputs, {});
  CHECK(job.hang);
  CHECK_FALSE(job.job.is_done());
}

TEST_CASE("run_unit: a unit that is right, one that is late, and what shows the mismatch again") {
  const tests::TemporaryDirectory folder;
  UnitRequest request{.unit = "rescale", .config = "v64", .vectors = 2000};
  request.rtl.make_own = cosim::flawed_blocks(Flaw::None, ArrayFlaw::None);
  request.report_files = {(folder / "u.json").string()};
  request.vectors_dir = (folder / "vectors").string();
  const UnitResult right = run_unit(request);
  CHECK(right.verdict() == Verdict::Good);
  CHECK(right.report.result.vectors == 2000);
  CHECK(base::read_text_file(folder / "u.json") == to_json(right));
  CHECK(fs::exists(folder / "vectors"));
  REQUIRE(right.remarks.size() == 1);
  CHECK_THAT(right.remarks[0], Contains(" files in "));

  request.vectors_dir.reset();
  request.rtl.make_own = cosim::flawed_blocks(Flaw::Late, ArrayFlaw::None);
  const UnitResult late = run_unit(request);
  CHECK(late.verdict() == Verdict::Mismatch);
  CHECK(late.remarks.empty());  // no folder, no replay
  request.replay_folder = (folder / "").string();
  const UnitResult kept = run_unit(request);
  CHECK(kept.verdict() == Verdict::Mismatch);
  REQUIRE(kept.remarks.size() == 1);
  CHECK_THAT(kept.remarks[0], Contains("shows the first mismatch alone"));
  const std::string file = (folder / "rescale.replay.json").string();
  REQUIRE(fs::exists(file));

  ReplayRequest again{.file = file};
  again.rtl.make_own = request.rtl.make_own;
  const ReplayResult found = replay(again);
  CHECK(found.verdict() == Verdict::Mismatch);
  CHECK(found.replay.unit == "rescale");
  CHECK_THAT(to_text(found), Contains("mismatch: "));
  again.rtl.make_own = cosim::flawed_blocks(Flaw::None, ArrayFlaw::None);
  const ReplayResult mended = replay(again);
  CHECK(mended.verdict() == Verdict::Good);
  CHECK_THAT(to_text(mended), Contains("the file was written for: "));
  CHECK_THROWS_AS(replay({.file = (folder / "u.json").string()}), base::UserError);
}

TEST_CASE("run_unit: a block that stands still is a failure, and a name that is none a mistake") {
  UnitRequest request{.unit = "datapath", .config = "v64", .vectors = 100};
  request.rtl.make_own = cosim::flawed_blocks(Flaw::None, ArrayFlaw::NotReady);
  const UnitResult stuck = run_unit(request);
  REQUIRE(stuck.failure);
  CHECK(stuck.verdict() == Verdict::Fault);
  CHECK_THAT(messages(*stuck.failure).back(), Contains("datapath: "));
  request.unit = "recsale";
  CHECK_THROWS_WITH(run_unit(request), Contains("did you mean 'rescale'?"));
}

TEST_CASE("cosim_network: command by command and end to end") {
  if (!cosim::has_rtl()) return;
  const tests::TemporaryDirectory folder;
  NetworkRequest request{.model = network_file("conv_1x1_c20_oc33"), .machine = v64()};
  request.rtl.make_own = cosim::flawed_blocks(Flaw::None, ArrayFlaw::None);
  request.report_files = {(folder / "n.json").string()};
  request.output_dir = (folder / "out").string();
  const NetworkCosimResult right = cosim_network(request);
  CHECK(right.verdict() == Verdict::Good);
  CHECK(right.report.result.commands_compared() > 0);
  CHECK(right.report.end_to_end.elements_compared > 0);
  CHECK(right.outputs.size() == 1);
  CHECK(base::read_text_file(folder / "n.json") == to_json(right));
  CHECK(fs::exists(folder / "out"));
  CHECK_THAT(to_text(right), Catch::Matchers::StartsWith(to_summary(right)));
  request.rtl.make_own = cosim::flawed_blocks(Flaw::None, ArrayFlaw::Zeros);
  request.replay_folder = (folder / "").string();
  const NetworkCosimResult wrong = cosim_network(request);
  CHECK(wrong.verdict() == Verdict::Mismatch);
  CHECK(wrong.report.end_to_end.elements_different > 0);
  CHECK(fs::exists(folder / "model.tosa.replay.json"));
  request.rtl.make_own = cosim::flawed_blocks(Flaw::None, ArrayFlaw::NotReady);
  const NetworkCosimResult stuck = cosim_network(request);
  REQUIRE(stuck.failure);
  CHECK(stuck.verdict() == Verdict::Fault);
}

TEST_CASE("cosim_network: a sink that throws from within the simulation interrupts it, and no file is left") {
  if (!cosim::has_rtl()) return;
  const tests::TemporaryDirectory folder;
  NetworkRequest request{.model = network_file("small_classifier"), .machine = v64()};
  request.rtl.make_own = cosim::flawed_blocks(Flaw::None, ArrayFlaw::None);
  request.traces.waves = {(folder / "w.vcd").string()};
  request.report_files = {(folder / "n.json").string()};
  int64_t num_told = 0;
  Observer observer;
  observer.on_detail = [&](const std::string& text) {
    CHECK_THAT(text, Contains("of the array's cycles"));
    if (++num_told == 2) throw std::runtime_error("interrupted");
  };
  CHECK_THROWS_WITH(cosim_network(request, observer), "interrupted");
  CHECK(num_told == 2);
  CHECK(fs::is_empty(folder / ""));
  observer.on_detail = {};
  CHECK_FALSE(cosim_network(request, observer).failure);
  CHECK(fs::exists(folder / "w.vcd"));
}

}  // namespace
}  // namespace vernier::flow
