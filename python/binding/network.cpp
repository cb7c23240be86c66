// SPDX-License-Identifier: Apache-2.0
#include "python/binding/network.hpp"

#include "hw/base/parse_bytes.hpp"
#include "python/binding/without_python.hpp"
#include "sim/flow/files/output_files.hpp"
#include "sim/flow/look/dump.hpp"
#include "sim/flow/look/dump_text.hpp"
#include "sim/flow/look/explain.hpp"
#include "sim/flow/model/boundary_values.hpp"
#include "sim/flow/model/choices.hpp"
#include "sim/flow/model/inputs.hpp"

#include <algorithm>
#include <nanobind/stl/string.h>

namespace vernier::python {
namespace {

flow::InputArrays arrays_of(const GivenArrays& given_arrays) {
  flow::InputArrays arrays;
  for (const auto& [name, given] : given_arrays) {
    const auto& [dtype, array, is_swapped] = given;
    arrays.emplace(name, to_array(dtype, array, is_swapped));
  }
  return arrays;
}

base::Shape shape_of(const flow::End& end) { return end.source ? package::source_shape(*end.source, end.shape) : end.shape; }

}  // namespace

std::mutex& one_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

Lines Finished::lines_of(const std::optional<flow::Failure>& failure) {
  return failure ? flow::messages(*failure) : Lines();
}

std::string Finished::text(int64_t width_columns) const {
  return report::to_text(result_.report, {.width_columns = width_columns});
}

std::vector<nanobind::object> Finished::outputs() const {
  std::vector<nanobind::object> arrays;
  for (size_t i = 0; i < result_.outputs.size(); ++i) {
    const flow::End& end = result_.output_ends[i];
    std::optional<base::NpyArray> floats = flow::float_array_of(result_.output_ends, result_.outputs, i);
    arrays.push_back(nanobind::make_tuple(end.name, to_numpy(flow::array_of(end, result_.outputs[i])),
                                          floats ? to_numpy(*std::move(floats)) : nanobind::none()));
  }
  return arrays;
}

std::vector<nanobind::object> Finished::variables() const {
  std::vector<nanobind::object> arrays;
  for (size_t i = 0; i < result_.variables.size(); ++i)
    arrays.push_back(nanobind::make_tuple(result_.report.variables[i].name, to_numpy(base::to_array(result_.variables[i]))));
  return arrays;
}

Lines Finished::trace(const TraceChoice& choice) const {
  flow::RunRequest request = request_;
  request.no_check = true;
  request.check_all = false;
  request.finds_least_bandwidth = false;
  request.traces.waves = choice.waves;
  request.traces.timelines = choice.timelines;
  request.traces.wave_scope = choice.scope;
  request.traces.wave_layer = choice.layer;
  if (choice.cycles) request.traces.wave_window = flow::WaveWindow{choice.cycles->first, choice.cycles->second};
  return lines_of(without_python([&](const flow::Observer& observer) { return flow::run(request, observer); }).failure);
}

std::tuple<Lines, std::string, std::string> Finished::explain(const std::string& layer, int64_t width_columns) const {
  flow::ExplainRequest request{.model = request_.model, .machine = request_.machine, .loaded = request_.loaded};
  request.layer = layer;
  const flow::ExplainResult result =
      without_python([&](const flow::Observer& observer) { return flow::explain(request, observer); });
  if (result.failure) return {lines_of(result.failure), {}, {}};
  return {Lines(), report::to_json(result.story), report::to_text(result.story, {.width_columns = width_columns}, true)};
}

std::pair<Lines, nanobind::object> Finished::tensor(const std::string& name) const {
  flow::DumpRequest request{.model = request_.model, .machine = request_.machine, .loaded = request_.loaded};
  request.compiled = request_.compiled;
  request.tensor = name;
  request.arrays = request_.arrays;
  request.variable_arrays = request_.variable_arrays;
  request.seed = request_.seed;
  const flow::DumpResult result =
      without_python([&](const flow::Observer& observer) { return flow::dump(request, observer); });
  if (result.failure) return {lines_of(result.failure), nanobind::none()};
  return {Lines(), to_numpy(flow::to_array(result.tensors.front()))};
}

flow::RunRequest Program::request(const std::string& command_line) const {
  flow::RunRequest request;
  request.command_line = command_line;
  request.model = model_->file;
  request.machine = machine_;
  request.loaded = model_;
  request.compiled = package_;
  return request;
}

Finished Program::run(const std::string& command_line, const RunOptions& options) const {
  flow::RunRequest request = this->request(command_line);
  request.arrays = arrays_of(options.inputs);
  request.variable_arrays = arrays_of(options.variables);
  request.no_check = !options.check;
  request.check_all = options.check_all;
  request.seed = options.seed;
  request.iterations = options.iterations;
  request.carries = options.carries;
  if (options.control) flow::check_choice("--control", *options.control, {"direct", "cpu"});
  request.control = options.control;
  if (options.injection) request.injection = flow::parse_injection(*options.injection);
  if (options.reruns) request.rerun_folder = "";  // the working folder
  flow::RunResult result = without_python([&](const flow::Observer& observer) { return flow::run(request, observer); });
  return {std::move(request), std::move(result)};
}

Finished Program::estimate(const std::string& command_line, bool finds_least_bandwidth) const {
  flow::RunRequest request = this->request(command_line);
  request.values = false;
  request.finds_least_bandwidth = finds_least_bandwidth;
  flow::RunResult result = without_python([&](const flow::Observer& observer) { return flow::run(request, observer); });
  return {std::move(request), std::move(result)};
}

flow::SessionRequest Program::session(const GivenArrays& inputs, uint64_t seed) const {
  return {model_, package_, arrays_of(inputs), seed};
}

Network Network::load(const std::string& file, const ReadOptions& options) {
  flow::MachineOptions read;
  flow::check_choice("--level", options.level, {"8k", "none"});
  read.level = options.level;
  read.batch = options.batch;
  read.shapes = options.shapes;
  read.encodings = options.encodings;
  read.signature = options.signature;
  if (options.tflite_rounding) read.tflite_rounding = flow::tflite_rounding_of(*options.tflite_rounding);
  auto model = without_python([&](const flow::Observer& observer) {
    observer.phase("reading " + file);
    return std::make_shared<const flow::Model>(flow::load_model(file, read));
  });
  return {std::move(model), std::move(read)};
}

Program Network::compile(const CompileOptions& options) const {
  flow::MachineOptions machine = options_;
  machine.config = options.config;
  machine.memory = options.memory;
  if (options.memory) flow::check_choice("--memory", *options.memory, {"sram", "weights-external", "external"});
  if (options.sram_bytes) machine.sram_bytes = base::parse_bytes("--sram-bytes", *options.sram_bytes);
  machine.optimize = options.optimize;
  machine.sets = options.sets;
  auto package = without_python([&](const flow::Observer& observer) {
    observer.phase("compiling");
    return std::make_shared<const package::Package>(flow::package_of(*model_, machine));
  });
  return {model_, std::move(machine), std::move(package)};
}

std::vector<EndText> Network::inputs() const {
  const std::vector<flow::End> ends = flow::ends_of(*model_).inputs;
  std::vector<EndText> texts;
  for (const std::string& name : flow::given_inputs(ends)) {
    const flow::End& end = *std::ranges::find(ends, name, &flow::End::name);
    texts.push_back(
        {name, end.source ? flow::input_dtypes(*end.source, end.type) : flow::dtype_of(end, end.type), shape_of(end)});
  }
  return texts;
}

std::vector<EndText> Network::outputs() const {
  std::vector<EndText> texts;
  for (const flow::End& end : flow::ends_of(*model_).outputs)
    texts.push_back({end.name, flow::dtype_of(end, end.type), shape_of(end)});
  return texts;
}

}  // namespace vernier::python
