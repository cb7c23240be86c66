// SPDX-License-Identifier: Apache-2.0
// `--rtl-scope core`: a network's commands run together on npu_core_sram, the core with its memory, and its outputs come out
// of that SRAM. The model runs first: it says when commands start at the earliest, and what the DMA brings.
#pragma once

#include "hw/base/tensor.hpp"
#include "hw/package/package.hpp"
#include "sim/cosim/core/core_network.hpp"
#include "sim/flow/rtl/rtl_choice.hpp"
#include "sim/report/report.hpp"
#include "sim/soc/npu.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

/// A job on the core.
struct CoreJobRun {
  std::vector<base::Tensor> outputs{};    // as the RTL has them; none where it stands still
  std::vector<base::Tensor> variables{};  // likewise, in the order of the package
  std::optional<cosim::Hang> hang{};      // the RTL stands still
};

class CoreRtl {
 public:
  using Tell = std::function<void(const std::string& text)>;
  /// Builds the core where this program has not got it in these lanes, which takes minutes; `phase` is told. UserError for a
  /// machine that npu_core_sram is not built for, and where there is nothing to build it with.
  CoreRtl(const config::MachineConfig& machine, const RtlChoice& choice, const Tell& phase);
  CoreRtl(CoreRtl&&) noexcept;
  ~CoreRtl();
  /// Runs the commands of `job`, which `npu` has just done with these inputs. The model runs once more, for what stands in
  /// its SRAM meanwhile. `detail` is told how far the RTL is; it may be empty.
  CoreJobRun run_job(const package::Package& package, const std::vector<base::Tensor>& inputs, const soc::JobResult& job,
                     soc::Npu& npu, const Tell& detail);
  /// Of all jobs; cycles are those of the last one.
  [[nodiscard]] report::RtlUse use() const;

 private:
  std::unique_ptr<cosim::CoreSramBench> bench_;
  cosim::CoreResult result_;  // of the last job
  const package::Package* package_ = nullptr;
  int64_t earlier_mismatches_ = 0;
  std::vector<cosim::Mismatch> first_mismatches_;  // of all jobs
};

}  // namespace vernier::flow
