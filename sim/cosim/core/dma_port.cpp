// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/core/dma_port.hpp"

#include <algorithm>
#include <utility>

namespace vernier::cosim {
namespace {

constexpr size_t kWords = static_cast<size_t>(spec::kSramOuterWords);
constexpr size_t kWriteWords = kWords / 2;  // the other half reads

}  // namespace

bool DmaPort::Work::has_table_left(int64_t lanes) const {
  return job->table_slot && table_word * lanes < table_bytes(*job->table.type);
}

DmaPort::DmaPort(const ClockedBlock& block, const spec::Datapath& datapath)
    : lanes_(datapath.lanes),
      valid_(block.port("mem_valid_i")),
      ready_(block.port("mem_ready_o")),
      write_(block.port("mem_write_i")),
      word_(block.port("mem_word_i")),
      mask_(block.port("mem_mask_i")),
      wdata_(block.port("mem_wdata_i")),
      rdata_(block.port("mem_rdata_o")),
      table_(block) {}

DmaPort::Cursor DmaPort::cursor_of(const std::vector<DmaJob::Run>& runs) {
  Cursor cursor{.runs = &runs};
  for (const DmaJob::Run& run : runs) cursor.num_bytes += std::ssize(run.bytes);
  return cursor;
}

void DmaPort::begin(size_t channel, const DmaJob& job, int64_t now) {
  work_[channel] = Work{.job = &job, .start_cycle = now, .writes = cursor_of(job.writes), .reads = cursor_of(job.reads)};
  work_[channel]->read_bytes.resize(static_cast<size_t>(work_[channel]->reads.num_bytes));
}

size_t DmaPort::ask(size_t channel, bool is_write, size_t slot, size_t most, int64_t now) {
  Work& work = *work_[channel];
  const Cursor& cursor = is_write ? work.writes : work.reads;
  if (cursor.is_done()) return 0;
  // Evenly over the cycles of the command.
  const int64_t elapsed = now - work.start_cycle + 1;
  if (elapsed < work.job->cycles && cursor.done_bytes * work.job->cycles >= cursor.num_bytes * elapsed) return 0;
  const DmaJob::Run& run = (*cursor.runs)[cursor.run];
  int64_t byte = cursor.byte;
  size_t num_asked = 0;
  for (; num_asked < most && byte < std::ssize(run.bytes); ++num_asked) {
    const int64_t address = run.address + byte, lane = address % lanes_;
    const int64_t num_bytes = std::min(lanes_ - lane, std::ssize(run.bytes) - byte);
    const size_t at = slot + num_asked;
    asks_[at] = Ask{channel, lane, num_bytes, cursor.done_bytes + byte - cursor.byte};
    word_.set_field(static_cast<int64_t>(at), spec::kAguAddressBits, static_cast<uint64_t>(address / lanes_));
    if (is_write) {
      const uint64_t ones = num_bytes == 64 ? ~uint64_t{0} : (uint64_t{1} << num_bytes) - 1;
      mask_.set_field(static_cast<int64_t>(at), static_cast<int>(lanes_), ones << lane);
      wdata_.set_bytes(static_cast<int64_t>(at) * lanes_ + lane,
                       std::span(run.bytes).subspan(static_cast<size_t>(byte), static_cast<size_t>(num_bytes)));
    }
    byte += num_bytes;
  }
  return num_asked;
}

/// Half of the port for one channel, or a word each where both have something.
void DmaPort::share(bool is_write, size_t first_slot, int64_t now) {
  std::array<bool, DmaJob::kNumChannels> wants{};
  for (size_t channel = 0; channel < work_.size(); ++channel) {
    if (!work_[channel]) continue;
    wants[channel] = ask(channel, is_write, first_slot, 1, now) > 0;
    for (size_t at = first_slot; at < first_slot + kWriteWords; ++at) asks_[at].reset();
  }
  if (wants[0] && wants[1]) {
    ask(0, is_write, first_slot, 1, now);
    ask(1, is_write, first_slot + 1, 1, now);
  } else if (wants[0] || wants[1]) {
    ask(wants[0] ? 0 : 1, is_write, first_slot, kWriteWords, now);
  }
}

void DmaPort::drive(int64_t now) {
  asks_.fill(std::nullopt);
  table_channel_.reset();
  table_.valid.set(0);
  valid_.set(0);
  write_.set(0);
  if (!work_[0] && !work_[1]) return;
  share(true, 0, now);
  share(false, kWriteWords, now);
  uint64_t valid = 0, write = 0;
  for (size_t slot = 0; slot < kWords; ++slot) {
    if (!asks_[slot]) continue;
    valid |= uint64_t{1} << slot;
    if (slot < kWriteWords) write |= uint64_t{1} << slot;
  }
  valid_.set(valid);
  write_.set(write);
  for (size_t channel = 0; channel < work_.size() && !table_channel_; ++channel) {
    if (!work_[channel] || !work_[channel]->has_table_left(lanes_)) continue;
    const DmaJob& job = *work_[channel]->job;
    table_.valid.set(1);
    table_.put(*job.table_slot, *job.table.type,
               std::span(job.table.bytes).first(static_cast<size_t>(table_bytes(*job.table.type))),
               work_[channel]->table_word);
    table_channel_ = channel;
  }
}

/// Words whose addresses were served in the cycle before.
void DmaPort::take_read_words() {
  for (size_t slot = kWriteWords; slot < kWords; ++slot) {
    if (!reading_[slot]) continue;
    const Ask& read = *reading_[slot];
    std::vector<std::byte>& bytes = work_[read.channel]->read_bytes;
    const auto from = rdata_.bytes().subspan(static_cast<size_t>(static_cast<int64_t>(slot) * lanes_ + read.first_byte),
                                             static_cast<size_t>(read.num_bytes));
    std::ranges::copy(from, bytes.begin() + read.at);
    reading_[slot].reset();
  }
}

bool DmaPort::see() {
  take_read_words();
  const uint64_t served = ready_.get() & valid_.get();
  bool has_moved = table_channel_.has_value();
  if (table_channel_) ++work_[*table_channel_]->table_word;
  std::array<bool, 2 * DmaJob::kNumChannels> is_held{};  // a word was not served: those after it ask again
  for (size_t slot = 0; slot < kWords; ++slot) {
    if (!asks_[slot]) continue;
    const Ask& asked = *asks_[slot];
    const bool is_write = slot < kWriteWords;
    bool& held = is_held[2 * asked.channel + (is_write ? 0 : 1)];
    held = held || (served >> slot & 1) == 0;
    if (held) continue;
    has_moved = true;
    if (!is_write) reading_[slot] = asked;
    Work& work = *work_[asked.channel];
    Cursor& cursor = is_write ? work.writes : work.reads;
    cursor.byte += asked.num_bytes;
    cursor.done_bytes += asked.num_bytes;
    if (cursor.byte < std::ssize((*cursor.runs)[cursor.run].bytes)) continue;
    ++cursor.run;
    cursor.byte = 0;
  }
  return has_moved;
}

std::optional<std::vector<std::byte>> DmaPort::take_done(size_t channel, int64_t now) {
  std::optional<Work>& work = work_[channel];
  if (!work || !work->writes.is_done() || !work->reads.is_done() || work->has_table_left(lanes_)) return std::nullopt;
  const bool is_reading =
      std::ranges::any_of(reading_, [&](const std::optional<Ask>& read) { return read && read->channel == channel; });
  if (is_reading || now - work->start_cycle < work->job->cycles) return std::nullopt;
  std::vector<std::byte> bytes = std::move(work->read_bytes);
  work.reset();
  return bytes;
}

void DmaPort::stop() {
  work_.fill(std::nullopt);
  asks_.fill(std::nullopt);
  reading_.fill(std::nullopt);
  valid_.set(0);
  write_.set(0);
  table_.valid.set(0);
}

}  // namespace vernier::cosim
