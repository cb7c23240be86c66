// SPDX-License-Identifier: Apache-2.0
// npu_agu with its clock: commands in, beats out. The beat of each stream stands at its ports until it is taken.
#pragma once

#include "hw/spec/agu_ports.hpp"
#include "sim/cosim/block/clocked_block.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace vernier::cosim {

class Agu {
 public:
  /// InternalError where the program has no RTL of so many lanes. Beats of at most `weight_words` words of weights. Reset,
  /// with all streams ready: what nobody looks at runs through.
  explicit Agu(int lanes, int weight_words = spec::kWeightLoadWords);
  /// The same, of `block` with that many lanes.
  Agu(std::unique_ptr<RtlBlock> block, int lanes, int weight_words);
  /// The port, or one without bits where it has none of that name.
  [[nodiscard]] Port find_port(std::string_view name) const;
  [[nodiscard]] Port port(std::string_view name) const { return block_.port(name); }
  /// Gives a command; Hang when it is not taken within `kHangCycles`.
  void give(const spec::MacCommand& command);
  void give(const spec::VectorCommand& command);
  /// Whether a beat of the stream ("act", "wgt") stands at its ports.
  [[nodiscard]] bool has_beat(std::string_view stream) const { return port(std::string(stream) + "_valid_o").get() != 0; }
  /// A cycle: outputs follow the inputs, then an edge, then they follow what it did.
  void cycle();
  void reset();
  [[nodiscard]] int64_t cycles() const { return cycles_; }
  [[nodiscard]] int lanes() const { return block_.lanes(); }
  [[nodiscard]] ClockedBlock& block() { return block_; }
  static constexpr int64_t kHangCycles = 1'000'000;

 private:
  void give_at(Port valid, Port ready);
  ClockedBlock block_;
  Port mac_, mac_valid_, mac_ready_, vec_, vec_valid_, vec_ready_;
  int weight_words_;
  int64_t cycles_ = 0;
};

}  // namespace vernier::cosim
