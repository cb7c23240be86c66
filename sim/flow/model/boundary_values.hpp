// SPDX-License-Identifier: Apache-2.0
// The host's side of a network's boundary: arrays of the source's numbers to tensors of the graph and back, element by
// element by hw/model/quantize_linear.hpp, quantize_int.hpp and quantize_v2.hpp, after and before its float operators
// (sim/flow/host).
#pragma once

#include "hw/base/npy.hpp"
#include "hw/base/tensor.hpp"
#include "hw/package/boundary.hpp"
#include "sim/flow/host/host_program.hpp"

#include <string>
#include <vector>

namespace vernier::flow {

/// numpy's name of the source's codes: "uint8".
std::string codes_dtype(const package::BoundaryEnd& end, base::ElementType type);
/// What an input may be: "float32 or uint8", "uint8".
std::string input_dtypes(const package::BoundaryEnd& end, base::ElementType type);

/// An array as the graph's tensor of that shape. It holds the source's codes or, where the end is one of floats, float32
/// numbers in the source's shape; base::check_array() has seen it. UserError, naming `subject`, for another type or shape,
/// and for NaN.
base::Tensor to_end(const std::string& subject, const base::NpyArray& array, const package::BoundaryEnd& end,
                    base::ElementType type, const base::Shape& shape);
/// The same of a .npy file.
base::Tensor read_end(const std::string& file, const package::BoundaryEnd& end, base::ElementType type,
                      const base::Shape& shape);

/// A graph's tensor as the source's codes, and as the float32 numbers that they stand for.
base::NpyArray codes_of(const base::Tensor& tensor, const package::BoundaryEnd& end);
HostArray numbers_of_codes(const base::Tensor& tensor, const package::BoundaryEnd& end);
/// The floats of an output: its own numbers and those of the outputs that it reads, after its float operators.
base::NpyArray reals_of(const package::BoundaryEnd& end, std::vector<HostArray> given);

}  // namespace vernier::flow
