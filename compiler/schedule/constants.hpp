// SPDX-License-Identifier: Apache-2.0
// The image: all constants of a program side by side, in the order of their first use, as they lie in memory at cycle 0. In
// memory mode `sram` commands read it where it is; in `weights-external` parts of it are copied to SRAM before their use.
#pragma once

#include "compiler/passes/program.hpp"
#include "hw/base/indexed_vector.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vernier::schedule {

/// Constants start on a burst of external memory and on a word of SRAM.
inline constexpr int64_t kConstantAlignBytes = 64;

struct Image {
  base::IndexedVector<passes::BufferId, int64_t> offset_bytes;  // -1 for what is no constant
  std::vector<std::byte> bytes;  // gaps are zero; ends with stream_bytes of room for the command stream
  int64_t stream_offset_bytes = 0;
  int64_t weight_bytes = 0;  // of buffers of kind Weights and Parameters
};
Image make_image(const passes::Program& program);

/// Bytes [begin, end) of the image.
struct Span {
  int64_t begin = 0, end = 0;
  auto operator<=>(const Span&) const = default;
};

}  // namespace vernier::schedule
