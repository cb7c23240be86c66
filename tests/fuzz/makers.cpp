// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/makers.hpp"

#include <array>

namespace vernier::tests::fuzz {

namespace {

OpMode make_mode(const ir::OpInfo& info, std::string_view types) {
  OpMode mode{info.kind, types, {}, {}};
  const std::vector<std::string_view> words = ir::split_words(types);
  for (const std::string_view word : words) {
    if (word == "->") break;
    mode.operands.push_back(word == "*" ? ElementType::Int8 : base::element_type_from_name(word).value());
  }
  mode.result = base::element_type_from_name(words.back()).value();
  const std::string_view rank = ir::split_words(info.ranks).front();
  mode.least_rank = rank.front() - '0';
  if (!rank.ends_with('+')) mode.most_rank = mode.least_rank;
  return mode;
}

bool has_int4_weights(const OpMode& mode) { return mode.operands.size() > 1 && mode.operands[1] == ElementType::Int4; }

std::vector<OpMode> make_modes(bool of_int4_weights) {
  std::vector<OpMode> modes;
  for (const std::span<const Maker> makers :
       {convolution_makers(), elementwise_makers(), movement_makers(), window_makers()}) {
    for (const Maker& maker : makers) {
      const ir::OpInfo* info = ir::find_op_info(maker.kind);
      VERNIER_CHECK(info != nullptr, "{} is not in the verifier's table", ir::to_string(maker.kind));
      for (const std::string_view types : info->modes) {
        OpMode mode = make_mode(*info, types);
        if (has_int4_weights(mode) == of_int4_weights) modes.push_back(std::move(mode));
      }
    }
  }
  return modes;
}

}  // namespace

const std::vector<OpMode>& all_modes() {
  static const std::vector<OpMode> kModes = make_modes(false);
  return kModes;
}

const std::vector<OpMode>& int4_modes() {
  static const std::vector<OpMode> kModes = make_modes(true);
  return kModes;
}

const OpMode& find_mode(ir::OpKind kind, ElementType first, ElementType result) {
  for (const OpMode& mode : all_modes()) {
    if (mode.kind == kind && mode.operands[0] == first && mode.result == result) return mode;
  }
  VERNIER_CHECK(false, "{} from {} to {} is not in the verifier's table", ir::to_string(kind), base::to_string(first),
                base::to_string(result));
  return all_modes().front();
}

const Maker& maker_of(ir::OpKind kind) {
  for (const std::span<const Maker> makers :
       {convolution_makers(), elementwise_makers(), movement_makers(), window_makers()}) {
    for (const Maker& maker : makers) {
      if (maker.kind == kind) return maker;
    }
  }
  VERNIER_CHECK(false, "{} has no maker", ir::to_string(kind));
  return movement_makers().front();
}

}  // namespace vernier::tests::fuzz
