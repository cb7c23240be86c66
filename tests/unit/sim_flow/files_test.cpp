// SPDX-License-Identifier: Apache-2.0
// The functions from file to file: compile, disassemble, convert, compare, quantize, encodings.
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/npy.hpp"
#include "sim/flow/files/compare.hpp"
#include "sim/flow/files/compile.hpp"
#include "sim/flow/files/convert.hpp"
#include "sim/flow/files/disassemble.hpp"
#include "sim/flow/files/encodings.hpp"
#include "sim/flow/files/quantize.hpp"
#include "sim/flow/files/version.hpp"
#include "sim/flow/run/run.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/sim_flow/demo.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace vernier::flow {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
namespace fs = std::filesystem;

base::NpyArray float_array(const std::vector<float>& values) {
  base::NpyArray array{"float32", {std::ssize(values)}, std::vector<std::byte>(values.size() * sizeof(float))};
  std::memcpy(array.data.data(), values.data(), array.data.size());
  return array;
}

TEST_CASE("compile: a network becomes a package, in memory and as the same file") {
  const tests::TemporaryDirectory folder;
  const CompileResult in_memory = compile({.model = tests::demo_file()});
  REQUIRE(in_memory.package);
  CHECK(in_memory.file_bytes == 0);
  CHECK(in_memory.package->config.name == "v256");
  const std::string file = (folder / "demo.vnpu").string();
  std::vector<std::string> phases;
  Observer observer;
  observer.on_phase = [&](const std::string& text) { phases.push_back(text); };
  const CompileResult written = compile({.model = tests::demo_file(), .output = file}, observer);
  CHECK(phases == std::vector<std::string>{"reading " + tests::demo_file(), "compiling", "writing the package"});
  CHECK(written.file_bytes == static_cast<int64_t>(fs::file_size(file)));
  CHECK(base::read_file(file) == package::to_bytes(*in_memory.package));
  CHECK_THROWS_WITH(compile({.model = tests::demo_file(), .output = tests::demo_file()}), Contains("would overwrite MODEL"));
}

TEST_CASE("compile: a stage is shown before what comes after it fails") {
  std::vector<std::string> shown;
  CompileRequest request{.model = tests::demo_file(), .stage = "ir"};
  request.on_stage = [&](const std::string& text) { shown.push_back(text); };
  CHECK_FALSE(compile(request).package);  // only the stage was asked for
  REQUIRE(shown.size() == 1);
  CHECK_THAT(shown[0], Contains("CONV2D"));
  request.stage = "stream";
  CHECK(compile(request).package);
  REQUIRE(shown.size() == 2);
  CHECK_THAT(shown[1], Contains("mac"));
  CHECK(shown[1] != shown[0]);
  const tests::TemporaryDirectory folder;
  request.stage = "schedule";
  request.output = (folder / "missing/demo.vnpu").string();
  CHECK_THROWS_AS(compile(request), base::UserError);
  CHECK(shown.size() == 3);
  request.stage = "streams";
  CHECK_THROWS_WITH(compile(request), Contains("did you mean 'stream'?"));
}

TEST_CASE("disassemble: all commands of a package, those of a unit, and what a run says of them") {
  const tests::TemporaryDirectory folder;
  const std::string file = (folder / "demo.vnpu").string(), json = (folder / "d.json").string();
  compile({.model = tests::demo_file(), .output = file});
  const Disassembly all = disassemble({.package = file, .report_files = {json}});
  CHECK(all.remarks.empty());
  CHECK_FALSE(all.is_wanted);
  CHECK(base::read_text_file(json) == to_json(all));
  CHECK_THAT(to_json(all), Contains("vernier-disasm/1"));
  const Disassembly of_array = disassemble({.package = file, .unit = "mac_array"});
  CHECK(to_text(of_array, 100).size() < to_text(all, 100).size());
  CHECK(to_json(of_array).size() < to_json(all).size());
  const std::string report = (folder / "r.json").string();
  run({.model = file, .report_files = {report}});
  const Disassembly with_cycles = disassemble({.package = file, .cycles = report});
  CHECK(with_cycles.remarks.size() == all.package.command_layers.size());
  CHECK(to_text(with_cycles, 100) != to_text(all, 100));
  CHECK_THROWS_WITH(disassemble({.package = file, .layer = "no such layer"}), StartsWith("--layer: no layer"));
}

TEST_CASE("convert: a file of TOSA in which nothing changes is copied") {
  const tests::TemporaryDirectory folder;
  const std::string file = (folder / "out.tosa").string();
  const ConvertResult result = convert({.model = tests::demo_file(), .output = file});
  CHECK(result.is_copy);
  CHECK(result.num_operators > 0);
  CHECK(result.boundary_file.empty());
  CHECK(base::read_file(file) == base::read_file(tests::demo_file()));
  CHECK(result.file_bytes == static_cast<int64_t>(fs::file_size(file)));
  CHECK_THROWS_WITH(convert({.model = tests::demo_file(), .output = (folder / "out.onnx").string()}),
                    Contains("is neither OUT.tosa nor OUT.mlir"));
  CHECK_FALSE(fs::exists(folder / "out.onnx"));
}

TEST_CASE("compare: the figures of two runs beside each other") {
  const tests::TemporaryDirectory folder;
  const std::string small = (folder / "v64.json").string(), large = (folder / "v1024.json").string();
  MachineOptions machine;
  machine.config = "v64";
  const RunResult first = run({.model = tests::demo_file(), .machine = machine, .report_files = {small}});
  machine.config = "v1024";
  const RunResult second = run({.model = tests::demo_file(), .machine = machine, .report_files = {large}});
  const report::Comparison comparison =
      compare(CompareRequest{.files = {small, large}, .report_files = {(folder / "c.json").string()}});
  REQUIRE(comparison.totals.size() == 2);
  CHECK(comparison.totals[0].cycles == first.report.cycles);
  CHECK(comparison.totals[1].cycles == second.report.cycles);
  CHECK(first.report.cycles > second.report.cycles);
  CHECK_FALSE(comparison.differences.empty());
  CHECK(base::read_text_file(folder / "c.json") == report::to_json(comparison, tool_version()));
  CHECK_THROWS_WITH(compare(CompareRequest{.files = {small}}), Contains("two or more are to be compared"));
}

TEST_CASE("quantize and dequantize: codes, the range that they stand for, and back") {
  const tests::TemporaryDirectory folder;
  const std::string reals = (folder / "x.npy").string(), codes = (folder / "q.npy").string(),
                    back = (folder / "y.npy").string();
  const base::NpyArray input = float_array({-1.0F, 0.0F, 0.25F, 1.0F});
  base::write_text_file(reals, base::to_npy(input));
  QuantizeRequest request{
      .input = reals, .mode = "SCALED", .type = "qint8", .min = "-1", .max = "1", .narrow_range = true, .output = codes};
  const QuantizeResult quantized = quantize(request);
  CHECK(quantized.warnings.empty());
  REQUIRE(quantized.min.size() == 1);
  CHECK(quantized.min[0] == -1.0F);
  CHECK(quantized.max[0] == 1.0F);
  const std::vector<std::byte> expected{std::byte{0x81}, std::byte{0}, std::byte{32}, std::byte{127}};
  CHECK(quantized.values.data == expected);
  CHECK(base::read_npy_array(codes, "int8").data == expected);
  request.is_dequantize = true;
  request.input = codes;
  request.output = back;
  const QuantizeResult dequantized = quantize(request);
  CHECK(dequantized.min.empty());
  CHECK(dequantized.values.data.size() == input.data.size());
  CHECK(std::equal(input.data.begin(), input.data.begin() + 2 * sizeof(float), dequantized.values.data.begin()));
  request.mode = "scaled";
  CHECK_THROWS_WITH(quantize(request), Contains("--mode: 'scaled' is not one of") && Contains("did you mean 'SCALED'?"));
}

TEST_CASE("encodings: checked, and written in another version") {
  const tests::TemporaryDirectory folder;
  const std::string file = (folder / "e.encodings").string(), other = (folder / "f.encodings").string();
  constexpr const char* kText =
      R"({"version": "1.0.0",
          "activation_encodings": [{"name": "x", "bw": 8, "dtype": "INT", "is_sym": false, "enc_type": "PER_TENSOR",
                                    "scale": [0.5], "offset": [-10.0]}],
          "param_encodings": [{"name": "w", "bw": 8, "dtype": "INT", "is_sym": true, "enc_type": "PER_CHANNEL",
                               "scale": [0.5, 0.25], "offset": [-128.0, -128.0]}]})";
  base::write_text_file(file, kText);
  const CheckedEncodings checked = check_encodings(file);
  CHECK(checked.is_legal);
  CHECK(checked.findings.empty());
  CHECK(checked.summary.version == "1.0.0");
  CHECK(to_text(checked.summary) == "2 tensors (1 activation, 1 parameter; 1 per channel)");
  const WrittenEncodings written = convert_encodings(file, other, "2.0.0");
  CHECK(written.is_written);
  CHECK(written.num_tensors == 2);
  CHECK_FALSE(written.lost.empty());  // which of them are activations
  const CheckedEncodings again = check_encodings(other);
  CHECK(again.summary.version == "2.0.0");
  CHECK_FALSE(again.summary.has_roles);
  base::write_text_file(file, R"({"version": "1.0.0", "activation_encodings": [{"name": "x"}], "param_encodings": []})");
  const CheckedEncodings wrong = check_encodings(file);
  CHECK_FALSE(wrong.is_legal);
  REQUIRE_FALSE(wrong.findings.empty());
  CHECK_THAT(wrong.findings[0], StartsWith(file + ":1: error: "));
  CHECK_FALSE(convert_encodings(file, (folder / "g.encodings").string(), "2.0.0").is_written);
  CHECK_FALSE(fs::exists(folder / "g.encodings"));
  CHECK_THROWS_WITH(export_encodings(tests::demo_file(), other, "1.0.0"), Contains("is no ONNX file"));
}

}  // namespace
}  // namespace vernier::flow
