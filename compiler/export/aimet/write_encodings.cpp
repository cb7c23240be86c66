// SPDX-License-Identifier: Apache-2.0
#include "compiler/export/aimet/write_encodings.hpp"

#include "compiler/export/aimet/losses.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace vernier::export_aimet {
namespace {

using namespace import::aimet;
using Json = nlohmann::json;  // keys sorted

/// One encoding of versions up to 0.6.1.
Json object_of(const Encoding& encoding, const Grid* grid, Version version) {
  Json json = {{"bitwidth", encoding.bits}};
  const bool is_integer = encoding.dtype == DataType::Integer;
  if (version != Version::V040) json["dtype"] = is_integer ? "int" : "float";
  if (grid == nullptr) return json;
  json["is_symmetric"] = encoding.is_symmetric ? "True" : "False";
  json["offset"] = grid->offset;
  json["scale"] = grid->scale;
  json["min"] = grid->scale * static_cast<double>(grid->offset);
  // AIMET gives strict symmetric grids the range of all codes too.
  json["max"] = grid->scale * static_cast<double>(grid->offset + num_codes(encoding.bits) - 1);
  return json;
}

/// The list of a tensor's encodings, up to 0.6.1.
Json objects_of(const Encoding& encoding, Version version) {
  Json list = Json::array();
  for (const Grid& grid : encoding.channels) list.push_back(object_of(encoding, &grid, version));
  if (encoding.channels.empty()) list.push_back(object_of(encoding, nullptr, version));
  return list;
}

/// An entry of 1.0.0.
Json list_entry_of(const Encoding& encoding) {
  const bool is_integer = encoding.dtype == DataType::Integer;
  Json json = {{"name", encoding.name},
               {"bw", encoding.bits},
               {"dtype", is_integer ? "INT" : "FLOAT"},
               {"enc_type", encoding.is_per_channel() ? "PER_CHANNEL" : "PER_TENSOR"}};
  if (!is_integer) return json;
  json["is_sym"] = encoding.is_symmetric;
  json["scale"] = json["offset"] = Json::array();
  for (const Grid& grid : encoding.channels) {
    json["scale"].push_back(grid.scale);
    json["offset"].push_back(grid.offset);
  }
  return json;
}

/// An entry of 2.0.0. A zero point is q - 2^(bits-1) or q of real 0.
Json onnx_entry_of(const Encoding& encoding) {
  const int64_t first_code = encoding.is_signed ? -num_codes(encoding.bits) / 2 : 0;
  Json json = {{"name", encoding.name},
               {"output_dtype", fmt::format("{}int{}", encoding.is_signed ? "" : "u", encoding.bits)}};
  Json scales = Json::array(), zero_points = Json::array();
  bool has_zero_point = false;
  for (const Grid& grid : encoding.channels) {
    scales.push_back(grid.scale);
    zero_points.push_back(first_code - grid.offset);
    has_zero_point = has_zero_point || grid.offset != first_code;
  }
  const bool is_list = encoding.is_per_channel();
  if (is_list) json["axis"] = encoding.axis.value_or(0);
  json["y_scale"] = is_list ? std::move(scales) : std::move(scales.front());
  if (has_zero_point) json["y_zero_point"] = is_list ? std::move(zero_points) : std::move(zero_points.front());
  return json;
}

Json document_of(const Encodings& encodings) {
  Json json = {{"version", name_of(encodings.version)}};
  for (const auto& [key, text] : encodings.remarks) json[key] = Json::parse(text);
  if (encodings.version == Version::V200) {
    Json& entries = json["encodings"] = Json::array();
    for (const Encoding& encoding : encodings.tensors) entries.push_back(onnx_entry_of(encoding));
    return json;
  }
  const bool is_list = encodings.version == Version::V100;
  Json activations = is_list ? Json::array() : Json::object(), parameters = activations;
  for (const Encoding& encoding : encodings.tensors) {
    Json& section = encoding.role == Role::Parameter ? parameters : activations;
    if (is_list) {
      section.push_back(list_entry_of(encoding));
    } else {
      section[encoding.name] = objects_of(encoding, encodings.version);
    }
  }
  json["activation_encodings"] = std::move(activations);
  json["param_encodings"] = std::move(parameters);
  return json;
}

}  // namespace

WrittenEncodings write_encodings(const Encodings& encodings, Version version) {
  WrittenEncodings written;
  const Encodings taken = fitted(encodings, version, written);
  written.num_tensors = static_cast<int64_t>(taken.tensors.size());
  written.text = document_of(taken).dump(1) + "\n";
  return written;
}

}  // namespace vernier::export_aimet
