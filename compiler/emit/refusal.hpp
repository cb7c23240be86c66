// SPDX-License-Identifier: Apache-2.0
// What a user is told where a network does not fit the machine: what it needs, what the machine has and who said so, and
// what the other memory modes would need.
#pragma once

#include "compiler/emit/does_not_fit.hpp"
#include "compiler/ir/graph.hpp"
#include "compiler/schedule/too_little_sram.hpp"
#include "compiler/schedule/too_much_outside.hpp"
#include "hw/base/error.hpp"
#include "hw/config/machine_config.hpp"

#include <cstdint>
#include <string>

namespace vernier::emit {

/// Other memory modes are named where their need is found quickly, by the same rule on every computer; of a part of a
/// network with control flow, which has no other mode, they are not.
DoesNotFit refusal(const schedule::TooLittleSram& error, const ir::Graph& graph, const std::string& file,
                   const config::MachineConfig& config, int64_t optimize, bool is_part);
base::UserError refusal(const schedule::TooMuchOutside& error, const std::string& file, const config::MachineConfig& config);

}  // namespace vernier::emit
