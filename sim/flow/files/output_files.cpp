// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/files/output_files.hpp"

#include "hw/base/error.hpp"
#include "hw/base/npy.hpp"
#include "hw/base/text.hpp"
#include "sim/flow/model/boundary_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace vernier::flow {
namespace {

bool is_of_floats(const End& output) { return output.source && output.source->is_float; }

}  // namespace

std::vector<OutputFiles> output_files(const std::vector<End>& outputs) {
  std::vector<OutputFiles> files;
  std::set<std::string> taken;
  for (const End& output : outputs) {
    const bool has_floats = is_of_floats(output);
    const std::string stem = base::safe_file_name(output.name);
    const auto is_taken = [&](const std::string& name) {
      return taken.contains(name) || (has_floats && taken.contains(name + ".float"));
    };
    std::string name = stem;
    for (int copy = 2; is_taken(name); ++copy) name = fmt::format("{}_{}", stem, copy);
    taken.insert(name);
    if (has_floats) taken.insert(name + ".float");
    files.push_back({name + ".npy", has_floats ? name + ".float.npy" : ""});
  }
  return files;
}

std::vector<std::string> output_file_names(const std::vector<End>& outputs) {
  std::vector<std::string> names;
  for (const OutputFiles& files : output_files(outputs)) {
    names.push_back(files.file);
    if (!files.float_file.empty()) names.push_back(files.float_file);
  }
  return names;
}

std::vector<Place> output_places(const std::optional<std::string>& folder, const std::vector<End>& outputs) {
  std::vector<Place> places;
  if (!folder) return places;
  for (const std::string& name : output_file_names(outputs))
    places.push_back({"--output-dir", (std::filesystem::path(*folder) / name).string()});
  return places;
}

std::string dtype_of(const End& output, base::ElementType type) {
  return output.source ? codes_dtype(*output.source, type) : std::string(base::info(type).npy_name);
}

base::NpyArray array_of(const End& output, const base::Tensor& values) {
  return output.source ? codes_of(values, *output.source) : base::to_array(values);
}

std::optional<base::NpyArray> float_array_of(const std::vector<End>& outputs, const std::vector<base::Tensor>& values,
                                             size_t index) {
  if (!is_of_floats(outputs[index])) return std::nullopt;
  const package::BoundaryEnd& end = *outputs[index].source;
  std::vector<HostArray> given{numbers_of_codes(values[index], end)};
  for (const std::string& name : end.reads) {
    const auto read = std::ranges::find(outputs, name, &End::name);
    VERNIER_CHECK(read != outputs.end() && read->source, "'{}' reads output '{}'", end.tensor, name);
    given.push_back(numbers_of_codes(values[static_cast<size_t>(read - outputs.begin())], *read->source));
  }
  return reals_of(end, std::move(given));
}

void add_outputs(base::FileSet& files, report::Report& report, const std::optional<std::string>& folder,
                 const std::vector<End>& outputs, const std::vector<base::Tensor>& values) {
  const std::vector<OutputFiles> names = output_files(outputs);
  if (folder) files.make_directory(*folder);
  for (size_t i = 0; i < values.size(); ++i) {
    if (folder) {
      const std::filesystem::path place(*folder);
      files.add_text(place / names[i].file, base::to_npy(array_of(outputs[i], values[i])));
      if (const auto floats = float_array_of(outputs, values, i))
        files.add_text(place / names[i].float_file, base::to_npy(*floats));
    }
    report.outputs.push_back({outputs[i].name, folder ? names[i].file : "", values[i].shape(),
                              dtype_of(outputs[i], values[i].type()), folder ? names[i].float_file : ""});
  }
}

}  // namespace vernier::flow
