// SPDX-License-Identifier: Apache-2.0
// What the input ports of a block carried at each edge: recorded in a run, so that its end can be driven once more.
#pragma once

#include "sim/cosim/block/clocked_block.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace vernier::cosim {

/// The input ports of a block but its clock, in the order of its description: a row has the bytes of each, one after the
/// other.
std::vector<spec::RtlPort> logged_ports(const spec::RtlBlock& block);
/// Bytes of a port of so many bits in a row.
constexpr int64_t logged_bytes(int64_t bits) { return (bits + 7) / 8; }
int64_t row_bytes_of(const spec::RtlBlock& block, int lanes);

/// Inputs of edges that follow each other.
struct PinRows {
  std::vector<std::byte> bytes;
  int64_t row_bytes = 1;
  int64_t first_cycle = 0;  // of the block: number of the first edge
  [[nodiscard]] int64_t size() const { return static_cast<int64_t>(bytes.size()) / row_bytes; }
  [[nodiscard]] std::span<const std::byte> row(int64_t idx) const {
    return std::span(bytes).subspan(static_cast<size_t>(idx * row_bytes), static_cast<size_t>(row_bytes));
  }
};

/// The input pins of a block as one row.
class PinRow {
 public:
  explicit PinRow(const ClockedBlock& block);
  void put(std::span<const std::byte> row);
  void append_to(std::vector<std::byte>& rows) const;
  [[nodiscard]] int64_t bytes() const { return bytes_; }

 private:
  std::vector<Port> ports_;
  int64_t bytes_ = 0;
};

/// The edges from the last reset but one on, until a mismatch.
class PinLog {
 public:
  explicit PinLog(const ClockedBlock& block);
  /// The edge that comes.
  void add() {
    if (is_running_ && (!most_rows_ || rows_.size() < *most_rows_)) pins_.append_to(rows_.bytes);
  }
  /// After a reset of the block: its edges, at which every input was 0.
  void add_reset();
  /// All of it is forgotten.
  void clear();
  /// There was a mismatch: the inputs that stand on the pins are the last ones.
  void finish();
  /// All that there is after finish().
  [[nodiscard]] const PinRows& rows() const { return rows_; }
  [[nodiscard]] bool is_finished() const { return !is_running_; }
  /// Resets forget nothing from here on; rows after these are not kept.
  void keep_all(int64_t most_rows) { most_rows_ = most_rows; }

 private:
  const ClockedBlock& block_;
  PinRow pins_;
  PinRows rows_;
  std::optional<int64_t> last_reset_;  // its first row
  std::optional<int64_t> most_rows_;   // of all
  bool is_running_ = true;
};

/// Pins that nothing is connected to: a block without RTL, for the layout of its ports.
std::unique_ptr<RtlBlock> make_loose_pins(const spec::RtlBlock& block, int lanes);

}  // namespace vernier::cosim
