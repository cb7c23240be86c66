// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/lite_signatures.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace vernier::import::lite {

namespace {

constexpr size_t kMostSignatureMistakes = 100;

using Maps = flatbuffers::Vector<flatbuffers::Offset<tflite::TensorMap>>;

std::string text_of(const flatbuffers::String* text) { return text == nullptr ? "" : text->str(); }

std::vector<std::string> names_of(const std::vector<LiteSignature>& signatures) {
  std::vector<std::string> names;
  for (const LiteSignature& one : signatures) names.push_back(one.name);
  return names;
}

class SignatureReader {
 public:
  SignatureReader(const std::string& file, const LiteFile& content) : file_(file), content_(content) {}

  std::vector<LiteSignature> read(const tflite::Model& model) {
    std::vector<LiteSignature> signatures;
    const uint32_t count = model.signature_defs() == nullptr ? 0 : model.signature_defs()->size();
    for (uint32_t i = 0; i < count; ++i) {
      const tflite::SignatureDef& source = *model.signature_defs()->Get(i);
      LiteSignature signature{text_of(source.signature_key()), static_cast<int32_t>(source.subgraph_index())};
      if (source.subgraph_index() >= content_.size()) {
        add("signature {} '{}' is of subgraph {}, the file has {}", i, signature.name, source.subgraph_index(),
            content_.size());
        continue;
      }
      const LiteNetwork& network = content_[source.subgraph_index()];
      add_names(signature, source.inputs(), network.inputs, "input");
      add_names(signature, source.outputs(), network.outputs, "output");
      signatures.push_back(std::move(signature));
    }
    if (!mistakes_.empty()) throw base::UserErrors(mistakes_);
    return signatures;
  }

 private:
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    if (mistakes_.size() < kMostSignatureMistakes)
      mistakes_.emplace_back(base::UserError(file_, format, std::forward<Args>(args)...).what());
  }

  void add_names(LiteSignature& signature, const Maps* maps, const std::vector<int32_t>& ends, const char* what) {
    if (maps == nullptr) return;
    for (const tflite::TensorMap* map : *maps) {
      const auto tensor = static_cast<int64_t>(map->tensor_index());
      const bool is_end = std::find(ends.begin(), ends.end(), tensor) != ends.end();
      if (!is_end && signature.mistakes.size() < kMostSignatureMistakes)
        signature.mistakes.emplace_back(
            base::UserError(file_, "signature '{}': {} '{}' is tensor {}, which is no {} of subgraph {}", signature.name,
                            what, text_of(map->name()), tensor, what, signature.subgraph)
                .what());
      if (is_end) signature.names[static_cast<int32_t>(tensor)] = text_of(map->name());
    }
  }

  const std::string& file_;
  const LiteFile& content_;
  std::vector<std::string> mistakes_;
};

/// Another tensor of that name gives it up.
void rename(LiteNetwork& network, int32_t tensor, const std::string& name) {
  for (LiteTensor& other : network.tensors) {
    if (other.name == name) other.name += "_of_the_file";
  }
  network.tensors[static_cast<size_t>(tensor)].name = name;
}

}  // namespace

std::vector<LiteSignature> read_signatures(const std::string& file, std::span<const std::byte> bytes,
                                           const LiteFile& content) {
  return SignatureReader(file, content).read(*tflite::GetModel(bytes.data()));
}

std::optional<LiteSignature> choose_signature(const std::vector<LiteSignature>& signatures,
                                              const std::optional<std::string>& name, LiteFile& content) {
  if (!name) return signatures.empty() ? std::nullopt : std::optional(signatures.front());
  const std::vector<std::string> names = names_of(signatures);
  if (names.empty()) throw base::UserError("--signature", "no signature is named '{}', the file has none", *name);
  const auto found = std::find(names.begin(), names.end(), *name);
  if (found == names.end())
    throw base::UserError("--signature", "no signature is named '{}', the file has '{}'{}", *name, fmt::join(names, "', '"),
                          base::suggestion(*name, names));
  const LiteSignature& chosen = signatures[static_cast<size_t>(found - names.begin())];
  if (!chosen.mistakes.empty()) throw base::UserErrors(chosen.mistakes);
  LiteNetwork& network = content[static_cast<size_t>(chosen.subgraph)];
  for (const auto& [tensor, own] : chosen.names) {
    if (!own.empty()) rename(network, tensor, own);
  }
  return chosen;
}

std::string note_of_signatures(const std::string& file, const std::vector<LiteSignature>& signatures) {
  if (signatures.size() < 2) return "";
  return fmt::format("{}: the file has the signatures '{}': '{}' is taken; --signature NAME takes another", file,
                     fmt::join(names_of(signatures), "', '"), signatures.front().name);
}

}  // namespace vernier::import::lite
