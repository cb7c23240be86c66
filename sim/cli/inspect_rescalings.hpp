// SPDX-License-Identifier: Apache-2.0
// The part of `vernier inspect` that says how the numbers of a quantized float network are rescaled.
#pragma once

#include "compiler/import/import_result.hpp"
#include "sim/report/page.hpp"

#include <vector>

namespace vernier::cli {

/// A row for each layer: how many ratios of scales it has, which of them are powers of two, where sums lie on ties often,
/// and how exact the others' multipliers are. Nothing for no rescalings.
void put_rescalings(report::Page& page, const std::vector<import::Rescaling>& rescalings);

}  // namespace vernier::cli
