// SPDX-License-Identifier: Apache-2.0
// Machines for programs that run many jobs in one process. SystemC cannot free a machine, so one that has done its work is
// kept for the next that asks for the same configuration.
#pragma once

#include "sim/soc/npu.hpp"

#include <cstddef>
#include <memory>

namespace vernier::soc {

/// Machines that are kept at most; beyond them the one that was used longest ago goes, and leaves some tens of KiB behind.
inline constexpr size_t kMostKeptNpus = 256;

/// A machine whose values come from the kernels, the holder's own as long as it lives. As with any Npu, one runs at a time.
class KeptNpu {
 public:
  explicit KeptNpu(const config::MachineConfig& config, Control control = Control::Direct);
  ~KeptNpu();
  KeptNpu(KeptNpu&&) noexcept = default;
  KeptNpu& operator=(KeptNpu&&) = delete;

  [[nodiscard]] Npu& machine() { return *npu_; }
  /// Its last job came to its end, so that the next one finds it as new. Without this call it is not kept.
  void keep() { is_kept_ = true; }

 private:
  config::MachineConfig config_;
  Control control_;
  std::unique_ptr<Npu> npu_;
  bool is_kept_ = false;
};

}  // namespace vernier::soc
