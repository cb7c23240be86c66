// SPDX-License-Identifier: Apache-2.0
// The wave of a block by itself on its way into a file, VCD or FST, with GTKWave's view beside it.
#pragma once

#include "hw/base/file.hpp"
#include "hw/spec/rtl_ports.hpp"
#include "sim/cosim/block/port_signals.hpp"
#include "sim/cosim/block/rtl_block.hpp"
#include "sim/cosim/lockstep/lock_step.hpp"
#include "sim/waves/wave.hpp"

#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vernier::flow {

/// Puts what Verilator writes into a file of the set, with the meaning of ports beside them. What goes wrong is kept, since
/// a wave may end in a destructor.
class WaveFile : public cosim::WaveSink {
 public:
  /// A VCD is written as it comes; of an FST, which is made at the end, so many bytes of Verilator's text are kept.
  static constexpr size_t kMostFstText = size_t{1} << 30;
  WaveFile(base::FileSet& files, const std::string& path, const spec::RtlBlock& block);
  void write(std::span<const char> text) noexcept override;
  /// When the block is gone: the end of the file, and a view of the cycles around `first` with a marker there and the
  /// signals of its lane, or of the first cycles.
  void finish(const std::optional<cosim::MismatchPlace>& first);

 private:
  void add(std::string_view text);
  void put(size_t variable, const cosim::BitsValue& value);

  base::FileSet& files_;
  std::string path_;
  const spec::RtlBlock& block_;
  waves::WaveFormat format_;
  std::string kept_;  // of an FST
  std::unique_ptr<waves::WaveWriter> writer_;
  cosim::VcdText text_;
  std::optional<cosim::BlockSignals> signals_;
  waves::Wave seen_;                // the variables, and the first two values of each
  std::vector<int64_t> values_of_;  // by variable: how many it has had
  int64_t begin_time_ = -1, time_ = -1;
  std::exception_ptr failure_;
};

}  // namespace vernier::flow
