// SPDX-License-Identifier: Apache-2.0
// Small graphs with variables, in the printed form of compiler/ir.
#pragma once

#include "tests/support/control_flow_graphs.hpp"

#include <string>

namespace vernier::tests {

/// total += x: the value before and after. It begins with (5, 7).
inline const std::string kTotalText = R"(vernier-ir 1
variable total int32[2] = 0x0500000007000000
tensor x int32[2]
tensor before int32[2]
tensor sum int32[2]
tensor total/written int32[2]
tensor after int32[2]
input x
output before
output after
VARIABLE_READ() -> (before) {variable = total}
ADD(before, x) -> (sum)
VARIABLE_WRITE(sum) -> (total/written) {variable = total}
VARIABLE_READ() -> (after) {variable = total}
)";

/// a, b = b, a + b; y = a + 0 as it was: the Fibonacci numbers, one a run.
inline const std::string kSwapText = R"(vernier-ir 1
variable a int32[1]
variable b int32[1] = 0x01000000
tensor zero int32[1]
tensor old_a int32[1]
tensor old_b int32[1]
tensor sum int32[1]
tensor y int32[1]
tensor a/written int32[1]
tensor b/written int32[1]
input zero
output y
VARIABLE_READ() -> (old_a) {variable = a}
VARIABLE_READ() -> (old_b) {variable = b}
VARIABLE_WRITE(old_b) -> (a/written) {variable = a}
ADD(old_a, old_b) -> (sum)
VARIABLE_WRITE(sum) -> (b/written) {variable = b}
ADD(old_a, zero) -> (y)
)";

/// Written twice in a run, read in between: state = x; y = state; state = y + y; z = state.
inline const std::string kTwiceText = R"(vernier-ir 1
variable state int32[1] = 0x63000000
tensor x int32[1]
tensor first int32[1]
tensor y int32[1]
tensor double int32[1]
tensor second int32[1]
tensor z int32[1]
input x
output y
output z
VARIABLE_WRITE(x) -> (first) {variable = state}
VARIABLE_READ() -> (y) {variable = state}
ADD(y, y) -> (double)
VARIABLE_WRITE(double) -> (second) {variable = state}
VARIABLE_READ() -> (z) {variable = state}
)";

/// Where go is true: total += x and y = x; else y = total. It is read once more behind that.
inline const std::string kBranchWithVariableText = R"(vernier-ir 1
variable total int32[1]
variable limit int32[1] = 0x0a000000
tensor go bool[1]
tensor x int32[1]
tensor y int32[1]
tensor now int32[1]
input go
input x
output y
output now
COND_IF(go, x) -> (y) {then_graph = add, else_graph = tell}
VARIABLE_READ() -> (now) {variable = total}
region add
tensor a int32[1]
tensor before int32[1]
tensor sum int32[1]
tensor written int32[1]
tensor same int32[1]
input a
output same
VARIABLE_READ() -> (before) {variable = total}
ADD(before, a) -> (sum)
VARIABLE_WRITE(sum) -> (written) {variable = total}
IDENTITY(a) -> (same)
region tell
tensor a int32[1]
tensor told int32[1]
input a
output told
VARIABLE_READ() -> (told) {variable = total}
)";

/// While i < limit: i += 1, total += i. limit is a variable that the condition reads, total one that the body writes.
inline const std::string kLoopWithVariableText = R"(vernier-ir 1
variable total int32[1]
variable limit int32[1] = 0x03000000
tensor i int32[1]
tensor last int32[1]
tensor now int32[1]
input i
output last
output now
WHILE_LOOP(i) -> (last) {cond_graph = goes_on, body_graph = step}
VARIABLE_READ() -> (now) {variable = total}
region goes_on
tensor i int32[1]
tensor most int32[1]
tensor is_less bool[1]
input i
output is_less
VARIABLE_READ() -> (most) {variable = limit}
GREATER(most, i) -> (is_less)
region step
tensor i int32[1]
tensor one int32[1] = 0x01000000
tensor next int32[1]
tensor before int32[1]
tensor sum int32[1]
tensor written int32[1]
input i
output next
ADD(i, one) -> (next)
VARIABLE_READ() -> (before) {variable = total}
ADD(before, next) -> (sum)
VARIABLE_WRITE(sum) -> (written) {variable = total}
)";

/// The last four values of x, int8: a shift register, as streaming networks have it.
inline const std::string kShiftText = R"(vernier-ir 1
variable recent int8[1, 4]
tensor x int8[1, 1]
tensor old int8[1, 4]
tensor start shape[2] = 0x00000000000000000100000000000000
tensor size shape[2] = 0x01000000000000000300000000000000
tensor kept int8[1, 3]
tensor next int8[1, 4]
tensor recent/written int8[1, 4]
input x
output next
VARIABLE_READ() -> (old) {variable = recent}
SLICE(old, start, size) -> (kept)
CONCAT(kept, x) -> (next) {axis = 1}
VARIABLE_WRITE(next) -> (recent/written) {variable = recent}
)";

/// The condition counts how often it is asked, the body adds that up. A run with i = 0 asks three times.
inline const std::string kCountingConditionText = R"(vernier-ir 1
variable asked int32[1]
variable seen int32[1]
tensor i int32[1]
tensor last int32[1]
tensor now int32[1]
input i
output last
output now
WHILE_LOOP(i) -> (last) {cond_graph = goes_on, body_graph = step}
VARIABLE_READ() -> (now) {variable = seen}
region goes_on
tensor i int32[1]
tensor before int32[1]
tensor one int32[1] = 0x01000000
tensor two int32[1] = 0x02000000
tensor sum int32[1]
tensor written int32[1]
tensor is_less bool[1]
input i
output is_less
VARIABLE_READ() -> (before) {variable = asked}
ADD(before, one) -> (sum)
VARIABLE_WRITE(sum) -> (written) {variable = asked}
GREATER(two, i) -> (is_less)
region step
tensor i int32[1]
tensor one int32[1] = 0x01000000
tensor next int32[1]
tensor count int32[1]
tensor before int32[1]
tensor sum int32[1]
tensor written int32[1]
input i
output next
ADD(i, one) -> (next)
VARIABLE_READ() -> (count) {variable = asked}
VARIABLE_READ() -> (before) {variable = seen}
ADD(before, count) -> (sum)
VARIABLE_WRITE(sum) -> (written) {variable = seen}
)";

}  // namespace vernier::tests
