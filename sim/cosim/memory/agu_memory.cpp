// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/memory/agu_memory.hpp"

#include "hw/spec/latency.hpp"
#include "sim/cosim/block/rtl_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vernier::cosim {

AguMemory::AguMemory(ClockedBlock& block, const spec::Datapath& datapath, bool has_limits, std::unique_ptr<RtlBlock> agu,
                     std::span<const Stream> reads, Stream results)
    : datapath_(datapath),
      sram_(datapath, has_limits),
      agu_(agu ? std::move(agu) : own_rtl().make(spec::kAguBlock, block.lanes(), {}), block.lanes(),
           std::min(spec::kWeightLoadWords, datapath.sram_read_words)),
      results_(results.most_beats),
      result_source_(source_of(results)),
      command_port_{block.port("cmd_valid_i"), block.port("cmd_ready_o")},
      most_results_(results.most_beats) {
  for (const Stream& stream : reads) {
    const std::string stem(stream.name);
    queues_.emplace_back(stream.most_beats);
    sources_.push_back(source_of(stream));
    ports_.push_back({block.port(stem + "_valid_i"), block.port(stem + "_ready_o")});
  }
  const std::string stem(results.name);
  result_port_ = {block.port(stem + "_valid_o"), block.port(stem + "_ready_i")};
}

LockStepResult AguMemory::take_findings(const std::string& name) {
  for (Mismatch& mismatch : findings_.first_mismatches) mismatch.command = name;
  return std::exchange(findings_, {});
}

void AguMemory::report(std::string_view stream, std::string words, std::string expected, std::string actual) {
  findings_.report({.kind = MismatchKind::Address,
                    .unit = std::string(spec::kAguBlock.name),
                    .port = std::string(stream),
                    .expected = std::move(expected),
                    .actual = std::move(actual),
                    .words = std::move(words)});
}

void AguMemory::rethrow(const Hang& hang) const {
  if (findings_.mismatches == 0) throw hang;
  throw Hang(fmt::format("{}; {}", findings_.first_mismatches.front().print(), hang.what()), hang.since_cycle(),
             hang.is_stop());
}

AguMemory::Handshake AguMemory::source_of(const Stream& stream) const {
  const std::string stem(stream.name);
  return {agu_.port(stem + "_valid_o"), agu_.port(stem + "_ready_i")};
}

void AguMemory::stop() {
  is_started_ = is_starting_ = false;
  for (Handshake& source : sources_) source.ready.set(0);
  result_source_.ready.set(0);
}

void AguMemory::wait_for_issue() {
  for (int64_t i = 1; i < spec::kIssueCycles; ++i) agu_.cycle();
}

void AguMemory::end_command() {
  const auto offers = [](const Handshake& source) { return source.valid.get() != 0; };
  const bool is_over = result_words_.empty() && !offers(result_source_) && std::ranges::none_of(sources_, offers) &&
                       std::ranges::all_of(queues_, &ReadQueue::is_empty) && !has_beats_left();
  if (is_over) return;
  report({}, "beats that the command has not are there, or some of its own are missing");
  was_reset();
}

bool AguMemory::gives(size_t port) const { return port >= queues_.size() || queues_[port].gives(now_); }

bool AguMemory::has_room() const { return !result_words_.empty() && results_.has_room(); }

void AguMemory::offer(bool is_enabled) {
  is_enabled_ = is_enabled;
  for (size_t i = 0; i < sources_.size(); ++i) sources_[i].ready.set(is_started_ && queues_[i].has_room() ? 1 : 0);
  result_source_.ready.set(is_started_ && result_words_.size() < most_results_ ? 1 : 0);
}

Seen AguMemory::see() {
  if (is_enabled_ && command_port_.is_taken()) {
    is_starting_ = true;
    taken_cycle_ = last_cycle_ = now_;
  }
  for (size_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i].is_taken()) queues_[i].push(compared_words(i));
  }
  if (result_source_.is_taken()) result_words_.push_back(compared_result_words());
  for (size_t i = 0; is_enabled_ && i < ports_.size(); ++i) {
    if (!ports_[i].is_taken() || queues_[i].is_empty()) continue;
    queues_[i].take();
    took(i);
  }
  if (is_enabled_ && result_port_.is_taken() && !result_words_.empty()) {
    results_.push(result_words_.front());
    result_words_.pop_front();
  }
  sram_.begin_cycle();
  if (!results_.is_empty()) last_cycle_ = now_;
  serve();
  return Seen::Still;
}

void AguMemory::clocked() {
  agu_.cycle();
  if (std::exchange(is_starting_, false)) is_started_ = true;
  ++now_;
}

void AguMemory::was_reset() {
  agu_.reset();
  for (ReadQueue& queue : queues_) queue.clear();
  results_.clear();
  result_words_.clear();
  is_started_ = is_starting_ = false;
}

}  // namespace vernier::cosim
