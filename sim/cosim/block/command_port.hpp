// SPDX-License-Identifier: Apache-2.0
// A command on the port of a unit or of its address generators.
#pragma once

#include "hw/spec/command_ports.hpp"
#include "sim/cosim/block/clocked_block.hpp"

#include <cstdint>

namespace vernier::cosim {

/// Puts those fields of the command on the port, each at the bits that hw/spec gives it.
template <typename Command>
void put_command(Port port, const Command& command, spec::PortFields fields) {
  spec::visit_port(command, fields, [&](const spec::FieldInfo& field, int first_bit, const auto& member) {
    port.set_bits(first_bit, field.width_bits, static_cast<uint64_t>(static_cast<int64_t>(member)));
  });
}

}  // namespace vernier::cosim
