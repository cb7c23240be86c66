// SPDX-License-Identifier: Apache-2.0
// Where a mismatch comes from: the operands of the first element that differs, and a fault that is put in on purpose.
#pragma once

#include "hw/package/package.hpp"
#include "sim/check/checker.hpp"
#include "sim/flow/injection.hpp"
#include "sim/soc/npu.hpp"
#include "sim/waves/wave.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vernier::cosim {
class ArrayTraffic;
}

namespace vernier::cli {

/// The fault that a run is to have, and how it is called; without one, why not.
struct ChosenFault {
  std::optional<units::Injection> injection;
  std::string text;
};
/// Looks for the fault on the machine itself: each candidate of the plan runs until one changes an output, an inner tensor
/// or how the job ends. One that is all that was asked for in the control system need not change anything. `firmware` as in
/// soc::JobOptions.
ChosenFault choose_fault(const flow::InjectionRequest& request, soc::Npu& npu, const package::Package& package,
                         const std::vector<base::Tensor>& inputs, const soc::FirmwareProgram* firmware);

/// The operands of the element that differs first, as its command found them when it started: the job runs once more on a
/// machine with datapath().
class OperandsOf {
 public:
  OperandsOf(const package::Package& package, const check::Difference& difference);
  ~OperandsOf();
  OperandsOf(const OperandsOf&) = delete;
  OperandsOf& operator=(const OperandsOf&) = delete;
  /// The datapath of a machine that runs the job again; once.
  [[nodiscard]] std::unique_ptr<units::DatapathIf> datapath();
  /// For soc::JobOptions::on_sums of that job.
  void take_sums(int32_t command_idx, std::span<const int64_t> sums);
  /// After the job: taps, sums and what the rescale unit makes of them, whether they give what was expected, and the sum
  /// that the machine had; empty for elements that no convolution wrote.
  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] std::string text_of_sums(const cosim::ArrayTraffic& traffic, int64_t address) const;
  struct Found;
  const package::Package& package_;
  const check::Difference& difference_;
  std::shared_ptr<Found> found_;
};

/// Where its waves go: MODEL.first-difference.fst, or .vcd where there is no FST writer, in the working folder.
std::string first_difference_file(const std::string& model);

/// The cycles around a command of the job.
waves::Window window_around(const soc::JobResult& job, int64_t command_idx);

}  // namespace vernier::cli
