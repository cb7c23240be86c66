# SPDX-License-Identifier: Apache-2.0
# cmake -DOUTPUT=... -DHEADER=... -DNAMESPACE=... -DTEXTS="kName=file+file;..." -P EmbedTexts.cmake: writes a C++ source that
# defines each std::string_view kName as the files one after the other. HEADER declares them.
cmake_minimum_required(VERSION 3.25)
set(source "// Written by cmake/EmbedTexts.cmake.\n#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n")
foreach(text IN LISTS TEXTS)
  string(REGEX MATCH "^([^=]+)=(.*)$" matched "${text}")
  set(name "${CMAKE_MATCH_1}")
  string(REPLACE "+" ";" files "${CMAKE_MATCH_2}")
  string(APPEND source "\nconst std::string_view ${name} =")
  foreach(file IN LISTS files)
    file(READ "${file}" contents)
    # A raw string literal each: compilers allow only so much in one.
    string(APPEND source " R\"_text_(${contents})_text_\"\n")
  endforeach()
  string(APPEND source ";\n")
endforeach()
file(WRITE "${OUTPUT}" "${source}\n}  // namespace ${NAMESPACE}\n")
