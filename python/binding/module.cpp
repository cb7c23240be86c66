// SPDX-License-Identifier: Apache-2.0
// vernier._vernier: the names that Python sees. docs/guides/python.md shows the package that is written over it.
#include "hw/base/error.hpp"
#include "hw/base/parse_bytes.hpp"
#include "python/binding/network.hpp"
#include "python/binding/session.hpp"
#include "sim/flow/files/compare.hpp"
#include "sim/flow/files/version.hpp"
#include "sim/flow/model/choices.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <tuple>

// The SystemC library calls it from a main() that Python does not use; it has to be seen from there.
#pragma GCC visibility push(default)
extern "C" int sc_main(int, char**);
extern "C" int sc_main(int, char**) { return 0; }
#pragma GCC visibility pop

namespace nb = nanobind;

namespace vernier::python {
namespace {

using EndTuple = std::tuple<std::string, std::string, base::Shape>;
using Texts = std::vector<std::pair<std::string, std::string>>;

std::vector<EndTuple> tuples_of(const std::vector<EndText>& ends) {
  std::vector<EndTuple> tuples;
  for (const EndText& end : ends) tuples.emplace_back(end.name, end.dtypes, end.shape);
  return tuples;
}

/// The class is written in Python; what a file or a name has in it need not be UTF-8.
void raise_input_error(const std::exception_ptr& error, void* /*unused*/) {
  try {
    std::rethrow_exception(error);
  } catch (const base::UserError& mistake) {
    const std::string_view what = mistake.what();
    const nb::object text =
        nb::steal(PyUnicode_DecodeUTF8(what.data(), static_cast<Py_ssize_t>(what.size()), "backslashreplace"));
    const nb::object type = nb::module_::import_("vernier._errors").attr("InputError");
    PyErr_SetObject(type.ptr(), text.ptr());
  }
}

/// Keys and values as `vernier config show` prints them.
Texts config_values(const std::string& config, const std::string& memory, const std::map<std::string, std::string>& sets) {
  flow::MachineOptions options;
  options.config = config;
  options.memory = memory;
  options.sets = sets;
  flow::check_choice("--memory", memory, {"sram", "weights-external", "external"});
  Texts texts;
  for (const config::ConfigValue& one : config::values_of(flow::config_of(options))) texts.emplace_back(one.key, one.value);
  return texts;
}

/// JSON, HTML and text of the comparison of reports, which are given by name and JSON text.
std::tuple<std::string, std::string, std::string> compare(const Texts& reports, int64_t width_columns) {
  const report::Comparison comparison = report::compare(reports);
  return {report::to_json(comparison, flow::tool_version()), report::to_html(comparison, flow::tool_version()),
          report::to_text(comparison, {.width_columns = width_columns})};
}

void add_run(nb::module_& module) {
  nb::class_<Finished>(module, "Finished")
      .def("failure", &Finished::failure)
      .def("verdict", &Finished::verdict)
      .def("json", &Finished::json)
      .def("csv", &Finished::csv)
      .def("html", &Finished::html)
      .def("text", &Finished::text, nb::arg("width_columns"))
      .def("summary", &Finished::summary)
      .def("outputs", &Finished::outputs,
           nb::sig("def outputs(self) -> list[tuple[str, numpy.typing.NDArray[typing.Any], "
                   "numpy.typing.NDArray[numpy.float32] | None]]"))
      .def("variables", &Finished::variables,
           nb::sig("def variables(self) -> list[tuple[str, numpy.typing.NDArray[typing.Any]]]"))
      .def("has_values", &Finished::has_values)
      .def(
          "trace",
          [](const Finished& run, std::vector<std::string> waves, std::vector<std::string> timelines,
             std::optional<std::string> scope, std::optional<std::string> layer,
             std::optional<std::pair<int64_t, int64_t>> cycles) {
            return run.trace({std::move(waves), std::move(timelines), std::move(scope), std::move(layer), cycles});
          },
          nb::arg("waves"), nb::arg("timelines"), nb::arg("scope").none(), nb::arg("layer").none(), nb::arg("cycles").none())
      .def("explain", &Finished::explain, nb::arg("layer"), nb::arg("width_columns"))
      .def("tensor", &Finished::tensor, nb::arg("name"),
           nb::sig("def tensor(self, name: str) -> tuple[list[str], numpy.typing.NDArray[typing.Any]]"));
}

void add_program(nb::module_& module) {
  nb::class_<Program>(module, "Program")
      .def(
          "run",
          [](const Program& program, const std::string& command_line, GivenArrays inputs, GivenArrays variables, bool check,
             bool check_all, uint64_t seed, int64_t iterations, std::vector<std::string> carries,
             std::optional<std::string> control, std::optional<std::string> injection, bool reruns) {
            return program.run(command_line, {std::move(inputs), std::move(variables), check, check_all, seed, iterations,
                                              std::move(carries), std::move(control), std::move(injection), reruns});
          },
          nb::arg("command_line"), nb::arg("inputs"), nb::arg("variables"), nb::arg("check"), nb::arg("check_all"),
          nb::arg("seed"), nb::arg("iterations"), nb::arg("carries"), nb::arg("control").none(), nb::arg("injection").none(),
          nb::arg("reruns"),
          nb::sig(
              "def run(self, command_line: str, "
              "inputs: collections.abc.Mapping[str, tuple[str, numpy.typing.NDArray[typing.Any], bool]], "
              "variables: collections.abc.Mapping[str, tuple[str, numpy.typing.NDArray[typing.Any], bool]], check: bool, "
              "check_all: bool, seed: int, iterations: int, carries: collections.abc.Sequence[str], "
              "control: str | None, injection: str | None, reruns: bool) -> Finished"))
      .def("estimate", &Program::estimate, nb::arg("command_line"), nb::arg("finds_least_bandwidth"))
      .def(
          "start",
          [](const Program& program, const GivenArrays& inputs, uint64_t seed) {
            return std::make_unique<Session>(program.session(inputs, seed));
          },
          nb::arg("inputs"), nb::arg("seed"),
          nb::sig(
              "def start(self, inputs: collections.abc.Mapping[str, tuple[str, numpy.typing.NDArray[typing.Any], bool]], "
              "seed: int) -> Session"));
}

void add_session(nb::module_& module) {
  nb::class_<Session>(module, "Session")
      .def("failure", &Session::failure)
      .def("cycle", &Session::cycle)
      .def("cycles", &Session::cycles)
      .def("num_commands", &Session::num_commands)
      .def("run_to_cycle", &Session::run_to_cycle, nb::arg("cycle"))
      .def("run_to_command", &Session::run_to_command, nb::arg("command"))
      .def("run_to_layer", &Session::run_to_layer, nb::arg("layer"))
      .def("step", &Session::step)
      .def("restore", &Session::restore, nb::arg("cycle"))
      .def("memory_bytes", &Session::memory_bytes, nb::arg("is_external"))
      .def("read", &Session::read, nb::arg("is_external"), nb::arg("offset"), nb::arg("num_bytes"),
           nb::sig("def read(self, is_external: bool, offset: int, num_bytes: int) -> numpy.typing.NDArray[numpy.uint8]"))
      .def("accumulators", &Session::accumulators, nb::sig("def accumulators(self) -> numpy.typing.NDArray[numpy.int64]"))
      .def("registers", &Session::registers)
      .def("queues", &Session::queues)
      .def("outputs", &Session::outputs, nb::sig("def outputs(self) -> list[tuple[str, numpy.typing.NDArray[typing.Any]]]"));
}

void add_network(nb::module_& module) {
  nb::class_<Network>(module, "Network")
      .def(
          "compile",
          [](const Network& network, std::optional<std::string> config, std::optional<std::string> memory,
             std::optional<std::string> sram_bytes, std::optional<int64_t> optimize,
             std::map<std::string, std::string> sets) {
            return network.compile({std::move(config), std::move(memory), std::move(sram_bytes), optimize, std::move(sets)});
          },
          nb::arg("config").none(), nb::arg("memory").none(), nb::arg("sram_bytes").none(), nb::arg("optimize").none(),
          nb::arg("sets"))
      .def("inputs", [](const Network& network) { return tuples_of(network.inputs()); })
      .def("outputs", [](const Network& network) { return tuples_of(network.outputs()); })
      .def("notes", &Network::notes);
}

}  // namespace

NB_MODULE(_vernier, module) {
  nb::set_leak_warnings(false);  // the package prints nothing, also where a program ends while it holds a run
  nb::register_exception_translator(raise_input_error);
  add_run(module);
  add_program(module);
  add_session(module);
  add_network(module);
  module.def(
      "load",
      [](const std::string& file, std::string level, std::optional<int64_t> batch, std::map<std::string, base::Shape> shapes,
         std::optional<std::string> encodings, std::optional<std::string> signature,
         std::optional<std::string> tflite_rounding) {
        return Network::load(file, {std::move(level), batch, std::move(shapes), std::move(encodings), std::move(signature),
                                    std::move(tflite_rounding)});
      },
      nb::arg("file"), nb::arg("level"), nb::arg("batch").none(), nb::arg("shapes"), nb::arg("encodings").none(),
      nb::arg("signature").none(), nb::arg("tflite_rounding").none());
  module.def("config_values", &config_values, nb::arg("config"), nb::arg("memory"), nb::arg("sets"));
  module.def("parse_bytes", &base::parse_bytes, nb::arg("subject"), nb::arg("text"));
  module.def("compare", &compare, nb::arg("reports"), nb::arg("width_columns"));
  module.def("version", &flow::tool_version);
}

}  // namespace vernier::python
