// SPDX-License-Identifier: Apache-2.0
// Which element of which constant of the graph a byte of the image stands for, worked out from the commands that read it and
// the packing that hw/spec/command.hpp states.
#pragma once

#include "compiler/ir/graph.hpp"
#include "hw/package/package.hpp"
#include "hw/package/range.hpp"
#include "hw/spec/command.hpp"

#include <map>
#include <string>
#include <vector>

namespace vernier::tests {

class ImageMap {
 public:
  enum class Kind : uint8_t { Element, Padding, Unknown };
  struct Place {
    Kind kind = Kind::Unknown;
    std::string what;          // "weights", "biases", ..., "between constants", "zero fill of weights"
    ir::TensorId tensor = -1;  // Element: a constant of the graph
    int64_t index = 0;         // its element
    int64_t byte = 0;          // of the element
  };

  /// The network is flip_network() in memory mode sram: each layer has one convolution or table.
  ImageMap(const ir::Graph& graph, const package::Package& package, const std::vector<spec::Command>& commands,
           const std::vector<std::vector<package::Range>>& ranges);

  [[nodiscard]] Place place_of(size_t byte) const;
  /// The graph with that bit of the element's byte flipped.
  [[nodiscard]] ir::Graph with_flip(const Place& place, int bit) const;

 private:
  void add_mac(const ir::Operator& conv, const ir::Operator& rescale, const spec::MacCommand& command, int64_t lanes);
  void put(int64_t address, Place place) { places_[address] = std::move(place); }

  const ir::Graph& graph_;
  int64_t base_ = 0;
  std::map<int64_t, Place> places_;  // by address; what nothing reads is not there
};

}  // namespace vernier::tests
