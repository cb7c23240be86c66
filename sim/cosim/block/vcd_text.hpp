// SPDX-License-Identifier: Apache-2.0
// The value changes of a VCD as Verilator writes it: scopes, wires of 0 and 1, ascending times. All of it at once, or piece
// by piece.
#pragma once

#include "sim/waves/wave.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace vernier::cosim {

/// A value: a number of up to 64 bits, or its digits.
using BitsValue = std::variant<uint64_t, std::string>;

class VcdText {
 public:
  VcdText() = default;
  /// All of it, which outlives this. InternalError, here and below, for what Verilator does not write.
  explicit VcdText(std::string_view text) : rest_(text) { declare_all(); }
  /// The next piece, when next() has found no further change.
  void feed(std::string_view more);
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
  /// The next change; false behind the last of what there is.
  bool next(Change& change);

 private:
  std::optional<std::string_view> line();
  void declare_all();
  void declare(std::string_view line);
  std::string pieces_;
  std::string_view rest_;
  std::vector<std::string> scopes_;
  bool is_declared_ = false;
  std::vector<waves::Variable> variables_;
  std::vector<size_t> codes_;
  struct Hash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the name that the map looks for
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, size_t, Hash, std::equal_to<>> by_code_;
  int64_t time_ = 0;
};

}  // namespace vernier::cosim
