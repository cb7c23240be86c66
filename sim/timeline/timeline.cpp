// SPDX-License-Identifier: Apache-2.0
#include "sim/timeline/timeline.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "sim/explain/data_use.hpp"
#include "sim/timeline/command_facts.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

namespace vernier::timeline {
namespace {

// The tracks, in the order in which they are shown.
constexpr size_t kMacArray = 0, kMacArrayDrain = 1, kMacArrayState = 2, kVectorUnit = 3, kVectorUnitState = 4, kDma0 = 5,
                 kDma1 = 6, kDmaState = 7, kCommandProcessor = 8, kCommandProcessorState = 9, kRescaleUnit = 10,
                 kTableUnit = 11, kNumTracks = 12, kControlCpu = 12;

const std::string kCommandsText = "the main phase of each command: the unit works for it, or stalls";
const std::string kStateText = "what the unit does, as the report counts it: busy, or what it stalls for; idle is a gap";
const std::string kLanesText = "somebody uses the lanes; busy_cycles of these cycles a vector goes through";

std::vector<Track> tracks(bool has_cpu) {
  std::vector<Track> list(kNumTracks);
  list[kMacArray] = {"mac_array", kCommandsText};
  list[kMacArrayDrain] = {"mac_array drain",
                          "the results of each command leave the accumulators, beside the next main phase", kMacArray};
  list[kMacArrayState] = {"mac_array state", kStateText, kMacArray};
  list[kVectorUnit] = {"vector_unit", kCommandsText};
  list[kVectorUnitState] = {"vector_unit state", kStateText, kVectorUnit};
  list[kDma0] = {"dma0", kCommandsText};
  list[kDma1] = {"dma1", kCommandsText};
  list[kDmaState] = {"dma state", kStateText};
  list[kCommandProcessor] = {"command_processor", "each command, from the fetch of its first word to its dispatch"};
  list[kCommandProcessorState] = {"command_processor state", kStateText, kCommandProcessor};
  list[kRescaleUnit] = {"rescale_unit", kLanesText};
  list[kTableUnit] = {"table_unit", kLanesText};
  if (has_cpu) list.push_back({"control_cpu", "the function of the firmware that runs, or asleep"});
  return list;
}

constexpr std::array<size_t, spec::kNumQueues> kTrackOfQueue{kDma0, kDma1, kMacArray, kVectorUnit};
constexpr std::array<std::string_view, spec::kNumQueues> kScopeOfQueue{"npu.dma.channel0", "npu.dma.channel1",
                                                                       "npu.mac_array", "npu.vector_unit"};

// The counters; behind the last one those of the queues.
constexpr size_t kSramInUse = 0, kExternalRead = 1, kExternalWrite = 2, kSramRead = 3, kSramWrite = 4, kMacUtilization = 5,
                 kFirstQueue = 6;

std::vector<Counter> counters() {
  const std::string rate = "bytes per cycle",
                    rate_text = "what moves in a cycle; its sum over all cycles are the bytes moved";
  std::vector<Counter> list{
      {"sram_in_use_bytes", "bytes", "bytes of SRAM that somebody writes, or that hold something that is still read"},
      {"external_read_bytes_per_cycle", rate, rate_text},
      {"external_write_bytes_per_cycle", rate, rate_text},
      {"sram_read_bytes_per_cycle", rate, rate_text},
      {"sram_write_bytes_per_cycle", rate, rate_text},
      {"mac_utilization_percent", "percent", "MACs of the layer's command at work, of the array's MACs per cycle at int8"}};
  for (const std::string_view queue : spec::kQueueNames) {
    list.push_back({fmt::format("{}_queue_commands", queue), "commands", "commands that wait in the queue"});
  }
  return list;
}

/// With a control CPU a timeline begins at the host's doorbell.
int64_t network_start_cycle(const WatchedJob& watched) { return watched.cpu.empty() ? 0 : -watched.cpu.front().start_cycle; }

/// Puts all cycles off, so that none is negative.
class ShiftedWriter : public TimelineWriter {
 public:
  ShiftedWriter(TimelineWriter& writer, int64_t cycles) : writer_(writer), cycles_(cycles) {}
  void declare(const Heading& heading, const std::vector<Track>& tracks, const std::vector<Counter>& counters) override {
    writer_.declare(heading, tracks, counters);
  }
  void slice(const Slice& slice) override {
    Slice later = slice;
    later.start_cycle += cycles_;
    later.end_cycle += cycles_;
    writer_.slice(later);
  }
  void arrow(const Arrow& arrow) override {
    Arrow later = arrow;
    later.from_cycle += cycles_;
    later.to_cycle += cycles_;
    writer_.arrow(later);
  }
  void value(size_t counter, int64_t cycle, double value) override { writer_.value(counter, cycle + cycles_, value); }
  std::vector<std::byte> finish() override { return writer_.finish(); }

 private:
  TimelineWriter& writer_;
  int64_t cycles_;
};

class Teller {
 public:
  Teller(const WatchedJob& watched, TimelineWriter& writer)
      : watched_(watched),
        job_(watched.job),
        writer_(writer),
        facts_(watched.package, watched.job, watched.layer_names),
        arrows_of_(watched.job.commands.size()),
        next_id_(kIdsPerCommand * static_cast<int64_t>(watched.job.commands.size())) {}

  void tell() {
    const package::Package& package = watched_.package;
    const std::string model = base::printable(package.model_name), config = base::printable(package.config.name);
    writer_.declare({fmt::format("{} on {}", model, config),
                     {{"schema", std::string(kTimelineSchema)},
                      {"model", model},
                      {"model_sha256", package.model_sha256},
                      {"config", config},
                      {"cycles", fmt::format("{}", job_.cycles)},
                      {"clock_hz", fmt::format("{}", package.config.clock_hz)},
                      {"network_start_cycle", fmt::format("{}", network_start_cycle(watched_))},
                      {"time", "a cycle is a nanosecond, whatever the clock"}}},
                    tracks(!watched_.cpu.empty()), counters());
    const explain::DataUse use = explain::data_use_of(package, job_);
    find_arrows(use);
    tell_commands();
    tell_fetches();
    for (const auto& [unit, track] : {std::pair{"mac_array", kMacArrayState},
                                      {"vector_unit", kVectorUnitState},
                                      {"dma", kDmaState},
                                      {"command_processor", kCommandProcessorState}})
      tell_states(fmt::format("npu.{}", unit), track);
    tell_lanes("npu.rescale_unit", kRescaleUnit);
    tell_lanes("npu.table_unit", kTableUnit);
    for (const CpuStretch& stretch : watched_.cpu)
      writer_.slice(
          {next_id_++, SliceKind::Function, kControlCpu, stretch.name, stretch.start_cycle, stretch.end_cycle, {}, {}});
    for (const Arrow& arrow : arrows_) writer_.arrow(arrow);
    tell_counters(use);
  }

 private:
  // Slices of a command have ids of their own, so that arrows know them before they are told.
  static constexpr int64_t kIdsPerCommand = 3;
  static int64_t main_id(size_t command_idx) { return kIdsPerCommand * static_cast<int64_t>(command_idx); }
  static int64_t drain_id(size_t command_idx) { return main_id(command_idx) + 1; }
  static int64_t fetch_id(size_t command_idx) { return main_id(command_idx) + 2; }

  [[nodiscard]] size_t signal(std::string_view scope, std::string_view name) const {
    return signal_of(watched_, scope, name);
  }

  void find_arrows(const explain::DataUse& use) {
    std::vector<std::map<size_t, Arrow>> by_taker(job_.commands.size());
    for_each_token(watched_, [&](size_t, size_t, const kit::Handover& token) {
      by_taker[static_cast<size_t>(token.taker_idx)][static_cast<size_t>(token.giver_idx)].is_token = true;
    });
    for (size_t taker = 0; taker < by_taker.size(); ++taker) {
      for (const explain::DataSource& source : use.sources[taker])
        by_taker[taker][static_cast<size_t>(source.writer_idx)].data_bytes = source.bytes;
      for (auto& [giver, arrow] : by_taker[taker]) add_arrow(giver, taker, arrow);
    }
  }
  void add_arrow(size_t giver_idx, size_t taker_idx, Arrow& arrow) {
    const units::CommandRecord& giver = job_.commands[giver_idx];
    const units::CommandRecord& taker = job_.commands[taker_idx];
    const bool has_drain = giver.drain.start_cycle >= 0;
    arrow.id = static_cast<int64_t>(arrows_.size()) + 1;
    arrow.from_slice = has_drain ? drain_id(giver_idx) : main_id(giver_idx);
    arrow.from_track = has_drain ? kMacArrayDrain : kTrackOfQueue[static_cast<size_t>(giver.queue)];
    arrow.from_cycle = giver.end_cycle;
    arrow.to_slice = main_id(taker_idx);
    arrow.to_track = kTrackOfQueue[static_cast<size_t>(taker.queue)];
    arrow.to_cycle = taker.start_cycle;
    (has_drain ? arrows_of_[giver_idx].drain : arrows_of_[giver_idx].main).push_back(arrow.id);
    arrows_of_[taker_idx].main.push_back(arrow.id);
    arrows_.push_back(arrow);
  }

  void tell_commands() {
    for (size_t i = 0; i < job_.commands.size(); ++i) {
      const units::CommandRecord& record = job_.commands[i];
      if (record.work == units::Work::None) continue;
      writer_.slice({main_id(i), SliceKind::Command, kTrackOfQueue[static_cast<size_t>(record.queue)], facts_.name(i),
                     record.start_cycle, facts_.end_of(record.main), facts_.main_phase(i), arrows_of_[i].main});
      if (record.drain.start_cycle < 0) continue;
      VERNIER_CHECK(record.queue == spec::Queue::MacArray, "command {} drains, and is not of the array", i);
      writer_.slice({drain_id(i), SliceKind::Drain, kMacArrayDrain, facts_.name(i), record.drain.start_cycle,
                     facts_.end_of(record.drain), facts_.drain(i), arrows_of_[i].drain});
    }
  }

  void tell_fetches() {
    for_each_fetch(watched_, [&](size_t command_idx, int64_t begin, int64_t end) {
      writer_.slice({fetch_id(command_idx),
                     SliceKind::Fetch,
                     kCommandProcessor,
                     facts_.name(command_idx),
                     begin,
                     end,
                     facts_.identity(command_idx),
                     {}});
    });
  }

  void tell_states(const std::string& scope, size_t track) {
    const size_t state = signal(scope, "state");
    for_each_stretch(watched_, state, [&](int64_t begin, int64_t end, int64_t value) {
      if (static_cast<size_t>(value) == kit::Bucket::idle().index() || end == begin) return;
      const std::string name(watched_.signals[state].labels.at(static_cast<size_t>(value)));
      writer_.slice({next_id_++, SliceKind::State, track, name, begin, end, {}, {}});
    });
  }

  void tell_lanes(const std::string& scope, size_t track) {
    for (const waves::Stretch& use : watched_.recording.stretches(signal(scope, "busy"))) {
      writer_.slice({next_id_++,
                     SliceKind::Lanes,
                     track,
                     "in use",
                     use.start_cycle,
                     use.end_cycle,
                     {{"busy_cycles", use.amount}},
                     {}});
    }
  }

  void tell_counters(const explain::DataUse& use) {
    for (const explain::BytesInUse& step : use.sram) writer_.value(kSramInUse, step.cycle, static_cast<double>(step.bytes));
    tell_rate("external_read", kExternalRead, 1);
    tell_rate("external_write", kExternalWrite, 1);
    const int64_t word_bytes = watched_.package.config.datapath.word_bytes();
    tell_rate("sram_read", kSramRead, word_bytes);
    tell_rate("sram_write", kSramWrite, word_bytes);
    tell_mac_utilization();
    for (size_t queue = 0; queue < spec::kNumQueues; ++queue) {
      for (const waves::Change& change : watched_.recording.changes(signal(kScopeOfQueue[queue], "queue_depth")))
        writer_.value(kFirstQueue + queue, change.cycle, static_cast<double>(change.value));
    }
  }
  void tell_rate(std::string_view flow, size_t counter, int64_t bytes_each) {
    for (const waves::Rate& rate : watched_.recording.rates(signal("npu.arbiter", flow)))
      writer_.value(counter, rate.cycle, rate.per_cycle * static_cast<double>(bytes_each));
  }
  void tell_mac_utilization() {
    const auto most = static_cast<double>(watched_.package.config.datapath.macs_per_cycle());
    int64_t since = 0;
    double now = 0;
    const auto change = [&](int64_t cycle, double percent) {
      if (cycle > since) writer_.value(kMacUtilization, since, now);
      since = cycle;
      now = percent;
    };
    for (size_t i = 0; i < job_.commands.size(); ++i) {
      const units::CommandRecord& record = job_.commands[i];
      if (record.work != units::Work::Array || record.main.end_cycle < 0) continue;
      const auto cycles = static_cast<double>(record.main.end_cycle - record.main.start_cycle);
      change(record.main.start_cycle, 100 * facts_.macs(i) / (cycles * most));
      change(record.main.end_cycle, 0);
    }
    writer_.value(kMacUtilization, since, now);
  }

  struct CommandArrows {
    std::vector<int64_t> main, drain;
  };
  const WatchedJob& watched_;
  const soc::JobResult& job_;
  TimelineWriter& writer_;
  CommandFacts facts_;
  std::vector<Arrow> arrows_;
  std::vector<CommandArrows> arrows_of_;  // by command
  int64_t next_id_;
};

}  // namespace

void tell(const WatchedJob& watched, TimelineWriter& writer) {
  if (watched.cpu.empty()) return Teller(watched, writer).tell();
  ShiftedWriter shifted(writer, network_start_cycle(watched));
  Teller(watched, shifted).tell();
}

TimelineFormat timeline_format_of(const std::string& file) {
  if (file.ends_with(".perfetto-trace")) return TimelineFormat::Perfetto;
  if (!file.ends_with(".json")) throw base::UserError(file, "a timeline's file ends in .perfetto-trace or .json");
  return TimelineFormat::Chrome;
}

std::vector<std::byte> to_bytes(const WatchedJob& watched, TimelineFormat format) {
  const std::unique_ptr<TimelineWriter> writer =
      format == TimelineFormat::Perfetto ? make_perfetto_writer() : make_chrome_writer();
  tell(watched, *writer);
  return writer->finish();
}

}  // namespace vernier::timeline
