// SPDX-License-Identifier: Apache-2.0
// Writes AIMET's encodings files, of any of the versions that are read.
#pragma once

#include "compiler/import/aimet/encodings.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::export_aimet {

struct WrittenEncodings {
  std::string text;         // of the file
  int64_t num_tensors = 0;  // in it
  /// What the encodings say and this version cannot: "tensor x: ...".
  std::vector<std::string> lost;
  /// What this version says and the encodings do not, with the reason for what was taken: "tensor x: ...".
  std::vector<std::string> assumed;
};

/// Read again, the text gives the same encodings but for what `lost` and `assumed` say. Numbers are written in digits that
/// give the same double. As AIMET writes them: keys sorted; of strict symmetric grids max is one step above -min; parameters
/// that are symmetric around 0 become intN in 2.0.0, all else uintN, unless a file of 2.0.0 said otherwise.
WrittenEncodings write_encodings(const import::aimet::Encodings& encodings, import::aimet::Version version);

}  // namespace vernier::export_aimet
