// SPDX-License-Identifier: Apache-2.0
#include "hw/model/elementwise.hpp"
#include "hw/model/wrap.hpp"
#include "sim/kernels/elements.hpp"
#include "sim/kernels/vector_strip.hpp"

#include <algorithm>

namespace vernier::kernels {
namespace {

/// Where lanes come from, and what the load path does to them.
struct LaneSource {
  const std::byte* from;
  int64_t stride;  // bytes from lane to lane
  int64_t count;
  uint32_t subtrahend;
  int shift;
  [[nodiscard]] int32_t convert(int32_t element) const {
    return static_cast<int32_t>((static_cast<uint32_t>(element) - subtrahend) << shift);
  }
};

/// to[i] = combine(to[i], element i of type Stored).
template <typename Stored, typename Combine>
void load_lanes(const LaneSource& source, int32_t* to, Combine combine) {
  const LaneSource s = source;  // a copy, which `to` cannot alias
  const auto element = [&s](int64_t offset) { return s.convert(static_cast<int32_t>(load<Stored>(s.from + offset))); };
  if (s.stride == static_cast<int64_t>(sizeof(Stored))) {  // said so that the compiler sees contiguous loads
    for (int64_t i = 0; i < s.count; ++i) to[i] = combine(to[i], element(i * static_cast<int64_t>(sizeof(Stored))));
  } else if (s.stride == 0) {
    const int32_t broadcast = element(0);
    for (int64_t i = 0; i < s.count; ++i) to[i] = combine(to[i], broadcast);
  } else {
    for (int64_t i = 0; i < s.count; ++i) to[i] = combine(to[i], element(i * s.stride));
  }
}

template <typename Combine>
void load_narrow(const spec::VectorStream& stream, const LaneSource& source, int32_t* to, Combine combine) {
  if (stream.type == base::ElementType::Bool) {  // bit 0 of its byte
    for (int64_t i = 0; i < source.count; ++i) {
      to[i] = combine(to[i], source.convert(load<uint8_t>(source.from + i * source.stride) & 1));
    }
    return;
  }
  visit_stored(stream.type, stream.is_unsigned, [&](auto stored) { load_lanes<decltype(stored)>(source, to, combine); });
}

void load_narrow(spec::VectorOp op, const spec::VectorStream& stream, const LaneSource& source, int32_t* to) {
  switch (op) {
    case spec::VectorOp::LoadAdd: return load_narrow(stream, source, to, model::add);
    case spec::VectorOp::LoadMaximum: return load_narrow(stream, source, to, model::maximum);
    case spec::VectorOp::LoadMinimum: return load_narrow(stream, source, to, model::minimum);
    default: return load_narrow(stream, source, to, [](int32_t, int32_t loaded) { return loaded; });
  }
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
    const LaneSource source{from, stride, shape.active, static_cast<uint32_t>(step.imm0), static_cast<int>(step.shift)};
    load_narrow(step.op, stream, source, narrow + first);
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
