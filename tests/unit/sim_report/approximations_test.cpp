// SPDX-License-Identifier: Apache-2.0
// Which approximations a run touches, and by how much: short programs on the machine, their words counted by hand.
#include "sim/report/approximations.hpp"

#include "hw/package/disassembler.hpp"
#include "tests/support/stream_assembler.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <optional>

namespace vernier::report {
namespace {

using namespace support;

const std::string kRtl = "part of the cycles not yet checked against RTL", kSram = "SRAM of any size answers in 2 cycles",
                  kStreams = "streams of one command meet in banks now and then",
                  kCommands = "commands in flight together do not collide in banks",
                  kEvenly = "a command's demand is spread evenly over its phase",
                  kBanks = "a command finds both accumulator banks free",
                  kPadding = "padding of a convolution costs as if read",
                  kRefresh = "external memory has no refresh and no open rows",
                  kLatency = "latency is paid once a DMA command", kQueue = "no fetching ahead while a queue is full",
                  kJob = "starting a job takes no time", kAccesses = "accesses of the control CPU take fixed times";

config::MachineConfig v256() { return config::preset_config("v256", "test"); }

struct Run {
  explicit Run(StreamAssembler& stream, soc::Control control = soc::Control::Direct) {
    soc::JobOptions options;
    options.values = false;
    job = soc::Npu(stream.package().config, control).run(stream.package(), {}, options);
    REQUIRE(job.is_done());
    list = approximations(stream.package(), job);
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const Approximation& entry : list) result.push_back(entry.what);
    return result;
  }
  /// In cycles; -1 where it is not counted, none where the run does not touch it.
  [[nodiscard]] std::optional<double> bound_cycles(const std::string& what) const {
    for (const Approximation& entry : list) {
      if (entry.what != what) continue;
      return entry.bound_percent ? *entry.bound_percent / 100.0 * static_cast<double>(job.cycles) : -1.0;
    }
    return std::nullopt;
  }
  void check_bound(const std::string& what, int64_t cycles) const {
    INFO(what);
    REQUIRE(bound_cycles(what));
    CHECK(*bound_cycles(what) == Approx(static_cast<double>(cycles)));
  }
  soc::JobResult job;
  std::vector<Approximation> list;
};

using Names = std::vector<std::string>;

TEST_CASE("A fill of SRAM touches what every run touches, and nothing else") {
  StreamAssembler stream(v256());
  stream.add(dma_fill(Queue::Dma0, sram(0), 64, 1)).end();
  CHECK(Run(stream).names() == Names{kRtl, kSram, kJob});
  CHECK(Run(stream, soc::Control::Cpu).names() == Names{kRtl, kSram, kAccesses});
}

TEST_CASE("A copy within SRAM: its 256 words out of so many cycles") {
  StreamAssembler stream(v256());
  stream.ramp(sram(0), 4096).add(dma_copy(Queue::Dma0, sram(0), sram(8192), 4096)).end();
  const Run run(stream);
  CHECK(run.names() == Names{kRtl, kSram, kStreams, kJob});
  run.check_bound(kStreams, 256);
  CHECK(run.bound_cycles(kRtl) == -1.0);
}

TEST_CASE("A load from outside: refresh and latency, no stream to meet") {
  StreamAssembler stream(v256());
  stream.ramp(external(0), 4096).add(dma_copy(Queue::Dma0, external(0), sram(8192), 4096)).end();
  CHECK(Run(stream).names() == Names{kRtl, kSram, kRefresh, kLatency, kJob});
}

TEST_CASE("A stream of commands outside: refresh, but no copy's latency") {
  StreamAssembler stream(v256());
  stream.add(dma_fill(Queue::Dma0, sram(0), 64, 1)).end();
  stream.package().stream_address = external(0);
  CHECK(Run(stream).names() == Names{kRtl, kSram, kRefresh, kJob});
}

TEST_CASE("A vector program: its stores, and its registers") {
  StreamAssembler stream(v256());
  stream.ramp(sram(0), 1024).add(vector_add(0, 4096, 1024, 3)).end();
  const Run run(stream);
  CHECK(run.names() == Names{kRtl, kSram, kStreams, kJob});
  run.check_bound(kStreams, 64);
}

TEST_CASE("A convolution without padding, residual or windows") {
  StreamAssembler stream(v256());
  stream.ramp(sram(0), 0x4000).add(pointwise(v256(), 4, 8, 0, 0x1000, 0x2000, 0x3000)).end();
  const Run run(stream);
  CHECK(run.names() == Names{kRtl, kSram, kStreams, kJob});
  // 32 words of activations and as many of results; 16 of weights, 10 of parameters.
  run.check_bound(kStreams, 32 + 16 + 10);
}

TEST_CASE("What RTL does not show yet is named by unit, as far as the run has it") {
  const auto unchecked = [](StreamAssembler& stream) { return Run(stream).list.front().error; };
  const auto has = [](const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; };
  const std::string array = "RTL shows those of the array", vector_unit = "RTL shows those of the vector unit",
                    dma = "the DMA";
  StreamAssembler copy(v256());
  copy.ramp(sram(0), 4096).add(dma_copy(Queue::Dma0, sram(0), sram(8192), 4096)).end();
  const std::string of_copy = unchecked(copy);
  CHECK((has(of_copy, dma) && has(of_copy, "the command processor") && has(of_copy, "share ports")));
  CHECK_FALSE((has(of_copy, array) || has(of_copy, vector_unit)));
  StreamAssembler vector(v256());
  vector.ramp(sram(0), 1024).add(vector_add(0, 4096, 1024, 3)).end();
  const std::string of_vector = unchecked(vector);
  CHECK((has(of_vector, vector_unit) && !has(of_vector, dma) && !has(of_vector, array)));
  for (const bool is_depthwise : {false, true}) {
    spec::MacCommand command = pointwise(v256(), 4, 8, 0, 0x1000, 0x2000, 0x3000);
    if (is_depthwise) {
      command.mode = spec::MacMode::Depthwise;
      command.in_channels = command.out_channels;
      command.reduction_end = 1;
    }
    StreamAssembler stream(v256());
    stream.ramp(sram(0), 0x4000).add(command).end();
    const std::string text = unchecked(stream);
    CHECK(has(text, array));
    CHECK_FALSE((has(text, vector_unit) || has(text, dma)));
  }
}

TEST_CASE("A convolution that accumulates only reads no parameters") {
  StreamAssembler stream(v256());
  spec::MacCommand first = pointwise(v256(), 4, 8, 0, 0x1000, 0x2000, 0x3000);
  first.last = false;
  stream.ramp(sram(0), 0x4000).add(first).end();
  CHECK(Run(stream).names() == Names{kRtl, kSram, kStreams, kJob});
}

TEST_CASE("A convolution beside the drain of the one before, and one that waits for its result") {
  for (const bool waits : {false, true}) {
    const uint8_t token = waits ? tokens({Queue::MacArray}) : uint8_t{0};
    StreamAssembler stream(v256());
    stream.ramp(sram(0), 0x4000).add(pointwise(v256(), 4, 8, 0, 0x1000, 0x2000, 0x3000), 0, token);
    stream.add(pointwise(v256(), 4, 8, 0, 0x1000, 0x2000, 0x3800), token).end();
    const Names names = Run(stream).names();
    CHECK(std::count(names.begin(), names.end(), kBanks) == (waits ? 0 : 1));
  }
}

TEST_CASE("A convolution with padding: the rows of steps outside") {
  spec::MacCommand command = pointwise(v256(), 4, 8, 0, 0x1000, 0x2000, 0x3000);
  command.kernel_rows = 3;
  command.reduction_end = 3 * 16;
  command.origin_row = -1;
  StreamAssembler stream(v256());
  stream.ramp(sram(0), 0x4000).add(command).end();
  const Run run(stream);
  CHECK(run.names() == Names{kRtl, kSram, kStreams, kPadding, kJob});
  run.check_bound(kPadding, 8 + 8);  // kernel row 0 of the first row, kernel row 2 of the last
}

TEST_CASE("A residual operand of 24 dense channels is the stream with most words") {
  spec::MacCommand command = pointwise(v256(), 4, 8, 0, 0x1000, 0x2000, 0x3000);
  command.residual = true;
  command.addend = {0x2800, 8 * 24, 24, 16, base::ElementType::Int8};
  command.sum_clamp_min = -128;
  command.sum_clamp_max = 127;
  StreamAssembler stream(v256());
  stream.ramp(sram(0), 0x4000).add(command).end();
  const Run run(stream);
  CHECK(run.names() == Names{kRtl, kSram, kStreams, kJob});
  run.check_bound(kStreams, 32 + 32 + 16 + 10);  // of the addend there are 48 words, the most
}

TEST_CASE("Commands in flight together: the lesser one's words, and those of a command fetched meanwhile") {
  StreamAssembler stream(v256());
  stream.ramp(sram(0), 0x10000).ramp(external(0), 4096);
  stream.add(vector_add(0, 0x4000, 0x2000, 3));                        // 512 words each way
  stream.add(dma_copy(Queue::Dma0, external(0), sram(0x8000), 4096));  // 256 words, while the other is at work
  stream.add(dma_fill(Queue::Dma0, sram(0xC000), 16, 1)).end();        // after it
  const Run run(stream);
  const std::vector<units::CommandRecord>& times = run.job.commands;
  REQUIRE(times[1].start_cycle < times[0].end_cycle);
  REQUIRE(times[2].start_cycle >= times[1].end_cycle);
  CHECK(run.names() == Names{kRtl, kSram, kStreams, kCommands, kEvenly, kRefresh, kLatency, kJob});
  // Which of the others were in flight when a command came in: the fetches overlap nothing here, since all are through
  // before the first starts, so that only 256 words and the fill's one can meet the vector unit's.
  REQUIRE(times[3].dispatch_cycle <= times[0].start_cycle);
  run.check_bound(kCommands, 256 + (times[2].start_cycle < times[0].end_cycle ? 1 : 0));
}

TEST_CASE("A queue without room: fetching waits, and what is fetched meets what is in flight") {
  StreamAssembler stream(v256());
  for (int i = 0; i < 12; ++i) stream.add(dma_fill(Queue::Dma0, sram(i * 0x1000), 0x1000, i));
  stream.end();
  const Run run(stream);
  CHECK(run.names() == Names{kRtl, kSram, kCommands, kEvenly, kQueue, kJob});
  // Commands that were fetched, or waited for room, while a fill of 256 words was in flight, END among them.
  const std::vector<package::ListedCommand> listed = package::list_commands(stream.package());
  int64_t words = 0;
  for (size_t i = 1; i < listed.size(); ++i) {
    const int64_t length = i + 1 < listed.size() ? listed[i + 1].offset_bytes - listed[i].offset_bytes : 16;
    if (run.job.commands[i].dispatch_cycle > run.job.commands[0].start_cycle) words += length / 16;
  }
  CHECK(words > 0);
  run.check_bound(kCommands, words);
}

TEST_CASE("The machine of the run counts, not the preset's name") {
  config::MachineConfig narrow = v256();
  narrow.datapath.sram_read_words = 2;
  narrow.datapath.sram_write_words = 1;
  StreamAssembler wide_stream(v256()), narrow_stream(narrow);
  for (StreamAssembler* stream : {&wide_stream, &narrow_stream}) {
    stream->ramp(sram(0), 4096).add(dma_copy(Queue::Dma0, sram(0), sram(8192), 4096)).end();
  }
  const Run wide(wide_stream), slow(narrow_stream);
  REQUIRE(slow.job.cycles > wide.job.cycles);
  slow.check_bound(kStreams, 256);
  CHECK(*slow.list[2].bound_percent < *wide.list[2].bound_percent);
}

}  // namespace
}  // namespace vernier::report
