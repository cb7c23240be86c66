// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/cut.hpp"

#include "compiler/cost/mac_choice.hpp"
#include "compiler/schedule/axes.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/package/range.hpp"
#include "hw/package/validity.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <set>

namespace vernier::schedule {
namespace {

const spec::Datapath kCutDatapath = spec::kPresets[1].datapath;

/// A depthwise or plain convolution over planes of 16 channels.
passes::Step random_step(std::mt19937& random, bool is_depthwise) {
  const auto up_to = [&](int64_t n) { return 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  spec::MacCommand mac;
  mac.mode = is_depthwise ? spec::MacMode::Depthwise : spec::MacMode::Conv;
  mac.in_channels = 16 * up_to(4);
  mac.out_channels = is_depthwise ? mac.in_channels : 16 * up_to(4);
  mac.kernel_rows = up_to(4);
  mac.kernel_columns = up_to(4);
  mac.stride_rows = up_to(2);
  mac.out_rows = up_to(30);
  mac.out_columns = up_to(12);
  mac.in_rows = (mac.out_rows - 1) * mac.stride_rows + mac.kernel_rows - 1;
  mac.in_rows = std::max<int64_t>(1, mac.in_rows);
  mac.in_columns = std::max<int64_t>(1, mac.out_columns + mac.kernel_columns - 2);
  mac.origin_row = mac.origin_column = -1;
  mac.reduction_end = mac.kernel_rows * mac.kernel_columns * (is_depthwise ? 1 : mac.in_channels);
  mac.input = {1 << 20, 16 * mac.in_columns, 16, 16 * mac.in_columns * mac.in_rows, base::ElementType::Int8};
  mac.output = {1 << 22, 16 * mac.out_columns, 16, 16 * mac.out_columns * mac.out_rows, base::ElementType::Int8};
  mac.rescale = true;
  mac.clamp_min = -128;
  mac.clamp_max = 127;
  passes::Step step;
  step.command = {{spec::Queue::MacArray, 0, 0}, mac};
  step.productions = {{0, {0, 0, 0, 0}, {1, mac.out_rows, mac.out_columns, mac.out_channels}, 1, 3}};
  return step;
}

std::multiset<int64_t> written_by(const passes::Step& step) {
  std::multiset<int64_t> bytes;
  for (const package::Range& range : package::ranges_of(step.command, kCutDatapath)) {
    if (range.what != "output") continue;
    package::for_each_run(range, [&](int64_t offset, int64_t count) {
      for (int64_t b = 0; b < count; ++b) bytes.insert(offset + b);
    });
  }
  return bytes;
}

std::set<int64_t> read_by(const passes::Step& step) {
  std::set<int64_t> bytes;
  for (const package::Range& range : package::ranges_of(step.command, kCutDatapath)) {
    if (range.is_write || range.storage != package::Storage::Sram) continue;
    package::for_each_run(range, [&](int64_t offset, int64_t count) {
      for (int64_t b = 0; b < count; ++b) bytes.insert(offset + b);
    });
  }
  return bytes;
}

std::vector<passes::Step> parts_of(const passes::Step& step, Axis axis, int64_t size) {
  std::vector<passes::Step> parts;
  const int64_t extent = extent_of(step, axis, kCutDatapath);
  for (int64_t at = 0; at < extent; at += size) {
    parts.push_back(part_of(step, axis, at, std::min(size, extent - at), kCutDatapath));
  }
  return parts;
}

TEST_CASE("stripes and blocks write each byte once and read what the whole reads") {
  const auto seed = GENERATE(range(0U, 60U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const passes::Step step = random_step(random, seed % 2 == 0);
  CutLimits limits;
  limits.max_stripes = 1 + static_cast<int64_t>(random() % 9);
  limits.min_accumulator_rows = 1 + static_cast<int64_t>(random() % 64);
  std::multiset<int64_t> written;
  std::set<int64_t> read;
  int64_t elements = 0;
  std::vector<passes::Step> blocks{step};
  if (seed % 3 == 0) blocks = parts_of(step, kChannels, granule_of(step, kChannels, kCutDatapath));
  std::vector<passes::Step> parts;
  for (const passes::Step& block : blocks) {
    for (passes::Step& part : cut(block, kCutDatapath, limits)) parts.push_back(std::move(part));
  }
  for (const passes::Step& part : parts) {
    written.merge(written_by(part));
    read.merge(read_by(part));
    elements += base::num_elements(part.productions[0].extent);
    CHECK(std::get<spec::MacCommand>(part.command.body).input.base >= 1 << 20);
  }
  CHECK(written == written_by(step));
  const auto& mac = std::get<spec::MacCommand>(step.command.body);
  const std::set<int64_t> whole = read_by(step);
  CHECK(std::includes(whole.begin(), whole.end(), read.begin(), read.end()));
  // Rows that a stride steps over count as read by the whole; between two stripes nobody reads them.
  if (mac.kernel_rows >= mac.stride_rows) CHECK((read == whole));
  CHECK(elements == base::num_elements(step.productions[0].extent));
}

TEST_CASE("a smaller working set makes more stripes") {
  std::mt19937 random(1);
  const passes::Step step = random_step(random, false);
  CutLimits limits;
  limits.min_accumulator_rows = 1;
  size_t before = 0;
  for (const int64_t bytes : {1 << 20, 1 << 12, 1 << 10, 1}) {
    limits.working_set_bytes = bytes;
    const size_t stripes = cut(step, kCutDatapath, limits).size();
    CHECK(stripes >= before);
    before = stripes;
  }
  CHECK(before == static_cast<size_t>(num_rows(step)));
}

TEST_CASE("columns write each byte once, slices of the reduction write with the last and read each weight once") {
  const auto seed = GENERATE(range(0U, 40U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const passes::Step step = random_step(random, seed % 4 == 0);
  std::multiset<int64_t> written;
  for (const passes::Step& part : parts_of(step, kColumns, 1 + static_cast<int64_t>(random() % 4))) {
    CHECK(std::get<spec::MacCommand>(part.command.body).input.base >= 1 << 20);
    written.merge(written_by(part));
  }
  CHECK(written == written_by(step));

  const passes::Step tile = part_of(part_of(step, kRows, 0, 1, kCutDatapath), kChannels, 0, 16, kCutDatapath);
  const int64_t reduction = extent_of(tile, kReduction, kCutDatapath);
  if (seed % 4 == 0) {  // a depthwise window is no sum over steps
    CHECK(reduction == 1);
    return;
  }
  const std::vector<passes::Step> slices = parts_of(tile, kReduction, 16 * (1 + static_cast<int64_t>(random() % 3)));
  int64_t weights = std::get<spec::MacCommand>(tile.command.body).weight_base;
  for (size_t i = 0; i < slices.size(); ++i) {
    const auto& mac = std::get<spec::MacCommand>(slices[i].command.body);
    CHECK(mac.first == (i == 0));
    CHECK(mac.last == (i + 1 == slices.size()));
    CHECK(package::check(slices[i].command, kCutDatapath).fault == spec::FaultCode::None);
    CHECK(written_by(slices[i]).empty() != mac.last);
    CHECK(mac.weight_base == weights);
    weights += 16 * base::round_up(mac.reduction_end - mac.reduction_begin, int64_t{16});
  }
  CHECK(written_by(slices.back()) == written_by(tile));
}

TEST_CASE("the chosen slide and row tile never cost more than the others") {
  const config::MachineConfig config = config::preset_config("v256", "test");
  std::mt19937 random(3);
  for (int i = 0; i < 100; ++i) {
    spec::MacCommand mac = cost::with_best_slide(std::get<spec::MacCommand>(random_step(random, true).command.body), config);
    const int64_t slid = cost::cycles_alone(mac, config);
    const int64_t chosen = cost::cycles_alone(cost::with_best_row_tile(mac, config), config);
    CHECK(chosen <= slid);
    for (const int64_t rows : {8, 12, 16, 32}) {
      spec::MacCommand other = mac;
      other.row_tile_rows = rows;
      CHECK(chosen <= cost::cycles_alone(other, config));
    }
    mac.slide_rows = !mac.slide_rows;
    CHECK(slid <= cost::cycles_alone(mac, config));
  }
}

TEST_CASE(
    "copies are cut between iterations and words, turned matrices between tiles, gathers between indices, scatters never") {
  for (const auto& preset : spec::kPresets) {
    const spec::Datapath& datapath = preset.datapath;
    for (const auto kind : {spec::DmaKind::Copy, spec::DmaKind::Fill, spec::DmaKind::Transpose, spec::DmaKind::Gather,
                            spec::DmaKind::Scatter}) {
      for (const int64_t run : {1, 2, 4, 8}) {
        for (const int64_t rows_of_indices : {1, 6}) {
          passes::Step step;
          spec::DmaCommand dma;
          dma.kind = kind;
          dma.run_bytes = run;
          dma.counts = {2, 3, 4, 5, 7};
          dma.counts[3] = rows_of_indices;
          step.command.body = dma;
          CAPTURE(preset.name, static_cast<int>(kind), run, rows_of_indices);
          const bool is_turned = kind == spec::DmaKind::Transpose;
          for (Axis axis = 0; axis < spec::kNumDmaLoops; ++axis) {
            CAPTURE(axis);
            const bool is_last = axis == spec::kNumDmaLoops - 1;
            const bool is_whole =
                kind == spec::DmaKind::Scatter || (kind == spec::DmaKind::Gather && is_last && rows_of_indices > 1);
            CHECK(extent_of(step, axis, datapath) == (is_whole ? 1 : dma.counts[static_cast<size_t>(axis)]));
            const bool is_of_matrix = is_turned && axis >= spec::kNumDmaLoops - 2;
            CHECK(granule_of(step, axis, datapath) ==
                  (is_of_matrix ? std::max<int64_t>(1, datapath.word_bytes() / run) : 1));
          }
          const bool has_cut_run = !is_turned && kind != spec::DmaKind::Scatter;
          CHECK(extent_of(step, kInnermost, datapath) == (has_cut_run ? run : 1));
          CHECK(granule_of(step, kInnermost, datapath) == datapath.word_bytes());
        }
      }
    }
  }
}

}  // namespace
}  // namespace vernier::schedule
