// SPDX-License-Identifier: Apache-2.0
// Commands for npu_mac_array with the memory that they read, drawn at random, and what has no RTL.
#pragma once

#include "hw/sequence/conv_stream.hpp"
#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"
#include "sim/cosim/stimulus/array_operands.hpp"
#include "sim/cosim/stimulus/random.hpp"
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

/// Activations by weights.
struct ArrayOperandTypes {
  base::ElementType activations, weights;
  std::string_view name;
};
inline constexpr std::array<ArrayOperandTypes, 4> kArrayOperandTypes{
    {{base::ElementType::Int8, base::ElementType::Int8, "int8 x int8"},
     {base::ElementType::Int16, base::ElementType::Int8, "int16 x int8"},
     {base::ElementType::Int16, base::ElementType::Int16, "int16 x int16"},
     {base::ElementType::Int8, base::ElementType::Int4, "int8 x int4"}}};

/// Where a byte stands among those of a step's elements.
inline int64_t byte_of_step(const sequence::ActivationByte& byte, int64_t activation_bytes) {
  return byte.element * activation_bytes + byte.byte;
}

/// Both slots filled with int8 tables.
kernels::TableMemory draw_array_tables(Random& random);

/// How long drawn commands are.
struct ArraySizes {
  int64_t most_rows = 600;  // rows x steps x channel tiles
  bool has_long = true;     // now and then a longer one
};

/// A legal command that is all of its reduction.
Work draw_array_command(const spec::Datapath& datapath, Random& random, const ArraySizes& sizes = {});

/// Such a command's reduction in slices; in one where more would not be legal.
std::vector<DrawnWork> draw_array_slices(const spec::Datapath& datapath, Random& random, const ArraySizes& sizes = {});

/// `like` with memory, scales and limits of its own: a legal command that lies in the same bins (array_bins.hpp).
DrawnWork draw_like(const spec::MacCommand& like, OperandClass activations, OperandClass weights,
                    const spec::Datapath& datapath, Random& random);

/// A command whose dot products have a few full steps, in a mapping: 0 a convolution, 1 depthwise, 2 fully connected; with
/// the types of kArrayOperandTypes[types].
DrawnWork draw_operands_of(size_t mapping, size_t types, OperandClass activations, OperandClass weights,
                           const spec::Datapath& datapath, Random& random);

/// A residual command with row tiles of one or two rows. Rows of one tile leave while those two tiles later come: a port
/// that stays away for a cycle meets all the turns of the epilogue.
DrawnWork draw_residual_tiles(const spec::Datapath& datapath, Random& random);

/// One to four of both that follow each other; the last slice of a reduction may be missing.
std::vector<DrawnWork> draw_array_sequence(const spec::Datapath& datapath, Random& random, const ArraySizes& sizes = {});

}  // namespace vernier::cosim
