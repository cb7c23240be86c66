// SPDX-License-Identifier: Apache-2.0
// A network compiled and simulated in this process, and its command stream as a value that tests can damage.
#pragma once

#include "compiler/ir/graph.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/package/package.hpp"
#include "hw/package/range.hpp"
#include "hw/spec/command.hpp"
#include "sim/soc/npu.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vernier::tests {

config::MachineConfig machine(const std::string& preset, spec::MemoryMode memory);

package::Package compile(const ir::Graph& graph, const config::MachineConfig& config, int64_t optimize);
/// None when the network does not fit; what else goes wrong is thrown.
std::optional<package::Package> compile_if_it_fits(const ir::Graph& graph, const config::MachineConfig& config,
                                                   int64_t optimize);

/// Uniform over each type; the same seed gives the same inputs.
std::vector<base::Tensor> random_inputs(const ir::Graph& graph, uint64_t seed);

/// The commands of the stream, END included.
std::vector<spec::Command> commands_of(const package::Package& package);
std::vector<std::byte> encoded(const std::vector<spec::Command>& commands);
/// The package with this stream in place of its own; as many bytes as before.
package::Package with_commands(package::Package package, const std::vector<spec::Command>& commands);
std::vector<std::vector<package::Range>> ranges_of(const std::vector<spec::Command>& commands,
                                                   const spec::Datapath& datapath);

/// "done", "fault: <code>", "hang".
std::string status_text(const soc::JobResult& job);

/// Pairs (earlier, later) of the stream that conflict and, in the run that gave `times`, were in flight together or in the
/// wrong order: on different queues any conflict counts, on one queue read after write.
std::vector<std::pair<size_t, size_t>> pairs_out_of_order(const std::vector<spec::Command>& commands,
                                                          const std::vector<std::vector<package::Range>>& ranges,
                                                          const std::vector<units::CommandRecord>& times);

}  // namespace vernier::tests
