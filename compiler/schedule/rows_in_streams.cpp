// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/rows_in_streams.hpp"

#include "compiler/cost/row_streams.hpp"

#include <utility>

namespace vernier::schedule {
namespace {

/// What names streams of a command, for each of its new streams.
template <typename OfStream>
void name_again(std::vector<OfStream>& named, const std::vector<size_t>& origin) {
  const std::vector<OfStream> before = std::exchange(named, {});
  for (size_t stream = 0; stream < origin.size(); ++stream) {
    for (OfStream each : before) {
      if (static_cast<size_t>(each.stream_idx) != origin[stream]) continue;
      each.stream_idx = static_cast<int32_t>(stream);
      named.push_back(each);
    }
  }
}

}  // namespace

void put_rows_into_streams(LinearCommand& command, const config::MachineConfig& config, KnownTimes& times) {
  auto* const vector = std::get_if<spec::VectorCommand>(&command.step.command.body);
  if (vector == nullptr) return;
  cost::RowStreams best = cost::with_best_row_streams(*vector, config, times.profiles());
  if (best.origin.size() == vector->streams.size()) return;
  name_again(command.step.operands, best.origin);
  name_again(command.uses, best.origin);
  *vector = std::move(best.command);
}

}  // namespace vernier::schedule
