// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/dump_command.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/npy.hpp"
#include "hw/base/text.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/failure.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/cli/places.hpp"
#include "sim/cli/tensor_choice.hpp"
#include "sim/flow/dump_text.hpp"
#include "sim/flow/ends.hpp"
#include "sim/flow/inputs.hpp"
#include "sim/flow/model.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <numeric>
#include <set>

namespace vernier::cli {
namespace {

/// What it is run with: the same as of `run`.
struct Job {
  package::Package package;
  std::vector<base::Tensor> inputs;
};

std::vector<Place> read_places(const DumpCommand& command, const std::vector<flow::End>& inputs) {
  std::vector<Place> read{{"MODEL", command.model}};
  if (command.machine.config) read.push_back({"--config", *command.machine.config});
  if (command.machine.encodings) read.push_back({"--encodings", *command.machine.encodings});
  for (const std::string& file : flow::input_files(inputs, command.inputs)) read.push_back({"--input", file});
  return read;
}

Job load(const DumpCommand& command) {
  set_activity("reading");
  const flow::Model model = flow::load_model(command.model, command.machine);
  set_activity("compiling");
  Job job{flow::package_of(model, command.machine), {}};
  const std::vector<flow::End> inputs = flow::ends_of(job.package).inputs;
  if (!command.output.empty() && command.tensor != "all")
    refuse_overwriting(read_places(command, inputs), {{"-o", command.output}});
  job.inputs = flow::make_inputs(inputs, command.inputs, command.seed);
  return job;
}

/// A file for each, in the folder.
int write_all(const DumpCommand& command, const std::vector<flow::End>& inputs,
              const std::vector<flow::DumpedTensor>& tensors) {
  std::set<std::string> taken;
  std::vector<Place> written;
  for (const flow::DumpedTensor& tensor : tensors) {
    const std::string stem = base::safe_file_name(tensor.name);
    std::string name = stem;
    for (int copy = 2; taken.contains(name); ++copy) name = fmt::format("{}_{}", stem, copy);
    taken.insert(name);
    written.push_back({"-o", (std::filesystem::path(command.output) / (name + ".npy")).string()});
  }
  refuse_overwriting(read_places(command, inputs), written);
  base::FileSet files;
  files.make_directory(command.output);
  std::string lines;
  for (size_t i = 0; i < tensors.size(); ++i) {
    files.add_text(written[i].file, base::to_npy(tensors[i].values));
    lines += fmt::format("{}: {}\n", base::printable(written[i].file), flow::heading_of(tensors[i]));
  }
  files.commit();
  if (!command.is_quiet) print_text(stdout, lines);
  return kExitSuccess;
}

/// To the file in its format, or as text to standard output.
template <typename Npy, typename Hex, typename Text>
int write_one(const DumpCommand& command, const std::string& heading, const Npy& npy, const Hex& hex, const Text& text) {
  if (command.output.empty()) {
    print_text(stdout, text());
    return kExitSuccess;
  }
  const std::string ending = std::filesystem::path(command.output).extension().string();
  base::write_text_file(command.output, ending == ".npy" ? npy() : ending == ".hex" ? hex() : text());
  if (!command.is_quiet) print_text(stdout, fmt::format("{}: {}\n", base::printable(command.output), heading));
  return kExitSuccess;
}

int dump_tensor(const DumpCommand& command, const Job& job) {
  std::vector<int32_t> wanted;
  if (*command.tensor == "all") {
    for (int32_t i = 0; i < static_cast<int32_t>(job.package.tensors.size()); ++i) {
      if (flow::is_dumped(job.package, i)) wanted.push_back(i);
    }
  } else {
    wanted.push_back(choose_tensor(job.package, *command.tensor));
  }
  set_activity("simulating");
  const flow::TensorDump dump = flow::dump_tensors(job.package, job.inputs, wanted);
  if (!dump.job.is_done()) return report_failure(command.model, dump.job);
  set_activity("writing the dump");
  if (*command.tensor == "all") return write_all(command, flow::ends_of(job.package).inputs, dump.tensors);
  const flow::DumpedTensor& tensor = dump.tensors.front();
  return write_one(
      command, flow::heading_of(tensor), [&] { return base::to_npy(tensor.values); }, [&] { return flow::to_hex(tensor); },
      [&] { return flow::to_text(tensor); });
}

int dump_memory(const DumpCommand& command, const Job& job) {
  const SramWindow& window = *command.sram;
  const int64_t sram_bytes = job.package.config.sram_bytes;
  if (window.to_bytes > sram_bytes) {
    throw base::UserError("--sram", "bytes {} to {} lie outside the SRAM, which has {}", window.from_bytes, window.to_bytes,
                          sram_bytes);
  }
  set_activity("simulating");
  const flow::SramDump dump = flow::dump_sram(job.package, job.inputs, window.from_bytes, window.to_bytes, window.cycle);
  if (!dump.job.is_done()) return report_failure(command.model, dump.job);
  if (window.cycle > dump.job.cycles) {
    throw base::UserError("--sram", "cycle {} is beyond the end, the last command ends in cycle {}", window.cycle,
                          dump.job.cycles);
  }
  if (std::find(dump.is_written.begin(), dump.is_written.end(), true) == dump.is_written.end()) {
    throw base::UserError("--sram", "nobody has written a byte from {} to {} by the end of cycle {}", window.from_bytes,
                          window.to_bytes, window.cycle);
  }
  set_activity("writing the dump");
  return write_one(
      command, flow::heading_of(dump, window.cycle),
      [&] {
        return base::to_npy(base::NpyArray{"uint8", {window.to_bytes - window.from_bytes}, dump.bytes});
      },
      [&] { return flow::to_hex(dump, window.cycle); }, [&] { return flow::to_text(dump, window.cycle); });
}

}  // namespace

int dump(const DumpCommand& command) {
  if (!command.output.empty() && command.tensor != "all")
    check_file_places("-o", {command.output}, {".npy", ".hex", ".txt"});
  return with_memory_errors(command.model, [&] {
    const Job job = load(command);
    return command.tensor ? dump_tensor(command, job) : dump_memory(command, job);
  });
}

}  // namespace vernier::cli
