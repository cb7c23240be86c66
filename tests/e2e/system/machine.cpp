// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/system/machine.hpp"

#include "compiler/emit/compile.hpp"
#include "hw/base/error.hpp"
#include "hw/package/command_codec.hpp"
#include "tests/support/graph_builder.hpp"

namespace vernier::tests {

config::MachineConfig machine(const std::string& preset, spec::MemoryMode memory) {
  config::MachineConfig config = config::load_config(preset);
  config.memory_mode = memory;
  return config;
}

package::Package compile(const ir::Graph& graph, const config::MachineConfig& config, int64_t optimize) {
  return emit::compile(graph, {"test.tosa", {}}, config, {optimize});
}

std::optional<package::Package> compile_if_it_fits(const ir::Graph& graph, const config::MachineConfig& config,
                                                   int64_t optimize) {
  try {
    return compile(graph, config, optimize);
  } catch (const base::UserError& error) {
    if (std::string(error.what()).find("of SRAM") == std::string::npos) throw;
    return std::nullopt;
  }
}

std::vector<base::Tensor> random_inputs(const ir::Graph& graph, uint64_t seed) {
  std::vector<base::Tensor> inputs;
  for (const ir::TensorId id : graph.inputs)
    inputs.push_back(random_tensor(graph.tensor(id).type, graph.tensor(id).shape, seed * 1000 + inputs.size()));
  return inputs;
}

std::vector<spec::Command> commands_of(const package::Package& package) {
  std::vector<spec::Command> commands;
  for (size_t at = 0; at < package.stream.size();) {
    const package::Decoded decoded = package::decode(std::span(package.stream).subspan(at));
    VERNIER_CHECK(decoded.fault == spec::FaultCode::None, "command {}: {}", commands.size(), decoded.detail);
    commands.push_back(decoded.command);
    at += static_cast<size_t>(decoded.length_bytes);
  }
  return commands;
}

std::vector<std::byte> encoded(const std::vector<spec::Command>& commands) {
  std::vector<std::byte> stream;
  for (const spec::Command& command : commands) package::encode(command, stream);
  return stream;
}

package::Package with_commands(package::Package package, const std::vector<spec::Command>& commands) {
  const size_t size = package.stream.size();
  package.stream = encoded(commands);
  VERNIER_CHECK(package.stream.size() == size, "the stream has another size");
  return package;
}

std::vector<std::vector<package::Range>> ranges_of(const std::vector<spec::Command>& commands,
                                                   const spec::Datapath& datapath) {
  std::vector<std::vector<package::Range>> ranges;
  for (const spec::Command& command : commands) ranges.push_back(package::ranges_of(command, datapath));
  return ranges;
}

std::string status_text(const soc::JobResult& job) {
  if (const auto* fault = std::get_if<soc::Fault>(&job.status))
    return fmt::format("fault: {}", spec::to_string(fault->code));
  return job.is_done() ? "done" : "hang";
}

std::vector<std::pair<size_t, size_t>> pairs_out_of_order(const std::vector<spec::Command>& commands,
                                                          const std::vector<std::vector<package::Range>>& ranges,
                                                          const std::vector<units::CommandRecord>& times) {
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t later = 0; later < commands.size(); ++later) {
    for (size_t earlier = 0; earlier < later; ++earlier) {
      if (times[later].start_cycle >= times[earlier].end_cycle) continue;
      const package::Conflict conflict = package::conflict_between(ranges[earlier], ranges[later]);
      const bool same_queue = commands[earlier].header.queue == commands[later].header.queue;
      if (same_queue ? conflict.read_after_write : conflict.any()) pairs.emplace_back(earlier, later);
    }
  }
  return pairs;
}

}  // namespace vernier::tests
