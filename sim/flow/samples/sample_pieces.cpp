// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/samples/sample_pieces.hpp"

#include "hw/base/error.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace vernier::flow {
namespace {

/// Few enough that a piece's outputs take little memory and that the pieces of a small set keep several processes at work;
/// not so few that starting a process for each piece takes long.
constexpr size_t kMostSamples = 16, kLeastPieces = 8;

constexpr char kHasOutputs = 1, kHasNone = 0;

void put(std::string& text, const std::optional<std::vector<base::Tensor>>& outputs) {
  text += outputs ? kHasOutputs : kHasNone;
  if (!outputs) return;
  for (const base::Tensor& tensor : *outputs)
    text.append(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size());
}

/// Takes a sample from the front of the text.
std::optional<std::vector<base::Tensor>> take_from(std::string_view& text, const std::vector<End>& ends) {
  VERNIER_CHECK(!text.empty(), "a piece of samples ends early");
  const bool has_outputs = text.front() == kHasOutputs;
  text.remove_prefix(1);
  if (!has_outputs) return std::nullopt;
  std::vector<base::Tensor> outputs;
  for (const End& end : ends) {
    base::Tensor& tensor = outputs.emplace_back(end.type, end.shape);
    VERNIER_CHECK(text.size() >= tensor.bytes().size(), "a piece of samples ends in output '{}'", end.name);
    std::memcpy(tensor.bytes().data(), text.data(), tensor.bytes().size());
    text.remove_prefix(tensor.bytes().size());
  }
  return outputs;
}

}  // namespace

void run_in_pieces(const Spread& spread, size_t begin, size_t end, const std::vector<End>& outputs, const RunSample& run,
                   const TakeSample& take) {
  const size_t count = end - begin;
  const size_t size = std::clamp<size_t>(count / kLeastPieces, 1, kMostSamples);
  const auto first_of = [&](size_t piece) { return begin + piece * size; };
  const auto end_of = [&](size_t piece) { return std::min(end, first_of(piece) + size); };
  const auto work = [&](size_t piece) {
    std::string text;
    for (size_t sample = first_of(piece); sample < end_of(piece); ++sample) {
      try {
        put(text, run(sample));
      } catch (const base::UserError&) {
        put(text, std::nullopt);
      }
    }
    return text;
  };
  spread((count + size - 1) / size, work, [&](size_t piece, const std::string& result) {
    std::string_view text(result);
    for (size_t sample = first_of(piece); sample < end_of(piece); ++sample) take(sample, take_from(text, outputs));
  });
}

}  // namespace vernier::flow
