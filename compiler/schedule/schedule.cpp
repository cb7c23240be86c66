// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/schedule.hpp"

#include "compiler/schedule/allocator.hpp"
#include "compiler/schedule/linearise.hpp"
#include "compiler/schedule/tokens.hpp"
#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "hw/package/range.hpp"
#include "hw/spec/command_fields.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace vernier::schedule {
namespace {

using base::MemorySpace;

int64_t encoded_bytes(const std::vector<passes::Step>& commands) {
  int64_t units = spec::length_units(spec::EndCommand{});
  for (const passes::Step& step : commands) {
    units += std::visit([](const auto& body) { return spec::length_units(body); }, step.command.body);
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
  }
  throw base::InternalError(fmt::format("operand {} does not fit its command", static_cast<int>(operand.field)));
}

/// The blocks of SRAM that a linear program needs, with their lifetimes.
struct Layout {
  std::vector<Block> blocks;
  std::vector<std::string> names;
  std::vector<int32_t> block_of_buffer;   // -1: none (constants)
  std::map<Span, int32_t> block_of_span;  // staged copies
  int32_t image_block = -1;
  int64_t total_bytes = 0;

  int32_t add(std::string name, int64_t bytes, int64_t first, int64_t last) {
    blocks.push_back({bytes, first, last, 0});
    names.push_back(std::move(name));
    return static_cast<int32_t>(blocks.size()) - 1;
  }
  void use(int32_t block, int64_t command) {
    Block& b = blocks[static_cast<size_t>(block)];
    b.first = std::min(b.first, command);
    b.last = std::max(b.last, command);
  }
};

Layout make_layout(const passes::Program& program, const LinearProgram& linear, int64_t image_bytes, bool stage_constants) {
  Layout layout;
  const auto end = static_cast<int64_t>(linear.commands.size());
  constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  if (!stage_constants) layout.image_block = layout.add("constants and commands", image_bytes, -1, end);
  layout.block_of_buffer.assign(program.buffers.size(), -1);
  for (size_t id = 0; id < program.buffers.size(); ++id) {
    const passes::Buffer& buffer = program.buffers[id];
    if (buffer.is_constant()) continue;
    layout.block_of_buffer[id] = layout.add(buffer.name, buffer.size_bytes, buffer.is_filled_at_start ? -1 : kNever,
                                            buffer.is_read_at_end ? end : -1);
  }
  for (size_t i = 0; i < linear.commands.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    for (const passes::Operand& operand : linear.commands[i].operands) {
      const int32_t block = layout.block_of_buffer[static_cast<size_t>(operand.buffer)];
      if (block >= 0) layout.use(block, at);
    }
    if (linear.loads[i]) {
      const Span span = *linear.loads[i];
      layout.block_of_span[span] =
          layout.add(fmt::format("constants {}..{}", span.begin, span.end), span.end - span.begin, at, at);
    }
    for (const Span& span : linear.staged[i]) layout.use(layout.block_of_span.at(span), at);
  }
  for (size_t b = 0; b < layout.blocks.size(); ++b) {
    Block& block = layout.blocks[b];
    if (block.first == kNever)
      block.first = block.last = block.last < 0 ? -1 : block.last;  // never used: a moment before the start
  }
  return layout;
}

/// Everything that is tried, the fastest first; the last ones need the least memory.
std::vector<Plan> plans(const config::MachineConfig& config, const Options& options, bool stage_constants) {
  std::vector<Plan> result;
  Plan plan;
  if (options.optimize == 0) {
    plan.limits.max_stripes = 1;
  } else {
    plan.limits.working_set_bytes = config.sram_bytes / 4;
    plan.choose_slides = true;
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
  plan.limits.working_set_bytes = 0;  // fewest commands, which take room themselves
  result.push_back(plan);
  return result;
}

void place(Schedule& schedule, const passes::Program& program, const LinearProgram& linear, const Layout& layout) {
  const auto address_of_block = [&](int32_t block) { return layout.blocks[static_cast<size_t>(block)].offset; };
  schedule.buffer_address.assign(program.buffers.size(), {});
  for (size_t id = 0; id < program.buffers.size(); ++id) {
    if (layout.block_of_buffer[id] >= 0) {
      schedule.buffer_address[id] = {MemorySpace::Sram, static_cast<uint64_t>(address_of_block(layout.block_of_buffer[id]))};
    } else {
      schedule.buffer_address[id] = schedule.image_address;
      schedule.buffer_address[id].offset += static_cast<uint64_t>(schedule.image.offset_bytes[id]);
    }
  }
  for (size_t i = 0; i < schedule.commands.size(); ++i) {
    passes::Step& step = schedule.commands[i];
    if (linear.loads[i]) {
      auto& load = std::get<spec::DmaCommand>(step.command.body);
      load.src.base.offset += schedule.image_address.offset;
      load.dst.base = {MemorySpace::Sram,
                       static_cast<uint64_t>(address_of_block(layout.block_of_span.at(*linear.loads[i])))};
    }
    for (const passes::Operand& operand : step.operands) {
      const int64_t in_image = schedule.image.offset_bytes[static_cast<size_t>(operand.buffer)];
      if (in_image < 0 || layout.image_block >= 0) {
        relocate(step.command, operand,
                 static_cast<int64_t>(schedule.buffer_address[static_cast<size_t>(operand.buffer)].offset));
        continue;
      }
      // A staged constant: found in the copy of the span that holds its buffer's bytes.
      const int64_t buffer_end = in_image + program.buffers[static_cast<size_t>(operand.buffer)].size_bytes;
      const auto span = std::find_if(linear.staged[i].begin(), linear.staged[i].end(),
                                     [&](const Span& s) { return s.begin < buffer_end && s.end > in_image; });
      VERNIER_CHECK(span != linear.staged[i].end(), "constant {} of command {} is not staged", operand.buffer, i);
      relocate(step.command, operand, address_of_block(layout.block_of_span.at(*span)) + in_image - span->begin);
    }
  }
  for (size_t b = 0; b < layout.blocks.size(); ++b) {
    const Block& block = layout.blocks[b];
    schedule.placed.push_back({layout.names[b], block.offset, block.size_bytes, block.first, block.last});
  }
}

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

}  // namespace

Schedule make_schedule(const passes::Program& program, const config::MachineConfig& config, const Options& options,
                       const std::string& file) {
  const bool stage_constants = config.memory_mode != spec::MemoryMode::Sram;
  const int64_t align_bytes = config.datapath.word_bytes() * spec::kNumSramBanks;
  int64_t least_bytes = std::numeric_limits<int64_t>::max();
  for (const Plan& plan : plans(config, options, stage_constants)) {
    Schedule schedule;
    schedule.image = make_image(program);
    LinearProgram linear = linearise(program, schedule.image, config, plan, stage_constants);
    const int64_t image_bytes = schedule.image.stream_offset_bytes + encoded_bytes(linear.commands);
    Layout layout = make_layout(program, linear, image_bytes, stage_constants);
    layout.total_bytes = allocate(layout.blocks, align_bytes);
    least_bytes = std::min(least_bytes, layout.total_bytes);
    if (layout.total_bytes > config.sram_bytes) continue;
    schedule.image.bytes.resize(static_cast<size_t>(image_bytes));
    schedule.commands = std::move(linear.commands);
    schedule.image_address =
        layout.image_block >= 0
            ? base::Address{MemorySpace::Sram,
                            static_cast<uint64_t>(layout.blocks[static_cast<size_t>(layout.image_block)].offset)}
            : base::Address{MemorySpace::External, 0};
    schedule.sram_peak_bytes = layout.total_bytes;
    schedule.prefetch_units = plan.prefetch_units;
    schedule.weight_block_bytes = plan.limits.weight_block_bytes;
    place(schedule, program, linear, layout);
    link(schedule, config, options);
    return schedule;
  }
  throw base::UserError(
      file, "needs {} of SRAM with {} in memory mode '{}', the configuration '{}' has {}", base::bytes_text(least_bytes),
      stage_constants ? "feature maps" : "feature maps, weights and commands",
      spec::kMemoryModeNames[static_cast<size_t>(config.memory_mode)], config.name, base::bytes_text(config.sram_bytes));
}

}  // namespace vernier::schedule
