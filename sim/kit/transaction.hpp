// SPDX-License-Identifier: Apache-2.0
// One TLM-2.0 access from an initiator's socket.
#pragma once

#include <systemc>
#include <tlm>

#include <cstddef>
#include <cstdint>
#include <span>

namespace vernier::kit {

/// Reads `bytes` from the address, or writes them there, by b_transport. What the access takes is added to `delay`.
template <typename Socket>
tlm::tlm_response_status access(Socket& initiator, tlm::tlm_command command, uint64_t address, std::span<std::byte> bytes,
                                sc_core::sc_time& delay) {
  tlm::tlm_generic_payload transaction;
  transaction.set_command(command);
  transaction.set_address(address);
  transaction.set_data_ptr(reinterpret_cast<unsigned char*>(bytes.data()));
  transaction.set_data_length(static_cast<unsigned>(bytes.size()));
  transaction.set_streaming_width(static_cast<unsigned>(bytes.size()));
  initiator->b_transport(transaction, delay);
  return transaction.get_response_status();
}

}  // namespace vernier::kit
