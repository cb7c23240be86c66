// SPDX-License-Identifier: Apache-2.0
// How far the tensors of a network are from the floats that the user's own framework has for the same input.
#pragma once

#include "hw/base/npy.hpp"
#include "hw/base/tensor.hpp"
#include "sim/flow/model/model.hpp"
#include "sim/report/accuracy.hpp"

#include <span>
#include <string>
#include <vector>

namespace vernier::flow {

/// The ratios of two rows of numbers. Sums are in float64, in the order of the elements.
struct Gap {
  std::optional<double> snr_db{};  // 10 log10 of the sum of squares of the floats over that of the differences
  std::optional<double> cosine{};  // of the angle between the two
  double largest_difference = 0;   // absolute
  bool is_equal = false;
};
Gap gap_of(std::span<const float> numbers, std::span<const float> floats);

/// `place` is a folder of NAME.npy, also in folders of its own where names have slashes, or an .npz file: float32, by the
/// source's names of tensors. Inner tensors come from the reference on the imported graph, which the machine equals, so that
/// what is fused away is there too. UserError for a place without arrays, for arrays of which none is a tensor's, and for
/// one that does not fit its tensor.
report::FloatScore compare_with_floats(const Model& model, const std::string& place, const std::vector<base::Tensor>& inputs,
                                       std::vector<base::Tensor> variables);

}  // namespace vernier::flow
