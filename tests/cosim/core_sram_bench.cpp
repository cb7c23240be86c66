// SPDX-License-Identifier: Apache-2.0
#include "tests/cosim/core_sram_bench.hpp"

#include "hw/spec/core_sram_ports.hpp"
#include "sim/cosim/block/command_port.hpp"

#include <algorithm>
#include <utility>

namespace vernier::cosim {
namespace {

/// Far more than a command of the vector unit takes, whose beats nobody sees here.
constexpr int64_t kMostIdleCycles = 300'000;

using Command = decltype(CoreJob::command);

void put(Port port, const Command& command, spec::PortFields fields) {
  if (const auto* mac = std::get_if<spec::MacCommand>(&command)) put_command(port, *mac, fields);
  if (const auto* vector = std::get_if<spec::VectorCommand>(&command)) put_command(port, *vector, fields);
}

}  // namespace

CoreSramBench::CoreSramBench(int lanes) : CoreSramBench(make_rtl_block(spec::kCoreSramBlock.name, lanes), lanes) {}

CoreSramBench::CoreSramBench(std::unique_ptr<RtlBlock> block, int lanes)
    : datapath_{lanes, 4, 2},
      block_(std::move(block), spec::kCoreSramBlock, lanes),
      mem_valid_(block_.port("mem_valid_i")),
      mem_ready_(block_.port("mem_ready_o")),
      mem_write_(block_.port("mem_write_i")),
      mem_word_(block_.port("mem_word_i")),
      mem_mask_(block_.port("mem_mask_i")),
      mem_wdata_(block_.port("mem_wdata_i")),
      mem_rdata_(block_.port("mem_rdata_o")),
      table_(block_),
      mac_free_(block_.port("mac_free_o")),
      mac_take_(block_.port("mac_take_o")),
      mac_end_(block_.port("mac_end_o")),
      vec_free_(block_.port("vec_free_o")),
      vec_wait_(block_.port("vec_wait_o")) {
  const auto unit = [&](const std::string& prepare, const std::string& start) {
    Unit made;
    made.prepare_valid = block_.port(prepare + "_valid_i");
    made.prepare_ready = block_.port(prepare + "_ready_o");
    made.prepare = block_.port(prepare + "_i");
    made.start_valid = block_.port(start + "_valid_i");
    made.start_ready = block_.port(start + "_ready_o");
    made.start = block_.port(start + "_i");
    return made;
  };
  units_ = {unit("mac", "cmd"), unit("vec", "vec_cmd")};
  block_.reset();
}

void CoreSramBench::set_tables(const kernels::TableMemory& tables) { fill_tables(block_, tables); }

void CoreSramBench::cycle() {
  block_.settle();
  block_.edge();
}

/// Puts bytes on the outer port from byte `first` on: a word, and the next one where they go on. The words that have some.
uint64_t CoreSramBench::put_words(int64_t address, std::span<const std::byte> bytes, int64_t first) {
  const int64_t lanes = datapath_.lanes, word = (address + first) / lanes;
  std::ranges::fill(mem_mask_.bytes(), std::byte{0});
  uint64_t words = 0;
  for (int64_t b = 0; b < spec::kSramOuterWords * lanes; ++b) {
    mem_word_.set_field(b / lanes, spec::kAguAddressBits, static_cast<uint64_t>(word + b / lanes));
    const int64_t at = word * lanes + b - address;
    if (at < first || at >= std::ssize(bytes)) continue;
    words |= uint64_t{1} << (b / lanes);
    mem_mask_.set_field(b, 1, 1);
    mem_wdata_.set_field(b, 8, std::to_integer<uint64_t>(bytes[static_cast<size_t>(at)]));
  }
  return words;
}

/// The first byte after so many words from that of byte `first` on.
int64_t CoreSramBench::byte_after(int64_t address, int64_t num_bytes, int64_t first, int64_t num_words) const {
  const int64_t lanes = datapath_.lanes;
  return std::min(num_bytes, ((address + first) / lanes + num_words) * lanes - address);
}

void CoreSramBench::write(int64_t address, std::span<const std::byte> bytes) {
  mem_write_.set(3);
  for (int64_t first = 0; first < std::ssize(bytes);
       first = byte_after(address, std::ssize(bytes), first, spec::kSramOuterWords)) {
    mem_valid_.set(put_words(address, bytes, first));
    cycle();  // words of two banks, and nobody else asks
  }
  mem_valid_.set(0);
  mem_write_.set(0);
  block_.settle();
}

std::vector<std::byte> CoreSramBench::read(int64_t address, int64_t num_bytes) {
  const int64_t lanes = datapath_.lanes;
  std::vector<std::byte> bytes(static_cast<size_t>(num_bytes));
  for (int64_t word = address / lanes; word * lanes < address + num_bytes; ++word) {
    mem_word_.set_field(0, spec::kAguAddressBits, static_cast<uint64_t>(word));
    mem_valid_.set(1);
    cycle();
    mem_valid_.set(0);
    block_.settle();
    for (int64_t b = 0; b < lanes; ++b) {
      const int64_t at = word * lanes + b - address;
      if (at >= 0 && at < num_bytes) bytes[static_cast<size_t>(at)] = static_cast<std::byte>(mem_rdata_.field(b, 8));
    }
  }
  return bytes;
}

void CoreSramBench::drive(Unit& unit, std::span<const CoreJob> jobs, int64_t now) {
  const size_t num_given = unit.given_cycles.size();
  const bool gives = num_given < unit.jobs.size();
  unit.prepare_valid.set(gives ? 1 : 0);
  if (gives) put(unit.prepare, jobs[unit.jobs[num_given]].command, spec::PortFields::All);
  const bool starts = unit.num_started < num_given && may_start(jobs[unit.jobs[unit.num_started]], now) &&
                      now >= unit.given_cycles[unit.num_started] + spec::kIssueCycles;
  unit.start_valid.set(starts ? 1 : 0);
  if (starts) put(unit.start, jobs[unit.jobs[unit.num_started]].command, spec::PortFields::OfDatapath);
}

bool CoreSramBench::see(Unit& unit, int64_t now) {
  bool has_moved = false;
  if (unit.prepare_valid.get() != 0 && unit.prepare_ready.get() != 0) {
    unit.given_cycles.push_back(now);
    has_moved = true;
  }
  if (unit.start_valid.get() != 0 && unit.start_ready.get() != 0) {
    edges_[unit.jobs[unit.num_started++]].start = now;
    has_moved = true;
  }
  return has_moved;
}

/// Before the starts of this cycle are seen.
bool CoreSramBench::see_ends(std::span<const CoreJob> jobs, int64_t now) {
  bool has_moved = false;
  Unit& array = units_[0];
  if (array.num_ended < array.num_started) {
    const size_t job = array.jobs[array.num_ended];
    if (std::get<spec::MacCommand>(jobs[job].command).last) {
      if (mac_end_.get() != 0) {
        edges_[job].end = now;
        edges_[job].is_over = true;
        ++array.num_ended;
        has_moved = true;
      }
    } else {
      if (mac_take_.get() != 0) edges_[job].end = now;
      if (now > edges_[job].start && mac_free_.get() != 0) {
        edges_[job].is_over = true;
        ++array.num_ended;
      }
    }
    has_moved = has_moved || mac_take_.get() != 0;
  }
  Unit& vector = units_[1];
  if (vector.num_ended < vector.num_started) {
    const size_t job = vector.jobs[vector.num_ended];
    if (now > edges_[job].start && vec_free_.get() != 0 && edges_[job].end < 0) edges_[job].end = now;
    if (edges_[job].end >= 0) {
      if (vec_wait_.get() != 0)
        edges_[job].end = now;
      else {
        edges_[job].is_over = true;
        ++vector.num_ended;
      }
    }
  }
  return has_moved;
}

bool CoreSramBench::may_start(const CoreJob& job, int64_t now) const {
  return now >= job.earliest_cycle && std::ranges::all_of(job.after, [&](const CoreJob::After& after) {
           const CoreEdges& edges = edges_[after.job];
           return edges.is_over && now >= edges.end + after.cycles;
         });
}

void CoreSramBench::drive_outer(std::span<const CoreJob> jobs, int64_t now) {
  if (!outer_ && num_outer_ended_ < outer_jobs_.size() && may_start(jobs[outer_jobs_[num_outer_ended_]], now)) {
    outer_ = Outer{outer_jobs_[num_outer_ended_]};
    edges_[outer_->job].start = now;
  }
  mem_valid_.set(0);
  table_.valid.set(0);
  if (!outer_) return;
  const auto& job = std::get<OuterJob>(jobs[outer_->job].command);
  const int64_t lanes = datapath_.lanes;
  if (job.table_slot && outer_->table_word * lanes < table_bytes(*job.table.type)) {
    table_.valid.set(1);
    table_.put(*job.table_slot, *job.table.type,
               std::span(job.table.bytes).first(static_cast<size_t>(table_bytes(*job.table.type))), outer_->table_word);
  }
  if (outer_->write == job.writes.size()) return;
  const OuterJob::Write& write = job.writes[outer_->write];
  const uint64_t valid = put_words(write.address, write.bytes, outer_->byte);
  mem_valid_.set(valid);
  mem_write_.set(valid);
}

bool CoreSramBench::see_outer(std::span<const CoreJob> jobs, int64_t now) {
  if (!outer_) return false;
  const auto& job = std::get<OuterJob>(jobs[outer_->job].command);
  const int64_t lanes = datapath_.lanes;
  if (table_.valid.get() != 0) ++outer_->table_word;
  bool has_moved = true;
  if (mem_valid_.get() != 0) {
    // A second word that is served without the first one is written again.
    const uint64_t served = mem_ready_.get() & mem_valid_.get();
    const OuterJob::Write& write = job.writes[outer_->write];
    const auto num_bytes = static_cast<int64_t>(write.bytes.size());
    has_moved = (served & 1) != 0;
    if (has_moved) {
      outer_->byte = byte_after(write.address, num_bytes, outer_->byte, (served & 2) != 0 ? 2 : 1);
      if (outer_->byte == num_bytes) {
        ++outer_->write;
        outer_->byte = 0;
      }
    }
  }
  const bool is_filled = !job.table_slot || outer_->table_word * lanes >= table_bytes(*job.table.type);
  CoreEdges& edges = edges_[outer_->job];
  if (is_filled && outer_->write == job.writes.size() && now - edges.start >= job.cycles) {
    edges.end = now;
    edges.is_over = true;
    outer_.reset();
    ++num_outer_ended_;
  }
  return has_moved;
}

std::vector<CoreEdges> CoreSramBench::run(std::span<const CoreJob> jobs) {
  edges_.assign(jobs.size(), {});
  outer_jobs_.clear();
  num_outer_ended_ = 0;
  outer_.reset();
  for (Unit& unit : units_) {
    unit.jobs.clear();
    unit.given_cycles.clear();
    unit.num_started = unit.num_ended = 0;
  }
  for (size_t i = 0; i < jobs.size(); ++i) {
    const size_t unit = jobs[i].command.index();
    (unit < units_.size() ? units_[unit].jobs : outer_jobs_).push_back(i);
  }
  int64_t moved = 0;
  const auto is_over = [](const Unit& unit) { return unit.num_ended == unit.jobs.size(); };
  for (int64_t now = 0; !std::ranges::all_of(units_, is_over) || num_outer_ended_ < outer_jobs_.size(); ++now) {
    for (Unit& unit : units_) drive(unit, jobs, now);
    drive_outer(jobs, now);
    block_.settle();
    if (see_ends(jobs, now)) moved = now;
    for (Unit& unit : units_) {
      if (see(unit, now)) moved = now;
    }
    if (see_outer(jobs, now)) moved = now;
    if (now - moved > kMostIdleCycles) throw Hang("npu_core_sram does not go on", block_.cycle());
    block_.edge();
  }
  for (Unit& unit : units_) {
    unit.prepare_valid.set(0);
    unit.start_valid.set(0);
  }
  mem_valid_.set(0);
  mem_write_.set(0);
  table_.valid.set(0);
  block_.settle();
  return edges_;
}

CoreEdges CoreSramBench::run(const Command& command) {
  const CoreJob job{.command = command, .earliest_cycle = 0, .after = {}};
  return run(std::span(&job, 1)).front();
}

}  // namespace vernier::cosim
