// SPDX-License-Identifier: Apache-2.0
// What stands between the C interface and the devices: one lock, checked handles, and exceptions that become codes.
#pragma once

#include "hw/base/error.hpp"
#include "sim/host/vernier.h"
#include "sim/soc/device.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

/// What a handle points to. It stays when the device is closed, so that a closed handle can be told from an open one.
struct vernier_device {
  std::unique_ptr<vernier::soc::FirmwareProgram> firmware;
  std::unique_ptr<vernier::soc::Device> device;  // null: closed
};

namespace vernier::host {

/// An error that is not an exception of the machine's: its code and its message.
struct Refusal {
  int32_t code;
  std::string message;
};

template <typename... Args>
[[noreturn]] void refuse(int32_t code, fmt::format_string<Args...> format, Args&&... args) {
  throw Refusal{code, fmt::format(format, std::forward<Args>(args)...)};
}

/// Refuses a null pointer; `name` is that of the argument.
inline void need(const void* pointer, const char* name) {
  if (pointer == nullptr) refuse(VERNIER_NULL, "{} is null", name);
}

/// The device of a handle. Refuses one that is not open.
soc::Device& device_of(vernier_device* handle);
/// The device and its network, or job; refuses numbers that are none.
soc::Device& device_with_network(vernier_device* handle, int32_t network);
soc::Device& device_with_job(vernier_device* handle, int32_t job);

/// A handle that is open from here on.
vernier_device* keep(std::unique_ptr<vernier_device> device);
/// Closes it.
void close(vernier_device* handle);

namespace detail {
/// Of the last error in this thread.
std::string& message();
/// Calls `body` with the lock held; what it throws becomes a code and the thread's message. `of_user_error` is the code of a
/// UserError.
int32_t guarded(int32_t of_user_error, int32_t (*call)(void*), void* body);
}  // namespace detail

/// `body()` returns a code.
template <typename Body>
int32_t guarded(int32_t of_user_error, Body&& body) {
  return detail::guarded(
      of_user_error, [](void* pointer) -> int32_t { return (*static_cast<std::remove_reference_t<Body>*>(pointer))(); },
      &body);
}

}  // namespace vernier::host
