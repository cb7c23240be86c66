// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/written_test.hpp"

#include "compiler/export/export.hpp"
#include "compiler/reference/interpreter.hpp"
#include "hw/base/file.hpp"
#include "hw/base/npy.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string_view>

namespace vernier::tests::fuzz {
namespace {

/// Writes the values of tensors; the desc's lists of their names and files begin with `kind`.
void write_tensors(const std::filesystem::path& folder, const ir::Graph& graph, const std::vector<ir::TensorId>& ids,
                   const std::vector<base::Tensor>& values, std::string_view kind, std::string_view stem,
                   nlohmann::json& desc) {
  nlohmann::json names = nlohmann::json::array(), files = nlohmann::json::array();
  for (size_t i = 0; i < ids.size(); ++i) {
    const std::string file = fmt::format("{}-{}.npy", stem, i);
    base::write_npy(folder / file, values[i]);
    names.push_back(graph.tensor(ids[i]).name);
    files.push_back(file);
  }
  desc[fmt::format("{}_name", kind)] = std::move(names);
  desc[fmt::format("{}_file", kind)] = std::move(files);
}

}  // namespace

void write_test(const std::string& folder, const ir::Graph& graph, const std::vector<base::Tensor>& inputs) {
  const std::filesystem::path path(folder);
  std::filesystem::create_directories(path);
  base::write_file(path / "test.tosa", exporter::to_tosa(graph, "test.tosa"));
  const reference::Result result = reference::run(graph, inputs);
  nlohmann::json desc{
      {"tosa_file", "test.tosa"}, {"expected_failure", false}, {"unpredictable", !result.unpredictable.empty()}};
  write_tensors(path, graph, graph.inputs, inputs, "ifm", "input", desc);
  write_tensors(path, graph, graph.outputs, result.outputs, "ofm", "output", desc);
  base::write_text_file(path / "desc.json", desc.dump(2) + "\n");
}

}  // namespace vernier::tests::fuzz
