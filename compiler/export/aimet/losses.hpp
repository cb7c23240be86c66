// SPDX-License-Identifier: Apache-2.0
// Encodings as a version can say them, and what that costs.
#pragma once

#include "compiler/export/aimet/write_encodings.hpp"

namespace vernier::export_aimet {

/// The tensors and remarks that the version has a place for, each with what it needs there: a role for versions before
/// 2.0.0, an axis in 2.0.0. Fills `lost` and `assumed`, and leaves `text` as it is.
import::aimet::Encodings fitted(const import::aimet::Encodings& encodings, import::aimet::Version version,
                                WrittenEncodings& written);

}  // namespace vernier::export_aimet
