// SPDX-License-Identifier: Apache-2.0
// One line on a terminal that says what is going on; nothing when standard error is piped.
#pragma once

#include "sim/flow/observer.hpp"

#include <string>

namespace vernier::cli {

class Progress {
 public:
  Progress();
  ~Progress() { done(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void phase(const std::string& text);
  /// How far the phase has come, behind its text.
  void detail(const std::string& text);
  /// Whether anybody sees it.
  [[nodiscard]] bool is_terminal() const { return is_terminal_; }
  /// Clears the line.
  void done();

 private:
  void show(const std::string& text);
  std::string phase_;
  bool is_terminal_;
  bool is_shown_ = false;
};

/// Shows there what the library tells: the console's and the debugger's lines on standard error.
flow::Observer observer_of(Progress& progress);

}  // namespace vernier::cli
