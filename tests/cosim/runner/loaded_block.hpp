// SPDX-License-Identifier: Apache-2.0
// A block from a shared object, for the programs that run mutants.
#pragma once

#include "sim/cosim/block/rtl_block.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <dlfcn.h>

namespace vernier::tests {

/// Makes the block; the argument is Verilator's seed for what is random at the start.
using MakeBlock = cosim::RtlBlock* (*)(int);

/// `make_block` of the file. Null where there is none; on standard error stands why the file cannot be loaded.
inline MakeBlock load_maker(const char* file) {
  void* library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    fmt::print(stderr, "{}\n", ::dlerror());
    return nullptr;
  }
  return reinterpret_cast<MakeBlock>(::dlsym(library, "make_block"));
}

}  // namespace vernier::tests
