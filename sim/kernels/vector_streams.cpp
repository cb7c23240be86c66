// SPDX-License-Identifier: Apache-2.0
#include "hw/model/wrap.hpp"
#include "sim/kernels/elements.hpp"
#include "sim/kernels/vector_strip.hpp"

#include <algorithm>

namespace vernier::kernels {
namespace {

/// to[i] = element i of type Stored, the elements `stride` bytes apart, less `subtrahend`.
template <typename Stored>
void load_lanes(const std::byte* from, int64_t stride, int64_t count, int64_t subtrahend, int32_t* to) {
  const auto narrow_subtrahend = static_cast<uint32_t>(subtrahend);
  const auto element = [&](int64_t offset) {
    return static_cast<int32_t>(static_cast<uint32_t>(load<Stored>(from + offset)) - narrow_subtrahend);
  };
  if (stride == static_cast<int64_t>(sizeof(Stored))) {  // said so that the compiler sees contiguous loads
    for (int64_t i = 0; i < count; ++i) to[i] = element(i * static_cast<int64_t>(sizeof(Stored)));
  } else if (stride == 0) {
    std::fill_n(to, count, element(0));
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = element(i * stride);
  }
}

/// A bool is bit 0 of its byte.
void load_bools(const std::byte* from, int64_t stride, int64_t count, int64_t subtrahend, int32_t* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = model::wrap32(int64_t{load<uint8_t>(from + i * stride) & 1} - subtrahend);
}

void load_wide_lanes(const std::byte* from, int64_t stride, int64_t count, int64_t subtrahend, int64_t* to) {
  for (int64_t i = 0; i < count; ++i) {
    to[i] = model::wrap48(model::wrapping_add64(load<int64_t>(from + i * stride), -subtrahend));
  }
}

/// `value(i)` is element i of the register.
template <typename Value>
void store_lanes(base::ElementType type, int64_t offset, int64_t stride, int64_t count, WriteSet& writes, Value value) {
  const auto put = [&](auto convert) {
    using Stored = decltype(convert(int64_t{}));
    const auto size = static_cast<int64_t>(sizeof(Stored));
    if (stride == size) {
      std::byte* to =
          writes.extend({base::MemorySpace::Sram, static_cast<uint64_t>(offset)}, static_cast<size_t>(count * size)).data();
      for (int64_t i = 0; i < count; ++i) kernels::store(to + i * size, convert(value(i)));
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      std::byte* to =
          writes.extend({base::MemorySpace::Sram, static_cast<uint64_t>(offset + i * stride)}, sizeof(Stored)).data();
      kernels::store(to, convert(value(i)));
    }
  };
  if (type == base::ElementType::Bool) return put([](int64_t v) { return static_cast<uint8_t>(v & 1); });
  if (type == base::ElementType::Int48) return put([](int64_t v) { return model::wrap48(v); });
  visit_stored(type, false, [&](auto stored) { put([](int64_t v) { return static_cast<decltype(stored)>(v); }); });
}

}  // namespace

void execute_load(const spec::VectorStep& step, const spec::VectorStream& stream, std::span<const std::byte> sram,
                  const StripShape& shape, const StripAddresses& addresses, StripRegisters& registers) {
  const auto stream_idx = static_cast<size_t>(step.stream);
  const int64_t stride = addresses.is_single ? 0 : stream.lane_stride_bytes;
  int32_t* narrow = registers.narrow(step.dst);
  int64_t* wide = registers.wide(step.dst);
  for (int64_t segment = 0; segment < shape.num_segments; ++segment) {
    const std::byte* from =
        sram.data() + addresses.kept[stream_idx][static_cast<size_t>(segment)] + addresses.moving[stream_idx];
    const int64_t first = segment * shape.pitch;
    if (stream.type == base::ElementType::Int48) {
      load_wide_lanes(from, stride, shape.active, step.imm0, wide + first);
      for (int64_t i = first; i < first + shape.active; ++i) narrow[i] = model::wrap32(wide[i]);
      continue;
    }
    if (stream.type == base::ElementType::Bool) {
      load_bools(from, stride, shape.active, step.imm0, narrow + first);
    } else {
      visit_stored(stream.type, stream.is_unsigned, [&](auto stored) {
        load_lanes<decltype(stored)>(from, stride, shape.active, step.imm0, narrow + first);
      });
    }
    if (registers.has_wide()) std::copy_n(narrow + first, shape.active, wide + first);
  }
}

void execute_store(const spec::VectorStep& step, const spec::VectorStream& stream, const StripShape& shape,
                   const StripAddresses& addresses, StripRegisters& registers, WriteSet& writes) {
  const auto stream_idx = static_cast<size_t>(step.stream);
  const int64_t count = addresses.is_single ? 1 : shape.active;
  for (int64_t segment = 0; segment < shape.num_segments; ++segment) {
    const int64_t offset = addresses.kept[stream_idx][static_cast<size_t>(segment)] + addresses.moving[stream_idx];
    const int64_t first = segment * shape.pitch;
    if (registers.has_wide()) {
      const int64_t* wide = registers.wide(step.a) + first;
      store_lanes(stream.type, offset, stream.lane_stride_bytes, count, writes, [&](int64_t i) { return wide[i]; });
    } else {
      const int32_t* narrow = registers.narrow(step.a) + first;
      store_lanes(stream.type, offset, stream.lane_stride_bytes, count, writes,
                  [&](int64_t i) { return int64_t{narrow[i]}; });
    }
  }
}

}  // namespace vernier::kernels
