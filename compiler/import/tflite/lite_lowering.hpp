// SPDX-License-Identifier: Apache-2.0
// The state of a lowering, and what the lowerings of operators ask of it. Internal to this folder.
#pragma once

#include "compiler/import/quantized/graph_builder.hpp"
#include "compiler/import/tflite/flavours.hpp"
#include "compiler/import/tflite/lite_network.hpp"
#include "compiler/import/tflite/rounding.hpp"

#include <fmt/format.h>

#include <functional>
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
inline constexpr auto kNoActivation = tflite::ActivationFunctionType::NONE;

class LiteLowering {
 public:
  using RegionOf = std::function<std::string(int32_t)>;
  LiteLowering(const LiteFile& source, const LiteNetwork& part, std::vector<ir::Variable>& shared, RegionOf name_of_region,
               TfliteRounding rounding)
      : file(source), network(part), variables(shared), region(std::move(name_of_region)), flavour(rounding) {}

  const LiteFile& file;
  const LiteNetwork& network;            // one of its subgraphs
  std::vector<ir::Variable>& variables;  // of all of them
  RegionOf region;                       // lowers a subgraph, of that index; its region's name
  TfliteRounding flavour;
  std::string warning{};                     // of the operator that is lowered: what its user should know
  std::map<int32_t, int32_t> dequantized{};  // outputs of floats, and the codes that the host makes them of
  quantized::GraphBuilder graph;

  // Tensors of the file. All of these throw LiteMistake.
  [[nodiscard]] Rule rule(const LiteOperator& op) const { return rule_of(network, op, flavour); }
  [[nodiscard]] bool has_input(const LiteOperator& op, size_t index) const;
  [[nodiscard]] const LiteTensor& input(const LiteOperator& op, size_t index) const;
  [[nodiscard]] const LiteTensor& output(const LiteOperator& op, size_t index = 0) const;
  /// The same, of codes of int8 with one scale, or of int16 with one and without a zero point.
  [[nodiscard]] const LiteTensor& codes(const LiteTensor& tensor) const;
  [[nodiscard]] const LiteTensor& input_codes(const LiteOperator& op, size_t index = 0) const {
    return codes(input(op, index));
  }
  [[nodiscard]] const LiteTensor& output_codes(const LiteOperator& op) const { return codes(output(op)); }
  /// Whether elements() has them: a constant, or the result of an operator that was done at once.
  [[nodiscard]] bool is_known(const LiteOperator& op, size_t index) const;
  /// Which variable a tensor of type RESOURCE stands for.
  void define_handle(int32_t tensor, std::string variable) { handles_[tensor] = std::move(variable); }
  [[nodiscard]] const std::string& handle(const LiteOperator& op) const;
  void define_known(int32_t tensor, std::vector<int64_t> numbers) { known_[tensor] = std::move(numbers); }
  /// The elements of a constant of integers.
  [[nodiscard]] std::vector<int64_t> elements(const LiteOperator& op, size_t index, std::string_view what) const;
  /// What is wrong with an input that has to be a constant and is none.
  [[noreturn]] void refuse_computed(const LiteOperator& op, size_t index, std::string_view what) const;
  /// The graph's tensor; a constant of the file becomes one of the graph.
  [[nodiscard]] Id value(const LiteOperator& op, size_t index);
  void define(int32_t tensor, Id value) {
    values_[tensor] = value;
    given_.insert(value);
  }
  /// Makes a constant of the graph of a tensor that is known.
  void materialise(int32_t tensor);
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
  void fail(int32_t tensor) { failed_.insert(tensor); }
  [[nodiscard]] bool has_failed(int32_t tensor) const { return failed_.contains(tensor); }
  [[nodiscard]] bool reads_failed(const LiteOperator& op) const;

  /// A copy: the graph's tensors move when one is added.
  [[nodiscard]] base::Shape shape_of(Id id) const { return graph.tensor(id).shape; }

  // Operators of the graph for one of the file: their names begin with that of its result.
  Id add(const LiteOperator& op, ir::OpKind kind, const ir::Attributes& attributes, std::vector<Id> inputs,
         base::ElementType type, const base::Shape& shape, const std::string& what);
  Id scalar(size_t rank, int64_t number);  // int32, of that rank
  struct Rescale {
    base::ElementType type;  // of the result
    int64_t input_zero_point = 0, output_zero_point = 0;
    std::vector<LiteMultiplier> multipliers{};  // one, or one for each channel; none: the number itself
    spec::Rounding rounding = kSumsRounding;
    bool is_16_bits = false;  // the multipliers: of sums of 48 bits
  };
  Id rescale(const LiteOperator& op, Id from, const Rescale& rescale, const std::string& what);
  Id reshape(const LiteOperator& op, Id from, const base::Shape& shape, const std::string& what);
  /// An input's codes less their zero point, as int32.
  Id wide(const LiteOperator& op, size_t index, const std::string& what);
  /// Numbers of int32 times `ratio`, as codes of the operator's result.
  Id to_codes(const LiteOperator& op, Id from, double ratio);
  /// The elements from `begin` on, as many as `shape` has.
  Id slice(const LiteOperator& op, Id from, const std::vector<int64_t>& begin, const base::Shape& shape,
           const std::string& what);
  /// Parts of one type, one behind the other along `axis`.
  Id joined(const LiteOperator& op, const std::vector<Id>& parts, size_t axis);
  /// Numbers of int32 or codes times others, over 2^shift, as int32 of that shape.
  Id product(const LiteOperator& op, Id a, Id b, const base::Shape& shape, const std::string& what, int64_t shift = 0);
  /// An input's codes of int8 through a TABLE of what `function` gives for each, saturated.
  Id each_code(const LiteOperator& op, size_t index, const std::function<int64_t(int64_t)>& function,
               const std::string& what);
  /// With `padding` before and after each dimension, filled with a number.
  Id pad(const LiteOperator& op, Id from, const std::vector<int64_t>& padding, int64_t number, const std::string& what);
  Id transpose(const LiteOperator& op, Id from, const std::vector<int64_t>& order, const std::string& what);
  /// Two operands with numpy's rule: as many dimensions each, and the shape of the result.
  struct Pair {
    Id a, b;
    base::Shape shape;
  };
  Pair same_rank(const LiteOperator& op, Id a, Id b);
  /// Codes of which the host makes the operator's result of floats: they get its name, since they are the graph's output.
  void finish_floats(const LiteOperator& op, Id codes);
  /// One of the results of the operator: named after it, and limited by the activation that is fused with it.
  void finish(const LiteOperator& op, Id result, tflite::ActivationFunctionType activation = kNoActivation,
              size_t output_index = 0);

 private:
  std::map<int32_t, Id> values_;
  std::set<Id> given_;  // those of values_
  std::map<int32_t, Padding> padded_;
  std::map<int32_t, std::vector<int64_t>> known_;
  std::map<int32_t, std::string> handles_;
  std::set<int32_t> failed_;
  std::set<Id> floats_;  // codes that have the name of an output of floats
};

/// The scale and zero point of codes.
inline double scale_of(const LiteTensor& tensor) { return static_cast<double>(tensor.scales.front()); }
inline int64_t zero_point_of(const LiteTensor& tensor) { return tensor.zero_points.front(); }

/// The type of the graph's tensor for codes.
inline base::ElementType type_of(const LiteTensor& tensor) { return *element_type_of(tensor.type); }
inline bool is_16_bits(const LiteTensor& tensor) { return tensor.type == tflite::TensorType::INT16; }
void check_same_type(const LiteTensor& a, const LiteTensor& b);
/// What a tensor is padded with where the operator does not say: its zero point, else the file's 0.
int64_t padding_code(const LiteTensor& tensor);
bool has_same_scale(const LiteTensor& a, const LiteTensor& b);
/// Codes that only move keep their scale. LiteMistake where the two differ.
void check_same_scale(const LiteTensor& a, const LiteTensor& b);
/// A dimension of a shape, counted from its end where negative.
size_t dimension_of(int64_t axis, size_t rank);

/// The options of an operator, which every file has for it.
template <typename Options>
const Options& options_of(const LiteOperator& op, const Options* (tflite::Operator::*get)() const) {
  const Options* options = (op.source->*get)();
  if (options == nullptr) refuse("has no options of its kind");
  return *options;
}

}  // namespace vernier::import::lite
