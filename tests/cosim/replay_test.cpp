// SPDX-License-Identifier: Apache-2.0
// Replays: the least that shows a mismatch, as a file and back, on blocks in C++.
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/temporary_folder.hpp"
#include "sim/cosim/lockstep/array_lock_step.hpp"
#include "sim/cosim/network/cosim.hpp"
#include "sim/cosim/replay/replay_file.hpp"
#include "sim/cosim/replay/vector_files.hpp"
#include "tests/cosim/array_model_block.hpp"
#include "tests/cosim/damaged_text.hpp"
#include "tests/cosim/model_block.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>

using namespace vernier;
using namespace vernier::cosim;
using Catch::Matchers::Contains;

namespace {

constexpr int kReplayLanes = 8;
const spec::Datapath kReplayDatapath{kReplayLanes, 4, 2};

BlockMaker maker_of(Flaw flaw) {
  return [flaw](std::string_view unit, int lanes) {
    return make_model_block("npu_" + std::string(unit) + "_unit", lanes, flaw);
  };
}
BlockMaker maker_of(ArrayFlaw flaw) {
  return [flaw](std::string_view, int lanes) { return make_array_model(lanes, flaw); };
}

CosimReport run(std::string_view unit, Flaw flaw) {
  CosimOptions options{std::string(unit), "v64", kReplayLanes, 2000, 7};
  options.kept_cycles = 500;
  return run_cosim(options, maker_of(flaw)(unit, kReplayLanes));
}

/// Through a file.
Replay written_and_read(const Replay& replay) {
  const base::TemporaryFolder folder(std::filesystem::temp_directory_path(), "vernier_replay_", "cannot be made");
  const auto file = folder.path() / "r.replay.json";
  base::write_text_file(file, replay_text(replay, "test"));
  return read_replay(file);
}

/// Convolutions of several channel tiles and lines, as the array in C++ has them, one after the other.
std::vector<Work> commands_for_model(int count) {
  Random random(11);
  std::vector<Work> commands;
  while (std::ssize(commands) < count) {
    Work command = draw_array_command(kReplayDatapath, random, {.most_rows = 600, .has_long = false});
    const spec::MacCommand& m = command.mac();
    const bool is_plain = m.mode == spec::MacMode::Conv && m.input.type == base::ElementType::Int8 &&
                          m.weight_type == base::ElementType::Int8 && !m.residual;
    const bool is_large = m.out_channels > kReplayLanes && m.out_rows > 2;
    if (is_plain && is_large && array_model_has_pace_of(m, kReplayLanes)) commands.push_back(std::move(command));
  }
  return commands;
}

FirstFault fault_of_array(ArrayFlaw flaw, ArrayPace pace) {
  ClockedBlock block(make_array_model(kReplayLanes, flaw), *spec::rtl_block_of_unit("datapath"), kReplayLanes);
  ArrayLockStep lock_step(block, kReplayDatapath, {.seed = 3, .keeps_fault = true});
  lock_step.run_sequence({commands_for_model(3), pace});
  lock_step.idle(20);
  const std::optional<FirstFault> fault = first_fault("datapath", lock_step.take_fault());
  REQUIRE(fault);
  return *fault;
}

void check_replay(const Replay& replay, const Mismatch& mismatch, const BlockMaker& wrong, const BlockMaker& right) {
  const Replay read = written_and_read(replay);
  CHECK(read.mismatch == replay.mismatch);
  CHECK(read.kind == mismatch.kind);
  const ReplayReport shown = run_replay(read, wrong(read.unit, kReplayLanes), false, true, "r");
  REQUIRE(shown.result.mismatches > 0);
  CHECK(shown.result.first_mismatches.front().same_fault(mismatch));
  const ReplayReport fixed = run_replay(read, right(read.unit, kReplayLanes), false, true, "r");
  CHECK(fixed.result.mismatches == 0);
}

/// Makes the replay of the first mismatch of a run, which has to have one.
Replay replay_of(const CosimReport& report, Flaw flaw) {
  REQUIRE(report.fault);
  INFO(report.fault->mismatch.print());
  Replay replay = make_replay(*report.fault, "v64", kReplayDatapath, true, maker_of(flaw));
  CHECK(replay.is_reproduced);
  return replay;
}

}  // namespace

TEST_CASE("what a mismatch has in common with its replay is port, lane and values") {
  Mismatch value{
      .command = "command 3, layer 'a: b'", .unit = "npu_rescale_unit", .vector = 3, .cycle = 25, .work = "int8 x 32"};
  value.port = "scale_result_o";
  value.lane = 4;
  value.expected = -2;
  value.actual = 0;
  value.operands = "value -4; shifted 0";
  CHECK(value.print() ==
        "command 3, layer 'a: b', npu_rescale_unit, vector 3, cycle 25, int8 x 32: scale_result_o lane 4: expected -2, "
        "actual 0: "
        "value -4; shifted 0");
  Mismatch same = value;
  same.command.clear();
  same.vector = 0;
  same.cycle = 9;
  same.before = "scale_valid_o 2 cycles later than hw/spec says";
  CHECK(same.same_fault(value));
  CHECK(same.print() ==
        "npu_rescale_unit, vector 0, cycle 9, int8 x 32: scale_valid_o 2 cycles later than hw/spec says; scale_result_o "
        "lane 4: "
        "expected -2, actual 0: value -4; shifted 0");
  const auto differs = [&](const std::function<void(Mismatch&)>& change) {
    Mismatch other = value;
    change(other);
    return !other.same_fault(value);
  };
  CHECK(differs([](Mismatch& other) { other.lane = 5; }));
  CHECK(differs([](Mismatch& other) { other.actual = 1; }));
  CHECK(differs([](Mismatch& other) { other.expected = 1; }));
  CHECK(differs([](Mismatch& other) { other.port = "scale_tag_o"; }));
  CHECK(differs([](Mismatch& other) { other.kind = MismatchKind::Order; }));

  const auto moves = [](int lane, MismatchKind kind, std::string words) {
    return Mismatch{.kind = kind,
                    .unit = "npu_table_unit",
                    .cycle = 25 - lane,
                    .port = "look_result_o",
                    .lane = lane,
                    .words = std::move(words)};
  };
  const Mismatch moved = moves(3, MismatchKind::Moved, "moves while en_i is low");
  CHECK(moved.print() == "npu_table_unit, cycle 22: look_result_o lane 3 moves while en_i is low");
  CHECK(moved.same_fault(moves(0, MismatchKind::Moved, "moves while en_i is low")));
  CHECK_FALSE(moved.same_fault(moves(3, MismatchKind::Follows, "follows en_i inside a cycle")));

  const Mismatch unasked{.kind = MismatchKind::Unasked,
                         .unit = "npu_table_unit",
                         .cycle = 4,
                         .port = "look_valid_o",
                         .words = "a beat that nobody asked for, tag 3"};
  CHECK(unasked.print() == "npu_table_unit, cycle 4, look_valid_o: a beat that nobody asked for, tag 3");
  const Mismatch missing{.kind = MismatchKind::Missing,
                         .unit = "npu_table_unit",
                         .vector = 1,
                         .cycle = 7,
                         .work = "int8",
                         .port = "look_valid_o",
                         .words = "the result is missing"};
  CHECK(missing.print() == "npu_table_unit, vector 1, cycle 7, int8: look_valid_o: the result is missing");
  CHECK_FALSE(missing.same_fault(unasked));
}

TEST_CASE("the replay of a unit is short, shows the same message, and none on a block without the flaw") {
  for (const std::string_view unit : {"rescale", "table"}) {
    for (const Flaw flaw : {Flaw::Zeros, Flaw::Late, Flaw::Early, Flaw::NoHold, Flaw::FollowsEn, Flaw::WrongTag}) {
      const CosimReport report = run(unit, flaw);
      INFO(unit << ", flaw " << static_cast<int>(flaw));
      const Replay replay = replay_of(report, flaw);
      INFO(replay.mismatch);
      CHECK(replay_text(replay, "test").size() < 1'000'000);
      if (!replay.is_reproduced) continue;
      check_replay(replay, report.fault->mismatch, maker_of(flaw), maker_of(Flaw::None));
      if (flaw != Flaw::Zeros || unit != "rescale") continue;
      // Vector, cycle and operands too.
      const ReplayReport shown = run_replay(written_and_read(replay), maker_of(flaw)(unit, kReplayLanes), false, true, "r");
      CHECK(shown.result.first_mismatches.front() == report.fault->mismatch);
    }
  }
}

TEST_CASE("a flaw that shows after a reset alone is in the replay with that reset") {
  for (const auto& [unit, flaw] : {std::pair("rescale", Flaw::SurvivesReset), std::pair("rescale", Flaw::SyncReset),
                                   std::pair("table", Flaw::SyncReset), std::pair("table", Flaw::KeepsSlot0),
                                   std::pair("table", Flaw::KeepsSlot1), std::pair("table", Flaw::HidesSlot0)}) {
    const CosimReport report = run(unit, flaw);
    INFO(unit << ", flaw " << static_cast<int>(flaw));
    const Replay replay = replay_of(report, flaw);
    INFO(replay.mismatch);
    CHECK_FALSE(replay.is_whole);
    check_replay(replay, report.fault->mismatch, maker_of(flaw), maker_of(Flaw::None));
  }
}

TEST_CASE("a block of another depth is right where cycles may differ") {
  const CosimReport report = run("table", Flaw::Zeros);
  const Replay replay = make_replay(*report.fault, "v64", kReplayDatapath, true, maker_of(Flaw::Zeros));
  const auto late = [&](bool is_strict) {
    return run_replay(replay, maker_of(Flaw::Late)("table", kReplayLanes), true, is_strict, "r").result.mismatches;
  };
  CHECK(late(false) == 0);
  CHECK(late(true) > 0);
}

TEST_CASE("the replay of the array is a part of the command that fails, and shows the same row") {
  for (const ArrayFlaw flaw : {ArrayFlaw::Zeros, ArrayFlaw::WrongMask}) {
    const FirstFault fault = fault_of_array(flaw, ArrayPace::Ideal);
    INFO(fault.mismatch.print());
    const Replay replay = make_replay(fault, "v64", kReplayDatapath, true, maker_of(flaw));
    CHECK(replay.is_reproduced);
    CHECK_FALSE(replay.is_whole);
    REQUIRE(replay.commands->sequences.size() == 1);
    REQUIRE(replay.commands->sequences.front().works.size() == 1);
    CHECK(replay.commands->sequences.front().works.front().mac().out_channels <= kReplayLanes);
    check_replay(replay, fault.mismatch, maker_of(flaw), maker_of(ArrayFlaw::None));
  }
}

TEST_CASE("a flaw between two commands of the array needs all of them") {
  const FirstFault fault = fault_of_array(ArrayFlaw::ExtraRow, ArrayPace::Ideal);
  INFO(fault.mismatch.print());
  const Replay replay = make_replay(fault, "v64", kReplayDatapath, true, maker_of(ArrayFlaw::ExtraRow));
  CHECK(replay.is_reproduced);
  check_replay(replay, fault.mismatch, maker_of(ArrayFlaw::ExtraRow), maker_of(ArrayFlaw::None));
}

TEST_CASE("300 damaged replays are refused in a line each, or are replays that run") {
  const CosimReport report = run("table", Flaw::Zeros);
  const std::string lanes =
      replay_text(make_replay(*report.fault, "v64", kReplayDatapath, true, maker_of(Flaw::Zeros)), "test");
  const FirstFault fault = fault_of_array(ArrayFlaw::Zeros, ArrayPace::Ideal);
  const std::string array =
      replay_text(make_replay(fault, "v64", kReplayDatapath, true, maker_of(ArrayFlaw::Zeros)), "test");
  const base::TemporaryFolder folder(std::filesystem::temp_directory_path(), "vernier_replay_", "cannot be made");
  const auto file = folder.path() / "r.replay.json";
  Random random(5);
  int num_refused = 0;
  for (int i = 0; i < 300; ++i) {
    base::write_text_file(file, damaged(i % 2 == 0 ? lanes : array, i / 2 % kNumDamages, random));
    try {
      const Replay replay = read_replay(file);
      run_replay(
          replay,
          replay.lanes ? maker_of(Flaw::None)(replay.unit, kReplayLanes) : maker_of(ArrayFlaw::None)("", kReplayLanes),
          false, true, "r");
    } catch (const base::UserError& error) {
      ++num_refused;
      CHECK(std::string(error.what()).find('\n') == std::string::npos);
    }
  }
  CHECK(num_refused > 240);  // how many depends on the lengths of the two texts
}

TEST_CASE("what a replay may not be is said with what was found and what is allowed") {
  const CosimReport report = run("rescale", Flaw::Zeros);
  const std::string right =
      replay_text(make_replay(*report.fault, "v64", kReplayDatapath, true, maker_of(Flaw::Zeros)), "test");
  const base::TemporaryFolder folder(std::filesystem::temp_directory_path(), "vernier_replay_", "cannot be made");
  const auto file = folder.path() / "r.replay.json";
  const auto message = [&](const std::string& from, const std::string& to) -> std::string {
    std::string text = right;
    const size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    base::write_text_file(file, text.replace(at, from.size(), to));
    try {
      read_replay(file);
    } catch (const base::UserError& error) {
      return error.what();
    }
    return "";
  };
  CHECK_THAT(message("vernier-replay/1", "vernier-replay/2"),
             Contains("has schema 'vernier-replay/2', this program reads 'vernier-replay/1'"));
  CHECK_THAT(
      message(fmt::format("\"interface_version\": {}", spec::kRtlInterfaceVersion), "\"interface_version\": 6"),
      Contains(fmt::format("is for interface version 6 of the RTL, this program has {}", spec::kRtlInterfaceVersion)));
  CHECK_THAT(message("\"unit\": \"rescale\"", "\"unit\": \"divider\""),
             Contains("is of a unit 'divider', allowed are rescale"));
  CHECK_THAT(message("\"lanes\": 8", "\"lanes\": 9"), Contains("has 9 lanes, allowed are 8, 16, 32"));
  CHECK_THAT(message("\"lanes\": 8", "\"lanes\": 16"), Contains("where 768 bits are wanted"));
  CHECK_THAT(message("\"num_cycles\": ", "\"num_cycles\": 1"), Contains(" for 1"));
  CHECK_THAT(message("\"en_i\"", "\"en\""), Contains("has no 'en_i'"));
  CHECK_THAT(message("\"num_cycles\": ", "\"num_cycles\": -"), Contains("for 'num_cycles', allowed are 1 to"));
}

TEST_CASE("vectors of a unit are a word for each cycle and port") {
  const CosimReport report = run("rescale", Flaw::None);
  CHECK_FALSE(report.fault);
  Replay replay{.unit = "rescale", .config = "v64", .datapath = kReplayDatapath};
  replay.lanes.emplace(LaneReplay{report.kept});
  CHECK(report.kept.size() <= 500);
  CHECK(report.kept.size() > 490);
  const std::vector<VectorFile> files = vector_files(replay);
  for (const VectorFile& file : files) {
    if (file.name == "vectors.svh") continue;
    CHECK(std::ranges::count(file.text, '\n') == report.kept.size() + 1);
  }
  // The block that is right shows what the files expect.
  CHECK(run_replay(replay, maker_of(Flaw::None)("rescale", kReplayLanes), false, true, "r").result.mismatches == 0);
}
