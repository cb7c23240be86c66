// SPDX-License-Identifier: Apache-2.0
#include "sim/explain/data_use.hpp"

#include "hw/base/error.hpp"
#include "hw/package/range.hpp"
#include "sim/soc/run_commands.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace vernier::explain {
namespace {

using package::Range;
using package::Storage;

/// The bytes of one memory, in stretches of bytes that share their past.
class Bytes {
 public:
  struct Step {
    int64_t cycle, bytes;
  };

  /// By `writer_idx` (-1: by nobody, they are there before the job), which started in `cycle` and lasts until `until_cycle`.
  void write(int64_t begin, int64_t bytes, int32_t writer_idx, int64_t cycle, int64_t until_cycle) {
    const int64_t end = begin + bytes;
    auto it = cut(begin);
    while (it != stretches_.end() && it->first < end) {
      if (it->second.end > end) cut(end);
      close(it->first, it->second, cycle);
      it = stretches_.erase(it);
    }
    stretches_.emplace_hint(it, begin, Stretch{end, writer_idx, cycle, until_cycle});
  }

  /// They are in use until `until_cycle`. `visit(writer_idx, bytes)` of each stretch that somebody wrote.
  template <typename Visit>
  void read(int64_t begin, int64_t bytes, int64_t until_cycle, const Visit& visit) {
    const int64_t end = begin + bytes;
    for (auto it = cut(begin); it != stretches_.end() && it->first < end; ++it) {
      if (it->second.end > end) cut(end);
      it->second.until_cycle = std::max(it->second.until_cycle, until_cycle);
      if (it->second.writer_idx >= 0) visit(it->second.writer_idx, it->second.end - it->first);
    }
  }

  /// What was in use, as steps in no order.
  std::vector<Step> take_steps(int64_t end_cycle) {
    for (const auto& [begin, stretch] : stretches_) close(begin, stretch, end_cycle);
    stretches_.clear();
    return std::move(steps_);
  }

 private:
  struct Stretch {
    int64_t end;
    int32_t writer_idx;
    int64_t since_cycle, until_cycle;
  };
  using Stretches = std::map<int64_t, Stretch>;  // by their first byte

  /// The first stretch at or behind `place`; one that lies across it becomes two.
  Stretches::iterator cut(int64_t place) {
    auto it = stretches_.lower_bound(place);
    if (it == stretches_.begin()) return it;
    auto before = std::prev(it);
    if (before->second.end <= place) return it;
    Stretch rest = before->second;
    before->second.end = place;
    return stretches_.emplace_hint(it, place, rest);
  }
  /// Its use is over in `cycle` at the latest.
  void close(int64_t begin, const Stretch& stretch, int64_t cycle) {
    const int64_t until = std::min(stretch.until_cycle, cycle);
    if (until <= stretch.since_cycle) return;
    steps_.push_back({stretch.since_cycle, stretch.end - begin});
    steps_.push_back({until, begin - stretch.end});
  }

  Stretches stretches_;
  std::vector<Step> steps_;
};

/// The bytes of a placed tensor: its last dimension in blocks of channels, of which the last may be shorter.
std::vector<Range> ranges_of_tensor(const package::TensorEntry& tensor) {
  const package::Placement& placement = tensor.placement;
  if (base::num_elements(tensor.shape) == 0) return {};
  const auto base = static_cast<int64_t>(placement.base.offset);
  const int64_t element = base::stored_bytes(tensor.type);
  std::array<int64_t, package::kRangeDims> counts{1, 1, 1, 1, 1, 1}, strides{};
  for (size_t i = 0; i + 1 < tensor.shape.size(); ++i) {
    counts.at(i) = tensor.shape[i];
    strides.at(i) = placement.strides_bytes[i];
  }
  const int64_t channels = tensor.shape.empty() ? 1 : tensor.shape.back();
  const int64_t whole = channels / placement.channel_block, rest = channels % placement.channel_block;
  std::vector<Range> ranges;
  const auto add = [&](int64_t first_block, int64_t blocks, int64_t elements) {
    if (blocks == 0 || elements == 0) return;
    counts.back() = blocks;
    strides.back() = placement.block_pitch_bytes;
    ranges.push_back(package::make_range(Storage::Sram, true, base + first_block * placement.block_pitch_bytes, counts,
                                         strides, elements * element, "tensor"));
  };
  add(0, whole, placement.channel_block);
  add(whole, 1, rest);
  return ranges;
}

class Walk {
 public:
  Walk(const package::Package& package, const soc::JobResult& job) : package_(package), job_(job) {}

  DataUse run() {
    begin();
    read_stream();
    std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
      return std::tie(a.cycle, a.is_read, a.command_idx) < std::tie(b.cycle, b.is_read, b.command_idx);
    });
    for (const Event& event : events_) event.is_read ? read(event.command_idx) : write(event.command_idx);
    return finish();
  }

 private:
  /// Operands are sampled when a command starts, results committed when it ends; ends come before starts.
  struct Event {
    int64_t cycle;
    bool is_read;
    size_t command_idx;
  };

  Bytes* memory_of(Storage storage) {
    if (storage == Storage::Sram) return &sram_;
    return storage == Storage::External ? &external_ : nullptr;
  }
  int64_t end_of(const units::CommandRecord& record) const { return record.end_cycle < 0 ? job_.cycles : record.end_cycle; }

  /// What is there at cycle 0.
  void begin() {
    const auto put = [&](base::Address address, size_t bytes, int64_t until_cycle) {
      if (address.space != base::MemorySpace::Sram || bytes == 0) return;
      sram_.write(static_cast<int64_t>(address.offset), static_cast<int64_t>(bytes), -1, 0, until_cycle);
    };
    for (const package::Segment& segment : package_.image) put(segment.address, segment.bytes.size(), 0);
    put(package_.stream_address, package_.stream.size(), job_.commands.empty() ? 0 : job_.commands.back().dispatch_cycle);
    for (const int32_t input : package::tensors_before(package_)) {
      for_each_run_in_sram(input, [&](int64_t offset, int64_t bytes) { sram_.write(offset, bytes, -1, 0, 0); });
    }
  }

  template <typename Visit>
  void for_each_run_in_sram(int32_t tensor_idx, const Visit& visit) {
    const package::TensorEntry& tensor = package_.tensors[tensor_idx];
    if (tensor.placement.base.space != base::MemorySpace::Sram) return;
    for (const Range& range : ranges_of_tensor(tensor)) package::for_each_run(range, visit);
  }

  void read_stream() {
    ranges_.resize(job_.commands.size());
    use_.sources.resize(job_.commands.size());
    soc::RunCommands places(package_, job_);
    for (size_t i = 0; i < job_.commands.size(); ++i) {
      const package::Decoded decoded = places.next().decoded;
      if (decoded.fault != spec::FaultCode::None) break;  // nothing behind it has run
      const units::CommandRecord& record = job_.commands[i];
      if (record.work == units::Work::None) continue;
      ranges_[i] = package::ranges_of(decoded.command, package_.config.datapath);
      events_.push_back({record.start_cycle, true, i});
      if (record.end_cycle >= 0) events_.push_back({record.end_cycle, false, i});
    }
  }

  void read(size_t command_idx) {
    std::map<int32_t, int64_t> bytes_of;
    const int64_t end_cycle = end_of(job_.commands[command_idx]);
    for_each_run_of(command_idx, false, [&](Bytes& memory, int64_t offset, int64_t bytes) {
      memory.read(offset, bytes, end_cycle, [&](int32_t writer, int64_t count) { bytes_of[writer] += count; });
    });
    for (const auto& [writer, bytes] : bytes_of) use_.sources[command_idx].push_back({writer, bytes});
  }

  void write(size_t command_idx) {
    const units::CommandRecord& record = job_.commands[command_idx];
    for_each_run_of(command_idx, true, [&](Bytes& memory, int64_t offset, int64_t bytes) {
      memory.write(offset, bytes, static_cast<int32_t>(command_idx), record.start_cycle, record.end_cycle);
    });
  }

  template <typename Visit>
  void for_each_run_of(size_t command_idx, bool is_write, const Visit& visit) {
    for (const Range& range : ranges_[command_idx]) {
      Bytes* memory = memory_of(range.storage);
      if (range.is_write != is_write || memory == nullptr) continue;
      package::for_each_run(range, [&](int64_t offset, int64_t bytes) { visit(*memory, offset, bytes); });
    }
  }

  DataUse finish() {
    for (const int32_t output : package::tensors_after(package_)) {
      for_each_run_in_sram(
          output, [&](int64_t offset, int64_t bytes) { sram_.read(offset, bytes, job_.cycles, [](auto, auto) {}); });
    }
    std::vector<Bytes::Step> steps = sram_.take_steps(job_.cycles);
    std::sort(steps.begin(), steps.end(), [](const Bytes::Step& a, const Bytes::Step& b) { return a.cycle < b.cycle; });
    use_.sram.push_back({0, 0});
    int64_t bytes = 0;
    for (size_t i = 0; i < steps.size(); ++i) {
      bytes += steps[i].bytes;
      if (i + 1 < steps.size() && steps[i + 1].cycle == steps[i].cycle) continue;
      if (use_.sram.back().cycle == steps[i].cycle) use_.sram.pop_back();
      if (use_.sram.empty() || use_.sram.back().bytes != bytes) use_.sram.push_back({steps[i].cycle, bytes});
    }
    return std::move(use_);
  }

  const package::Package& package_;
  const soc::JobResult& job_;
  Bytes sram_, external_;
  std::vector<std::vector<Range>> ranges_;  // by command
  std::vector<Event> events_;
  DataUse use_;
};

}  // namespace

DataUse data_use_of(const package::Package& package, const soc::JobResult& job) { return Walk(package, job).run(); }

}  // namespace vernier::explain
