// SPDX-License-Identifier: Apache-2.0
// Replays of RTL as files: what shows a first mismatch alone, and the ports' vectors for other benches.
#pragma once

#include "hw/base/file.hpp"
#include "sim/cosim/replay/replay.hpp"
#include "sim/flow/rtl/rtl_session.hpp"
#include "sim/flow/run/failure.hpp"

#include <optional>
#include <string>

namespace vernier::flow {

/// So many cycles of a unit's inputs are written as vectors where there is no mismatch.
inline constexpr int64_t kExportedCycles = 20'000;

/// Where the replay of a unit or a network goes: FOLDER/SUBJECT.replay.json, in the working folder for an empty one.
std::string replay_file_of(const std::string& folder, const std::string& subject);

struct WrittenReplay {
  std::string file{};  // empty: none was written
  std::string text{};  // a line that says so, or why not
  std::optional<cosim::Replay> replay{};
};
/// Cuts the replay of a run's first mismatch, and writes it. What keeps it from being written is in the text.
WrittenReplay write_replay(const cosim::FirstFault& fault, const std::string& file, const std::string& config,
                           const spec::Datapath& datapath, const RtlSource& source);

/// The first mismatch of a co-simulation, the RTL that has it, and the file that its replay goes to.
struct FaultToKeep {
  const cosim::FirstFault& fault;
  std::string replay_file;
  std::string config;  // its name
  spec::Datapath datapath;
  const RtlSource& source;
};
/// Adds to the first of `mismatches` what the RTL has in the accumulator, and writes the replay; with `vectors_dir` also its
/// vectors. The file of the replay, empty where none was written; lines about it go to `remarks`.
std::string keep_first_fault(const FaultToKeep& kept, std::vector<cosim::Mismatch>& mismatches,
                             const std::optional<std::string>& vectors_dir, base::FileSet& files,
                             std::vector<std::string>& remarks);

/// Adds DIR/PORT.hex of each port; a line that says so.
std::string add_vector_files(base::FileSet& files, const std::string& folder, const cosim::Replay& replay);

/// The RTL of a job stands still. The replay of what differed before, which it may be a consequence of, goes to
/// `replay_file`; an empty name: it is not written.
RtlFailure rtl_failure(const RtlOutcome& rtl, const config::MachineConfig& config, const cosim::Hang& hang,
                       const std::string& replay_file);

}  // namespace vernier::flow
