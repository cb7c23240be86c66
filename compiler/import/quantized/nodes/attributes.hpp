// SPDX-License-Identifier: Apache-2.0
// Attributes of nodes, with their defaults. NodeMistake where one has another type.
#pragma once

#include "compiler/import/quantized/lowering.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::import::quantized {

int64_t int_of(const Node& node, const std::string& name, int64_t otherwise);
float float_of(const Node& node, const std::string& name, float otherwise);
std::string string_of(const Node& node, const std::string& name, const std::string& otherwise);
/// `otherwise` also where the list is empty.
std::vector<int64_t> ints_of(const Node& node, const std::string& name, const std::vector<int64_t>& otherwise);

/// A list that older opsets have as an attribute and newer ones as a constant input; none where it is left out.
std::optional<std::vector<int64_t>> list_of(const Lowering& lowering, const Node& node, const std::string& name,
                                            size_t input);
/// A number that older opsets have as an attribute and newer ones as a constant input.
float number_of(const Lowering& lowering, const Node& node, const std::string& name, size_t input, float otherwise);

/// An axis of that rank, which may count from the end.
int64_t axis_in(int64_t axis, size_t rank);

}  // namespace vernier::import::quantized
