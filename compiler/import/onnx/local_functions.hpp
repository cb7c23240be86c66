// SPDX-License-Identifier: Apache-2.0
// Functions that a file defines itself (ModelProto.functions): a node that calls one becomes the nodes of its body.
#pragma once

#include <onnx/onnx_pb.h>
#include <string>
#include <vector>

namespace vernier::import::onnx_file {

class LocalFunctions {
 public:
  explicit LocalFunctions(const onnx::ModelProto& model) : model_(model) {}

  /// The function that the node calls; null where it calls none.
  [[nodiscard]] const onnx::FunctionProto* find(const onnx::NodeProto& node) const;

  /// Begins and ends what a call becomes. What is wrong with it, else "": a function that calls itself, calls that become
  /// more nodes than a file may make us hold, another meaning of operators than the file has.
  [[nodiscard]] std::string enter(const onnx::NodeProto& call, const onnx::FunctionProto& function);
  void leave() { calls_.pop_back(); }

  /// The body with the caller's values and attributes. `name` is the caller's. Values of its own begin with one of
  /// the caller's outputs, so that no two calls share one.
  [[nodiscard]] std::vector<onnx::NodeProto> body_of(const onnx::NodeProto& call, const onnx::FunctionProto& function,
                                                     const std::string& name) const;

 private:
  const onnx::ModelProto& model_;
  std::vector<const onnx::FunctionProto*> calls_;  // those that are being replaced, the outermost first
  int num_nodes_ = 0;
};

}  // namespace vernier::import::onnx_file
