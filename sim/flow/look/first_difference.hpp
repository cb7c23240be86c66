// SPDX-License-Identifier: Apache-2.0
// Where a mismatch comes from: the operands of the first element that differs.
#pragma once

#include "hw/package/package.hpp"
#include "sim/check/checker.hpp"
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

namespace vernier::flow {

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

/// Where its waves go: FOLDER/MODEL.first-difference.fst, or .vcd where there is no FST writer; in the working folder for an
/// empty one.
std::string first_difference_file(const std::string& folder, const std::string& model);

/// The cycles around a command of the job.
waves::Window window_around(const soc::JobResult& job, int64_t command_idx);

}  // namespace vernier::flow
