// SPDX-License-Identifier: Apache-2.0
// Replays of the vector unit: cut, written, read and run on RTL that is right or has a fault on its pins.
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/temporary_folder.hpp"
#include "sim/cosim/cosim.hpp"
#include "sim/cosim/replay_file.hpp"
#include "sim/cosim/vector_files.hpp"
#include "sim/cosim/vector_lock_step.hpp"
#include "tests/cosim/damaged_text.hpp"
#include "tests/cosim/flawed_unit.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace vernier;
using namespace vernier::cosim;

namespace {

const spec::Datapath kN8{8, 4, 2};

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

CosimReport run(const ReplayBlockMaker& make, int64_t vectors) {
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
  REQUIRE(report.fault->vector);
  const Replay replay = make_replay(*report.fault, "v64", kN8, true, losing);
  CHECK(replay.is_reproduced);
  CHECK_FALSE(replay.is_whole);
  REQUIRE(replay.vector);
  CHECK(replay.vector->jobs.size() == 1);
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
  CHECK(lines_of("st_data_o.hex") == 1 + std::ssize(vector_stores(*read.vector, kN8).front()));
}

TEST_CASE("vector replay: a fault that a command alone does not show is written with its sequence") {
  if (!has_rtl()) return;
  const CosimReport report = run(flickering, 300);
  REQUIRE(report.fault);
  const Replay replay = make_replay(*report.fault, "v64", kN8, true, flickering);
  CHECK(replay.is_whole);
  CHECK(replay.vector->jobs.size() == report.fault->vector->all.jobs.size());
}

TEST_CASE("vector replay: 200 damaged files are refused in a line each, or are replays that run") {
  if (!has_rtl()) return;
  const CosimReport report = run(losing, 500);
  REQUIRE(report.fault);
  const std::string whole = replay_text(make_replay(*report.fault, "v64", kN8, true, losing), "test");
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
