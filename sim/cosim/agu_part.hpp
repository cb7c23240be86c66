// SPDX-License-Identifier: Apache-2.0
// A part of npu_agu by itself: commands in, beats out. Each stream's beat stands at the ports until it is taken.
#pragma once

#include "hw/spec/agu_ports.hpp"
#include "sim/cosim/clocked_block.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

/// All fields of a command on a port of an address generator.
void put_agu_command(Port port, const spec::MacCommand& command);
void put_agu_command(Port port, const spec::VectorCommand& command);

class AguPart {
 public:
  /// `module` is a part of spec::kAguBlocks. It is reset.
  AguPart(std::string_view module, int lanes);
  [[nodiscard]] Port port(std::string_view name) const { return block_.port(name); }
  /// The port, or one without bits where the part has none of that name.
  [[nodiscard]] Port find_port(std::string_view name) const;
  /// Gives a command; Hang when it is not taken within `kHangCycles`.
  template <typename AnyCommand>
  void give(const AnyCommand& command) {
    put_agu_command(cmd_, command);
    give_command();
  }
  /// Whether a beat of the stream ("act", "wgt") stands at its ports.
  [[nodiscard]] bool has_beat(std::string_view stream) const { return port(std::string(stream) + "_valid_o").get() != 0; }
  /// It is taken at the next edge, or is not.
  void set_ready(std::string_view stream, bool is_ready) {
    port(std::string(stream) + "_ready_i").set(is_ready ? 1 : 0);
  }
  /// A cycle: outputs follow the inputs, then an edge, then they follow what it did.
  void cycle();
  /// As it was at first, without a command.
  void reset();
  [[nodiscard]] int64_t cycles() const { return cycles_; }
  [[nodiscard]] std::string_view module() const { return block_.description().name; }
  [[nodiscard]] int lanes() const { return block_.lanes(); }
  static constexpr int64_t kHangCycles = 20000;

 private:
  void give_command();
  ClockedBlock block_;
  Port cmd_, cmd_valid_, cmd_ready_;
  int64_t cycles_ = 0;
};

}  // namespace vernier::cosim
