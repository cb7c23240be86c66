// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/stream/pin_log.hpp"

#include <algorithm>
#include <utility>

namespace vernier::cosim {
namespace {

class LoosePins : public RtlBlock {
 public:
  LoosePins(const spec::RtlBlock& block, int lanes) {
    int64_t bytes = 0;
    for (const spec::RtlPort& port : block.ports) bytes += logged_bytes(port.bits(lanes));
    bytes_.resize(static_cast<size_t>(bytes));
    std::byte* at = bytes_.data();
    for (const spec::RtlPort& port : block.ports) {
      const auto size = static_cast<size_t>(logged_bytes(port.bits(lanes)));
      pins_.push_back({port.name, at, size});
      at += size;
    }
  }
  void eval() override {}
  [[nodiscard]] std::span<const Pin> pins() const override { return pins_; }

 private:
  std::vector<std::byte> bytes_;
  std::vector<Pin> pins_;
};

}  // namespace

std::vector<spec::RtlPort> logged_ports(const spec::RtlBlock& block) {
  std::vector<spec::RtlPort> ports;
  for (const spec::RtlPort& port : block.ports) {
    if (!port.is_output && port.name != "clk_i") ports.push_back(port);
  }
  return ports;
}

int64_t row_bytes_of(const spec::RtlBlock& block, int lanes) {
  int64_t bytes = 0;
  for (const spec::RtlPort& port : logged_ports(block)) bytes += logged_bytes(port.bits(lanes));
  return bytes;
}

PinRow::PinRow(const ClockedBlock& block) {
  for (const spec::RtlPort& port : logged_ports(block.description())) {
    ports_.push_back(block.port(port.name));
    bytes_ += static_cast<int64_t>(ports_.back().bytes().size());
  }
}

void PinRow::put(std::span<const std::byte> row) {
  VERNIER_CHECK(static_cast<int64_t>(row.size()) == bytes_, "a row of {} bytes for pins of {}", row.size(), bytes_);
  size_t at = 0;
  for (const Port& port : ports_) {
    const std::span<std::byte> pins = port.bytes();
    std::ranges::copy(row.subspan(at, pins.size()), pins.begin());
    at += pins.size();
  }
}

void PinRow::append_to(std::vector<std::byte>& rows) const {
  for (const Port& port : ports_) rows.insert(rows.end(), port.bytes().begin(), port.bytes().end());
}

PinLog::PinLog(const ClockedBlock& block) : block_(block), pins_(block) {
  rows_.row_bytes = pins_.bytes();
  clear();
}

void PinLog::clear() {
  if (!is_running_) return;
  rows_.bytes.clear();
  rows_.first_cycle = block_.cycle();
  last_reset_.reset();
}

void PinLog::add_reset() {
  if (!is_running_ || (most_rows_ && rows_.size() + ClockedBlock::kResetEdges > *most_rows_)) return;
  if (rows_.bytes.empty()) rows_.first_cycle = block_.cycle() - ClockedBlock::kResetEdges;
  const int64_t first = rows_.size();
  rows_.bytes.resize(static_cast<size_t>((block_.cycle() - rows_.first_cycle) * rows_.row_bytes));
  const int64_t forgotten = most_rows_ ? 0 : last_reset_.value_or(0);
  rows_.bytes.erase(rows_.bytes.begin(), rows_.bytes.begin() + forgotten * rows_.row_bytes);
  rows_.first_cycle += forgotten;
  last_reset_ = first - forgotten;
}

void PinLog::finish() {
  add();  // nothing after the first mismatch
  is_running_ = false;
}

std::unique_ptr<RtlBlock> make_loose_pins(const spec::RtlBlock& block, int lanes) {
  return std::make_unique<LoosePins>(block, lanes);
}

}  // namespace vernier::cosim
