// SPDX-License-Identifier: Apache-2.0
// Values of whole commands, computed at host speed. Every kernel is tested equal to hw/model, element by element.
// A kernel reads simulated SRAM when its command starts and leaves what it will write in a WriteSet; the unit commits that
// when the command ends. Ranges have been checked (hw/package/range.hpp): kernels do not check bounds again.
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace vernier::kernels {

/// Bytes to be written, in order; runs that touch are merged.
class WriteSet {
 public:
  struct Run {
    base::Address address;
    size_t offset;  // into data
    size_t bytes;
  };
  void add(base::Address address, std::span<const std::byte> bytes);
  /// Room for `bytes` at `address`, to be filled by the caller before the next call.
  std::span<std::byte> extend(base::Address address, size_t bytes);
  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }
  [[nodiscard]] std::span<const std::byte> bytes_of(const Run& run) const {
    return std::span(data_).subspan(run.offset, run.bytes);
  }
  void clear();

 private:
  std::vector<Run> runs_;
  std::vector<std::byte> data_;
};

/// The table memory of all lanes: one copy, since all lanes hold the same.
struct TableSlot {
  std::optional<base::ElementType> type;  // empty until filled
  std::array<std::byte, 1026> bytes{};
  bool operator==(const TableSlot&) const = default;
};
using TableMemory = std::array<TableSlot, spec::kNumTableSlots>;

/// What stays in the accumulators between the slices of a reduction: [out_rows][out_columns][out_channels].
struct Accumulators {
  bool is_valid = false;
  std::vector<int64_t> values;
};

/// A bit of one sum of a command that is wrong before anything is done to it: [out_row][out_column][out_channel], bit 0..47.
struct AccumulatorFlip {
  int64_t index = 0;
  int bit = 0;
};

/// What is done to a command's sums, and who wants them: after the last product and before bias and rescale.
struct SumsProbe {
  std::optional<AccumulatorFlip> flip{};
  std::vector<int64_t>* copy = nullptr;  // [out_row][out_column][out_channel], 48 bits, with those of the slices before
};

/// A rescale or a table step on the lanes that take part: an entry for each of them, in the order of their vectors.
struct LaneStep {
  const spec::VectorStep& step;
  std::span<const int64_t> values;               // register a: 48 bits count for a rescale without scale32, else 32
  std::span<const int32_t> multipliers, shifts;  // of a rescale; empty for a table
  std::span<int32_t> results;                    // what the command goes on with
};
/// Called after each such step of a vector command; what it leaves in `results` counts.
using LaneStepProbe = std::function<void(const LaneStep& step)>;

/// Precondition: package::check() found the command well-formed, tables that it uses are filled.
void run_mac(const spec::MacCommand& command, const spec::Datapath& datapath, std::span<const std::byte> sram,
             const TableMemory& tables, Accumulators& accumulators, WriteSet& writes, const SumsProbe& probe = {});
void run_vector(const spec::VectorCommand& command, const spec::Datapath& datapath, std::span<const std::byte> sram,
                const TableMemory& tables, WriteSet& writes, const LaneStepProbe& probe = {});

}  // namespace vernier::kernels
