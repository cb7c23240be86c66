// SPDX-License-Identifier: Apache-2.0
#include "sim/host/handles.hpp"

#include <map>
#include <mutex>
#include <new>

// The SystemC library calls it from a main() that programs of this library do not use; it has to be seen from there.
#pragma GCC visibility push(default)
extern "C" int sc_main(int, char**);
extern "C" int sc_main(int, char**) { return 0; }
#pragma GCC visibility pop

const char* vernier_message() { return vernier::host::detail::message().c_str(); }

namespace vernier::host {

namespace {

/// All that were ever opened, by their address.
std::map<vernier_device*, std::unique_ptr<vernier_device>>& handles() {
  static auto* const kHandles = new std::map<vernier_device*, std::unique_ptr<vernier_device>>;  // until the process ends
  return *kHandles;
}

std::mutex& lock() {
  static auto* const kLock = new std::mutex;
  return *kLock;
}

}  // namespace

namespace detail {

std::string& message() {
  thread_local std::string text;
  return text;
}

int32_t guarded(int32_t of_user_error, int32_t (*call)(void*), void* body) {
  const auto told = [](int32_t code, const char* what) {
    try {
      message() = what;
    } catch (...) {
      message().clear();
    }
    return code;
  };
  thread_local bool is_inside = false;
  if (is_inside) return told(VERNIER_BAD_ARGUMENT, "a callback of the library calls the library");
  struct Inside {
    Inside() { is_inside = true; }
    ~Inside() { is_inside = false; }
  };
  try {
    const std::lock_guard held(lock());
    const Inside inside;
    return call(body);
  } catch (const Refusal& refusal) {
    return told(refusal.code, refusal.message.c_str());
  } catch (const base::EnvironmentError& error) {
    return told(VERNIER_NO_MEMORY, error.what());
  } catch (const base::UserError& error) {
    return told(of_user_error, error.what());
  } catch (const std::bad_alloc&) {
    return told(VERNIER_NO_MEMORY, "the computer has no memory left");
  } catch (const std::exception& error) {
    return told(VERNIER_INTERNAL, error.what());
  } catch (...) {
    return told(VERNIER_INTERNAL, "an unknown exception");
  }
}

}  // namespace detail

soc::Device& device_of(vernier_device* handle) {
  need(handle, "device");
  const auto found = handles().find(handle);
  if (found == handles().end()) refuse(VERNIER_BAD_HANDLE, "this is no device; vernier_open() gives one");
  if (handle->device == nullptr) refuse(VERNIER_BAD_HANDLE, "the device is closed");
  return *handle->device;
}

soc::Device& device_with_network(vernier_device* handle, int32_t network) {
  soc::Device& device = device_of(handle);
  if (!device.has_network(network)) refuse(VERNIER_BAD_NUMBER, "no network {} is loaded", network);
  return device;
}

soc::Device& device_with_job(vernier_device* handle, int32_t job) {
  soc::Device& device = device_of(handle);
  if (!device.has_job(job)) refuse(VERNIER_BAD_NUMBER, "there is no job {}, or it was released", job);
  return device;
}

vernier_device* keep(std::unique_ptr<vernier_device> device) {
  vernier_device* const handle = device.get();
  handles()[handle] = std::move(device);
  return handle;
}

void close(vernier_device* handle) {
  device_of(handle);
  handle->device.reset();
  handle->firmware.reset();
}

}  // namespace vernier::host
