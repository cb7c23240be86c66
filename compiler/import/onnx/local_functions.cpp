// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/onnx/local_functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>

namespace vernier::import::onnx_file {

namespace {

constexpr int kMostNodes = 1 << 17;  // that calls become
constexpr size_t kMostCalls = 64;    // in each other
constexpr int64_t kNewSoftmax = 13;  // the opset that gave Softmax, Squeeze and others another meaning

int64_t opset_of(const auto& imports) {
  int64_t version = 0;
  for (const auto& import : imports) {
    if (import.domain().empty() || import.domain() == "ai.onnx") version = import.version();
  }
  return version;
}

bool is_given(const onnx::NodeProto& call, const std::string& name) {
  return std::any_of(call.attribute().begin(), call.attribute().end(),
                     [&](const onnx::AttributeProto& one) { return one.name() == name; });
}

/// The name of an attribute that the call does not give and that is not among those without a default: its default is in a
/// field that the library does not know. Empty: there is none.
std::string unread_default(const onnx::NodeProto& call, const onnx::FunctionProto& function) {
  const auto& plain = function.attribute();
  for (const onnx::NodeProto& node : function.node()) {
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      const std::string& wanted = attribute.ref_attr_name();
      if (!wanted.empty() && !is_given(call, wanted) && std::find(plain.begin(), plain.end(), wanted) == plain.end())
        return wanted;
    }
  }
  return "";
}

/// An attribute that names one of the caller's becomes that one; none where the caller has none.
void resolve_attributes(onnx::NodeProto& node, const onnx::NodeProto& call) {
  for (int i = node.attribute_size(); i-- > 0;) {
    const std::string wanted = node.attribute(i).ref_attr_name();
    if (wanted.empty()) continue;
    const auto given = std::find_if(call.attribute().begin(), call.attribute().end(),
                                    [&](const onnx::AttributeProto& one) { return one.name() == wanted; });
    if (given == call.attribute().end()) {
      node.mutable_attribute()->DeleteSubrange(i, 1);
      continue;
    }
    const std::string name = node.attribute(i).name();
    *node.mutable_attribute(i) = *given;
    node.mutable_attribute(i)->set_name(name);
  }
}

}  // namespace

const onnx::FunctionProto* LocalFunctions::find(const onnx::NodeProto& node) const {
  for (const onnx::FunctionProto& function : model_.functions()) {
    if (function.name() == node.op_type() && function.domain() == node.domain()) return &function;
  }
  return nullptr;
}

std::string LocalFunctions::enter(const onnx::NodeProto& call, const onnx::FunctionProto& function) {
  const auto is_alike = [&](const onnx::FunctionProto& other) {
    return other.name() == function.name() && other.domain() == function.domain();
  };
  // Overloads are in a field that the library does not know.
  if (std::count_if(model_.functions().begin(), model_.functions().end(), is_alike) > 1)
    return "the file defines several functions of this name, which differ in their overload: allowed is one of a name";
  if (std::find(calls_.begin(), calls_.end(), &function) != calls_.end()) return "the function calls itself";
  if (calls_.size() >= kMostCalls)
    return fmt::format("calls of functions stand more than {} deep in each other", kMostCalls);
  if (num_nodes_ > kMostNodes - function.node_size())
    return fmt::format("calls of functions become more than {} nodes", kMostNodes);
  const int64_t own = opset_of(function.opset_import()), models = opset_of(model_.opset_import());
  if (own != 0 && (own < kNewSoftmax) != (models < kNewSoftmax))
    return fmt::format("the function has opset {} of ONNX, the file {}: expected both before {}, or none", own, models,
                       kNewSoftmax);
  if (const std::string name = unread_default(call, function); !name.empty())
    return fmt::format("attribute '{}' is left out, and its default in the function is not read: expected it at the call",
                       name);
  num_nodes_ += function.node_size();
  calls_.push_back(&function);
  return "";
}

std::vector<onnx::NodeProto> LocalFunctions::body_of(const onnx::NodeProto& call, const onnx::FunctionProto& function,
                                                     const std::string& name) const {
  std::string prefix = name;  // names of nodes need not differ, those of values do
  for (const std::string& output : call.output()) prefix = output.empty() ? prefix : output;
  std::map<std::string, std::string> values{{"", ""}};
  for (int i = 0; i < function.input_size(); ++i) values[function.input(i)] = i < call.input_size() ? call.input(i) : "";
  std::vector<onnx::NodeProto> body;
  for (int i = 0; i < function.output_size() && i < call.output_size(); ++i) {
    if (call.output(i).empty()) continue;
    if (!values.contains(function.output(i))) {
      values[function.output(i)] = call.output(i);
      continue;
    }
    onnx::NodeProto& copy = body.emplace_back();  // an input that is given on, or one output twice
    copy.set_op_type("Identity");
    copy.set_name(fmt::format("{}/{}", name, function.output(i)));
    copy.add_input(values[function.output(i)]);
    copy.add_output(call.output(i));
  }
  for (const onnx::NodeProto& node : function.node()) {
    onnx::NodeProto& own = body.emplace_back(node);
    if (!node.name().empty()) own.set_name(fmt::format("{}/{}", name, node.name()));
    for (auto* list : {own.mutable_input(), own.mutable_output()}) {
      for (std::string& value : *list) {
        const auto known = values.find(value);
        value = known != values.end() ? known->second : fmt::format("{}/{}", prefix, value);
      }
    }
    resolve_attributes(own, call);
  }
  return body;
}

}  // namespace vernier::import::onnx_file
