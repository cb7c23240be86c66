// SPDX-License-Identifier: Apache-2.0
// A command on the ports of RTL: its fields follow each other in the order of visit_fields, each in as many bits as there.
// The datapath gets those that it needs (cmd_i), the address generators all of them (mac_i and vec_i of npu_agu).
#pragma once

#include "hw/spec/command_fields.hpp"

#include <cstdint>

namespace vernier::spec {

/// Which fields a port has.
enum class PortFields : uint8_t {
  OfDatapath,  // those that are not for addresses only
  All,
};

/// Calls visit(field, first bit, member) for each field of a MAC command that the port has, those of a residual included.
/// Returns the bits of all.
template <typename Visit>
constexpr int visit_port(const MacCommand& command, PortFields fields, Visit&& visit) {
  int bits = 0;
  const auto place = [&](const FieldInfo& field, const auto& member) {
    if (fields == PortFields::OfDatapath && field.is_address_only) return;
    if (field.name == "residual") {
      visit(field, bits, command.residual);
    } else {
      visit(field, bits, member);
    }
    bits += field.width_bits;
  };
  MacCommand with_residual = command;
  with_residual.residual = true;
  const MacCommand& whole = with_residual;
  visit_fields(place, whole);
  return bits;
}

/// The same of a vector command: its loops and flags, then all the streams and steps that a command can have; those that it
/// has not are zeros.
template <typename Visit>
constexpr int visit_port(const VectorCommand& command, PortFields fields, Visit&& visit) {
  int bits = 0;
  const auto place = [&](const FieldInfo& field, const auto& member) {
    if (fields == PortFields::OfDatapath && field.is_address_only) return;
    if (field.name == "num_steps") {
      visit(field, bits, static_cast<int64_t>(command.steps.size()));
    } else if (field.name == "num_streams") {
      visit(field, bits, static_cast<int64_t>(command.streams.size()));
    } else {
      visit(field, bits, member);
    }
    bits += field.width_bits;
  };
  VectorCommand whole = command;
  whole.streams.resize(kMaxVectorStreams);
  whole.steps.resize(kMaxVectorSteps);
  const VectorCommand& filled = whole;
  visit_fields(place, filled);
  return bits;
}

/// Bits of the port of a command.
template <typename Command>
constexpr int port_bits(PortFields fields) {
  return visit_port(Command{}, fields, [](const FieldInfo&, int, const auto&) {});
}

namespace detail {
/// Bits of those of the visited fields that the datapath gets.
template <typename VisitAll>
constexpr int datapath_bits(VisitAll&& visit_all) {
  int bits = 0;
  visit_all([&](const FieldInfo& field, const auto&) { bits += field.is_address_only ? 0 : field.width_bits; });
  return bits;
}
}  // namespace detail

/// Bits of cmd_i that a step and a stream take.
inline constexpr int kVectorStepBits = detail::datapath_bits([](auto&& count) {
  const VectorStep step;
  visit_step(count, step, 0);
});
inline constexpr int kVectorStreamBits = detail::datapath_bits([](auto&& count) {
  const VectorStream stream;
  visit_stream(count, stream, 0);
});

}  // namespace vernier::spec
