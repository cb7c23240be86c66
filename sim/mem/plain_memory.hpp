// SPDX-License-Identifier: Apache-2.0
// A storage as a memory that takes no time: for whoever writes tensors where no machine runs.
#pragma once

#include "sim/mem/memory.hpp"
#include "sim/mem/storage.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace vernier::mem {

class PlainMemory : public MemoryIf {
 public:
  /// `storage` outlives this.
  explicit PlainMemory(Storage& storage) : storage_(storage) {}
  [[nodiscard]] StorageView storage() const override { return StorageView(storage_); }
  void write(int64_t offset, std::span<const std::byte> bytes) override { storage_.write(offset, bytes); }
  void mark_written(int64_t offset, int64_t num_bytes) override { storage_.mark_written(offset, num_bytes); }
  void forget(int64_t offset, int64_t num_bytes) override { storage_.forget(offset, num_bytes); }
  void flip(int64_t offset, int bit) override { storage_.flip(offset, bit); }
  std::optional<int64_t> find_parity_error(int64_t /*offset*/, int64_t /*num_bytes*/) override { return std::nullopt; }

 private:
  Storage& storage_;
};

}  // namespace vernier::mem
