// SPDX-License-Identifier: Apache-2.0
// From a lowered program to commands: cut, ordered, placed in memory, linked by tokens. A value that prints and verifies
// itself.
#pragma once

#include "compiler/cost/alternatives.hpp"
#include "compiler/passes/program.hpp"
#include "compiler/schedule/constants.hpp"
#include "compiler/schedule/too_little_sram.hpp"
#include "hw/config/machine_config.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::schedule {

/// A plan has at most so many commands: more take gigabytes and minutes to compile, and no such plan has been worth it.
inline constexpr int64_t kMostCommands = 200'000;

struct Options {
  int64_t optimize = 1;  // 0: no stripes, no overlap (each command waits for the one before); 1: stripes, overlap, prefetch
  bool explain = false;  // keep the alternatives and their costs for print()
  int64_t most_commands = kMostCommands;  // of a plan; less is for tests of what happens then
};

/// A block of SRAM: a feature map, a staged span of the image, or (memory mode sram) the image itself.
struct Placed {
  std::string name;
  bool is_constant = false;  // weights, parameters, tables; else a feature map or a part of one
  int64_t offset_bytes = 0, size_bytes = 0;
  /// The commands while it lives. -1: filled before cycle 0; commands.size(): read after the end.
  int64_t first_command = 0, last_command = 0;
};

/// What was chosen for a step of the program, whatever it became.
struct StepChoices {
  std::string step;
  ir::OpId op = -1;  // the first operator that the step works for
  std::vector<cost::Alternatives> choices;
};

struct Schedule {
  std::vector<passes::Step> commands;  // in stream order, addresses final, tokens set, tables in slots; END not included
  std::vector<Placed> placed;
  std::vector<base::Address>
      buffer_address;  // by BufferId, where it is at cycle 0 or stays: SRAM, external memory, the image
  /// By command, by production: where its tensor lies when the command ends, as if all of it were there (its base may lie
  /// before the SRAM: only what the command writes is there).
  std::vector<std::vector<package::Placement>> placements;
  Image image;                  // bytes with the encoded stream in its place
  base::Address image_address;  // of the image at cycle 0
  int64_t sram_peak_bytes = 0;
  int64_t image_bytes = 0;                  // with the stream
  int64_t planned_bytes = 0;                // size of SRAM that the memory plan was made for; 0: memory mode sram
  int64_t needed_bytes = 0;                 // least that any plan needs
  int64_t least_bytes = 0;                  // least size that the program takes, where that leaves weights no room; else 0
  int64_t cycles = 0;                       // that it takes by the timing classes, where plans were compared; else 0
  int64_t external_bytes = 0;               // of external memory, up to the end of the last place in it
  int64_t num_outside = 0;                  // feature maps that live in external memory
  cost::Alternatives plans{"memory plan"};  // of all of it
  std::vector<StepChoices> choices;         // with Options::explain
};

/// None when the program does not fit the SRAM.
std::optional<Schedule> try_schedule(const passes::Program& program, const ir::Graph& graph,
                                     const config::MachineConfig& config, const Options& options);
/// Throws TooLittleSram when the program cannot be made to fit the SRAM.
Schedule make_schedule(const passes::Program& program, const ir::Graph& graph, const config::MachineConfig& config,
                       const Options& options);

/// The least SRAM that the program takes, in the memory mode of `config`, whatever its SRAM. None where finding it takes
/// more than `most_work`, in commands of plans that are made and arranged: a measure of host time.
std::optional<SramNeed> sram_need(const passes::Program& program, const ir::Graph& graph,
                                  const config::MachineConfig& config, const Options& options, int64_t most_work);

/// InternalError with the first finding unless the schedule is well-formed: addresses inside the memories, lifetimes apart
/// where bytes are shared, tables filled in the slots that are used, and verify_order() has no finding.
void verify(const Schedule& schedule, const config::MachineConfig& config);

/// The printed form: the choices and what they were estimated to cost, a line a block of memory, a line a command.
std::string print(const Schedule& schedule, const ir::Graph& graph);

}  // namespace vernier::schedule
