// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/block/clocked_block.hpp"

#include "hw/base/error.hpp"
#include "sim/cosim/block/evaluation_watch.hpp"

#include <algorithm>

namespace vernier::cosim {

void Port::set_bits(int64_t first, int width, uint64_t value) {
  int64_t bit = first;
  for (int left = width; left > 0;) {
    const auto offset = static_cast<int>(bit % 8);
    const int count = std::min(8 - offset, left);
    const auto mask = static_cast<unsigned>(mask_of(count)) << offset;
    auto byte = std::to_integer<unsigned>(data_[bit / 8]);
    byte = (byte & ~mask) | ((static_cast<unsigned>(value) << offset) & mask);
    data_[bit / 8] = static_cast<std::byte>(byte);
    value >>= count;
    bit += count;
    left -= count;
  }
}

uint64_t Port::bits_at(int64_t first, int width) const {
  uint64_t value = 0;
  for (int done = 0; done < width;) {
    const int64_t bit = first + done;
    const auto offset = static_cast<int>(bit % 8);
    const int count = std::min(8 - offset, width - done);
    const uint64_t bits = std::to_integer<uint64_t>(data_[bit / 8]) >> offset;
    value |= (bits & mask_of(count)) << done;
    done += count;
  }
  return value;
}

void Port::scramble(Random& random) {
  const int64_t words = bits_ / 64;
  for (int64_t word = 0; word < words; ++word) {
    const uint64_t bits = random.bits();
    std::memcpy(data_ + 8 * word, &bits, sizeof bits);
  }
  for (int64_t bit = 64 * words; bit < bits_; bit += 8) {
    const int width = static_cast<int>(std::min<int64_t>(8, bits_ - bit));
    data_[bit / 8] = static_cast<std::byte>(random.bits() & mask_of(width));
  }
}

ClockedBlock::ClockedBlock(std::unique_ptr<RtlBlock> block, const spec::RtlBlock& description, int lanes)
    : block_(std::move(block)), description_(description), lanes_(lanes) {
  VERNIER_CHECK(block_ != nullptr, "there is no RTL of {}", description.name);
  for (const spec::RtlPort& expected : description.ports) {
    VERNIER_CHECK(port(expected.name).bits() > 0, "{} has no port {}", description.name, expected.name);
  }
  clock_ = port("clk_i");
}

Port ClockedBlock::port(std::string_view name) const {
  const auto expected = std::find_if(description_.ports.begin(), description_.ports.end(),
                                     [&](const spec::RtlPort& candidate) { return candidate.name == name; });
  VERNIER_CHECK(expected != description_.ports.end(), "{} is no port of {}", name, description_.name);
  const int bits = expected->bits(lanes_);
  for (const Pin& pin : block_->pins()) {
    if (pin.name != name) continue;
    VERNIER_CHECK(pin.bytes * 8 >= static_cast<size_t>(bits), "{} of {} has {} bytes for {} bits", name, description_.name,
                  pin.bytes, bits);
    return {static_cast<std::byte*>(pin.data), bits};
  }
  return {};
}

void ClockedBlock::reset(bool has_edges) {
  finish_edge();
  for (const spec::RtlPort& input : description_.ports) {
    if (!input.is_output) std::ranges::fill(port(input.name).bytes(), std::byte{0});
  }
  eval();
  for (int i = 0; has_edges && i < kResetEdges; ++i) edge();
  settle();
  port("rst_ni").set(1);
  for (const spec::RtlPort& input : description_.ports) {
    if (input.name == "en_i") port(input.name).set(1);
  }
  settle();
}

/// $stop, $finish and failing assertions come out of a block as exceptions.
template <typename Work>
void ClockedBlock::evaluate(const Work& work) {
  const WatchedEvaluation watched(description_.name, cycle_);
  try {
    work();
  } catch (const std::runtime_error& error) {
    throw Hang(fmt::format("{}, cycle {}: {}", description_.name, cycle_, error.what()), cycle_, true);
  }
}

void ClockedBlock::eval() {
  evaluate([this] { block_->eval(); });
}

void ClockedBlock::step() {
  evaluate([this] { block_->step(); });
}

void ClockedBlock::settle() {
  if (has_edge_left_) {
    has_edge_left_ = false;
    step();
    clock_.set(0);
    has_seen_low_ = false;
    return;
  }
  eval();
  has_seen_low_ = true;
}

void ClockedBlock::edge_with_settle() {
  if (!block_->holds_inputs() || (is_drawn_ && block_->has_wave())) return edge();
  finish_edge();
  ++cycle_;
  has_edge_left_ = true;
}

/// All signals have settled, and no evaluation sees that clk_i is high here. Verilator draws what an evaluation came before.
void ClockedBlock::draw_cycle() {
  const auto time_ps = static_cast<uint64_t>(cycle_ * kWaveCyclePs);
  clock_.set(1);
  block_->dump_wave(time_ps);
  clock_.set(0);
  eval();
  block_->dump_wave(time_ps + kWaveCyclePs / 2);
}

void ClockedBlock::edge() {
  finish_edge();
  // A block that holds its inputs has to see them before, others as well when clk_i has been high.
  if (!has_seen_low_ || block_->holds_inputs()) settle();
  if (is_drawn_ && block_->has_wave()) draw_cycle();
  clock_.set(1);
  block_->set_time(static_cast<uint64_t>((cycle_ + 1) * kWaveCyclePs));
  eval();
  ++cycle_;
  clock_.set(0);  // which the block sees when it settles the next time: nothing follows a falling edge
  has_seen_low_ = false;
}

}  // namespace vernier::cosim
