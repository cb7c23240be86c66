// SPDX-License-Identifier: Apache-2.0
// Cuts a whole step into stripes of rows, so that it overlaps with the steps beside it.
#pragma once

#include "compiler/passes/program.hpp"

#include <cstdint>
#include <vector>

namespace vernier::schedule {

/// Rows that a step can be cut along without losing track of what it makes (1 when it cannot be).
int64_t num_rows(const passes::Step& step);

/// What a cut aims at.
struct CutLimits {
  int64_t max_stripes = 4;            // more only to keep within working_set_bytes
  int64_t min_accumulator_rows = 64;  // of a MAC stripe: a full bank
  int64_t min_vectors = 64;           // of a vector stripe
  int64_t working_set_bytes = 0;      // what a stripe reads and writes of feature maps, as far as rows allow
};

/// The stripes of a step.
std::vector<passes::Step> cut(const passes::Step& step, const spec::Datapath& datapath, const CutLimits& limits);

}  // namespace vernier::schedule
