// SPDX-License-Identifier: Apache-2.0
// The float operators that the host runs at the ends of a network: hw/model/host_float.hpp on whole arrays.
#pragma once

#include "hw/base/tensor.hpp"
#include "hw/package/host_step.hpp"

#include <vector>

namespace vernier::flow {

/// The values after the steps, which have no problem with that shape. Each step rounds to float32; the sum of a Softmax goes
/// along the axis from its first element on.
std::vector<float> run_steps(const std::vector<package::HostStep>& steps, base::Shape shape, std::vector<float> values);

}  // namespace vernier::flow
