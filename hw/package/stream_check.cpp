// SPDX-License-Identifier: Apache-2.0
#include "hw/package/stream_check.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "hw/package/command_codec.hpp"
#include "hw/package/range.hpp"
#include "hw/spec/registers.hpp"
#include "hw/spec/status.hpp"

#include <fmt/format.h>

#include <span>
#include <variant>

namespace vernier::package {
namespace {

class StreamsCheck {
 public:
  StreamsCheck(const std::string& file, const Package& package) : file_(file), package_(package) {}

  void run() {
    for_each_stream(package_, [&](int64_t begin_byte, int64_t num_bytes) { check_stream(begin_byte, num_bytes); });
    const auto num_known = static_cast<int64_t>(package_.command_layers.size());
    if (command_idx_ != num_known)
      throw base::UserError(file_, "inconsistent package: it knows the layers of {} commands, its stream has {}", num_known,
                            command_idx_);
  }

 private:
  [[noreturn]] void refuse(spec::FaultCode code, const std::string& detail) const {
    const int32_t layer = layer_of(package_, command_idx_);
    const std::string of_layer =
        layer < 0 ? "" : fmt::format(" (layer {})", base::printable(package_.layers[static_cast<size_t>(layer)].name));
    throw base::UserError(file_, "no stream for this machine: {}: command {}{} at stream offset 0x{:x}: {}",
                          spec::to_string(code), command_idx_, of_layer, offset_bytes_, detail);
  }

  void check_stream(int64_t begin_byte, int64_t num_bytes) {
    const auto stream = std::span(package_.stream).first(static_cast<size_t>(begin_byte + num_bytes));
    bool has_ended = false;
    for (offset_bytes_ = begin_byte; offset_bytes_ < begin_byte + num_bytes; ++command_idx_) {
      if (has_ended) refuse(spec::FaultCode::BadLength, "it follows END");
      const Decoded decoded = decode(stream.subspan(static_cast<size_t>(offset_bytes_)));
      if (decoded.fault != spec::FaultCode::None) refuse(decoded.fault, decoded.detail);
      const Validity validity = package::check(decoded.command, package_.config.datapath);
      if (validity.fault != spec::FaultCode::None) refuse(validity.fault, validity.detail);
      check_ranges(decoded.command);
      has_ended = std::holds_alternative<spec::EndCommand>(decoded.command.body);
      offset_bytes_ += decoded.length_bytes;
    }
    if (!has_ended) refuse(spec::FaultCode::StreamEnd, "the stream has no END");
  }

  void check_ranges(const spec::Command& command) const {
    for (const Range& range : ranges_of(command, package_.config.datapath)) {
      const bool is_sram = range.storage == Storage::Sram;
      if (!is_sram && range.storage != Storage::External) continue;
      const int64_t size_bytes = is_sram ? package_.config.sram_bytes : spec::kMaxExternalBytes;
      const std::string why = why_outside(range, is_sram ? "SRAM" : "external memory", size_bytes);
      if (!why.empty()) refuse(spec::FaultCode::AddressOutOfRange, why);
    }
  }

  const std::string& file_;
  const Package& package_;
  int64_t command_idx_ = 0, offset_bytes_ = 0;
};

}  // namespace

void check_streams(const std::string& file, const Package& package) { StreamsCheck(file, package).run(); }

}  // namespace vernier::package
