// SPDX-License-Identifier: Apache-2.0
// What a session shows at a cycle is what dumps show that run to the end, in whatever order it goes there.
#include "sim/flow/look/session.hpp"

#include "compiler/export/export.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "sim/flow/look/accumulator_dump.hpp"
#include "sim/flow/model/inputs.hpp"
#include "tests/support/graph_builder.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/variable_graphs.hpp"

#include <catch2/catch.hpp>

namespace vernier::flow {
namespace {

using base::MemorySpace;

SessionRequest request_of(const std::filesystem::path& file, const MachineOptions& options, uint64_t seed = 1) {
  auto model = std::make_shared<const Model>(load_model(file.string(), options));
  auto package = std::make_shared<const package::Package>(package_of(*model, options));
  return {std::move(model), std::move(package), {}, seed};
}
SessionRequest demo(const std::optional<std::string>& memory = {}) {
  MachineOptions options;
  options.memory = memory;
  return request_of(tests::source_path("tests/e2e/demo/demo.tosa"), options);
}

std::vector<base::Tensor> inputs_of(const SessionRequest& request) {
  return make_inputs(ends_of(*request.compiled).inputs, {}, request.seed);
}

/// As a dump has the whole SRAM of the program at that cycle, with 0 where nobody has written.
std::vector<std::byte> dumped(const SessionRequest& request, const Session& session) {
  const int64_t size = session.memory_bytes(MemorySpace::Sram);
  SramDump dump = dump_sram(*request.compiled, inputs_of(request), 0, size, session.cycle());
  for (size_t i = 0; i < dump.bytes.size(); ++i)
    if (!dump.is_written[i]) dump.bytes[i] = std::byte{0};
  return dump.bytes;
}
std::vector<std::byte> seen(const Session& session) {
  return session.read(MemorySpace::Sram, 0, session.memory_bytes(MemorySpace::Sram));
}

}  // namespace

TEST_CASE("A session has the bytes of a dump after each command, and the outputs of a run at its end") {
  for (const char* memory : {"sram", "external"}) {
    const SessionRequest request = demo(memory);
    Session session(request);
    REQUIRE_FALSE(session.failure());
    const soc::JobResult job = soc::Npu(request.compiled->config).run(*request.compiled, inputs_of(request));
    CHECK(session.cycles() == job.cycles);
    CHECK(seen(session) == dumped(request, session));
    std::vector<int64_t> ended;
    while (const std::optional<int64_t> command = session.step()) {
      INFO(memory << ", command " << *command << ", cycle " << session.cycle());
      ended.push_back(*command);
      CHECK(session.cycle() == job.commands[static_cast<int32_t>(*command)].end_cycle);
      CHECK(seen(session) == dumped(request, session));
    }
    CHECK(ended.size() > 3);
    session.run_to_end();
    CHECK(session.has_ended());
    CHECK(session.cycle() == job.cycles);
    CHECK(session.outputs() == job.outputs);
  }
}

TEST_CASE("A session that is restored shows what it showed before") {
  for (const char* memory : {"sram", "external"}) {
    Session session(demo(memory));
    const auto external = [&] {
      return session.read(MemorySpace::External, 0, session.memory_bytes(MemorySpace::External));
    };
    session.run_to_command(2);
    const int64_t cycle = session.cycle();
    const std::vector<std::byte> before = seen(session), outside = external();
    const std::vector<QueueState> queues = session.queues();
    const std::vector<RegisterValue> registers = session.registers();
    session.run_to_end();
    const std::vector<base::Tensor> outputs = session.outputs();
    for (int i = 0; i < 2; ++i) {  // from the end, and from the middle
      session.restore(cycle);
      CHECK(session.cycle() == cycle);
      CHECK(seen(session) == before);
      CHECK(external() == outside);
      for (size_t k = 0; k < registers.size(); ++k) {
        INFO(memory << ", " << registers[k].name);
        CHECK(session.registers()[k].value == registers[k].value);
      }
      for (size_t k = 0; k < queues.size(); ++k) {
        CHECK(session.queues()[k].running == queues[k].running);
        CHECK(session.queues()[k].waiting == queues[k].waiting);
      }
    }
    session.run_to_end();
    CHECK(session.outputs() == outputs);
  }
}

TEST_CASE("Variables begin anew when a session is restored") {
  const tests::TemporaryDirectory scratch;
  const std::filesystem::path file = scratch / "total.tosa";
  base::write_file(file, exporter::to_tosa(tests::parsed(tests::kTotalText), "total.tosa"));
  Session session(request_of(file, {}));
  session.run_to_end();
  const std::vector<base::Tensor> outputs = session.outputs();
  session.restore(0);
  session.run_to_end();
  CHECK(session.outputs() == outputs);
}

TEST_CASE("Queues of a session are those of the times of the commands, and sums those of the command on the array") {
  const SessionRequest request = demo();
  Session session(request);
  const soc::JobResult job = soc::Npu(request.compiled->config).run(*request.compiled, inputs_of(request));
  int64_t num_running = 0, num_waiting = 0, num_sums = 0;
  while (session.step()) {
    for (const QueueState& queue : session.queues()) {
      if (queue.running) {
        ++num_running;
        const units::CommandRecord& command = job.commands[static_cast<int32_t>(*queue.running)];
        CHECK(command.start_cycle <= session.cycle());
        CHECK(command.end_cycle > session.cycle());
      }
      num_waiting += static_cast<int64_t>(queue.waiting.size());
    }
    if (command_on_array(job, session.cycle()) < 0) {
      CHECK_THROWS_AS(session.accumulators(), base::UserError);
      continue;
    }
    ++num_sums;
    CHECK(session.accumulators().values ==
          dump_command_sums(*request.compiled, inputs_of(request), command_on_array(job, session.cycle())).sums->values);
  }
  CHECK(num_running > 0);
  CHECK(num_waiting > 0);
  CHECK(num_sums > 0);
}

TEST_CASE("Registers of a session tell what the job does") {
  const SessionRequest request = demo();
  Session session(request);
  const auto status = [&] {
    const std::vector<RegisterValue> registers = session.registers();
    return std::ranges::find(registers, "STATUS", &RegisterValue::name)->value;
  };
  session.run_to_command(1);
  CHECK((status() & 3) == 1);  // running
  session.run_to_end();
  CHECK((status() & 3) == 2);  // done
}

TEST_CASE("Places that there are not, or that are over, are refused with what is allowed") {
  const SessionRequest request = demo();
  Session session(request);
  session.run_to_layer("1");
  CHECK(session.cycle() > 0);
  const auto message = [&](const auto& work) {
    try {
      work();
    } catch (const base::UserError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  using Catch::Matchers::Contains;
  CHECK_THAT(message([&] { session.run_to_cycle(0); }), Contains("restore goes back"));
  CHECK_THAT(message([&] { session.run_to_cycle(session.cycles() + 1); }), Contains("expected"));
  CHECK_THAT(message([&] { session.run_to_command(-1); }), Contains("expected 0 to"));
  CHECK_THAT(message([&] { session.run_to_command(0); }), Contains("has ended in cycle"));
  CHECK_THAT(message([&] { session.run_to_layer("0"); }), Contains("has begun in cycle"));
  CHECK_THAT(message([&] { session.run_to_layer("nothing"); }), Contains("nothing"));
  CHECK_THAT(message([&] { session.restore(-1); }), Contains("expected 0 to"));
  CHECK_THAT(message([&] { (void)session.outputs(); }), Contains("the job is in cycle"));
  const int64_t size = session.memory_bytes(MemorySpace::Sram);
  for (const std::pair<int64_t, int64_t>& bytes :
       std::vector<std::pair<int64_t, int64_t>>{{-1, 1}, {0, size + 1}, {size, 1}, {1, INT64_MAX}, {0, -1}})
    CHECK_THAT(message([&] { (void)session.read(MemorySpace::Sram, bytes.first, bytes.second); }),
               Contains("the program has"));
}

}  // namespace vernier::flow
