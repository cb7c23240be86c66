// SPDX-License-Identifier: Apache-2.0
// The memory that gives the beats of a block's ports, where memories that never keep the block waiting would not do.
#pragma once

#include "sim/cosim/stream/participant.hpp"

#include <cstddef>

namespace vernier::cosim {

class StreamMemory : public Participant {
 public:
  /// Whether the next beat of a port (PortStalls) stands there in the cycle that begins.
  [[nodiscard]] virtual bool gives(size_t port) const = 0;
  /// Whether a beat of results would be taken.
  [[nodiscard]] virtual bool has_room() const = 0;
  /// Whether nothing may come later than with ideal memories.
  [[nodiscard]] virtual bool is_ideal() const = 0;
};

}  // namespace vernier::cosim
