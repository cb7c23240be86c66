// SPDX-License-Identifier: Apache-2.0
// Ranges against sets of addresses found by walking the definitions of hw/spec/command.hpp element by element.
#include "hw/package/range.hpp"

#include "hw/package/command_codec.hpp"
#include "tests/unit/hw_package/samples.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <tuple>

using namespace vernier;
using namespace vernier::package;

namespace {

using Byte = std::tuple<Storage, bool, int64_t>;  // storage, is_write, address
using Bytes = std::set<Byte>;

void add(Bytes& bytes, Storage storage, bool is_write, int64_t address, int64_t size) {
  for (int64_t i = 0; i < size; ++i) bytes.insert({storage, is_write, address + i});
}

Bytes bytes_of(const std::vector<Range>& ranges) {
  Bytes bytes;
  for (const Range& range : ranges) {
    for_each_run(range, [&](int64_t offset, int64_t size) { add(bytes, range.storage, range.is_write, offset, size); });
  }
  return bytes;
}

int64_t address_of(const spec::FeatureMap& map, int64_t y, int64_t x, int64_t channel, int64_t lanes) {
  return map.base + y * map.row_pitch_bytes + x * map.pixel_pitch_bytes + channel / lanes * map.block_pitch_bytes +
         channel % lanes * base::stored_bytes(map.type);
}

/// Taps that a slice works on, one by one, widened to the smallest box around them.
struct Box {
  int64_t row_low = INT64_MAX, row_high = 0, column_low = INT64_MAX, column_high = 0, channel_low = INT64_MAX,
          channel_high = 0;
};
Box tap_box(const spec::MacCommand& c) {
  const bool is_depthwise = c.mode == spec::MacMode::Depthwise;
  Box box;
  for (int64_t r = c.reduction_begin; r < c.reduction_end; ++r) {
    const int64_t tap = is_depthwise ? r : r / c.in_channels;
    box.row_low = std::min(box.row_low, tap / c.kernel_columns);
    box.row_high = std::max(box.row_high, tap / c.kernel_columns);
    box.column_low = std::min(box.column_low, tap % c.kernel_columns);
    box.column_high = std::max(box.column_high, tap % c.kernel_columns);
    if (is_depthwise) continue;
    box.channel_low = std::min(box.channel_low, r % c.in_channels);
    box.channel_high = std::max(box.channel_high, r % c.in_channels);
  }
  // A slice that goes over the end of a kernel row or of a tap's channels wraps: the box around it has all of them.
  if (is_depthwise) {
    box.channel_low = 0;
    box.channel_high = c.out_channels - 1;
  }
  return box;
}

void add_input(Bytes& bytes, const spec::MacCommand& c, int64_t lanes) {
  const Box box = tap_box(c);
  const int64_t last_row = c.origin_row + (c.out_rows - 1) * c.stride_rows + box.row_high * c.dilation_rows;
  const int64_t last_column =
      c.origin_column + (c.out_columns - 1) * c.stride_columns + box.column_high * c.dilation_columns;
  for (int64_t y = c.origin_row + box.row_low * c.dilation_rows; y <= last_row; ++y) {
    for (int64_t x = c.origin_column + box.column_low * c.dilation_columns; x <= last_column; ++x) {
      if (y < 0 || y >= c.in_rows || x < 0 || x >= c.in_columns) continue;
      for (int64_t channel = box.channel_low; channel <= box.channel_high; ++channel) {
        add(bytes, Storage::Sram, false, address_of(c.input, y, x, channel, lanes), base::stored_bytes(c.input.type));
      }
    }
  }
}

Bytes brute_force(const spec::MacCommand& c, int64_t lanes) {
  Bytes bytes;
  add_input(bytes, c, lanes);
  const int64_t reduction = c.reduction_end - c.reduction_begin;
  const int64_t per_step = c.mode == spec::MacMode::Depthwise ? 1 : lanes;
  const int64_t tile = lanes >> c.lane_split_log2;
  const int64_t element = base::stored_bytes(c.weight_type), pitch = c.weight_pitch_bytes;
  const bool is_int4 = c.weight_type == base::ElementType::Int4;
  int64_t weight = c.weight_base, half = 2 * c.weight_base;  // the number of the half byte
  for (int64_t oc = 0; oc < c.out_channels; oc += tile) {
    if (c.weight_order != spec::WeightOrder::Tiles) break;
    for (int64_t step = 0; step < reduction; step += per_step) {
      for (int64_t lane = oc; lane < std::min(oc + tile, c.out_channels); ++lane, weight += per_step * element) {
        if (!is_int4) add(bytes, Storage::Sram, false, weight, per_step * element);
        for (int64_t i = 0; is_int4 && i < per_step; ++i) add(bytes, Storage::Sram, false, half++ / 2, 1);
      }
      half += half % 2;
    }
  }
  for (int64_t oc = 0; oc < c.out_channels; ++oc) {
    for (int64_t r = c.reduction_begin; r < c.reduction_end; ++r) {
      if (c.weight_order == spec::WeightOrder::LaneMajor) {
        add(bytes, Storage::Sram, false, c.weight_base + oc * pitch + r * element, element);
      } else if (c.weight_order == spec::WeightOrder::TapMajor) {
        add(bytes, Storage::Sram, false, c.weight_base + r * pitch + oc * element, element);
      }
    }
  }
  if (!c.first) bytes.insert({Storage::Accumulators, false, 0});
  if (!c.last) bytes.insert({Storage::Accumulators, true, 0});
  if (!c.last) return bytes;
  if (c.table) bytes.insert({Storage::TableSlot, false, c.table_slot});
  for (int64_t oc = 0; oc < c.out_channels; ++oc) {
    add(bytes, Storage::Sram, false, c.parameter_base + 10 * oc, 10);
    for (int64_t y = 0; y < c.out_rows; ++y) {
      for (int64_t x = 0; x < c.out_columns; ++x) {
        add(bytes, Storage::Sram, true, address_of(c.output, y, x, oc, lanes), base::stored_bytes(c.output.type));
        if (c.residual) add(bytes, Storage::Sram, false, address_of(c.addend, y, x, oc, lanes), 1);
      }
    }
  }
  return bytes;
}

/// Calls visit with every index of the first `loops` loops.
template <typename Counts, typename Visit>
void for_each_index(const Counts& counts, size_t loops, const Visit& visit) {
  std::array<int64_t, 5> i{};
  const auto count = [&](size_t loop) { return loop < loops ? counts[loop] : 1; };
  for (i[0] = 0; i[0] < count(0); ++i[0])
    for (i[1] = 0; i[1] < count(1); ++i[1])
      for (i[2] = 0; i[2] < count(2); ++i[2])
        for (i[3] = 0; i[3] < count(3); ++i[3])
          for (i[4] = 0; i[4] < count(4); ++i[4]) visit(i);
}

template <typename Strides>
int64_t dot(const std::array<int64_t, 5>& index, const Strides& strides) {
  int64_t sum = 0;
  for (size_t i = 0; i < index.size(); ++i) sum += index[i] * strides[i];
  return sum;
}

Bytes brute_force(const spec::VectorCommand& c, int64_t) {
  Bytes bytes;
  for (const spec::VectorStep& step : c.steps) {
    if (step.op == spec::VectorOp::Table) bytes.insert({Storage::TableSlot, false, step.slot});
    const bool is_store = step.op == spec::VectorOp::Store;
    if (!is_store && !spec::is_load(step.op)) continue;
    const spec::VectorStream& stream = c.streams[static_cast<size_t>(step.stream)];
    const bool is_body = step.phase == spec::VectorPhase::Body;
    for_each_index(c.counts, is_body ? 5 : static_cast<size_t>(c.kept_loops), [&](const auto& index) {
      for (int64_t lane = 0; lane < (is_body || !c.lanes_reduced ? c.lanes : 1); ++lane) {
        add(bytes, Storage::Sram, is_store, stream.base + dot(index, stream.strides_bytes) + lane * stream.lane_stride_bytes,
            base::stored_bytes(stream.type));
      }
    });
  }
  return bytes;
}

Bytes brute_force(const spec::DmaCommand& c, int64_t) {
  Bytes bytes;
  const auto storage = [](const spec::DmaSide& side) {
    return side.base.space == base::MemorySpace::Sram ? Storage::Sram : Storage::External;
  };
  const auto base = [](const spec::DmaSide& side) { return static_cast<int64_t>(side.base.offset); };
  for_each_index(c.counts, 5, [&](const auto& index) {
    if (c.kind != spec::DmaKind::Fill) {
      add(bytes, storage(c.src), false, base(c.src) + dot(index, c.src.strides_bytes), c.run_bytes);
    }
    if (c.kind == spec::DmaKind::TableFill) return;
    add(bytes, storage(c.dst), true, base(c.dst) + dot(index, c.dst.strides_bytes), c.run_bytes);
  });
  if (c.kind == spec::DmaKind::TableFill) bytes.insert({Storage::TableSlot, true, c.table_slot});
  return bytes;
}

Bytes brute_force(const spec::EndCommand&, int64_t) { return {}; }

Range random_box(samples::Random& random) {
  std::array<int64_t, kRangeDims> counts{1, 1, 1, 1, 1, 1};
  std::array<int64_t, kRangeDims> strides{};
  for (int64_t i = random.between(0, 4); i-- > 0;) {
    counts[static_cast<size_t>(i)] = random.between(1, 5);
    strides[static_cast<size_t>(i)] = random.between(-40, 40) * (random.flip() ? 1 : 8);
  }
  return make_range(Storage::Sram, random.flip(), random.between(1000, 1800), counts, strides, random.between(1, 12), "box");
}

}  // namespace

TEST_CASE("what indices may name is all of the indexed side") {
  spec::DmaCommand c;
  c.kind = spec::DmaKind::Gather;
  c.src = {{base::MemorySpace::External, 1000}, {0, 0, 0, 300, 10}};
  c.dst = {{base::MemorySpace::Sram, 0}, {0, 0, 0, 12, 4}};
  c.counts = {1, 1, 1, 2, 3};
  c.run_bytes = 4;
  c.index_base = 500;
  c.index_limit = 20;
  const auto expected_with = [](Storage indexed, bool is_write, int64_t base, int64_t list_stride) {
    Bytes bytes;
    for (int64_t n = 0; n < 2; ++n) {
      for (int64_t k = 0; k < 20; ++k) add(bytes, indexed, is_write, base + n * list_stride + k * 10, 4);
    }
    add(bytes, Storage::Sram, false, 500, 2 * 3 * 4);
    return bytes;
  };
  const spec::Datapath datapath = spec::kPresets[1].datapath;
  Bytes gather = expected_with(Storage::External, false, 1000, 300);
  add(gather, Storage::Sram, true, 0, 24);
  CHECK(bytes_of(ranges_of({{}, c}, datapath)) == gather);
  std::swap(c.src, c.dst);
  c.kind = spec::DmaKind::Scatter;
  Bytes scatter = expected_with(Storage::External, true, 1000, 300);
  add(scatter, Storage::Sram, false, 0, 24);
  CHECK(bytes_of(ranges_of({{}, c}, datapath)) == scatter);
}

TEST_CASE("ranges of random commands are the bytes that the definitions touch") {
  constexpr uint32_t kSeed = 5;
  INFO("seed " << kSeed);
  samples::Random random(kSeed);
  for (const spec::Preset& preset : {spec::kPresets[0], spec::kPresets[1]}) {
    const int64_t lanes = preset.datapath.lanes;
    for (int i = 0; i < 300; ++i) {
      for (const spec::Command& command :
           {samples::random_mac(random, lanes), samples::random_vector(random, lanes), samples::random_dma(random)}) {
        INFO(print(command));
        const Validity validity = check(command, preset.datapath);
        INFO(validity.detail);
        REQUIRE(validity.fault == spec::FaultCode::None);
        const Bytes expected = std::visit([&](const auto& body) { return brute_force(body, lanes); }, command.body);
        REQUIRE((bytes_of(ranges_of(command, preset.datapath)) == expected));
      }
    }
  }
}

TEST_CASE("a normal form keeps the bytes, has descending strides, and merges what touches") {
  samples::Random random(3);
  for (int i = 0; i < 3000; ++i) {
    std::array<int64_t, kRangeDims> counts{};
    std::array<int64_t, kRangeDims> strides{};
    for (size_t d = 0; d < kRangeDims; ++d) {
      counts[d] = random.between(1, 3);
      strides[d] = random.between(-30, 30);
    }
    const int64_t run_bytes = random.between(1, 6);
    const Range range = make_range(Storage::Sram, false, 1000, counts, strides, run_bytes, "box");
    Bytes expected;
    for (int64_t k = 0; k < counts[5]; ++k) {
      for_each_index(counts, 5, [&](const auto& index) {
        add(expected, Storage::Sram, false, 1000 + dot(index, strides) + k * strides[5], run_bytes);
      });
    }
    REQUIRE((bytes_of({range}) == expected));
    REQUIRE(std::get<2>(*expected.begin()) == range.base);
    REQUIRE(std::get<2>(*expected.rbegin()) + 1 == range.end());
    for (size_t d = 0; d < kRangeDims; ++d) {
      REQUIRE(
          ((range.counts[d] == 1 && range.strides[d] == 0) || (range.counts[d] > 1 && range.strides[d] > range.run_bytes)));
      if (d > 0 && range.counts[d - 1] > 1) REQUIRE(range.strides[d - 1] > range.strides[d]);
    }
  }
  const Range dense = make_range(Storage::Sram, true, 64, {1, 2, 3, 4, 5, 6}, {0, 720, 240, 60, 12, 2}, 2, "dense");
  CHECK(dense.run_bytes == 1440);
  CHECK(dense.num_bytes() == 1440);
  CHECK(make_range(Storage::Sram, true, 0, {1, 1, 1, 1, 7, 9}, {0, 0, 0, 0, 0, 0}, 4, "broadcast").num_bytes() == 4);
}

TEST_CASE("overlap is exact") {
  constexpr uint32_t kSeed = 17;
  INFO("seed " << kSeed);
  samples::Random random(kSeed);
  int found = 0;
  for (int i = 0; i < 6000; ++i) {
    const Range a = random_box(random);
    Range b = random_box(random);
    if (random.flip()) {  // usual: two boxes of one tensor
      b = a;
      b.base += random.between(-60, 60);
      for (size_t d = 0; d < kRangeDims; ++d) b.counts[d] = a.counts[d] > 1 ? random.between(2, 5) : 1;
      b.run_bytes = random.between(1, 12);
    }
    std::set<int64_t> bytes;
    for_each_run(a, [&](int64_t offset, int64_t size) {
      for (int64_t k = 0; k < size; ++k) bytes.insert(offset + k);
    });
    bool expected = false;
    for_each_run(b, [&](int64_t offset, int64_t size) {
      const auto next = bytes.lower_bound(offset);
      expected = expected || (next != bytes.end() && *next < offset + size);
    });
    found += expected ? 1 : 0;
    REQUIRE(overlaps(a, b) == expected);
    REQUIRE(overlaps(b, a) == expected);
  }
  CHECK(found > 1000);
  CHECK(found < 5000);
}

// A walk over pairs of runs would take years here: the test's time limit would end it.
TEST_CASE("overlap of large interleaved boxes is quick") {
  const auto box = [](int64_t base, int64_t rows, int64_t row_pitch, int64_t columns, int64_t pitch, int64_t run) {
    return make_range(Storage::Sram, true, base, {1, 1, 1, 1, rows, columns}, {0, 0, 0, 0, row_pitch, pitch}, run, "box");
  };
  CHECK_FALSE(overlaps(box(0, 10000, 650000, 10000, 64, 32), box(32, 10000, 650000, 10000, 64, 32)));
  CHECK(overlaps(box(0, 10000, 650000, 10000, 64, 32), box(31, 10000, 650000, 10000, 64, 32)));
  // Unlike pitches: 48 and 64 meet modulo 16 only, so that runs of 8 at 0 and at 8 never do.
  CHECK_FALSE(overlaps(box(0, 10000, 640000, 10000, 64, 8), box(8, 10000, 480032, 10000, 48, 8)));
  CHECK(overlaps(box(0, 1, 0, 1000000, 65, 1), box(1, 1, 0, 1000000, 63, 1)));
}

TEST_CASE("conflicts are told apart by who writes") {
  const auto range = [](bool is_write, int64_t base) {
    return make_range(Storage::Sram, is_write, base, {1, 1, 1, 1, 1, 1}, {}, 8, "x");
  };
  CHECK(conflict_between({range(true, 0)}, {range(false, 7)}).read_after_write);
  CHECK_FALSE(conflict_between({range(true, 0)}, {range(false, 8)}).any());
  CHECK(conflict_between({range(false, 0)}, {range(true, 7)}).write_after_read);
  CHECK(conflict_between({range(true, 0)}, {range(true, 7)}).write_after_write);
  CHECK_FALSE(conflict_between({range(false, 0)}, {range(false, 0)}).any());
  Range elsewhere = range(true, 0);
  elsewhere.storage = Storage::External;
  CHECK_FALSE(conflict_between({elsewhere}, {range(false, 0)}).any());
}
