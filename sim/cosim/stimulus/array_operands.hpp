// SPDX-License-Identifier: Apache-2.0
// Operands of the array in rows. A row is what one dot product takes: the channels of a pixel, or the pixels of a channel of
// a depthwise command; and the weights of an output channel. Random bytes hardly ever make a long sum of extreme products of
// one sign, and a fault in the top bits of a sum shows there alone.
#pragma once

#include "hw/spec/machine.hpp"
#include "sim/cosim/stimulus/random.hpp"
#include "sim/cosim/stimulus/work.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace vernier::cosim {

/// Mixed: any numbers. Extreme: the least and the greatest. OneSign: of one sign, the two ends of that sign. Equal: all the
/// same. OneHot: an extreme one, the others add nothing.
enum class OperandClass : uint8_t { Mixed, Extreme, OneSign, Equal, OneHot };
inline constexpr std::array<std::string_view, 5> kOperandClasses{"mixed", "extreme", "one sign", "equal", "one hot"};

/// A work that was drawn, and the classes of its operands: of the array activations and weights, of the vector unit what its
/// first stream reads.
struct DrawnWork {
  Work work;
  OperandClass first = OperandClass::Mixed, second = OperandClass::Mixed;
};
/// Without the classes.
std::vector<Work> works_of(std::vector<DrawnWork> drawn);

/// Mixed in every second case.
OperandClass draw_operand_class(Random& random);

/// The numbers of a row, one after the other.
class OperandRow {
 public:
  /// `zero` adds nothing; a row has about `length` numbers. Numbers are in [least, greatest].
  OperandRow(OperandClass operands, int64_t least, int64_t greatest, int64_t zero, int64_t length, Random& random);
  int64_t next(Random& random);

 private:
  OperandClass operands_;
  int64_t least_, greatest_, zero_;
  int64_t first_, second_;  // OneSign and Equal: the numbers that it has
  int64_t first_percent_ = 0, hot_ = 0, at_ = 0;
};

/// Rows of the drawn classes in place of the random bytes of a legal command.
void draw_rows(DrawnWork& drawn, Random& random, const spec::Datapath& datapath);

}  // namespace vernier::cosim
