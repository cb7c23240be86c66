// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/lite_batch.hpp"

#include "hw/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace vernier::import::lite {

namespace {

constexpr int64_t kOpen = -1;

bool has_open_batch(const LiteTensor& tensor) { return !tensor.signature.empty() && tensor.signature.front() == kOpen; }

/// How the batch grows: `to` for `from`.
struct Growth {
  int64_t from = 1, to = 1;
  [[nodiscard]] bool is_none() const { return from == to; }
};

void grow(LiteTensor& tensor, size_t dimension, const Growth& growth, const std::string& file) {
  base::Shape shape = tensor.shape;
  const int64_t size = shape[dimension];
  const int64_t others = base::num_elements(shape) / size;
  if (size % growth.from != 0)
    throw base::UserError(file, "tensor '{}' {} has an open dimension {}, which is no multiple of the batch {}", tensor.name,
                          base::to_string(shape), dimension, growth.from);
  if (size / growth.from > kMostElements / growth.to / others)
    throw base::UserError(file, "tensor '{}' {} has more than 2^31 elements with a batch of {}", tensor.name,
                          base::to_string(shape), growth.to);
  tensor.shape[dimension] = size / growth.from * growth.to;
}

class Batch {
 public:
  Batch(LiteFile& content, int32_t main, const ir::OpenShapes& open, const std::string& file)
      : content_(content), network_(content[static_cast<size_t>(main)]), open_(open), file_(file) {}

  std::vector<std::string> set() {
    for (size_t i = 0; i < network_.inputs.size(); ++i) read_input(i);
    if (!mistakes_.empty()) throw base::UserErrors(mistakes_);
    if (!growth_ || growth_->is_none()) return names_;
    for (LiteNetwork& network : content_) {
      for (LiteTensor& tensor : network.tensors) grow_open(tensor);
    }
    for (const LiteOperator& op : network_.operators) grow_results(op);
    return names_;
  }

 private:
  void add(const std::string& text) { mistakes_.emplace_back(base::UserError(file_, "{}", text).what()); }

  /// The batch that an input gets.
  void read_input(size_t index) {
    const LiteTensor& tensor = network_.tensors[static_cast<size_t>(network_.inputs[index])];
    const bool is_open = has_open_batch(tensor);
    base::Shape shape = tensor.shape;
    if (is_open) shape.front() = kOpen;
    const bool is_batch = ir::fill_input_shape(shape, tensor.name, index, open_, file_);
    if (is_batch) names_.push_back(tensor.name);
    if (!is_open) {
      if (open_.batch && (shape.empty() || shape.front() != *open_.batch))
        add(fmt::format("input '{}' {} has no batch of {}", tensor.name, base::to_string(shape), *open_.batch));
      return;
    }
    if (!is_batch && open_.batch && shape.front() != *open_.batch)
      add(fmt::format("input '{}' has a batch of {} by --shape and of {} by --batch, expected the same", tensor.name,
                      shape.front(), *open_.batch));
    // Without --batch it stays as the file has it.
    const bool is_given = !is_batch || open_.batch.has_value();
    const Growth growth{tensor.shape.front(), is_given ? shape.front() : tensor.shape.front()};
    const bool has_more = std::count(tensor.signature.begin(), tensor.signature.end(), kOpen) > 1;
    if (!growth.is_none() && has_more)
      add(fmt::format("input '{}' leaves more than its batch open, allowed are then the sizes of the file, {}", tensor.name,
                      base::to_string(tensor.shape)));
    if (growth_ && (growth_->from != growth.from || growth_->to != growth.to))
      add(fmt::format("input '{}' has a batch of {}, and another input {}, expected the same", tensor.name, growth.to,
                      growth_->to));
    growth_ = growth;
  }

  void grow_open(LiteTensor& tensor) {
    const auto found = std::find(tensor.signature.begin(), tensor.signature.end(), kOpen);
    if (tensor.is_constant || found == tensor.signature.end()) return;
    grow(tensor, static_cast<size_t>(found - tensor.signature.begin()), *growth_, file_);
    grown_.insert(&tensor);
  }

  /// Results of which the file says nothing.
  void grow_results(const LiteOperator& op) {
    if (op.code == tflite::BuiltinOperator::SHAPE || op.inputs.empty() || op.inputs[0] < 0) return;
    if (!grown_.contains(&network_.tensors[static_cast<size_t>(op.inputs[0])])) return;
    for (const int32_t output : op.outputs) {
      LiteTensor& tensor = network_.tensors[static_cast<size_t>(output)];
      if (!tensor.signature.empty() || tensor.shape.empty() || !grown_.insert(&tensor).second) continue;
      grow(tensor, 0, *growth_, file_);
    }
  }

  LiteFile& content_;
  LiteNetwork& network_;
  const ir::OpenShapes& open_;
  const std::string& file_;
  std::optional<Growth> growth_;
  std::set<const LiteTensor*> grown_;
  std::vector<std::string> names_, mistakes_;
};

}  // namespace

std::vector<std::string> set_batch(LiteFile& content, int32_t main, const ir::OpenShapes& open, const std::string& file) {
  return Batch(content, main, open, file).set();
}

}  // namespace vernier::import::lite
