// SPDX-License-Identifier: Apache-2.0
// The bytes between a debugger and the program.
#pragma once

#include <string>
#include <string_view>

namespace vernier::gdb {

class Channel {
 public:
  enum class Wait : bool { No, Yes };

  Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  virtual ~Channel() = default;

  /// Adds to `bytes` what has arrived, and waits for one byte at least if it is to. False: the other end is gone.
  virtual bool receive(std::string& bytes, Wait wait) = 0;
  /// All of it. What the other end no longer takes is lost; receive() tells that it is gone.
  virtual void send(std::string_view bytes) = 0;
};

}  // namespace vernier::gdb
