// SPDX-License-Identifier: Apache-2.0
// `vernier quantize` and `vernier dequantize`: QuantizeV2 and Dequantize of TensorFlow from file to file.
#pragma once

#include "hw/base/npy.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

struct QuantizeRequest {
  bool is_dequantize = false;
  std::string input{};                      // FILE.npy
  std::string mode{}, type{};               // TensorFlow's names
  std::string min{}, max{};                 // numbers, or FILE.npy
  std::optional<std::string> round_mode{};  // HALF_AWAY_FROM_ZERO when absent
  bool narrow_range = false;
  std::optional<int64_t> axis{};
  std::optional<std::string> ensure_minimum_range{};  // 0.01 when absent
  std::string output{};                               // FILE.npy
};

struct QuantizeResult {
  base::NpyArray values{};          // that were written
  std::vector<float> min{}, max{};  // of quantize: the range as adjusted, one for each slice
  std::vector<std::string> warnings{};
};

/// UserError, naming the option, unless each choice is one of those allowed.
void check_quantize_choices(const QuantizeRequest& request);

/// UserError for what TensorFlow refuses, and for files that are none.
QuantizeResult quantize(const QuantizeRequest& request);

}  // namespace vernier::flow
