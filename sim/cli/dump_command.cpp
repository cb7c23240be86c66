// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/dump_command.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/npy.hpp"
#include "hw/base/text.hpp"
#include "hw/package/stream_commands.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/failure.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/outputs.hpp"
#include "sim/cli/places.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/tensor_choice.hpp"
#include "sim/flow/accumulator_dump.hpp"
#include "sim/flow/dump_text.hpp"
#include "sim/flow/ends.hpp"
#include "sim/flow/inputs.hpp"
#include "sim/flow/model.hpp"
#include "sim/flow/source_layout.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <numeric>
#include <set>
#include <utility>

namespace vernier::cli {
namespace {

/// What it is run with: the same as of `run`.
struct Job {
  flow::Model model;
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

Job load(const DumpCommand& command, Progress& progress) {
  progress.phase("reading " + command.model);
  flow::Model model = flow::load_model(command.model, command.machine);
  progress.phase("compiling");
  package::Package package = flow::package_of(model, command.machine);
  Job job{std::move(model), std::move(package), {}};
  const std::vector<flow::End> inputs = flow::ends_of(job.package).inputs;
  if (!command.output.empty() && command.tensor != "all")
    refuse_overwriting(read_places(command, inputs), {{"-o", command.output}});
  job.inputs = flow::make_inputs(inputs, command.inputs, command.seed, job.model.open_inputs);
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
    files.add_text(written[i].file, flow::to_npy(tensors[i]));
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

int write_tensor(const DumpCommand& command, const flow::DumpedTensor& tensor) {
  return write_one(
      command, flow::heading_of(tensor), [&] { return flow::to_npy(tensor); }, [&] { return flow::to_hex(tensor); },
      [&] { return flow::to_text(tensor); });
}

int dump_tensor(const DumpCommand& command, const Job& job, Progress& progress) {
  std::vector<int32_t> wanted;
  if (*command.tensor == "all") {
    for (int32_t i = 0; i < static_cast<int32_t>(job.package.tensors.size()); ++i) {
      if (flow::is_dumped(job.package, i)) wanted.push_back(i);
    }
  } else {
    wanted.push_back(choose_tensor({}, job.model, job.package, *command.tensor));
  }
  progress.phase("simulating");
  flow::TensorDump dump = flow::dump_tensors(job.package, job.inputs, wanted);
  if (!dump.job.is_done()) return report_failure(command.model, dump.job);
  for (flow::DumpedTensor& tensor : dump.tensors) tensor = flow::as_in_source(std::move(tensor), job.model);
  progress.done();
  set_activity("writing the dump");
  if (*command.tensor == "all") return write_all(command, flow::ends_of(job.package).inputs, dump.tensors);
  return write_tensor(command, dump.tensors.front());
}

/// "command 3 ends there in cycle 500, command 4 begins in cycle 620"
std::string commands_around(const soc::JobResult& timed, int64_t cycle) {
  std::string before, after;
  for (size_t i = 0; i < timed.commands.size(); ++i) {
    const units::CommandRecord& record = timed.commands[i];
    if (record.work != units::Work::Array) continue;
    if (record.end_cycle <= cycle) before = fmt::format("; command {} left it in cycle {}", i, record.end_cycle);
    if (record.start_cycle > cycle && after.empty())
      after = fmt::format("; command {} comes in cycle {}", i, record.start_cycle);
  }
  return before + after;
}

/// The command at that cycle of `timed`, a job of the package.
int32_t command_at(const soc::JobResult& timed, int64_t cycle) {
  if (cycle >= timed.cycles)
    throw base::UserError("--accumulator", "cycle {} is beyond the end: the run has {} cycles", cycle, timed.cycles);
  const int32_t found = flow::command_on_array(timed, cycle);
  if (found < 0) {
    throw base::UserError("--accumulator", "no command is on the MAC array in cycle {}{}", cycle,
                          commands_around(timed, cycle));
  }
  return found;
}

int32_t checked_command(const package::Package& package, int64_t command_idx) {
  const std::vector<package::StreamCommand> commands = package::stream_commands(package);
  std::vector<int64_t> macs;
  for (size_t i = 0; i < commands.size(); ++i) {
    if (std::holds_alternative<spec::MacCommand>(commands[i].command.body)) macs.push_back(static_cast<int64_t>(i));
  }
  if (std::find(macs.begin(), macs.end(), command_idx) != macs.end()) return static_cast<int32_t>(command_idx);
  if (macs.empty()) throw base::UserError("--accumulator", "this program has no command for the MAC array");
  throw base::UserError("--accumulator", "command {} is none of the MAC array, of its commands the first is {}, the last {}",
                        command_idx, macs.front(), macs.back());
}

int dump_accumulators(const DumpCommand& command, const Job& job, Progress& progress) {
  const AccumulatorChoice& choice = *command.accumulator;
  flow::AccumulatorDump dump;
  progress.phase("simulating");
  if (choice.cycle || choice.command_idx) {
    int32_t command_idx = -1;
    if (choice.cycle) {
      soc::JobOptions timed;
      timed.values = false;
      const soc::JobResult result =
          soc::Npu(job.package.config).run(job.package, flow::zero_inputs(flow::ends_of(job.package).inputs), timed);
      if (!result.is_done()) return report_failure(command.model, result);
      command_idx = command_at(result, *choice.cycle);
    } else {
      command_idx = checked_command(job.package, *choice.command_idx);
    }
    dump = flow::dump_command_sums(job.package, job.inputs, command_idx);
  } else {
    const auto is_meant = [&](int32_t tensor_idx) { return flow::has_sums(job.package, tensor_idx); };
    const int32_t tensor_idx = choose_tensor({"--accumulator", "command:N and @CYCLE", " on the MAC array", is_meant},
                                             job.model, job.package, choice.name);
    if (!is_meant(tensor_idx)) {
      throw base::UserError("--accumulator", "tensor '{}' has no sums: the MAC array does not make it",
                            job.package.tensors[tensor_idx].name);
    }
    dump = flow::dump_tensor_sums(job.package, job.inputs, tensor_idx);
    if (dump.sums) dump.sums = flow::sums_as_in_source(std::move(*dump.sums), job.model);
  }
  if (!dump.job.is_done()) return report_failure(command.model, dump.job);
  progress.done();
  set_activity("writing the dump");
  return write_tensor(command, dump.sums.value());
}

int dump_memory(const DumpCommand& command, const Job& job, Progress& progress) {
  const SramWindow& window = *command.sram;
  const int64_t sram_bytes = job.package.config.sram_bytes;
  if (window.to_bytes > sram_bytes) {
    throw base::UserError("--sram", "bytes {} to {} lie outside the SRAM, which has {}", window.from_bytes, window.to_bytes,
                          sram_bytes);
  }
  progress.phase("simulating");
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
  progress.done();
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
    Progress progress;
    const Job job = load(command, progress);
    if (command.accumulator) return dump_accumulators(command, job, progress);
    return command.tensor ? dump_tensor(command, job, progress) : dump_memory(command, job, progress);
  });
}

}  // namespace vernier::cli
