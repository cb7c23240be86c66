// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/agu_part.hpp"

#include <algorithm>

namespace vernier::cosim {
namespace {

const spec::RtlBlock& description_of(std::string_view module) {
  const auto* found = std::ranges::find(spec::kAguBlocks, module, &spec::RtlBlock::name);
  VERNIER_CHECK(found != spec::kAguBlocks.end(), "{} is no part of npu_agu", module);
  return *found;
}

/// A visitor that puts each field at its bits.
auto put_field(Port& port) {
  return [&port](const spec::FieldInfo& field, int first_bit, const auto& member) {
    port.set_bits(first_bit, field.width_bits, static_cast<uint64_t>(static_cast<int64_t>(member)));
  };
}

}  // namespace

void put_agu_command(Port port, const spec::MacCommand& command) { spec::visit_agu_mac(command, put_field(port)); }

void put_agu_command(Port port, const spec::VectorCommand& command) { spec::visit_agu_vector(command, put_field(port)); }

AguPart::AguPart(std::string_view module, int lanes)
    : block_(make_rtl_block(module, lanes), description_of(module), lanes),
      cmd_(block_.port("cmd_i")),
      cmd_valid_(block_.port("cmd_valid_i")),
      cmd_ready_(block_.port("cmd_ready_o")) {
  reset();
}

Port AguPart::find_port(std::string_view name) const {
  const auto ports = block_.description().ports;
  return std::ranges::find(ports, name, &spec::RtlPort::name) == ports.end() ? Port() : port(name);
}

void AguPart::reset() {
  block_.reset();
  block_.settle();
}

void AguPart::give_command() {
  cmd_valid_.set(1);
  block_.settle();
  for (int64_t waited = 0; cmd_ready_.get() == 0; ++waited) {
    if (waited == kHangCycles) throw Hang("the address generator takes no command");
    cycle();
  }
  cycle();
  cmd_valid_.set(0);
  block_.settle();
}

void AguPart::cycle() {
  block_.settle();
  block_.edge();
  block_.settle();
  ++cycles_;
}

}  // namespace vernier::cosim
