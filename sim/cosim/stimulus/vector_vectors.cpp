// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/stimulus/vector_vectors.hpp"

#include "hw/base/element_type.hpp"
#include "hw/model/wrap.hpp"
#include "hw/spec/rescale_limits.hpp"
#include "hw/spec/vector_schedule.hpp"

#include <algorithm>
#include <array>

namespace vernier::cosim {
namespace {

using base::ElementType;
using spec::VectorCommand;
using spec::VectorOp;
using spec::VectorPhase;
using spec::VectorStep;

constexpr int64_t kDirectedPercent = 4;  // of the jobs
constexpr int64_t kReadBytes = 8192;     // of the memory, where loads may read; stores write after it
constexpr int64_t kMostElements = 2500;  // lanes x all loops
constexpr std::array kStreamTypes{ElementType::Bool,  ElementType::Int8,  ElementType::Int8,
                                  ElementType::Int16, ElementType::Int32, ElementType::Int48};
constexpr std::array kRegisterTypes{ElementType::Int8, ElementType::Int16, ElementType::Int32};

template <typename Values>
auto pick(const Values& values, Random& random) {
  return values[static_cast<size_t>(random.within(0, static_cast<int64_t>(std::size(values)) - 1))];
}

/// Often one at an end of its range.
int64_t draw_number(Random& random) {
  constexpr std::array<int64_t, 8> kEnds{0, 1, -1, 127, -128, 32767, INT32_MAX, INT32_MIN};
  if (random.chance(30)) return pick(kEnds, random);
  return model::wrap32(static_cast<int64_t>(random.bits()) >> random.within(32, 62));
}

class VectorJobMaker {
 public:
  VectorJobMaker(const spec::Datapath& datapath, const kernels::TableMemory& tables, Random& random)
      : datapath_(datapath), tables_(tables), random_(random) {}

  DrawnWork draw() {
    for (;;) {
      job_ = VectorCommand{};
      registers_ = {};
      kept_ = {};
      next_register_ = 0;
      write_address_ = kReadBytes;
      draw_loops();
      draw_streams();
      if (!draw_steps() || !spec::schedule(job_.vector(), datapath_)) continue;
      if (random_.chance(20)) start_later();
      if (!is_legal(job_, datapath_)) continue;
      job_.bytes.resize(static_cast<size_t>(write_address_));
      for (std::byte& byte : job_.bytes) byte = static_cast<std::byte>(random_.bits() >> 13);
      const auto by = std::to_integer<int64_t>(job_.bytes.front());  // no number of its own: all other draws stay
      if (random_.chance(20)) clear_low_halves();
      const OperandClass operands = draw_operand_class(random_);
      if (operands != OperandClass::Mixed) draw_operand_rows(job_, operands, 0, random_);
      move_registers(job_.vector(), by);
      VERNIER_CHECK(is_legal(job_, datapath_), "a drawn program with other registers");
      return {std::move(job_), operands};
    }
  }

 private:
  [[nodiscard]] bool has_reduction() const { return c().kept_loops < spec::kNumVectorLoops || c().lanes_reduced; }
  [[nodiscard]] const VectorCommand& c() const { return job_.vector(); }

  void draw_loops() {
    VectorCommand& c = job_.vector();
    c.lanes = random_.chance(30) ? random_.within(1, 4 * datapath_.lanes) : random_.within(1, 2 * datapath_.lanes);
    c.lanes_reduced = random_.chance(35);
    c.kept_loops = random_.chance(35) ? spec::kNumVectorLoops : random_.within(0, spec::kNumVectorLoops);
    int64_t elements = c.lanes;
    for (int64_t& count : c.counts) {
      count = random_.chance(45) ? 1 : random_.within(1, 6);
      if (elements * count > kMostElements) count = 1;
      elements *= count;
    }
  }

  /// The first ones are read; each store has one of its own.
  void draw_streams() {
    num_read_ = random_.within(1, 4);
    for (int64_t i = 0; i < num_read_; ++i) {
      spec::VectorStream stream;
      stream.type = pick(kStreamTypes, random_);
      const int64_t element = base::stored_bytes(stream.type);
      stream.is_unsigned = element <= 2 && random_.chance(40);
      stream.lane_stride_bytes = random_.chance(70) ? element : random_.chance(40) ? 0 : random_.within(-24, 24);
      int64_t least = std::min<int64_t>(0, (c().lanes - 1) * stream.lane_stride_bytes);
      int64_t most = std::max<int64_t>(0, (c().lanes - 1) * stream.lane_stride_bytes);
      for (size_t loop = 0; loop < c().counts.size(); ++loop) {
        stream.strides_bytes[loop] = random_.chance(25) ? 0 : random_.within(-90, 90);
        const int64_t reach = (c().counts[loop] - 1) * stream.strides_bytes[loop];
        (reach < 0 ? least : most) += reach;
      }
      stream.base = random_.within(-least, std::max(-least, kReadBytes - most - element));
      job_.vector().streams.push_back(stream);
    }
  }

  /// Dense in any order of the loops, for a store in that phase.
  int64_t add_written_stream(VectorPhase phase) {
    spec::VectorStream stream;
    stream.type = pick(kStreamTypes, random_);
    stream.is_unsigned = base::stored_bytes(stream.type) <= 2 && c().streams.size() % 2 == 0;  // says nothing of a store
    const bool is_body = phase == VectorPhase::Body;
    std::vector<int> loops;
    if (is_body || !c().lanes_reduced) loops.push_back(-1);
    for (int loop = 0; loop < (is_body ? spec::kNumVectorLoops : static_cast<int>(c().kept_loops)); ++loop)
      loops.push_back(loop);
    for (size_t i = loops.size(); i > 1; --i)
      std::swap(loops[i - 1], loops[static_cast<size_t>(random_.within(0, static_cast<int64_t>(i) - 1))]);
    int64_t bytes = base::stored_bytes(stream.type);
    stream.lane_stride_bytes = bytes;
    for (const int loop : loops) {
      (loop < 0 ? stream.lane_stride_bytes : stream.strides_bytes[static_cast<size_t>(loop)]) = bytes;
      bytes *= loop < 0 ? c().lanes : c().counts[static_cast<size_t>(loop)];
    }
    stream.base = write_address_;
    write_address_ += bytes;
    job_.vector().streams.push_back(stream);
    return static_cast<int64_t>(c().streams.size()) - 1;
  }

  bool draw_steps() {
    std::array<int64_t, 3> num{0, random_.within(1, random_.chance(20) ? 22 : 8), 0};
    if (has_reduction() && random_.chance(85)) {
      num = {random_.within(0, 5), random_.within(1, 10), random_.within(0, 7)};
      if (random_.chance(15)) return draw_pairs();
    }
    for (size_t phase = 0; phase < num.size(); ++phase) {
      for (int64_t i = 0; i < num[phase]; ++i) add_step(static_cast<VectorPhase>(phase));
    }
    // What nobody sees is not compared.
    const bool has_final = std::ranges::any_of(c().steps, [](const auto& step) { return step.phase != VectorPhase::Body; });
    for (int i = 0; i < 2; ++i) add_store(has_final ? VectorPhase::Final : VectorPhase::Body);
    return c().steps.size() <= static_cast<size_t>(spec::kMaxVectorSteps) && !c().steps.empty();
  }

  /// A Body of accumulating loads alone.
  bool draw_pairs() {
    const int64_t num = random_.within(1, 3);
    for (int64_t i = 0; i < num; ++i)
      add_made({.op = VectorOp::Move, .phase = VectorPhase::Init, .b_is_immediate = true, .imm0 = draw_number(random_)});
    for (int64_t i = 0; i < num; ++i) {
      VectorStep step{.op = draw_accumulation(), .phase = VectorPhase::Body, .dst = i};
      put_load(step);
      if (c().streams[static_cast<size_t>(step.stream)].type == ElementType::Int48) return false;
      job_.vector().steps.push_back(step);
    }
    for (int64_t i = random_.within(0, 4); i > 0; --i) add_step(VectorPhase::Final);
    for (int64_t i = 0; i < num; ++i) add_store(VectorPhase::Final);
    return true;
  }

  VectorOp draw_accumulation() {
    return pick(std::array{VectorOp::LoadAdd, VectorOp::LoadMaximum, VectorOp::LoadMinimum}, random_);
  }

  /// Registers that hold something, with or without 48 bits.
  [[nodiscard]] std::vector<int64_t> written(bool with_wide) const {
    std::vector<int64_t> found;
    for (size_t i = 0; i < registers_.size(); ++i) {
      if (registers_[i] != Held::Nothing && (with_wide || registers_[i] == Held::Narrow))
        found.push_back(static_cast<int64_t>(i));
    }
    return found;
  }

  void add_made(VectorStep step, bool is_wide = false) {
    const std::vector<int64_t> old = written(true);
    const bool is_new = old.empty() || random_.chance(75) || step.phase == VectorPhase::Init;
    step.dst = is_new ? next_register_++ : pick(old, random_);
    if (is_new) registers_.push_back(Held::Nothing);
    registers_[static_cast<size_t>(step.dst)] = is_wide ? Held::Wide : Held::Narrow;
    if (step.phase == VectorPhase::Init && !is_wide) kept_.push_back(step.dst);
    job_.vector().steps.push_back(step);
  }

  /// Numbers of 48 bits whose low 32 are 0.
  void clear_low_halves() {
    for (size_t i = 0; i + 8 <= job_.bytes.size(); i += 8) {
      if (random_.chance(30)) std::fill_n(job_.bytes.begin() + static_cast<std::ptrdiff_t>(i), 4, std::byte{0});
    }
  }

  /// Anything in fields that the operation does not read.
  void fill_unused(VectorStep& step) {
    const bool is_rescale = step.op == VectorOp::Rescale;
    if (!is_rescale && step.op != VectorOp::Clamp) step.imm1 = draw_number(random_);
    if (!is_rescale) {
      step.is_unsigned = random_.chance(50);
      step.scale32 = random_.chance(50);
      step.rounding = static_cast<spec::Rounding>(random_.within(0, 3));
      step.c_is_shift = random_.chance(50);
    }
    const bool is_shift =
        step.op == VectorOp::ShiftLeft || step.op == VectorOp::ShiftRightLogical || step.op == VectorOp::ShiftRight;
    if (!is_shift) step.round = random_.chance(50);
    if (step.op == VectorOp::Mul) step.type = pick(kRegisterTypes, random_);
    if (step.op != VectorOp::Table) step.slot = random_.within(0, spec::kNumTableSlots - 1);
  }

  void put_load(VectorStep& step) {
    step.stream = random_.within(0, num_read_ - 1);
    const bool is_wide = c().streams[static_cast<size_t>(step.stream)].type == ElementType::Int48;
    step.imm0 = random_.chance(40) ? 0 : draw_number(random_);
    step.shift = is_wide || random_.chance(60) ? 0 : random_.within(0, 31);
  }

  void add_store(VectorPhase phase) {
    const std::vector<int64_t> from = written(true);
    if (from.empty() || c().streams.size() >= static_cast<size_t>(spec::kMaxVectorStreams)) return;
    VectorStep step{.op = VectorOp::Store, .phase = phase};
    step.a = pick(from, random_);
    step.stream = add_written_stream(phase);
    job_.vector().steps.push_back(step);
  }

  void add_step(VectorPhase phase) {
    const std::vector<int64_t> narrow = written(false), all = written(true);
    VectorStep step;
    step.phase = phase;
    step.op = static_cast<VectorOp>(random_.within(0, spec::kNumVectorOps - 1));
    if (step.op == VectorOp::IntDiv && random_.chance(60)) step.op = VectorOp::Rescale;
    // Over the vectors of a position, into a register that Init has written.
    const bool is_over_vectors = phase == VectorPhase::Body && !kept_.empty() && random_.chance(25);
    if (is_over_vectors && random_.chance(20)) step.op = random_.chance(50) ? VectorOp::Mul : VectorOp::Rescale;
    if (narrow.empty()) step.op = random_.chance(70) ? VectorOp::Load : VectorOp::Move;
    step.b_is_immediate = narrow.empty() || random_.chance(40);
    step.imm0 = draw_number(random_);
    step.type = pick(kRegisterTypes, random_);
    if (!narrow.empty()) {
      step.a = pick(narrow, random_);
      step.b = pick(narrow, random_);
      step.c = pick(narrow, random_);
    }
    switch (step.op) {
      case VectorOp::Store: return add_store(phase);
      case VectorOp::Load: {
        put_load(step);
        return add_made(step, c().streams[static_cast<size_t>(step.stream)].type == ElementType::Int48);
      }
      case VectorOp::LoadAdd:
      case VectorOp::LoadMaximum:
      case VectorOp::LoadMinimum:
        put_load(step);
        step.dst = step.a;
        job_.vector().steps.push_back(step);
        return;
      case VectorOp::Clamp:
        step.imm1 = draw_number(random_);
        if (step.imm0 > step.imm1) std::swap(step.imm0, step.imm1);
        break;
      case VectorOp::ShiftLeft:
      case VectorOp::ShiftRightLogical:
      case VectorOp::ShiftRight:
        step.round = random_.chance(50);
        if (step.b_is_immediate) step.imm0 = random_.within(0, 31);
        break;
      case VectorOp::Wrap:
        if (random_.chance(25)) step.type = ElementType::Bool;
        step.a = pick(all, random_);
        break;
      case VectorOp::Mul: step.shift = random_.chance(40) ? 0 : random_.within(0, 63); break;
      case VectorOp::Rescale: put_rescale(step, all); break;
      case VectorOp::Table:
        step.slot = random_.within(0, spec::kNumTableSlots - 1);
        step.type = *tables_[static_cast<size_t>(step.slot)].type;
        break;
      default: break;
    }
    if (random_.chance(30)) fill_unused(step);
    // An accumulation, now and then, by any of its operands.
    if (is_over_vectors) {
      step.dst = pick(kept_, random_);
      const int64_t operand = random_.within(0, 2);
      if (operand == 1) step.b_is_immediate = false;
      (operand == 0 ? step.a : operand == 1 ? step.b : step.c) = step.dst;
      registers_[static_cast<size_t>(step.dst)] = Held::Narrow;
      job_.vector().steps.push_back(step);
      return;
    }
    if (random_.chance(20) && !narrow.empty()) {
      step.dst = pick(std::array{step.a, step.a, step.b_is_immediate ? step.a : step.b, step.c}, random_);
      registers_[static_cast<size_t>(step.dst)] = Held::Narrow;
      job_.vector().steps.push_back(step);
      return;
    }
    add_made(step);
  }

  /// A shift from a register is clamped before, so that it is a legal one.
  void put_rescale(VectorStep& step, const std::vector<int64_t>& all) {
    step.scale32 = random_.chance(60);
    step.is_unsigned = step.type != ElementType::Int32 && random_.chance(40);
    constexpr std::array kRoundings{spec::Rounding::Single, spec::Rounding::Inexact, spec::Rounding::HalfEven,
                                    spec::Rounding::Double};
    step.rounding = pick(kRoundings, random_);
    if (!step.scale32 && step.rounding == spec::Rounding::Double) step.rounding = spec::Rounding::Single;
    if (!step.scale32) step.a = pick(all, random_);
    step.shift = random_.within(spec::kMinRescaleShift, spec::kMaxRescaleShift);
    if (step.b_is_immediate) {
      step.imm0 = static_cast<int64_t>(random_.bits() >> random_.within(33, 62));
      step.imm0 = std::min<int64_t>(step.imm0, spec::max_rescale_multiplier(step.scale32));
    }
    step.imm1 = 0;
    if (step.type == ElementType::Int8) step.imm1 = step.is_unsigned ? random_.within(0, 255) : random_.within(-128, 127);
    if (step.type == ElementType::Int16 && step.is_unsigned) step.imm1 = random_.chance(50) ? 0 : 32768;
    if (random_.chance(25)) {
      VectorStep limit{.op = VectorOp::Clamp, .phase = step.phase};
      limit.a = step.c;
      limit.imm0 = spec::kMinRescaleShift;
      limit.imm1 = spec::kMaxRescaleShift;
      add_made(limit);
      step.c = c().steps.back().dst;
      step.c_is_shift = true;
    }
  }

  /// A schedule that is legal and not the one that spec::schedule() finds.
  void start_later() {
    VectorCommand later = c();
    if (random_.chance(50)) later.interval += random_.within(0, 5);
    for (VectorStep& step : later.steps) {
      if (random_.chance(20)) step.offset += random_.within(0, 9);
    }
    if (is_legal(later, datapath_)) job_.vector() = std::move(later);
  }

  enum class Held : uint8_t { Nothing, Narrow, Wide };
  spec::Datapath datapath_;
  const kernels::TableMemory& tables_;
  Random& random_;
  Work job_{VectorCommand{}};
  std::vector<Held> registers_;
  std::vector<int64_t> kept_;  // that Init writes
  int64_t next_register_ = 0, num_read_ = 1, write_address_ = 0;
};

}  // namespace

void move_registers(VectorCommand& command, int64_t by) {
  const int64_t first = command.rotating_registers, count = spec::kNumVectorRegisters - first;
  if (count == 0) return;
  for (VectorStep& step : command.steps) {
    for (int64_t* number : {&step.dst, &step.a, &step.b, &step.c}) {
      if (*number >= first) *number = first + (*number - first + by) % count;
    }
  }
}

kernels::TableMemory draw_vector_tables(Random& random) {
  kernels::TableMemory tables;
  for (kernels::TableSlot& slot : tables) {
    slot.type = pick(kRegisterTypes, random);
    for (std::byte& byte : slot.bytes) byte = static_cast<std::byte>(random.bits() >> 11);
  }
  return tables;
}

DrawnWork draw_vector_job(const spec::Datapath& datapath, const kernels::TableMemory& tables, Random& random) {
  if (random.chance(kDirectedPercent)) return draw_directed_job(datapath, tables, random);
  return VectorJobMaker(datapath, tables, random).draw();
}

}  // namespace vernier::cosim
