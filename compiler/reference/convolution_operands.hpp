// SPDX-License-Identifier: Apache-2.0
// What the convolutions and MATMUL share. Internal to compiler/reference.
#pragma once

#include "compiler/reference/elements.hpp"
#include "compiler/reference/operators.hpp"
#include "compiler/reference/window.hpp"
#include "hw/model/wrap.hpp"

#include <cstdint>
#include <vector>

namespace vernier::reference {

/// The tensor's int8 or int16 elements less their zero point: 9 bits, or 16 (an int16 tensor's zero point is 0).
std::vector<int16_t> without_zero_point(const base::Tensor& tensor, int32_t zero_point);

/// Sum of products of a 9-bit operand and one of 9 or 16 bits. Not wrapped: it takes 2^39 of them to overflow.
int64_t dot(const int16_t* a, const int16_t* b, int64_t count);

/// Takes sums of products to the results of a convolution: adds the bias and wraps to the result's 32 or 48 bits
/// (hw/model/mac.hpp says why once at the end will do). A sum that its type does not hold breaks a REQUIRE of TOSA, and is
/// noted; that one on the way to a sum which fits again does not is not seen.
class AccumulatorWriter {
 public:
  AccumulatorWriter(Task& task, base::Tensor& output, const base::Tensor& bias)
      : task_(task), type_(output.type()), result_(output), bias_(bias), bias_step_(bias.size() == 1 ? 0 : 1) {}
  /// `index` is row-major; one bias element serves all channels where there is only one.
  void set(int64_t index, int64_t acc, int64_t channel) const {
    const int64_t sum = model::wrapping_add64(acc, bias_[channel * bias_step_]);
    if (sum < base::min_value(type_) || sum > base::max_value(type_))
      task_.require_violated(fmt::format("the sum {} overflows {}", sum, base::to_string(type_)), index);
    result_.set(index, model::wrap48(sum));
  }

 private:
  Task& task_;
  base::ElementType type_;
  Writer result_;
  Reader bias_;
  int64_t bias_step_;
};

/// Axis `axis` of CONV2D, CONV3D or DEPTHWISE_CONV2D, in the order of the attributes.
Axis convolution_axis(const Task& task, size_t axis, int64_t kernel);

}  // namespace vernier::reference
