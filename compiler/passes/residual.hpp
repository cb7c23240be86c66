// SPDX-License-Identifier: Apache-2.0
// The addition behind a convolution: RESCALEs of both sides to int32, ADD, RESCALE to int8, as the array's epilogue does it
// with one scale a side. TOSA files have two RESCALEs on one side (a left shift, then the scale). One scale in their place
// can differ by the rounding of wide intermediates; it is used only where the reference finds all 256 x 256 results equal.
#pragma once

#include "compiler/passes/recompute.hpp"

namespace vernier::passes {

struct Residual {
  ir::TensorId addend = -1;
  spec::Scale own_scale, addend_scale, sum_scale;
  int64_t own_zero_point = 0, addend_zero_point = 0, sum_zero_point = 0;
  std::vector<ir::OpId> ops;  // what it stands for; the RESCALE to int8 last
  bool operator==(const Residual&) const = default;
};

/// `own` is what the convolution gives, all of whose values go into the ADD `add`; `rounding` is the command's. Nothing
/// where the pattern is another one, the addend is of another shape, or a result would differ.
std::optional<Residual> match_residual(const Lowering& lowering, const Recompute& recompute, ir::TensorId own, ir::OpId add,
                                       spec::Rounding rounding);

}  // namespace vernier::passes
