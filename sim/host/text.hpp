// SPDX-License-Identifier: Apache-2.0
// What the functions of vernier.h share.
#pragma once

#include "sim/host/handles.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace vernier::host {

/// As much of the text as there is room for, and a 0. A character of several bytes is not cut.
template <size_t Size>
void copy_text(char (&to)[Size], std::string_view text) {
  size_t length = std::min(text.size(), Size - 1);
  const auto continues = [&](size_t i) { return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80; };
  while (length > 0 && continues(length)) --length;
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

/// The layer that a command works for; empty where it is none's, or the network was unloaded.
inline std::string_view layer_name(const soc::Device& device, int32_t network, int32_t command_idx) {
  if (!device.has_network(network)) return {};
  const package::Package& package = device.network(network);
  const int32_t layer = package::layer_of(package, command_idx);
  return layer >= 0 ? std::string_view(package.layers[layer].name) : std::string_view();
}

/// Refuses a device whose firmware does not answer.
inline void need_running(const soc::Device& device) {
  if (!device.failure().empty()) refuse(VERNIER_DEVICE_FAILED, "{}", device.failure());
}

}  // namespace vernier::host
