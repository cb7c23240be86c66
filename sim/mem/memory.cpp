// SPDX-License-Identifier: Apache-2.0
#include "sim/mem/memory.hpp"

#include <cstring>

namespace vernier::mem {

Memory::Memory(const sc_core::sc_module_name& name, kit::JobClock& clock, int64_t size_bytes)
    : kit::Module(name, clock), storage_(size_bytes) {
  access_target.register_b_transport(this, &Memory::b_transport);
}

void Memory::b_transport(int, tlm::tlm_generic_payload& transaction, sc_core::sc_time&) { serve(*this, transaction); }

std::optional<int64_t> Memory::find_parity_error(int64_t offset, int64_t num_bytes) {
  if (!has_parity_) return std::nullopt;
  const std::optional<int64_t> found = storage_.first_wrong_parity(offset, num_bytes);
  if (found) ++num_parity_errors_;
  return found;
}

void serve(MemoryIf& memory, tlm::tlm_generic_payload& transaction) {
  const auto length = static_cast<int64_t>(transaction.get_data_length());
  const uint64_t address = transaction.get_address();
  const StorageView storage = memory.storage();
  if (address > static_cast<uint64_t>(storage.size_bytes()) || !storage.contains(static_cast<int64_t>(address), length)) {
    transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  const auto offset = static_cast<int64_t>(address);
  auto* data = reinterpret_cast<std::byte*>(transaction.get_data_ptr());
  if (transaction.is_read()) {
    if (memory.find_parity_error(offset, length)) return transaction.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    std::memcpy(data, storage.bytes().data() + offset, static_cast<size_t>(length));
  } else if (transaction.is_write()) {
    memory.write(offset, {data, static_cast<size_t>(length)});
  }
  transaction.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace vernier::mem
