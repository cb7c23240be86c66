// SPDX-License-Identifier: Apache-2.0
// What the bits of a block's ports mean, as signals of a wave: the state that stall_o names, the fields of a command.
#pragma once

#include "hw/spec/rtl_ports.hpp"
#include "sim/cosim/block/vcd_text.hpp"
#include "sim/waves/wave.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace vernier::cosim {

/// Some bits of a port.
struct PortSignal {
  waves::Variable variable;  // its scope is empty, or lies in the block's
  int first_bit = 0, bits = 1;
};

/// Empty for a port whose bits mean nothing but itself.
std::vector<PortSignal> signals_of_port(const spec::RtlBlock& block, std::string_view port);

/// `bits` of a port's value, at most 64.
uint64_t bits_of(const BitsValue& value, int first_bit, int bits);

/// The variables of a block's wave in another wave: those of the block's own module, and beside its ports what they mean.
class BlockSignals {
 public:
  /// Declares them in `variables`, in `scope`, which may be empty. `text` has the declarations of Verilator's wave.
  BlockSignals(const spec::RtlBlock& block, const VcdText& text, const std::string& scope,
               std::vector<waves::Variable>& variables);
  /// Calls put(variable, number or digits) for each of them that another value of `code` changes.
  template <typename Put>
  void change(size_t code, const BitsValue& value, const Put& put) {
    if (shown_[code] == value) return;
    shown_[code] = value;
    for (const size_t variable : whole_[code]) put(variable, value);
    for (Part& part : parts_[code]) {
      const uint64_t bits = bits_of(value, part.first_bit, part.bits);
      if (part.shown == bits) continue;
      part.shown = bits;
      put(part.variable, BitsValue(bits));
    }
  }

 private:
  struct Part {
    size_t variable = 0;
    int first_bit = 0, bits = 1;
    std::optional<uint64_t> shown;
  };
  std::vector<std::vector<size_t>> whole_;  // variables, by code
  std::vector<std::vector<Part>> parts_;    // by code
  std::vector<std::optional<BitsValue>> shown_;
};

}  // namespace vernier::cosim
