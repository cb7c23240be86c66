// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/core/core_sram_bench.hpp"

#include "hw/spec/core_sram_ports.hpp"
#include "sim/cosim/block/command_port.hpp"
#include "sim/cosim/lockstep/table_fill.hpp"

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
    : datapath_{lanes, spec::kCoreReadWords, spec::kCoreWriteWords},
      block_(std::move(block), spec::kCoreSramBlock, lanes),
      dma_(block_, datapath_),
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

void CoreSramBench::write(int64_t address, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  DmaJob job;
  job.writes.push_back({address, {bytes.begin(), bytes.end()}});
  run(job);
}

std::vector<std::byte> CoreSramBench::read(int64_t address, int64_t num_bytes) {
  if (num_bytes == 0) return {};
  DmaJob job;
  job.reads.push_back({address, std::vector<std::byte>(static_cast<size_t>(num_bytes))});
  return run(job).read_bytes;
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

void CoreSramBench::start_dma(std::span<const CoreJob> jobs, int64_t now) {
  for (size_t i = 0; i < channels_.size(); ++i) {
    const Channel& channel = channels_[i];
    if (channel.is_over() || dma_.is_at_work(i)) continue;
    const size_t job = channel.jobs[channel.num_ended];
    if (!may_start(jobs[job], now)) continue;
    edges_[job].start = now;
    dma_.begin(i, std::get<DmaJob>(jobs[job].command), now);
  }
}

void CoreSramBench::end_dma(int64_t now) {
  for (size_t i = 0; i < channels_.size(); ++i) {
    auto read_bytes = dma_.take_done(i, now);
    if (!read_bytes) continue;
    CoreEdges& edges = edges_[channels_[i].jobs[channels_[i].num_ended++]];
    edges.end = now;
    edges.is_over = true;
    edges.read_bytes = std::move(*read_bytes);
  }
}

bool CoreSramBench::is_over() const {
  return std::ranges::all_of(units_, &Unit::is_over) && std::ranges::all_of(channels_, &Channel::is_over);
}

size_t CoreSramBench::num_ended() const {
  size_t num = 0;
  for (const Unit& unit : units_) num += unit.num_ended;
  for (const Channel& channel : channels_) num += channel.num_ended;
  return num;
}

void CoreSramBench::begin(std::span<const CoreJob> jobs) {
  edges_.assign(jobs.size(), {});
  channels_.fill({});
  for (Unit& unit : units_) {
    unit.jobs.clear();
    unit.given_cycles.clear();
    unit.num_started = unit.num_ended = 0;
  }
  for (size_t i = 0; i < jobs.size(); ++i) {
    const size_t unit = jobs[i].unit();
    (unit < units_.size() ? units_[unit].jobs : channels_[unit - units_.size()].jobs).push_back(i);
  }
}

std::vector<CoreEdges> CoreSramBench::run(std::span<const CoreJob> jobs, const Progress& progress) {
  begin(jobs);
  int64_t moved = 0;
  for (int64_t now = 0; !is_over(); ++now) {
    for (Unit& unit : units_) drive(unit, jobs, now);
    start_dma(jobs, now);
    dma_.drive(now);
    block_.settle();
    if (see_ends(jobs, now)) moved = now;
    for (Unit& unit : units_) {
      if (see(unit, now)) moved = now;
    }
    if (dma_.see()) moved = now;
    end_dma(now);
    if (now - moved > kMostIdleCycles) throw Hang("npu_core_sram does not go on", block_.cycle());
    if (progress && now % kProgressCycles == 0) progress(now, num_ended());
    block_.edge();
  }
  for (Unit& unit : units_) {
    unit.prepare_valid.set(0);
    unit.start_valid.set(0);
  }
  dma_.stop();
  block_.settle();
  return std::move(edges_);
}

CoreEdges CoreSramBench::run(const Command& command) {
  const CoreJob job{.command = command};
  return run(std::span(&job, 1)).front();
}

}  // namespace vernier::cosim
