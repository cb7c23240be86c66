// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/aimet/network_encodings.hpp"

#include "compiler/import/aimet/fields.hpp"
#include "compiler/import/quantized/list_quantizers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace vernier::import::aimet {

using quantized::Format;
using quantized::QuantizedValue;

namespace {

/// The codes of the source from the least that its type has, as q counts them.
struct Codes {
  int64_t least = 0;         // of the source's signed codes
  bool lacks_least = false;  // narrow and signed: strict symmetric
  bool lacks_last = false;   // narrow and unsigned
};

Codes codes_of(const QuantizedValue& value) {
  const Format& format = value.quantizer.format;
  const bool is_small = value.bits < format.bits && !format.is_unsigned;
  const int64_t half = num_codes(static_cast<int>(value.bits)) / 2;
  Codes codes;
  codes.least = is_small ? (value.quantizer.least < 0 ? -half : 0) : format.least();
  codes.lacks_least = value.quantizer.least > codes.least;
  codes.lacks_last = value.quantizer.greatest < codes.least + 2 * half - 1;
  return codes;
}

}  // namespace

NetworkEncodings encodings_of(const quantized::Network& network, Version version) {
  quantized::QuantizerList list = quantized::list_quantizers(network);
  NetworkEncodings result;
  result.lost = std::move(list.others);
  bool has_even_ties = false;
  for (const QuantizedValue& value : list.values) {
    const auto& [format, least, greatest, rounding, adds_zero_point_first] = value.quantizer;
    const auto lose = [&, &name = value.name](const std::string& text) {
      result.lost.push_back(fmt::format("tensor {}: {}", name, text));
    };
    if (value.bits < kLeastBits || value.bits > kMostBits) {
      lose(fmt::format("has {} bits, encodings have {} to {}", value.bits, kLeastBits, kMostBits));
      continue;
    }
    const Codes codes = codes_of(value);
    const bool is_around_zero =
        std::all_of(format.zero_points.begin(), format.zero_points.end(), [](int64_t zero) { return zero == 0; });
    Encoding encoding;
    encoding.name = value.name;
    encoding.role = value.is_constant ? Role::Parameter : Role::Activation;
    encoding.bits = static_cast<int>(value.bits);
    encoding.is_signed = !format.is_unsigned && codes.least < 0;
    encoding.is_symmetric = encoding.is_signed && is_around_zero;
    const bool is_strict = encoding.is_symmetric && codes.lacks_least;
    if (!is_strict && (codes.lacks_least || codes.lacks_last)) lose("that it is narrow: its grid has one code more");
    for (size_t i = 0; i < format.scales.size(); ++i)
      encoding.channels.push_back({format.scales[i], codes.least + (is_strict ? 1 : 0) - format.zero_points[i]});
    if (encoding.is_per_channel() && (version == Version::V200 || format.axis != 0)) encoding.axis = format.axis;
    has_even_ties = has_even_ties || rounding == base::Rounding::HalfEven;
    if (rounding != base::Rounding::HalfEven && rounding != base::Rounding::TiesUp)
      lose(fmt::format("that it is rounded {}: AIMET rounds to the nearest code", base::to_string(rounding)));
    result.encodings.tensors.push_back(std::move(encoding));
  }
  if (has_even_ties) result.lost.emplace_back("that ties are rounded to the even code: AIMET rounds them up");
  return result;
}

}  // namespace vernier::import::aimet
