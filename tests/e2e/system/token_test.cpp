// SPDX-License-Identifier: Apache-2.0
// Removing any single token from a schedule is caught by the verifier; smuggled past it, the run ends in a fault, a hang or
// other values, or its conflicting commands were in order all the same.
#include "compiler/import/import.hpp"
#include "compiler/reference/interpreter.hpp"
#include "compiler/schedule/verifier.hpp"
#include "hw/base/error.hpp"
#include "tests/e2e/system/machine.hpp"
#include "tests/support/graph_builder.hpp"
#include "tests/support/source_tree.hpp"

#include <catch2/catch.hpp>

#include <iostream>
#include <map>

namespace vernier::tests {
namespace {

using spec::Command;

struct Case {
  ir::Graph graph;
  package::Package package;
  std::vector<Command> commands;
  std::vector<std::vector<package::Range>> ranges;
  std::vector<std::vector<base::Tensor>> inputs, expected;  // of several jobs: one input does not show everything
};

constexpr int kNumInputs = 24;

/// Uniform over the type, and ever narrower: a softmax of inputs far apart uses little of its tables.
std::vector<base::Tensor> inputs_of(const ir::Graph& graph, int job) {
  std::vector<base::Tensor> inputs;
  for (const ir::TensorId id : graph.inputs) {
    const ir::TensorInfo& tensor = graph.tensor(id);
    const int narrower = job % 8;
    inputs.push_back(random_tensor(tensor.type, tensor.shape, static_cast<uint64_t>(job),
                                   base::min_value(tensor.type) >> narrower, base::max_value(tensor.type) >> narrower));
  }
  return inputs;
}

Case make_case(const std::string& file, spec::MemoryMode memory, int64_t optimize) {
  Case c;
  c.graph = import::import_file(source_path(file), ir::kLevel8k);
  c.package = compile(c.graph, machine("v256", memory), optimize);
  c.commands = commands_of(c.package);
  c.ranges = ranges_of(c.commands, c.package.config.datapath);
  for (int job = 0; job < kNumInputs; ++job) {
    c.inputs.push_back(inputs_of(c.graph, job));
    c.expected.push_back(reference::run(c.graph, c.inputs.back()).outputs);
  }
  return c;
}

/// A token: the signal of one command and the wait of another that takes it.
struct Token {
  size_t giver = 0, taker = 0;
  uint8_t signal = 0, wait = 0;  // the bits of their headers
};

/// The n-th wait of a semaphore takes what its n-th signal gave.
std::vector<Token> tokens_of(const std::vector<Command>& commands) {
  std::map<std::pair<int, int>, std::vector<size_t>> given;  // (giver's queue, taker's queue): commands that gave
  std::map<std::pair<int, int>, size_t> num_taken;
  std::vector<Token> tokens;
  for (size_t i = 0; i < commands.size(); ++i) {
    const spec::Header& header = commands[i].header;
    const int own = static_cast<int>(header.queue);
    for (int q = 0; q < spec::kNumQueues; ++q) {
      if ((header.wait >> q & 1) == 0) continue;
      const std::vector<size_t>& givers = given[{q, own}];
      const size_t n = num_taken[{q, own}]++;
      VERNIER_CHECK(givers.size() > n, "command {} waits for a token that nobody has given", i);
      tokens.push_back({givers[n], i, static_cast<uint8_t>(1 << own), static_cast<uint8_t>(1 << q)});
    }
    for (int q = 0; q < spec::kNumQueues; ++q) {
      if ((header.signal >> q & 1) != 0) given[{own, q}].push_back(i);
    }
  }
  return tokens;
}

struct Tally {
  std::map<std::string, int> counts;
  void print(const std::string& what) const {
    std::cout << what << ":";
    for (const auto& [name, count] : counts) std::cout << " " << count << " " << name;
    std::cout << "\n";
  }
};

bool is_table_fill(const Command& command) {
  const auto* dma = std::get_if<spec::DmaCommand>(&command.body);
  return dma != nullptr && dma->kind == spec::DmaKind::TableFill;
}

/// Runs the damaged stream and files the outcome; what is none of the allowed outcomes fails the test.
void run_damaged(const Case& c, soc::Npu& npu, const std::vector<Command>& damaged, Tally& tally) {
  const package::Package package = with_commands(c.package, damaged);
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    const soc::JobResult job = npu.run(package, c.inputs[i]);
    if (!job.is_done()) {
      ++tally.counts[status_text(job)];
      return;
    }
    if (job.outputs != c.expected[i]) {
      ++tally.counts["other values"];
      return;
    }
    pairs = pairs_out_of_order(c.commands, c.ranges, job.commands);
    if (pairs.empty()) {  // times do not depend on values
      ++tally.counts["in order all the same"];
      return;
    }
  }
  // A table holds entries that no input reaches: the far ends of a softmax. Nothing else may hide from so many inputs.
  for (const auto& [earlier, later] : pairs) {
    INFO("commands " << earlier << " and " << later << " conflict and ran in the wrong order");
    CHECK((is_table_fill(c.commands[earlier]) || is_table_fill(c.commands[later])));
  }
  ++tally.counts["in entries of a table that nothing looks up"];
}

const std::vector<std::string> kNetworks{"tests/e2e/demo/demo.tosa",
                                         "tests/golden/networks/classifier_head/model.tosa",
                                         "tests/golden/networks/branch_two_consumers/model.tosa",
                                         "tests/golden/networks/conv_first_c3/model.tosa",
                                         "tests/golden/networks/table_int8/model.tosa",
                                         "tests/golden/networks/conv_clamp_table/model.tosa",
                                         "tests/golden/networks/small_classifier/model.tosa",
                                         "tests/golden/networks/residual_block/model.tosa"};

}  // namespace

TEST_CASE("a token that is removed is caught by the verifier, and the machine shows it or had no need of it") {
  const std::string file = GENERATE(from_range(kNetworks));
  const auto memory = GENERATE(spec::MemoryMode::Sram, spec::MemoryMode::WeightsExternal);
  const int64_t optimize = GENERATE(0, 1);
  const Case c = make_case(file, memory, optimize);
  const spec::Datapath& datapath = c.package.config.datapath;
  const auto verdict = [&](const std::vector<Command>& commands) {
    return schedule::verify_order(commands, datapath, c.package.config.queue_depth);
  };
  REQUIRE(verdict(c.commands).empty());
  soc::Npu npu(c.package.config);
  for (size_t i = 0; i < c.inputs.size(); ++i) REQUIRE(npu.run(c.package, c.inputs[i]).outputs == c.expected[i]);
  Tally tally;
  for (const Token& token : tokens_of(c.commands)) {
    INFO(file << " optimize " << optimize << ": token of command " << token.giver << " for command " << token.taker);
    auto without_wait = c.commands;
    without_wait[token.taker].header.wait ^= token.wait;
    CHECK(!verdict(without_wait).empty());
    run_damaged(c, npu, without_wait, tally);
    auto without_signal = c.commands;
    without_signal[token.giver].header.signal ^= token.signal;
    CHECK(!verdict(without_signal).empty());
    run_damaged(c, npu, without_signal, tally);
    auto without_both = without_wait;
    without_both[token.giver].header.signal ^= token.signal;
    // --optimize 0 chains all commands: there, a token may be more than the data asks for.
    const bool is_proved = verdict(without_both).empty();
    if (optimize == 1) CHECK(!is_proved);
    if (is_proved) {
      const soc::JobResult job = npu.run(with_commands(c.package, without_both), c.inputs[0]);
      CHECK(job.outputs == c.expected[0]);
      CHECK(pairs_out_of_order(c.commands, c.ranges, job.commands).empty());
      ++tally.counts["proved without it"];
    } else {
      run_damaged(c, npu, without_both, tally);
    }
  }
  tally.print(file + " memory " + std::string(spec::kMemoryModeNames[static_cast<size_t>(memory)]) + " optimize " +
              std::to_string(optimize));
}

TEST_CASE("a schedule without any token gets a fault, or was in order by luck") {
  const std::string file = GENERATE(from_range(kNetworks));
  const Case c = make_case(file, spec::MemoryMode::WeightsExternal, 1);
  auto racing = c.commands;
  for (Command& command : racing) command.header.wait = command.header.signal = 0;
  CHECK(!schedule::verify_order(racing, c.package.config.datapath, c.package.config.queue_depth).empty());
  soc::Npu npu(c.package.config);
  const soc::JobResult job = npu.run(with_commands(c.package, racing), c.inputs[0]);
  REQUIRE(std::holds_alternative<soc::Fault>(job.status));
  const auto code = std::get<soc::Fault>(job.status).code;
  CHECK((code == spec::FaultCode::Hazard || code == spec::FaultCode::UninitialisedRead ||
         code == spec::FaultCode::TableSlotEmpty));
}

TEST_CASE("a schedule made to race gets the hazard fault, which names both commands") {
  const Case c = make_case(kNetworks.front(), spec::MemoryMode::Sram, 1);
  const auto fill = [](spec::Queue queue, uint64_t offset) {
    spec::DmaCommand dma;
    dma.kind = spec::DmaKind::Fill;
    dma.run_bytes = 4096;
    dma.dst.base = {base::MemorySpace::Sram, offset};
    return Command{{queue, 0, 0}, dma};
  };
  const uint64_t free = 1 << 20;
  const auto run = [&](uint64_t second, bool with_token) {
    std::vector<Command> commands{fill(spec::Queue::Dma0, free), fill(spec::Queue::Dma1, second), {{}, spec::EndCommand{}}};
    if (with_token) {
      commands[0].header.signal = spec::queue_bit(spec::Queue::Dma1);
      commands[1].header.wait = spec::queue_bit(spec::Queue::Dma0);
    }
    package::Package package = c.package;
    package.pieces.clear();
    package.outputs.clear();
    package.command_layers.assign(commands.size(), 0);
    package.stream = encoded(commands);
    soc::Npu npu(package.config);
    return npu.run(package, c.inputs[0]);
  };
  const soc::JobResult race = run(free + 4095, false);
  REQUIRE(status_text(race) == "fault: hazard");
  const std::string detail = std::get<soc::Fault>(race.status).detail;
  INFO(detail);
  CHECK(detail.find("command 0") != std::string::npos);
  CHECK(detail.find("command 1") != std::string::npos);
  CHECK(status_text(run(free + 4096, false)) == "done");  // a byte further there is nothing to race for
  CHECK(status_text(run(free + 4095, true)) == "done");
}

}  // namespace vernier::tests
