// SPDX-License-Identifier: Apache-2.0
// A folder's sources as Verilator's preprocessor leaves them: with all that they include, wherever that is. They are what a
// checksum has to be over.
#pragma once

#include "sim/cosim/block/rtl_folder.hpp"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace vernier::cosim {

struct PreprocessedRtl {
  std::string text;
  std::set<std::string> files;  // that it read
  bool has_assertions = false;
};

/// Works in a folder of its own, scratch_in(cache). What the preprocessor refuses is in the text, a build will tell it.
PreprocessedRtl preprocess(const RtlFolder& folder, const std::filesystem::path& verilator,
                           const std::filesystem::path& cache);

/// The files that Verilator read, by the list that it leaves (verFiles.dat).
std::vector<std::string> read_files(const std::string& list);

}  // namespace vernier::cosim
