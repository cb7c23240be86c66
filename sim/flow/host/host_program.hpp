// SPDX-License-Identifier: Apache-2.0
// The float operators that the host runs at the ends of a network, on whole arrays.
#pragma once

#include "hw/base/tensor.hpp"
#include "hw/package/host_program.hpp"

#include <vector>

namespace vernier::flow {

/// Numbers in float32, row-major.
struct HostArray {
  base::Shape shape;
  std::vector<float> numbers;
};

/// The result of the last step; without steps the first value. The program has no problem with those shapes
/// (package::shapes_of). Each step rounds to float32 once: sums of products, means and sums over axes are added up in
/// float64. The sum of a Softmax is one of float32, along the axis from its first element on. A value is dropped after the
/// last step that reads it.
HostArray run_program(const std::vector<package::HostStep>& steps, std::vector<HostArray> given);

/// The same of one value.
std::vector<float> run_steps(const std::vector<package::HostStep>& steps, const base::Shape& shape,
                             std::vector<float> values);

}  // namespace vernier::flow
