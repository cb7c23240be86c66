// SPDX-License-Identifier: Apache-2.0
// --quantize: TensorFlow's QuantizeV2 at an input of integers, so that floats can be its file.
#pragma once

#include "hw/base/tensor.hpp"
#include "hw/package/boundary.hpp"
#include "sim/flow/model/machine_options.hpp"
#include "sim/flow/model/model.hpp"

#include <string>
#include <vector>

namespace vernier::flow {

/// Makes that input one of floats, in the model's boundary and in its package. UserError for an input that is not there,
/// that the network quantizes itself, or that has another type, and for a range that is no range or tells no numbers apart.
void quantize_input(Model& model, const InputQuantization& wanted);

/// The codes of floats at an end with a range, as the graph's tensor. UserError, which names `file`, for an element whose
/// code TensorFlow leaves undefined.
base::Tensor ranged_codes(const std::string& file, const std::vector<float>& reals, const package::BoundaryEnd& end,
                          base::ElementType type, const base::Shape& shape);

}  // namespace vernier::flow
