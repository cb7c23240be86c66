// SPDX-License-Identifier: Apache-2.0
#include "sim/explain/least_bandwidth.hpp"

#include "sim/soc/kept.hpp"

#include <algorithm>
#include <variant>
#include <vector>

namespace vernier::explain {
namespace {

constexpr int64_t kFewSteps = 4;

/// Steps that the bandwidth is divided into; the more commands, the longer a simulation takes.
int64_t num_steps_for(const package::Package& package) {
  constexpr size_t kSomeCommands = 5'000, kManyCommands = 50'000;
  const size_t num_commands = package.command_layers.size();
  return num_commands < kSomeCommands ? 64 : num_commands < kManyCommands ? 16 : kFewSteps;
}

/// 1 % more, rounded down.
int64_t most_cycles(const soc::JobResult& job) { return job.cycles + job.cycles / 100; }

/// Bytes over the busier of two ways, or over the one way.
int64_t bytes_one_way(const timing::Traffic& traffic, const spec::ExternalMemory& external) {
  if (!external.is_full_duplex) return traffic.external_read_bytes + traffic.external_write_bytes;
  return std::max(traffic.external_read_bytes, traffic.external_write_bytes);
}

class Search {
 public:
  Search(const package::Package& package, const soc::JobResult& job)
      : package_(package),
        num_steps_(num_steps_for(package)),
        most_cycles_(most_cycles(job)),
        bytes_(bytes_one_way(job.traffic, package.config.external)) {
    for (const int32_t idx : package.inputs) {
      const package::TensorEntry& tensor = package.tensors[idx];
      inputs_.emplace_back(tensor.type, tensor.shape);
    }
  }

  base::Ratio least() {
    int64_t enough = num_steps_;
    if (num_steps_ == kFewSteps && !is_enough(bandwidth(enough - 1))) return whole_;  // so it is for most of them
    int64_t too_few = 0;                                                              // steps with which it takes longer
    while (too_few + 1 < enough && base::ceil_div(bytes_, bandwidth(too_few + 1)) > most_cycles_) ++too_few;
    while (too_few + 1 < enough) {
      const int64_t middle = (too_few + enough) / 2;
      (is_enough(bandwidth(middle)) ? enough : too_few) = middle;
    }
    return bandwidth(enough);
  }

 private:
  [[nodiscard]] base::Ratio bandwidth(int64_t steps) const {
    const bool is_exact = whole_.denominator() <= config::kMostBandwidthDenominator / num_steps_;
    if (is_exact) return {whole_.numerator() * steps, whole_.denominator() * num_steps_};
    return {std::max<int64_t>(whole_.numerator() * steps / num_steps_, 1), whole_.denominator()};
  }

  bool is_enough(base::Ratio bandwidth) {
    package_.config.external.bytes_per_cycle = bandwidth;
    soc::KeptNpu npu(package_.config);
    soc::JobOptions options;
    options.values = false;
    const soc::JobResult job = npu.machine().run(package_, inputs_, options);
    if (job.is_done()) npu.keep();
    package_.config.external.bytes_per_cycle = whole_;
    return job.is_done() && job.cycles <= most_cycles_;
  }

  package::Package package_;
  base::Ratio whole_ = package_.config.external.bytes_per_cycle;
  int64_t num_steps_, most_cycles_, bytes_;
  std::vector<base::Tensor> inputs_;
};

}  // namespace

std::optional<base::Ratio> least_external_bandwidth(const package::Package& package, const soc::JobResult& job) {
  if (job.traffic.external_read_bytes + job.traffic.external_write_bytes == 0) return std::nullopt;
  return Search(package, job).least();
}

}  // namespace vernier::explain
