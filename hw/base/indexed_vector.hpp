// SPDX-License-Identifier: Apache-2.0
// A vector whose elements have ids: `tensors[id]` without a cast at each place.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>
#include <vector>

namespace vernier::base {

/// A std::vector that is indexed by `Id`, a signed integer from 0 on, as well as by size_t. As there, [] checks nothing, and
/// at() throws std::out_of_range beyond the end and for a negative id.
template <std::signed_integral Id, typename T>
class IndexedVector : public std::vector<T> {
  using Base = std::vector<T>;
  template <typename Index>
  static constexpr bool kIsIndex = std::integral<Index> && !std::same_as<Index, bool>;

 public:
  using Base::Base;
  IndexedVector() = default;
  IndexedVector(Base elements) : Base(std::move(elements)) {}  // NOLINT(google-explicit-constructor) the same elements

  template <typename Index>
  requires kIsIndex<Index>
  [[nodiscard]] typename Base::reference operator[](Index i) { return Base::operator[](static_cast<size_t>(i)); }
  template <typename Index>
  requires kIsIndex<Index>
  [[nodiscard]] typename Base::const_reference operator[](Index i) const { return Base::operator[](static_cast<size_t>(i)); }
  template <typename Index>
  requires kIsIndex<Index>
  [[nodiscard]] typename Base::reference at(Index i) { return Base::at(static_cast<size_t>(i)); }
  template <typename Index>
  requires kIsIndex<Index>
  [[nodiscard]] typename Base::const_reference at(Index i) const { return Base::at(static_cast<size_t>(i)); }
};

}  // namespace vernier::base
