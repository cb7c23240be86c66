// SPDX-License-Identifier: Apache-2.0
// Machines for programs that run many jobs in one process. SystemC cannot free a machine, so one that has done its work is
// kept for the next that asks for the same configuration.
#pragma once

#include "sim/soc/device.hpp"
#include "sim/soc/npu.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace vernier::soc {

/// Machines of a kind that are kept at most; beyond them the one that was used longest ago goes, and leaves some tens of KiB
/// behind.
inline constexpr size_t kMostKept = 256;

/// An Npu or a Device whose values come from the kernels, the holder's own as long as it lives. As with any of them, one
/// runs at a time. A Device is as a new one, with the project's own firmware.
template <typename Made>
class Kept {
 public:
  explicit Kept(const config::MachineConfig& config, Control control = Control::Direct);
  ~Kept();
  Kept(Kept&&) noexcept = default;
  Kept& operator=(Kept&&) = delete;

  [[nodiscard]] Made& machine() { return *machine_; }
  [[nodiscard]] const Made& machine() const { return *machine_; }
  /// Its last job came to its end, so that the next one finds it as new. Without this call it is not kept.
  void keep() { is_kept_ = true; }

 private:
  config::MachineConfig config_;
  Control control_;
  std::unique_ptr<Made> machine_;
  bool is_kept_ = false;
};

using KeptNpu = Kept<Npu>;
using KeptDevice = Kept<Device>;
extern template class Kept<Npu>;
extern template class Kept<Device>;

/// One job on an Npu with the configuration of the package, which is kept where the job is done.
JobResult run_kept(const package::Package& package, const std::vector<base::Tensor>& inputs, const JobOptions& options);

}  // namespace vernier::soc
