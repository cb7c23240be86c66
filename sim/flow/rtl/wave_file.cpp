// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/rtl/wave_file.hpp"

#include "hw/base/error.hpp"
#include "sim/waves/gtkw.hpp"

#include <algorithm>

namespace vernier::flow {
namespace {

/// What a view shows around a mismatch.
constexpr int64_t kCyclesBefore = 60, kCyclesAfter = 12;
constexpr int64_t kKeptValues = 2;  // of a variable: whether it moves
/// Of an FST while it is made, for each byte of text.
constexpr size_t kFstBytesPerByte = 3, kFstHeader = size_t{1} << 20;

}  // namespace

WaveFile::WaveFile(base::FileSet& files, const std::string& path, const spec::RtlBlock& block)
    : files_(files), path_(path), block_(block), format_(waves::wave_format_of(path)) {
  files_.begin(path);
  if (format_ == waves::WaveFormat::Vcd) writer_ = waves::make_vcd_writer();
}

void WaveFile::write(std::span<const char> text) noexcept {
  if (failure_ != nullptr) return;
  try {
    const std::string_view more(text.data(), text.size());
    if (format_ == waves::WaveFormat::Vcd) {
      add(more);
      files_.append(writer_->take());
      return;
    }
    if (kept_.size() + more.size() > kMostFstText)
      throw base::UserError("--wave", "an FST of more than {} MiB of signals cannot be made: fewer --vectors, or a .vcd",
                            kMostFstText >> 20);
    kept_ += more;
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void WaveFile::add(std::string_view text) {
  text_.feed(text);
  cosim::VcdText::Change change;
  while (text_.next(change)) {
    if (!signals_) {
      signals_.emplace(block_, text_, "", seen_.variables);
      values_of_.resize(seen_.variables.size());
      writer_->declare(seen_.variables);
    }
    if (begin_time_ < 0) begin_time_ = change.time;
    if (change.time != time_) writer_->time(change.time);
    time_ = change.time;
    signals_->change(change.code, change.value, [&](size_t variable, const auto& value) { put(variable, value); });
  }
}

void WaveFile::put(size_t variable, const cosim::BitsValue& value) {
  if (const auto* number = std::get_if<uint64_t>(&value)) {
    writer_->number(variable, *number);
  } else {
    writer_->bits(variable, std::get<std::string>(value));
  }
  if (values_of_[variable]++ < kKeptValues) seen_.events.push_back({time_, variable, uint64_t{0}});
}

void WaveFile::finish(const std::optional<cosim::MismatchPlace>& first) {
  if (failure_ != nullptr) std::rethrow_exception(failure_);
  if (format_ == waves::WaveFormat::Fst) {
    writer_ = waves::make_fst_writer(kFstHeader + kFstBytesPerByte * kept_.size());
    add(kept_);
  }
  const int64_t end_cycle = std::max<int64_t>(time_, 0) / waves::kTimesPerCycle + 1;
  if (!signals_) return;  // it was never drawn
  writer_->time(end_cycle * waves::kTimesPerCycle);
  files_.append(writer_->finish(end_cycle * waves::kTimesPerCycle));
  const int64_t begin_cycle = std::max<int64_t>(begin_time_, 0) / waves::kTimesPerCycle;
  waves::Window window{begin_cycle, std::min(end_cycle, begin_cycle + kCyclesBefore)};
  std::vector<int64_t> markers;
  if (first) {
    window = {std::max(first->cycle - kCyclesBefore, begin_cycle), std::min(first->cycle + kCyclesAfter, end_cycle)};
    markers.push_back(first->cycle);
  }
  // Whatever moves at all is listed.
  for (waves::Event& event : seen_.events)
    event.time = window.from_cycle * waves::kTimesPerCycle + (values_of_[event.variable] > 1 ? 1 : 0);
  files_.add_text(path_ + ".gtkw",
                  waves::gtkwave_view(seen_, path_, window, markers, {.most_depth = 1, .lane = first ? first->lane : -1}));
}

}  // namespace vernier::flow
