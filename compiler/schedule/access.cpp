// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/access.hpp"

#include "compiler/schedule/runs.hpp"
#include "hw/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <type_traits>
#include <utility>

namespace vernier::schedule {
namespace {

using passes::AddressField;

constexpr std::array<std::string_view, spec::kMaxVectorStreams> kStreams{"stream 0", "stream 1", "stream 2",
                                                                         "stream 3", "stream 4", "stream 5"};

/// Calls visit(field) for the strides that an operand goes by.
template <typename Visit>
void for_each_stride(spec::Command& command, const passes::Operand& operand, const Visit& visit) {
  const auto of_map = [&](spec::FeatureMap& map) {
    visit(map.row_pitch_bytes);
    visit(map.pixel_pitch_bytes);
    visit(map.block_pitch_bytes);
  };
  if (auto* mac = std::get_if<spec::MacCommand>(&command.body)) {
    if (operand.field == AddressField::Input) of_map(mac->input);
    if (operand.field == AddressField::Addend) of_map(mac->addend);
    if (operand.field == AddressField::Output) of_map(mac->output);
    if (operand.field == AddressField::Weights) visit(mac->weight_pitch_bytes);
  } else if (auto* vec = std::get_if<spec::VectorCommand>(&command.body)) {
    spec::VectorStream& stream = vec->streams.at(static_cast<size_t>(operand.stream_idx));
    for (int64_t& stride : stream.strides_bytes) visit(stride);
    visit(stream.lane_stride_bytes);
  } else if (auto* dma = std::get_if<spec::DmaCommand>(&command.body)) {
    if (operand.field == AddressField::Indices) return;
    for (int64_t& stride : (operand.field == AddressField::Source ? dma->src : dma->dst).strides_bytes) visit(stride);
  }
}

/// A number that is an address field, as it is stored in the command: addresses of two memories have another type.
template <typename Visit>
void visit_field(spec::Command& command, const passes::Operand& operand, const Visit& visit) {
  if (auto* mac = std::get_if<spec::MacCommand>(&command.body)) {
    switch (operand.field) {
      case AddressField::Input: return visit(mac->input.base);
      case AddressField::Weights: return visit(mac->weight_base);
      case AddressField::Parameters: return visit(mac->parameter_base);
      case AddressField::Addend: return visit(mac->addend.base);
      case AddressField::Output: return visit(mac->output.base);
      default: break;
    }
  } else if (auto* vec = std::get_if<spec::VectorCommand>(&command.body)) {
    if (operand.field == AddressField::Stream0) return visit(vec->streams.at(static_cast<size_t>(operand.stream_idx)).base);
  } else if (auto* dma = std::get_if<spec::DmaCommand>(&command.body)) {
    if (operand.field == AddressField::Source) return visit(dma->src.base.offset);
    if (operand.field == AddressField::Destination) return visit(dma->dst.base.offset);
    if (operand.field == AddressField::Indices) return visit(dma->index_base);
  }
  throw base::InternalError(fmt::format("operand {} does not fit its command", static_cast<int>(operand.field)));
}

}  // namespace

std::string_view range_name(const passes::Operand& operand) {
  switch (operand.field) {
    case AddressField::Input: return "input";
    case AddressField::Weights: return "weights";
    case AddressField::Parameters: return "parameters";
    case AddressField::Addend: return "addend";
    case AddressField::Output: return "output";
    case AddressField::Source: return "source";
    case AddressField::Destination: return "destination";
    case AddressField::Indices: return "indices";
    case AddressField::Stream0: return kStreams.at(static_cast<size_t>(operand.stream_idx));
  }
  return "";
}

Access access_of(const std::vector<package::Range>& ranges, const passes::Step& step, const passes::Operand& operand) {
  Access access;
  const std::string_view name = range_name(operand);
  for (const package::Range& range : ranges) {
    const bool is_memory = range.storage == package::Storage::Sram || range.storage == package::Storage::External;
    if (!is_memory || range.what != name) continue;
    access.begin = access.ranges.empty() ? range.base : std::min(access.begin, range.base);
    access.end = std::max(access.end, range.end());
    access.is_write = range.is_write;
    access.ranges.push_back(range);
  }
  // A map may begin before what is read of it: dilated taps pass over its first rows. A stride that goes backwards begins
  // with its last element.
  if (!access.ranges.empty()) access.begin = std::min(access.begin, field_of(step, operand));
  return access;
}

KeptApart blocks_kept_apart(const spec::Command& command, const passes::Operand& operand, const spec::Datapath& datapath) {
  const auto* mac = std::get_if<spec::MacCommand>(&command.body);
  if (mac == nullptr || operand.field != AddressField::Input || mac->in_channels <= datapath.lanes) return {};
  if (mac->kernel_rows == 1 && mac->kernel_columns == 1) return {};
  const int64_t block_bytes = datapath.lanes * base::stored_bytes(mac->input.type);
  if (mac->input.block_pitch_bytes == block_bytes) return {};
  return {mac->input.block_pitch_bytes, block_bytes};
}

Compaction::Compaction(const Access& access, const spec::Datapath& datapath, int64_t divisor, KeptApart apart)
    : begin_(access.begin) {
  std::set<int64_t> strides;
  for (const package::Range& range : access.ranges) {
    for (size_t d = 0; d < package::kRangeDims; ++d) {
      if (range.counts[d] > 1) strides.insert(range.strides[d]);
    }
  }
  const int64_t word = datapath.word_bytes();
  for (const int64_t stride : strides) {
    const int64_t span = span_below(access, stride);
    if (span < 0) continue;
    int64_t pitch = span;
    if (span > word) {
      // Whole words where the buffer has them; a pitch between rows away from the one where all lie in the same bank.
      if (stride % word == 0) pitch = base::round_up(span, word);
      const int64_t words = pitch / word;
      if (pitch % word == 0 && words > spec::kNumSramBanks / 2 && words % (spec::kNumSramBanks / 2) == 0) pitch += word;
    }
    if (stride == apart.stride && pitch == apart.pitch) pitch += word;
    if (divisor > 1) pitch = base::round_up(pitch, std::lcm(divisor, std::gcd(stride, word)));
    if (pitch < map(stride, levels_.size())) levels_.push_back({stride, pitch});
  }
  // A part that reads one block has no such stride, but its command has the pitch.
  const bool is_outermost = levels_.empty() || levels_.back().from < apart.stride;
  if (apart.stride > 0 && is_outermost && this->stride(apart.stride) == apart.pitch) {
    levels_.push_back({apart.stride, apart.pitch + word});
  }
  for (const package::Range& range : access.ranges) {
    int64_t end = offset(range.base) + range.run_bytes;
    for (size_t d = 0; d < package::kRangeDims; ++d) end += (range.counts[d] - 1) * this->stride(range.strides[d]);
    size_bytes_ = std::max(size_bytes_, end);
  }
}

int64_t Compaction::map(int64_t distance, size_t levels) const {
  int64_t mapped = 0;
  for (size_t i = levels; i-- > 0;) {
    mapped += distance / levels_[i].from * levels_[i].to;
    distance %= levels_[i].from;
  }
  return mapped + distance;
}

int64_t Compaction::stride(int64_t in_buffer) const {
  const int64_t mapped = map(std::abs(in_buffer), levels_.size());
  return in_buffer < 0 ? -mapped : mapped;
}

int64_t Compaction::span_below(const Access& access, int64_t stride) const {
  int64_t most = 0;
  for (const package::Range& range : access.ranges) {
    int64_t last = (range.base - access.begin) % stride;  // of the first byte of the last run, in the buffer
    for (size_t d = 0; d < package::kRangeDims; ++d) {
      if (range.counts[d] == 1) continue;
      if (range.strides[d] < stride) {
        last += (range.counts[d] - 1) * range.strides[d];
      } else if (range.strides[d] % stride != 0) {
        return -1;
      }
    }
    if (last + range.run_bytes > stride) return -1;
    most = std::max(most, map(last, levels_.size()) + range.run_bytes);
  }
  return most;
}

int64_t step_divisor(const passes::Step& step) {
  int64_t divisor = 1;
  const auto* mac = std::get_if<spec::MacCommand>(&step.command.body);
  for (const passes::Production& production : step.productions) {
    for (const int64_t s : production.step) divisor = std::lcm(divisor, s);
    // Phases of columns as channels: a part of some channels writes every so-manieth column.
    const int64_t channels = production.extent.empty() ? 1 : production.extent.back();
    if (mac != nullptr && mac->out_channels % channels == 0) divisor = std::lcm(divisor, mac->out_channels / channels);
  }
  return divisor;
}

int64_t field_of(const passes::Step& step, const passes::Operand& operand) {
  spec::Command command = step.command;
  int64_t value = 0;
  visit_field(command, operand, [&](auto& field) { value = static_cast<int64_t>(field); });
  return value;
}

void move_operand(passes::Step& step, const passes::Operand& operand, const Compaction& compaction) {
  visit_field(step.command, operand, [&](auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    field = static_cast<Field>(compaction.offset(static_cast<int64_t>(field)));
  });
  for_each_stride(step.command, operand, [&](int64_t& stride) { stride = compaction.stride(stride); });
}

void relocate(spec::Command& command, const passes::Operand& operand, int64_t bytes) {
  visit_field(command, operand, [&](auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    field = static_cast<Field>(static_cast<int64_t>(field) + bytes);
  });
}

std::vector<spec::DmaCommand> copies_of(const Access& access, const Compaction& compaction, bool to_copy) {
  std::vector<spec::DmaCommand> copies;
  const auto add = [&](int64_t begin, const std::vector<std::pair<int64_t, int64_t>>& dims, int64_t run_bytes) {
    spec::DmaCommand dma;
    dma.run_bytes = run_bytes;
    spec::DmaSide buffer, copy;
    buffer.base.offset = static_cast<uint64_t>(begin);
    copy.base.offset = static_cast<uint64_t>(compaction.offset(begin));
    size_t loop = spec::kNumDmaLoops;
    // Innermost first; a dimension that continues the run on both sides makes it longer.
    for (size_t d = dims.size(); d-- > 0;) {
      const auto [count, stride] = dims[d];
      const int64_t in_copy = compaction.stride(stride);
      if (loop == spec::kNumDmaLoops && stride == dma.run_bytes && in_copy == dma.run_bytes) {
        dma.run_bytes *= count;
        continue;
      }
      if (loop < spec::kNumDmaLoops && stride == dma.counts[loop] * buffer.strides_bytes[loop] &&
          in_copy == dma.counts[loop] * copy.strides_bytes[loop]) {
        dma.counts[loop] *= count;
        continue;
      }
      VERNIER_CHECK(loop > 0, "a copy of {} dimensions", dims.size());
      --loop;
      dma.counts[loop] = count;
      buffer.strides_bytes[loop] = stride;
      copy.strides_bytes[loop] = in_copy;
    }
    buffer.base.space = base::MemorySpace::External;
    dma.src = to_copy ? buffer : copy;
    dma.dst = to_copy ? copy : buffer;
    copies.push_back(dma);
  };
  for (size_t i = 0; i < access.ranges.size(); ++i) {
    const package::Range& range = access.ranges[i];
    const bool is_double = std::any_of(access.ranges.begin(), access.ranges.begin() + static_cast<std::ptrdiff_t>(i),
                                       [&](const package::Range& other) { return other == range; });
    if (is_double) continue;
    std::vector<std::pair<int64_t, int64_t>> dims;
    bool is_nested = true;  // no run twice
    int64_t inner = range.run_bytes;
    for (size_t d = package::kRangeDims; d-- > 0;) {
      if (range.counts[d] == 1) continue;
      is_nested = is_nested && range.strides[d] >= inner;
      inner += (range.counts[d] - 1) * range.strides[d];
      dims.insert(dims.begin(), {range.counts[d], range.strides[d]});
    }
    if (is_nested && dims.size() <= spec::kNumDmaLoops) {
      add(range.base, dims, range.run_bytes);
      continue;
    }
    std::vector<Run> runs;
    package::for_each_run(range, [&](int64_t offset, int64_t bytes) { runs.push_back({offset, bytes}); });
    for (const RunBox& box : boxes_of(std::move(runs))) {
      add(box.begin, {{box.counts[0], box.strides[0]}, {box.counts[1], box.strides[1]}}, box.run_bytes);
    }
  }
  return copies;
}

}  // namespace vernier::schedule
