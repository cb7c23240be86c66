// SPDX-License-Identifier: Apache-2.0
// The commands of a step that is cut in some way, made once: of the many plans that a search carries out, most cut a step in
// one of a few ways.
#pragma once

#include "compiler/schedule/linear.hpp"
#include "compiler/schedule/operand_set.hpp"
#include "compiler/schedule/part_costs.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace vernier::schedule {

/// Commands with their copies, and the blocks of SRAM that these are in.
struct Items {
  std::vector<Item> items;
  std::vector<Stage> stages;
  /// With the numbers of its stages behind those that are here.
  void append(const Items& more);
};

class KnownItems {
 public:
  /// What the commands depend on besides the program and the machine.
  struct Way {
    size_t step = 0;
    std::vector<Cut> cuts;
    std::vector<int32_t> level;  // by operand
    OperandSet at_home;
    int64_t max_stripes = 0, working_set_bytes = 0;
    auto operator<=>(const Way&) const = default;
  };

  /// Appends the commands of a step; `make`, asked when they are not known, gives them.
  void append_to(Items& items, const Way& way, const std::function<Items()>& make);

 private:
  std::map<Way, Items> known_;
  size_t num_items_ = 0;
};

}  // namespace vernier::schedule
