// SPDX-License-Identifier: Apache-2.0
// The right classes of samples, and where the outputs of a network rank them.
#pragma once

#include "hw/base/npy.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vernier::flow {

/// A number for each sample: of a text file one in each line, of a .npy file an array of integers with one dimension.
/// UserError for a line or an element that is none, and unless there are `num_samples` of them.
std::vector<int64_t> read_labels(const std::string& file, size_t num_samples);

/// How many of the numbers come before that of the label: those that are greater, and equal ones of lower classes, as the
/// first of equal ones is the greatest for numpy.argmax.
template <typename Number>
int64_t num_before(std::span<const Number> numbers, int64_t label) {
  const Number own = numbers[static_cast<size_t>(label)];
  int64_t count = 0;
  for (int64_t i = 0; i < std::ssize(numbers); ++i) {
    const Number other = numbers[static_cast<size_t>(i)];
    if (other > own || (other == own && i < label)) ++count;
  }
  return count;
}

/// The elements of an array of any type with a name in base::NpyArray as numbers of float64, which holds all of them but
/// integers of more than 53 bits.
std::vector<double> numbers_of(const base::NpyArray& array);

}  // namespace vernier::flow
