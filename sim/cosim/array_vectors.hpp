// SPDX-License-Identifier: Apache-2.0
// Commands for npu_mac_array with the memory that they read, and which kinds of them there are (coverage).
#pragma once

#include "hw/sequence/conv_stream.hpp"
#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"
#include "sim/cosim/random.hpp"
#include "sim/kernels/kernels.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

struct ArrayCommand {
  spec::MacCommand command;
  std::vector<std::byte> sram;
  /// Addresses of masked bytes may lie anywhere.
  [[nodiscard]] uint8_t byte_at(int64_t address) const;
  [[nodiscard]] int64_t signed_byte_at(int64_t address) const { return static_cast<int8_t>(byte_at(address)); }
};

/// Where a byte stands among those of a step's elements.
inline int64_t byte_of_step(const sequence::ActivationByte& byte, int64_t activation_bytes) {
  return byte.element * activation_bytes + byte.byte;
}

/// What of this command the RTL does not do yet: "no RTL yet for ..."; empty when it does all of it.
std::string without_rtl(const spec::MacCommand& command, const spec::Datapath& datapath);

/// Both slots filled with int8 tables.
kernels::TableMemory draw_array_tables(Random& random);

/// One to four legal commands that follow each other, or a reduction in slices and what comes after it. All of them have
/// RTL.
std::vector<ArrayCommand> draw_array_sequence(const spec::Datapath& datapath, Random& random);

/// Order x signs x rounding x output type x multiplier x table x residual, and first x last x parity of the row tiles, of
/// each of two neighbours; order x types of the operands x end. A bin is legal when package::check takes a command in it,
/// and counted when such a command has RTL.
class ArrayCoverage {
 public:
  explicit ArrayCoverage(const spec::Datapath& datapath);
  void count(const spec::MacCommand& command);
  [[nodiscard]] int64_t num_legal() const;
  [[nodiscard]] int64_t num_hit() const;
  [[nodiscard]] std::vector<std::string> missing() const;

 private:
  struct Bin {
    std::string name;
    bool is_legal = false, is_hit = false;
  };
  [[nodiscard]] size_t operand_bin(const spec::MacCommand& command) const;
  [[nodiscard]] size_t tile_bin(const spec::MacCommand& command) const;
  [[nodiscard]] size_t type_bin(const spec::MacCommand& command) const;
  spec::Datapath datapath_;
  std::vector<Bin> bins_;
};

/// "tiles, raw" and so on: the group of a command's rows, and all of them.
int group_of(const spec::MacCommand& command);
std::vector<std::string> array_groups();
std::string describe(const spec::MacCommand& command);

}  // namespace vernier::cosim
