// SPDX-License-Identifier: Apache-2.0
// A compiled network (.vnpu): everything that a simulator needs to run it and a checker to judge it. Compiler and simulator
// meet here and nowhere else.
#pragma once

#include "hw/base/address.hpp"
#include "hw/base/indexed_vector.hpp"
#include "hw/base/tensor.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/package/boundary.hpp"
#include "hw/package/control_flow.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace vernier::package {

/// Changes with anything below or in hw/spec's formats; other versions are refused with "recompile".
inline constexpr uint32_t kPackageVersion = 12;

/// Bytes that are in memory at cycle 0: weights, parameters, tables, constants.
struct Segment {
  base::Address address;
  std::vector<std::byte> bytes;
  bool operator==(const Segment&) const = default;
};

/// Where the elements of a tensor lie: element (i0, .., ik) at base + sum over all but the last of i_j * strides[j] + for
/// the last, c: (c / channel_block) * block_pitch + (c % channel_block) * element. Rank 0 is one element at base.
struct Placement {
  base::Address base;
  std::vector<int64_t> strides_bytes;  // rank - 1 of them (none for ranks 0 and 1)
  int64_t channel_block = 1;
  int64_t block_pitch_bytes = 1;
  bool operator==(const Placement&) const = default;
};

struct TensorEntry {
  std::string name;  // the TOSA tensor's
  base::ElementType type = base::ElementType::Int8;
  base::Shape shape;
  Placement placement;
  bool operator==(const TensorEntry&) const = default;
};

/// What a command puts into a tensor: a box of extent elements from `begin`, every `step`-th of each dimension (empty: all;
/// the last dimension has 1), found in memory when the command retires. `placement` is that of the whole tensor at that
/// time.
struct Piece {
  int32_t command_idx = 0;
  int32_t tensor_idx = 0;
  base::Shape begin, extent, step;
  Placement placement;
  bool operator==(const Piece&) const = default;
};

/// The operator that a layer is known by: the one with the most MACs; without MACs the first that does more than move,
/// convert or clamp elements.
struct MainOperator {
  std::string name;                     // TOSA's; empty: the layer has no operator
  std::vector<int64_t> kernel, stride;  // of a convolution or pool: rows, columns (CONV3D: planes before them); else empty
  int64_t output_channels = 0;          // of a convolution, pool or MATMUL (its columns); else 0
  bool operator==(const MainOperator&) const = default;
};

struct LayerEntry {
  std::string name;                    // location NAME, or the tensor name where an operator has none
  std::vector<std::string> operators;  // TOSA operator names, in graph order, of fused ones too
  int64_t macs = 0;
  MainOperator main_operator{};
  bool operator==(const LayerEntry&) const = default;
};

/// A tensor of the graph that no command materialises.
struct FoldedTensor {
  std::string name;
  std::string reason;  // "fused into CONV2D layer_67", "constant", "alias of layer_99 (RESHAPE)"
  bool operator==(const FoldedTensor&) const = default;
};

/// What lies in SRAM when its highest place is in use: at the command then at which most bytes are. What is missing to
/// Package::sram_peak_bytes are gaps.
struct SramPeak {
  int64_t map_bytes = 0;      // feature maps, and parts of them
  int64_t weight_bytes = 0;   // weights, channel parameters, tables, constants
  int64_t command_bytes = 0;  // the command stream
  bool operator==(const SramPeak&) const = default;
};

/// What the schedule keeps in a part of the SRAM for a time: a feature map or a piece of one, staged weights, or (memory
/// mode sram) the image with the commands.
struct SramBlock {
  std::string name;
  bool is_constant = false;              // weights, parameters, tables, commands; else a feature map or a piece of one
  int64_t begin_byte = 0, end_byte = 0;  // end exclusive
  /// The commands while the place is its own, both inclusive; the last one is its last user, or one that may still run
  /// beside that. -1: before cycle 0; that of END: read after the end.
  int64_t first_command = 0, last_command = 0;
  bool operator==(const SramBlock&) const = default;
};

/// What keeps its value from one job to the next. A job reads it in one place and writes it in another; before the next job
/// who starts the jobs puts the value that this one left where the next one reads it. That takes no cycles, as with inputs.
struct Variable {
  std::string name;
  bool is_initialised = false;  // the network says the first value; else it is zeros
  base::Tensor value;           // before the next job: as compiled the first one. Its type and shape are the variable's
  int32_t before_idx = -1;      // into tensors: where a job reads it; -1: no job does
  int32_t after_idx = -1;       // into tensors: where a job leaves it; -1: no job writes it
  bool operator==(const Variable&) const = default;
};

struct Package {
  std::string model_name;    // file name that it was compiled from
  std::string model_sha256;  // of that file's bytes
  int64_t optimize = 1;
  config::MachineConfig config;

  base::Address stream_address;  // where the command stream lies at cycle 0
  std::vector<std::byte> stream;
  ControlFlow flow;  // without steps: the stream is one, and all that runs
  std::vector<Segment> image;
  base::IndexedVector<int32_t, TensorEntry> tensors;  // inputs, outputs and everything that is materialised
  std::vector<int32_t> inputs, outputs;               // into tensors, in graph order
  std::vector<Variable> variables;                    // in the order of the network
  base::IndexedVector<int32_t, LayerEntry> layers;
  base::IndexedVector<int32_t, int32_t> command_layers;  // layer of each command of the stream, END included
  std::vector<Piece> pieces;                             // ascending command_idx
  std::vector<FoldedTensor> folded;
  std::vector<SramBlock> sram_blocks;
  int64_t sram_peak_bytes = 0;  // highest address used in SRAM
  SramPeak sram_peak{};
  int64_t planned_sram_bytes = 0;  // size of SRAM that the memory plan was made for; 0: memory mode sram, which has no plan
  int64_t least_sram_bytes = 0;    // least size that the network takes; 0: not looked for
  int64_t external_bytes = 0;      // of external memory that the program occupies: image, inputs, outputs, maps, gaps
  int64_t weight_bytes = 0;        // of the image: packed weights and parameters
  Boundary boundary;               // of inputs and outputs
  std::vector<std::byte> source;   // the network as a TOSA flatbuffer; may be empty
  bool operator==(const Package&) const = default;
};

std::vector<std::byte> to_bytes(const Package& package);
/// UserError (naming `file`) for a wrong magic, another version ("recompile"), a bad checksum, or anything malformed. The
/// result is internally consistent: indices and shapes are in range; the stream, the image, every element of a tensor entry
/// and of the box of a piece lie in their memory; control flow is as in control_flow.hpp, with its table and its bytes in
/// their memory; `config` is valid. The stream itself is not decoded (stream_check.hpp
/// does): it may hold anything, and more commands than command_layers (layer_of tells).
Package from_bytes(const std::string& file, std::span<const std::byte> bytes);
/// Recomputes the checksum of changed bytes: for tests that damage packages.
void mend_checksum(std::vector<std::byte>& bytes);
/// Index into layers of the layer that a command of the stream works for; -1 for a command that the package does not know.
int32_t layer_of(const Package& package, int64_t command_idx);
/// Tensors that the host puts into memory before a job, and those that it reads after it: inputs or outputs, then places of
/// variables.
std::vector<int32_t> tensors_before(const Package& package);
std::vector<int32_t> tensors_after(const Package& package);
/// Calls visit(first byte, bytes) for each part of the stream that the NPU runs as one: all of it without control flow.
template <typename Visit>
void for_each_stream(const Package& package, Visit&& visit) {
  if (package.flow.streams.empty()) return visit(int64_t{0}, static_cast<int64_t>(package.stream.size()));
  for (const StreamPart& part : package.flow.streams) visit(part.begin_byte, part.num_bytes);
}
bool is_package(std::span<const std::byte> bytes);  // by its magic

/// Byte address of an element of a placed tensor.
int64_t offset_of(const Placement& placement, const base::Shape& coordinates, base::ElementType type);

}  // namespace vernier::package
