// SPDX-License-Identifier: Apache-2.0
// Formats of float inputs that no node quantizes: those that are given, and FINN's annotations of the file.
#pragma once

#include "compiler/import/import_result.hpp"
#include "compiler/import/quantized/network.hpp"
#include "compiler/import/quantized/value.hpp"

#include <map>
#include <string>
#include <vector>

namespace vernier::import::quantized {

/// Gives the inputs of the network their formats, by name, else by annotation. A line, without the file's name, for each
/// input that has another type than float32 or is quantized by the network; annotations of that kind are passed over. Warns
/// of annotations that do not say enough.
std::vector<std::string> add_annotated_formats(Network& network, const std::map<std::string, InputFormat>& given,
                                               std::vector<std::string>& warnings);

/// The quantizer that a format stands for.
Quantizer quantizer_of(const InputFormat& format);

}  // namespace vernier::import::quantized
