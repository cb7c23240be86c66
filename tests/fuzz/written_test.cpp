// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/written_test.hpp"

#include "compiler/export/export.hpp"
#include "compiler/reference/interpreter.hpp"
#include "hw/base/file.hpp"
#include "hw/base/npy.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::tests::fuzz {
namespace {

/// Whether each model of TOSA gives the same values: none is a matter of choice.
bool is_comparable(const ir::Graph& graph, const reference::Result& result) {
  return result.unpredictable.empty() && std::ranges::none_of(graph.operators, [](const ir::Operator& op) {
           return op.kind == ir::OpKind::Rescale &&
                  op.attributes_as<ir::RescaleAttributes>().rounding == spec::Rounding::Inexact;
         });
}

/// Writes the values of tensors to files, and gives the members of the desc that name both: no name of a random graph has
/// a character that JSON would escape.
std::string write_tensors(const std::filesystem::path& folder, const ir::Graph& graph, const std::vector<ir::TensorId>& ids,
                          const std::vector<base::Tensor>& values, std::string_view kind, std::string_view stem) {
  std::vector<std::string> names, files;
  for (size_t i = 0; i < ids.size(); ++i) {
    const std::string file = fmt::format("{}-{}.npy", stem, i);
    base::write_npy(folder / file, values[i]);
    names.push_back(fmt::format("\"{}\"", graph.tensor(ids[i]).name));
    files.push_back(fmt::format("\"{}\"", file));
  }
  return fmt::format("\"{0}_name\": [{1}], \"{0}_file\": [{2}]", kind, fmt::join(names, ", "), fmt::join(files, ", "));
}

}  // namespace

void write_test(const std::string& folder, const ir::Graph& graph, const std::vector<base::Tensor>& inputs) {
  const std::filesystem::path path(folder);
  std::filesystem::create_directories(path);
  base::write_file(path / "test.tosa", exporter::to_tosa(graph, "test.tosa"));
  const reference::Result result = reference::run(graph, inputs);
  const std::string desc =
      fmt::format("{{\"tosa_file\": \"test.tosa\", \"expected_failure\": false, \"comparable\": {}, {}, {}}}\n",
                  is_comparable(graph, result), write_tensors(path, graph, graph.inputs, inputs, "ifm", "input"),
                  write_tensors(path, graph, graph.outputs, result.outputs, "ofm", "output"));
  base::write_text_file(path / "desc.json", desc);
}

}  // namespace vernier::tests::fuzz
