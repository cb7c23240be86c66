// SPDX-License-Identifier: Apache-2.0
// Nodes, constants and ends of the graph.
#include "compiler/import/onnx/local_functions.hpp"
#include "compiler/import/onnx/onnx_reader.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

namespace vernier::import::onnx_file {

namespace {

using quantized::Constant;
using quantized::Network;
using quantized::Node;

constexpr int64_t kLeastOpset = 10;      // the first with QuantizeLinear
constexpr int64_t kLeastQonnxOpset = 9;  // of networks in QONNX's model zoo
constexpr int64_t kNewestOpset = 28;     // of onnx 1.23

bool is_onnx_domain(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

/// The operator's name, as quantized::Node has it. Microsoft's domain has the quantizers of 16 bits of before opset 21.
std::string kind_of(const onnx::NodeProto& node) {
  constexpr std::array<std::string_view, 2> kOfMicrosoft{"QuantizeLinear", "DequantizeLinear"};
  const bool is_alike = node.domain() == "com.microsoft" &&
                        std::find(kOfMicrosoft.begin(), kOfMicrosoft.end(), node.op_type()) != kOfMicrosoft.end();
  return is_onnx_domain(node.domain()) || is_alike ? node.op_type() : node.domain() + "." + node.op_type();
}

void add_attribute(const onnx::AttributeProto& attribute, Node& node) {
  using onnx::AttributeProto;
  const std::string& name = attribute.name();
  switch (attribute.type()) {
    case AttributeProto::INT: node.attributes[name] = int64_t{attribute.i()}; break;
    case AttributeProto::FLOAT: node.attributes[name] = attribute.f(); break;
    case AttributeProto::STRING: node.attributes[name] = attribute.s(); break;
    case AttributeProto::STRINGS:  // names, which hold no space
      node.attributes[name] = fmt::format("{}", fmt::join(attribute.strings(), " "));
      break;
    case AttributeProto::INTS:
      node.attributes[name] = std::vector<int64_t>(attribute.ints().begin(), attribute.ints().end());
      break;
    case AttributeProto::FLOATS:
      node.attributes[name] = std::vector<float>(attribute.floats().begin(), attribute.floats().end());
      break;
    default: break;  // graphs and tensors: of Constant, and of operators that are not supported
  }
}

Node read_node(const onnx::NodeProto& proto, int index) {
  Node node;
  node.kind = kind_of(proto);
  node.inputs.assign(proto.input().begin(), proto.input().end());
  node.outputs.assign(proto.output().begin(), proto.output().end());
  node.name = proto.name();
  for (const std::string& output : node.outputs) {
    if (node.name.empty()) node.name = output;
  }
  if (node.name.empty()) node.name = fmt::format("number {}", index);
  for (const onnx::AttributeProto& attribute : proto.attribute()) add_attribute(attribute, node);
  return node;
}

/// The value of a node Constant.
Constant constant_of(const Source& source, const onnx::NodeProto& node, const std::string& what) {
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.name() == "value") return read_tensor(source, attribute.t(), what);
    if (attribute.name() == "value_float") return {{true, 32, true}, {}, {attribute.f()}, {}};
    if (attribute.name() == "value_int") return {{false, 64, true}, {}, {}, {attribute.i()}};
    if (attribute.name() == "value_floats")
      return {{true, 32, true}, {attribute.floats_size()}, {attribute.floats().begin(), attribute.floats().end()}, {}};
    if (attribute.name() == "value_ints")
      return {{false, 64, true}, {attribute.ints_size()}, {}, {attribute.ints().begin(), attribute.ints().end()}};
  }
  throw base::UserError(source.file(), "{} has no value of a type that is supported", what);
}

class GraphReader {
 public:
  GraphReader(Source& source, const onnx::ModelProto& model, Network& network)
      : source_(source), graph_(model.graph()), network_(network), functions_(model) {}

  void run() {
    for (const onnx::TensorProto& tensor : graph_.initializer())
      add_constant(tensor.name(),
                   [&] { return read_tensor(source_, tensor, fmt::format("initializer '{}'", tensor.name())); });
    for (const auto& tensor : graph_.sparse_initializer())
      source_.add_mistake("initializer '{}' is sparse, allowed are dense ones", tensor.values().name());
    for (const onnx::ValueInfoProto& input : graph_.input()) {
      if (!network_.constants.contains(input.name())) add_end(input, "input", network_.inputs);
    }
    for (const auto& annotation : graph_.quantization_annotation()) add_annotation(annotation);
    for (int i = 0; i < graph_.node_size(); ++i) add_node(graph_.node(i), i);
    for (const onnx::ValueInfoProto& output : graph_.output()) {
      add_end(output, "output", network_.outputs);
      if (!given_.contains(output.name())) source_.add_mistake("output '{}' is given by nothing", output.name());
    }
    if (graph_.output().empty()) source_.add_mistake("the graph has no output, needed is one");
  }

 private:
  void add_given(const std::string& name) {
    if (!given_.insert(name).second) source_.add_mistake("value '{}' is given twice, allowed is once", name);
  }

  template <typename Read>
  void add_constant(const std::string& name, const Read& read) {
    add_given(name);
    try {
      network_.constants.insert_or_assign(name, read());
    } catch (const base::UserError& error) {
      source_.add_line(error.what());
      network_.constants[name];  // no input, whatever it holds
    }
  }

  void add_end(const onnx::ValueInfoProto& value, const char* what, std::vector<quantized::End>& ends) {
    const auto& tensor = value.type().tensor_type();
    const auto type = number_type(tensor.elem_type());
    const bool is_truth_input = &ends == &network_.inputs && type && type->bits == quantized::kBoolBits;
    if (!type || is_truth_input)
      source_.add_mistake("{} '{}' has type {}, allowed are FLOAT and integers", what, value.name(),
                          data_type_name(tensor.elem_type()));
    quantized::End end{value.name(), type.value_or(quantized::NumberType{}), {}};
    for (const auto& dimension : tensor.shape().dim())
      end.shape.push_back(dimension.has_dim_value() ? dimension.dim_value() : -1);
    if (&ends == &network_.inputs) {
      if (!tensor.has_shape()) source_.add_mistake("input '{}' has no shape", value.name());
      add_given(value.name());
    }
    ends.push_back(std::move(end));
  }

  /// FINN's data type of an input.
  void add_annotation(const onnx::TensorAnnotation& annotation) {
    for (quantized::End& input : network_.inputs) {
      if (input.name != annotation.tensor_name()) continue;
      for (const auto& entry : annotation.quant_parameter_tensor_names()) {
        if (entry.key() == "finn_datatype") input.annotation = entry.value();
      }
    }
  }

  void add_node(const onnx::NodeProto& proto, int index) {
    if (const onnx::FunctionProto* function = functions_.find(proto)) return add_call(proto, *function, index);
    Node node = read_node(proto, index);
    if (node.outputs.empty()) source_.add_mistake("node '{}' ({}) has no output, needed is one", node.name, node.kind);
    if (node.kind == "Constant" && node.outputs.size() == 1) {
      const std::string what = fmt::format("node '{}' (Constant)", node.name);
      add_constant(node.outputs[0], [&] { return constant_of(source_, proto, what); });
      return;
    }
    for (const std::string& output : node.outputs) {
      if (!output.empty()) add_given(output);
    }
    if (node.kind == "ConstantOfShape" && node.inputs.size() == 1) add_element(proto, node);
    network_.nodes.push_back(std::move(node));
  }

  /// The nodes of a local function instead of the one that calls it.
  void add_call(const onnx::NodeProto& proto, const onnx::FunctionProto& function, int index) {
    const std::string name = read_node(proto, index).name;
    if (const std::string problem = functions_.enter(proto, function); !problem.empty()) {
      source_.add_mistake("node '{}' ({}): {}", name, kind_of(proto), problem);
      for (const std::string& output : proto.output()) given_.insert(output);
      return;
    }
    for (const onnx::NodeProto& node : functions_.body_of(proto, function, name)) add_node(node, index);
    functions_.leave();
  }

  /// The element of a ConstantOfShape, a tensor among its attributes, becomes a second input.
  void add_element(const onnx::NodeProto& proto, Node& node) {
    for (const onnx::AttributeProto& attribute : proto.attribute()) {
      if (attribute.name() != "value") continue;
      const std::string name = fmt::format("{}/value", node.name);
      add_constant(name,
                   [&] { return read_tensor(source_, attribute.t(), fmt::format("node '{}' ({})", node.name, node.kind)); });
      node.inputs.push_back(name);
    }
  }

  Source& source_;
  const onnx::GraphProto& graph_;
  Network& network_;
  LocalFunctions functions_;
  std::set<std::string> given_;
};

}  // namespace

Network read_network(Source& source, const onnx::ModelProto& model) {
  Network network;
  bool has_opset = false;
  for (const auto& import : model.opset_import()) {
    if (!is_onnx_domain(import.domain())) continue;
    network.opset = import.version();
    has_opset = true;
  }
  GraphReader(source, model, network).run();
  const bool is_qonnx = std::any_of(network.nodes.begin(), network.nodes.end(), is_qonnx_node);
  const int64_t least = is_qonnx ? kLeastQonnxOpset : kLeastOpset;
  if (!has_opset) {
    source.add_mistake("imports no opset of ONNX, allowed are {} and newer", least);
  } else if (network.opset < least) {
    source.add_mistake("opset {} of ONNX, allowed are {} and newer", network.opset, least);
  } else if (network.opset > kNewestOpset) {
    source.add_warning("opset {} of ONNX is newer than {}: its operators are taken as they are there", network.opset,
                       kNewestOpset);
  }
  return network;
}

void sort_nodes(Source& source, Network& network) {
  std::set<std::string> known{""};
  for (const auto& [name, constant] : network.constants) known.insert(name);
  for (const quantized::End& input : network.inputs) known.insert(input.name);
  std::set<std::string> given = known;
  for (const Node& node : network.nodes) given.insert(node.outputs.begin(), node.outputs.end());
  for (const Node& node : network.nodes) {
    for (const std::string& name : node.inputs) {
      if (!given.contains(name))
        source.add_mistake("node '{}' ({}) reads '{}', which nothing gives", node.name, node.kind, name);
    }
  }
  if (!source.mistakes().empty()) return;
  // A node is ready when all that it reads is known; of those that are ready the first one of the file goes next.
  std::vector<size_t> missing(network.nodes.size());  // values that a node still waits for
  std::map<std::string, std::vector<size_t>> waiting;
  std::set<size_t> ready;
  for (size_t i = 0; i < network.nodes.size(); ++i) {
    const std::vector<std::string>& inputs = network.nodes[i].inputs;
    const std::set<std::string> names(inputs.begin(), inputs.end());
    for (const std::string& name : names) {
      if (known.contains(name)) continue;
      waiting[name].push_back(i);
      ++missing[i];
    }
    if (missing[i] == 0) ready.insert(i);
  }
  std::vector<Node> sorted;
  while (!ready.empty()) {
    const size_t next = *ready.begin();
    ready.erase(ready.begin());
    for (const std::string& output : network.nodes[next].outputs) {
      for (const size_t reader : waiting[output]) {
        if (--missing[reader] == 0) ready.insert(reader);
      }
    }
    sorted.push_back(std::move(network.nodes[next]));
  }
  const auto stuck = std::find_if(missing.begin(), missing.end(), [](size_t count) { return count > 0; });
  if (stuck != missing.end()) {
    const Node& node = network.nodes[static_cast<size_t>(stuck - missing.begin())];
    source.add_mistake("node '{}' ({}) reads what depends on its own result: the graph has a cycle", node.name, node.kind);
  }
  network.nodes = std::move(sorted);
}

}  // namespace vernier::import::onnx_file
