// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/schedule.hpp"

#include "compiler/schedule/allocator.hpp"
#include "compiler/schedule/layout.hpp"
#include "compiler/schedule/linearise.hpp"
#include "compiler/schedule/outside.hpp"
#include "compiler/schedule/tokens.hpp"
#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "hw/package/range.hpp"
#include "hw/spec/command_fields.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>

namespace vernier::schedule {
namespace {

using base::MemorySpace;

int64_t encoded_bytes(const std::vector<LinearCommand>& commands) {
  int64_t units = spec::length_units(spec::EndCommand{});
  for (const LinearCommand& command : commands) {
    units += std::visit([](const auto& body) { return spec::length_units(body); }, command.step.command.body);
  }
  return units * spec::kCommandUnitBytes;
}

/// Adds `bytes` to the address field that the operand names.
void relocate(spec::Command& command, const passes::Operand& operand, int64_t bytes) {
  using passes::AddressField;
  if (auto* mac = std::get_if<spec::MacCommand>(&command.body)) {
    switch (operand.field) {
      case AddressField::Input: mac->input.base += bytes; return;
      case AddressField::Weights: mac->weight_base += bytes; return;
      case AddressField::Parameters: mac->parameter_base += bytes; return;
      case AddressField::Addend: mac->addend.base += bytes; return;
      case AddressField::Output: mac->output.base += bytes; return;
      default: break;
    }
  } else if (auto* vec = std::get_if<spec::VectorCommand>(&command.body)) {
    if (operand.field == AddressField::Stream0) {
      vec->streams.at(static_cast<size_t>(operand.stream_idx)).base += bytes;
      return;
    }
  } else if (auto* dma = std::get_if<spec::DmaCommand>(&command.body)) {
    if (operand.field == AddressField::Source || operand.field == AddressField::Destination) {
      auto& offset = (operand.field == AddressField::Source ? dma->src : dma->dst).base.offset;
      offset = static_cast<uint64_t>(static_cast<int64_t>(offset) + bytes);
      return;
    }
    if (operand.field == AddressField::Indices) {
      dma->index_base += bytes;
      return;
    }
  }
  throw base::InternalError(fmt::format("operand {} does not fit its command", static_cast<int>(operand.field)));
}

/// Everything that is tried, the fastest first; the last ones need the least memory.
std::vector<Plan> plans(const config::MachineConfig& config, const Options& options, bool stage_constants) {
  std::vector<Plan> result;
  Plan plan;
  if (options.optimize == 0) {
    plan.limits.max_stripes = 1;
  } else {
    plan.limits.working_set_bytes = config.sram_bytes / 4;
    plan.choose_by_cost = true;
  }
  const std::vector<int64_t> ahead = options.optimize == 0 ? std::vector<int64_t>{0} : std::vector<int64_t>{4, 2, 1, 0};
  std::vector<int64_t> blocks{0};
  if (stage_constants) {
    for (const int64_t divisor : {4, 8, 16, 64}) blocks.push_back(config.sram_bytes / divisor);
    blocks.push_back(1);  // one channel step
  }
  for (const int64_t block : blocks) {
    for (const int64_t units : ahead) {
      plan.prefetch_units = units;
      plan.limits.weight_block_bytes = block;
      result.push_back(plan);
    }
  }
  if (config.memory_mode == spec::MemoryMode::External) {
    plan.limits.max_stripes = std::numeric_limits<int32_t>::max();  // as many as the working set asks for
    plan.limits.min_accumulator_rows = plan.limits.min_vectors = 1;
    plan.choose_by_cost = false;
    for (const int64_t divisor : {4, 8, 16, 32, 64}) {
      plan.limits.working_set_bytes = config.sram_bytes / divisor;
      result.push_back(plan);
    }
  } else {
    plan.limits.working_set_bytes = 0;  // fewest commands, which take room themselves
    result.push_back(plan);
  }
  return result;
}

/// External memory: the image, then a home for each graph input and output and for each feature map outside.
std::vector<int64_t> make_homes(const passes::Program& program, const std::vector<bool>& is_outside, int64_t image_bytes) {
  std::vector<int64_t> homes(program.buffers.size(), -1);
  int64_t at = base::round_up(image_bytes, kConstantAlignBytes);
  for (size_t id = 0; id < program.buffers.size(); ++id) {
    const passes::Buffer& buffer = program.buffers[id];
    if (buffer.is_constant() || !(is_outside[id] || buffer.is_filled_at_start || buffer.is_read_at_end)) continue;
    homes[id] = at;
    at = base::round_up(at + buffer.size_bytes, kConstantAlignBytes);
  }
  return homes;
}

/// Everything that decides where an address field points.
struct Placer {
  Schedule& schedule;
  const LinearProgram& linear;
  const Layout& layout;
  const std::vector<int64_t>& homes;  // empty: nothing but the image is in external memory

  [[nodiscard]] int64_t block_offset(int32_t block) const { return layout.blocks[static_cast<size_t>(block)].offset; }

  void place_buffers() const {
    schedule.buffer_address.assign(layout.block_of_buffer.size(), {});
    for (size_t id = 0; id < layout.block_of_buffer.size(); ++id) {
      base::Address& address = schedule.buffer_address[id];
      if (!homes.empty() && homes[id] >= 0) {
        address = {MemorySpace::External, static_cast<uint64_t>(homes[id])};
      } else if (layout.block_of_buffer[id] >= 0) {
        address = {MemorySpace::Sram, static_cast<uint64_t>(block_offset(layout.block_of_buffer[id]))};
      } else {
        address = schedule.image_address;
        address.offset += static_cast<uint64_t>(schedule.image.offset_bytes[id]);
      }
    }
  }

  /// What is added to an operand's field.
  [[nodiscard]] int64_t start_of(const LinearCommand& command, const passes::Operand& operand) const {
    const auto id = static_cast<size_t>(operand.buffer);
    for (const StageUse& use : command.uses) {
      if (use.field != operand.field || use.stream_idx != operand.stream_idx) continue;
      if (use.stage == StageUse::kHome) return homes[id];
      const Stage& stage = linear.stages[static_cast<size_t>(use.stage)];
      const int64_t in_source = stage.buffer < 0 ? schedule.image.offset_bytes[id] : 0;
      return block_offset(layout.block_of_stage[static_cast<size_t>(use.stage)]) + in_source - stage.span.begin;
    }
    if (layout.block_of_buffer[id] >= 0) return block_offset(layout.block_of_buffer[id]);
    return static_cast<int64_t>(schedule.image_address.offset) + schedule.image.offset_bytes[id];
  }

  /// Whether the command itself works on the buffer's place in external memory.
  [[nodiscard]] static bool reaches_home(const LinearCommand& command, const passes::Operand& operand) {
    return std::any_of(command.uses.begin(), command.uses.end(), [&](const StageUse& use) {
      return use.field == operand.field && use.stream_idx == operand.stream_idx && use.stage == StageUse::kHome;
    });
  }

  void place_commands() const {
    for (const LinearCommand& command : linear.commands) {
      passes::Step step = command.step;
      std::map<passes::BufferId, int64_t> origins;
      if (command.loads >= 0) {
        auto& load = std::get<spec::DmaCommand>(step.command.body);
        load.src.base.offset += schedule.image_address.offset;
        load.dst.base = {MemorySpace::Sram,
                         static_cast<uint64_t>(block_offset(layout.block_of_stage[static_cast<size_t>(command.loads)]))};
      }
      for (const passes::Operand& operand : step.operands) {
        const int64_t start = start_of(command, operand);
        relocate(step.command, operand, start);
        const bool has_home = !homes.empty() && homes[static_cast<size_t>(operand.buffer)] >= 0;
        if (has_home && !reaches_home(command, operand)) origins[operand.buffer] = start;
      }
      schedule.commands.push_back(std::move(step));
      schedule.staged_origin.push_back(std::move(origins));
    }
    for (size_t b = 0; b < layout.blocks.size(); ++b) {
      const Block& block = layout.blocks[b];
      schedule.placed.push_back({layout.names[b], block.offset, block.size_bytes, block.first, block.last});
    }
  }
};

/// Every command waits for the one before: nothing overlaps.
void chain_tokens(std::vector<spec::Command>& commands) {
  for (size_t i = 0; i < commands.size(); ++i) {
    commands[i].header.wait = i == 0 ? uint8_t{0} : spec::queue_bit(commands[i - 1].header.queue);
    commands[i].header.signal = i + 1 == commands.size() ? uint8_t{0} : spec::queue_bit(commands[i + 1].header.queue);
  }
}

void link(Schedule& schedule, const config::MachineConfig& config, const Options& options) {
  std::vector<spec::Command> commands;
  std::vector<std::vector<package::Range>> ranges;
  for (const passes::Step& step : schedule.commands) {
    commands.push_back(step.command);
    ranges.push_back(package::ranges_of(step.command, config.datapath));
  }
  if (options.optimize == 0) {
    chain_tokens(commands);
  } else {
    insert_tokens(commands, ranges);
  }
  for (size_t i = 0; i < commands.size(); ++i) schedule.commands[i].command.header = commands[i].header;
}

/// One way to schedule a program: a plan, and which feature maps live in external memory.
struct Attempt {
  LinearProgram linear;
  Layout layout;
  std::vector<bool> is_outside;
  int64_t image_bytes = 0;
  int64_t total_bytes = 0;
  int64_t num_outside = 0;
};

class Scheduler {
 public:
  Scheduler(const passes::Program& program, const config::MachineConfig& config, const Options& options)
      : program_(program), config_(config), options_(options), image_(make_image(program)) {}

  /// The first plan that fits; none: least_bytes() says what the smallest one needs.
  std::optional<Schedule> run() {
    for (const Plan& plan : plans(config_, options_, stages_constants())) {
      Attempt attempt = try_with(plan, 0);
      if (attempt.total_bytes > config_.sram_bytes && has_homes()) attempt = with_fewest_outside(plan);
      if (attempt.total_bytes <= config_.sram_bytes) return finish(std::move(attempt), plan);
    }
    return std::nullopt;
  }
  [[nodiscard]] int64_t least_bytes() const { return least_bytes_; }

 private:
  [[nodiscard]] bool stages_constants() const { return config_.memory_mode != spec::MemoryMode::Sram; }
  [[nodiscard]] bool has_homes() const { return config_.memory_mode == spec::MemoryMode::External; }

  /// With the `num_outside` largest feature maps in external memory.
  Attempt try_with(const Plan& plan, int64_t num_outside) {
    Attempt attempt;
    attempt.num_outside = num_outside;
    attempt.is_outside.assign(program_.buffers.size(), false);
    const std::vector<size_t> by_size = feature_maps_by_size();
    for (size_t i = 0; i < static_cast<size_t>(num_outside); ++i) attempt.is_outside[by_size[i]] = true;
    attempt.linear = linearise(program_, image_, config_, plan, stages_constants());
    if (has_homes()) {
      attempt.linear = add_copies(std::move(attempt.linear), program_, attempt.is_outside, config_.datapath,
                                  std::min<int64_t>(plan.prefetch_units, 2));
    }
    attempt.image_bytes = image_.stream_offset_bytes + encoded_bytes(attempt.linear.commands);
    attempt.layout =
        make_layout(program_, attempt.linear, attempt.is_outside, stages_constants() ? 0 : attempt.image_bytes, has_homes());
    attempt.total_bytes = allocate(attempt.layout.blocks, config_.datapath.word_bytes() * spec::kNumSramBanks);
    least_bytes_ = std::min(least_bytes_, attempt.total_bytes);
    return attempt;
  }

  /// Bisects: more feature maps outside need less SRAM.
  Attempt with_fewest_outside(const Plan& plan) {
    auto most = static_cast<int64_t>(feature_maps_by_size().size());
    Attempt best = try_with(plan, most);
    int64_t least = 0;
    while (best.total_bytes <= config_.sram_bytes && least + 1 < most) {
      const int64_t middle = (least + most) / 2;
      Attempt attempt = try_with(plan, middle);
      if (attempt.total_bytes <= config_.sram_bytes) {
        most = middle;
        best = std::move(attempt);
      } else {
        least = middle;
      }
    }
    return best;
  }

  [[nodiscard]] std::vector<size_t> feature_maps_by_size() const {
    std::vector<size_t> ids;
    for (size_t id = 0; id < program_.buffers.size(); ++id) {
      if (!program_.buffers[id].is_constant()) ids.push_back(id);
    }
    std::stable_sort(ids.begin(), ids.end(),
                     [&](size_t a, size_t b) { return program_.buffers[a].size_bytes > program_.buffers[b].size_bytes; });
    return ids;
  }

  Schedule finish(Attempt attempt, const Plan& plan) {
    Schedule schedule;
    schedule.image = std::move(image_);
    schedule.image.bytes.resize(static_cast<size_t>(attempt.image_bytes));
    const int32_t image_block = attempt.layout.image_block;
    schedule.image_address = {MemorySpace::External, 0};
    if (image_block >= 0) {
      schedule.image_address = {MemorySpace::Sram,
                                static_cast<uint64_t>(attempt.layout.blocks[static_cast<size_t>(image_block)].offset)};
    }
    schedule.sram_peak_bytes = attempt.total_bytes;
    schedule.prefetch_units = plan.prefetch_units;
    schedule.weight_block_bytes = plan.limits.weight_block_bytes;
    schedule.num_outside = attempt.num_outside;
    const std::vector<int64_t> homes =
        has_homes() ? make_homes(program_, attempt.is_outside, attempt.image_bytes) : std::vector<int64_t>{};
    const Placer placer{schedule, attempt.linear, attempt.layout, homes};
    placer.place_buffers();
    placer.place_commands();
    link(schedule, config_, options_);
    return schedule;
  }

  const passes::Program& program_;
  const config::MachineConfig& config_;
  const Options& options_;
  Image image_;
  int64_t least_bytes_ = std::numeric_limits<int64_t>::max();
};

/// A size that works, near the least: what a plan needs depends on the size that it is made for.
int64_t enough_sram(const passes::Program& program, config::MachineConfig config, const Options& options,
                    int64_t least_bytes) {
  const int64_t align_bytes = config.datapath.word_bytes() * spec::kNumSramBanks;
  config.sram_bytes = base::round_up(least_bytes, align_bytes);
  while (true) {
    Scheduler scheduler(program, config, options);
    if (scheduler.run()) return config.sram_bytes;
    config.sram_bytes =
        std::max(config.sram_bytes + config.sram_bytes / 16, base::round_up(scheduler.least_bytes(), align_bytes));
    config.sram_bytes = base::round_up(config.sram_bytes, align_bytes);
  }
}

}  // namespace

Schedule make_schedule(const passes::Program& program, const config::MachineConfig& config, const Options& options,
                       const std::string& file) {
  Scheduler scheduler(program, config, options);
  std::optional<Schedule> schedule = scheduler.run();
  if (schedule) return std::move(*schedule);
  const int64_t enough_bytes = enough_sram(program, config, options, scheduler.least_bytes());
  constexpr std::array<std::string_view, 3> kWhat{"feature maps, weights and commands", "feature maps",
                                                  "stripes of feature maps"};
  const auto mode = static_cast<size_t>(config.memory_mode);
  throw base::UserError(file, "needs {} of SRAM with {} in memory mode '{}', the configuration '{}' has {}",
                        base::bytes_text(enough_bytes), kWhat[mode], spec::kMemoryModeNames[mode], config.name,
                        base::bytes_text(config.sram_bytes));
}

}  // namespace vernier::schedule
