// SPDX-License-Identifier: Apache-2.0
// Outputs of a block as they stood, and which of them has moved since.
#pragma once

#include "sim/cosim/block/clocked_block.hpp"
#include "sim/cosim/block/mismatch.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::cosim {

class HeldPorts {
 public:
  /// All outputs.
  explicit HeldPorts(const ClockedBlock& block);
  HeldPorts(const ClockedBlock& block, std::span<const std::string_view> names);
  /// Valid, tag and result of a pipe.
  static HeldPorts of_results(const ClockedBlock& block);
  void hold();
  void forget() { held_.clear(); }
  /// A port, with its lane where it has lanes, else -1.
  struct Place {
    std::string port;
    int lane = -1;
    bool operator==(const Place&) const = default;
  };
  /// The first one that is not as it was held, of those that `matters` says; none where nothing has moved.
  using Matters = std::function<bool(std::string_view port)>;
  [[nodiscard]] std::optional<Place> moved(const Matters& matters = {}) const;
  /// In each cycle, when outputs have settled: which one has moved though it had to hold, in the words of `what_for`,
  /// without unit and cycle. With `has_to_hold` they have to stand in the next cycle as they do now.
  std::optional<Mismatch> check(bool has_to_hold, std::string_view what_for);

 private:
  struct Held {
    std::string_view name;
    Port port;
    int lane_bits;  // 0: it has no lanes
  };
  void add(const ClockedBlock& block, const spec::RtlPort& port);

  std::vector<Held> ports_;
  std::vector<std::byte> held_;  // empty: none
};

}  // namespace vernier::cosim
