// SPDX-License-Identifier: Apache-2.0
#include "sim/check/checker.hpp"

#include "hw/base/error.hpp"

#include <algorithm>

namespace vernier::check {
namespace {

/// Of a tensor, elements that differ and are asked where they come from.
constexpr int64_t kMostExamined = 10'000;

int64_t step_of(const base::Shape& step, size_t dim) { return step.empty() ? 1 : step[dim]; }

/// What nobody is known to have written comes last.
bool is_earlier(const Origin& a, const Origin& b) {
  if (a.cycle < 0 || b.cycle < 0) return a.cycle >= 0 && b.cycle < 0;
  return a.cycle != b.cycle ? a.cycle < b.cycle : a.command_idx < b.command_idx;
}

/// All of its stored bits: also those that no value of the type has, which a unit must not leave in memory.
void copy_element(base::Tensor& to, int64_t index, const base::Tensor& from, int64_t from_index) {
  const int64_t bytes = base::stored_bytes(from.type());
  std::ranges::copy(from.bytes().subspan(static_cast<size_t>(from_index * bytes), static_cast<size_t>(bytes)),
                    to.bytes().subspan(static_cast<size_t>(index * bytes)).begin());
}

}  // namespace

void Checker::add_actual(const std::string& name, const base::Shape& shape, const base::Shape& begin,
                         const base::Tensor& values, Origin origin, const base::Shape& step) {
  auto [entry, is_new] = actual_.try_emplace(name);
  Actual& actual = entry->second;
  if (is_new) {
    actual.values = base::Tensor(values.type(), shape);
    actual.is_covered.resize(static_cast<size_t>(actual.values.size()));
  }
  VERNIER_CHECK(begin.size() == shape.size() && values.shape().size() == shape.size() && actual.values.shape() == shape,
                "box {} of tensor '{}' {}", base::to_string(values.shape()), name, base::to_string(shape));
  actual.boxes.push_back({begin, values.shape(), step, origin});
  for (int64_t i = 0; i < values.size(); ++i) {
    const base::Shape inside = base::coordinates_of(values.shape(), i);
    int64_t index = 0;
    for (size_t d = 0; d < shape.size(); ++d) index = index * shape[d] + begin[d] + inside[d] * step_of(step, d);
    copy_element(actual.values, index, values, i);
    actual.is_covered[static_cast<size_t>(index)] = true;
  }
}

void Checker::add_origin(const std::string& name, const base::Shape& begin, const base::Shape& extent, Origin origin,
                         const base::Shape& step) {
  actual_.at(name).boxes.push_back({begin, extent, step, origin});
}

void Checker::add_expected(const std::string& name, const base::Tensor& expected) {
  const auto entry = actual_.find(name);
  if (entry == actual_.end() || entry->second.is_compared) return;
  Actual& actual = entry->second;
  VERNIER_CHECK(actual.values.type() == expected.type() && actual.values.shape() == expected.shape(),
                "tensor '{}' {} {} against {} {}", name, base::to_string(actual.values.type()),
                base::to_string(actual.values.shape()), base::to_string(expected.type()), base::to_string(expected.shape()));
  actual.is_compared = true;
  ++outcome_.tensors_compared;
  outcome_.elements_compared += expected.size();
  int64_t different = 0;
  for (int64_t i = 0; i < expected.size(); ++i) {
    if (actual.is_covered[static_cast<size_t>(i)] && actual.values.at(i) == expected.at(i)) continue;
    ++outcome_.elements_different;
    if (++different > kMostExamined) continue;
    const base::Shape coordinates = base::coordinates_of(expected.shape(), i);
    const Difference found{name, coordinates, expected.at(i), actual.values.at(i), origin_of(actual, coordinates)};
    if (!outcome_.first || is_earlier(found.origin, outcome_.first->origin)) outcome_.first = found;
  }
}

bool Checker::has_same_values(const Checker& other) const {
  return std::equal(actual_.begin(), actual_.end(), other.actual_.begin(), other.actual_.end(),
                    [](const auto& mine, const auto& theirs) {
                      return mine.first == theirs.first && mine.second.values == theirs.second.values &&
                             mine.second.is_covered == theirs.second.is_covered;
                    });
}

std::vector<std::string> Checker::unmatched() const {
  std::vector<std::string> names;
  for (const auto& [name, actual] : actual_) {
    if (!actual.is_compared) names.push_back(name);
  }
  return names;
}

Origin Checker::origin_of(const Actual& actual, const base::Shape& coordinates) {
  for (auto box = actual.boxes.rbegin(); box != actual.boxes.rend(); ++box) {
    bool is_inside = true;
    for (size_t d = 0; d < coordinates.size(); ++d) {
      const int64_t step = step_of(box->step, d), from_begin = coordinates[d] - box->begin[d];
      is_inside = is_inside && from_begin >= 0 && from_begin % step == 0 && from_begin / step < box->extent[d];
    }
    if (is_inside) return box->origin;
  }
  return {};
}

}  // namespace vernier::check
