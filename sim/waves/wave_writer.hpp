// SPDX-License-Identifier: Apache-2.0
// What a file of waves is made of, whatever its format: variables in scopes, and their values in ascending times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::waves {

enum class VariableKind : uint8_t { Bits, State, Real, Text };

struct Variable {
  std::string scope;  // names with dots between them
  std::string name;
  VariableKind kind = VariableKind::Bits;
  int bits = 1;                       // of bits
  std::vector<std::string> labels{};  // of a state, by value
  bool is_signed = false;             // bits in two's complement
};

/// The bits of a state with so many labels.
int bits_for(size_t num_labels);

/// The time unit of a wave. A cycle has kTimesPerCycle of them: a cycle is shown as a nanosecond, whatever the clock, so
/// that the time axis counts cycles.
inline constexpr std::string_view kTimescale = "1ps";
inline constexpr int64_t kTimesPerCycle = 1000;

class WaveWriter {
 public:
  WaveWriter() = default;
  WaveWriter(const WaveWriter&) = delete;
  WaveWriter& operator=(const WaveWriter&) = delete;
  virtual ~WaveWriter() = default;
  /// All variables, once, before any value. Those of a scope need not stand together.
  virtual void declare(const std::vector<Variable>& variables) = 0;
  /// The values that follow hold from here on; ascending.
  virtual void time(int64_t time) = 0;
  /// Of bits and states; a state is written by its label.
  virtual void number(size_t variable, uint64_t value) = 0;
  /// Of bits: one character a bit, the highest first: 0, 1, x, z.
  virtual void bits(size_t variable, std::string_view digits) = 0;
  virtual void real(size_t variable, double value) = 0;
  virtual void text(size_t variable, std::string_view value) = 0;
  /// What of the file can be written already: nothing, or what has come since the last take().
  virtual std::vector<std::byte> take() { return {}; }
  /// The file's bytes, without those that were taken. `end_time` was the last time.
  virtual std::vector<std::byte> finish(int64_t end_time) = 0;
};

std::unique_ptr<WaveWriter> make_vcd_writer();
/// False when the program was built without Verilator's files, which the FST writer comes with.
bool has_fst_writer();
/// For a wave whose files take at most so much while it is made. Precondition: has_fst_writer(). UserError where there is no
/// room for them.
std::unique_ptr<WaveWriter> make_fst_writer(size_t most_bytes);

/// A scope with its variables and the scopes in it, in the order in which they were first named.
struct Scope {
  std::string name;
  std::vector<size_t> variables;
  std::vector<Scope> scopes;
};
/// The scope around all of `variables`, which has no name.
Scope scopes_of(const std::vector<Variable>& variables);

}  // namespace vernier::waves
