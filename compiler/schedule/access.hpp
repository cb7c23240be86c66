// SPDX-License-Identifier: Apache-2.0
// What a step reads or writes through one of its operands, and how a copy of just that lies in SRAM.
//
//   buffer   |AAAA..............BBBB..............CCCC....|     three rows of a map, few columns of each
//   copy     |AAAABBBBCCCC|                                     the strides between them shrink; those inside stay
#pragma once

#include "compiler/passes/program.hpp"
#include "hw/package/range.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace vernier::schedule {

/// The name that hw/package/range.hpp gives the ranges of an operand.
std::string_view range_name(const passes::Operand& operand);

/// The bytes behind an operand, as offsets in its buffer.
struct Access {
  bool is_write = false;
  int64_t begin = 0, end = 0;          // from the first byte (or the field itself, if that is before) to the last
  std::vector<package::Range> ranges;  // none: the command does not use the operand (another slice of a reduction does)
};
Access access_of(const std::vector<package::Range>& ranges, const passes::Step& step, const passes::Operand& operand);

/// A stride in bytes of a buffer, and the stride in bytes that it does not become in a copy. None: `stride` is 0.
struct KeptApart {
  int64_t stride = 0, pitch = 0;
};
/// The blocks of channels of a map that a window reads, which lie in planes of their own. Were a copy to hold one pixel, the
/// blocks would follow each other there, and a command takes channels without a gap for one pixel as long as all of them:
/// its taps would overlap (hw/package/validity_mac.cpp).
KeptApart blocks_kept_apart(const spec::Command& command, const passes::Operand& operand, const spec::Datapath& datapath);

/// From offsets in a buffer to offsets in a copy: strides that leave gaps become smaller ones.
class Compaction {
 public:
  /// Strides of the copy are multiples of `divisor`: of what a command writes with steps, parts of them are strides too.
  Compaction(const Access& access, const spec::Datapath& datapath, int64_t divisor = 1, KeptApart apart = {});
  [[nodiscard]] int64_t size_bytes() const { return size_bytes_; }
  /// Of an offset in the buffer, not before access.begin.
  [[nodiscard]] int64_t offset(int64_t in_buffer) const { return stride(in_buffer - begin_); }
  [[nodiscard]] int64_t stride(int64_t in_buffer) const;

 private:
  struct Level {
    int64_t from, to;  // strides of at least `from` bytes are multiples of it, and become that many times `to`
  };
  [[nodiscard]] int64_t map(int64_t distance, size_t levels) const;
  /// Bytes that the accesses span below a stride, in the copy; -1 when they do not nest in it.
  [[nodiscard]] int64_t span_below(const Access& access, int64_t stride) const;

  int64_t begin_;
  int64_t size_bytes_ = 0;
  std::vector<Level> levels_;  // ascending
};

/// The divisor for an operand of a step: elements of its tensors may lie some steps apart.
int64_t step_divisor(const passes::Step& step);

/// The address field that an operand names.
int64_t field_of(const passes::Step& step, const passes::Operand& operand);
/// The step with that operand in a copy: field and strides are those of the copy.
void move_operand(passes::Step& step, const passes::Operand& operand, const Compaction& compaction);
/// Adds `bytes` to the address field that the operand names.
void relocate(spec::Command& command, const passes::Operand& operand, int64_t bytes);

/// The copies between a buffer (offsets there) and its compacted copy (offsets from its start), a box each: exactly the
/// bytes of the access. `to_copy`: from the buffer, else back.
std::vector<spec::DmaCommand> copies_of(const Access& access, const Compaction& compaction, bool to_copy);

}  // namespace vernier::schedule
