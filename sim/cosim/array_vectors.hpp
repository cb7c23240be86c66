// SPDX-License-Identifier: Apache-2.0
// Commands for npu_mac_array with the memory that they read, drawn at random, and what has no RTL.
#pragma once

#include "hw/sequence/conv_stream.hpp"
#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"
#include "sim/cosim/clocked_block.hpp"
#include "sim/cosim/random.hpp"
#include "sim/kernels/kernels.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

/// What a command for the array may have: orders of its weights, types of its results.
inline constexpr std::array kArrayOrders{spec::WeightOrder::Tiles, spec::WeightOrder::LaneMajor,
                                         spec::WeightOrder::TapMajor};
inline constexpr std::array kArrayOutTypes{base::ElementType::Int8, base::ElementType::Int16, base::ElementType::Int32,
                                           base::ElementType::Int48};

struct ArrayCommand {
  spec::MacCommand command;
  std::vector<std::byte> sram;
  /// Addresses of masked bytes may lie anywhere.
  [[nodiscard]] uint8_t byte_at(int64_t address) const;
  /// `bytes` bytes from `address` on, as byte_at() has them, to the port's bytes from `first` on.
  void copy_to(Port& port, int64_t first, int64_t address, int64_t bytes) const;
  [[nodiscard]] int64_t signed_byte_at(int64_t address) const { return static_cast<int8_t>(byte_at(address)); }
};

/// Where a byte stands among those of a step's elements.
inline int64_t byte_of_step(const sequence::ActivationByte& byte, int64_t activation_bytes) {
  return byte.element * activation_bytes + byte.byte;
}

/// Whether package::check() takes it.
bool is_legal(const spec::MacCommand& command, const spec::Datapath& datapath);

/// Both slots filled with int8 tables.
kernels::TableMemory draw_array_tables(Random& random);

/// How long drawn commands are.
struct ArraySizes {
  int64_t most_rows = 600;  // rows x steps x channel tiles
  bool has_long = true;     // now and then a longer one
};

/// A legal command that is all of its reduction.
ArrayCommand draw_array_command(const spec::Datapath& datapath, Random& random, const ArraySizes& sizes = {});

/// Such a command's reduction in slices; in one where more would not be legal.
std::vector<ArrayCommand> draw_array_slices(const spec::Datapath& datapath, Random& random, const ArraySizes& sizes = {});

/// One to four of both that follow each other; the last slice of a reduction may be missing.
std::vector<ArrayCommand> draw_array_sequence(const spec::Datapath& datapath, Random& random, const ArraySizes& sizes = {});

}  // namespace vernier::cosim
