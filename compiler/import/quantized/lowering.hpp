// SPDX-License-Identifier: Apache-2.0
// The state of a lowering, and what the lowerings of operators ask of it. Internal to this folder.
#pragma once

#include "compiler/import/import_result.hpp"
#include "compiler/import/quantized/graph_builder.hpp"
#include "compiler/import/quantized/host_graph.hpp"
#include "compiler/import/quantized/network.hpp"
#include "compiler/import/quantized/value.hpp"
#include "hw/package/boundary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vernier::import::quantized {

/// What is wrong with a node; the one who catches it knows which node.
class NodeMistake : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
template <typename... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
  throw NodeMistake(fmt::format(format, std::forward<Args>(args)...));
}

/// What rounding took from the bias of sums, in steps, for each channel (the tensor's last dimension): the rescale of these
/// sums may add it. Where none does, the line says so.
struct Rest {
  std::vector<double> steps;
  std::string line;
};

class Lowering {
 public:
  explicit Lowering(const Network& source);

  const Network& network;
  GraphBuilder graph;
  HostGraph host;
  package::Boundary boundary;
  std::vector<std::string> warnings;  // what the reader has to know of the result
  std::vector<Rescaling> rescalings;

  // Values by name. All of these throw NodeMistake.
  [[nodiscard]] bool has_input(const Node& node, size_t index) const;
  /// Whether a value that the node reads could not be lowered: then the node's own mistakes mean nothing.
  [[nodiscard]] bool reads_failed(const Node& node) const;
  /// Whether a quantizer comes after the node, at once or later, or another operator that only the machine has.
  [[nodiscard]] bool reaches_quantizer(const Node& node) const;
  /// Whether a quantizer comes after the node, and not only what makes integers without one.
  [[nodiscard]] bool reaches_codes(const Node& node) const;
  /// Whether the node makes integers of numbers without a quantizer: indices and truth values.
  [[nodiscard]] bool gives_integers(const Node& node) const;
  /// Whether one node reads the value, and it is no output.
  [[nodiscard]] bool is_read_once(const std::string& name) const;
  [[nodiscard]] const Value& value(const Node& node, size_t index) const;
  [[nodiscard]] const Value& value(const std::string& name) const;
  [[nodiscard]] bool is_constant(const Node& node, size_t index) const;
  [[nodiscard]] const Constant& constant(const Node& node, size_t index, std::string_view what) const;
  /// Codes of 8 or 16 bits with one scale, as operators read them. A function that no quantizer has followed is applied
  /// where its results are codes of the same format (a Relu); else refused.
  [[nodiscard]] Value codes(const Node& node, size_t index);
  /// The same for operators whose results are some of the numbers that they read, or the greatest of them: what no quantizer
  /// has followed yet, sums and functions, gets the codes of the quantizer after the operator, which gives the same, or 16
  /// bits where readers differ.
  [[nodiscard]] Value moved_codes(const Node& node, size_t index);
  void define(const Node& node, Value value, size_t output = 0);
  void define(const std::string& name, Value value);

  /// Nothing is left when all steps are 0. Null where nothing is.
  void leave(ir::TensorId sums, Rest rest);
  [[nodiscard]] Rest* left(ir::TensorId sums);
  /// What the network's warnings tell at the end, once: layers whose bias takes operators of its own, because it is no whole
  /// number of steps; functions of sums, by which part of a step their numbers are off; values that are 16 bits for want of
  /// a quantizer.
  void add_fine_bias(const std::string& layer) { fine_biases_.insert(layer); }
  void add_sum_function(const std::string& layer, double error);
  void add_open_value(const std::string& name, double error) {
    open_values_.insert(name);
    worst_open_ = std::max(worst_open_, error);
  }

  /// A value that no quantizer has met as 16-bit codes, for operators that read codes; null where there is none yet.
  [[nodiscard]] const Value* codes16(const std::string& name) const {
    const auto found = codes16_.find(name);
    return found == codes16_.end() ? nullptr : &found->second;
  }
  Value remember_codes16(const std::string& name, Value codes) {
    return codes16_.insert_or_assign(name, std::move(codes)).first->second;
  }

  /// Codes of 8 bits that a TABLE or CLAMP makes of those of another tensor: for each one from the least code.
  struct CodeOrigin {
    ir::TensorId source = -1;
    std::vector<int64_t> codes;
  };
  void remember_origin(ir::TensorId codes, CodeOrigin origin) { code_origins_.emplace(codes, std::move(origin)); }
  /// Null where the tensor comes otherwise.
  [[nodiscard]] const CodeOrigin* code_origin(ir::TensorId codes) const {
    const auto found = code_origins_.find(codes);
    return found == code_origins_.end() ? nullptr : &found->second;
  }

  /// An input of integers as the codes that it holds: what moves or compares them reads this. Of 32 and 64 bits as int32,
  /// which no DequantizeLinear reads: indices.
  [[nodiscard]] Value integer_input(const Value& input);
  /// An input of the network becomes codes of that quantizer.
  [[nodiscard]] Value quantized_input(const Value& input, const Quantizer& quantizer);
  /// The graph's tensor of a value with its dimensions in that order: transposed and reshaped where needed, once.
  [[nodiscard]] ir::TensorId in_order(const Value& value, const std::vector<int64_t>& order);
  [[nodiscard]] ir::TensorId in_source_order(const Value& value) {
    return in_order(value, source_order(value.shape.size()));
  }

  /// Outputs in the source's order with the source's names; inputs in the network's order. A line for each that is none.
  std::vector<std::string> finish();
  /// After finish(): the source's values that are tensors of the graph, with those that stand there in another order too.
  [[nodiscard]] std::vector<SourceTensor> source_tensors() const;
  /// Likewise those whose elements stand for real numbers.
  [[nodiscard]] std::vector<RealTensor> real_tensors() const;

 private:
  std::string finish_output(const End& end);
  std::string finish_host(const End& end, size_t result);
  /// The output that has the numbers of a host program's source; made where there is none yet.
  std::string name_of_read(size_t source);
  std::vector<std::string> finish_readers();
  std::string finish_codes(const End& end, const Value& value);
  Value index_input(const Value& input);
  std::string finish_tensor(const End& end, const Value& value, std::optional<package::BoundaryEnd> codes);
  void add_warnings();
  void find_readers();
  std::map<std::string, Value> values_;
  std::map<std::string, int64_t> num_readers_;  // outputs count as one
  std::set<std::string> quantized_later_;       // names of values from which such an operator is reached
  std::set<std::string> codes_later_;           // from which a quantizer is reached
  struct QuantizedInput {
    Quantizer quantizer;
    std::vector<package::HostStep> steps;  // before it
    Value codes;
  };
  std::vector<std::vector<QuantizedInput>> inputs_;        // by input of the network: each way in which it is quantized
  std::multimap<ir::TensorId, std::string> host_outputs_;  // outputs with a boundary, by their tensor in the source's order
  /// Outputs whose host programs read the numbers of others, which are values of the host graph.
  struct Reader {
    std::string output;
    std::vector<size_t> sources;
  };
  std::vector<Reader> readers_;
  /// Of a tensor with its dimensions in another order. Several values may lie in one tensor, each with its own names for the
  /// dimensions: `positions` are those of the tensor, -1 for one of size 1 that is added.
  struct Reordered {
    ir::TensorId tensor = 0;
    std::vector<int64_t> positions;
    base::Shape shape;
    auto operator<=>(const Reordered&) const = default;
  };
  std::map<Reordered, ir::TensorId> reordered_;
  std::map<ir::TensorId, Rest> rests_;
  std::map<ir::TensorId, CodeOrigin> code_origins_;
  std::map<std::string, Value> codes16_;
  std::set<std::string> fine_biases_, open_values_;
  int64_t num_sum_functions_ = 0;
  std::string worst_sum_function_;
  double worst_error_ = -1, worst_open_ = 0;
};

/// Elements of a value at most: what the external memory has addresses for.
inline constexpr int64_t kMostElements = int64_t{1} << 31;
/// Whether dimensions are from 1 and the elements kMostElements at most.
bool is_addressable(const base::Shape& shape);
/// The element type of codes with that many bits, kBoolBits included.
base::ElementType element_type(int32_t bits);
/// The sizes of the dimensions in that order; 1 for those that are added.
base::Shape shape_in_order(const base::Shape& shape, const std::vector<int64_t>& order);

}  // namespace vernier::import::quantized
