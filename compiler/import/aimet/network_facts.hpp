// SPDX-License-Identifier: Apache-2.0
// Who gives and who reads each value of a float network, and what of it needs an encoding.
#pragma once

#include "compiler/import/quantized/network.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace vernier::import::aimet {

/// An input of a node, by their numbers.
struct Reader {
  size_t node = 0, input = 0;
};

class NetworkFacts {
 public:
  explicit NetworkFacts(const quantized::Network& network);

  [[nodiscard]] const quantized::Network& network() const { return network_; }
  [[nodiscard]] bool has_value(const std::string& name) const { return names_.contains(name); }
  /// All values, in alphabetical order.
  [[nodiscard]] const std::set<std::string>& names() const { return names_; }
  [[nodiscard]] bool is_constant(const std::string& name) const { return network_.constants.contains(name); }
  [[nodiscard]] bool is_output(const std::string& name) const { return outputs_.contains(name); }
  [[nodiscard]] const std::vector<Reader>& readers(const std::string& name) const;
  /// Null for inputs and constants.
  [[nodiscard]] const quantized::Node* producer(const std::string& name) const;
  /// The only reader, where it is a Relu or Clip and the value is no output of the network; else null.
  [[nodiscard]] const quantized::Node* only_clamp_after(const std::string& name) const;
  /// The Add of a bias, where it is the only reader of a MatMul's sums: its other operand is a constant with one number for
  /// each column, or with one for all. Linear layers on more than rows of numbers are exported so. Else null.
  [[nodiscard]] const quantized::Node* only_bias_after(const std::string& name) const;
  /// Whether BatchNormalization adds this constant: it is no bias of sums, and has codes of 32 bits in version 2.0.0.
  [[nodiscard]] bool is_shift(const std::string& name) const;
  /// Whether a layer adds this constant to its sums.
  [[nodiscard]] bool is_bias(const std::string& name) const;
  /// The dimension of a constant that has an index for each output channel of the layer that reads it: of weights of Conv
  /// and of Gemm with transB 0, of ConvTranspose and Gemm without 1, of MatMul the last.
  [[nodiscard]] int64_t channel_axis(const std::string& name) const;

 private:
  const quantized::Network& network_;
  std::set<std::string> names_, outputs_;
  std::map<std::string, std::vector<Reader>> readers_;
  std::map<std::string, size_t> producers_;
};

/// Whether input `index` of such an operator is numbers that it computes with: an encoding has to say what their codes are.
/// Lists, limits and biases are not.
bool is_operand(const std::string& kind, size_t index);
/// Operators whose results are some of the numbers of their first input.
bool moves_data(const std::string& kind);
/// Operators whose sums a Relu or Clip may follow without a quantizer between them.
bool gives_sums(const std::string& kind);

}  // namespace vernier::import::aimet
