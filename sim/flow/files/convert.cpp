// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/files/convert.hpp"

#include "compiler/export/boundary_json.hpp"
#include "compiler/export/export.hpp"
#include "compiler/export/mlir/to_mlir.hpp"
#include "compiler/import/boundary/read_boundary.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "sim/flow/files/places.hpp"
#include "sim/flow/model/model.hpp"

#include <algorithm>
#include <cstddef>

namespace vernier::flow {

namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

}  // namespace

ConvertResult convert(const ConvertRequest& request, const Observer& observer) {
  const bool is_mlir = request.output.ends_with(".mlir");
  if (!is_mlir && !request.output.ends_with(".tosa"))
    throw base::UserError("-o", "'{}' is neither OUT.tosa nor OUT.mlir, the formats that are written", request.output);
  const std::string boundary_file = import::boundary_path(request.output).string();
  std::vector<Place> read{{"MODEL", request.model}};
  if (request.machine.encodings) read.push_back({"--encodings", *request.machine.encodings});
  refuse_overwriting(read, places_of("-o", {request.output, boundary_file}));
  const Model model = load_network(request.model, request.machine);
  observer.phase("writing the network");
  const bool is_copy = !is_mlir && model.is_whole_tosa;
  const std::vector<std::byte> bytes = is_mlir                 ? bytes_of(exporter::to_mlir(*model.graph, request.model))
                                       : is_copy               ? model.bytes
                                       : model.network.empty() ? exporter::to_tosa(*model.graph, request.model)
                                                               : model.network;
  ConvertResult result{.is_copy = is_copy,
                       .num_operators = std::ssize(model.graph->operators),
                       .file_bytes = std::ssize(bytes),
                       .notes = model.notes};
  // Inputs of unsigned integers are told by the .tosa file itself.
  const auto says_more = [](const package::BoundaryEnd& end) { return end.is_float || !end.keeps_bits; };
  if (std::ranges::any_of(model.boundary.inputs, says_more) || !model.boundary.outputs.empty())
    result.boundary_file = boundary_file;
  base::FileSet files;
  files.add(request.output, bytes);
  if (!result.boundary_file.empty())
    files.add_text(boundary_file, exporter::to_boundary_json(model.boundary, *model.graph, bytes));
  files.commit();
  return result;
}

}  // namespace vernier::flow
