// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/known_times.hpp"

#include "compiler/cost/mac_choice.hpp"
#include "hw/base/address.hpp"
#include "hw/spec/vector_schedule.hpp"
#include "hw/timing/access_pattern.hpp"
#include "hw/timing/unit_timing.hpp"
#include "tests/support/random_vector_program.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <random>

namespace vernier::schedule {
namespace {

/// Commands with bases anywhere.
class Commands {
 public:
  explicit Commands(uint32_t seed) : random_(seed) {}

  spec::MacCommand stripe() {
    spec::MacCommand mac;
    mac.mode = pick({0, 1}) == 0 ? spec::MacMode::Conv : spec::MacMode::Depthwise;
    mac.kernel_rows = pick({1, 3, 5});
    mac.kernel_columns = pick({1, 3});
    mac.stride_rows = pick({1, 2});
    mac.stride_columns = pick({1, 2});
    mac.dilation_rows = pick({1, 1, 2});
    mac.lane_split_log2 = pick({0, 0, 1, 2});
    mac.out_rows = pick({1, 3, 9});
    mac.out_columns = pick({5, 14, 28});
    mac.in_channels = mac.out_channels = pick({8, 16, 40});
    mac.origin_row = pick({-1, 0});
    mac.origin_column = pick({-1, 0});
    mac.in_rows = mac.out_rows * mac.stride_rows + pick({0, 1, 4, 30});
    mac.in_columns = mac.out_columns * mac.stride_columns + pick({0, 1, 4, 30});
    const int64_t taps = mac.kernel_rows * mac.kernel_columns;
    mac.reduction_end = mac.mode == spec::MacMode::Conv ? taps * mac.in_channels : taps;
    mac.row_tile_rows = pick({12, 32, 64});
    mac.slide_rows = mac.mode == spec::MacMode::Depthwise && pick({0, 1}) == 1;
    const auto type = pick({0, 1}) == 0 ? base::ElementType::Int8 : base::ElementType::Int16;
    const int64_t channels = pick({40, 48}), bytes = base::stored_bytes(type);
    for (spec::FeatureMap* map : {&mac.input, &mac.addend, &mac.output}) {
      *map = {pick({0, 7, 48, 160}), 100 * channels * bytes, channels * bytes, 16 * bytes, type};
    }
    mac.weight_base = pick({0, 64, 96});
    mac.parameter_base = pick({0, 32, 40});
    mac.rescale = true;
    mac.residual = pick({0, 1}) == 1;
    return mac;
  }

  spec::DmaCommand copy() {
    spec::DmaCommand dma;
    dma.kind = pick({0, 1}) == 0 ? spec::DmaKind::Copy : spec::DmaKind::Gather;
    dma.run_bytes = pick({4, 16, 50, 200});
    dma.counts = {1, 1, pick({1, 3}), pick({1, 7}), pick({2, 12})};
    for (spec::DmaSide* side : {&dma.src, &dma.dst}) {
      side->strides_bytes = {0, 0, pick({3000, 4096}), pick({40, 512, 777}), pick({-256, 64, 250})};
      side->base.offset = static_cast<uint64_t>(pick({4096, 4100, 4200, 5000}));
    }
    (pick({0, 1}) == 0 ? dma.src : dma.dst).base.space = base::MemorySpace::External;
    if (dma.kind == spec::DmaKind::Gather) dma.index_limit = 40;
    dma.index_base = pick({0, 36, 100});
    return dma;
  }

  int64_t pick(std::initializer_list<int64_t> values) { return values.begin()[random_() % values.size()]; }

 private:
  std::mt19937 random_;
};

/// Every number of it.
auto numbers_of(const timing::Profile& profile) {
  return std::bit_cast<std::array<int64_t, sizeof(timing::Profile) / sizeof(int64_t)>>(profile);
}

TEST_CASE("what is known of a command is what the timing classes say, of it and of those that are timed alike") {
  const config::MachineConfig config = config::preset_config("v256", "test");
  const int64_t period = timing::bank_period_bytes(config.datapath);
  const auto seed = GENERATE(range(0U, 200U));
  CAPTURE(seed);
  Commands commands(seed);
  const spec::MacCommand mac = commands.stripe();
  spec::MacCommand elsewhere = mac;
  for (int64_t* base : {&elsewhere.input.base, &elsewhere.addend.base, &elsewhere.output.base, &elsewhere.weight_base,
                        &elsewhere.parameter_base}) {
    *base += period * commands.pick({0, 1, 5});
  }
  KnownTimes times(config);
  const timing::Profile known = times.placed_profile({{}, mac}, config);
  CHECK(numbers_of(known) == numbers_of(timing::profile(mac, config)));
  CHECK(numbers_of(known) == numbers_of(timing::profile(elsewhere, config)));
  CHECK(timing::timed_alike(mac, config) == timing::timed_alike(elsewhere, config));
  CHECK(times.with_best_slide(elsewhere) == cost::with_best_slide(elsewhere, config));
  CHECK(times.with_best_row_tile(elsewhere) == cost::with_best_row_tile(elsewhere, config));
}

TEST_CASE("what is known of a copy holds wherever words and bursts lie alike, for each bandwidth") {
  const config::MachineConfig config = config::preset_config("v256-port8", "test");
  config::MachineConfig slow = config;
  slow.external.bytes_per_cycle = base::Ratio(config.external.bytes_per_cycle.numerator(), 24);
  const auto seed = GENERATE(range(0U, 200U));
  CAPTURE(seed);
  Commands commands(seed);
  const spec::DmaCommand dma = commands.copy();
  spec::DmaCommand elsewhere = dma;
  for (spec::DmaSide* side : {&elsewhere.src, &elsewhere.dst}) {
    const bool is_outside = side->base.space == base::MemorySpace::External;
    const int64_t period = is_outside ? config.external.burst_bytes : timing::bank_period_bytes(config.datapath);
    side->base.offset += static_cast<uint64_t>(period * commands.pick({0, 1, 5}));
  }
  KnownTimes times(config);
  for (const config::MachineConfig& machine : {config, slow}) {
    const timing::Profile known = times.profile(dma, machine);
    CHECK(numbers_of(known) == numbers_of(timing::profile(dma, machine)));
    CHECK(numbers_of(known) == numbers_of(timing::profile(elsewhere, machine)));
  }
  CHECK(timing::timed_alike(dma, config) == timing::timed_alike(elsewhere, config));
}

TEST_CASE("what is known of a vector command holds wherever its words lie alike in the banks, whatever its constants") {
  const config::MachineConfig config = config::preset_config("v64", "test");
  tests::Random random(11);
  KnownTimes times(config);
  for (int i = 0; i < 400;) {
    spec::VectorCommand vector = tests::random_vector_program(random);
    for (spec::VectorStream& stream : vector.streams) {
      stream.base = random.within(0, 300);
      stream.lane_stride_bytes = random.within(-3, 40);
      for (int64_t& stride : stream.strides_bytes) stride = random.within(0, 99);
    }
    if (!spec::schedule(vector, config.datapath)) continue;
    spec::VectorCommand elsewhere = vector;
    for (spec::VectorStream& stream : elsewhere.streams) {
      stream.base += random.within(0, 3) * timing::bank_period_bytes(config.datapath);
    }
    for (spec::VectorStep& step : elsewhere.steps) step.imm0 = random.within(0, 100);
    const auto known = numbers_of(times.profile({{}, vector}, config));
    CHECK(known == numbers_of(timing::profile(vector, config)));
    CHECK(known == numbers_of(timing::profile(elsewhere, config)));
    CHECK(timing::timed_alike(vector, config) == timing::timed_alike(elsewhere, config));
    ++i;
  }
}

TEST_CASE("stripes in the middle of a map are timed alike, those that meet its edge are not") {
  const config::MachineConfig config = config::preset_config("v256", "test");
  spec::MacCommand mac;
  mac.mode = spec::MacMode::Depthwise;
  mac.kernel_rows = mac.kernel_columns = 3;
  mac.reduction_end = 9;
  mac.in_columns = mac.out_columns = 14;
  mac.origin_column = -1;
  mac.out_rows = 4;
  const auto with_rows = [&](int64_t rows) {
    spec::MacCommand stripe = mac;
    stripe.in_rows = rows;
    return timing::timed_alike(stripe, config);
  };
  CHECK(with_rows(6) == with_rows(60));  // four rows of a 3 x 3 kernel reach six
  CHECK(with_rows(5) != with_rows(6));
}

}  // namespace
}  // namespace vernier::schedule
