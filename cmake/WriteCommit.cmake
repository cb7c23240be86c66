# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE_DIR=... -DOUTPUT=... -P WriteCommit.cmake: writes a C++ source that says which commit is checked out. It is
# run in every build, and writes only what has changed, so that a new commit recompiles this one file.
cmake_minimum_required(VERSION 3.25)
set(commit "")
set(ENV{GIT_OPTIONAL_LOCKS} 0)
find_program(GIT git)
if(GIT)
  execute_process(COMMAND "${GIT}" rev-parse --show-toplevel HEAD WORKING_DIRECTORY "${SOURCE_DIR}"
    OUTPUT_VARIABLE found RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE "\n" ";" found "${found}")
  list(LENGTH found lines)
  if(NOT failed AND lines EQUAL 2)
    list(GET found 0 top)
    list(GET found 1 head)
    file(REAL_PATH "${SOURCE_DIR}" source)
    file(REAL_PATH "${top}" top)
    if(top STREQUAL source) # and not a checkout around the sources
      string(SUBSTRING "${head}" 0 12 commit)
      execute_process(COMMAND "${GIT}" status --porcelain --untracked-files=no WORKING_DIRECTORY "${SOURCE_DIR}"
        OUTPUT_VARIABLE changes ERROR_QUIET)
      if(NOT changes STREQUAL "")
        string(APPEND commit ".dirty")
      endif()
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT "// Written by cmake/WriteCommit.cmake in each build.
#include \"sim/flow/files/version.hpp\"

namespace vernier::flow {

std::string_view commit() { return \"@commit@\"; }

}  // namespace vernier::flow
")
