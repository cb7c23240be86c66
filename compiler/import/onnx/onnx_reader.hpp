// SPDX-License-Identifier: Apache-2.0
// From messages of ONNX to a quantized::Network. Internal to this folder.
#pragma once

#include "compiler/import/quantized/network.hpp"
#include "hw/base/error.hpp"

#include <onnx/onnx_pb.h>
#include <optional>
#include <string>
#include <vector>

namespace vernier::import::onnx_file {

/// The file at hand, its mistakes and its warnings so far: a line each.
class Source {
 public:
  explicit Source(std::string file) : file_(std::move(file)) {}
  template <typename... Args>
  void add_mistake(fmt::format_string<Args...> format, Args&&... args) {
    const std::string text = fmt::format(format, std::forward<Args>(args)...);
    mistakes_.emplace_back(base::UserError(file_, std::string_view(text)).what());
  }
  template <typename... Args>
  void add_warning(fmt::format_string<Args...> format, Args&&... args) {
    const std::string text = fmt::format(format, std::forward<Args>(args)...);
    warnings_.emplace_back(base::UserError(file_, std::string_view(text)).what());
  }
  void add_line(std::string line) { mistakes_.push_back(std::move(line)); }
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] const std::vector<std::string>& mistakes() const { return mistakes_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::string file_;
  std::vector<std::string> mistakes_, warnings_;
};

/// The elements of a tensor, from the message or from a file in the folder of the source. UserError with `what` for other
/// types than float32 and integers, for another number of elements than the dimensions say, and for files that are missing,
/// too short, or outside of that folder.
quantized::Constant read_tensor(const Source& source, const onnx::TensorProto& tensor, const std::string& what);

/// The type that the file means by that number; none when a network's values cannot have it.
std::optional<quantized::NumberType> number_type(int32_t data_type);
/// Its name: "FLOAT16".
std::string data_type_name(int32_t data_type);

/// The graph; nodes stand after those that they read. Mistakes go to `source`.
quantized::Network read_network(Source& source, const onnx::ModelProto& model);

/// Whether an operator is of one of QONNX's domains.
bool is_qonnx_node(const quantized::Node& node);

/// Gives the operators of QONNX's domains the names that quantized::Node has. Mistakes for FloatQuant and for a Trunc that
/// has not the inputs of the version that the file imports.
void resolve_qonnx(Source& source, const onnx::ModelProto& model, quantized::Network& network);

/// Puts each node after those that it reads, in the order of the file where that is possible. Mistakes for values that
/// nothing gives and for cycles.
void sort_nodes(Source& source, quantized::Network& network);

}  // namespace vernier::import::onnx_file
