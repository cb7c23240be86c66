// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/functions/reciprocal.hpp"

namespace vernier::import::quantized {

ir::TensorId newton_reciprocal(Arithmetic& math, size_t rank, ir::TensorId n) {
  constexpr int64_t k48By17 = 1515870810, k32By17 = 1010580540;  // * 2^29
  const ir::TensorId one = math.number(rank, int64_t{1} << 29);
  ir::TensorId x = math.sub(math.number(rank, k48By17), math.mul(n, math.number(rank, k32By17), 31));
  for (int i = 0; i < 3; ++i) x = math.add(x, math.mul(x, math.sub(one, math.mul(n, x, 31)), 29));
  return x;
}

}  // namespace vernier::import::quantized
