// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/core/dma_port.hpp"

#include <algorithm>
#include <utility>

namespace vernier::cosim {
namespace {

constexpr auto kWords = static_cast<size_t>(spec::kSramOuterWords);
constexpr size_t kWrites = 0, kReads = 1;  // of Work::cursors

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
  Work& work = work_[channel].emplace(Work{.job = &job, .start_cycle = now, .cursors = {}});
  work.cursors = {cursor_of(job.writes), cursor_of(job.reads)};
  work.read_bytes.resize(static_cast<size_t>(work.cursors[kReads].num_bytes));
}

void DmaPort::begin_words(Work& work, Cursor& cursor, size_t most, int64_t now) const {
  const int64_t elapsed = now - work.start_cycle + 1;
  while (cursor.asking.size() < most && cursor.run < cursor.runs->size()) {
    const bool is_due = elapsed >= work.job->cycles || cursor.begun_bytes * work.job->cycles < cursor.num_bytes * elapsed;
    if (!is_due) return;
    const DmaJob::Run& run = (*cursor.runs)[cursor.run];
    const int64_t left = std::ssize(run.bytes) - cursor.byte;
    const int64_t num_bytes = std::min(lanes_ - (run.address + cursor.byte) % lanes_, left);
    cursor.asking.push_back({cursor.run, cursor.byte, num_bytes, cursor.begun_bytes});
    cursor.begun_bytes += num_bytes;
    cursor.byte += num_bytes;
    if (num_bytes < left) continue;
    ++cursor.run;
    cursor.byte = 0;
  }
}

void DmaPort::put(size_t slot, const Work& work, const Ask& ask) {
  const DmaJob::Run& run = (*work.cursors[ask.cursor].runs)[ask.piece.run];
  const int64_t address = run.address + ask.piece.byte, lane = address % lanes_;
  const auto at = static_cast<int64_t>(slot);
  asks_[slot] = ask;
  word_.set_field(at, spec::kAguAddressBits, static_cast<uint64_t>(address / lanes_));
  if (ask.cursor != kWrites) return;
  mask_.set_field(at, static_cast<int>(lanes_), ((uint64_t{1} << ask.piece.num_bytes) - 1) << lane);
  wdata_.set_bytes(at * lanes_ + lane, std::span(run.bytes).subspan(static_cast<size_t>(ask.piece.byte),
                                                                    static_cast<size_t>(ask.piece.num_bytes)));
}

void DmaPort::drive(int64_t now) {
  asks_.fill(std::nullopt);
  table_channel_.reset();
  table_.valid.set(0);
  valid_.set(0);
  write_.set(0);
  // Who has words left shares the port.
  size_t num_asking = 0;
  for (std::optional<Work>& work : work_) {
    if (!work) continue;
    for (const Cursor& cursor : work->cursors) num_asking += cursor.is_done() ? 0 : 1;
  }
  uint64_t valid = 0, write = 0;
  size_t slot = 0;
  for (size_t channel = 0; channel < work_.size() && num_asking > 0; ++channel) {
    if (!work_[channel]) continue;
    Work& work = *work_[channel];
    for (size_t i = 0; i < work.cursors.size(); ++i) {
      const size_t most = kWords / num_asking;
      begin_words(work, work.cursors[i], most, now);
      for (size_t k = 0; k < std::min(most, work.cursors[i].asking.size()); ++k, ++slot) {
        put(slot, work, {channel, i, work.cursors[i].asking[k]});
        valid |= uint64_t{1} << slot;
        if (i == kWrites) write |= uint64_t{1} << slot;
      }
    }
  }
  valid_.set(valid);
  write_.set(write);
  drive_table();
}

void DmaPort::drive_table() {
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
  for (size_t slot = 0; slot < kWords; ++slot) {
    if (!reading_[slot]) continue;
    const Ask& read = *reading_[slot];
    Work& work = *work_[read.channel];
    const DmaJob::Run& run = (*work.cursors[kReads].runs)[read.piece.run];
    const int64_t first = static_cast<int64_t>(slot) * lanes_ + (run.address + read.piece.byte) % lanes_;
    std::ranges::copy(rdata_.bytes().subspan(static_cast<size_t>(first), static_cast<size_t>(read.piece.num_bytes)),
                      work.read_bytes.begin() + read.piece.at);
    reading_[slot].reset();
  }
}

bool DmaPort::see() {
  take_read_words();
  const uint64_t served = ready_.get() & valid_.get();
  if (table_channel_) ++work_[*table_channel_]->table_word;
  for (size_t slot = 0; slot < kWords; ++slot) {
    if (!asks_[slot] || (served >> slot & 1) == 0) continue;
    const Ask& asked = *asks_[slot];
    if (asked.cursor == kReads) reading_[slot] = asked;
    std::erase_if(work_[asked.channel]->cursors[asked.cursor].asking,
                  [&](const Piece& piece) { return piece.at == asked.piece.at; });
  }
  return served != 0 || table_channel_.has_value();
}

std::optional<std::vector<std::byte>> DmaPort::take_done(size_t channel, int64_t now) {
  std::optional<Work>& work = work_[channel];
  if (!work || !std::ranges::all_of(work->cursors, &Cursor::is_done) || work->has_table_left(lanes_)) return std::nullopt;
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
