// SPDX-License-Identifier: Apache-2.0
// RTL of this program with a fault put on its pins, for tests of what a comparison sees.
#pragma once

#include "tests/cosim/array_checks.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace vernier::cosim {

/// The unit with something done to its outputs after each evaluation.
class FlawedUnit : public RtlBlock {
 public:
  using Flaw = std::function<void(FlawedUnit&)>;
  FlawedUnit(std::unique_ptr<RtlBlock> block, Flaw flaw) : block_(std::move(block)), flaw_(std::move(flaw)) {}
  void eval() override {
    block_->eval();
    flaw_(*this);
  }
  [[nodiscard]] std::span<const Pin> pins() const override { return block_->pins(); }
  [[nodiscard]] const Pin& pin(std::string_view name) const {
    return *std::ranges::find_if(pins(), [&](const Pin& candidate) { return candidate.name == name; });
  }
  [[nodiscard]] bool is_high(std::string_view name) const { return *static_cast<const uint8_t*>(pin(name).data) != 0; }

 private:
  std::unique_ptr<RtlBlock> block_;
  Flaw flaw_;
};

}  // namespace vernier::cosim
