// SPDX-License-Identifier: Apache-2.0
// Which commands of a package the records of a job are.
#pragma once

#include "hw/package/command_codec.hpp"
#include "sim/soc/npu.hpp"

#include <cstdint>

namespace vernier::soc {

/// Goes along JobResult::commands. SystemC-free.
class RunCommands {
 public:
  RunCommands(const package::Package& package, const JobResult& job) : package_(package), job_(job) {}

  struct Place {
    int64_t command_idx = 0, offset_bytes = 0;  // in the package
    package::Decoded decoded;
  };
  /// The command of the next record.
  Place next();

 private:
  const package::Package& package_;
  const JobResult& job_;
  int64_t record_ = 0, command_idx_ = 0, offset_bytes_ = 0;
  size_t run_ = 0;  // the next one
};

}  // namespace vernier::soc
