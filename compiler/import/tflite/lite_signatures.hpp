// SPDX-License-Identifier: Apache-2.0
// Signatures of a .tflite file: names for one of its subgraphs, and for the inputs and outputs of that.
#pragma once

#include "compiler/import/tflite/lite_network.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vernier::import::lite {

struct LiteSignature {
  std::string name;
  int32_t subgraph = 0;
  std::map<int32_t, std::string> names{};  // of inputs and outputs, by tensor
  std::vector<std::string> mistakes{};     // names of tensors that are no inputs or outputs: what refuses the signature
};

/// In the order of the file. UserErrors with every subgraph that is none of the file's.
std::vector<LiteSignature> read_signatures(const std::string& file, std::span<const std::byte> bytes,
                                           const LiteFile& content);

/// The one of that name, whose inputs and outputs get its names in `content`; without a name the first one, which leaves the
/// names of the tensors. Nothing where the file has none. UserError for a name that is none of the signatures, and
/// UserErrors with the mistakes of the one of that name: files whose tools leave old tensors in signatures that nobody asks
/// for are read.
std::optional<LiteSignature> choose_signature(const std::vector<LiteSignature>& signatures,
                                              const std::optional<std::string>& name, LiteFile& content);

/// What is said where one of several was taken without a name; empty where there is one or none.
std::string note_of_signatures(const std::string& file, const std::vector<LiteSignature>& signatures);

}  // namespace vernier::import::lite
