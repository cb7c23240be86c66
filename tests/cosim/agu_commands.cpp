// SPDX-License-Identifier: Apache-2.0
#include "tests/cosim/agu_commands.hpp"

#include "hw/base/element_type.hpp"
#include "sim/cosim/block/command_port.hpp"
#include "sim/cosim/stimulus/array_vectors.hpp"
#include "sim/cosim/stimulus/vector_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace vernier::cosim {
namespace {

constexpr int kCyclesAfterLastBeat = 5;             // after the last beat
constexpr int64_t kMostCyclesWithoutBeat = 20'000;  // without a command or a beat that is taken
constexpr int64_t kMostResetCycles = 400;           // of the commands before a reset
constexpr ArraySizes kShort{.most_rows = 100, .has_long = false};

Port port_of(const Agu& part, AguStream stream, std::string_view what) {
  return part.port(fmt::format("{}_{}", name_of(stream), what));
}

/// Bytes from a place of the map to the next one, of which the kernel has `taps` with `channel_bytes` each.
int64_t draw_distance(int64_t taps, int64_t dilation, int64_t channel_bytes, int64_t lanes, int64_t most, Random& random) {
  int64_t bytes = 0;
  switch (random.within(0, 3)) {
    case 0: break;
    case 1: bytes = random.within(1, 9); break;
    case 2: bytes = random.within(4 * lanes - 3, 4 * lanes + 3); break;
    default: bytes = random.within(1, most);
  }
  if (taps == 1) return random.chance(40) ? -bytes : bytes;
  return random.chance(50) || bytes * dilation < channel_bytes ? channel_bytes : bytes;
}

/// The second slice of a depthwise command, whose first tap lies inside of the kernel, mostly of a dilated one.
spec::MacCommand draw_slice_of_windows(const spec::Datapath& datapath, Random& random) {
  spec::MacCommand m;
  do {
    m = draw_array_sequence(datapath, random, kShort).back().work.mac();
  } while (m.mode != spec::MacMode::Depthwise);
  m.first = false;
  m.last = true;
  m.kernel_rows = random.within(datapath.lanes / 4 + 1, 6 + datapath.lanes / 4);
  m.kernel_columns = random.within(4, 7);
  m.dilation_rows = random.within(1, 3);
  m.dilation_columns = random.within(1, 3);
  m.reduction_begin = datapath.lanes;
  m.reduction_end = m.kernel_rows * m.kernel_columns;
  m.in_channels = m.out_channels = random.within(1, datapath.lanes >> m.lane_split_log2);
  m.out_rows = random.within(1, 4);
  m.out_columns = random.within(1, 4);
  m.row_tile_rows = m.out_rows * m.out_columns;
  m.weight_pitch_bytes = std::max(m.reduction_end, m.out_channels) * base::stored_bytes(m.weight_type);
  return m;
}

/// One to four commands of each unit, and sometimes a convolution and a slice more.
void draw(AguCommands& commands, const spec::Datapath& datapath, Random& random) {
  for (const DrawnWork& array : draw_array_sequence(datapath, random, kShort)) commands.add(array.work.mac());
  if (random.chance(50)) commands.add(draw_convolution_at_distances(datapath, random));
  if (random.chance(30)) commands.add(draw_slice_of_windows(datapath, random));
  const kernels::TableMemory tables = draw_vector_tables(random);
  for (int64_t i = random.within(1, 4); i > 0; --i) commands.add(draw_vector_job(datapath, tables, random).work.vector());
}

}  // namespace

spec::MacCommand draw_convolution_at_distances(const spec::Datapath& datapath, Random& random) {
  spec::MacCommand m;
  do {
    m = draw_array_sequence(datapath, random, kShort).back().work.mac();
  } while (m.mode != spec::MacMode::Conv);
  m.first = m.last = true;
  m.kernel_rows = random.within(1, 12);
  m.kernel_columns = random.chance(50) ? 1 : random.within(1, 12);
  m.in_channels = random.within(1, m.kernel_rows * m.kernel_columns > 9 ? 5 : 3 * datapath.lanes);
  m.reduction_begin = 0;
  m.reduction_end = m.in_channels * m.kernel_rows * m.kernel_columns;
  m.lane_split_log2 = random.within(0, 2);
  m.out_channels = random.within(1, datapath.lanes);
  m.out_rows = random.within(1, 3);
  m.out_columns = random.within(1, 24);
  int64_t most_bytes = 1 << 20;
  if (random.chance(30)) {
    m.stride_rows = random.within(1, 16383), m.stride_columns = random.within(1, 16383);
    m.dilation_rows = random.within(1, 16383), m.dilation_columns = random.within(1, 16383);
    m.in_rows = random.within(1, 65535), m.in_columns = random.within(1, 65535);
    most_bytes = 1 << 11;  // no address is beyond 31 bits
  }
  const int64_t element_bytes = base::stored_bytes(m.input.type), channel_bytes = m.in_channels * element_bytes;
  const int64_t line = m.weight_order == spec::WeightOrder::LaneMajor ? m.reduction_end : m.out_channels;
  m.weight_pitch_bytes = line * base::stored_bytes(m.weight_type) + random.within(0, 3);
  m.input.pixel_pitch_bytes =
      draw_distance(m.kernel_columns, m.dilation_columns, channel_bytes, datapath.lanes, most_bytes, random);
  m.input.row_pitch_bytes = draw_distance(m.kernel_rows, m.dilation_rows, channel_bytes, datapath.lanes, most_bytes, random);
  m.input.block_pitch_bytes = random.chance(50) ? datapath.lanes * element_bytes : random.within(0, 1 << 16);
  return m;
}

AguCommands::AguCommands(Agu& part, const spec::Datapath& datapath)
    : part_(part),
      ports_(part),
      datapath_(datapath),
      mac_{part.port("mac_i"),
           part.port("mac_valid_i"),
           part.port("mac_ready_o"),
           {},
           static_cast<size_t>(AguStream::Weights),
           static_cast<size_t>(AguStream::Results)},
      vec_{part.port("vec_i"),
           part.port("vec_valid_i"),
           part.port("vec_ready_o"),
           {},
           static_cast<size_t>(AguStream::Loads),
           static_cast<size_t>(AguStream::Stores)} {
  for (size_t i = 0; i < kAguStreamNames.size(); ++i) {
    const auto stream = static_cast<AguStream>(i);
    streams_.push_back({stream, port_of(part, stream, "valid_o"), port_of(part, stream, "ready_i"), {}, {}});
  }
}

void AguCommands::Stream::find_next() {
  while (!next && !commands.empty()) {
    if (std::string text; commands.front().beats(text)) {
      next = std::move(text);
    } else {
      commands.pop_front();
    }
  }
}

/// Whether a command is taken at the edge that comes.
template <typename Command>
bool AguCommands::offer(Source<Command>& source) {
  source.valid.set(source.waiting.empty() ? 0 : 1);
  if (source.waiting.empty()) return false;
  put_command(source.command, source.waiting.front(), spec::PortFields::All);
  return source.ready.get() != 0;
}

template <typename Command>
void AguCommands::take(Source<Command>& source) {
  const auto command = std::make_shared<Command>(source.waiting.front());
  source.waiting.pop_front();
  bool is_overlapping = false;
  for (size_t i = source.first_stream; i <= source.last_stream; ++i) {
    Stream& stream = streams_[i];
    is_overlapping |= stream.next.has_value();
    stream.commands.push_back({beats_of(stream.stream, *command, datapath_),
                               [this, at = stream.stream, command] { return ports_.beat(at, *command); }});
    stream.find_next();
  }
  num_overlapping_ += is_overlapping ? 1 : 0;
}

std::string AguCommands::see(Stream& stream, bool is_ready) {
  stream.ready.set(is_ready ? 1 : 0);
  const std::string_view name = name_of(stream.stream);
  if (stream.valid.get() == 0) {
    return stream.is_seen ? fmt::format("{}: a beat goes away before it is taken", name) : "";
  }
  stream.is_seen = !is_ready;
  if (!stream.next) return fmt::format("{}: a beat that no command has", name);
  if (!is_ready) return {};
  const std::string actual = stream.commands.front().actual();
  if (actual != *stream.next) return fmt::format("{}: expected {}, actual {}", name, *stream.next, actual);
  taken_.emplace_back(cycle_, stream.stream);
  stream.next.reset();
  stream.find_next();
  return {};
}

bool AguCommands::is_over() const {
  return mac_.waiting.empty() && vec_.waiting.empty() &&
         std::ranges::none_of(streams_, [](const Stream& stream) { return stream.next.has_value(); });
}

std::string AguCommands::run(Pace pace, Random& random, int64_t most_cycles) {
  for (Stream& stream : streams_) {
    stream.percent = pace == Pace::Always ? 100 : pace == Pace::Never ? 0 : random.within(3, 100);
    stream.is_seen = false;
  }
  taken_.clear();
  int64_t since = 0;
  int idle = 0;
  for (cycle_ = 0; cycle_ < most_cycles && idle < kCyclesAfterLastBeat; ++cycle_) {
    const size_t taken = taken_.size();
    for (Stream& stream : streams_) {
      if (std::string wrong = see(stream, random.chance(stream.percent)); !wrong.empty()) return wrong;
    }
    const bool takes_mac = offer(mac_), takes_vec = offer(vec_);
    part_.cycle();
    if (takes_mac) take(mac_);
    if (takes_vec) take(vec_);
    idle = is_over() ? idle + 1 : 0;
    since = takes_mac || takes_vec || taken_.size() > taken ? 0 : since + 1;
    if (since > kMostCyclesWithoutBeat) return "no command and no beat is taken any more";
  }
  return {};
}

void AguCommands::reset() {
  part_.reset();
  for (Stream& stream : streams_) {
    stream.commands.clear();
    stream.next.reset();
  }
  mac_.waiting.clear();
  vec_.waiting.clear();
}

std::string commands_difference(AguCommands& commands, const spec::Datapath& datapath, Random& random) {
  draw(commands, datapath, random);
  return commands.run(random.chance(30) ? AguCommands::Pace::Always : AguCommands::Pace::Random, random);
}

std::string reset_difference(Agu& part, Agu& fresh, const spec::Datapath& datapath, Random& random) {
  AguCommands commands(part, datapath), others(fresh, datapath);
  draw(commands, datapath, random);
  const int64_t cycles = random.within(1, random.chance(50) ? 40 : kMostResetCycles);
  std::string wrong = commands.run(AguCommands::Pace::Random, random, cycles);
  if (!wrong.empty()) return wrong;
  commands.reset();
  Random same = random;
  draw(commands, datapath, random);
  draw(others, datapath, same);
  wrong = commands.run(AguCommands::Pace::Always, random);
  if (!wrong.empty()) return fmt::format("after a reset in cycle {}: {}", cycles, wrong);
  wrong = others.run(AguCommands::Pace::Always, same);
  if (!wrong.empty()) return fmt::format("of a fresh part: {}", wrong);
  if (commands.taken() == others.taken()) return {};
  return fmt::format("after a reset in cycle {}: beats are taken in other cycles than those of a fresh part", cycles);
}

}  // namespace vernier::cosim
