// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/look/dump.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/npy.hpp"
#include "hw/base/text.hpp"
#include "hw/package/stream_commands.hpp"
#include "sim/flow/files/places.hpp"
#include "sim/flow/look/accumulator_dump.hpp"
#include "sim/flow/look/dump_text.hpp"
#include "sim/flow/model/ends.hpp"
#include "sim/flow/model/inputs.hpp"
#include "sim/flow/model/model.hpp"
#include "sim/flow/model/source_layout.hpp"
#include "sim/flow/model/tensor_choice.hpp"
#include "sim/flow/model/timed_job.hpp"
#include "sim/flow/model/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace vernier::flow {
namespace {

constexpr std::string_view kAll = "all";

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
  const int32_t found = command_on_array(timed, cycle);
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

/// What was loaded for a dump, and the steps from there.
class Dump {
 public:
  /// The model is run with the same inputs as by `run`.
  Dump(const DumpRequest& request, const Observer& observer) : request_(request), observer_(observer) {
    if (request.loaded) {
      model_ = request.loaded;
    } else {
      observer.phase("reading " + request.model);
      model_ = std::make_shared<const Model>(load_model(request.model, request.machine));
    }
    if (request.compiled) {
      package_ = *request.compiled;
    } else {
      observer.phase("compiling");
      package_ = package_of(*model_, request.machine);
    }
    const std::vector<End> ends = ends_of(package_).inputs;
    read_ = read_places(request.model, request.machine);
    for (const std::string& file : input_files(ends, request.inputs)) read_.push_back({"--input", file});
    for (const std::string& file : variable_files(*model_, request.variables)) read_.push_back({"--variable", file});
    if (!request.output.empty() && !is_of_all()) refuse_overwriting(read_, {{"-o", request.output}});
    inputs_ = make_inputs(ends, request.inputs, request.seed, model_->open_inputs, request.arrays);
    const std::vector<StartingVariable> starting = starting_variables(*model_, request.variables, request.variable_arrays);
    for (size_t i = 0; i < starting.size(); ++i) package_.variables[i].value = starting[i].value;
    observer.phase("simulating");
  }

  DumpResult result() {
    if (request_.accumulator) {
      dump_accumulators();
    } else if (request_.tensor) {
      dump_tensor();
    } else {
      dump_memory();
    }
    if (result_.failure || request_.output.empty()) return std::move(result_);
    observer_.phase("writing the dump");
    if (is_of_all()) {
      write_all();
    } else {
      write_one();
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is_of_all() const { return request_.tensor == kAll; }

  /// Whether the job came to its end.
  bool is_done(const soc::JobResult& job) {
    if (!job.is_done()) result_.failure = Failure{request_.model, MachineFailure{job.status, job.cycles}};
    return job.is_done();
  }

  void dump_tensor() {
    std::vector<int32_t> wanted;
    if (is_of_all()) {
      for (int32_t i = 0; i < static_cast<int32_t>(package_.tensors.size()); ++i) {
        if (is_dumped(package_, i)) wanted.push_back(i);
      }
    } else {
      wanted.push_back(choose_tensor({}, *model_, package_, *request_.tensor));
    }
    TensorDump found = dump_tensors(package_, inputs_, wanted);
    if (!is_done(found.job)) return;
    for (DumpedTensor& tensor : found.tensors) result_.tensors.push_back(as_in_source(std::move(tensor), *model_));
  }

  void dump_accumulators() {
    const AccumulatorChoice& choice = *request_.accumulator;
    AccumulatorDump found;
    if (choice.cycle) {
      const soc::JobResult job = timed_job(package_);
      if (!is_done(job)) return;
      found = dump_command_sums(package_, inputs_, command_at(job, *choice.cycle));
    } else if (choice.command_idx) {
      found = dump_command_sums(package_, inputs_, checked_command(package_, *choice.command_idx));
    } else {
      found = dump_tensor_sums(package_, inputs_, tensor_with_sums(choice.name));
      if (found.sums) found.sums = sums_as_in_source(std::move(*found.sums), *model_);
    }
    if (is_done(found.job)) result_.tensors.push_back(std::move(found.sums.value()));
  }

  [[nodiscard]] int32_t tensor_with_sums(const std::string& name) const {
    const auto is_meant = [&](int32_t tensor_idx) { return has_sums(package_, tensor_idx); };
    const int32_t tensor_idx =
        choose_tensor({"--accumulator", "command:N and @CYCLE", " on the MAC array", is_meant}, *model_, package_, name);
    if (!is_meant(tensor_idx)) {
      throw base::UserError("--accumulator", "tensor '{}' has no sums: the MAC array does not make it",
                            package_.tensors[tensor_idx].name);
    }
    return tensor_idx;
  }

  void dump_memory() {
    const SramWindow& window = request_.sram.value();
    const int64_t sram_bytes = package_.config.sram_bytes;
    if (window.to_bytes > sram_bytes) {
      throw base::UserError("--sram", "bytes {} to {} lie outside the SRAM, which has {}", window.from_bytes,
                            window.to_bytes, sram_bytes);
    }
    SramDump found = dump_sram(package_, inputs_, window.from_bytes, window.to_bytes, window.cycle);
    if (!is_done(found.job)) return;
    if (window.cycle > found.job.cycles) {
      throw base::UserError("--sram", "cycle {} is beyond the end, the last command ends in cycle {}", window.cycle,
                            found.job.cycles);
    }
    if (std::ranges::find(found.is_written, true) == found.is_written.end()) {
      throw base::UserError("--sram", "nobody has written a byte from {} to {} by the end of cycle {}", window.from_bytes,
                            window.to_bytes, window.cycle);
    }
    result_.sram = std::move(found);
    result_.sram_cycle = window.cycle;
  }

  /// A file for each, in the folder.
  void write_all() {
    std::set<std::string> taken;
    for (const DumpedTensor& tensor : result_.tensors) {
      const std::string stem = base::safe_file_name(tensor.name);
      std::string name = stem;
      for (int copy = 2; taken.contains(name); ++copy) name = fmt::format("{}_{}", stem, copy);
      taken.insert(name);
      result_.files.push_back((std::filesystem::path(request_.output) / (name + ".npy")).string());
    }
    refuse_overwriting(read_, places_of("-o", result_.files));
    base::FileSet files;
    files.make_directory(request_.output);
    for (size_t i = 0; i < result_.tensors.size(); ++i) files.add_text(result_.files[i], to_npy(result_.tensors[i]));
    files.commit();
  }

  /// To the file in its format.
  void write_one() {
    const std::string ending = ending_of(request_.output);
    base::write_text_file(request_.output, ending == ".npy"   ? npy_text()
                                           : ending == ".hex" ? hex_text()
                                                              : flow::to_text(result_));
    result_.files = {request_.output};
  }
  [[nodiscard]] std::string npy_text() const {
    if (!result_.sram) return to_npy(result_.tensors.front());
    const SramDump& sram = *result_.sram;
    return base::to_npy(base::NpyArray{"uint8", {static_cast<int64_t>(sram.bytes.size())}, sram.bytes});
  }
  [[nodiscard]] std::string hex_text() const {
    return result_.sram ? to_hex(*result_.sram, result_.sram_cycle) : to_hex(result_.tensors.front());
  }

  const DumpRequest& request_;
  const Observer& observer_;
  std::shared_ptr<const Model> model_;
  package::Package package_;
  std::vector<base::Tensor> inputs_;
  std::vector<Place> read_;
  DumpResult result_;
};

}  // namespace

DumpResult dump(const DumpRequest& request, const Observer& observer) {
  if (static_cast<int>(request.tensor.has_value()) + static_cast<int>(request.sram.has_value()) +
          static_cast<int>(request.accumulator.has_value()) !=
      1)
    throw base::UserError("dump", "needs one of --tensor, --sram and --accumulator");
  if (!request.output.empty() && request.tensor != kAll) check_file_places("-o", {request.output}, {".npy", ".hex", ".txt"});
  return Dump(request, observer).result();
}

std::vector<std::string> file_lines(const DumpResult& result) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < result.files.size(); ++i) {
    lines.push_back(fmt::format("{}: {}", base::printable(result.files[i]),
                                result.sram ? heading_of(*result.sram, result.sram_cycle) : heading_of(result.tensors[i])));
  }
  return lines;
}

std::string to_text(const DumpResult& result) {
  return result.sram ? to_text(*result.sram, result.sram_cycle) : to_text(result.tensors.at(0));
}

}  // namespace vernier::flow
