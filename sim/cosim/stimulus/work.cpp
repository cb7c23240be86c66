// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/stimulus/work.hpp"

#include "hw/package/validity.hpp"

namespace vernier::cosim {

uint8_t Work::byte_at(int64_t address) const {
  if (address >= 0 && address < std::ssize(bytes)) return std::to_integer<uint8_t>(bytes[static_cast<size_t>(address)]);
  return static_cast<uint8_t>(static_cast<uint64_t>(address) * 0x9E3779B97F4A7C15U >> 56);
}

bool is_legal(const Work& work, const spec::Datapath& datapath) {
  return package::check(work.command, datapath).fault == spec::FaultCode::None;
}

}  // namespace vernier::cosim
