// SPDX-License-Identifier: Apache-2.0
// What has become of a value of the float network while it is lowered.
#pragma once

#include "compiler/import/quantized/network.hpp"
#include "compiler/ir/graph.hpp"
#include "hw/base/rounding.hpp"
#include "hw/package/host_step.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace vernier::import::quantized {

/// How codes stand for real numbers: real = (code - zero_point) * scale. Codes are signed here; a format whose source has
/// unsigned ones has all of them, zero points too, less half of their range (0 becomes -128).
struct Format {
  int32_t bits = 8;
  std::vector<double> scales{1};        // one, or one for each index of `axis`; of codes the file's, of sums exact products
  std::vector<int64_t> zero_points{0};  // as many
  int64_t axis = 0;                     // a dimension of the source's shape
  bool is_unsigned = false;             // in the source

  [[nodiscard]] bool is_per_axis() const { return scales.size() > 1; }
  [[nodiscard]] int64_t least() const { return -(int64_t{1} << (bits - 1)); }
  [[nodiscard]] int64_t greatest() const { return -least() - 1; }
  bool operator==(const Format&) const = default;
};

/// How numbers become codes of a format.
struct Quantizer {
  Format format;
  int64_t least, greatest;  // codes that it gives, signed as in Format
  base::Rounding rounding = base::Rounding::HalfEven;
  bool adds_zero_point_first = false;  // Quant, AIMET: before rounding; QuantizeLinear: after it

  /// QuantizeLinear's: all codes of the format.
  Quantizer(Format codes)  // NOLINT(google-explicit-constructor): a format is a quantizer
      : format(std::move(codes)), least(format.least()), greatest(format.greatest()) {}
  bool operator==(const Quantizer&) const = default;
};

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// A constant, an input that no quantizer has met yet (or what the host computes of it), integers of the graph that stand
/// for real numbers, or what the host computes of such integers after the last quantizer.
struct Value {
  enum class Kind : uint8_t { Constant, Input, Integers, Host };

  Kind kind = Kind::Constant;
  base::Shape shape;                         // as in the source
  std::shared_ptr<const Constant> constant;  // Kind::Constant
  size_t input = 0;                          // Kind::Input: its number
  bool is_real = true;                       // false: codes as such, between QuantizeLinear and DequantizeLinear
  Format format;                             // of Integers, and of a Constant that holds integers and is_real

  std::optional<size_t> host;  // Kind::Input and Kind::Host: what the host has computed, in the lowering's HostGraph

  // Integers only:
  ir::TensorId tensor = -1;
  std::vector<int64_t> order;  // by dimension of `tensor`: the source's dimension; -1: one of size 1 that was added
  int64_t magnitude = 0;       // code - zero_point is from -magnitude to magnitude
  std::string layer;           // the node that computed it
  /// What the numbers are after functions that no quantizer has followed yet. Of codes of 8 and 16 bits any function: the
  /// number that each code stands for, from the least; empty when it is what the format says. Of 16 bits and sums limits.
  std::vector<float> reals;
  bool has_jumps = false;  // the function may jump: where lines between entries of a table are off, each code has an entry
  float low = -kInfinity, high = kInfinity;
  /// Of sums: a function of their numbers, before the limits; null for none.
  std::shared_ptr<const std::function<float(float)>> of_sum;

  [[nodiscard]] bool is_wide() const { return format.bits > 16; }  // accumulators, which a quantizer has to follow
  [[nodiscard]] bool has_function() const { return !reals.empty() || of_sum || low != -kInfinity || high != kInfinity; }
};

/// Of a format that is not per axis.
inline double scale_of(const Format& format) { return format.scales.front(); }
inline int64_t zero_point_of(const Format& format) { return format.zero_points.front(); }
/// The greatest |code - zero point|.
int64_t magnitude_of(const Quantizer& quantizer);
/// Between the signed codes of a format and those of the source: what is added to become the source's.
int64_t source_offset(const Format& format);
/// Between codes and real numbers in float32, by the scale of that index.
int64_t code_of(float real, const Quantizer& quantizer, size_t index = 0);
float real_of(int64_t code, const Format& format, size_t index = 0);
/// Integers seen with their dimensions in another order: what was dimension perm[i] is dimension i. No element moves.
Value permuted(Value value, const std::vector<int64_t>& perm);
/// {0, 1, .., rank - 1}
std::vector<int64_t> source_order(size_t rank);

}  // namespace vernier::import::quantized
