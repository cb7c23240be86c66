// SPDX-License-Identifier: Apache-2.0
// Samples that are run in pieces, each in any process: what a piece sends back.
#pragma once

#include "hw/base/tensor.hpp"
#include "sim/flow/model/ends.hpp"
#include "sim/flow/samples/samples_request.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace vernier::flow {

/// The outputs of a sample, or none where there is more to say of it than these: it failed, it differs, it warns.
using RunSample = std::function<std::optional<std::vector<base::Tensor>>(size_t sample)>;
/// Called in this process for each sample, with what became of it.
using TakeSample = std::function<void(size_t sample, std::optional<std::vector<base::Tensor>> outputs)>;

/// Runs samples [begin, end) in pieces by `spread`. UserErrors of a sample come as no outputs: who takes it runs it once
/// more, and has the error itself. `outputs` are the types and shapes of what is sent.
void run_in_pieces(const Spread& spread, size_t begin, size_t end, const std::vector<End>& outputs, const RunSample& run,
                   const TakeSample& take);

}  // namespace vernier::flow
