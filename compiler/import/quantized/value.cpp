// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/value.hpp"

#include "hw/model/quantize_linear.hpp"

#include <algorithm>
#include <numeric>

namespace vernier::import::quantized {

int64_t magnitude_of(const Format& format) {
  return std::max(zero_point_of(format) - format.least(), format.greatest() - zero_point_of(format));
}

int64_t code_of(float real, const Format& format, size_t index) {
  return model::quantize_linear(real, static_cast<float>(format.scales[index]), format.zero_points[index], format.least(),
                                format.greatest());
}

float real_of(int64_t code, const Format& format, size_t index) {
  return model::dequantize_linear(code, static_cast<float>(format.scales[index]), format.zero_points[index]);
}

std::vector<int64_t> source_order(size_t rank) {
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace vernier::import::quantized
