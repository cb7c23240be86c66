// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/cosim_command.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/config/toml_config.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/cli/version.hpp"
#include "sim/cosim/cosim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>
#include <span>

namespace vernier::cli {
namespace {

/// Puts a wave into a file of the set. What goes wrong is kept, since a wave may end in a destructor.
class WaveFile : public cosim::WaveSink {
 public:
  WaveFile(base::FileSet& files, const std::string& path) : files_(files) { files_.begin(path); }
  void write(std::span<const char> text) noexcept override {
    if (failure_ != nullptr) return;
    try {
      files_.append(std::as_bytes(text));
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  void check() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  base::FileSet& files_;
  std::exception_ptr failure_;
};

}  // namespace

int cosim(const CosimCommand& command) {
  check_report_places(command.reports, {".json"});
  if (command.wave && std::filesystem::path(*command.wave).extension() != ".vcd")
    throw base::UserError("--wave", "'{}' is not FILE.vcd", *command.wave);
  const config::MachineConfig config = config::load_config(command.config);
  cosim::CosimOptions options;
  options.unit = command.unit;
  options.config = config.name;
  options.lanes = config.datapath.lanes;
  options.sram_read_words = config.datapath.sram_read_words;
  options.vectors = command.vectors;
  options.seed = command.seed;
  base::FileSet files;
  std::optional<WaveFile> wave;
  if (command.wave) options.wave = &wave.emplace(files, *command.wave);
  cosim::CosimReport report;
  try {
    report = cosim::run_cosim(options);
  } catch (const cosim::Hang& hang) {
    if (wave) wave->check();
    files.commit();
    print_text(stderr, fmt::format("vernier: {}: {}\n", command.unit, hang.what()));
    return kExitFault;
  }
  if (wave) wave->check();
  const std::string json = cosim::cosim_json(report, tool_version());
  const bool json_on_stdout = std::ranges::find(command.reports, "-") != command.reports.end();
  for (const std::string& file : command.reports) {
    if (file != "-") files.add_text(file, json);
  }
  files.commit();
  print_text(json_on_stdout ? stderr : stdout, cosim::cosim_text(report));
  if (json_on_stdout) print_text(stdout, json);
  return report.result.mismatches == 0 ? kExitSuccess : kExitMismatch;
}

}  // namespace vernier::cli
