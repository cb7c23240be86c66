// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/access.hpp"

#include "hw/spec/machine.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>

namespace vernier::schedule {
namespace {

const spec::Datapath kDatapath = spec::kPresets[1].datapath;

/// A vector command that loads through one stream, as nothing else matters here.
passes::Step loading(const spec::VectorCommand& command) {
  passes::Step step;
  step.command = {{spec::Queue::VectorUnit, 0, 0}, command};
  step.command.body = command;
  std::get<spec::VectorCommand>(step.command.body).steps = {spec::VectorStep{}};
  std::get<spec::VectorCommand>(step.command.body).steps[0].op = spec::VectorOp::Load;
  step.operands = {{passes::AddressField::Stream0, 0, 0}};
  return step;
}

std::vector<int64_t> addresses_of(const passes::Step& step) {
  const auto& c = std::get<spec::VectorCommand>(step.command.body);
  const spec::VectorStream& s = c.streams[0];
  std::vector<int64_t> addresses;
  for (int64_t i = 0; i < c.counts[0]; ++i) {
    for (int64_t j = 0; j < c.counts[1]; ++j) {
      for (int64_t k = 0; k < c.counts[2]; ++k) {
        for (int64_t lane = 0; lane < c.lanes; ++lane) {
          addresses.push_back(s.base + i * s.strides_bytes[0] + j * s.strides_bytes[1] + k * s.strides_bytes[2] +
                              lane * s.lane_stride_bytes);
        }
      }
    }
  }
  return addresses;
}

/// Where a copy puts each byte that it reads.
void run_copy(const spec::DmaCommand& dma, std::map<int64_t, int64_t>& moved) {
  const int64_t total = dma.counts[0] * dma.counts[1] * dma.counts[2] * dma.counts[3] * dma.counts[4];
  for (int64_t i = 0; i < total; ++i) {
    int64_t rest = i, src = static_cast<int64_t>(dma.src.base.offset), dst = static_cast<int64_t>(dma.dst.base.offset);
    for (size_t d = spec::kNumDmaLoops; d-- > 0;) {
      src += rest % dma.counts[d] * dma.src.strides_bytes[d];
      dst += rest % dma.counts[d] * dma.dst.strides_bytes[d];
      rest /= dma.counts[d];
    }
    for (int64_t b = 0; b < dma.run_bytes; ++b) moved[src + b] = dst + b;
  }
}

/// Windows that overlap, gaps between rows, planes, broadcasts, dense runs.
spec::VectorCommand random_command(std::mt19937& random) {
  const auto up_to = [&](int64_t n) { return 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  spec::VectorCommand command;
  command.counts = {up_to(4), up_to(5), up_to(3), 1, 1};
  command.lanes = up_to(20);
  const int64_t pixel = command.lanes + static_cast<int64_t>(random() % 3) * 16;
  const int64_t row = pixel * 12 + static_cast<int64_t>(random() % 2) * 16;
  const std::vector<int64_t> strides{pixel, 2 * pixel, row, 2 * row, row * 20, 0};
  spec::VectorStream stream;
  stream.base = 1000 + static_cast<int64_t>(random() % 64);
  for (size_t i = 0; i < 3; ++i) stream.strides_bytes[i] = strides[random() % strides.size()];
  command.streams = {stream};
  return command;
}

TEST_CASE("a copy holds each byte of an access once, where the moved command looks for it") {
  const auto seed = GENERATE(range(0U, 300U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const passes::Step step = loading(random_command(random));
  const Access access = access_of(package::ranges_of(step.command, kDatapath), step, step.operands[0]);
  const Compaction compaction(access, kDatapath, std::array<int64_t, 4>{1, 1, 6, 32}[seed % 4]);
  passes::Step moved = step;
  move_operand(moved, step.operands[0], compaction);

  std::map<int64_t, int64_t> place;
  for (const spec::DmaCommand& dma : copies_of(access, compaction, true)) run_copy(dma, place);
  const std::vector<int64_t> before = addresses_of(step), after = addresses_of(moved);
  const std::set<int64_t> bytes(before.begin(), before.end());
  CHECK(place.size() == bytes.size());
  std::set<int64_t> taken;
  for (size_t i = 0; i < before.size(); ++i) {
    REQUIRE(place.count(before[i]) == 1);
    CHECK(place[before[i]] == after[i]);
    CHECK(after[i] < compaction.size_bytes());
    taken.insert(after[i]);
  }
  CHECK(taken.size() == bytes.size());
  CHECK(compaction.size_bytes() <= access.end - access.begin);
}

TEST_CASE("gaps between rows, and between planes, are not copied") {
  spec::VectorCommand command;
  command.counts = {3, 4, 2, 1, 1};  // planes, rows, pixels
  command.lanes = 16;
  command.streams = {{0, base::ElementType::Int8, false, 1, {10000, 500, 16, 0, 0}}};
  const passes::Step step = loading(command);
  const Access access = access_of(package::ranges_of(step.command, kDatapath), step, step.operands[0]);
  CHECK(Compaction(access, kDatapath).size_bytes() <= 3 * (4 * 32 + 16));
}

TEST_CASE("blocks of channels that must not follow each other in a copy do not") {
  spec::VectorCommand command;
  command.counts = {2, 1, 1, 1, 1};  // blocks of one pixel, in planes of five
  command.lanes = 16;
  command.streams = {{0, base::ElementType::Int16, false, 2, {5 * 32, 0, 0, 0, 0}}};
  const passes::Step step = loading(command);
  const Access access = access_of(package::ranges_of(step.command, kDatapath), step, step.operands[0]);
  CHECK(Compaction(access, kDatapath).stride(5 * 32) == 32);
  CHECK(Compaction(access, kDatapath, 1, {5 * 32, 32}).stride(5 * 32) > 32);
  // The part that reads one of the blocks has the stride of both.
  spec::VectorCommand one_block = command;
  one_block.counts[0] = 1;
  const passes::Step part = loading(one_block);
  const Access one = access_of(package::ranges_of(part.command, kDatapath), part, part.operands[0]);
  CHECK(Compaction(one, kDatapath, 1, {32, 32}).stride(32) > 32);
}

TEST_CASE("gaps go also where the strides of the copy have to be multiples of more than is left") {
  // Every 16th pixel of every 32nd row, as a phase of a transposed convolution writes them; the last 8 of 40 channels.
  spec::VectorCommand command;
  command.counts = {8, 4, 1, 1, 1};
  command.lanes = 8;
  command.streams = {{64, base::ElementType::Int16, false, 2, {32 * 60 * 80, 16 * 80, 0, 0, 0}}};
  const passes::Step step = loading(command);
  const Access access = access_of(package::ranges_of(step.command, kDatapath), step, step.operands[0]);
  for (const int64_t divisor : {1, 32}) {
    const Compaction compaction(access, kDatapath, divisor);
    CHECK(compaction.size_bytes() <= 8 * 5 * std::max<int64_t>(16, divisor));
    for (const size_t loop : {0U, 1U}) CHECK(compaction.stride(command.streams[0].strides_bytes[loop]) % divisor == 0);
  }
}

}  // namespace
}  // namespace vernier::schedule
