// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/quantized/operators/fold_elementwise.hpp"

#include "compiler/import/quantized/functions/common_steps.hpp"
#include "compiler/import/quantized/functions/float_functions.hpp"
#include "compiler/import/quantized/nodes/attributes.hpp"
#include "hw/model/float_functions.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

namespace vernier::import::quantized {

namespace {

constexpr NumberType kTruthType{false, kBoolBits, false};
constexpr std::array<std::string_view, 5> kComparisons{"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"};
constexpr std::array<std::string_view, 3> kLogical{"And", "Or", "Xor"};
constexpr std::array<std::string_view, 8> kArithmetic{"Add", "Div", "Max", "Min", "Mod", "Mul", "Pow", "Sub"};
constexpr std::array<std::string_view, 9> kUnary{"Abs", "Ceil", "Exp", "Floor", "Log", "Neg", "Reciprocal", "Round", "Sqrt"};

template <typename List>
bool has_name(const List& list, const std::string& kind) {
  return std::find(list.begin(), list.end(), kind) != list.end();
}

float of_floats(const std::string& kind, float x, float y) {
  if (kind == "Add") return x + y;
  if (kind == "Sub") return x - y;
  if (kind == "Mul") return x * y;
  if (kind == "Max") return std::max(x, y);
  if (kind == "Min") return std::min(x, y);
  if (kind == "Pow") return model::power(x, y);
  if (kind == "Mod") refuse("constants of floats are operands, allowed are integers");
  return x / y;
}

int64_t of_integers(const std::string& kind, int64_t x, int64_t y) {
  constexpr int64_t kMost = int64_t{1} << 31;  // as far as shapes go
  if (kind == "Max") return std::max(x, y);
  if (kind == "Min") return std::min(x, y);
  if (x < -kMost || x > kMost || y < -kMost || y > kMost) refuse("constants of {} and {} are too large for shapes", x, y);
  if (kind == "Add") return x + y;
  if (kind == "Sub") return x - y;
  if (kind == "Mul") return x * y;
  if (kind == "Pow") refuse("a constant of integers is an operand, allowed are floats");
  if (y == 0) refuse("a constant is divided by 0");
  return kind == "Mod" ? ((x % y) + y) % y : x / y;
}

template <typename Number>
bool is_true_of(const std::string& kind, Number x, Number y) {
  if (kind == "Equal") return x == y;
  if (kind == "Greater") return x > y;
  if (kind == "GreaterOrEqual") return x >= y;
  return kind == "Less" ? x < y : x <= y;
}

bool logical(const std::string& kind, bool x, bool y) {
  if (kind == "And") return x && y;
  return kind == "Or" ? x || y : x != y;
}

/// NodeMistake for a result that its type does not hold.
int64_t held(const NumberType& type, int64_t number) {
  const int64_t least = type.is_signed ? -(int64_t{1} << (type.bits - 1)) : 0;
  if (type.bits < 64 && (number < least || number >= least + (int64_t{1} << type.bits)))
    refuse("a constant becomes {}, which {} does not hold", number, to_string(type));
  return number;
}

Constant of_two(const Node& node, const Constant& a, const Constant& exponent_or_number) {
  const std::string& kind = node.kind;
  Constant b = exponent_or_number;
  if (kind == "Pow" && a.type.is_float && !b.type.is_float) {  // an exponent may have a type of its own
    b.floats.assign(b.integers.begin(), b.integers.end());
    b.integers.clear();
    b.type = a.type;
  }
  if (a.type != b.type) refuse("operands are {} and {}, expected one type", to_string(a.type), to_string(b.type));
  if (kind == "Mod" && int_of(node, "fmod", 0) != 0) refuse("attribute fmod is not 0");
  const base::Shape shape = common_shape(a.shape, b.shape);
  const Constant x = broadcast_to(a, shape), y = broadcast_to(b, shape);
  const bool gives_truth = has_name(kComparisons, kind) || has_name(kLogical, kind);
  if (has_name(kLogical, kind) && a.type != kTruthType) refuse("operands are {}, expected truth values", to_string(a.type));
  Constant result{gives_truth ? kTruthType : a.type, shape, {}, {}};
  const size_t count = std::max(x.floats.size(), x.integers.size());
  for (size_t i = 0; i < count; ++i) {
    if (has_name(kLogical, kind)) {
      result.integers.push_back(logical(kind, x.integers[i] != 0, y.integers[i] != 0) ? 1 : 0);
    } else if (gives_truth) {
      const bool is_true =
          a.type.is_float ? is_true_of(kind, x.floats[i], y.floats[i]) : is_true_of(kind, x.integers[i], y.integers[i]);
      result.integers.push_back(is_true ? 1 : 0);
    } else if (a.type.is_float) {
      result.floats.push_back(of_floats(kind, x.floats[i], y.floats[i]));
    } else {
      result.integers.push_back(held(a.type, of_integers(kind, x.integers[i], y.integers[i])));
    }
  }
  return result;
}

Constant of_one(const Node& node, const Constant& from) {
  Constant result = from;
  const std::string& kind = node.kind;
  if (kind == "Not" && from.type != kTruthType) refuse("the operand is {}, expected truth values", to_string(from.type));
  if (!from.type.is_float && kind != "Not" && kind != "Neg" && kind != "Abs")
    refuse("the operand is {}, expected floats", to_string(from.type));
  for (int64_t& number : result.integers) {
    if (kind == "Not") number = number == 0 ? 1 : 0;
    const bool turns = kind == "Neg" || (kind == "Abs" && number < 0);
    if (turns && number == std::numeric_limits<int64_t>::min()) refuse("a constant is {}, which has no negative", number);
    if (turns) number = held(from.type, -number);
  }
  if (const UnaryFunction function = unary_function(node)) {
    for (float& number : result.floats) number = function(number);
  }
  return result;
}

Constant of_three(const Constant& condition, const Constant& a, const Constant& b) {
  if (condition.type != kTruthType) refuse("the condition is {}, expected truth values", to_string(condition.type));
  if (a.type != b.type) refuse("operands are {} and {}, expected one type", to_string(a.type), to_string(b.type));
  const base::Shape shape = common_shape(condition.shape, common_shape(a.shape, b.shape));
  const Constant is_first = broadcast_to(condition, shape), x = broadcast_to(a, shape), y = broadcast_to(b, shape);
  Constant result{a.type, shape, {}, {}};
  for (size_t i = 0; i < is_first.integers.size(); ++i) {
    const Constant& from = is_first.integers[i] != 0 ? x : y;
    if (a.type.is_float) {
      result.floats.push_back(from.floats[i]);
    } else {
      result.integers.push_back(from.integers[i]);
    }
  }
  return result;
}

}  // namespace

bool is_elementwise(const std::string& kind) {
  return has_name(kArithmetic, kind) || has_name(kComparisons, kind) || has_name(kLogical, kind) || has_name(kUnary, kind) ||
         kind == "Not" || kind == "Where";
}

Constant elementwise(const Node& node, const std::vector<const Constant*>& operands) {
  const bool is_unary = has_name(kUnary, node.kind) || node.kind == "Not";
  const bool is_list = node.kind == "Max" || node.kind == "Min";
  const size_t count = is_unary ? 1 : node.kind == "Where" ? 3 : 2;
  if (!is_list && operands.size() != count) refuse("there are {} operands, expected {}", operands.size(), count);
  if (is_unary) return of_one(node, *operands[0]);
  if (node.kind == "Where") return of_three(*operands[0], *operands[1], *operands[2]);
  Constant result = *operands.at(0);
  for (size_t i = 1; i < operands.size(); ++i) result = of_two(node, result, *operands[i]);
  return result;
}

base::Shape common_shape(const base::Shape& a, const base::Shape& b) {
  base::Shape shape = broadcast_shape(a, b);
  int64_t count = 1;
  for (const int64_t size : shape) {
    if (size < 0 || (size > 0 && count > kMostFolded / size))
      refuse("a constant of shape {} is computed, allowed are {} elements", base::to_string(shape), kMostFolded);
    count *= size;
  }
  return shape;
}

Constant broadcast_to(const Constant& from, const base::Shape& shape) {
  if (from.shape == shape) return from;
  Constant result{from.type, shape, {}, {}};
  base::Shape own = from.shape;
  own.insert(own.begin(), shape.size() - own.size(), 1);
  std::vector<int64_t> strides(shape.size(), 0);
  for (int64_t i = std::ssize(own) - 1, stride = 1; i >= 0; --i) {
    const auto at = static_cast<size_t>(i);
    strides[at] = own[at] == 1 ? 0 : stride;
    stride *= own[at];
  }
  const int64_t count = base::num_elements(shape);
  base::Shape place(shape.size(), 0);
  for (int64_t element = 0; element < count; ++element) {
    int64_t source = 0;
    for (size_t i = 0; i < place.size(); ++i) source += place[i] * strides[i];
    if (from.type.is_float) {
      result.floats.push_back(from.floats.at(static_cast<size_t>(source)));
    } else {
      result.integers.push_back(from.integers.at(static_cast<size_t>(source)));
    }
    for (size_t i = place.size(); i-- > 0;) {
      if (++place[i] < shape[i]) break;
      place[i] = 0;
    }
  }
  return result;
}

std::optional<NumberType> integer_type(int64_t data_type) {
  switch (data_type) {
    case 2: return NumberType{false, 8, false};
    case 3: return NumberType{false, 8, true};
    case 4: return NumberType{false, 16, false};
    case 5: return NumberType{false, 16, true};
    case 6: return NumberType{false, 32, true};
    case 7: return NumberType{false, 64, true};
    case 9: return kTruthType;
    case 12: return NumberType{false, 32, false};
    default: return std::nullopt;
  }
}

}  // namespace vernier::import::quantized
