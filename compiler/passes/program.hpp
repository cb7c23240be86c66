// SPDX-License-Identifier: Apache-2.0
// A lowered network: the steps that the machine will take, whole, before they are cut into stripes and placed in memory.
// passes/ makes it from a graph; schedule/ cuts, orders, places and links it.
#pragma once

#include "compiler/cost/alternatives.hpp"
#include "compiler/ir/graph.hpp"
#include "hw/base/indexed_vector.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/package/package.hpp"
#include "hw/spec/command.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::passes {

using BufferId = int32_t;

enum class BufferKind : uint8_t { FeatureMap, Weights, Parameters, Table, Constant };

/// A block of memory that is not placed yet. All kinds but FeatureMap have contents, known at compile time.
struct Buffer {
  std::string name;
  BufferKind kind = BufferKind::FeatureMap;
  bool is_filled_at_start = false;  // holds a graph input
  bool is_read_at_end = false;      // holds a graph output
  int64_t size_bytes = 0;
  std::vector<std::byte> contents;        // size_bytes of them, or none
  std::optional<int64_t> outside_byte{};  // of an input or output in external memory: its place, where it has one already
  [[nodiscard]] bool is_constant() const { return kind != BufferKind::FeatureMap; }
};

/// Where a tensor of the graph lives. placement.base.offset counts from the start of the buffer.
struct TensorPlace {
  BufferId buffer = -1;
  package::Placement placement;
};

/// The address fields of a command; Stream0 + i is stream i of a vector command.
enum class AddressField : uint8_t { Input, Weights, Parameters, Addend, Output, Source, Destination, Indices, Stream0 };
struct Operand {
  AddressField field = AddressField::Input;
  int32_t stream_idx = 0;  // with Stream0
  BufferId buffer = -1;    // the field holds an offset in that buffer until it is placed
};

/// What a step puts into a tensor of the graph: a box, and which of its dimensions grow with the rows and channels of the
/// step (-1: none), so that a stripe of the step is the matching stripe of the box.
struct Production {
  ir::TensorId tensor = -1;
  base::Shape begin, extent;
  int32_t row_dim = -1;
  int32_t channel_dim = -1;
  base::Shape step{};  // from element to element of the box, of each dimension but the last; empty: 1
  [[nodiscard]] int64_t step_of(size_t dim) const { return step.empty() ? 1 : step[dim]; }
};

/// One command that is whole. The schedule may cut it along any axis of its engine (compiler/schedule/axes.hpp): every kept
/// position is independent of the others. Where nothing is copied, it cuts along rows only (MacCommand: out_rows;
/// VectorCommand: counts[0], if kept; DmaCommand: counts[0]), and by the dimensions that the productions name.
struct Step {
  spec::Command command;  // header.queue set for DMA (Dma0 loads, Dma1 everything else); no tokens
  std::vector<Operand> operands;
  std::vector<BufferId>
      tables;  // tables that the command uses, at most kNumTableSlots; its slot fields hold an index into this
  std::vector<ir::OpId> ops;  // operators of the source graph that it works for, first one first; none: a graph without
                              // operators, whose outputs are constants
  std::vector<Production> productions;
  bool can_split_rows = true;
  std::vector<cost::Alternatives> choices{};  // made on the way here; printed only
  bool is_tuned = false;                      // MacCommand: row tile and slide are chosen
};

struct Program {
  base::IndexedVector<BufferId, Buffer> buffers;
  std::vector<Step> steps;  // in an order in which they can run one after the other
  base::IndexedVector<ir::TensorId, std::optional<TensorPlace>> places;  // of inputs, outputs and what is materialised
  std::vector<package::FoldedTensor> folded;  // computed tensors of the graph that no step produces
  bool takes_more_room = false;    // than it has to: with buffers or commands that only save cycles, rows in streams too
  int64_t outside_image_byte = 0;  // where its image begins, in external memory
  std::optional<int64_t> outside_maps_byte = {};  // where its maps there begin; none: behind the image
};

/// The printed form, one buffer or step a line.
std::string print(const Program& program, const ir::Graph& graph);
/// Checks what the comments above promise (InternalError): operands name buffers, boxes lie in tensors, every output and
/// every tensor with a place is produced completely, commands are well-formed.
void verify(const Program& program, const ir::Graph& graph, const config::MachineConfig& config);

/// How inner feature maps of whole blocks of N channels lie, where their readers take them so (placements.hpp).
enum class InnerLayout : uint8_t {
  SpacedPlanes,  // what the compiler makes
  Planes,        // rows side by side
  Dense,
};

struct MergedGraph;
struct LoweringOptions {
  int64_t optimize = 1;  // 0: an operator at a time, every computed tensor materialised; 1: fusion
  InnerLayout inner_layout = InnerLayout::SpacedPlanes;  // others to be compared with
  bool may_take_more_room = true;  // than it has to: copies of inputs, maps between passes of a pool, a stream a tap or row
  const MergedGraph* merged = nullptr;  // of the graph, lowered in its place (merged_graph.hpp)
};

/// The graph as it was verified, to a program. UserError (naming `file` and the operator) for an operator that the machine
/// does not run yet.
Program lower(const ir::Graph& graph, const config::MachineConfig& config, const LoweringOptions& options,
              const std::string& file);

}  // namespace vernier::passes
