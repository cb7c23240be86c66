// SPDX-License-Identifier: Apache-2.0
// Functions of codes of int16.
#pragma once

#include "compiler/import/tflite/lite_lowering.hpp"

#include <functional>
#include <vector>

namespace vernier::import::lite {

/// 513 entries from `low` to `high`, as the kernels fill them: halfway between two entries the error of the straight line is
/// shared. A result is a part of 2^15.
std::vector<int64_t> unit_table(const std::function<double(double)>& function, double low, double high);
/// The same over all codes of the input in float32, in codes of the output. Both are INT16.
std::vector<int64_t> float_table(const LiteTensor& input, const LiteTensor& output,
                                 const std::function<float(float)>& function);
/// Entries for codes of int16, with straight lines between them, halves up: int16.
Id looked_up(LiteLowering& lowering, const LiteOperator& op, Id from, const std::vector<int64_t>& entries);
/// LOGISTIC and TANH, by the kernel's table of 256 entries.
void lower_sigmoid16(LiteLowering& lowering, const LiteOperator& op);
/// A code less its zero point to a code less its zero point, before it is limited to its type.
using CodeFunction = std::function<int64_t(int64_t)>;
/// A function of which the kernel computes each code by itself, from 0 on: the result of each is gathered. Those of codes
/// below 0 are that of 0.
void lower_each_code16(LiteLowering& lowering, const LiteOperator& op, const CodeFunction& function);
/// LEAKY_RELU's factor for what is below 0. LiteMistake unless it is finite, and 0 or more.
float alpha_of(const LiteOperator& op);
/// ABS, LEAKY_RELU, RELU and RELU6: straight lines.
void lower_pieces16(LiteLowering& lowering, const LiteOperator& op);

}  // namespace vernier::import::lite
