// SPDX-License-Identifier: Apache-2.0
// One line on a terminal that says what is going on; nothing when standard error is piped.
#pragma once

#include <string>

namespace vernier::cli {

class Progress {
 public:
  Progress();
  ~Progress() { done(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void phase(const std::string& text);
  /// Clears the line.
  void done();

 private:
  bool is_terminal_;
  bool is_shown_ = false;
};

}  // namespace vernier::cli
