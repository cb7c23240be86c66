// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/boundary/read_boundary.hpp"

#include "hw/base/checksum.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <optional>

namespace vernier::import {

namespace {

using Json = nlohmann::json;

constexpr size_t kMostBytes = size_t{256} << 20;

/// Members of the types that they have to have; UserError where they have not.
class JsonFields {
 protected:
  explicit JsonFields(std::string file) : file_(std::move(file)) {}

  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw base::UserError(file_, format, std::forward<Args>(args)...);
  }

  [[nodiscard]] const Json& member(const Json& json, const char* key) const {
    if (!json.is_object() || !json.contains(key)) fail("has no '{}' where one is needed", key);
    return json[key];
  }
  [[nodiscard]] std::string text_of(const Json& json, const char* key) const {
    const Json& value = member(json, key);
    if (!value.is_string()) fail("'{}' is no text", key);
    return value.get<std::string>();
  }
  [[nodiscard]] bool flag_of(const Json& json, const char* key) const {
    const Json& value = member(json, key);
    if (!value.is_boolean()) fail("'{}' is no truth value", key);
    return value.get<bool>();
  }
  [[nodiscard]] int64_t integer_of(const Json& json, const char* key) const {
    const Json& value = member(json, key);
    if (!value.is_number_integer()) fail("'{}' is no integer", key);
    return value.get<int64_t>();
  }
  [[nodiscard]] std::vector<int64_t> integers_of(const Json& json, const char* key) const {
    const Json& list = member(json, key);
    if (!list.is_array()) fail("'{}' is no list", key);
    std::vector<int64_t> integers;
    for (const Json& value : list) {
      if (!value.is_number_integer()) fail("'{}' has {}, expected integers", key, value.dump());
      integers.push_back(value.get<int64_t>());
    }
    return integers;
  }
  [[nodiscard]] std::vector<std::string> texts_of(const Json& json, const char* key) const {
    const Json& list = member(json, key);
    if (!list.is_array()) fail("'{}' is no list", key);
    std::vector<std::string> texts;
    for (const Json& value : list) {
      if (!value.is_string()) fail("'{}' has {}, expected texts", key, value.dump());
      texts.push_back(value.get<std::string>());
    }
    return texts;
  }
  /// A number, or "inf" and "-inf", which JSON has no numbers for.
  [[nodiscard]] float number_of(const Json& value, const char* key) const {
    if (value.is_string() && (value == "inf" || value == "-inf"))
      return value == "inf" ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity();
    if (!value.is_number()) fail("'{}' has {}, expected numbers", key, value.dump());
    return value.get<float>();
  }
  [[nodiscard]] std::vector<float> numbers_of(const Json& json, const char* key) const {
    const Json& list = member(json, key);
    if (!list.is_array()) fail("'{}' is no list", key);
    std::vector<float> numbers;
    for (const Json& value : list) numbers.push_back(number_of(value, key));
    return numbers;
  }

 private:
  std::string file_;
};

class BoundaryReader : JsonFields {
 public:
  BoundaryReader(std::string file, const ir::Graph& graph) : JsonFields(std::move(file)), graph_(graph) {}

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
    return {read_ends(json, package::Side::Input, graph_.inputs), read_ends(json, package::Side::Output, graph_.outputs)};
  }

 private:
  std::vector<package::BoundaryEnd> read_ends(const Json& json, package::Side side, const std::vector<ir::TensorId>& ids) {
    const char* what = side == package::Side::Input ? "inputs" : "outputs";
    const Json& list = member(json, what);
    if (!list.is_array()) fail("'{}' is no list", what);
    std::vector<package::BoundaryEnd> ends;
    for (const Json& entry : list) ends.push_back(read_end(entry, side, what, ids));
    if (const std::string problem = package::problem_of_reads(ends, side); !problem.empty()) fail("'{}': {}", what, problem);
    return ends;
  }

  package::BoundaryEnd read_end(const Json& json, package::Side side, const char* what,
                                const std::vector<ir::TensorId>& ids) {
    package::BoundaryEnd end;
    end.tensor = text_of(json, "tensor");
    const auto found =
        std::find_if(ids.begin(), ids.end(), [&](ir::TensorId id) { return graph_.tensor(id).name == end.tensor; });
    if (found == ids.end()) fail("'{}' is none of the {} of the network", end.tensor, what);
    const base::ElementType type = graph_.tensor(*found).type;
    end.is_float = flag_of(json, "is_float");
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
    if (json.contains("quantize_v2")) end.range = range_of(json["quantize_v2"]);
    if (json.contains("float_operators")) {
      const Json& steps = member(json, "float_operators");
      if (!steps.is_array()) fail("'float_operators' of '{}' is no list", end.tensor);
      for (const Json& step : steps) end.steps.push_back(step_of(step));
      end.source_shape = integers_of(json, "float_shape");
    }
    if (json.contains("reads")) end.reads = texts_of(json, "reads");
    if (json.contains("keeps_bits")) end.keeps_bits = flag_of(json, "keeps_bits");
    if (json.contains("rounds_away")) end.rounds_away = flag_of(json, "rounds_away");
    const auto shape_of = [&](const std::string& name) -> std::optional<base::Shape> {
      const auto read =
          std::find_if(ids.begin(), ids.end(), [&](ir::TensorId id) { return graph_.tensor(id).name == name; });
      return read == ids.end() ? std::nullopt : std::optional(graph_.tensor(*read).shape);
    };
    const std::string problem = package::problem_of(end, type, graph_.tensor(*found).shape, side, shape_of);
    if (!problem.empty()) fail("'{}': {}", end.tensor, problem);
    return end;
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

  package::HostStep step_of(const Json& json) const {
    package::HostStep step;
    const std::string name = text_of(json, "operator");
    const auto kind = package::host_operator_of(name);
    if (!kind) fail("the float operator '{}' is none, allowed are {}", name, fmt::join(package::kHostOperatorNames, " "));
    step.kind = *kind;
    step.name = text_of(json, "name");
    if (json.contains("shape")) step.shape = integers_of(json, "shape");
    if (json.contains("numbers")) step.numbers = numbers_of(json, "numbers");
    if (json.contains("dimensions")) step.dimensions = integers_of(json, "dimensions");
    if (json.contains("operands")) step.operands = integers_of(json, "operands");
    return step;
  }

  package::RangeRule range_of(const Json& json) const {
    package::RangeRule rule;
    const std::string mode = text_of(json, "mode"), rounding = text_of(json, "round_mode");
    const auto known = std::find(package::kRangeModeNames.begin(), package::kRangeModeNames.end(), mode);
    if (known == package::kRangeModeNames.end())
      fail("the mode is {}, allowed are {}", mode, fmt::join(package::kRangeModeNames, " "));
    rule.mode = static_cast<package::RangeRule::Mode>(known - package::kRangeModeNames.begin());
    if (rounding != "HALF_TO_EVEN" && rounding != "HALF_AWAY_FROM_ZERO")
      fail("the round_mode is {}, allowed are HALF_AWAY_FROM_ZERO and HALF_TO_EVEN", rounding);
    rule.is_half_to_even = rounding == "HALF_TO_EVEN";
    rule.is_narrow = flag_of(json, "narrow_range");
    rule.ensure_minimum_range = number_of(member(json, "ensure_minimum_range"), "ensure_minimum_range");
    if (json.contains("axis")) rule.axis = integer_of(json, "axis");
    const Json& ranges = member(json, "ranges");
    if (!ranges.is_array()) fail("'ranges' is no list");
    for (const Json& range : ranges) {
      if (!range.is_array() || range.size() != 2) fail("'ranges' has {}, expected two numbers", range.dump());
      rule.ranges.push_back({number_of(range[0], "ranges"), number_of(range[1], "ranges")});
    }
    return rule;
  }

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
