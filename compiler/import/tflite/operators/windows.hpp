// SPDX-License-Identifier: Apache-2.0
// Windows of convolutions and pools: padding as TensorFlow has it, and inputs of which TOSA needs all rows.
#pragma once

#include "compiler/import/tflite/lite_lowering.hpp"

#include <cstdint>
#include <vector>

namespace vernier::import::lite {

struct WindowSize {
  int64_t rows = 1, columns = 1, stride_y = 1, stride_x = 1, dilation_y = 1, dilation_x = 1;
  tflite::Padding padding = tflite::Padding::SAME;
};

struct Window {
  Id input;                  // less the rows and columns at its end that no window reads, of which TOSA allows none
  int64_t rows, columns;     // of the result
  std::vector<int64_t> pad;  // top, bottom, left, right
};

/// LiteMistake for a number that is no padding.
void check_padding(tflite::Padding padding);

/// LiteMistake for sizes below 1, a padding that is none, and a window that does not fit.
Window window_of(LiteLowering& lowering, const LiteOperator& op, const WindowSize& size);

}  // namespace vernier::import::lite
