// SPDX-License-Identifier: Apache-2.0
// Value change dump, IEEE 1364-2005 section 18.2. States and texts are variables of type string, which GTKWave and Surfer
// read beyond the standard.
#include "sim/waves/wave_writer.hpp"

#include <fmt/format.h>

#include <iterator>
#include <span>
#include <utility>

namespace vernier::waves {

namespace {

/// The shortest names that the format has: printable characters from '!' on.
std::string code_of(size_t index) {
  constexpr size_t kFirst = 33, kCount = 94;
  std::string code;
  for (;; index = index / kCount - 1) {
    code += static_cast<char>(kFirst + index % kCount);
    if (index < kCount) return code;
  }
}

/// A value of type string ends at a blank: what is blank or not printable is written as an underscore.
std::string without_blanks(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c <= ' ' || c == 127) c = '_';
  }
  return result;
}

class VcdWriter : public WaveWriter {
 public:
  void declare(const std::vector<Variable>& variables) override {
    variables_ = variables;
    for (size_t i = 0; i < variables.size(); ++i) codes_.push_back(code_of(i));
    put("$comment A cycle is a nanosecond, whatever the clock: the time axis counts cycles. $end\n$timescale {} $end\n",
        kTimescale);
    put_scope(scopes_of(variables_));
    put("$enddefinitions $end\n");
  }
  void time(int64_t time) override { put("#{}\n", time); }
  void number(size_t variable, uint64_t value) override {
    if (variables_[variable].kind == VariableKind::State) return text(variable, variables_[variable].labels.at(value));
    bits(variable, fmt::format("{:b}", value));
  }
  void bits(size_t variable, std::string_view digits) override {
    if (variables_[variable].bits == 1) return put("{}{}\n", digits, codes_[variable]);
    put("b{} {}\n", digits, codes_[variable]);
  }
  void real(size_t variable, double value) override { put("r{:.16g} {}\n", value, codes_[variable]); }
  void text(size_t variable, std::string_view value) override { put("s{} {}\n", without_blanks(value), codes_[variable]); }
  std::vector<std::byte> take() override {
    const std::string taken = std::exchange(text_, {});
    const auto bytes = std::as_bytes(std::span(taken));
    return {bytes.begin(), bytes.end()};
  }
  std::vector<std::byte> finish(int64_t /*end_time*/) override { return take(); }

 private:
  template <typename... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }
  void put_scope(const Scope& scope) {
    for (const size_t i : scope.variables) put_declaration(variables_[i], codes_[i]);
    for (const Scope& inner : scope.scopes) {
      put("$scope module {} $end\n", inner.name);
      put_scope(inner);
      put("$upscope $end\n");
    }
  }
  void put_declaration(const Variable& variable, const std::string& code) {
    switch (variable.kind) {
      case VariableKind::Bits:
        if (variable.bits == 1) return put("$var wire 1 {} {} $end\n", code, variable.name);
        return put("$var wire {} {} {} [{}:0] $end\n", variable.bits, code, variable.name, variable.bits - 1);
      case VariableKind::Real: return put("$var real 64 {} {} $end\n", code, variable.name);
      case VariableKind::State:
      case VariableKind::Text: return put("$var string 1 {} {} $end\n", code, variable.name);
    }
  }
  std::vector<Variable> variables_;
  std::vector<std::string> codes_;
  std::string text_;
};

}  // namespace

std::unique_ptr<WaveWriter> make_vcd_writer() { return std::make_unique<VcdWriter>(); }

}  // namespace vernier::waves
