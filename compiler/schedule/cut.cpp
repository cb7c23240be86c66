// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/cut.hpp"

#include "compiler/schedule/axes.hpp"
#include "hw/package/range.hpp"

#include <algorithm>
#include <numeric>

namespace vernier::schedule {
namespace {

using base::ceil_div;

int64_t feature_bytes(const passes::Step& step, const spec::Datapath& datapath) {
  int64_t bytes = 0;
  for (const package::Range& range : package::ranges_of(step.command, datapath)) {
    if (range.storage == package::Storage::Sram && range.what != "weights" && range.what != "parameters")
      bytes += range.num_bytes();
  }
  return bytes;
}

/// Rows of a stripe: as few as max_stripes and the least useful size allow, fewer where the working set asks for it.
int64_t stripe_rows(const passes::Step& step, const spec::Datapath& datapath, const CutLimits& limits) {
  const int64_t rows = num_rows(step);
  if (rows == 1) return 1;
  int64_t least = 1;
  if (const auto* mac = std::get_if<spec::MacCommand>(&step.command.body)) {
    least = ceil_div(limits.min_accumulator_rows, ceil_div(mac->out_columns, int64_t{1} << mac->lane_split_log2));
  } else if (const auto* vec = std::get_if<spec::VectorCommand>(&step.command.body)) {
    const int64_t vectors = std::accumulate(vec->counts.begin() + 1, vec->counts.end(), ceil_div(vec->lanes, datapath.lanes),
                                            std::multiplies<>());
    least = ceil_div(limits.min_vectors, vectors);
  }
  int64_t wanted = std::max(least, ceil_div(rows, limits.max_stripes));
  if (limits.working_set_bytes > 0) {
    const int64_t per_row = ceil_div(feature_bytes(step, datapath), rows);
    wanted = std::min(wanted, std::max<int64_t>(1, limits.working_set_bytes / std::max<int64_t>(1, per_row)));
  }
  return ceil_div(rows, ceil_div(rows, std::min(wanted, rows)));  // even stripes
}

}  // namespace

int64_t num_rows(const passes::Step& step) {
  if (!step.can_split_rows) return 1;
  if (const auto* mac = std::get_if<spec::MacCommand>(&step.command.body)) return mac->out_rows;
  if (const auto* vec = std::get_if<spec::VectorCommand>(&step.command.body))
    return vec->kept_loops > 0 ? vec->counts[0] : 1;
  if (const auto* dma = std::get_if<spec::DmaCommand>(&step.command.body)) {
    return dma->kind == spec::DmaKind::TableFill ? 1 : dma->counts[0];
  }
  return 1;
}

std::vector<passes::Step> cut(const passes::Step& step, const spec::Datapath& datapath, const CutLimits& limits) {
  std::vector<passes::Step> stripes;
  const int64_t rows = num_rows(step);
  const int64_t per_stripe = stripe_rows(step, datapath, limits);
  if (per_stripe == rows) return {step};
  for (int64_t at = 0; at < rows; at += per_stripe) {
    stripes.push_back(part_of(step, kRows, at, std::min(per_stripe, rows - at), datapath));
  }
  return stripes;
}

}  // namespace vernier::schedule
