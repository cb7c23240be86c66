# SPDX-License-Identifier: Apache-2.0
# cmake -DOUTPUT=... "-DFILES=file;..." -P EmbedFiles.cmake: writes the C++ source of rtl_files() (sim/cosim/block/rtl_files.hpp).
cmake_minimum_required(VERSION 3.25)
set(source "// Written by cmake/EmbedFiles.cmake.\n#include \"sim/cosim/block/rtl_files.hpp\"\n\n#include <vector>\n\nnamespace vernier::cosim {\n
std::span<const RtlFile> rtl_files() {\n  static const std::vector<RtlFile> kFiles{\n")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" contents)
  string(APPEND source "{\"${name}\", R\"_text_(${contents})_text_\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "${source}  };\n  return kFiles;\n}\n\n}  // namespace vernier::cosim\n")
