// SPDX-License-Identifier: Apache-2.0
// `vernier encodings`: encodings files of AIMET are checked, written in another version, and made from a quantized network.
#pragma once

#include "hw/base/tensor.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

/// The versions of AIMET's files that are read and written, oldest first.
std::vector<std::string> encodings_versions();

/// Sizes for the dimensions that a network leaves open.
struct OpenDimensions {
  std::optional<int64_t> batch{};
  std::map<std::string, base::Shape> shapes{};  // by input
};

/// What is in an encodings file.
struct EncodingsSummary {
  std::string version{};
  int64_t num_tensors = 0, num_activations = 0, num_parameters = 0, num_per_channel = 0;
  bool has_roles = true;  // whether the version tells activations and parameters apart
};
/// "11 tensors (7 activations, 4 parameters; 4 per channel)"
std::string to_text(const EncodingsSummary& summary);

struct CheckedEncodings {
  std::vector<std::string> findings{};  // "FILE:12: warning: tensor x: ..."
  bool is_legal = false;                // no finding is an error; with a network, it can be quantized so
  EncodingsSummary summary{};
};
/// Of the file alone or, where a model is named, with the float network that it is for: what is wrong with either, and what
/// has to be derived. UserError for files that cannot be read.
CheckedEncodings check_encodings(const std::string& file, const std::optional<std::string>& model = {},
                                 const OpenDimensions& open = {});

struct WrittenEncodings {
  std::vector<std::string> findings{};  // about what was read
  bool is_written = false;              // false: a finding is an error
  int64_t num_tensors = 0;
  std::vector<std::string> lost{};     // what was read and this version cannot say: "tensor x: ..."
  std::vector<std::string> assumed{};  // what this version says and what was read does not
};
/// The same encodings in another version.
WrittenEncodings convert_encodings(const std::string& file, const std::string& output, const std::string& version);
/// Those of a quantized network in ONNX. UserErrors for a network that cannot be read, or has none.
WrittenEncodings export_encodings(const std::string& model, const std::string& output, const std::string& version,
                                  const OpenDimensions& open = {});

}  // namespace vernier::flow
