// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/tokens.hpp"

#include "compiler/schedule/verifier.hpp"
#include "hw/spec/machine.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <deque>
#include <optional>
#include <random>

namespace vernier::schedule {
namespace {

const spec::Datapath kTokenDatapath = spec::kPresets[1].datapath;
constexpr int64_t kQueueDepth = 8;

/// Copies 16 bytes between two of a handful of cells: conflicts of every kind, on both DMA queues.
spec::Command copy_command(spec::Queue queue, int64_t from, int64_t to) {
  spec::DmaCommand dma;
  dma.src.base.offset = static_cast<uint64_t>(16 * from);
  dma.dst.base.offset = static_cast<uint64_t>(16 * to);
  dma.run_bytes = 16;
  return {{queue, 0, 0}, dma};
}

/// Moves one cell through a register: the same on the vector unit.
spec::Command move_command(int64_t from, int64_t to) {
  spec::VectorCommand vec;
  vec.lanes = 16;
  vec.streams = {{16 * from, base::ElementType::Int8, false, 1, {}}, {16 * to, base::ElementType::Int8, false, 1, {}}};
  spec::VectorStep load;
  load.op = spec::VectorOp::Load;
  spec::VectorStep store;
  store.op = spec::VectorOp::Store;
  store.stream = 1;
  vec.steps = {load, store};
  return {{spec::Queue::VectorUnit, 0, 0}, vec};
}

struct Stream {
  std::vector<spec::Command> commands;
  std::vector<std::vector<package::Range>> ranges;
};

void insert_tokens(Stream& stream) {
  std::vector<spec::Header> headers;
  for (const spec::Command& command : stream.commands) headers.push_back(command.header);
  schedule::insert_tokens(headers, stream.ranges);
  for (size_t i = 0; i < headers.size(); ++i) stream.commands[i].header = headers[i];
}

Stream random_stream(unsigned seed, int num_commands, int64_t num_cells) {
  std::mt19937 random(seed);
  const auto cell = [&] { return static_cast<int64_t>(random() % static_cast<uint64_t>(num_cells)); };
  Stream stream;
  for (int i = 0; i < num_commands; ++i) {
    const int64_t from = cell();
    const int64_t to = (from + 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(num_cells - 1))) % num_cells;
    switch (random() % 3) {
      case 0: stream.commands.push_back(copy_command(spec::Queue::Dma0, from, to)); break;
      case 1: stream.commands.push_back(copy_command(spec::Queue::Dma1, from, to)); break;
      default: stream.commands.push_back(move_command(from, to)); break;
    }
    stream.ranges.push_back(package::ranges_of(stream.commands.back(), kTokenDatapath));
  }
  insert_tokens(stream);
  return stream;
}

bool must_be_ordered(const Stream& stream, size_t earlier, size_t later) {
  const package::Conflict conflict = package::conflict_between(stream.ranges[earlier], stream.ranges[later]);
  return stream.commands[earlier].header.queue == stream.commands[later].header.queue ? conflict.read_after_write
                                                                                      : conflict.any();
}

/// Runs the queues with random speeds, several commands of a queue in flight at a time, and looks whether two commands that
/// must be ordered ever are in flight together or the wrong way round. Shares nothing with the verifier.
struct Execution {
  const Stream& stream;
  std::mt19937 random;
  std::array<std::deque<size_t>, spec::kNumQueues> waiting{};
  std::vector<std::deque<size_t>> flying{spec::kNumQueues};
  std::array<std::array<int, spec::kNumQueues>, spec::kNumQueues> tokens{};
  std::vector<bool> has_ended;

  bool try_start(size_t queue, bool& is_ordered) {
    if (waiting[queue].empty()) return false;
    const size_t i = waiting[queue].front();
    const uint8_t wait = stream.commands[i].header.wait;
    for (size_t giver = 0; giver < spec::kNumQueues; ++giver) {
      if (((wait >> giver) & 1U) != 0 && tokens[giver][queue] == 0) return false;
    }
    for (size_t giver = 0; giver < spec::kNumQueues; ++giver) tokens[giver][queue] -= static_cast<int>((wait >> giver) & 1U);
    for (size_t earlier = 0; earlier < i; ++earlier) {
      if (!has_ended[earlier] && must_be_ordered(stream, earlier, i)) is_ordered = false;
    }
    for (size_t later = i + 1; later < stream.commands.size(); ++later) {
      if (has_ended[later] && must_be_ordered(stream, i, later)) is_ordered = false;
    }
    waiting[queue].pop_front();
    flying[queue].push_back(i);
    return true;
  }
  bool try_end(size_t queue) {
    if (flying[queue].empty()) return false;
    const size_t i = flying[queue].front();
    for (size_t taker = 0; taker < spec::kNumQueues; ++taker)
      tokens[queue][taker] += (stream.commands[i].header.signal >> taker) & 1;
    has_ended[i] = true;
    flying[queue].pop_front();
    return true;
  }
};

enum class Ending { Ordered, Disordered, Hang };

Ending execute(const Stream& stream, unsigned seed) {
  Execution run{stream, std::mt19937(seed), {}, std::vector<std::deque<size_t>>(spec::kNumQueues), {}, {}};
  run.has_ended.resize(stream.commands.size());
  for (size_t i = 0; i < stream.commands.size(); ++i)
    run.waiting[static_cast<size_t>(stream.commands[i].header.queue)].push_back(i);
  bool is_ordered = true;
  size_t ended = 0;
  for (int idle = 0; ended < stream.commands.size() && idle < 400;) {
    const auto queue = static_cast<size_t>(run.random() % spec::kNumQueues);
    const bool is_end = run.random() % 3 == 0;
    const bool moved = is_end ? run.try_end(queue) : run.try_start(queue, is_ordered);
    ended += is_end && moved ? 1 : 0;
    idle = moved ? 0 : idle + 1;
  }
  if (ended < stream.commands.size()) return Ending::Hang;
  return is_ordered ? Ending::Ordered : Ending::Disordered;
}

TEST_CASE("inserted tokens are proved, and hold in any execution") {
  const auto seed = GENERATE(range(0U, 60U));
  CAPTURE(seed);
  const Stream stream = random_stream(seed, 60, 3 + seed % 12);
  CHECK(verify_order(stream.commands, kTokenDatapath, kQueueDepth).empty());
  for (unsigned run = 0; run < 5; ++run) CHECK(execute(stream, seed * 100 + run) == Ending::Ordered);
}

TEST_CASE("the verifier finds every single token that is missing") {
  const auto seed = GENERATE(range(100U, 110U));
  const Stream stream = random_stream(seed, 40, 6);
  for (size_t i = 0; i < stream.commands.size(); ++i) {
    for (unsigned queue = 0; queue < spec::kNumQueues; ++queue) {
      const auto bit = static_cast<uint8_t>(1U << queue);
      for (uint8_t spec::Header::*mask : {&spec::Header::wait, &spec::Header::signal}) {
        if ((stream.commands[i].header.*mask & bit) == 0) continue;
        Stream broken = stream;
        broken.commands[i].header.*mask = static_cast<uint8_t>(broken.commands[i].header.*mask & ~bit);
        CAPTURE(seed, i, queue);
        CHECK_FALSE(verify_order(broken.commands, kTokenDatapath, kQueueDepth).empty());
      }
    }
  }
}

TEST_CASE("a matched pair of wait and signal that goes missing leaves a conflict unproved") {
  // No token is spare: without wait and signal of one dependence, the verifier names the two commands.
  const Stream stream = random_stream(7, 30, 4);
  size_t tried = 0;
  for (size_t later = 0; later < stream.commands.size(); ++later) {
    for (size_t giver = 0; giver < spec::kNumQueues; ++giver) {
      if (((stream.commands[later].header.wait >> giver) & 1U) == 0) continue;
      // The n-th wait on a queue matches its n-th signal to this one.
      const auto taker = static_cast<size_t>(stream.commands[later].header.queue);
      int n = 0;
      for (size_t i = 0; i < later; ++i) {
        n += static_cast<size_t>(stream.commands[i].header.queue) == taker &&
             ((stream.commands[i].header.wait >> giver) & 1U) != 0;
      }
      Stream broken = stream;
      for (spec::Command& command : broken.commands) {
        if (static_cast<size_t>(command.header.queue) != giver || ((command.header.signal >> taker) & 1U) == 0) continue;
        if (n-- == 0) command.header.signal = static_cast<uint8_t>(command.header.signal & ~(1U << taker));
      }
      broken.commands[later].header.wait = static_cast<uint8_t>(broken.commands[later].header.wait & ~(1U << giver));
      CHECK_FALSE(verify_order(broken.commands, kTokenDatapath, kQueueDepth).empty());
      ++tried;
    }
  }
  CHECK(tried > 10);
}

TEST_CASE("read after write inside a queue needs a token, write after read does not") {
  for (const bool is_read_after_write : {true, false}) {
    Stream stream;
    stream.commands = {copy_command(spec::Queue::Dma0, 0, 1),
                       is_read_after_write ? copy_command(spec::Queue::Dma0, 1, 2) : copy_command(spec::Queue::Dma0, 2, 0)};
    for (const spec::Command& command : stream.commands)
      stream.ranges.push_back(package::ranges_of(command, kTokenDatapath));
    insert_tokens(stream);
    CHECK((stream.commands[1].header.wait != 0) == is_read_after_write);
    CHECK(verify_order(stream.commands, kTokenDatapath, kQueueDepth).empty());
    stream.commands[0].header.signal = stream.commands[1].header.wait = 0;
    CHECK(verify_order(stream.commands, kTokenDatapath, kQueueDepth).size() == (is_read_after_write ? 1U : 0U));
  }
}

TEST_CASE("many commands that wait for many others share tokens before a semaphore is full") {
  // All of the first are done before the first of the others starts: each of those would have a token of its own.
  constexpr int64_t kMany = 300;
  const auto other = GENERATE(spec::Queue::Dma0, spec::Queue::Dma1);
  Stream stream;
  for (int64_t i = 0; i < kMany; ++i) stream.commands.push_back(copy_command(spec::Queue::Dma0, 0, 1 + i));
  for (int64_t i = 0; i < kMany; ++i) stream.commands.push_back(copy_command(other, 1 + i, 1000 + i));
  for (const spec::Command& command : stream.commands) stream.ranges.push_back(package::ranges_of(command, kTokenDatapath));
  insert_tokens(stream);
  CHECK(verify_order(stream.commands, kTokenDatapath, 64) == std::vector<std::string>{});
  CHECK(execute(stream, 1) == Ending::Ordered);
}

TEST_CASE("a semaphore that could count past its width is found") {
  std::vector<spec::Command> commands;
  for (int i = 0; i < 300; ++i) {
    commands.push_back(copy_command(spec::Queue::Dma0, 0, 1));
    commands.back().header.signal = spec::queue_bit(spec::Queue::Dma1);
  }
  for (int i = 0; i < 300; ++i) {
    commands.push_back(copy_command(spec::Queue::Dma1, 2, 3));
    commands.back().header.wait = spec::queue_bit(spec::Queue::Dma0);
  }
  CHECK_FALSE(verify_order(commands, kTokenDatapath, kQueueDepth).empty());
  commands.erase(commands.begin() + 200, commands.begin() + 400);
  CHECK(verify_order(commands, kTokenDatapath, kQueueDepth).empty());
}

}  // namespace
}  // namespace vernier::schedule
