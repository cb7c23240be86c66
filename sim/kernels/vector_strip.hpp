// SPDX-License-Identifier: Apache-2.0
// Private to sim/kernels: a strip is what one pass of the interpreter works on. It has segments, one a kept position, side
// by side in wide registers; each segment holds `pitch` lanes, of which the first `active` take part.
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"
#include "sim/kernels/kernels.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace vernier::kernels {

struct StripShape {
  int64_t num_segments = 1;
  int64_t pitch = 1;
  int64_t active = 1;

  /// Calls visit(first, count) for the runs of active register elements.
  template <typename Visitor>
  void for_each_run(Visitor&& visit) const {
    if (active == pitch) {
      visit(int64_t{0}, num_segments * pitch);
      return;
    }
    for (int64_t segment = 0; segment < num_segments; ++segment) visit(segment * pitch, active);
  }
};

/// The register file of a strip; 0 at the start of a command. In programs that load int48 every register is mirrored in 64
/// bits.
class StripRegisters {
 public:
  StripRegisters(int64_t num_elements, bool has_wide)
      : num_elements_(num_elements),
        narrow_(static_cast<size_t>(spec::kNumVectorRegisters * num_elements)),
        wide_(has_wide ? narrow_.size() : 0) {}
  [[nodiscard]] int32_t* narrow(int64_t register_idx) { return narrow_.data() + register_idx * num_elements_; }
  [[nodiscard]] int64_t* wide(int64_t register_idx) {
    return has_wide() ? wide_.data() + register_idx * num_elements_ : nullptr;
  }
  [[nodiscard]] bool has_wide() const { return !wide_.empty(); }

 private:
  int64_t num_elements_;
  std::vector<int32_t> narrow_;
  std::vector<int64_t> wide_;
};

/// Where a strip stands: addresses of the first lane of each segment, by stream.
struct StripAddresses {
  std::array<std::vector<int64_t>, spec::kMaxVectorStreams> kept;  // by segment
  std::array<int64_t, spec::kMaxVectorStreams> moving{};           // of the reduced loops and the vector, for all segments
  bool is_single = false;  // Init or Final with lanes_reduced: loads broadcast lane 0, stores write it
};

void execute_load(const spec::VectorStep& step, const spec::VectorStream& stream, std::span<const std::byte> sram,
                  const StripShape& shape, const StripAddresses& addresses, StripRegisters& registers);
void execute_store(const spec::VectorStep& step, const spec::VectorStream& stream, const StripShape& shape,
                   const StripAddresses& addresses, StripRegisters& registers, WriteSet& writes);
/// Every other step. `lanes` is N: what a reduction goes across. `probe` may be empty.
void execute_arithmetic(const spec::VectorStep& step, int64_t lanes, const TableMemory& tables, const StripShape& shape,
                        StripRegisters& registers, const LaneStepProbe& probe);

}  // namespace vernier::kernels
