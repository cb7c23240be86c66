// SPDX-License-Identifier: Apache-2.0
// The loops of a vector command. Where its vectors are independent (VectorProgram), a strip takes as many lanes and kept
// positions as fit; else one vector at a time, in order, in registers that keep their values.
#include "sim/kernels/vector_program.hpp"
#include "sim/kernels/vector_strip.hpp"

#include <algorithm>

namespace vernier::kernels {
namespace {

using spec::VectorCommand;
using spec::VectorPhase;

constexpr int64_t kStripElements = 512;  // 16 registers of them are 32 KiB, the host's first-level cache

/// Positions of loops [begin, end), innermost fastest.
class Odometer {
 public:
  Odometer(const VectorCommand& command, int64_t begin, int64_t end) : command_(command), begin_(begin), end_(end) {}
  [[nodiscard]] int64_t num_positions() const {
    int64_t product = 1;
    for (int64_t loop = begin_; loop < end_; ++loop) product *= command_.counts[static_cast<size_t>(loop)];
    return product;
  }
  [[nodiscard]] int64_t offset(const spec::VectorStream& stream) const {
    int64_t sum = 0;
    for (int64_t loop = begin_; loop < end_; ++loop) {
      sum += position_[static_cast<size_t>(loop)] * stream.strides_bytes[static_cast<size_t>(loop)];
    }
    return sum;
  }
  /// To the next position; after the last, the first again.
  void advance() {
    for (int64_t loop = end_ - 1; loop >= begin_; --loop) {
      if (++position_[static_cast<size_t>(loop)] < command_.counts[static_cast<size_t>(loop)]) return;
      position_[static_cast<size_t>(loop)] = 0;
    }
  }

 private:
  const VectorCommand& command_;
  int64_t begin_, end_;
  std::array<int64_t, spec::kNumVectorLoops> position_{};
};

class VectorRun {
 public:
  VectorRun(const VectorCommand& command, const spec::Datapath& datapath, std::span<const std::byte> sram,
            const TableMemory& tables, WriteSet& writes, const LaneStepProbe& probe)
      : command_(command),
        lanes_(datapath.vector_lanes()),
        sram_(sram),
        tables_(tables),
        writes_(writes),
        probe_(probe),
        program_(command),
        pitch_(pitch()),
        num_segments_(program_.is_independent ? std::max(kStripElements / pitch_, int64_t{1}) : 1),
        registers_(num_segments_ * pitch_, program_.has_wide),
        kept_(command, 0, command.kept_loops),
        reduced_(command, command.kept_loops, spec::kNumVectorLoops) {}

  void run() {
    shape_.pitch = pitch_;
    const int64_t num_positions = kept_.num_positions();
    for (int64_t position = 0; position < num_positions; position += num_segments_) {
      shape_.num_segments = std::min(num_segments_, num_positions - position);
      place_segments();
      if (command_.lanes_reduced) {
        run_lanes_reduced();
      } else {
        for (int64_t lane = 0; lane < command_.lanes; lane += pitch_) run_lanes_kept(lane);
      }
    }
  }

 private:
  /// Lanes of a segment: whole vectors, or all lanes.
  [[nodiscard]] int64_t pitch() const {
    const int64_t most = program_.is_independent && !command_.lanes_reduced ? kStripElements : lanes_;
    return std::min(most / lanes_ * lanes_, command_.lanes);
  }

  void place_segments() {
    for (auto& offsets : addresses_.kept) offsets.clear();
    for (int64_t segment = 0; segment < shape_.num_segments; ++segment, kept_.advance()) {
      for (size_t i = 0; i < command_.streams.size(); ++i) {
        addresses_.kept[i].push_back(command_.streams[i].base + kept_.offset(command_.streams[i]));
      }
    }
  }

  /// All segments to lane `lane` of the current reduced position.
  void move_to(int64_t lane) {
    for (size_t i = 0; i < command_.streams.size(); ++i) {
      const spec::VectorStream& stream = command_.streams[i];
      addresses_.moving[i] = reduced_.offset(stream) + lane * stream.lane_stride_bytes;
    }
  }

  void run_lanes_kept(int64_t lane) {
    shape_.active = std::min(pitch_, command_.lanes - lane);
    move_to(lane);
    run_phase(VectorPhase::Init);
    for (int64_t n = reduced_.num_positions(); n > 0; --n, reduced_.advance()) {
      move_to(lane);
      run_phase(VectorPhase::Body);
    }
    move_to(lane);
    run_phase(VectorPhase::Final);
  }

  /// Init and Final on one element: in all lanes that the body uses, at lane 0 of the streams.
  void run_lanes_reduced() {
    run_single_phase(VectorPhase::Init);
    for (int64_t n = reduced_.num_positions(); n > 0; --n, reduced_.advance()) {
      for (int64_t lane = 0; lane < command_.lanes; lane += lanes_) {
        shape_.active = std::min(lanes_, command_.lanes - lane);
        move_to(lane);
        run_phase(VectorPhase::Body);
      }
    }
    run_single_phase(VectorPhase::Final);
  }

  void run_single_phase(VectorPhase phase) {
    shape_.active = pitch_;
    move_to(0);
    addresses_.is_single = true;
    run_phase(phase);
    addresses_.is_single = false;
  }

  void run_phase(VectorPhase phase) {
    for (const spec::VectorStep* step : program_.steps(phase)) {
      if (spec::is_load(step->op)) {
        execute_load(*step, command_.streams[static_cast<size_t>(step->stream)], sram_, shape_, addresses_, registers_);
      } else if (step->op == spec::VectorOp::Store) {
        execute_store(*step, command_.streams[static_cast<size_t>(step->stream)], shape_, addresses_, registers_, writes_);
      } else {
        execute_arithmetic(*step, lanes_, tables_, shape_, registers_, probe_);
      }
    }
  }

  const VectorCommand& command_;
  int64_t lanes_;  // N
  std::span<const std::byte> sram_;
  const TableMemory& tables_;
  WriteSet& writes_;
  const LaneStepProbe& probe_;
  VectorProgram program_;
  int64_t pitch_;
  int64_t num_segments_;
  StripRegisters registers_;
  Odometer kept_, reduced_;
  StripShape shape_;
  StripAddresses addresses_;
};

}  // namespace

void run_vector(const spec::VectorCommand& command, const spec::Datapath& datapath, std::span<const std::byte> sram,
                const TableMemory& tables, WriteSet& writes, const LaneStepProbe& probe) {
  VectorRun(command, datapath, sram, tables, writes, probe).run();
}

}  // namespace vernier::kernels
