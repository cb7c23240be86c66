// SPDX-License-Identifier: Apache-2.0
// The commands. A stream is a sequence of commands of one or more 16-byte units; each names a queue, the tokens it waits for
// and the tokens it gives. The structs here say what a command means; the widths and the order of the fields in memory are
// in hw/spec/command_fields.hpp, and nothing else knows them.
//
// Addresses of tensors, weights and parameters are byte offsets in SRAM unless a field says otherwise. Operands are sampled
// when a command starts, results are committed when it ends.
#pragma once

#include "hw/base/address.hpp"
#include "hw/base/element_type.hpp"
#include "hw/spec/machine.hpp"
#include "hw/spec/rounding.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

namespace vernier::spec {

/// The in-order queues [decision 0018]. Two DMA channels, so that a copy that waits for a result does not hold up a load.
enum class Queue : uint8_t { Dma0 = 0, Dma1 = 1, MacArray = 2, VectorUnit = 3 };
inline constexpr int kNumQueues = 4;  // [decision 0002]
inline constexpr std::array<std::string_view, kNumQueues> kQueueNames{"dma0", "dma1", "mac", "vec"};

/// [decision 0018]
enum class Opcode : uint8_t { End = 0x01, Dma = 0x10, Mac = 0x20, Vector = 0x30 };

/// What every command starts with. There is one semaphore for each ordered pair of queues (giver, taker), a queue with
/// itself included: read-after-write inside a queue needs a token too. Bit q of `wait`: take one token that queue q gave to
/// this command's queue before starting. Bit q of `signal`: at the end, give one to queue q. The command processor puts the
/// command into its queue when fewer than kQueueLimits[queue_limit] commands wait there, 0 meaning as many as it holds. With
/// less room fewer commands are fetched while the first loads use the same memory [decision 0033].
struct Header {
  Queue queue = Queue::Dma0;
  uint8_t wait = 0;
  uint8_t signal = 0;
  uint8_t queue_limit = 0;
  bool operator==(const Header&) const = default;
};
inline constexpr int kQueueLimitBits = 2;                                              // [decision 0033]
inline constexpr std::array<int64_t, 1 << kQueueLimitBits> kQueueLimits{0, 4, 8, 16};  // [decision 0033]

/// How many commands of a queue of `depth` may wait when a command of this limit is among them.
constexpr int64_t most_waiting(const Header& header, int64_t depth) {
  const int64_t limit = kQueueLimits[header.queue_limit];
  return limit == 0 || depth < limit ? depth : limit;
}

/// Stops fetching; the job is done when every queue is empty.
struct EndCommand {
  bool operator==(const EndCommand&) const = default;
};

// ---------------------------------------------------------------------------------------------------------------- DMA

/// [decision 0018]
enum class DmaKind : uint8_t {
  Copy = 0,       // counts[] runs of run_bytes from src to dst
  Fill = 1,       // the same boxes written with fill_value, fill_bytes at a time
  TableFill = 2,  // run_bytes from src (SRAM) into table slot `table_slot`, in format `table_type`
  Gather = 3,     // a Copy whose source rows an index list names, see DmaCommand
  Scatter = 4,    // a Copy whose destination rows an index list names
  Transpose = 5,  // a Copy of single elements through the N x N byte corner-turner, see DmaCommand
};
inline constexpr int kNumDmaLoops = 5;  // [decision 0018]

/// One side of a copy: byte (i0, .., i4, b) lies at base + sum(i_k * strides[k]) + b.
struct DmaSide {
  base::Address base;
  std::array<int64_t, kNumDmaLoops> strides_bytes{};
  bool operator==(const DmaSide&) const = default;
};

/// Gather and Scatter replace the position along loop 4, in the source (Gather) or in the destination (Scatter), by an
/// index: run (i0, .., i4) takes `indices[i3 * counts[4] + i4]`, a signed 32-bit number of the list at index_base in SRAM,
/// times strides[4] of that side. Loops 0 to 2 go over the same list. An index outside of 0 .. index_limit - 1 touches no
/// memory on its side: Gather writes a run of zeros for it, Scatter writes nothing. Runs are written in the order of the
/// loops, so of several runs to one place the last one stays. Whatever the indices, a command costs the same, and its range
/// on the indexed side is all index_limit positions.
///
/// Transpose works within SRAM. Every byte goes where Copy would put it; the loops are those of a matrix of counts[3] rows
/// by counts[4] columns of elements of run_bytes (1, 2, 4 or 8) bytes, counts[0..2] of them. The columns of the source
/// follow each other, and so do the rows of the destination: src.strides[4] = dst.strides[3] = run_bytes; the other strides
/// are free. Sequence (fixed): loops 0..2, then tiles of T x T elements, T = N / run_bytes, rows outside. A tile comes in by
/// rows, then goes out by columns, a row or a column a cycle. Where they are whole and contiguous in memory (src.strides[3]
/// = counts[4] x run_bytes at most N; dst.strides[4] = counts[3] x run_bytes at most N), those of a tile move together,
/// dma_bytes a cycle.
struct DmaCommand {
  DmaKind kind = DmaKind::Copy;
  DmaSide src, dst;
  std::array<int64_t, kNumDmaLoops> counts{1, 1, 1, 1, 1};  // outermost first; 1 where unused
  int64_t run_bytes = 1;                                    // contiguous on both sides
  int64_t fill_value = 0;                                   // little-endian, low fill_bytes bytes
  int64_t fill_bytes = 1;                                   // 1, 2, 4 or 8; run_bytes is a multiple
  int64_t table_slot = 0;
  base::ElementType table_type = base::ElementType::Int8;  // Int8: 256 x 8; Int16: 513 x 16; Int32: 256 x 32
  int64_t index_base = 0, index_limit = 0;                 // Gather, Scatter; 0 otherwise
  bool operator==(const DmaCommand&) const = default;
};

// ---------------------------------------------------------------------------------------------------------- MAC array

/// [decision 0018]
enum class MacMode : uint8_t { Conv = 0, Depthwise = 1 };

/// How weights lie in SRAM. r is the reduction index, see MacCommand. A pitch is at least the bytes of what it steps over.
/// [decision 0018]
enum class WeightOrder : uint8_t {
  Tiles = 0,      // packed in the order of use, see MacCommand; every constant weight is packed so
  LaneMajor = 1,  // weight (oc, r) at base + oc * weight_pitch + r * element (MATMUL, second operand stored by columns)
  TapMajor = 2,   // weight (oc, r) at base + r * weight_pitch + oc * element (MATMUL, second operand as TOSA has it)
};

/// A feature map in SRAM: element (y, x, c) at base + y * row_pitch + x * pixel_pitch + (c / N) * block_pitch + (c % N) *
/// element. Dense NHWC has block_pitch = N * element; planes of N channels have pixel_pitch = N * element. Commands read and
/// write the channels that they name and no other byte: planes are for maps with a multiple of N channels, so that no lane
/// of a plane is left without a value.
struct FeatureMap {
  int64_t base = 0;
  int64_t row_pitch_bytes = 0;
  int64_t pixel_pitch_bytes = 0;
  int64_t block_pitch_bytes = 0;
  base::ElementType type = base::ElementType::Int8;
  bool operator==(const FeatureMap&) const = default;
};

/// A scale of TOSA RESCALE without its ends: value * multiplier >> shift, rounded [TOSA 1.0 RESCALE].
struct Scale {
  int64_t multiplier = 1;
  int64_t shift = 2;
  bool operator==(const Scale&) const = default;
};

/// One stripe of output rows by one block of output channels and one slice of the reduction.
///
/// Conv: for y < out_rows, x < out_columns, oc < out_channels
///   acc(y, x, oc) = sum over r in [reduction_begin, reduction_end), r = (kh * kernel_columns + kw) * in_channels + c, of
///     (X(origin_row + y * stride_rows + kh * dilation_rows, origin_column + x * stride_columns + kw * dilation_columns, c)
///     -
///      input_zero_point) * (W(oc, r) - weight_zero_point)
///   where positions outside in_rows x in_columns contribute nothing. Depthwise: r = kh * kernel_columns + kw and the input
///   channel of oc is oc.
///
/// Sequence (fixed; RTL and timing follow it). T = N >> lane_split_log2 output channels make a channel tile; P = 1 <<
/// lane_split_log2 neighbouring pixels of a row make an accumulator row; accumulator rows are numbered along x (rows of
/// pixels padded to whole accumulator rows) then y (along y first when slide_rows is set, depthwise only; depthwise lines
/// go to and fro: those of odd numbers run from their far end), and row_tile_rows of them make a row tile: at most a bank's
/// kAccumulatorRows; fewer leave a shorter drain at the end.
///   for channel tile: for row tile: for step of N reduction elements: for byte of the weights: load weight tile, for row:
///   for byte of the activations: accumulate
/// A weight tile that is in place is not loaded again: row tiles of one step of weights of a byte share it.
/// Bytes come low one first; int8 operands have one. A cycle multiplies one byte of each activation by one of each weight,
/// so that int16 x int8 takes two passes over a row, one after the other, on one weight tile and on activations read once
/// (the assembler holds N elements of 16 bits), and int16 x int16 takes four, two on each of two weight tiles: a weight tile
/// holds a byte of each weight, its load reads the words of both, and the activations are read again for the second one
/// (int8 x int16 does not exist). Depthwise, weights of a byte: the step is a window of up to N taps of 8 or 16 bits. It
/// keeps what the next row needs again, over the end of a line too, and over row tiles as long as the weight tile stays;
/// free taps take words ahead, of the next row (docs/architecture/depthwise.md). Row tiles alternate between the two
/// accumulator banks. An accumulator row is read, added to and written back within the MAC pipeline; when the next cycle
/// adds to the same row (a pass, the steps of a row tile of one row), the sum is forwarded: no cycle is lost. Weights in
/// Tiles order: Conv [channel tile][step][lane of the tile][N reduction elements, the last step zero-filled]; Depthwise
/// [channel tile][tap][lane of the tile]. A last channel tile of fewer lanes stores only those. int4 weights lie two a byte,
/// the first one in the low half; a tap of an odd number of lanes has half a byte more, so that every tap begins with a
/// byte. MATMUL is a 1 x 1 Conv of one row for each batch: columns of pixels are the first operand's rows, the second
/// operand is the weights where it lies (TapMajor, LaneMajor), also the slice of one head: a row pitch, a base and a number
/// of channels.
///
/// first: accumulators start from 0; otherwise they continue what the previous command left (at most row_tile_rows
/// accumulator rows, one channel tile, equal shape). last: bias, epilogue and output; otherwise nothing is written.
/// Epilogue: + bias; wrap to 32 bit, or to 48 with accumulator_is_48, which is for scale32 = false only; then, if rescale:
/// TOSA RESCALE by the channel's multiplier and shift, + output_zero_point, saturation to the output type; clamp; table;
/// residual; store. Without rescale the output is int32, or int48 (8 bytes an element) with accumulator_is_48. Parameters,
/// always read: kChannelParameterBytes a channel at parameter_base: scale32: {int32 bias, int32 multiplier, uint8 shift, 0},
/// else {int48 bias, int16 multiplier, uint8 shift, 0}.
struct MacCommand {
  MacMode mode = MacMode::Conv;
  FeatureMap input;
  int64_t in_rows = 1, in_columns = 1, in_channels = 1;  // extent of the whole map, for padding
  int64_t input_zero_point = 0;
  bool input_is_unsigned = false;

  int64_t kernel_rows = 1, kernel_columns = 1;
  int64_t stride_rows = 1, stride_columns = 1;
  int64_t dilation_rows = 1, dilation_columns = 1;
  int64_t origin_row = 0, origin_column = 0;  // input position of tap (0, 0) for output (0, 0); negative in padding

  int64_t weight_base = 0;
  WeightOrder weight_order = WeightOrder::Tiles;
  int64_t weight_pitch_bytes = 0;                           // LaneMajor, TapMajor
  base::ElementType weight_type = base::ElementType::Int8;  // Int4 (Tiles, int8 input), Int8, Int16 (Conv, int16 input)
  int64_t weight_zero_point = 0;

  int64_t out_rows = 1, out_columns = 1, out_channels = 1;
  int64_t reduction_begin = 0, reduction_end = 1;  // begin is a multiple of N
  bool first = true, last = true;
  int64_t lane_split_log2 = 0;
  bool slide_rows = false;
  int64_t row_tile_rows = kAccumulatorRows;

  bool accumulator_is_48 = false;
  int64_t parameter_base = 0;
  bool rescale = false;
  bool scale32 = true;
  Rounding rounding = Rounding::Single;
  int64_t output_zero_point = 0;
  bool output_is_unsigned = false;
  int64_t clamp_min = 0, clamp_max = 0;  // in the output type, after rescale; used when rescale is set
  bool table = false;
  int64_t table_slot = 0;

  /// Residual: v = the value so far, q = element (y, x, oc) of `addend`; the result is
  /// clamp(scale(scale(v - residual_zero_point, own) + scale(q - addend_zero_point, other), sum) + sum_zero_point).
  bool residual = false;
  FeatureMap addend;
  int64_t residual_zero_point = 0, addend_zero_point = 0, sum_zero_point = 0;
  Scale own_scale, addend_scale, sum_scale;
  int64_t sum_clamp_min = 0, sum_clamp_max = 0;

  FeatureMap output;
  bool operator==(const MacCommand&) const = default;
};

// -------------------------------------------------------------------------------------------------------- vector unit

/// [decision 0018]
enum class VectorOp : uint8_t {
  Load = 0,  // dst = (stream element, sign- or zero-extended, - imm0) << shift
  Store,     // stream element = low bits of a
  Move,      // dst = a or imm0
  Add,
  Sub,  // 32-bit wrap; b or imm0
  Minimum,
  Maximum,
  Clamp,  // min(max(a, imm0), imm1)
  Abs,
  Negate,
  And,
  Or,
  Xor,
  Not,
  ShiftLeft,
  ShiftRightLogical,  // of the width of `type`; amount b or imm0
  ShiftRight,         // arithmetic; `round` adds the last bit shifted out
  Clz,
  Equal,
  Greater,
  GreaterEqual,  // 0 or 1
  Select,        // c != 0 ? a : b
  Wrap,          // low bits of a as `type`, sign-extended (bool: a != 0)
  Mul,           // TOSA MUL: low 32 bits, or with shift > 0 rounded product >> shift; b or imm0
  Rescale,  // a * (b or imm0) >> (shift or c), rounded; + imm1 as output zero point; saturated to `type`, signed or unsigned
  Table,    // through table slot `slot`, format `type` (Int8, Int16, Int32)
  IntDiv,
  ReduceAdd,
  ReduceMax,
  ReduceMin,  // across the active lanes; every lane of dst gets the result
  LoadAdd,    // dst += what Load gives, 32-bit wrap; not of int48
  LoadMaximum,
  LoadMinimum,  // dst = the greater, the lesser of dst and what Load gives; not of int48
};
inline constexpr int kNumVectorOps = static_cast<int>(VectorOp::LoadMinimum) + 1;  // [decision 0018]

/// Whether a step takes in what it loads: it takes the load slot and the ALU slot.
constexpr bool is_accumulating_load(VectorOp op) {
  return op == VectorOp::LoadAdd || op == VectorOp::LoadMaximum || op == VectorOp::LoadMinimum;
}
constexpr bool is_load(VectorOp op) { return op == VectorOp::Load || is_accumulating_load(op); }
constexpr bool has_stream(VectorOp op) { return is_load(op) || op == VectorOp::Store; }

/// The issue slots: a cycle starts at most one step of each.
enum class VectorSlot : uint8_t { Load, Alu, Mul, Table, Store };
constexpr VectorSlot slot_of(VectorOp op) {
  switch (op) {
    case VectorOp::Load:
    case VectorOp::LoadAdd:
    case VectorOp::LoadMaximum:
    case VectorOp::LoadMinimum: return VectorSlot::Load;
    case VectorOp::Store: return VectorSlot::Store;
    case VectorOp::Mul:
    case VectorOp::Rescale: return VectorSlot::Mul;
    case VectorOp::Table: return VectorSlot::Table;
    default: return VectorSlot::Alu;
  }
}

/// When a step runs. Loops 0 .. kept_loops-1 are kept, the others reduced. For each kept position: the Init steps, the Body
/// steps for each reduced position, the Final steps. A program without reduction has Body steps only.
/// [decision 0018]
enum class VectorPhase : uint8_t { Init = 0, Body = 1, Final = 2 };

struct VectorStep {
  VectorOp op = VectorOp::Move;
  VectorPhase phase = VectorPhase::Body;
  int64_t dst = 0, a = 0, b = 0, c = 0;  // registers
  bool b_is_immediate = false;           // imm0 stands for b
  bool c_is_shift = false;               // Rescale: register c holds the shift, instead of `shift`
  int64_t stream = 0;
  int64_t slot = 0;
  base::ElementType type = base::ElementType::Int32;
  bool is_unsigned = false;
  bool round = false;
  bool scale32 = true;  // Rescale; false: of a multiplier the low 16 bits, sign-extended
  Rounding rounding = Rounding::Single;
  int64_t shift = 0;
  int64_t imm0 = 0, imm1 = 0;
  int64_t offset = 0;  // cycle in which it starts, see VectorCommand
  bool operator==(const VectorStep&) const = default;
};

inline constexpr int kNumVectorLoops = 5;    // [decision 0018]
inline constexpr int kMaxVectorStreams = 6;  // [decision 0018]

/// Element (i0, .., i4, lane) at base + sum(i_k * strides[k]) + lane * lane_stride. lane_stride 0 broadcasts one element.
struct VectorStream {
  int64_t base = 0;
  base::ElementType type = base::ElementType::Int8;
  bool is_unsigned = false;
  int64_t lane_stride_bytes = 1;
  std::array<int64_t, kNumVectorLoops> strides_bytes{};
  bool operator==(const VectorStream&) const = default;
};

/// One run of vectors: a microprogram looped over counts[] and over ceil(lanes / N) vectors of the lane dimension, which is
/// the innermost loop of the kept ones, or, with lanes_reduced, of the reduced ones. Lanes past `lanes` are inactive: their
/// registers keep their values, loads and stores skip them. With lanes_reduced, Init and Final load (and broadcast) or store
/// lane 0 only, all lanes active that Body uses, min(N, lanes), so that a lane reduction there takes in all of them, however
/// short the last vector. Registers are 32 bit; a 48-bit value (from an int48 stream) may only be read by Rescale with
/// scale32 = false, Wrap and Store. Loads and stores of int48 streams take their slot twice.
///
/// Pairs. The load path ends in a shifter and a compare/add pair. A Body that has no other steps than accumulating loads
/// takes the positions of its innermost reduced loop (loop 4; the vectors of the lanes with lanes_reduced) two at a time,
/// the last one of an odd count by itself: the pair meets in the load path, its result meets the accumulator in the ALU.
/// Sums wrap and maxima do not round, and a register is accumulated in one way, so that the order is not seen.
///
/// Schedule. The command says when each step starts (hw/spec/vector_schedule.hpp finds it, package::check proves it, the
/// unit only counts). Cycle 0 is that in which the first data of loads are at the unit. Of a kept position with V vectors of
/// Body, a step of Init starts at its offset, one of Body for vector v at offset + v x interval, one of Final at offset +
/// (V - 1) x interval. Values and slots are those of hw/spec/vector_cycles.hpp. The next kept position starts when every
/// step of this one has ended; a program of Body steps only has all its vectors as one position. Nothing is renamed at run
/// time, but the registers below rotating_registers turn: register r of vector v (Init: 0, Final: V - 1) is
/// (r + v) mod rotating_registers in the file. Only Body writes those, and each value is read in its own vector or in Final.
/// Where lanes are reduced, Final reads none of them: a short last vector would leave it lanes of an older one. At most
/// kMaxVectorsInFlight vectors have begun before the last step of the first of them starts.
/// Steps in their order on registers that do not turn compute the same.
struct VectorCommand {
  std::array<int64_t, kNumVectorLoops> counts{1, 1, 1, 1, 1};  // outermost first
  int64_t lanes = 1;
  int64_t kept_loops = kNumVectorLoops;
  bool lanes_reduced = false;
  int64_t interval = 1;  // cycles from a vector of Body to the next one
  int64_t rotating_registers = 0;
  std::vector<VectorStream> streams;  // at most kMaxVectorStreams
  std::vector<VectorStep> steps;      // at most kMaxVectorSteps, in order
  bool operator==(const VectorCommand&) const = default;
};

using CommandBody = std::variant<EndCommand, DmaCommand, MacCommand, VectorCommand>;

struct Command {
  Header header;
  CommandBody body;
  bool operator==(const Command&) const = default;
};

constexpr uint8_t queue_bit(Queue queue) { return static_cast<uint8_t>(1U << static_cast<unsigned>(queue)); }

}  // namespace vernier::spec
