// SPDX-License-Identifier: Apache-2.0
// The state of a lowering, and what the lowerings of operators ask of it. Internal to this folder.
#pragma once

#include "compiler/import/quantized/graph_builder.hpp"
#include "compiler/import/tflite/lite_network.hpp"
#include "compiler/import/tflite/rounding.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace vernier::import::lite {

/// What is wrong with an operator; the one who catches it knows which.
class LiteMistake : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
template <typename... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
  throw LiteMistake(fmt::format(format, std::forward<Args>(args)...));
}

using Id = ir::TensorId;

class LiteLowering {
 public:
  explicit LiteLowering(const LiteNetwork& source) : network(source) {}

  const LiteNetwork& network;
  quantized::GraphBuilder graph;

  // Tensors of the file. All of these throw LiteMistake.
  [[nodiscard]] bool has_input(const LiteOperator& op, size_t index) const;
  [[nodiscard]] const LiteTensor& input(const LiteOperator& op, size_t index) const;
  [[nodiscard]] const LiteTensor& output(const LiteOperator& op, size_t index = 0) const;
  /// The same, of codes of int8 with one scale.
  [[nodiscard]] const LiteTensor& codes(const LiteTensor& tensor) const;
  /// The elements of a constant of integers.
  [[nodiscard]] std::vector<int64_t> elements(const LiteOperator& op, size_t index, std::string_view what) const;
  /// The graph's tensor; a constant of the file becomes one of the graph.
  [[nodiscard]] Id value(const LiteOperator& op, size_t index);
  void define(int32_t tensor, Id value) {
    values_[tensor] = value;
    given_.insert(value);
  }
  /// Padding of an image that the convolutions which read it take as their own: of `tensor`, top, bottom, left, right.
  struct Padding {
    int32_t tensor = -1;
    std::vector<int64_t> pad{0, 0, 0, 0};
  };
  void define_padded(int32_t tensor, Padding padding) { padded_[tensor] = std::move(padding); }
  /// The image that a convolution or pool reads, and what is padded around it.
  [[nodiscard]] std::pair<Id, std::vector<int64_t>> image(const LiteOperator& op);
  /// The graph's tensor of a tensor of the file, where there is one.
  [[nodiscard]] std::optional<Id> find(int32_t tensor) const {
    const auto found = values_.find(tensor);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }
  /// The results of an operator that could not be lowered, and whether an operator reads such: then its own mistakes mean
  /// nothing.
  void fail(const LiteOperator& op) { failed_.insert(op.outputs.begin(), op.outputs.end()); }
  [[nodiscard]] bool reads_failed(const LiteOperator& op) const;

  // Operators of the graph for one of the file: their names begin with that of its result.
  Id add(const LiteOperator& op, ir::OpKind kind, const ir::Attributes& attributes, std::vector<Id> inputs,
         base::ElementType type, const base::Shape& shape, const std::string& what);
  Id scalar(size_t rank, int64_t number);  // int32, of that rank
  struct Rescale {
    base::ElementType type;  // of the result
    int64_t input_zero_point = 0, output_zero_point = 0;
    std::vector<LiteMultiplier> multipliers{{int64_t{1} << 30, 30}};  // one, or one for each channel
    spec::Rounding rounding = kSumsRounding;
  };
  Id rescale(const LiteOperator& op, Id from, const Rescale& rescale, const std::string& what);
  Id reshape(const LiteOperator& op, Id from, const base::Shape& shape, const std::string& what);
  /// The result of the operator: named after it, and limited by the activation that is fused with it.
  void finish(const LiteOperator& op, Id result, tflite::ActivationFunctionType activation);

 private:
  std::map<int32_t, Id> values_;
  std::set<Id> given_;  // those of values_
  std::map<int32_t, Padding> padded_;
  std::set<int32_t> failed_;
};

/// The scale and zero point of codes.
inline double scale_of(const LiteTensor& tensor) { return static_cast<double>(tensor.scales.front()); }
inline int64_t zero_point_of(const LiteTensor& tensor) { return tensor.zero_points.front(); }

// The operators, by file.
// lite_conv.cpp
void lower_conv(LiteLowering& lowering, const LiteOperator& op);
void lower_depthwise(LiteLowering& lowering, const LiteOperator& op);
void lower_fully_connected(LiteLowering& lowering, const LiteOperator& op);
// lite_pool.cpp
void lower_average_pool(LiteLowering& lowering, const LiteOperator& op);
void lower_max_pool(LiteLowering& lowering, const LiteOperator& op);
void lower_mean(LiteLowering& lowering, const LiteOperator& op);
// lite_elementwise.cpp
void lower_add(LiteLowering& lowering, const LiteOperator& op);
void lower_quantize(LiteLowering& lowering, const LiteOperator& op);
// lite_movement.cpp
void lower_reshape(LiteLowering& lowering, const LiteOperator& op);
void lower_transpose(LiteLowering& lowering, const LiteOperator& op);
void lower_pad(LiteLowering& lowering, const LiteOperator& op);
void lower_concatenation(LiteLowering& lowering, const LiteOperator& op);
// lite_softmax.cpp
void lower_softmax(LiteLowering& lowering, const LiteOperator& op);

}  // namespace vernier::import::lite
