// SPDX-License-Identifier: Apache-2.0
// The encodings of a network that has quantizers of its own.
#pragma once

#include "compiler/import/aimet/encodings.hpp"
#include "compiler/import/quantized/network.hpp"

#include <string>
#include <vector>

namespace vernier::import::aimet {

struct NetworkEncodings {
  Encodings encodings;
  std::vector<std::string> lost;  // a line for what encodings cannot say
};

/// An encoding for each value that the network quantizes to 2 to 32 bits, by the name that it has without quantizers.
/// Axes are left out where the version means them anyway.
NetworkEncodings encodings_of(const quantized::Network& network, Version version);

}  // namespace vernier::import::aimet
