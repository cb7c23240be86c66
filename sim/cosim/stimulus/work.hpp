// SPDX-License-Identifier: Apache-2.0
// A command of the array or of the vector unit with the memory that it reads.
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace vernier::cosim {

struct Work {
  // NOLINTBEGIN(google-explicit-constructor): a command is a work, which may read nothing
  Work(const spec::MacCommand& mac, std::vector<std::byte> read = {})
      : command{{spec::Queue::MacArray, 0, 0}, mac}, bytes(std::move(read)) {}
  Work(spec::VectorCommand vector, std::vector<std::byte> read = {})
      : command{{spec::Queue::VectorUnit, 0, 0}, std::move(vector)}, bytes(std::move(read)) {}
  // NOLINTEND(google-explicit-constructor)
  [[nodiscard]] const spec::MacCommand& mac() const { return std::get<spec::MacCommand>(command.body); }
  [[nodiscard]] spec::MacCommand& mac() { return std::get<spec::MacCommand>(command.body); }
  [[nodiscard]] const spec::VectorCommand& vector() const { return std::get<spec::VectorCommand>(command.body); }
  [[nodiscard]] spec::VectorCommand& vector() { return std::get<spec::VectorCommand>(command.body); }
  /// Addresses of masked bytes may lie anywhere.
  [[nodiscard]] uint8_t byte_at(int64_t address) const;
  [[nodiscard]] int64_t signed_byte_at(int64_t address) const { return static_cast<int8_t>(byte_at(address)); }

  spec::Command command;
  std::vector<std::byte> bytes;  // from address 0 on
};

/// Gets the bytes that RTL gave for an element of a result, right or wrong, and where they belong in the work's memory.
using ResultSink = std::function<void(int64_t address, std::span<const std::byte> bytes)>;

/// Whether package::check() takes it.
bool is_legal(const Work& work, const spec::Datapath& datapath);

}  // namespace vernier::cosim
