// SPDX-License-Identifier: Apache-2.0
#include "compiler/emit/refusal.hpp"

#include "compiler/passes/program.hpp"
#include "compiler/schedule/attempt.hpp"
#include "compiler/schedule/schedule.hpp"
#include "hw/base/text.hpp"
#include "hw/spec/registers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace vernier::emit {
namespace {

/// The work of a search for the least SRAM of another memory mode, in commands: about a second.
constexpr int64_t kMostSearchWork = 1'000'000;

std::string_view name_of(spec::MemoryMode mode) { return spec::kMemoryModeNames[static_cast<size_t>(mode)]; }

std::string_view what_lies_in_sram(spec::MemoryMode mode) {
  constexpr std::array<std::string_view, 3> kWhat{"feature maps, weights and commands", "feature maps and weights",
                                                  "parts of feature maps and weights"};
  return kWhat.at(static_cast<size_t>(mode));
}

/// The least size that the network takes in that memory mode; none where none is found.
std::optional<int64_t> least_sram_in(spec::MemoryMode mode, const ir::Graph& graph, const std::string& file,
                                     config::MachineConfig config, int64_t optimize) {
  config.memory_mode = mode;
  try {
    passes::LoweringOptions lowering{optimize};
    lowering.may_take_more_room = false;
    const passes::Program program = passes::lower(graph, config, lowering, file);
    if (static_cast<int64_t>(program.steps.size()) > schedule::kMostCommands) return std::nullopt;
    const std::optional<schedule::SramNeed> need = schedule::sram_need(program, graph, config, {optimize}, kMostSearchWork);
    if (!need || need->bytes == 0 || need->bytes > spec::kMaxSramBytes) return std::nullopt;
    return std::max<int64_t>(need->bytes, spec::kKibi);
  } catch (const schedule::TooMuchOutside&) {
    return std::nullopt;
  }
}

/// A memory mode, and the least size of SRAM in bytes that the network takes in it.
struct OtherMode {
  spec::MemoryMode mode;
  int64_t least_bytes;
};

/// Those whose need is known, in their order.
std::vector<OtherMode> other_modes(const ir::Graph& graph, const std::string& file, const config::MachineConfig& config,
                                   int64_t optimize) {
  std::vector<OtherMode> others;
  for (size_t i = 0; i < spec::kMemoryModeNames.size(); ++i) {
    const auto mode = static_cast<spec::MemoryMode>(i);
    if (mode == config.memory_mode) continue;
    if (const auto least_bytes = least_sram_in(mode, graph, file, config, optimize)) others.push_back({mode, *least_bytes});
  }
  return others;
}

/// "; memory mode 'weights-external' needs 1867776 B (1.8 MiB), 'external' needs 15616 B (15.2 KiB)"
std::string text_of(const std::vector<OtherMode>& others) {
  std::string text;
  for (const OtherMode& other : others)
    text += fmt::format("{} '{}' needs {}", text.empty() ? "; memory mode" : ",", name_of(other.mode),
                        base::size_text(other.least_bytes));
  return text;
}

}  // namespace

DoesNotFit refusal(const schedule::TooLittleSram& error, const ir::Graph& graph, const std::string& file,
                   const config::MachineConfig& config, int64_t optimize, bool is_part) {
  const int64_t needed_bytes = error.need().bytes;
  const std::string too_long =
      fmt::format("more than {} commands, the most that a plan may have", base::with_thousands(schedule::kMostCommands));
  std::string text;
  if (needed_bytes == 0) {
    text = fmt::format("takes {}, in memory mode '{}', whatever the SRAM", too_long, name_of(config.memory_mode));
  } else {
    text = fmt::format("needs {} of SRAM with {} in memory mode '{}', {} gives {}", base::size_text(needed_bytes),
                       what_lies_in_sram(config.memory_mode), name_of(config.memory_mode), config.origins.sram,
                       base::size_text(config.sram_bytes));
    if (error.has_too_many_commands()) text += fmt::format(", in which it takes {}", too_long);
    if (needed_bytes > spec::kMaxSramBytes)
      text += fmt::format(", a machine may have {}", base::size_text(spec::kMaxSramBytes));
  }
  if (is_part) return {file, text, std::nullopt};
  const std::vector<OtherMode> others = other_modes(graph, file, config, optimize);
  const auto has_room = [&](const OtherMode& other) {
    return other.mode > config.memory_mode && other.least_bytes <= config.sram_bytes;
  };
  const auto found = std::ranges::find_if(others, has_room);
  return {file, text + text_of(others), found == others.end() ? std::nullopt : std::optional(found->mode)};
}

base::UserError refusal(const schedule::TooMuchOutside& error, const std::string& file,
                        const config::MachineConfig& config) {
  return {file,
          "needs {}{} of external memory in memory mode '{}', the machine's addresses reach {}",
          error.is_least() ? "at least " : "",
          base::size_text(error.needed_bytes()),
          name_of(config.memory_mode),
          base::size_text(spec::kMaxExternalBytes)};
}

}  // namespace vernier::emit
