// SPDX-License-Identifier: Apache-2.0
// What says which machine a model runs on, and how the model's file is read and compiled.
#pragma once

#include "compiler/import/import_result.hpp"
#include "hw/base/tensor.hpp"
#include "hw/model/quantize_v2.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

/// --quantize: QuantizeV2 at an input.
struct InputQuantization {
  std::string name;
  model::QuantizeAttributes attributes;
  std::string min, max;  // numbers, or FILE.npy with one for each index of the axis
  std::optional<int64_t> axis;
};

/// Options of the command line that all commands with a MODEL share.
struct MachineOptions {
  std::optional<std::string> config;            // --config; "v256" when absent (a package brings its own)
  std::optional<std::string> memory;            // --memory
  std::optional<int64_t> sram_bytes;            // --sram-bytes
  std::optional<int64_t> optimize;              // --optimize; 1 when absent
  std::string level = "8k";                     // --level
  std::optional<int64_t> batch;                 // --batch: for first dimensions of inputs that the network leaves open
  std::map<std::string, base::Shape> shapes{};  // --shape: of inputs with open dimensions
  std::optional<std::string> encodings{};       // --encodings: how a float network is quantized
  std::map<std::string, import::InputFormat> input_formats{};  // --input-format: of float inputs
  std::optional<std::string> signature{};                      // --signature: which one of a .tflite
  std::optional<import::TfliteRounding> tflite_rounding{};     // --tflite-rounding: whose arithmetic it has
  std::vector<InputQuantization> quantizations{};              // --quantize
  std::map<std::string, std::string> sets{};                   // --set: values of the configuration, by key
};

}  // namespace vernier::flow
