// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/known_items.hpp"

namespace vernier::schedule {
namespace {

/// So many are kept at most: an item takes about 2 KiB.
constexpr size_t kMostItems = 20'000;

void shift_stages(LinearCommand& command, int32_t by) {
  for (StageUse& use : command.uses) {
    if (use.stage != StageUse::kHome) use.stage += by;
  }
  for (std::optional<StagedPlacement>& placement : command.placements) {
    if (placement && placement->stage >= 0) placement->stage += by;
  }
}

}  // namespace

void Items::append(const Items& more) {
  const auto by = static_cast<int32_t>(stages.size());
  const size_t first = items.size();
  items.insert(items.end(), more.items.begin(), more.items.end());
  stages.insert(stages.end(), more.stages.begin(), more.stages.end());
  for (size_t i = first; i < items.size() && by > 0; ++i) {
    shift_stages(items[i].command, by);
    for (LinearCommand& load : items[i].loads) shift_stages(load, by);
    for (LinearCommand& store : items[i].stores) shift_stages(store, by);
  }
}

void KnownItems::append_to(Items& items, const Way& way, const std::function<Items()>& make) {
  const auto found = known_.find(way);
  if (found != known_.end()) return items.append(found->second);
  Items made = make();
  items.append(made);
  if (num_items_ + made.items.size() > kMostItems) return;
  num_items_ += made.items.size();
  known_.emplace(way, std::move(made));
}

}  // namespace vernier::schedule
