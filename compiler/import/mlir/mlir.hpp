// SPDX-License-Identifier: Apache-2.0
// MLIR text of the TOSA dialect to graphs.
#pragma once

#include "compiler/import/import_result.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace vernier::import {

/// MLIR text from memory, in the pretty or the generic form, of TOSA 1.0 (LLVM 20 or newer): the function "main", or the
/// only one. It becomes the TOSA flatbuffer that it stands for, which import_tosa() reads. `file` names it in findings;
/// those of the text have FILE:LINE:COLUMN. Locations name the layers; inputs and outputs have the names of
/// tosa.tensor_name, of tf.entry_function, or those that the official serialiser gives (TosaInput_0, TosaOutput_0).
/// Operations of other dialects are errors, all of them at once.
ImportResult import_mlir(const std::string& file, std::span<const std::byte> bytes, const Options& options);

}  // namespace vernier::import
