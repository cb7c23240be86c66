// SPDX-License-Identifier: Apache-2.0
// From bytes to boxes: which elements of a tensor lie in what a command writes.
#include "compiler/schedule/access.hpp"
#include "compiler/schedule/axes.hpp"
#include "hw/base/error.hpp"

#include <algorithm>

namespace vernier::schedule {
namespace {

/// `count` positions, `stride` bytes apart.
struct Line {
  int64_t count = 1, stride = 0;
};

/// A dimension of a placement: `extent` positions along tensor dimension `dim`, each `weight` elements of it.
struct PlacedDim {
  int64_t stride, extent;
  size_t dim;
  int64_t weight;
};

class BoxFinder {
 public:
  BoxFinder(const package::Placement& placement, const base::Shape& shape, base::ElementType type)
      : shape_(shape), element_bytes_(base::stored_bytes(type)), base_(static_cast<int64_t>(placement.base.offset)) {
    if (shape.empty()) return;
    const size_t last = shape.size() - 1;
    for (size_t d = 0; d < last; ++d) dims_.push_back({placement.strides_bytes[d], shape[d], d, 1});
    block_ = std::min(placement.channel_block, shape[last]);
    dims_.push_back({placement.block_pitch_bytes, base::ceil_div(shape[last], block_), last, block_});
    dims_.push_back({element_bytes_, block_, last, 1});
    std::erase_if(dims_, [](const PlacedDim& dim) { return dim.extent == 1; });
    std::stable_sort(dims_.begin(), dims_.end(), [](const auto& a, const auto& b) { return a.stride > b.stride; });
  }

  std::vector<passes::Production> find(const package::Range& range, ir::TensorId tensor) {
    tensor_ = tensor;
    found_.clear();
    std::vector<Line> lines;
    for (size_t d = 0; d < package::kRangeDims; ++d) {
      if (range.counts[d] > 1) lines.push_back({range.counts[d], range.strides[d]});
    }
    // A word of an int48 that is written in two stands for the element.
    lines.push_back({std::max<int64_t>(1, range.run_bytes / element_bytes_), element_bytes_});
    visit(range.base - base_, lines, 0, {});
    return std::move(found_);
  }

 private:
  /// Positions of a line that all lie along one dimension.
  struct Along {
    size_t placed_dim;
    int64_t count, step;
  };

  /// The lines from `at` on, those before being understood.
  void visit(int64_t offset, std::vector<Line> lines, size_t at, std::vector<Along> understood) {
    while (at < lines.size() && lines[at].count == 1) ++at;
    if (at == lines.size()) return add(offset, understood);
    const Line line = lines[at];
    const std::vector<int64_t> coordinates = coordinates_of(offset);
    for (size_t d = 0; d < dims_.size(); ++d) {
      const PlacedDim& dim = dims_[d];
      const int64_t step = line.stride / dim.stride;
      if (step == 0 || line.stride % dim.stride != 0) continue;
      const bool is_taken =
          std::any_of(understood.begin(), understood.end(), [&](const Along& along) { return along.placed_dim == d; });
      const int64_t fitting = (dim.extent - 1 - coordinates[d]) / step + 1;  // positions before the dimension ends
      if (is_taken || fitting <= 0) break;
      if (fitting >= line.count) {
        understood.push_back({d, line.count, step});
        return visit(offset, lines, at + 1, understood);
      }
      if (step != 1) break;
      return split(offset, lines, at, understood, {fitting, dim.extent});
    }
    // Nothing regular: position by position.
    lines[at].count = 1;
    for (int64_t i = 0; i < line.count; ++i) visit(offset + i * line.stride, lines, at + 1, understood);
  }

  struct Rows {
    int64_t first, each;
  };
  /// A line that runs over several rows of a dimension: the rest of the first row, whole rows, the begin of the last.
  void split(int64_t offset, std::vector<Line> lines, size_t at, const std::vector<Along>& understood, Rows rows) {
    const Line line = lines[at];
    int64_t done = rows.first == rows.each ? 0 : rows.first;
    if (done > 0) {
      lines[at].count = done;
      visit(offset, lines, at, understood);
    }
    const int64_t whole = (line.count - done) / rows.each;
    if (whole > 0) {
      std::vector<Line> nested = lines;
      nested[at] = {rows.each, line.stride};
      nested.insert(nested.begin() + static_cast<std::ptrdiff_t>(at), {whole, line.stride * rows.each});
      visit(offset + done * line.stride, nested, at, understood);
      done += whole * rows.each;
    }
    if (done < line.count) {
      lines[at].count = line.count - done;
      visit(offset + done * line.stride, lines, at, understood);
    }
  }

  [[nodiscard]] std::vector<int64_t> coordinates_of(int64_t offset) const {
    std::vector<int64_t> coordinates;
    for (const PlacedDim& dim : dims_) {
      coordinates.push_back(offset / dim.stride);
      offset %= dim.stride;
    }
    return coordinates;
  }

  void add(int64_t offset, const std::vector<Along>& understood) {
    passes::Production box{tensor_, base::Shape(shape_.size(), 0), base::Shape(shape_.size(), 1), -1, -1};
    const std::vector<int64_t> coordinates = coordinates_of(offset);
    for (size_t d = 0; d < dims_.size(); ++d) {
      VERNIER_CHECK(coordinates[d] >= 0 && coordinates[d] < dims_[d].extent, "a command writes outside of tensor {}",
                    tensor_);
      box.begin[dims_[d].dim] += coordinates[d] * dims_[d].weight;
    }
    base::Shape step(shape_.size(), 1);
    const size_t last = shape_.size() - 1;
    const Along* blocks = nullptr;
    for (const Along& along : understood) {
      const PlacedDim& dim = dims_[along.placed_dim];
      if (dim.weight > 1) {
        blocks = &along;
      } else {
        box.extent[dim.dim] = along.count;
        step[dim.dim] = along.step;
      }
    }
    if (std::any_of(step.begin(), step.end(), [](int64_t s) { return s != 1; })) box.step = step;
    if (shape_.empty() || (blocks == nullptr && step[last] == 1)) {
      found_.push_back(std::move(box));
      return;
    }
    add_by_channel(std::move(box), blocks);
  }

  /// The last dimension of a production has a step of 1, and its blocks follow each other only where they are whole.
  void add_by_channel(passes::Production box, const Along* blocks) {
    const size_t last = shape_.size() - 1;
    const int64_t num_blocks = blocks == nullptr ? 1 : blocks->count, block_step = blocks == nullptr ? 1 : blocks->step;
    const int64_t channels = box.extent[last], channel_step = box.step_of(last), begin = box.begin[last];
    if (!box.step.empty()) box.step[last] = 1;
    if (channel_step == 1 && block_step == 1 && channels == block_) {
      box.extent[last] = num_blocks * block_;
      found_.push_back(std::move(box));
      return;
    }
    for (int64_t b = 0; b < num_blocks; ++b) {
      for (int64_t c = 0; c < (channel_step == 1 ? 1 : channels); ++c) {
        box.begin[last] = begin + b * block_step * block_ + c * channel_step;
        box.extent[last] = channel_step == 1 ? channels : 1;
        found_.push_back(box);
      }
    }
  }

  const base::Shape& shape_;
  int64_t element_bytes_;
  int64_t base_;
  int64_t block_ = 1;
  std::vector<PlacedDim> dims_;  // of more than one position, descending stride
  ir::TensorId tensor_ = -1;
  std::vector<passes::Production> found_;
};

}  // namespace

std::vector<passes::Production> productions_of(const passes::Step& part, const passes::Step& whole,
                                               const passes::Program& program, const ir::Graph& graph,
                                               const spec::Datapath& datapath) {
  std::vector<passes::Production> result;
  const std::vector<package::Range> ranges = package::ranges_of(part.command, datapath);
  for (const passes::Production& production : whole.productions) {
    const passes::TensorPlace& place = *program.places[production.tensor];
    const ir::TensorInfo& info = graph.tensor(production.tensor);
    BoxFinder finder(place.placement, info.shape, info.type);
    for (const passes::Operand& operand : part.operands) {
      if (operand.buffer != place.buffer) continue;
      const Access access = access_of(ranges, part, operand);
      if (!access.is_write) continue;
      for (const package::Range& range : access.ranges) {
        for (passes::Production& box : finder.find(range, production.tensor)) result.push_back(std::move(box));
      }
    }
  }
  return result;
}

}  // namespace vernier::schedule
