// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/lower_resize.hpp"

#include "compiler/passes/placements.hpp"
#include "compiler/passes/resize_axis.hpp"
#include "hw/base/error.hpp"
#include "hw/spec/vector_schedule.hpp"

#include <algorithm>

namespace vernier::passes {
namespace {

using spec::VectorOp;

/// Loops: image, row, column, block of channels.
spec::VectorStream stream_of(const package::Placement& placement, const spec::FeatureMap& map, int64_t row, int64_t column) {
  spec::VectorStream stream;
  stream.type = map.type;
  stream.base = map.base + row * map.row_pitch_bytes + column * map.pixel_pitch_bytes;
  stream.lane_stride_bytes = base::stored_bytes(map.type);
  stream.strides_bytes = {placement.strides_bytes[0], map.row_pitch_bytes, map.pixel_pitch_bytes, map.block_pitch_bytes, 0};
  return stream;
}

/// Which part of a sum a command computes. Sums of int16 have 48 bits, registers 32: the low word wraps, and the high word
/// comes from the sums with both halves of the weights.
enum class Word : uint8_t { All, Low, High };

/// Weights are cut so that neither half overflows: the parts of y_n * x_n <= 2^22, times 2^15.
constexpr int64_t kLowWeightBits = 11;

/// Appends the weighted sum of the inputs in registers 0 and up, to register `sum`.
void add_sum(std::vector<spec::VectorStep>& steps, const std::vector<int64_t>& weights, int64_t sum) {
  const auto product = static_cast<int64_t>(weights.size());  // behind the inputs
  for (size_t i = 0; i < weights.size(); ++i) {
    const int64_t dst = i == 0 ? sum : product;
    steps.push_back(
        {.op = VectorOp::Mul, .dst = dst, .a = static_cast<int64_t>(i), .b_is_immediate = true, .imm0 = weights[i]});
    if (i > 0) steps.push_back({.op = VectorOp::Add, .dst = sum, .a = sum, .b = product});
  }
}

std::vector<spec::VectorStep> make_steps(const std::vector<int64_t>& weights, Word word) {
  const auto inputs = static_cast<int64_t>(weights.size());
  const int64_t sum = inputs + 1, low = inputs + 2;
  std::vector<spec::VectorStep> steps;
  for (int64_t i = 0; i < inputs; ++i) steps.push_back({.op = VectorOp::Load, .dst = i, .stream = i});
  if (word == Word::High) {  // floor((high * 2^11 + low) / 2^32)
    std::vector<int64_t> high_weights = weights, low_weights = weights;
    for (int64_t& w : high_weights) w >>= kLowWeightBits;
    for (int64_t& w : low_weights) w &= (int64_t{1} << kLowWeightBits) - 1;
    add_sum(steps, low_weights, low);
    add_sum(steps, high_weights, sum);
    const auto shift = [&](int64_t reg, int64_t bits) {
      steps.push_back({.op = VectorOp::ShiftRight, .dst = reg, .a = reg, .b_is_immediate = true, .imm0 = bits});
    };
    shift(low, kLowWeightBits);
    steps.push_back({.op = VectorOp::Add, .dst = sum, .a = sum, .b = low});
    shift(sum, 32 - kLowWeightBits);
  } else {
    add_sum(steps, weights, sum);
  }
  steps.push_back({.op = VectorOp::Store, .a = sum, .stream = inputs});
  return steps;
}

/// All but the stream of the result, which comes last.
spec::VectorCommand make_command(const package::Placement& from, const spec::FeatureMap& in, const AxisPhase& row,
                                 const AxisPhase& column, Word word) {
  spec::VectorCommand command;
  std::vector<int64_t> weights;
  for (size_t y = 0; y < row.weights.size(); ++y) {
    for (size_t x = 0; x < column.weights.size(); ++x) {
      weights.push_back(row.weights[y] * column.weights[x]);
      command.streams.push_back(
          stream_of(from, in, row.in_begin + static_cast<int64_t>(y), column.in_begin + static_cast<int64_t>(x)));
      command.streams.back().strides_bytes[1] *= row.in_step;
      command.streams.back().strides_bytes[2] *= column.in_step;
    }
  }
  command.steps = make_steps(weights, word);
  return command;
}

/// The stream of one 32-bit word of an int48, which takes two in memory.
void take_word(spec::VectorStream& stream, Word word) {
  if (word == Word::All) return;
  stream.type = base::ElementType::Int32;
  if (word == Word::High) stream.base += base::stored_bytes(stream.type);
}

class ResizeLowering {
 public:
  ResizeLowering(Lowering& lowering, ir::OpId id, const package::Placement& result)
      : lowering_(lowering),
        op_(lowering.op(id)),
        in_(lowering.shape(op_.inputs[0])),
        out_(lowering.shape(op_.outputs[0])),
        input_(lowering.view(op_.inputs[0])),
        output_(lowering.materialise(op_.outputs[0], result)) {
    const base::ElementType type = lowering.type(op_.inputs[0]), sum = lowering.type(op_.outputs[0]);
    has_blocks_ = has_planes(input_.placement, in_, type) || has_planes(output_.placement, out_, sum);
    from_ = feature_map(input_.placement, in_, type, 0, lowering.lanes());
    to_ = feature_map(output_.placement, out_, sum, 0, lowering.lanes());
    step_.ops = {id};
  }

  void run() {
    const bool is_wide = lowering_.type(op_.outputs[0]) == base::ElementType::Int48;
    for (const AxisPhase& row : resize_phases(lowering_, op_, 0, true)) {
      for (const AxisPhase& column : resize_phases(lowering_, op_, 1, true)) {
        if (is_wide) add_command(row, column, Word::Low);
        add_command(row, column, is_wide ? Word::High : Word::All);
      }
    }
  }

 private:
  void add_command(const AxisPhase& row, const AxisPhase& column, Word word) {
    spec::VectorCommand command = make_command(input_.placement, from_, row, column, word);
    step_.operands.clear();
    for (size_t i = 0; i < command.streams.size(); ++i) {
      step_.operands.push_back({AddressField::Stream0, static_cast<int32_t>(i), input_.buffer});
    }
    step_.operands.push_back({AddressField::Stream0, static_cast<int32_t>(command.streams.size()), output_.buffer});
    command.streams.push_back(stream_of(output_.placement, to_, row.out_begin, column.out_begin));
    command.streams.back().strides_bytes[1] *= row.out_step;
    command.streams.back().strides_bytes[2] *= column.out_step;
    take_word(command.streams.back(), word);
    VERNIER_CHECK(spec::schedule(command, lowering_.config.datapath), "no schedule for RESIZE");
    command.lanes = has_blocks_ ? lowering_.lanes() : out_[3];
    command.counts = {out_[0], row.out_count, column.out_count, has_blocks_ ? out_[3] / lowering_.lanes() : 1, 1};
    Production production{op_.outputs[0],
                          {0, row.out_begin, column.out_begin, 0},
                          {out_[0], row.out_count, column.out_count, out_[3]},
                          0,
                          -1,
                          {1, row.out_step, column.out_step, 1}};
    if (out_[0] == 1) {  // rows outermost, so that they can be cut
      std::rotate(command.counts.begin(), command.counts.begin() + 1, command.counts.end());
      for (spec::VectorStream& stream : command.streams) {
        std::rotate(stream.strides_bytes.begin(), stream.strides_bytes.begin() + 1, stream.strides_bytes.end());
      }
      production.row_dim = 1;
    }
    step_.productions.clear();
    if (word != Word::Low) step_.productions.push_back(std::move(production));
    step_.command = {{spec::Queue::VectorUnit, 0, 0}, std::move(command)};
    lowering_.add_step(step_);
  }

  Lowering& lowering_;
  const ir::Operator& op_;
  const base::Shape& in_;
  const base::Shape& out_;
  const TensorPlace input_, output_;
  bool has_blocks_ = false;
  spec::FeatureMap from_, to_;
  Step step_;
};

}  // namespace

void lower_resize(Lowering& lowering, ir::OpId id, const package::Placement& result) {
  ResizeLowering(lowering, id, result).run();
}

}  // namespace vernier::passes
