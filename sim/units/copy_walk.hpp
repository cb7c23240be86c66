// SPDX-License-Identifier: Apache-2.0
// The runs of a DMA command in order, merged where both sides continue. SystemC-free.
#pragma once

#include "hw/spec/command.hpp"

#include <array>
#include <cstdint>

namespace vernier::units {

class CopyWalk {
 public:
  explicit CopyWalk(const spec::DmaCommand& command) {
    run_bytes_ = command.run_bytes;
    for (size_t i = spec::kNumDmaLoops; i-- > 0;) {
      const Loop loop{command.counts[i], command.src.strides_bytes[i], command.dst.strides_bytes[i]};
      const bool continues = (loop.src_stride == run_bytes_ || command.kind == spec::DmaKind::Fill) &&
                             loop.dst_stride == run_bytes_ && num_loops_ == 0;
      if (loop.count == 1) continue;
      if (continues) {
        run_bytes_ *= loop.count;
      } else {
        loops_[num_loops_++] = loop;  // innermost first
      }
    }
    src_base_ = static_cast<int64_t>(command.src.base.offset);
    dst_base_ = static_cast<int64_t>(command.dst.base.offset);
  }

  [[nodiscard]] int64_t run_bytes() const { return run_bytes_; }
  [[nodiscard]] int64_t num_runs() const {
    int64_t runs = 1;
    for (size_t i = 0; i < num_loops_; ++i) runs *= loops_[i].count;
    return runs;
  }
  /// Calls visit(source offset, destination offset) for each run, in order.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    std::array<int64_t, spec::kNumDmaLoops> index{};
    int64_t src = src_base_, dst = dst_base_;
    for (int64_t left = num_runs(); left > 0; --left) {
      visit(src, dst);
      for (size_t i = 0; i < num_loops_; ++i) {
        src += loops_[i].src_stride;
        dst += loops_[i].dst_stride;
        if (++index[i] < loops_[i].count) break;
        src -= loops_[i].count * loops_[i].src_stride;
        dst -= loops_[i].count * loops_[i].dst_stride;
        index[i] = 0;
      }
    }
  }

 private:
  struct Loop {
    int64_t count = 1, src_stride = 0, dst_stride = 0;
  };
  std::array<Loop, spec::kNumDmaLoops> loops_{};
  size_t num_loops_ = 0;
  int64_t run_bytes_ = 1, src_base_ = 0, dst_base_ = 0;
};

}  // namespace vernier::units
