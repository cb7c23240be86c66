// SPDX-License-Identifier: Apache-2.0
// Words of one line of the printed form. Internal to compiler/ir.
#pragma once

#include "hw/base/tensor.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::ir {

/// Every function skips blanks first; all throw UserError naming file, line and column.
class LineReader {
 public:
  LineReader(const std::string& file, int64_t line, std::string_view text) : file_(file), line_(line), text_(text) {}

  [[nodiscard]] bool is_at_end();
  /// Takes `token` if it comes next.
  bool accept(std::string_view token);
  void expect(std::string_view token);
  /// A word of letters, digits and '_'.
  std::string_view word();
  /// A name, bare or in quotes.
  std::string name();
  std::string quoted();
  int64_t integer();
  /// "[1, 2, 3]"
  std::vector<int64_t> integers();
  /// Fills `bytes` from "0x..." of exactly that length.
  void hex(std::span<std::byte> bytes);
  /// The number of hexadecimal digits to the end of the line, behind "0x".
  [[nodiscard]] size_t num_hex_digits();

  [[noreturn]] void fail(const std::string& message) const;

 private:
  void skip_blanks();
  const std::string& file_;
  int64_t line_;
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace vernier::ir
