// SPDX-License-Identifier: Apache-2.0
// Replays of the vector unit: cut, written, read and run on RTL that is right or has a fault on its pins.
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/temporary_folder.hpp"
#include "hw/spec/vector_schedule.hpp"
#include "sim/cosim/lockstep/vector_lock_step.hpp"
#include "sim/cosim/network/cosim.hpp"
#include "sim/cosim/replay/replay_file.hpp"
#include "sim/cosim/replay/vector_files.hpp"
#include "tests/cosim/damaged_text.hpp"
#include "tests/cosim/flawed_unit.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>

using namespace vernier;
using namespace vernier::cosim;

namespace {

const spec::Datapath kReplayedDatapath{8, 4, 2};

std::unique_ptr<RtlBlock> right(std::string_view /*unit*/, int lanes) { return make_rtl_block("npu_vector_unit", lanes); }

/// Bit 6 of lane 3 is lost in every store.
std::unique_ptr<RtlBlock> losing(std::string_view /*unit*/, int lanes) {
  return std::make_unique<FlawedUnit>(make_rtl_block("npu_vector_unit", lanes), [](FlawedUnit& unit) {
    static_cast<uint8_t*>(unit.pin("st_data_o").data)[12] &= 0xBF;
  });
}

/// Every beat of a store is there in each second evaluation only.
std::unique_ptr<RtlBlock> flickering(std::string_view /*unit*/, int lanes) {
  return std::make_unique<FlawedUnit>(make_rtl_block("npu_vector_unit", lanes), [seen = 0](FlawedUnit& unit) mutable {
    auto* valid = static_cast<uint8_t*>(unit.pin("st_valid_o").data);
    if (*valid != 0 && ++seen > 40) *valid = 0;
  });
}

CosimReport run(const BlockMaker& make, int64_t vectors) {
  CosimOptions options;
  options.unit = "vector";
  options.config = "v64";
  options.lanes = 8;
  options.vectors = vectors;
  options.seed = 3;
  return run_cosim(options, make("vector", 8));
}

}  // namespace

TEST_CASE("vector replay: a fault of an element is cut to a command that shows it, and reads back") {
  if (!has_rtl()) return;
  const CosimReport report = run(losing, 3000);
  REQUIRE(report.fault);
  REQUIRE(report.fault->commands);
  const Replay replay = make_replay(*report.fault, "v64", kReplayedDatapath, true, losing);
  CHECK(replay.is_reproduced);
  CHECK_FALSE(replay.is_whole);
  REQUIRE(replay.commands);
  CHECK(replay.commands->sequences.front().works.size() == 1);
  CHECK(run_replay(replay, losing("", 8), false, true, "r").result.mismatches > 0);
  CHECK(run_replay(replay, right("", 8), false, true, "r").result.mismatches == 0);
  const base::TemporaryFolder folder(std::filesystem::temp_directory_path(), "vernier_replay_", "cannot be made");
  const auto file = folder.path() / "r.replay.json";
  const std::string text = replay_text(replay, "test");
  base::write_text_file(file, text);
  const Replay read = read_replay(file);
  CHECK(replay_text(read, "test") == text);
  CHECK(run_replay(read, losing("", 8), false, true, "r").result.first_mismatches ==
        run_replay(replay, losing("", 8), false, true, "r").result.first_mismatches);
  const std::vector<VectorFile> files = vector_files(read);
  const auto lines_of = [&](std::string_view name) {
    return std::ranges::count(std::ranges::find(files, name, &VectorFile::name)->text, '\n');
  };
  CHECK(lines_of("cmd_i.hex") == 2);
  CHECK(lines_of("st_data_o.hex") == lines_of("st_mask_o.hex"));
  CHECK(lines_of("st_data_o.hex") == 1 + std::ssize(vector_stores(*read.commands, kReplayedDatapath).front()));
}

TEST_CASE("vector replay: of a long command the one vector is left that differs, wherever it is") {
  if (!has_rtl()) return;
  // 12 x 15 x 2 positions of 5 vectors of lanes, each a sum over three elements; bytes are few but for 0x77, which is stored
  // wrong.
  constexpr int64_t kLanes = 36, kColumns = 15, kRows = 12, kOut = int64_t{3} * 2 * kRows * kColumns * kLanes;
  Work job(spec::VectorCommand{});
  job.vector().counts = {kRows, kColumns, 2, 1, 3};
  job.vector().kept_loops = 4;
  job.vector().lanes = kLanes;
  constexpr int64_t kColumn = int64_t{2} * kLanes, kRow = kColumns * kColumn, kPlane = kRows * kRow;
  job.vector().streams = {{.strides_bytes = {kRow, kColumn, kLanes, 0, kPlane}},
                          {.base = kOut, .strides_bytes = {kRow, kColumn, kLanes, 0, 0}}};
  job.vector().steps = {{.op = spec::VectorOp::Move, .phase = spec::VectorPhase::Init, .b_is_immediate = true},
                        {.op = spec::VectorOp::LoadAdd},
                        {.op = spec::VectorOp::Store, .phase = spec::VectorPhase::Final, .stream = 1}};
  REQUIRE(spec::schedule(job.vector(), kReplayedDatapath));
  job.bytes.resize(static_cast<size_t>(kOut + kPlane));
  const auto make = [](std::string_view /*unit*/, int lanes) -> std::unique_ptr<RtlBlock> {
    return std::make_unique<FlawedUnit>(make_rtl_block("npu_vector_unit", lanes), [](FlawedUnit& unit) {
      auto* bytes = static_cast<uint8_t*>(unit.pin("st_data_o").data);
      for (int lane = 0; lane < 8; ++lane) bytes[4 * lane] ^= bytes[4 * lane] == 0x77 ? 1 : 0;
    });
  };
  for (const auto& [row, column, part, lane] :
       {std::array<int64_t, 4>{0, 0, 0, 0}, std::array<int64_t, 4>{7, 4, 1, 17}, std::array<int64_t, 4>{11, 14, 1, 35}}) {
    INFO(row << ", " << column << ", " << part << ", " << lane);
    std::ranges::fill(job.bytes, std::byte{1});
    job.bytes[static_cast<size_t>(row * kRow + column * kColumn + part * kLanes + lane)] = std::byte{0x75};
    ClockedBlock block(make("vector", 8), *spec::rtl_block_of_unit("vector"), 8);
    VectorLockStep lock_step(block, kReplayedDatapath, {.keeps_fault = true});
    lock_step.run_sequence({{job}, ArrayPace::Ideal});
    const std::optional<FirstFault> fault = first_fault("vector", lock_step.take_fault());
    REQUIRE(fault);
    const Replay replay = make_replay(*fault, "v64", kReplayedDatapath, true, make);
    CHECK_FALSE(replay.is_whole);
    const Work& left = replay.commands->sequences.front().works.front();
    CHECK(left.vector().counts == std::array<int64_t, spec::kNumVectorLoops>{1, 1, 1, 1, 3});
    CHECK(left.vector().lanes <= 8);
    // The elements of a vector lie in three planes, which are far from each other.
    CHECK(std::ssize(left.bytes) < 2 * kPlane + 200);
    CHECK(vector_stores(*replay.commands, kReplayedDatapath).front().size() == 1);
    CHECK(run_replay(replay, make("", 8), false, true, "r").result.mismatches > 0);
    CHECK(run_replay(replay, right("", 8), false, true, "r").result.mismatches == 0);
  }
}

TEST_CASE("vector replay: a fault that a command alone does not show is written with its sequence") {
  if (!has_rtl()) return;
  const CosimReport report = run(flickering, 300);
  REQUIRE(report.fault);
  const Replay replay = make_replay(*report.fault, "v64", kReplayedDatapath, true, flickering);
  CHECK(replay.is_whole);
  CHECK(replay.commands->sequences.front().works.size() == report.fault->commands->all.sequences.front().works.size());
}

TEST_CASE("vector replay: 200 damaged files are refused in a line each, or are replays that run") {
  if (!has_rtl()) return;
  const CosimReport report = run(losing, 500);
  REQUIRE(report.fault);
  const std::string whole = replay_text(make_replay(*report.fault, "v64", kReplayedDatapath, true, losing), "test");
  const base::TemporaryFolder folder(std::filesystem::temp_directory_path(), "vernier_replay_", "cannot be made");
  const auto file = folder.path() / "r.replay.json";
  Random random(8);
  int num_refused = 0;
  for (int i = 0; i < 200; ++i) {
    base::write_text_file(file, damaged(whole, i % kNumDamages, random));
    try {
      run_replay(read_replay(file), right("", 8), false, true, "r");
    } catch (const base::UserError& error) {
      ++num_refused;
      CHECK(std::string(error.what()).find('\n') == std::string::npos);
    }
  }
  CHECK(num_refused > 150);
}
