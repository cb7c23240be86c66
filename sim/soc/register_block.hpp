// SPDX-License-Identifier: Apache-2.0
// A block of 32-bit registers behind a TLM-2.0 target: which register a transaction means, and what is no access.
#pragma once

#include "hw/base/error.hpp"
#include "hw/spec/registers.hpp"
#include "sim/kit/transaction.hpp"

#include <cstring>
#include <span>
#include <string_view>

namespace vernier::soc {

/// Index of a register; registers.size() where there is none of that name.
constexpr size_t register_index(std::span<const spec::Register> registers, std::string_view name) {
  size_t index = 0;
  while (index < registers.size() && registers[index].name != name) ++index;
  return index;
}

/// Offset of a register that is there, by its name.
inline uint32_t register_offset(std::span<const spec::Register> registers, std::string_view name) {
  const size_t index = register_index(registers, name);
  VERNIER_CHECK(index < registers.size(), "no register {}", name);
  return registers[index].offset_bytes;
}

/// Reads or writes a register that is there, in no time. Returns its value, or the one that was written.
template <typename Socket>
uint32_t access_register(Socket& initiator, std::span<const spec::Register> registers, std::string_view name,
                         tlm::tlm_command command, uint32_t value = 0) {
  sc_core::sc_time delay;
  const auto bytes = std::as_writable_bytes(std::span(&value, 1));
  const tlm::tlm_response_status status = kit::access(initiator, command, register_offset(registers, name), bytes, delay);
  VERNIER_CHECK(status == tlm::TLM_OK_RESPONSE, "register {} cannot be reached", name);
  return value;
}

/// One transaction: an aligned word goes to read(index) or write(index, value). An address without a register gives an
/// address error, another length a burst error.
template <typename Read, typename Write>
void serve_registers(std::span<const spec::Register> registers, tlm::tlm_generic_payload& transaction, Read&& read,
                     Write&& write) {
  const uint64_t address = transaction.get_address();
  size_t index = 0;
  while (index < registers.size() && registers[index].offset_bytes != address) ++index;
  if (index == registers.size()) return transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  uint32_t value = 0;
  if (transaction.get_data_length() != sizeof value) return transaction.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  if (transaction.is_read()) {
    value = read(index);
    std::memcpy(transaction.get_data_ptr(), &value, sizeof value);
  } else {
    std::memcpy(&value, transaction.get_data_ptr(), sizeof value);
    write(index, value);
  }
  transaction.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace vernier::soc
