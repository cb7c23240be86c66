// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/sim_kernels/vector_witness.hpp"

#include "hw/model/elementwise.hpp"
#include "hw/model/rescale.hpp"
#include "hw/model/table.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace vernier::kernels::tests {
namespace {

using base::ElementType;
using spec::VectorOp;
using spec::VectorPhase;
using spec::VectorStep;
using Indices = std::array<int64_t, spec::kNumVectorLoops>;

int32_t look_up(const TableSlot& slot, ElementType type, int32_t x) {
  const auto entry = [&](int64_t i) {
    return static_cast<int32_t>(read_element(slot.bytes, i * base::stored_bytes(type), type, false));
  };
  if (type != ElementType::Int16) return entry((int64_t{x} + 128) & 255);
  std::array<int16_t, model::kTable16Entries> table{};
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<int16_t>(entry(static_cast<int64_t>(i)));
  return model::table_16(x, table);
}

class Machine {
 public:
  explicit Machine(const VectorCase& vector) : v_(vector), c_(vector.command), n_(vector.datapath.lanes) {}

  Image run() {
    const int64_t num_kept = num_positions(0, c_.kept_loops);
    for (int64_t position = 0; position < num_kept; ++position) {
      Indices at{};
      set(at, 0, c_.kept_loops, position);
      if (c_.lanes_reduced) {
        phase(VectorPhase::Init, at, 0, true);
        reduce_loops(at, 0);
        phase(VectorPhase::Final, at, 0, true);
        continue;
      }
      for (int64_t lane = 0; lane < c_.lanes; lane += n_) {
        phase(VectorPhase::Init, at, lane, false);
        reduce_loops(at, lane);
        phase(VectorPhase::Final, at, lane, false);
      }
    }
    return image_;
  }

 private:
  [[nodiscard]] int64_t num_positions(int64_t begin, int64_t end) const {
    int64_t product = 1;
    for (int64_t loop = begin; loop < end; ++loop) product *= c_.counts[static_cast<size_t>(loop)];
    return product;
  }
  /// Indices of loops [begin, end) at position number `position`, the last loop fastest.
  void set(Indices& at, int64_t begin, int64_t end, int64_t position) const {
    for (int64_t loop = end - 1; loop >= begin; --loop) {
      const int64_t count = c_.counts[static_cast<size_t>(loop)];
      at[static_cast<size_t>(loop)] = position % count;
      position /= count;
    }
  }

  void reduce_loops(Indices at, int64_t lane) {
    const int64_t num_reduced = num_positions(c_.kept_loops, spec::kNumVectorLoops);
    for (int64_t position = 0; position < num_reduced; ++position) {
      set(at, c_.kept_loops, spec::kNumVectorLoops, position);
      if (!c_.lanes_reduced) {
        phase(VectorPhase::Body, at, lane, false);
        continue;
      }
      for (int64_t first = 0; first < c_.lanes; first += n_) phase(VectorPhase::Body, at, first, false);
    }
  }

  void phase(VectorPhase phase, const Indices& at, int64_t lane, bool is_single) {
    for (const VectorStep& step : c_.steps) {
      if (step.phase == phase) execute(step, at, lane, is_single);
    }
  }

  void execute(const VectorStep& s, const Indices& at, int64_t first, bool is_single) {
    const int64_t active = std::min(n_, c_.lanes - first);
    if (s.op == VectorOp::ReduceAdd || s.op == VectorOp::ReduceMax || s.op == VectorOp::ReduceMin) return reduce(s, active);
    for (int64_t lane = 0; lane < active; ++lane) {
      auto& dst = registers_[static_cast<size_t>(s.dst)][static_cast<size_t>(lane)];
      if (spec::is_load(s.op)) {
        const int64_t loaded = load(s, at, is_single ? 0 : first + lane);
        dst = s.op == VectorOp::LoadAdd       ? model::add(model::wrap32(dst), model::wrap32(loaded))
              : s.op == VectorOp::LoadMaximum ? std::max(dst, loaded)
              : s.op == VectorOp::LoadMinimum ? std::min(dst, loaded)
                                              : loaded;
      } else if (s.op == VectorOp::Store) {
        if (!is_single || lane == 0) store(s, at, first + lane, reg(s.a, lane));
      } else {
        dst = compute(s, lane);
      }
    }
  }

  [[nodiscard]] int64_t reg(int64_t r, int64_t lane) const {
    return registers_[static_cast<size_t>(r)][static_cast<size_t>(lane)];
  }
  [[nodiscard]] int64_t offset(const spec::VectorStream& stream, const Indices& at, int64_t lane) const {
    return std::inner_product(at.begin(), at.end(), stream.strides_bytes.begin(),
                              stream.base + lane * stream.lane_stride_bytes);
  }
  int64_t load(const VectorStep& s, const Indices& at, int64_t lane) {
    const spec::VectorStream& stream = c_.streams[static_cast<size_t>(s.stream)];
    const int64_t value = read_element(v_.sram, offset(stream, at, lane), stream.type, stream.is_unsigned) - s.imm0;
    return stream.type == ElementType::Int48 ? model::wrap48(value) : model::wrap32(value * (int64_t{1} << s.shift));
  }
  void store(const VectorStep& s, const Indices& at, int64_t lane, int64_t value) {
    const spec::VectorStream& stream = c_.streams[static_cast<size_t>(s.stream)];
    write_element(image_, offset(stream, at, lane), stream.type, value);
  }

  void reduce(const VectorStep& s, int64_t active) {
    int64_t result = reg(s.a, 0);
    for (int64_t lane = 1; lane < active; ++lane) {
      const int64_t value = reg(s.a, lane);
      result = s.op == VectorOp::ReduceAdd   ? model::wrap32(result + value)
               : s.op == VectorOp::ReduceMax ? std::max(result, value)
                                             : std::min(result, value);
    }
    for (int64_t lane = 0; lane < active; ++lane) registers_[static_cast<size_t>(s.dst)][static_cast<size_t>(lane)] = result;
  }

  [[nodiscard]] int64_t rescale(const VectorStep& s, int64_t a, int32_t b, int64_t lane) const {
    model::RescaleParams params;
    params.input_type = s.scale32 ? ElementType::Int32 : ElementType::Int48;
    params.output_type = s.type;
    params.output_unsigned = s.is_unsigned;
    params.scale32 = s.scale32;
    params.rounding = s.rounding;
    params.output_zp = static_cast<int32_t>(s.imm1);
    params.multiplier = b;
    params.shift = static_cast<int32_t>(s.c_is_shift ? reg(s.c, lane) : s.shift);
    return model::extend_stored(model::rescale(a, params), s.type, s.is_unsigned);
  }

  [[nodiscard]] int64_t compute(const VectorStep& s, int64_t lane) const {
    const int64_t wide = reg(s.a, lane);
    const int32_t a = model::wrap32(wide), imm = model::wrap32(s.imm0);
    const int32_t b = s.b_is_immediate ? imm : model::wrap32(reg(s.b, lane));
    switch (s.op) {
      case VectorOp::Move: return s.b_is_immediate ? imm : a;
      case VectorOp::Add: return model::add(a, b);
      case VectorOp::Sub: return model::sub(a, b);
      case VectorOp::Minimum: return std::min(a, b);
      case VectorOp::Maximum: return std::max(a, b);
      case VectorOp::Clamp: return std::min<int64_t>(std::max<int64_t>(a, s.imm0), s.imm1);
      case VectorOp::Abs: return model::abs(a);
      case VectorOp::Negate: return model::wrap32(-int64_t{a});
      case VectorOp::And: return a & b;
      case VectorOp::Or: return a | b;
      case VectorOp::Xor: return a ^ b;
      case VectorOp::Not: return ~a;
      case VectorOp::ShiftLeft: return model::logical_left_shift(a, b, s.type);
      case VectorOp::ShiftRightLogical: return model::logical_right_shift(a, b, s.type);
      case VectorOp::ShiftRight: return model::arithmetic_right_shift(a, b, s.round);
      case VectorOp::Clz: return model::clz(a);
      case VectorOp::Equal: return a == b ? 1 : 0;
      case VectorOp::Greater: return a > b ? 1 : 0;
      case VectorOp::GreaterEqual: return a >= b ? 1 : 0;
      case VectorOp::Select: return reg(s.c, lane) != 0 ? a : b;
      case VectorOp::Wrap:
        return s.type == ElementType::Bool ? (wide != 0 ? 1 : 0) : model::sign_extend(wide, base::info(s.type).bits);
      case VectorOp::Mul: return model::mul(a, b, static_cast<int32_t>(s.shift));
      case VectorOp::Rescale: return rescale(s, wide, b, lane);
      case VectorOp::Table: return look_up(v_.tables[static_cast<size_t>(s.slot)], s.type, a);
      default: return model::intdiv(a, b);
    }
  }

  const VectorCase& v_;
  const spec::VectorCommand& c_;
  int64_t n_;
  std::array<std::array<int64_t, 32>, spec::kNumVectorRegisters> registers_{};
  Image image_;
};

}  // namespace

Image witness_vector(const VectorCase& vector) { return Machine(vector).run(); }

}  // namespace vernier::kernels::tests
