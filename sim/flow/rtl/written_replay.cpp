// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/rtl/written_replay.hpp"

#include "hw/base/error.hpp"
#include "sim/cosim/replay/replay_file.hpp"
#include "sim/cosim/replay/vector_files.hpp"
#include "sim/flow/files/version.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

namespace vernier::flow {

std::string replay_file_of(const std::string& folder, const std::string& subject) {
  return (std::filesystem::path(folder) / (std::filesystem::path(subject).filename().string() + ".replay.json")).string();
}

WrittenReplay write_replay(const cosim::FirstFault& fault, const std::string& file, const std::string& config,
                           const spec::Datapath& datapath, const RtlSource& source) {
  WrittenReplay written;
  try {
    written.replay = cosim::make_replay(fault, config, datapath, source.is_strict, source.maker());
    written.replay->reset_seed = source.reset_seed;
    base::write_text_file(file, cosim::replay_text(*written.replay, tool_version()));
    written.file = file;
    const std::string rtl = !source.is_foreign() ? "" : source.is_strict ? " --rtl DIR --strict-cycles" : " --rtl DIR";
    if (written.replay->is_reproduced) {
      written.text = fmt::format("replay: {} shows the first mismatch alone: vernier cosim --replay {}{}", file, file, rtl);
    } else {
      written.text = fmt::format(
          "replay: {} has what came before the first mismatch, which it does not show alone: it needs more of the run",
          file);
    }
  } catch (const base::UserError& error) {
    written.text = fmt::format("replay: none, {}", error.what());
  } catch (const cosim::Hang& hang) {
    written.text = fmt::format("replay: none, a part of the run stands still: {}", hang.what());
  }
  return written;
}

std::string keep_first_fault(const FaultToKeep& kept, std::vector<cosim::Mismatch>& mismatches,
                             const std::optional<std::string>& vectors_dir, base::FileSet& files,
                             std::vector<std::string>& remarks) {
  cosim::add_rtl_accumulator(mismatches, kept.fault, kept.datapath, kept.source.maker());
  const WrittenReplay written = write_replay(kept.fault, kept.replay_file, kept.config, kept.datapath, kept.source);
  remarks.push_back(written.text);
  if (vectors_dir && written.replay) remarks.push_back(add_vector_files(files, *vectors_dir, *written.replay));
  return written.file;
}

std::string add_vector_files(base::FileSet& files, const std::string& folder, const cosim::Replay& replay) {
  files.make_directory(folder);
  const std::vector<cosim::VectorFile> vectors = cosim::vector_files(replay);
  for (const cosim::VectorFile& file : vectors) files.add_text(std::filesystem::path(folder) / file.name, file.text);
  return fmt::format("vectors: {} files in {}", vectors.size(), folder);
}

RtlFailure rtl_failure(const RtlOutcome& rtl, const config::MachineConfig& config, const cosim::Hang& hang,
                       const std::string& replay_file) {
  RtlFailure failure{.what = hang.what(),
                     .is_consequence = !rtl.is_equal() && !hang.is_stop(),
                     .first_mismatches = rtl.use().first_mismatches};
  if (rtl.fault() && !replay_file.empty())
    failure.replay = write_replay(*rtl.fault(), replay_file, config.name, config.datapath, rtl.source()).text;
  return failure;
}

}  // namespace vernier::flow
