// SPDX-License-Identifier: Apache-2.0
#include "compiler/export/mlir/to_mlir.hpp"

#include "compiler/export/mlir/mlir_text.hpp"
#include "hw/base/error.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace vernier::exporter {

namespace {

using mlir::dense_text;
using mlir::quoted_text;
using mlir::type_text;
using mlir::value_type_text;

constexpr size_t kMostBytes = size_t{1} << 31;
/// What the machine and the reference take: all of integer TOSA 1.0.
constexpr std::string_view kTarget =
    "#tosa.target_env<specification_version = \"1.0\", level = \"8k\", profiles = [pro_int], extensions = [int16, int4, "
    "doubleround, inexactround, controlflow, variable, dynamic]>";

/// "conv2d"
std::string name_of(ir::OpKind kind) {
  std::string name(ir::to_string(kind));
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

/// "T", or "(T, T)" of none and of several.
std::string result_types(const ir::Graph& graph, const std::vector<ir::TensorId>& ids) {
  std::vector<std::string> types;
  for (const ir::TensorId id : ids) types.push_back(type_text(graph.tensor(id)));
  return ids.size() == 1 ? types[0] : fmt::format("({})", fmt::join(types, ", "));
}
std::string operand_types(const ir::Graph& graph, const std::vector<ir::TensorId>& ids) {
  std::vector<std::string> types;
  for (const ir::TensorId id : ids) types.push_back(type_text(graph.tensor(id)));
  return fmt::format("{}", fmt::join(types, ", "));
}

class Printer {
 public:
  Printer(const ir::Graph& main, const std::string& file) : main_(main), file_(file) {}

  std::string run() {
    add(0, fmt::format("module attributes {{tosa.target_env = {}}} {{", kTarget));
    for (const ir::Variable& variable : main_.variables) {
      add(1, variable.initial
                 ? fmt::format("tosa.variable @{} = {}", quoted_text(variable.name), dense_text(*variable.initial))
                 : fmt::format("tosa.variable @{} : {}", quoted_text(variable.name),
                               value_type_text(variable.type, variable.shape)));
    }
    print_function();
    add(0, "}");
    return std::move(text_);
  }

 private:
  /// The values of a graph's tensors: "%3", "%3#1", "%arg0".
  using Names = std::map<ir::TensorId, std::string>;

  void add(int depth, std::string_view line) {
    if (text_.size() + line.size() > kMostBytes)
      throw base::UserError(file_, "the network takes more than 2^31 bytes as MLIR text");
    text_.append(static_cast<size_t>(2 * depth), ' ').append(line).push_back('\n');
  }

  static std::string list(const Names& names, const std::vector<ir::TensorId>& ids) {
    std::vector<std::string> texts;
    for (const ir::TensorId id : ids) texts.push_back(names.at(id));
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  std::string new_argument() { return fmt::format("%arg{}", num_arguments_++); }

  void print_function() {
    Names names;
    std::vector<std::string> arguments, results;
    const auto named_type = [&](ir::TensorId id) {
      const ir::TensorInfo& tensor = main_.tensor(id);
      return fmt::format("{} {{tosa.tensor_name = {}}}", type_text(tensor), quoted_text(tensor.name));
    };
    for (const ir::TensorId id : main_.inputs) {
      names[id] = new_argument();
      arguments.push_back(fmt::format("{}: {}", names[id], named_type(id)));
    }
    for (const ir::TensorId id : main_.outputs) results.push_back(named_type(id));
    add(1, fmt::format("func.func @main({}) -> ({}) {{", fmt::join(arguments, ", "), fmt::join(results, ", ")));
    print_block(2, main_, names);
    const std::string values = list(names, main_.outputs);
    add(2, values.empty() ? "return" : fmt::format("return {} : {}", values, operand_types(main_, main_.outputs)));
    add(1, "}");
  }

  /// Constants that something reads, and the operators. `names` has the inputs, and gets the rest.
  void print_block(int depth, const ir::Graph& graph, Names& names) {
    std::set<std::string_view> locations;
    for (const ir::Operator& op : graph.operators) locations.insert(op.location);
    for (const ir::Operator& op : graph.operators) {
      for (const ir::TensorId id : op.inputs) print_constant(depth, graph, id, names);
      print_operator(depth, graph, op, locations, names);
    }
    for (const ir::TensorId id : graph.outputs) print_constant(depth, graph, id, names);
  }

  void print_constant(int depth, const ir::Graph& graph, ir::TensorId id, Names& names) {
    const ir::TensorInfo& tensor = graph.tensor(id);
    if (!tensor.constant || names.contains(id)) return;
    const std::string& name = names[id] = fmt::format("%{}", num_values_++);
    const std::string type = type_text(tensor), value = dense_text(*tensor.constant);
    add(depth, tensor.type == base::ElementType::Shape
                   ? fmt::format("{} = tosa.const_shape {{values = {}}} : () -> {}", name, value, type)
                   : fmt::format("{} = \"tosa.const\"() <{{values = {}}}> : () -> {}", name, value, type));
  }

  /// Gives the results their values: "%3 = ", "%3:2 = ", or nothing of no result.
  std::string begin_results(const ir::Operator& op, Names& names) {
    if (op.outputs.empty()) return "";
    const std::string name = fmt::format("%{}", num_values_++);
    const size_t count = op.outputs.size();
    for (size_t i = 0; i < count; ++i) names[op.outputs[i]] = count == 1 ? name : fmt::format("{}#{}", name, i);
    return count == 1 ? name + " = " : fmt::format("{}:{} = ", name, count);
  }

  /// An operator without a location is a layer of its own, by the name of its first result.
  static std::string location(const ir::Graph& graph, const ir::Operator& op, const std::set<std::string_view>& locations) {
    if (!op.location.empty()) return fmt::format(" loc({})", quoted_text(op.location));
    if (op.outputs.empty() || locations.contains(graph.tensor(op.outputs[0]).name)) return "";
    return fmt::format(" loc({})", quoted_text(graph.tensor(op.outputs[0]).name));
  }

  void print_operator(int depth, const ir::Graph& graph, const ir::Operator& op, const std::set<std::string_view>& locations,
                      Names& names) {
    const std::string place = location(graph, op, locations);
    if (op.kind == ir::OpKind::VariableWrite) {  // its result is the operand
      const ir::TensorId operand = op.inputs.at(0);
      add(depth,
          fmt::format("tosa.variable_write @{}, {} : {}{}", quoted_text(op.attributes_as<ir::VariableAttributes>().variable),
                      names.at(operand), type_text(graph.tensor(operand)), place));
      names[op.outputs.at(0)] = names.at(operand);
      return;
    }
    if (op.kind == ir::OpKind::VariableRead) {
      const std::string type = type_text(graph.tensor(op.outputs.at(0)));
      const std::string results = begin_results(op, names);
      add(depth, fmt::format("{}tosa.variable_read @{} : {}{}", results,
                             quoted_text(op.attributes_as<ir::VariableAttributes>().variable), type, place));
      return;
    }
    if (op.kind == ir::OpKind::CondIf) return print_cond_if(depth, graph, op, place, names);
    if (op.kind == ir::OpKind::WhileLoop) return print_while_loop(depth, graph, op, place, names);
    const ir::TensorId typed = op.inputs.empty() ? op.outputs.at(0) : op.inputs[0];
    const std::string operands = list(names, op.inputs);
    const std::string results = begin_results(op, names);
    add(depth, fmt::format("{}tosa.{} {}{} : ({}) -> {}{}", results, name_of(op.kind), operands,
                           mlir::attributes_text(op, graph.tensor(typed).type), operand_types(graph, op.inputs),
                           result_types(graph, op.outputs), place));
  }

  /// Operators of a region and its yield. `arguments` are its inputs.
  void print_region(int depth, const std::string& name, const std::vector<std::string>& arguments) {
    const ir::Graph* region = ir::find_region(main_, name);
    if (region == nullptr) throw base::UserError(file_, "no region has the name '{}'", name);
    Names names;
    for (size_t i = 0; i < region->inputs.size(); ++i)
      names[region->inputs[i]] = i < arguments.size() ? arguments[i] : new_argument();
    print_block(depth, *region, names);
    add(depth, fmt::format("tosa.yield {} : {}", list(names, region->outputs), operand_types(*region, region->outputs)));
  }

  /// Arguments of a region, and with the label of its block where it has any.
  std::vector<std::string> new_arguments(size_t count) {
    std::vector<std::string> arguments;
    for (size_t i = 0; i < count; ++i) arguments.push_back(new_argument());
    return arguments;
  }
  void print_label(int depth, const ir::Graph& graph, const std::vector<std::string>& arguments,
                   const std::vector<ir::TensorId>& operands) {
    std::vector<std::string> typed;
    for (size_t i = 0; i < arguments.size(); ++i)
      typed.push_back(fmt::format("{}: {}", arguments[i], type_text(graph.tensor(operands[i]))));
    if (!typed.empty()) add(depth, fmt::format("^bb0({}):", fmt::join(typed, ", ")));
  }
  static std::string bindings(const Names& names, const std::vector<std::string>& arguments,
                              const std::vector<ir::TensorId>& operands) {
    std::vector<std::string> texts;
    for (size_t i = 0; i < arguments.size(); ++i)
      texts.push_back(fmt::format("{} = {}", arguments[i], names.at(operands[i])));
    return fmt::format("({})", fmt::join(texts, ", "));
  }

  void print_cond_if(int depth, const ir::Graph& graph, const ir::Operator& op, const std::string& place, Names& names) {
    const auto& regions = op.attributes_as<ir::CondIfAttributes>();
    const std::vector<ir::TensorId> operands(op.inputs.begin() + 1, op.inputs.end());
    const std::vector<std::string> first = new_arguments(operands.size()), second = new_arguments(operands.size());
    const std::string condition = names.at(op.inputs[0]), condition_type = type_text(graph.tensor(op.inputs[0]));
    const std::string bound = operands.empty() ? "" : " " + bindings(names, first, operands);
    const std::string types = operands.empty() ? "" : fmt::format(" ({})", operand_types(graph, operands));
    const std::string results = begin_results(op, names);
    add(depth, fmt::format("{}tosa.cond_if {}{} : {}{} -> {} {{", results, condition, bound, condition_type, types,
                           result_types(graph, op.outputs)));
    print_label(depth, graph, first, operands);
    print_region(depth + 1, regions.then_graph, first);
    add(depth, "} else {");
    print_label(depth, graph, second, operands);
    print_region(depth + 1, regions.else_graph, second);
    add(depth, "}" + place);
  }

  void print_while_loop(int depth, const ir::Graph& graph, const ir::Operator& op, const std::string& place, Names& names) {
    const auto& regions = op.attributes_as<ir::WhileLoopAttributes>();
    const std::vector<std::string> first = new_arguments(op.inputs.size()), second = new_arguments(op.inputs.size());
    const std::string bound = bindings(names, first, op.inputs);
    const std::string results = begin_results(op, names);
    add(depth, fmt::format("{}tosa.while_loop {} : ({}) -> {} {{", results, bound, operand_types(graph, op.inputs),
                           result_types(graph, op.outputs)));
    print_region(depth + 1, regions.cond_graph, first);
    add(depth, "} do {");
    print_label(depth, graph, second, op.inputs);
    print_region(depth + 1, regions.body_graph, second);
    add(depth, "}" + place);
  }

  const ir::Graph& main_;
  const std::string& file_;
  std::string text_;
  int64_t num_values_ = 0, num_arguments_ = 0;
};

}  // namespace

std::string to_mlir(const ir::Graph& graph, const std::string& file) { return Printer(graph, file).run(); }

}  // namespace vernier::exporter
