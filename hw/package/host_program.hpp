// SPDX-License-Identifier: Apache-2.0
// Steps of the host one after the other: a small graph in an order in which each step reads earlier values only.
#pragma once

#include "hw/package/host_step.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::package {

/// What a program may take, so that a damaged file cannot ask for more: elements of all results together, and
/// multiplications.
inline constexpr int64_t kMostHostElements = int64_t{1} << 27, kMostHostWork = int64_t{1} << 34;

/// The numbers of the values that a step reads, before which there are `num_before` values.
std::vector<size_t> operands_of(const HostStep& step, size_t num_before);

/// The shapes of all values of a program, those that it is given first; or what is wrong with it.
struct HostShapes {
  std::vector<base::Shape> shapes;
  std::string problem;
};
HostShapes shapes_of(const std::vector<HostStep>& steps, const std::vector<base::Shape>& given);

}  // namespace vernier::package
