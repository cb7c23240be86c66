// SPDX-License-Identifier: Apache-2.0
// What a run of many inputs is asked for.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace vernier::flow {

/// Does pieces of work, each in any process: `work` gives a piece's result, and `take` is called with it in this process, in
/// the order of the pieces. It throws where a piece has no result.
using Spread = std::function<void(size_t num_pieces, const std::function<std::string(size_t piece)>& work,
                                  const std::function<void(size_t piece, const std::string& result)>& take)>;

struct SamplesRequest {
  std::string inputs{};                   // --inputs: DIR, FILE.npz or FILE.npy
  std::optional<std::string> labels{};    // --labels: [OUTPUT=]FILE
  std::optional<std::string> expected{};  // --expected: the same forms as the inputs
  Spread spread{};                        // empty: one after the other, in this process
};

}  // namespace vernier::flow
