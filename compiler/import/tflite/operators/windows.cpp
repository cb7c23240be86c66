// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/operators/windows.hpp"

#include <algorithm>

namespace vernier::import::lite {

namespace {

/// One of the two directions.
struct Side {
  int64_t before, after, results, read;  // `read` of the input's rows are inside of some window
};

/// `before` and `after` are padded around the input already.
Side side_of(int64_t size, int64_t before, int64_t after, int64_t kernel, int64_t stride, int64_t dilation,
             tflite::Padding padding) {
  check_padding(padding);
  if (kernel < 1 || stride < 1 || dilation < 1)
    refuse("a window of {} with stride {} and dilation {}, allowed are 1 and more", kernel, stride, dilation);
  const int64_t reach = (kernel - 1) * dilation + 1, whole = before + size + after;
  if (padding == tflite::Padding::VALID) {
    if (reach > whole) refuse("a window that reaches over {} does not fit on {}", reach, whole);
    const int64_t results = (whole - reach) / stride + 1;
    const int64_t unread = whole - ((results - 1) * stride + reach);
    return {before, std::max<int64_t>(after - unread, 0), results,
            std::max<int64_t>(size - std::max<int64_t>(unread - after, 0), 1)};
  }
  const int64_t results = (size + stride - 1) / stride;
  const int64_t total = std::max<int64_t>((results - 1) * stride + reach - size, 0);
  return {total / 2, total - total / 2, results, std::min(size, (results - 1) * stride + reach)};
}

}  // namespace

void check_padding(tflite::Padding padding) {
  if (padding != tflite::Padding::SAME && padding != tflite::Padding::VALID)
    refuse("padding {}, allowed are 0 (SAME) and 1 (VALID)", static_cast<int>(padding));
}

Window window_of(LiteLowering& lowering, const LiteOperator& op, const WindowSize& size) {
  const auto [input, pad] = lowering.image(op);
  const ir::TensorInfo info = lowering.graph.tensor(input);
  if (info.shape.size() != 4) refuse("the input is {}, expected 4 dimensions", base::to_string(info.shape));
  const Side y = side_of(info.shape[1], pad[0], pad[1], size.rows, size.stride_y, size.dilation_y, size.padding);
  const Side x = side_of(info.shape[2], pad[2], pad[3], size.columns, size.stride_x, size.dilation_x, size.padding);
  Window window{input, y.results, x.results, {y.before, y.after, x.before, x.after}};
  if (y.read == info.shape[1] && x.read == info.shape[2]) return window;
  const base::Shape shape{info.shape[0], y.read, x.read, info.shape[3]};
  window.input = lowering.add(op, ir::OpKind::Slice, {},
                              {input, lowering.graph.add_shape({0, 0, 0, 0}), lowering.graph.add_shape(shape)}, info.type,
                              shape, "read");
  return window;
}

}  // namespace vernier::import::lite
