// SPDX-License-Identifier: Apache-2.0
// The quantizers of a network as it stands, without lowering it.
#pragma once

#include "compiler/import/quantized/network.hpp"
#include "compiler/import/quantized/value.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::import::quantized {

/// What is quantized, by the name that it has in the network without quantizers: the input of QuantizeLinear or Quant (the
/// network's output where that is what follows), and of a constant that only DequantizeLinear reads its own, without the
/// ending "_quantized" where it has one.
struct QuantizedValue {
  std::string name;
  std::string node;  // that says so: "'fc' (Quant)"
  bool is_constant = false;
  int64_t bits = 8;  // of the source's type
  Quantizer quantizer;
};

struct QuantizerList {
  std::vector<QuantizedValue> values;  // in the order of the network, no name twice
  std::vector<std::string> others;     // a line for each node that is not one of these, or says something that no list holds
};
/// Numbers of a scale or zero point that are computed, and what no quantizer may be, are among the others.
QuantizerList list_quantizers(const Network& network);

}  // namespace vernier::import::quantized
