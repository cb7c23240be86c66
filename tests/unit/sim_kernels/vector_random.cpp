// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/sim_kernels/vector_witness.hpp"

#include <algorithm>
#include <iterator>

namespace vernier::kernels::tests {
namespace {

using base::ElementType;
using spec::VectorCommand;
using spec::VectorOp;
using spec::VectorPhase;
using spec::VectorStep;
using spec::VectorStream;

constexpr int64_t kFirstWideRegister = 14;  // 14 and 15 take the int48 streams, nothing else is loaded there

void random_loops(VectorCommand& c, Random& random, int64_t lanes) {
  c.lanes = random.pick<int64_t>({1, random.range(1, lanes), lanes, random.range(1, 3 * lanes), random.range(1, 100)});
  if (random.chance(4)) c.lanes = random.range(400, 1700);
  const int64_t used = random.range(0, spec::kNumVectorLoops);
  for (int64_t i = spec::kNumVectorLoops - used; i < spec::kNumVectorLoops; ++i) {
    c.counts[static_cast<size_t>(i)] = random.range(1, c.lanes > 400 ? 2 : 4);
  }
  if (random.chance(10)) c.counts[0] = random.range(10, 40);
  int64_t elements = c.lanes;
  for (int64_t& count : c.counts) {  // bounds the time of a case
    if (elements * count > 3000) count = 1;
    elements *= count;
  }
  c.kept_loops = random.chance(40) ? spec::kNumVectorLoops : random.range(0, spec::kNumVectorLoops - 1);
  c.lanes_reduced = random.chance(30);
}

/// Strides so that no byte is written twice: the loops in random order, each over all that the faster ones cover.
void spread_strides(VectorStream& stream, const VectorCommand& c, Random& random) {
  std::array<size_t, spec::kNumVectorLoops + 1> order{0, 1, 2, 3, 4, 5};
  for (size_t i = order.size() - 1; i > 0; --i) {
    if (random.chance(30)) std::swap(order[i], order[static_cast<size_t>(random.range(0, static_cast<int64_t>(i)))]);
  }
  int64_t covered = base::stored_bytes(stream.type);
  for (auto loop = order.rbegin(); loop != order.rend(); ++loop) {
    const bool is_lane = *loop == spec::kNumVectorLoops;
    const int64_t stride = covered + (random.chance(70) ? 0 : random.range(1, 5));
    (is_lane ? stream.lane_stride_bytes : stream.strides_bytes[*loop]) = random.chance(85) ? stride : -stride;
    covered += (is_lane ? c.lanes - 1 : c.counts[*loop] - 1) * stride;
  }
}

/// Puts the base where the whole box lies at or above 0; returns the end of the box.
int64_t place(VectorStream& stream, const VectorCommand& c, Random& random) {
  int64_t low = 0, high = 0;
  const auto add = [&](int64_t count, int64_t stride) { (stride < 0 ? low : high) += (count - 1) * stride; };
  for (size_t i = 0; i < c.counts.size(); ++i) add(c.counts[i], stream.strides_bytes[i]);
  add(c.lanes, stream.lane_stride_bytes);
  stream.base = random.range(0, 20) - low;
  return stream.base + high + base::stored_bytes(stream.type);
}

VectorStream random_stream(const VectorCommand& c, Random& random, bool is_for_wide) {
  VectorStream stream;
  stream.type =
      is_for_wide
          ? ElementType::Int48
          : random.pick({ElementType::Bool, ElementType::Int8, ElementType::Int8, ElementType::Int16, ElementType::Int32});
  stream.is_unsigned = base::stored_bytes(stream.type) <= 2 && random.chance(30);
  if (random.chance(70)) {
    spread_strides(stream, c, random);
  } else {
    stream.lane_stride_bytes = random.chance(40) ? 0 : random.range(-9, 9);
    for (int64_t& stride : stream.strides_bytes) stride = random.chance(40) ? 0 : random.range(-40, 40);
  }
  if (random.chance(15)) stream.lane_stride_bytes = 0;
  return stream;
}

/// The immediates that the step's operation gives a meaning to.
void random_immediates(VectorStep& s, Random& random, const TableMemory& tables) {
  const auto register_type = [&] { return random.pick({ElementType::Int8, ElementType::Int16, ElementType::Int32}); };
  s.imm0 = random.number();
  switch (s.op) {
    case VectorOp::Clamp: s.imm1 = random.range(s.imm0, INT32_MAX); break;
    case VectorOp::ShiftLeft:
    case VectorOp::ShiftRightLogical:
    case VectorOp::ShiftRight:
      s.imm0 = random.range(0, 31);
      s.type = register_type();
      s.round = random.chance(50);
      break;
    case VectorOp::Wrap: s.type = random.chance(25) ? ElementType::Bool : register_type(); break;
    case VectorOp::Mul: s.shift = random.chance(50) ? 0 : random.range(0, 63); break;
    case VectorOp::Rescale: {
      s.scale32 = random.chance(60);
      s.type = register_type();
      s.is_unsigned = s.type != ElementType::Int32 && random.chance(40);
      s.rounding =
          random.pick({spec::Rounding::Single, spec::Rounding::Double, spec::Rounding::Inexact, spec::Rounding::HalfEven});
      s.shift = random.chance(70) ? random.range(12, 40) : random.range(2, 62);
      s.imm0 = random.range(0, s.scale32 ? INT32_MAX : INT16_MAX);
      const int bits = base::info(s.type).bits;
      if (bits < 32) s.imm1 = random.range(0, (1 << bits) - 1) - (s.is_unsigned ? 0 : 1 << (bits - 1));
      break;
    }
    case VectorOp::Table:
      s.slot = random.range(0, 1);
      s.type = *tables[static_cast<size_t>(s.slot)].type;
      break;
    default: break;
  }
}

class ProgramWriter {
 public:
  ProgramWriter(VectorCase& vector, Random& random)
      : v_(vector), c_(vector.command), random_(random), is_fresh_(random.chance(60)), has_wide_(random.chance(20)) {}

  void write() {
    const bool has_phases = c_.kept_loops < spec::kNumVectorLoops || c_.lanes_reduced;
    const int64_t num_stores = random_.chance(75) ? 1 : 2;
    if (has_phases && random_.chance(80)) write_phase(VectorPhase::Init, random_.range(1, 4));
    write_phase(VectorPhase::Body, random_.range(1, 8));
    const bool has_final = has_phases && random_.chance(80);
    if (has_final) write_phase(VectorPhase::Final, random_.range(1, 4));
    for (int64_t i = 0; i < num_stores; ++i)
      write_store(has_final && random_.chance(70) ? VectorPhase::Final : VectorPhase::Body);
    if (random_.chance(20))
      std::stable_sort(c_.steps.begin(), c_.steps.end(), [](const auto& a, const auto& b) { return a.phase > b.phase; });
  }

 private:
  bool is_written(int64_t r) const { return std::find(written_.begin(), written_.end(), r) != written_.end(); }

  /// A register to read: in a fresh program one that has been written.
  int64_t readable(bool may_be_wide) {
    const int64_t wide = random_.range(kFirstWideRegister, spec::kNumVectorRegisters - 1);
    if (may_be_wide && is_written(wide) && random_.chance(70)) return wide;
    const int64_t greatest = may_be_wide ? spec::kNumVectorRegisters - 1 : kFirstWideRegister - 1;
    if (!is_fresh_) return random_.range(0, greatest);
    std::vector<int64_t> candidates;
    std::copy_if(written_.begin(), written_.end(), std::back_inserter(candidates), [&](int64_t r) { return r <= greatest; });
    if (candidates.empty()) {
      write_load(phase_);
      return c_.steps.back().dst;
    }
    return candidates[static_cast<size_t>(random_.range(0, static_cast<int64_t>(candidates.size()) - 1))];
  }

  void write_phase(VectorPhase phase, int64_t num_steps) {
    phase_ = phase;
    for (int64_t i = 0; i < num_steps; ++i) {
      const bool may_load = c_.streams.size() < spec::kMaxVectorStreams - 2;
      if ((may_load && random_.chance(30)) || (written_.empty() && is_fresh_)) {
        write_load(phase);
      } else {
        write_arithmetic(phase);
      }
    }
  }

  /// From a new stream, or from one that another step loads where all are in use.
  void write_load(VectorPhase phase) {
    VectorStep step;
    step.op = VectorOp::Load;
    step.phase = phase;
    const bool is_new = c_.streams.size() < spec::kMaxVectorStreams - 2;
    if (is_new) c_.streams.push_back(random_stream(c_, random_, has_wide_ && !c_.streams.empty() && random_.chance(50)));
    step.stream = is_new ? static_cast<int64_t>(c_.streams.size()) - 1 : 0;
    const bool is_wide = c_.streams[static_cast<size_t>(step.stream)].type == ElementType::Int48;
    if (random_.chance(50)) step.imm0 = random_.number();
    if (!is_wide && random_.chance(30)) step.shift = random_.range(0, 31);
    step.dst = is_wide ? random_.range(kFirstWideRegister, 15) : random_.range(0, kFirstWideRegister - 1);
    if (!is_wide && random_.chance(30)) {
      step.op = random_.pick({VectorOp::LoadAdd, VectorOp::LoadMaximum, VectorOp::LoadMinimum});
      if (is_fresh_ && !is_written(step.dst)) step.op = VectorOp::Load;
    }
    push(step);
    if (is_wide && is_fresh_) write_load_of(0, phase);  // some narrow register must be readable, too
  }
  void write_load_of(int64_t stream, VectorPhase phase) {
    VectorStep step;
    step.op = VectorOp::Load;
    step.phase = phase;
    step.stream = stream;
    step.dst = random_.range(0, kFirstWideRegister - 1);
    push(step);
  }

  void write_arithmetic(VectorPhase phase) {
    VectorStep step;
    do {
      step.op = static_cast<VectorOp>(random_.range(0, spec::kNumVectorOps - 1));
    } while (spec::has_stream(step.op));
    if (has_wide_ && random_.chance(20)) step.op = random_.pick({VectorOp::Rescale, VectorOp::Wrap});
    step.phase = phase;
    step.b_is_immediate = random_.chance(40);
    step.c_is_shift = random_.chance(40);
    random_immediates(step, random_, v_.tables);
    const bool takes_wide = step.op == VectorOp::Wrap || (step.op == VectorOp::Rescale && !step.scale32);
    step.a = readable(takes_wide);
    step.b = readable(false);
    step.c = readable(false);
    step.dst = random_.range(0, kFirstWideRegister - 1);
    push(step);
  }

  void write_store(VectorPhase phase) {
    phase_ = phase;
    VectorStep step;
    step.op = VectorOp::Store;
    step.phase = phase;
    step.a = readable(has_wide_);
    if (c_.streams.size() < spec::kMaxVectorStreams) c_.streams.push_back(random_stream(c_, random_, random_.chance(10)));
    step.stream = static_cast<int64_t>(c_.streams.size()) - 1;
    c_.steps.push_back(step);
  }

  void push(const VectorStep& step) {
    c_.steps.push_back(step);
    if (!is_written(step.dst)) written_.push_back(step.dst);
  }

  VectorCase& v_;
  VectorCommand& c_;
  Random& random_;
  bool is_fresh_, has_wide_;
  VectorPhase phase_ = VectorPhase::Body;
  std::vector<int64_t> written_;
};

}  // namespace

VectorCase random_vector_case(Random& random) {
  VectorCase vector;
  vector.datapath = random.datapath();
  vector.tables = random.tables();
  random_loops(vector.command, random, vector.datapath.lanes);
  ProgramWriter(vector, random).write();
  int64_t end = 0;
  for (VectorStream& stream : vector.command.streams) end = std::max(end, place(stream, vector.command, random));
  vector.sram = random.bytes(static_cast<size_t>(end));
  return vector;
}

}  // namespace vernier::kernels::tests
