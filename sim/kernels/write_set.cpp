// SPDX-License-Identifier: Apache-2.0
#include "sim/kernels/kernels.hpp"

#include <algorithm>

namespace vernier::kernels {

std::span<std::byte> WriteSet::extend(base::Address address, size_t bytes) {
  const size_t offset = data_.size();
  data_.resize(offset + bytes);
  const bool touches = !runs_.empty() && runs_.back().address.space == address.space &&
                       runs_.back().address.offset + runs_.back().bytes == address.offset;
  if (touches) {
    runs_.back().bytes += bytes;
  } else if (bytes > 0) {
    runs_.push_back({address, offset, bytes});
  }
  return std::span(data_).subspan(offset, bytes);
}

void WriteSet::add(base::Address address, std::span<const std::byte> bytes) {
  std::ranges::copy(bytes, extend(address, bytes.size()).begin());
}

void WriteSet::clear() {
  runs_.clear();
  data_.clear();
}

}  // namespace vernier::kernels
