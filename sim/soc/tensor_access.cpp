// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/tensor_access.hpp"

#include "hw/base/error.hpp"

#include <algorithm>
#include <cstring>

namespace vernier::soc {

namespace {

/// Calls visit(memory offset, element index in the box, elements) for each contiguous run of the box, in row-major order.
template <typename Visit>
void for_each_run(const package::Placement& placement, base::ElementType type, const base::Shape& begin,
                  const base::Shape& extent, Visit&& visit) {
  const int64_t total = base::num_elements(extent);
  if (total == 0) return;
  base::Shape coordinates = begin;
  const size_t rank = extent.size();
  const int64_t row = rank == 0 ? 1 : extent.back();
  for (int64_t index = 0; index < total; index += row) {
    for (int64_t done = 0; done < row;) {
      // A run ends with its channel block.
      int64_t run = row - done;
      if (rank > 0) {
        coordinates.back() = begin.back() + done;
        run = std::min(run, placement.channel_block - coordinates.back() % placement.channel_block);
      }
      visit(package::offset_of(placement, coordinates, type), index + done, run);
      done += run;
    }
    for (size_t d = rank; d-- > 1;) {
      if (++coordinates[d - 1] < begin[d - 1] + extent[d - 1]) break;
      coordinates[d - 1] = begin[d - 1];
    }
  }
}

}  // namespace

void write_tensor(mem::MemoryIf& memory, const package::Placement& placement, const base::Tensor& tensor) {
  const int64_t element = base::stored_bytes(tensor.type());
  const base::Shape origin(tensor.shape().size(), 0);
  for_each_run(placement, tensor.type(), origin, tensor.shape(), [&](int64_t offset, int64_t index, int64_t elements) {
    VERNIER_CHECK(memory.storage().contains(offset, elements * element), "a tensor lies outside its memory, at byte {}",
                  offset);
    memory.write(offset,
                 tensor.bytes().subspan(static_cast<size_t>(index * element), static_cast<size_t>(elements * element)));
  });
}

base::Tensor read_box(const mem::StorageView& storage, const package::Placement& placement, base::ElementType type,
                      const base::Shape& begin, const base::Shape& extent, const base::Shape& step) {
  base::Tensor tensor(type, extent);
  const int64_t element = base::stored_bytes(type);
  package::Placement stepped = placement;  // of the elements that are read, begin being the first
  base::Shape first = begin;
  for (size_t d = 0; d + 1 < step.size(); ++d) {
    stepped.base.offset += static_cast<uint64_t>(begin[d] * placement.strides_bytes[d]);
    stepped.strides_bytes[d] *= step[d];
    first[d] = 0;
  }
  for_each_run(stepped, type, first, extent, [&](int64_t offset, int64_t index, int64_t elements) {
    VERNIER_CHECK(storage.contains(offset, elements * element), "a tensor lies outside its memory, at byte {}", offset);
    std::memcpy(tensor.bytes().data() + index * element, storage.bytes().data() + offset,
                static_cast<size_t>(elements * element));
  });
  return tensor;
}

}  // namespace vernier::soc
