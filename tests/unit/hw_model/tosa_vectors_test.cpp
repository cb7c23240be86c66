// SPDX-License-Identifier: Apache-2.0
// hw/model against results of the official TOSA reference model (make_tosa_vectors.py says how they were made).
#include "hw/model/elementwise.hpp"
#include "hw/model/reciprocal.hpp"
#include "hw/model/rescale.hpp"
#include "hw/model/table.hpp"
#include "tests/unit/hw_model/exact.hpp"

#include <vector>

namespace vernier::model {
namespace {

using namespace vernier::model::tests;
using base::ElementType;

enum class VectorKind { Rescale, Average, Mul, ArithmeticRightShift, Table16, Negate };

struct Vector {
  VectorKind kind;
  std::vector<int32_t> params;
  std::vector<int64_t> inputs;
  std::vector<int64_t> outputs;
};

const std::vector<Vector>& vectors() {
  static const std::vector<Vector> kVectors{
#include "tests/unit/hw_model/tosa_vectors.inc"
  };
  return kVectors;
}

ElementType type_of_bits(int32_t bits) {
  return bits == 8    ? ElementType::Int8
         : bits == 16 ? ElementType::Int16
         : bits == 32 ? ElementType::Int32
                      : ElementType::Int48;
}

int32_t run_rescale(const std::vector<int32_t>& p, int64_t x) {
  RescaleParams params;
  params.input_type = type_of_bits(p[0]);
  params.output_type = type_of_bits(p[1]);
  params.input_unsigned = p[2] != 0;
  params.output_unsigned = p[3] != 0;
  params.scale32 = p[4] != 0;
  params.rounding = p[5] == 0 ? spec::Rounding::Single : spec::Rounding::Double;
  params.input_zp = p[6];
  params.output_zp = p[7];
  params.multiplier = p[8];
  params.shift = p[9];
  CHECK(rescale_is_defined(x, params));  // the reference model called the result valid
  return rescale(x, params);
}

int32_t run(const Vector& vector, int64_t input) {
  const std::vector<int32_t>& p = vector.params;
  if (vector.kind == VectorKind::Rescale) return run_rescale(p, input);
  const auto x = static_cast<int32_t>(input);
  switch (vector.kind) {
    case VectorKind::Average: return average(x, static_cast<uint32_t>(p[1]), p[2], type_of_bits(p[0]));
    case VectorKind::Mul: return mul(x, p[0], p[1]);
    case VectorKind::ArithmeticRightShift: return arithmetic_right_shift(x, p[0], p[1] != 0);
    case VectorKind::Negate: return negate(x, p[0], p[1], ElementType::Int8);
    default: break;
  }
  std::array<int16_t, kTable16Entries> table{};
  for (int32_t i = 0; i < kTable16Entries; ++i) {
    table[static_cast<size_t>(i)] = static_cast<int16_t>((i * i * 7 + 13 * i) % 32768 - 16384);
  }
  return table_16(x, table);
}

TEST_CASE("results of the TOSA reference model") {
  std::array<int, 6> num_of_kind{};
  for (const Vector& vector : vectors()) {
    Differences differences;
    REQUIRE(vector.inputs.size() == vector.outputs.size());
    for (size_t i = 0; i < vector.inputs.size(); ++i) {
      differences.expect(run(vector, vector.inputs[i]), vector.outputs[i], vector.inputs[i]);
    }
    CAPTURE(static_cast<int>(vector.kind), vector.params);
    CHECK(differences.text() == "none");
    ++num_of_kind[static_cast<size_t>(vector.kind)];
  }
  CHECK(num_of_kind == std::array<int, 6>{48, 8, 10, 10, 4, 4});
}

}  // namespace
}  // namespace vernier::model
