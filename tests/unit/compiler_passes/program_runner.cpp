// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/compiler_passes/program_runner.hpp"

#include "compiler/reference/interpreter.hpp"
#include "compiler/schedule/axes.hpp"
#include "hw/package/range.hpp"
#include "sim/kernels/kernels.hpp"
#include "tests/support/graph_builder.hpp"

#include <algorithm>
#include <cstring>
#include <random>

namespace vernier::tests {
namespace {

using passes::AddressField;

int64_t* address_of(spec::Command& command, const passes::Operand& operand) {
  if (auto* mac = std::get_if<spec::MacCommand>(&command.body)) {
    switch (operand.field) {
      case AddressField::Input: return &mac->input.base;
      case AddressField::Weights: return &mac->weight_base;
      case AddressField::Parameters: return &mac->parameter_base;
      case AddressField::Addend: return &mac->addend.base;
      default: return &mac->output.base;
    }
  }
  return &std::get<spec::VectorCommand>(command.body).streams.at(static_cast<size_t>(operand.stream_idx)).base;
}

class Runner {
 public:
  Runner(const ir::Graph& graph, const config::MachineConfig& config, RunResult& result)
      : graph_(graph), config_(config), result_(result) {
    int64_t end = 0;
    for (const passes::Buffer& buffer : result.program.buffers) {
      start_.push_back(end);
      end += base::round_up(buffer.size_bytes + 1, config.datapath.word_bytes() * spec::kNumSramBanks);
    }
    memory_.assign(static_cast<size_t>(end), std::byte{0xa5});
    is_written_.assign(static_cast<size_t>(end), false);
    for (size_t i = 0; i < start_.size(); ++i) write(start_[i], result.program.buffers[i].contents);
  }

  void fill_inputs(const std::vector<base::Tensor>& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto& place = result_.program.places[graph_.inputs[i]];
      write(start_[static_cast<size_t>(place->buffer)] + static_cast<int64_t>(place->placement.base.offset),
            inputs[i].bytes());
    }
  }

  void run(const passes::Step& step, const std::vector<base::Tensor>& expected) {
    spec::Command command = step.command;
    relocate(command, step);
    check_ranges(command, step);
    kernels::TableMemory tables;
    for (size_t i = 0; i < step.tables.size(); ++i) {
      const int64_t bytes = result_.program.buffers[step.tables[i]].size_bytes;
      tables[i].type = bytes == 256 ? base::ElementType::Int8 : base::ElementType::Int16;
      std::copy_n(memory_.begin() + start_[static_cast<size_t>(step.tables[i])], bytes, tables[i].bytes.begin());
    }
    kernels::WriteSet writes;
    if (const auto* mac = std::get_if<spec::MacCommand>(&command.body)) {
      kernels::run_mac(*mac, config_.datapath, memory_, tables, accumulators_, writes);
    } else if (const auto* vector = std::get_if<spec::VectorCommand>(&command.body)) {
      kernels::run_vector(*vector, config_.datapath, memory_, tables, writes);
    } else {
      copy(std::get<spec::DmaCommand>(command.body));
    }
    for (const auto& run : writes.runs()) write(static_cast<int64_t>(run.address.offset), writes.bytes_of(run));
    for (const passes::Production& production : step.productions) {
      compare(production, expected[static_cast<size_t>(production.tensor)]);
    }
  }

 private:
  void write(int64_t offset, std::span<const std::byte> bytes) {
    std::copy(bytes.begin(), bytes.end(), memory_.begin() + offset);
    std::fill_n(is_written_.begin() + offset, bytes.size(), true);
  }

  void relocate(spec::Command& command, const passes::Step& step) {
    for (const passes::Operand& operand : step.operands) {
      const int64_t start = start_[static_cast<size_t>(operand.buffer)];
      if (auto* dma = std::get_if<spec::DmaCommand>(&command.body)) {
        if (operand.field == AddressField::Indices) {
          dma->index_base += start;
        } else {
          (operand.field == AddressField::Source ? dma->src : dma->dst).base.offset += static_cast<uint64_t>(start);
        }
      } else {
        *address_of(command, operand) += start;
      }
    }
  }

  void check_ranges(const spec::Command& command, const passes::Step& step) {
    for (const package::Range& range : package::ranges_of(command, config_.datapath)) {
      if (range.storage != package::Storage::Sram) continue;
      const bool is_inside = std::any_of(step.operands.begin(), step.operands.end(), [&](const passes::Operand& operand) {
        const auto buffer = static_cast<size_t>(operand.buffer);
        return range.base >= start_[buffer] && range.end() <= start_[buffer] + result_.program.buffers[buffer].size_bytes;
      });
      if (!is_inside) return report(fmt::format("{} of {} bytes leaves its buffer", range.what, range.num_bytes()));
      if (range.is_write) continue;
      package::for_each_run(range, [&](int64_t offset, int64_t bytes) {
        for (int64_t i = offset; i < offset + bytes; ++i) {
          if (!is_written_[static_cast<size_t>(i)]) return report(fmt::format("{} reads an unwritten byte", range.what));
        }
      });
    }
  }

  void copy(const spec::DmaCommand& c) {
    std::array<int64_t, spec::kNumDmaLoops> at{};
    while (true) {
      auto src = static_cast<int64_t>(c.src.base.offset), dst = static_cast<int64_t>(c.dst.base.offset);
      std::array<int64_t, spec::kNumDmaLoops> src_at = at, dst_at = at;
      if (c.index_limit > 0) {
        int32_t index = 0;
        std::memcpy(&index, &memory_[static_cast<size_t>(c.index_base + 4 * (at[3] * c.counts[4] + at[4]))], sizeof index);
        (c.kind == spec::DmaKind::Gather ? src_at : dst_at)[4] = index;
      }
      for (size_t i = 0; i < at.size(); ++i) {
        src += src_at[i] * c.src.strides_bytes[i];
        dst += dst_at[i] * c.dst.strides_bytes[i];
      }
      std::vector<std::byte> run(static_cast<size_t>(c.run_bytes));
      const auto is_named = [&](spec::DmaKind indexed, int64_t index) {
        return c.kind != indexed || (index >= 0 && index < c.index_limit);
      };
      for (int64_t i = 0; i < c.run_bytes && is_named(spec::DmaKind::Gather, src_at[4]); ++i) {
        run[static_cast<size_t>(i)] =
            c.kind == spec::DmaKind::Fill
                ? static_cast<std::byte>(static_cast<uint64_t>(c.fill_value) >> (8 * (i % c.fill_bytes)))
                : memory_[static_cast<size_t>(src + i)];
      }
      if (is_named(spec::DmaKind::Scatter, dst_at[4])) write(dst, run);
      size_t loop = at.size();
      while (loop > 0 && ++at[loop - 1] == c.counts[loop - 1]) at[--loop] = 0;
      if (loop == 0) return;
    }
  }

  void compare(const passes::Production& production, const base::Tensor& expected) {
    const auto& place = *result_.program.places[production.tensor];
    const int64_t count = base::num_elements(production.extent);
    base::Tensor piece(expected.type(), {1});
    for (int64_t i = 0; i < count; ++i) {
      base::Shape at = base::coordinates_of(production.extent, i);
      int64_t index = 0;
      for (size_t d = 0; d < at.size(); ++d) {
        at[d] = production.begin[d] + at[d] * production.step_of(d);
        index = index * expected.shape()[d] + at[d];
      }
      const int64_t offset =
          start_[static_cast<size_t>(place.buffer)] + package::offset_of(place.placement, at, expected.type());
      std::memcpy(piece.bytes().data(), memory_.data() + offset, piece.bytes().size());
      ++result_.elements_compared;
      if (piece.at(0) == expected.at(index)) continue;
      return report(fmt::format("'{}' at {}: {} expected, {} found", graph_.tensor(production.tensor).name,
                                base::to_string(at), expected.at(index), piece.at(0)));
    }
  }

  void report(const std::string& difference) {
    if (result_.differences.size() < 4) result_.differences.push_back(difference);
  }

  const ir::Graph& graph_;
  const config::MachineConfig& config_;
  RunResult& result_;
  std::vector<int64_t> start_;
  std::vector<std::byte> memory_;
  std::vector<bool> is_written_;
  kernels::Accumulators accumulators_;  // stay between the slices of a reduction
};

/// The step cut at random along every axis that it can be cut along, slices of the reduction in their order.
std::vector<passes::Step> cut_at_random(const passes::Step& step, const passes::Program& program, const ir::Graph& graph,
                                        const spec::Datapath& datapath, std::mt19937_64& random) {
  constexpr size_t kMostPieces = 64;
  std::vector<schedule::Axis> axes{0, 1, 2, 4, 5};
  std::shuffle(axes.begin(), axes.end(), random);
  axes.push_back(schedule::kReduction);  // of a MAC step only what fits a bank of accumulators has slices
  std::vector<passes::Step> pieces{step};
  for (const schedule::Axis axis : axes) {
    if (random() % 3 == 0) continue;
    std::vector<passes::Step> smaller;
    for (const passes::Step& piece : pieces) {
      const int64_t extent = schedule::extent_of(piece, axis, datapath);
      const int64_t granule = schedule::granule_of(piece, axis, datapath);
      const auto granules = static_cast<uint64_t>(base::ceil_div(extent, granule));
      for (int64_t at = 0; at < extent;) {
        int64_t count = extent - at;
        if (pieces.size() + smaller.size() < kMostPieces) {
          count = std::min(count, granule * (1 + static_cast<int64_t>(random() % granules)));
        }
        smaller.push_back(schedule::part_of(piece, axis, at, count, datapath));
        at += count;
      }
    }
    pieces = std::move(smaller);
  }
  for (passes::Step& piece : pieces) piece.productions = schedule::productions_of(piece, step, program, graph, datapath);
  return pieces;
}

}  // namespace

RunResult lower_and_run(const ir::Graph& graph, const std::vector<base::Tensor>& inputs, const std::string& machine,
                        const RunOptions& options) {
  RunResult result;
  const config::MachineConfig config = config::preset_config(machine, "test");
  result.program = passes::lower(graph, config, {options.optimize}, "test");
  passes::verify(result.program, graph, config);

  std::vector<base::Tensor> expected(graph.tensors.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    if (graph.tensors[i].constant != nullptr) expected[i] = *graph.tensors[i].constant;
  }
  for (size_t i = 0; i < inputs.size(); ++i) expected[static_cast<size_t>(graph.inputs[i])] = inputs[i];
  reference::run(graph, inputs,
                 [&](ir::TensorId id, const base::Tensor& tensor) { expected[static_cast<size_t>(id)] = tensor; });

  Runner runner(graph, config, result);
  runner.fill_inputs(inputs);
  std::mt19937_64 random(options.cut_seed);
  const std::vector<passes::Step> steps = result.program.steps;
  for (const passes::Step& step : steps) {
    const auto pieces = options.cut_seed == 0 ? std::vector<passes::Step>{step}
                                              : cut_at_random(step, result.program, graph, config.datapath, random);
    for (const passes::Step& piece : pieces) runner.run(piece, expected);
  }
  return result;
}

std::vector<base::Tensor> random_inputs(const ir::Graph& graph, uint64_t seed) {
  std::vector<base::Tensor> inputs;
  for (const ir::TensorId id : graph.inputs) {
    inputs.push_back(random_tensor(graph.tensor(id).type, graph.tensor(id).shape, seed * 1000 + inputs.size()));
  }
  return inputs;
}

}  // namespace vernier::tests
