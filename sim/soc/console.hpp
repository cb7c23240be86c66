// SPDX-License-Identifier: Apache-2.0
// The console: a register that takes the firmware's text byte by byte.
//
// Contract: TLM-2.0 b_transport, one aligned 32-bit register a transaction; anything else gives an error response. on_line()
// is called with each line when its line feed arrives, with the cycle of the line's first byte, counted from the release of
// the CPU. A line of kMostBytes ends by itself; what is not printable ASCII becomes '?'. Timing: none here; the console is
// always ready. Not modelled: the speed of a serial line (D-032).
#pragma once

#include "hw/spec/control_system.hpp"
#include "sim/kit/module.hpp"

#include <tlm_utils/multi_passthrough_target_socket.h>

#include <functional>
#include <string>

namespace vernier::soc {

using LineSink = std::function<void(int64_t cycle, const std::string& line)>;

class Console : public kit::Module {
 public:
  static constexpr size_t kMostBytes = 200;

  Console(const sc_core::sc_module_name& name, kit::JobClock& clock);
  tlm_utils::multi_passthrough_target_socket<Console> registers_target{"registers_target"};

  void reset() override { line_.clear(); }
  void on_line(LineSink sink) { sink_ = std::move(sink); }

 private:
  void b_transport(int initiator_id, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  void take(char character);

  LineSink sink_;
  std::string line_;
  int64_t first_cycle_ = 0;
};

}  // namespace vernier::soc
