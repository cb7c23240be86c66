// SPDX-License-Identifier: Apache-2.0
// A TOSA graph: operators in a topological order over tensors in SSA form. Constants (CONST, CONST_SHAPE) are not operators
// here: they are tensors that carry their value.
#pragma once

#include "compiler/ir/op_kind.hpp"
#include "hw/base/indexed_vector.hpp"
#include "hw/base/tensor.hpp"
#include "hw/spec/rounding.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace vernier::ir {

/// Index into Graph::tensors.
using TensorId = int32_t;
/// Index into Graph::operators.
using OpId = int32_t;

/// CONV2D and DEPTHWISE_CONV2D (pad: top, bottom, left, right; stride and dilation: y, x), CONV3D (a depth pair or value in
/// front).
struct ConvAttributes {
  std::vector<int64_t> pad, stride, dilation;
  base::ElementType acc_type = base::ElementType::Int32;
  bool operator==(const ConvAttributes&) const = default;
};
/// TRANSPOSE_CONV2D (out_pad: top, bottom, left, right).
struct TransposeConvAttributes {
  std::vector<int64_t> out_pad, stride;
  base::ElementType acc_type = base::ElementType::Int32;
  bool operator==(const TransposeConvAttributes&) const = default;
};
/// AVG_POOL2D and MAX_POOL2D (kernel, stride: y, x; pad: top, bottom, left, right). acc_type is AVG_POOL2D's alone.
struct PoolAttributes {
  std::vector<int64_t> kernel, stride, pad;
  base::ElementType acc_type = base::ElementType::Int32;
  bool operator==(const PoolAttributes&) const = default;
};
struct ClampAttributes {
  int64_t min = 0, max = 0;
  bool operator==(const ClampAttributes&) const = default;
};
/// ARGMAX, REDUCE_*, CONCAT, REVERSE.
struct AxisAttributes {
  int64_t axis = 0;
  bool operator==(const AxisAttributes&) const = default;
};
struct RescaleAttributes {
  bool scale32 = true;
  spec::Rounding rounding = spec::Rounding::Single;
  bool per_channel = false, input_unsigned = false, output_unsigned = false;
  bool operator==(const RescaleAttributes&) const = default;
};
/// ARITHMETIC_RIGHT_SHIFT.
struct ShiftAttributes {
  bool round = false;
  bool operator==(const ShiftAttributes&) const = default;
};
struct TransposeAttributes {
  std::vector<int64_t> perms;
  bool operator==(const TransposeAttributes&) const = default;
};
struct ResizeAttributes {
  bool bilinear = false;
  bool operator==(const ResizeAttributes&) const = default;
};

/// COND_IF: names of regions.
struct CondIfAttributes {
  std::string then_graph, else_graph;
  bool operator==(const CondIfAttributes&) const = default;
};
/// WHILE_LOOP: names of regions.
struct WhileLoopAttributes {
  std::string cond_graph, body_graph;
  bool operator==(const WhileLoopAttributes&) const = default;
};

/// VARIABLE_READ and VARIABLE_WRITE: name of a variable of the main graph.
struct VariableAttributes {
  std::string variable;
  bool operator==(const VariableAttributes&) const = default;
};

using Attributes = std::variant<std::monostate, ConvAttributes, TransposeConvAttributes, PoolAttributes, ClampAttributes,
                                AxisAttributes, RescaleAttributes, ShiftAttributes, TransposeAttributes, ResizeAttributes,
                                CondIfAttributes, WhileLoopAttributes, VariableAttributes>;

struct TensorInfo {
  std::string name;  // unique in the graph
  base::ElementType type = base::ElementType::Int8;
  base::Shape shape;
  std::shared_ptr<const base::Tensor> constant;  // null unless the value is known; its type and shape equal the ones above
};

/// Operand order is the order of the arguments in the specification, zero points and shape operands included.
struct Operator {
  OpKind kind = OpKind::Identity;
  Attributes attributes;
  std::vector<TensorId> inputs, outputs;
  std::string location;  // the NAME of loc("NAME"("FILE":0:0)); operators of one NAME are one layer; "" when there is none
  template <typename T>
  [[nodiscard]] const T& attributes_as() const {
    return std::get<T>(attributes);
  }
};

struct Region;

/// What keeps its value from one run of the graph to the next. VARIABLE_READ, without an operand, gives the value that it
/// has at that place of the order of operators; VARIABLE_WRITE gives it the value of its operand, which is the result too.
struct Variable {
  std::string name;  // unique among variables
  base::ElementType type = base::ElementType::Int8;
  base::Shape shape;
  std::shared_ptr<const base::Tensor> initial;  // null: the file gives none, and it begins with zeros
};

struct Graph {
  base::IndexedVector<TensorId, TensorInfo> tensors;
  base::IndexedVector<OpId, Operator> operators;  // every operator stands after the producers of its inputs
  std::vector<TensorId> inputs, outputs;  // in the order of the file; a tensor may be an output twice, or input and output
  // Of the main graph alone: what COND_IF and WHILE_LOOP run, of all depths, and how deep they may stand in each other.
  std::vector<Region> regions;
  int64_t max_nesting = 6;
  std::vector<Variable> variables;  // of the main graph alone; its regions read and write them too

  [[nodiscard]] const TensorInfo& tensor(TensorId id) const { return tensors.at(id); }
  [[nodiscard]] bool is_constant(TensorId id) const { return tensor(id).constant != nullptr; }
  /// Producer of each tensor, -1 for graph inputs and constants.
  [[nodiscard]] base::IndexedVector<TensorId, OpId> producers() const;
  /// Operators that read each tensor, in order, each once.
  [[nodiscard]] base::IndexedVector<TensorId, std::vector<OpId>> consumers() const;
};

/// A graph that COND_IF and WHILE_LOOP run by its name. Its inputs are the operands of the operator, its outputs the
/// results.
struct Region {
  std::string name;
  Graph graph;
  std::string mistake{};  // the first one of its operators, a line: an error where the region runs, and nowhere else
};
/// The region of that name; null where the main graph has none.
const Graph* find_region(const Graph& main, std::string_view name);
/// The number of the variable of that name; nothing where the main graph has none.
std::optional<size_t> find_variable(const Graph& main, std::string_view name);
/// The number of the variable that VARIABLE_READ or VARIABLE_WRITE names; nothing for every other operator, and for a name
/// that is none.
std::optional<size_t> variable_of(const Graph& main, const Operator& op);
/// VARIABLE_READ and VARIABLE_WRITE.
bool uses_variable(OpKind kind);
/// Whether the operator runs regions: COND_IF and WHILE_LOOP.
bool is_control_flow(OpKind kind);
/// Whether one of the operators does, of the main graph or of a region.
bool has_control_flow(const Graph& graph);

/// A layer is the set of operators with the same location; an operator without one is a layer by itself.
struct Layer {
  std::string name;       // the location, or the name of the operator's first output
  std::vector<OpId> ops;  // in graph order
};
/// Layers in the order of their first operators.
std::vector<Layer> layers_of(const Graph& graph);
/// Multiply-accumulates of an operator: taps in padding included; TRANSPOSE_CONV2D as input elements x kernel x output
/// channels; 0 for what is not a convolution or MATMUL.
int64_t macs_of(const Graph& graph, const Operator& op);

/// The printed form, one operator a line; constants in full (hex), so that parse(print(g)) gives g.
std::string print(const Graph& graph);
/// The same for people: of a constant of more than 8 elements the first 8, how many there are, and the CRC-32 of all its
/// bytes.
std::string print_shortened(const Graph& graph);
/// Reads what print() wrote. UserError with `file` and the line on anything else.
Graph parse(const std::string& file, const std::string& text);

/// Limits of a TOSA level ("8K" or "none").
struct Level {
  int64_t max_rank = 6, max_kernel = 8192, max_stride = 8192, max_scale = 256, max_log2_size = 31, max_tensor_list_size = 64;
  int64_t max_nesting = 6;
};
inline constexpr Level kLevel8k{};
inline constexpr Level kLevelNone{32, 2147483647, 2147483647, 2048, 63, 256, 256};

/// What takes the place of dimensions of graph inputs that a file leaves open (-1).
struct OpenShapes {
  std::optional<int64_t> batch;                // of first ones, 1 when absent; when nothing is open, they have to be this
  std::vector<base::Shape> input_shapes;       // by graph input, where they are known already (a package's); goes first
  std::map<std::string, base::Shape> named{};  // by name of the input: the whole shape; goes second
};
/// Fills the open dimensions of input number `index`. Whether the first one was open and no shape gave it: then it is the
/// batch. UserError (naming --shape or `file`) for a shape that does not fit and for a dimension that stays open.
bool fill_input_shape(base::Shape& shape, const std::string& name, size_t index, const OpenShapes& open,
                      const std::string& file);
/// UserError, naming the option, unless that is the name of one of the inputs; suggests the nearest.
void check_input_name(const std::string& option, const std::string& name, const std::vector<std::string>& inputs);
struct CompletedShapes {
  std::vector<std::string> open_inputs;  // names of the graph inputs whose first dimension was open
  bool has_changes = false;              // whether anything at all was open
};
/// Fills every dimension of -1, in operator order: the first one of graph inputs by `open`, those of results by the rules of
/// verify(), those of the operands of RESHAPE and SLICE by the number of elements that there are. UserError names tensor and
/// dimension of what does not follow, or holds another batch. May be called before verify(), which still has to judge the
/// result.
CompletedShapes complete_shapes(Graph& graph, const std::string& file, const Level& level, const OpenShapes& open);

/// The most mistakes that are told of one file.
inline constexpr size_t kMostMistakes = 100;
/// Checks structure (single producers, order, operand counts), types and shapes against the operator tables of TOSA 1.0 and
/// every ERROR_IF that does not depend on data; LEVEL_CHECK violations too. A line for each mistake names `file`, operator,
/// location, what was found and what is allowed: all those of tensors, or, where there are none, of operators, up to
/// kMostMistakes. None when the graph is good. Of regions it checks tensors and structure: what is wrong with their
/// operators is an error where they run, and nowhere else.
std::vector<std::string> find_mistakes(const Graph& graph, const std::string& file, const Level& level);
/// Puts into each region what find_mistakes() would say of its operators, and into `main` the nesting that the level allows.
void judge_regions(Graph& main, const std::string& file, const Level& level);
/// The region of that name, `depth` operators COND_IF and WHILE_LOOP around it: 1 for one of the main graph. UserError where
/// it has a mistake or lies too deep.
const Graph& region_to_run(const Graph& main, const std::string& name, int64_t depth);
/// The checks of an operator with the values of all operands, where verify() could not know them. UserError as of verify().
void verify_values(const Graph& graph, const Operator& op, const std::vector<const base::Tensor*>& values);
/// The first operand that is computed where only EXT-DYNAMIC allows it: a zero point, shift, table or the like.
std::optional<size_t> find_computed_parameter(const Operator& op, const std::function<bool(TensorId)>& is_known);
/// The specification's name of an operand, "input_zp".
std::string operand_name(OpKind kind, size_t operand);
/// UserError with these lines when there is one.
void verify(const Graph& graph, const std::string& file, const Level& level);

}  // namespace vernier::ir
