// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/boundary/read_boundary.hpp"

#include "hw/base/checksum.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace vernier::import {

namespace {

using Json = nlohmann::json;

constexpr size_t kMostBytes = size_t{16} << 20;

class BoundaryReader {
 public:
  BoundaryReader(std::string file, const ir::Graph& graph) : file_(std::move(file)), graph_(graph) {}

  package::Boundary read(const std::string& text, const std::string& sha256) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) fail("is not JSON with one object");
    if (const std::string schema = text_of(json, "schema"); schema != "vernier-boundary/1")
      fail("has schema '{}', allowed is vernier-boundary/1", schema);
    if (const std::string found = text_of(json, "tosa_sha256"); found != sha256)
      fail(
          "belongs to another network: it was written for the SHA-256 {}, the .tosa file beside it has {}; remove it, or "
          "convert again",
          found, sha256);
    return {read_ends(json, "inputs", graph_.inputs), read_ends(json, "outputs", graph_.outputs)};
  }

 private:
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw base::UserError(file_, format, std::forward<Args>(args)...);
  }

  const Json& member(const Json& json, const char* key) const {
    if (!json.is_object() || !json.contains(key)) fail("has no '{}' where one is needed", key);
    return json[key];
  }
  std::string text_of(const Json& json, const char* key) const {
    const Json& value = member(json, key);
    if (!value.is_string()) fail("'{}' is no text", key);
    return value.get<std::string>();
  }

  std::vector<package::BoundaryEnd> read_ends(const Json& json, const char* what, const std::vector<ir::TensorId>& ids) {
    const Json& list = member(json, what);
    if (!list.is_array()) fail("'{}' is no list", what);
    std::vector<package::BoundaryEnd> ends;
    for (const Json& entry : list) ends.push_back(read_end(entry, what, ids));
    return ends;
  }

  package::BoundaryEnd read_end(const Json& json, const char* what, const std::vector<ir::TensorId>& ids) {
    package::BoundaryEnd end;
    end.tensor = text_of(json, "tensor");
    const auto found =
        std::find_if(ids.begin(), ids.end(), [&](ir::TensorId id) { return graph_.tensor(id).name == end.tensor; });
    if (found == ids.end()) fail("'{}' is none of the {} of the network", end.tensor, what);
    const base::ElementType type = graph_.tensor(*found).type;
    const Json& is_float = member(json, "is_float");
    if (!is_float.is_boolean()) fail("'is_float' of '{}' is no truth value", end.tensor);
    end.is_float = is_float.get<bool>();
    const std::string codes = text_of(json, "codes"), signed_codes(base::to_string(type));
    end.is_signed = codes == signed_codes;
    if (!end.is_signed && codes != "u" + signed_codes)
      fail("the codes of '{}' are {}, allowed are {} and u{}", end.tensor, codes, signed_codes, signed_codes);
    const Json &scale = member(json, "scale"), &zero_point = member(json, "zero_point");
    if (!scale.is_number() || !zero_point.is_number_integer())
      fail("scale and zero_point of '{}' are no number and no integer", end.tensor);
    end.scale = scale.get<float>();
    end.zero_point = zero_point.get<int64_t>();
    if (json.contains("rounding")) end.rule = rule_of(json, end.tensor);
    if (json.contains("channels")) read_channels(json, end);
    const std::string problem = package::problem_of(end, type, graph_.tensor(*found).shape);
    if (!problem.empty()) fail("'{}': {}", end.tensor, problem);
    return end;
  }

  int64_t integer_of(const Json& json, const char* key) const {
    const Json& value = member(json, key);
    if (!value.is_number_integer()) fail("'{}' is no integer", key);
    return value.get<int64_t>();
  }

  package::IntRule rule_of(const Json& json, const std::string& tensor) const {
    const std::string name = text_of(json, "rounding");
    const auto rounding = base::rounding_of(name);
    if (!rounding) fail("the rounding of '{}' is {}, allowed are {}", tensor, name, fmt::join(base::kRoundingNames, " "));
    return {*rounding, integer_of(json, "least"), integer_of(json, "greatest")};
  }

  void read_channels(const Json& json, package::BoundaryEnd& end) const {
    end.axis = integer_of(json, "axis");
    const Json& channels = member(json, "channels");
    if (!channels.is_array()) fail("'channels' of '{}' is no list", end.tensor);
    for (const Json& one : channels) {
      if (!one.is_array() || one.size() != 2 || !one[0].is_number() || !one[1].is_number_integer())
        fail("'channels' of '{}' has {}, expected a scale and a zero point", end.tensor, one.dump());
      end.channels.push_back({one[0].get<float>(), one[1].get<int64_t>()});
    }
  }

  std::string file_;
  const ir::Graph& graph_;
};

}  // namespace

std::filesystem::path boundary_path(const std::filesystem::path& tosa_file) {
  std::filesystem::path path = tosa_file;
  return path.replace_extension(".boundary.json");
}

package::Boundary read_boundary_beside(const std::string& tosa_file, std::span<const std::byte> tosa_bytes,
                                       const ir::Graph& graph) {
  const std::filesystem::path path = boundary_path(tosa_file);
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return {};
  if (std::filesystem::file_size(path, unknown) > kMostBytes)
    throw base::UserError(path.string(), "is larger than {} bytes, which no boundary is", kMostBytes);
  return BoundaryReader(path.string(), graph).read(base::read_text_file(path), base::sha256_hex(tosa_bytes));
}

}  // namespace vernier::import
