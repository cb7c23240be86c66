// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/depthwise_copy.hpp"

#include "compiler/cost/input_copy.hpp"
#include "compiler/passes/mac_cut.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace vernier::passes {
namespace {

using spec::MacCommand;

/// A copy takes room beside the map. Where SRAM is short, or a cache, that costs more than conflicts do.
constexpr int64_t kMostCopies = 16;  // that would fill the SRAM

class BlockedStep {
 public:
  BlockedStep(Lowering& lowering, Step step, const cost::InputCopy& copy, ir::TensorId input)
      : lowering_(lowering),
        step_(std::move(step)),
        choices_(std::exchange(step_.choices, {})),
        source_(std::get<MacCommand>(step_.command.body)),
        copy_(copy) {
    step_.can_split_rows = false;
    cost::Alternatives told("input map");
    const std::string_view what = copy.is_by_channels ? "channels" : "rows";
    told.add(fmt::format("copied in blocks of {} {}, the first {} as they lie", copy.block, what, copy.first), copy.cycles);
    told.add("as it lies", copy.cycles_without);
    choices_.push_back(std::move(told));
    as_it_lies_ = step_;
    const auto is_input = [](const Operand& operand) { return operand.field == AddressField::Input; };
    Operand& operand = *std::find_if(step_.operands.begin(), step_.operands.end(), is_input);
    source_buffer_ = operand.buffer;
    lowering.program.has_input_copies = true;
    operand.buffer = copy_buffer_ = lowering.add_buffer(
        {.name = lowering.graph.tensor(input).name, .size_bytes = copy.size_bytes(source_), .contents = {}});
    auto& command = std::get<MacCommand>(step_.command.body);
    command = cost::on_copy(command, copy);
  }

  void run() {
    const int64_t extent = copy_.extent(source_);
    if (copy_.first > 0) add_block(as_it_lies_, 0, copy_.first);
    for (int64_t at = copy_.first; at < extent; at += copy_.block) {
      const int64_t count = std::min(copy_.block, extent - at);
      if (const auto dma = cost::copy_for_block(source_, copy_, at, count)) add_copy(*dma);
      add_block(step_, at, count);
    }
  }

 private:
  void add_copy(const spec::DmaCommand& dma) {
    Step step;
    step.command = {{spec::Queue::Dma1, 0, 0}, dma};
    step.operands = {{AddressField::Source, 0, source_buffer_}, {AddressField::Destination, 0, copy_buffer_}};
    step.ops = {step_.ops[0]};
    step.can_split_rows = false;
    lowering_.add_step(std::move(step));
  }

  void add_block(Step block, int64_t first, int64_t count) {
    auto& command = std::get<MacCommand>(block.command.body);
    Production& production = block.productions[0];
    if (copy_.is_by_channels) {
      cut_channels(command, first, count, lowering_.config.datapath);
    } else {
      cut_rows(command, first, count);
    }
    const auto dim = static_cast<size_t>(copy_.is_by_channels ? production.channel_dim : production.row_dim);
    production.begin[dim] += first;
    production.extent[dim] = count;
    block.choices = std::exchange(choices_, {});  // told once
    block.is_tuned = first >= copy_.first && first + count < copy_.extent(source_);
    if (block.is_tuned) command = cost::tuned_for_copies(command, copy_);
    lowering_.add_step(std::move(block));
  }

  Lowering& lowering_;
  Step step_, as_it_lies_;  // on the copy, and on the map
  std::vector<cost::Alternatives> choices_;
  const MacCommand source_;  // on the map
  const cost::InputCopy& copy_;
  BufferId source_buffer_ = -1, copy_buffer_ = -1;
};

}  // namespace

void add_with_input_copy(Lowering& lowering, Step step, ir::TensorId input) {
  const auto& command = std::get<MacCommand>(step.command.body);
  const bool is_cut_anywhere = step.productions[0].row_dim >= 0 && step.productions[0].channel_dim >= 0;
  const bool can_copy = lowering.is_optimizing() && lowering.options.may_copy_inputs &&
                        command.weight_order == spec::WeightOrder::Tiles && is_cut_anywhere &&
                        lowering.config.memory_mode != spec::MemoryMode::External;
  const int64_t most_bytes = lowering.config.sram_bytes / kMostCopies;
  const auto copy = can_copy ? cost::choose_input_copy(command, lowering.config, most_bytes) : std::nullopt;
  if (!copy) return lowering.add_step(std::move(step));
  BlockedStep(lowering, std::move(step), *copy, input).run();
}

}  // namespace vernier::passes
