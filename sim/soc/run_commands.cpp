// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/run_commands.hpp"

#include <span>
#include <utility>

namespace vernier::soc {

RunCommands::Place RunCommands::next() {
  // A run that an early fault ended may have no record.
  for (; run_ < job_.streams.size() && job_.streams[run_].first_record == record_; ++run_) {
    const package::StreamPart& part = package_.flow.streams[static_cast<size_t>(job_.streams[run_].stream)];
    command_idx_ = part.first_command;
    offset_bytes_ = part.begin_byte;
  }
  Place place{command_idx_, offset_bytes_,
              package::decode(std::span(package_.stream).subspan(static_cast<size_t>(offset_bytes_)))};
  ++record_;
  ++command_idx_;
  offset_bytes_ += place.decoded.length_bytes;
  return place;
}

}  // namespace vernier::soc
