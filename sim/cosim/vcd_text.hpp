// SPDX-License-Identifier: Apache-2.0
// The value changes of a VCD as Verilator writes it: scopes, wires of 0 and 1, ascending times.
#pragma once

#include "sim/waves/wave.hpp"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace vernier::cosim {

/// A value: a number of up to 64 bits, or its digits.
using BitsValue = std::variant<uint64_t, std::string>;

class VcdText {
 public:
  /// Reads the declarations; next() goes through what follows. InternalError for what Verilator does not write.
  explicit VcdText(std::string_view text);
  /// In the order of their declaration; two of them may share their values.
  [[nodiscard]] const std::vector<waves::Variable>& variables() const { return variables_; }
  /// The values of a variable are those of this code.
  [[nodiscard]] size_t code_of(size_t variable) const { return codes_[variable]; }
  [[nodiscard]] size_t num_codes() const { return by_code_.size(); }

  struct Change {
    int64_t time = 0;
    size_t code = 0;
    BitsValue value;
  };
  /// The next change; false behind the last.
  bool next(Change& change);

 private:
  std::string_view line();
  void declare(std::string_view line, std::vector<std::string>& scopes);
  std::string_view rest_;
  std::vector<waves::Variable> variables_;
  std::vector<size_t> codes_;
  std::unordered_map<std::string_view, size_t> by_code_;
  int64_t time_ = 0;
};

}  // namespace vernier::cosim
