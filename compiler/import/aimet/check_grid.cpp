// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/aimet/check_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace vernier::import::aimet {
namespace {

constexpr double kScaleTolerance = 1e-5;
/// The least scale that AIMET's calibration gives: that of a tensor which was constant.
constexpr double kLeastCalibrated = 0x1p-23 * (1 + kScaleTolerance);

class Check {
 public:
  Check(const Place& place, int bits, bool is_symmetric, const StatedGrid& stated)
      : place_(place), bits_(bits), is_symmetric_(is_symmetric), stated_(stated) {}

  std::optional<Grid> run() {
    if (!ends_are_legal() || !is_enough()) return std::nullopt;
    const std::optional<double> scale = agreed_scale();
    if (!scale) return std::nullopt;
    const std::optional<int64_t> offset = agreed_offset(*scale);
    if (!offset || !offset_is_legal(*offset)) return std::nullopt;
    if (bits_ <= 16 && *scale <= kLeastCalibrated)
      place_.warn(stated_.line,
                  fmt::format("scale is {}, the least that calibration gives: the tensor was constant", *scale));
    return Grid{*scale, *offset};
  }

 private:
  double steps() const { return static_cast<double>(num_codes(bits_) - 1); }
  bool has_ends() const { return stated_.min && stated_.max; }

  bool fail(const std::string& text) const {
    place_.error(stated_.line, text);
    return false;
  }

  bool ends_are_legal() const {
    if (stated_.min && *stated_.min > 0)
      return fail(fmt::format("min is {}, above 0: real 0 would have no code", *stated_.min));
    if (stated_.max && *stated_.max < 0)
      return fail(fmt::format("max is {}, below 0: real 0 would have no code", *stated_.max));
    if (has_ends() && *stated_.max - *stated_.min <= 0)
      return fail("min and max are both 0, allowed is a range that is not empty");
    if (has_ends() && !std::isfinite(*stated_.max - *stated_.min)) return fail("max - min is no finite number");
    return true;
  }

  bool is_enough() const {
    if (has_ends() || (stated_.scale && stated_.offset)) return true;
    if (!stated_.scale) return fail("scale is missing");
    return fail("offset is missing");
  }

  /// A strict symmetric grid has one code less; files have either end, 127 * scale or 128 * scale.
  bool may_be_strict() const {
    const int64_t strict = 1 - num_codes(bits_) / 2;
    return is_symmetric_ && (!stated_.offset || *stated_.offset == strict);
  }

  std::optional<double> agreed_scale() const {
    if (!has_ends()) return stated_.scale;
    const double range = *stated_.max - *stated_.min;
    const double full = range / steps(), strict = range / (steps() - 1);
    if (!stated_.scale) {
      const bool is_strict = may_be_strict() && std::abs(*stated_.max + *stated_.min) <= kScaleTolerance * *stated_.max;
      return is_strict ? strict : full;
    }
    const auto agrees = [scale = *stated_.scale](double other) {
      return std::abs(scale - other) <= kScaleTolerance * other;
    };
    if (agrees(full) || (may_be_strict() && agrees(strict))) return stated_.scale;
    const double percent = 100 * std::abs(*stated_.scale - full) / full;
    fail(fmt::format("scale is {}, (max - min) / {} is {}: they differ by {:.3g} %", *stated_.scale, num_codes(bits_) - 1,
                     full, percent));
    return std::nullopt;
  }

  /// min / scale, or what max says it is.
  std::optional<double> position_of_min(double scale) const {
    if (stated_.min) return *stated_.min / scale;
    if (stated_.max) return *stated_.max / scale - steps();
    return std::nullopt;
  }

  std::optional<int64_t> agreed_offset(double scale) const {
    const std::optional<double> position = position_of_min(scale);
    if (!position) return stated_.offset;
    if (std::abs(*position) > 2 * steps() + 2) {
      fail(fmt::format("min / scale is {:.6g}, allowed are -{} to 0", *position, num_codes(bits_) - 1));
      return std::nullopt;
    }
    const auto nearest = static_cast<int64_t>(std::llround(*position));
    const int64_t offset = stated_.offset.value_or(nearest);
    const double tolerance = std::max(1e-3, 1e-6 * steps());
    // With many bits the rounding itself is within the tolerance.
    const auto is_near = [&](int64_t other) {
      return other == nearest || std::abs(static_cast<double>(other) - *position) <= tolerance;
    };
    if (is_near(offset)) {
      const double off_grid = std::abs(static_cast<double>(offset) - *position);
      if (off_grid > tolerance)
        place_.warn(stated_.line,
                    fmt::format("min / scale is {:.6g}, no whole number: offset {} counts", *position, offset));
      return offset;
    }
    if (is_near(-offset)) return turned(offset, -offset, "the zero point");
    if (is_near(-offset - 1)) return turned(offset, -offset - 1, "the zero point less one, as in old files of TensorFlow");
    fail(fmt::format("offset is {}, round(min / scale) is {}: they differ by {}", offset, nearest,
                     std::abs(offset - nearest)));
    return std::nullopt;
  }

  int64_t turned(int64_t found, int64_t taken, std::string_view what) const {
    place_.warn(stated_.line, fmt::format("offset is {}, {}; read as {}", found, what, taken));
    return taken;
  }

  bool offset_is_legal(int64_t offset) const {
    if (offset < 1 - num_codes(bits_) || offset > 0)
      return fail(fmt::format("offset is {}, allowed are {} to 0", offset, 1 - num_codes(bits_)));
    const int64_t half = num_codes(bits_) / 2;
    if (!is_symmetric_ || offset == 0 || offset == -half || offset == 1 - half) return true;
    return fail(fmt::format("is symmetric, yet offset {} is none of {}, {} and 0", offset, -half, 1 - half));
  }

  const Place& place_;
  int bits_;
  bool is_symmetric_;
  const StatedGrid& stated_;
};

}  // namespace

std::optional<Grid> grid_of(const Place& place, int bits, bool is_symmetric, const StatedGrid& stated) {
  return Check(place, bits, is_symmetric, stated).run();
}

}  // namespace vernier::import::aimet
