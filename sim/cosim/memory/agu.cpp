// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/memory/agu.hpp"

#include "sim/cosim/block/command_port.hpp"
#include "sim/cosim/block/rtl_library.hpp"

#include <algorithm>
#include <utility>

namespace vernier::cosim {

Agu::Agu(int lanes, int weight_words) : Agu(own_rtl().make(spec::kAguBlock, lanes, {}), lanes, weight_words) {}

Agu::Agu(std::unique_ptr<RtlBlock> block, int lanes, int weight_words)
    : block_(std::move(block), spec::kAguBlock, lanes),
      mac_(block_.port("mac_i")),
      mac_valid_(block_.port("mac_valid_i")),
      mac_ready_(block_.port("mac_ready_o")),
      vec_(block_.port("vec_i")),
      vec_valid_(block_.port("vec_valid_i")),
      vec_ready_(block_.port("vec_ready_o")),
      weight_words_(weight_words) {
  reset();
}

Port Agu::find_port(std::string_view name) const {
  const bool has_port = std::ranges::find(spec::kAguPorts, name, &spec::RtlPort::name) != spec::kAguPorts.end();
  return has_port ? port(name) : Port();
}

void Agu::give(const spec::MacCommand& command) {
  put_command(mac_, command, spec::PortFields::All);
  give_at(mac_valid_, mac_ready_);
}

void Agu::give(const spec::VectorCommand& command) {
  put_command(vec_, command, spec::PortFields::All);
  give_at(vec_valid_, vec_ready_);
}

void Agu::give_at(Port valid, Port ready) {
  valid.set(1);
  block_.settle();
  for (int64_t waited = 0; ready.get() == 0; ++waited) {
    if (waited == kHangCycles) throw Hang("npu_agu takes no command");
    cycle();
  }
  cycle();
  valid.set(0);
  block_.settle();
}

void Agu::reset() {
  block_.reset();
  for (const spec::RtlPort& input : spec::kAguPorts) {
    if (input.name.ends_with("_ready_i")) port(input.name).set(1);
  }
  port("wgt_most_i").set(static_cast<uint64_t>(weight_words_));
  block_.settle();
}

void Agu::cycle() {
  block_.settle();
  block_.edge();
  block_.settle();
  ++cycles_;
}

}  // namespace vernier::cosim
