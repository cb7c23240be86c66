// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/base/error.hpp"
#include "hw/spec/machine.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace vernier::emit {

/// A network that finds no room in the SRAM of a machine in its memory mode.
class DoesNotFit : public base::UserError {
 public:
  DoesNotFit(const std::string& file, std::string_view text, std::optional<spec::MemoryMode> mode_with_room)
      : UserError(file, text), mode_with_room_(mode_with_room) {}
  /// The first mode that keeps less in SRAM and in which the same machine takes the network, where one was found.
  [[nodiscard]] std::optional<spec::MemoryMode> mode_with_room() const { return mode_with_room_; }

 private:
  std::optional<spec::MemoryMode> mode_with_room_;
};

}  // namespace vernier::emit
