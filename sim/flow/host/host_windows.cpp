// SPDX-License-Identifier: Apache-2.0
// Conv and pools on images of any number of axes. Sums are added up in float64 and rounded to float32 once.
#include "sim/flow/host/host_operators.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vernier::flow {

namespace {

using package::HostOperator;
using package::HostWindow;

/// What a window step reads for one result: elements of the image, and taps of the kernel, by their places.
struct WindowTaps {
  std::vector<int64_t> places, taps;
};

/// The taps along one axis that are in the input.
std::vector<std::pair<int64_t, int64_t>> taps_along(const HostWindow& axis, int64_t output) {
  std::vector<std::pair<int64_t, int64_t>> taps;
  const int64_t start = output * axis.stride - axis.before;
  for (int64_t tap = 0; tap < axis.kernel; ++tap) {
    const int64_t at = start + tap * axis.dilation;
    if (at >= axis.input) break;
    if (at >= 0) taps.emplace_back(at, tap);
  }
  return taps;
}

WindowTaps taps_of(const std::vector<HostWindow>& axes, const base::Shape& at) {
  WindowTaps result{{0}, {0}};
  for (size_t i = 0; i < axes.size(); ++i) {
    WindowTaps longer;
    const auto along = taps_along(axes[i], at[i]);
    for (size_t known = 0; known < result.places.size(); ++known) {
      for (const auto& [place, tap] : along) {
        longer.places.push_back(result.places[known] * axes[i].input + place);
        longer.taps.push_back(result.taps[known] * axes[i].kernel + tap);
      }
    }
    result = std::move(longer);
  }
  return result;
}

/// What the mean of a window divides by where its padding counts.
int64_t elements_with_padding(const std::vector<HostWindow>& axes, const base::Shape& at) {
  int64_t elements = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t count = 0;
    for (int64_t tap = 0; tap < axes[i].kernel; ++tap)
      count += at[i] * axes[i].stride - axes[i].before + tap * axes[i].dilation < axes[i].input + axes[i].after ? 1 : 0;
    elements *= count;
  }
  return elements;
}

/// Calls visit(place in the result's image, coordinates) for each of its pixels.
template <typename Visit>
void for_each_pixel(const base::Shape& image, const Visit& visit) {
  const int64_t size = base::num_elements(image);
  for (int64_t i = 0; i < size; ++i) visit(static_cast<size_t>(i), base::coordinates_of(image, i));
}

base::Shape image_of(const base::Shape& shape) { return {shape.begin() + 2, shape.end()}; }

}  // namespace

std::vector<float> run_conv(const package::HostStep& step, const HostOperands& operands, const base::Shape& shape) {
  const HostArray &x = *operands[0], &weights = *operands[1];
  const std::vector<HostWindow> axes = package::windows_of(step, {x.shape, weights.shape});
  const base::Shape image = image_of(shape);
  const auto pixels = static_cast<size_t>(base::num_elements(image)),
             from_pixels = static_cast<size_t>(base::num_elements(image_of(x.shape)));
  const auto kernel = static_cast<size_t>(base::num_elements(image_of(weights.shape)));
  const auto channels = static_cast<size_t>(shape[1]), inner = static_cast<size_t>(weights.shape[1]);
  const size_t per_group = channels / static_cast<size_t>(step.dimensions[0]),
               from_channels = static_cast<size_t>(x.shape[1]);
  std::vector<float> result(static_cast<size_t>(base::num_elements(shape)));
  for_each_pixel(image, [&](size_t pixel, const base::Shape& at) {
    const WindowTaps taps = taps_of(axes, at);
    for (size_t n = 0; n < static_cast<size_t>(shape[0]); ++n) {
      for (size_t channel = 0; channel < channels; ++channel) {
        double sum = operands.size() == 3 ? operands[2]->numbers[channel] : 0;
        for (size_t c = 0; c < inner; ++c) {
          const float* from = x.numbers.data() + (n * from_channels + channel / per_group * inner + c) * from_pixels;
          const float* weight = weights.numbers.data() + (channel * inner + c) * kernel;
          for (size_t i = 0; i < taps.places.size(); ++i) sum += double{from[taps.places[i]]} * double{weight[taps.taps[i]]};
        }
        result[(n * channels + channel) * pixels + pixel] = static_cast<float>(sum);
      }
    }
  });
  return result;
}

std::vector<float> run_pool(const package::HostStep& step, const HostOperands& operands, const base::Shape& shape) {
  const HostArray& x = *operands[0];
  const std::vector<HostWindow> axes = package::windows_of(step, {x.shape});
  const base::Shape image = image_of(shape);
  const auto pixels = static_cast<size_t>(base::num_elements(image)),
             from_pixels = static_cast<size_t>(base::num_elements(image_of(x.shape)));
  const bool is_max = step.kind == HostOperator::MaxPool, counts_padding = !is_max && step.dimensions.back() != 0;
  const auto planes = static_cast<size_t>(shape[0] * shape[1]);
  std::vector<float> result(planes * pixels);
  for_each_pixel(image, [&](size_t pixel, const base::Shape& at) {
    const WindowTaps taps = taps_of(axes, at);
    const double count =
        counts_padding ? static_cast<double>(elements_with_padding(axes, at)) : static_cast<double>(taps.places.size());
    for (size_t plane = 0; plane < planes; ++plane) {
      const float* from = x.numbers.data() + plane * from_pixels;
      double sum = 0;
      float greatest = -std::numeric_limits<float>::infinity();
      for (const int64_t place : taps.places) {
        sum += from[place];
        greatest = std::max(greatest, from[place]);
      }
      result[plane * pixels + pixel] = is_max ? greatest : static_cast<float>(sum / count);
    }
  });
  return result;
}

}  // namespace vernier::flow
