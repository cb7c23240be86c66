// SPDX-License-Identifier: Apache-2.0
// The bit-exact checker: compares what the reference computed with what the machine left in memory, element by element, and
// tells where the first difference came from.
#pragma once

#include "hw/base/tensor.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vernier::check {

/// Where an element came from: the command that wrote it and the cycle in which that command retired.
struct Origin {
  int64_t command_idx = -1;
  int64_t cycle = -1;
};

struct Difference {
  std::string tensor;
  base::Shape coordinates;
  int64_t expected = 0, actual = 0;
  Origin origin;
};

struct Outcome {
  int64_t elements_compared = 0;
  int64_t elements_different = 0;
  int64_t tensors_compared = 0;
  /// The one whose command ended first; of several in the order in which the expected tensors came, of one tensor row-major.
  std::optional<Difference> first;
  [[nodiscard]] bool is_match() const { return elements_different == 0; }
};

/// Collects the actual tensors, whole or in pieces, then is fed the expected ones in graph order.
class Checker {
 public:
  /// A box of tensor `name` (of `shape`) as it was found in memory, every step-th element of each dimension (empty: all);
  /// later boxes overwrite earlier ones.
  void add_actual(const std::string& name, const base::Shape& shape, const base::Shape& begin, const base::Tensor& values,
                  Origin origin, const base::Shape& step = {});
  /// Says where a box of a tensor that was added came from, without values.
  void add_origin(const std::string& name, const base::Shape& begin, const base::Shape& extent, Origin origin,
                  const base::Shape& step = {});
  /// Compares, once a name; elements that no box covered count as different. Tensors that were never added are passed over.
  void add_expected(const std::string& name, const base::Tensor& expected);
  [[nodiscard]] const Outcome& outcome() const { return outcome_; }
  /// The same tensors, elements and gaps were added, wherever they came from.
  [[nodiscard]] bool has_same_values(const Checker& other) const;
  /// Names added as actual that no expected tensor came for.
  [[nodiscard]] std::vector<std::string> unmatched() const;

 private:
  struct Box {
    base::Shape begin, extent, step;
    Origin origin;
  };
  struct Actual {
    base::Tensor values;
    std::vector<bool> is_covered;
    std::vector<Box> boxes;
    bool is_compared = false;
  };
  static Origin origin_of(const Actual& actual, const base::Shape& coordinates);
  std::map<std::string, Actual> actual_;
  Outcome outcome_;
};

}  // namespace vernier::check
