// SPDX-License-Identifier: Apache-2.0
// Somebody else's RTL as it lies in a folder: sources, what they define, where they include from. Nothing is run here.
//
// Without a files.f the sources are the folder's own *.sv and *.v, those with a package first, by name. A files.f has a
// source a line, in order, relative to the folder, and +incdir+DIR, -IDIR, +define+NAME[=VALUE], -DNAME[=VALUE] and comments
// (#, // and /* */, which begin a word). A name with blanks stands in quotation marks; those of a VALUE are part of it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace vernier::cosim {

struct RtlFolder {
  std::filesystem::path folder;
  std::vector<std::filesystem::path> sources;  // in the order in which they are compiled
  std::vector<std::filesystem::path> include_folders;
  std::vector<std::string> defines;                      // NAME or NAME=VALUE
  std::map<std::string, std::filesystem::path> modules;  // and packages and interfaces: where each is
  bool has_list = false;                                 // files.f

  /// For Verilator: where sources include from, and what they find defined.
  [[nodiscard]] std::vector<std::string> include_options() const;
  /// Whether a file is in or below a folder that sources include from.
  [[nodiscard]] bool searches(const std::string& file) const;
};

/// UserError for a folder or a file that is not there or has a '$' in its name, a line of files.f that is not understood, a
/// source that is listed twice, a module that two files define, or one that says that it is written for another version of
/// the interface (InterfaceVersion, or a copy of npu_spec_pkg of that time).
RtlFolder read_rtl_folder(const std::filesystem::path& folder);

/// Modules, packages and interfaces that a text of SystemVerilog defines.
std::vector<std::string> defined_modules(const std::string& text);

}  // namespace vernier::cosim
