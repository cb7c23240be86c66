// SPDX-License-Identifier: Apache-2.0
// A wave of RTL on its way into a file.
#pragma once

#include "hw/base/file.hpp"
#include "sim/cosim/rtl_block.hpp"

#include <exception>
#include <span>
#include <string>

namespace vernier::cli {

/// Puts a wave into a file of the set. What goes wrong is kept, since a wave may end in a destructor.
class WaveFile : public cosim::WaveSink {
 public:
  WaveFile(base::FileSet& files, const std::string& path) : files_(files) { files_.begin(path); }
  void write(std::span<const char> text) noexcept override {
    if (failure_ != nullptr) return;
    try {
      files_.append(std::as_bytes(text));
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  void check() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  base::FileSet& files_;
  std::exception_ptr failure_;
};

}  // namespace vernier::cli
