# SPDX-License-Identifier: Apache-2.0
# Language, warnings and sanitizers, the same for every target of the project.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# Twenty sources compile as one: a quarter of the time. Tools that look at each source configure with -DCMAKE_UNITY_BUILD=OFF.
option(CMAKE_UNITY_BUILD "Compile sources in batches" ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 20)
# GCC collects its garbage when 128 MiB are in use, and again each time they have doubled: a tenth of its time with batches of
# this size. From half a GiB on it takes a third of a GiB more at most.
add_compile_options("$<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=500000>")
find_program(LINKER_PROGRAM NAMES ld.mold mold ld.lld)
if(LINKER_PROGRAM MATCHES "mold$")
  add_link_options(-fuse-ld=mold)
elseif(LINKER_PROGRAM)
  add_link_options(-fuse-ld=lld)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Paths below the checkout are hashed relative to it: another clone of the same sources finds what the first one compiled.
  set(CCACHE_COMMAND "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=true "${CCACHE_PROGRAM}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_COMMAND}")
endif()

option(VERNIER_SANITIZE "Address and undefined-behaviour sanitizers" OFF)
# A test that runs so long hangs; nothing else depends on time. Sanitizers cost a factor of five to ten.
set(VERNIER_HANG_SECONDS 300)
if(VERNIER_SANITIZE)
  set(VERNIER_HANG_SECONDS 1800)
  # Compiles in half the time of -O2 -g; a finding still names its line.
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1 -DNDEBUG")
  # Programs at a fixed address: three million relocations at each start would take as long as a small run.
  set(CMAKE_EXE_LINKER_FLAGS "${CMAKE_EXE_LINKER_FLAGS} -no-pie")
endif()

add_library(vernier_flags INTERFACE)
target_compile_options(vernier_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror)
# Below -O3 GCC 12 takes the value of an empty optional, or of another alternative of a variant, for one that is read.
target_compile_options(vernier_flags INTERFACE $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>)
if(CMAKE_UNITY_BUILD)
  # A private type of a .cpp file is in "another file" where that file is included in a batch.
  target_compile_options(vernier_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()
target_include_directories(vernier_flags INTERFACE "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/generated")
target_link_libraries(vernier_flags INTERFACE fmt::fmt)
target_compile_definitions(vernier_flags INTERFACE VERNIER_VERSION="${PROJECT_VERSION}")
if(VERNIER_SANITIZE)
  target_compile_definitions(vernier_flags INTERFACE VERNIER_SANITIZE)
  target_compile_options(vernier_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  # GCC says of its sanitizers that this warning is then often wrong: std::regex at -O1 has it.
  target_compile_options(vernier_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(vernier_flags INTERFACE -fsanitize=address,undefined)
endif()

# Clang warns of conversions that GCC takes; the harnesses look for something else.
option(VERNIER_LIBFUZZER "The harnesses of tests/libfuzzer, with clang" OFF)
if(VERNIER_LIBFUZZER)
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1 -DNDEBUG")
  target_compile_options(vernier_flags INTERFACE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -Wno-error)
  target_link_options(vernier_flags INTERFACE -fsanitize=address,undefined)
endif()
