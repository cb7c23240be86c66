// SPDX-License-Identifier: Apache-2.0
// Control flow of a package: it is written and read back, its table is what the steps say, and steps that are none are
// refused.
#include "hw/package/control_flow.hpp"

#include "hw/base/error.hpp"
#include "hw/package/disassembler.hpp"
#include "hw/package/package.hpp"
#include "hw/package/stream_commands.hpp"
#include "hw/spec/control_flow.hpp"
#include "tests/support/flow_assembler.hpp"

#include <catch2/catch.hpp>

#include <functional>

using namespace vernier;
using namespace vernier::package;
using namespace vernier::support;
using Catch::Matchers::Contains;

namespace {

constexpr int64_t kByte = 0x8000;

/// Three streams: run 0, a loop of 1 with a branch in it, run 2.
package::Package looping() {
  FlowAssembler flow(config::preset_config("v256", "test"));
  for (int i = 0; i < 3; ++i) {
    flow.stream([i](StreamAssembler& s) {
      s.layer(fmt::format("layer {}", i));
      for (int n = 0; n <= i; ++n) s.add(dma_fill(Queue::Dma0, sram(kByte), 1, n));
    });
  }
  flow.run(0)
      .loop()
      .run(1)
      .while_not_zero(sram(kByte))
      .if_not_zero(sram(kByte))
      .run(2)
      .otherwise()
      .run(0)
      .end()
      .end()
      .run(2);
  flow.most_commands(100);
  flow.commands().output(sram(kByte), 1);
  return flow.package();
}

std::string error_of(const std::function<void(package::Package&)>& change) {
  package::Package package = looping();
  change(package);
  try {
    from_bytes("flow.vnpu", to_bytes(package));
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "";
}

std::string error_of_steps(const std::vector<Step>& steps, int64_t most_commands = 100) {
  return error_of([&](package::Package& package) {
    package.flow.steps = steps;
    package.flow.most_commands = most_commands;
  });
}

Step run_of(int32_t stream) { return {StepKind::Run, stream, {}, -1}; }
Step bare(StepKind kind) { return {kind, 0, sram(kByte), -1}; }

}  // namespace

TEST_CASE("Control flow of a package: it is read as it was written") {
  const package::Package package = looping();
  CHECK(from_bytes("flow.vnpu", to_bytes(package)) == package);
  const std::vector<StreamCommand> commands = stream_commands(package);
  CHECK(commands.size() == package.command_layers.size());
  for (const StreamPart& part : package.flow.streams)
    CHECK(commands.at(static_cast<size_t>(part.first_command)).offset_bytes == part.begin_byte);
}

TEST_CASE("Control flow of a package: the table has the streams and the steps to go to") {
  const package::Package package = looping();
  const std::vector<StreamPart>& parts = package.flow.streams;
  const auto place = [&](size_t part) {
    return spec::kFlowExternal | static_cast<uint32_t>(kFlowStreams + parts[part].begin_byte);
  };
  const auto bytes = [&](size_t part) { return static_cast<uint32_t>(parts[part].num_bytes); };
  const auto target = [](uint32_t row, spec::FlowStep kind) {
    return row << spec::kFlowTargetShift | static_cast<uint32_t>(kind);
  };
  using spec::FlowStep;
  const std::vector<uint32_t> expected{bytes(0),
                                       place(0),
                                       bytes(1),
                                       place(1),
                                       target(8, FlowStep::BranchIfZero),
                                       kByte,
                                       target(6, FlowStep::BranchIfZero),
                                       kByte,
                                       bytes(2),
                                       place(2),
                                       target(7, FlowStep::Jump),
                                       0,
                                       bytes(0),
                                       place(0),
                                       target(1, FlowStep::Jump),
                                       0,
                                       bytes(2),
                                       place(2)};
  CHECK(flow_table(package.flow, package.stream_address) == expected);
  CHECK(flow_table_bytes(package.flow) == static_cast<int64_t>(expected.size() * 4));
  CHECK(flow_rows(package.flow) == std::vector<int32_t>{0, 1, 1, 2, 3, 4, 5, 6, 7, 7, 8, 9});
}

TEST_CASE("Control flow of a package: the steps are walked by their bytes") {
  const package::Package package = looping();
  StepWalk walk(package.flow);
  std::vector<bool> zeros;
  const auto is_zero = [&](const Step&) {
    REQUIRE_FALSE(zeros.empty());
    const bool zero = zeros.front();
    zeros.erase(zeros.begin());
    return zero;
  };
  CHECK(walk.next(is_zero) == 0);
  CHECK(walk.next(is_zero) == 2);
  zeros = {false, false};
  CHECK(walk.next(is_zero) == 5);
  CHECK(walk.next(is_zero) == 2);
  zeros = {false, true};
  CHECK(walk.next(is_zero) == 7);
  CHECK(walk.next(is_zero) == 2);
  zeros = {true};
  CHECK(walk.next(is_zero) == 10);
  CHECK(walk.next(is_zero) == std::nullopt);
  CHECK(walk.next(is_zero) == std::nullopt);
}

TEST_CASE("Control flow of a package: steps that are none are refused") {
  using Kind = StepKind;
  CHECK(error_of_steps({run_of(0), bare(Kind::If), bare(Kind::End)}, 0).empty());
  CHECK_THAT(error_of_steps({}), Contains("flow.vnpu: inconsistent package: control flow of 0 steps has 3 streams"));
  CHECK_THAT(error_of_steps({bare(Kind::If), run_of(0), bare(Kind::End)}), Contains("the first step runs no stream"));
  CHECK_THAT(error_of_steps({run_of(0), run_of(3)}), Contains("step 1 runs stream 3 of 3"));
  CHECK_THAT(error_of_steps({run_of(0), run_of(-1)}), Contains("step 1 runs stream -1 of 3"));
  CHECK_THAT(error_of_steps({run_of(0), bare(Kind::If)}), Contains("step 1 has no end"));
  CHECK_THAT(error_of_steps({run_of(0), bare(Kind::End)}), Contains("step 1 ends nothing"));
  CHECK_THAT(error_of_steps({run_of(0), bare(Kind::Else)}), Contains("step 1 is an else that is not directly in an if"));
  CHECK_THAT(error_of_steps({run_of(0), bare(Kind::While)}), Contains("step 1 is a while that is not directly in a loop"));
  CHECK_THAT(error_of_steps({run_of(0), bare(Kind::If), bare(Kind::Else), bare(Kind::Else), bare(Kind::End)}),
             Contains("step 3 is a second else of step 1"));
  CHECK_THAT(error_of_steps({run_of(0), bare(Kind::Loop), run_of(1), bare(Kind::While), bare(Kind::While), bare(Kind::End)}),
             Contains("step 4 is a second while of step 1"));
  CHECK_THAT(error_of_steps({run_of(0), bare(Kind::Loop), bare(Kind::Else), bare(Kind::End)}),
             Contains("step 2 is an else that is not directly in an if"));
  CHECK_THAT(
      error_of_steps({run_of(0), bare(Kind::Loop), bare(Kind::If), bare(Kind::While), bare(Kind::End), bare(Kind::End)}),
      Contains("step 3 is a while that is not directly in a loop"));
  CHECK_THAT(error_of_steps({run_of(0), bare(Kind::Loop), run_of(1), bare(Kind::End)}),
             Contains("the loop of step 1 has no while"));
  CHECK_THAT(error_of_steps({run_of(0), bare(Kind::Loop), bare(Kind::While), bare(Kind::If), run_of(1), bare(Kind::End),
                             bare(Kind::End)}),
             Contains("the loop of step 1 has no stream directly in it"));
  CHECK_THAT(error_of_steps({run_of(0), bare(Kind::Loop), run_of(1), bare(Kind::While), bare(Kind::End)}, 0),
             Contains("a loop needs a limit of commands, found 0"));
  std::vector<Step> deep(1, run_of(0));
  for (int i = 0; i < spec::kMostFlowDepth; ++i) deep.push_back(bare(Kind::If));
  std::vector<Step> deeper = deep;
  deeper.push_back(bare(Kind::If));
  for (std::vector<Step>* steps : {&deep, &deeper}) {
    const size_t num_ends = steps->size() - 1;
    for (size_t i = 0; i < num_ends; ++i) steps->push_back(bare(Kind::End));
  }
  CHECK(error_of_steps(deep).empty());
  CHECK_THAT(error_of_steps(deeper), Contains("step 7 is 7 deep in branches and loops, allowed are 6"));
}

TEST_CASE("Control flow of a package: streams, table, limit and conditions lie where they can") {
  CHECK(error_of([](package::Package&) {}).empty());
  CHECK_THAT(error_of([](package::Package& p) { p.flow.steps.clear(); }), Contains("0 steps has 3 streams"));
  CHECK_THAT(error_of([](package::Package& p) { p.flow.streams.clear(); }), Contains("steps has 0 streams"));
  CHECK_THAT(error_of([](package::Package& p) { p.flow.streams.pop_back(); }), Contains("the streams have"));
  CHECK_THAT(error_of([](package::Package& p) { p.flow.streams[1].begin_byte += 16; }), Contains("is next"));
  CHECK_THAT(error_of([](package::Package& p) { p.flow.streams[2].num_bytes += 16; }), Contains("a stream has"));
  CHECK_THAT(error_of([](package::Package& p) { p.flow.streams[0].num_bytes -= 8; }), Contains("a stream has"));
  CHECK_THAT(error_of([](package::Package& p) { p.flow.streams[0].num_bytes = -16; }), Contains("a stream has -16 bytes"));
  CHECK_THAT(error_of([](package::Package& p) { p.flow.streams[2].num_bytes = INT64_MAX - 15; }), Contains("a stream has"));
  CHECK_THAT(error_of([](package::Package& p) { p.flow.streams[0].first_command = 1; }), Contains("begins with command 1"));
  CHECK_THAT(error_of([](package::Package& p) { p.flow.streams[1].first_command = 0; }), Contains("begins with command 0"));
  CHECK_THAT(error_of([](package::Package& p) { p.flow.streams[2].first_command = 1; }), Contains("begins with command 1"));
  CHECK_THAT(error_of([](package::Package& p) { p.flow.streams[2].first_command = 9; }), Contains("begins with command 9"));
  CHECK_THAT(error_of([](package::Package& p) { p.flow.streams[2].first_command = INT32_MAX; }),
             Contains("begins with command 2147483647"));
  CHECK_THAT(error_of([](package::Package& p) { p.flow.most_commands = -1; }), Contains("the limit of commands is -1"));
  CHECK_THAT(error_of([](package::Package& p) { p.flow.most_commands = int64_t{1} << 32; }),
             Contains("the limit of commands is 4294967296"));
  CHECK_THAT(error_of([](package::Package& p) { p.flow.table.offset = 4; }), Contains("allowed are multiples of 8"));
  CHECK_THAT(error_of([](package::Package& p) { p.flow.table.offset = 0x7FFF'FFF8; }),
             Contains("the table of steps lies at ext:0x7ffffff8 with 72 bytes"));
  CHECK_THAT(error_of([](package::Package& p) { p.flow.table.offset = UINT64_MAX - 7; }),
             Contains("the table of steps lies"));
  CHECK_THAT(error_of([](package::Package& p) { p.flow.table = p.stream_address; }), Contains("lies in the stream"));
  CHECK_THAT(error_of([](package::Package& p) {
               p.image.push_back({external(64), {std::byte{1}}});
             }),
             Contains("the table of steps at ext:0x0 lies in a segment of the image"));
  CHECK_THAT(error_of([](package::Package& p) {
               p.tensors[0].placement.base = external(71);
               p.inputs = {0};
             }),
             Contains("lies in an input"));
  CHECK_THAT(error_of([](package::Package& p) { p.flow.steps[3].condition = sram(int64_t{1} << 40); }),
             Contains("a condition lies at"));
  CHECK_THAT(error_of([](package::Package& p) { p.flow.steps[4].condition.offset = UINT64_MAX; }),
             Contains("a condition lies at"));
  CHECK(error_of([](package::Package& p) { p.flow.steps[3].tensor_idx = 0; }).empty());
  CHECK_THAT(error_of([](package::Package& p) { p.flow.steps[3].tensor_idx = 1; }),
             Contains("the tensor of a condition is number 1 of 1"));
  CHECK_THAT(error_of([](package::Package& p) { p.flow.steps[3].tensor_idx = -2; }), Contains("is number -2 of 1"));
  for (const base::Address elsewhere : {sram(kByte + 1), sram(kByte - 1), external(kByte)}) {
    CHECK_THAT(error_of([&](package::Package& p) {
                 p.flow.steps[3].tensor_idx = 0;
                 p.flow.steps[3].condition = elsewhere;
               }),
               Contains("its tensor 'output' lies elsewhere"));
  }
}

TEST_CASE("Control flow of a package: the listing has its steps and its streams") {
  const std::string text = disassemble(looping());
  CHECK_THAT(text, Contains("# control flow: 3 streams, no stream starts after 100 commands, table of 72 bytes at ext:0x0\n"
                            "#    0 run stream 0\n"
                            "#    1 loop\n"
                            "#    2   run stream 1\n"
                            "#    3 while the byte at sram:0x8000 is not 0\n"
                            "#    4   if the byte at sram:0x8000 is not 0\n"
                            "#    5     run stream 2\n"
                            "#    6   else\n"
                            "#    7     run stream 0\n"
                            "#    8   end\n"
                            "#    9 end\n"
                            "#   10 run stream 2\n"));
  CHECK_THAT(text, Contains("# stream 0: ") && Contains("# stream 1: ") && Contains("# stream 2: "));
  CHECK(list_commands(looping()).size() == looping().command_layers.size());
}
