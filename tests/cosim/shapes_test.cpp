// SPDX-License-Identifier: Apache-2.0
// Every shape of a MAC command that the real networks have in mode sram, on the RTL of the datapath: values, edges and sums
// of states. A shape is all of a command but its values and addresses, and the addresses modulo a word. Of its channel tiles
// the first two and the last one are run: the others repeat the second. Slices of a reduction run one after the other;
// neighbours that need no token between them once more as a pair. (Whole networks: tests/e2e/cosim_networks_test.py.)
#include "hw/package/command_codec.hpp"
#include "hw/sequence/mac_order.hpp"
#include "sim/cosim/replay/sampled_command.hpp"
#include "tests/cosim/array_checks.hpp"
#include "tests/cosim/array_commands.hpp"
#include "tests/cosim/built_widths.hpp"
#include "tests/cosim/real_networks.hpp"
#include "tests/unit/hw_timing/machines.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace vernier;
using namespace vernier::cosim;

namespace {

using Commands = std::vector<spec::MacCommand>;

constexpr int64_t kTilesRun = 3;

spec::MacCommand with_few_tiles(spec::MacCommand m, const spec::Datapath& datapath) {
  const sequence::MacOrder order(m, datapath);
  m.out_channels -= std::max<int64_t>(order.num_channel_tiles - kTilesRun, 0) * order.tile_channels;
  return m;
}

void add_key(std::vector<std::byte>& key, spec::MacCommand m, const spec::Datapath& datapath) {
  const int64_t word_bytes = datapath.word_bytes();
  for (int64_t* base : {&m.input.base, &m.weight_base, &m.parameter_base, &m.addend.base, &m.output.base})
    *base %= word_bytes;
  for (int64_t* value :
       {&m.input_zero_point, &m.weight_zero_point, &m.output_zero_point, &m.residual_zero_point, &m.addend_zero_point,
        &m.sum_zero_point, &m.clamp_min, &m.clamp_max, &m.sum_clamp_min, &m.sum_clamp_max, &m.table_slot}) {
    *value = 0;
  }
  for (spec::Scale* scale : {&m.own_scale, &m.addend_scale, &m.sum_scale}) *scale = {0, 2};
  package::encode({{spec::Queue::MacArray, 0, 0}, m}, key);
}

std::string key_of(const Commands& commands, const spec::Datapath& datapath) {
  std::vector<std::byte> key;
  for (const spec::MacCommand& m : commands) add_key(key, m, datapath);
  std::string text;
  for (const std::byte byte : key) text.push_back(static_cast<char>(byte));
  return text;
}

/// The MAC commands of a package: each alone, slices of one reduction together; then the pairs.
std::vector<Commands> sequences_of(const package::Package& package) {
  std::vector<Commands> sequences;
  std::vector<Commands> pairs;
  bool is_reduction_open = false, can_pair = false;
  for (const package::StreamCommand& placed : package::stream_commands(package)) {
    const auto* m = std::get_if<spec::MacCommand>(&placed.command.body);
    if (m == nullptr) continue;
    if (is_reduction_open) {
      sequences.back().push_back(*m);
    } else {
      if (can_pair && placed.command.header.wait == 0 && m->last) pairs.push_back({sequences.back().back(), *m});
      sequences.push_back({*m});
    }
    is_reduction_open = !m->last;
    can_pair = m->last && sequences.back().size() == 1;
  }
  std::ranges::move(pairs, std::back_inserter(sequences));
  return sequences;
}

/// What is in SRAM at cycle 0, and random bytes where nothing is: maps that no command has written.
std::vector<std::byte> memory_of(const package::Package& package, Random& random) {
  std::vector<std::byte> sram(static_cast<size_t>(package.sram_peak_bytes));
  for (std::byte& byte : sram) byte = static_cast<std::byte>(random.bits() >> 23);
  for (const package::Segment& segment : package.image) {
    if (segment.address.space == base::MemorySpace::Sram)
      std::ranges::copy(segment.bytes, sram.begin() + static_cast<int64_t>(segment.address.offset));
  }
  return sram;
}

void check_shapes(std::string_view preset) {
  if (!has_rtl()) return;
  const config::MachineConfig config = timing::machine(preset);
  if (!is_built(datapath().name, config.datapath.lanes)) return;
  ClockedBlock block(make_rtl_block(datapath().name, config.datapath.lanes), datapath(), config.datapath.lanes);
  Random random(32);
  ArrayLockStep lock_step(block, config.datapath, {.seed = 31, .tables = draw_array_tables(random)});
  std::set<std::string> known;
  const bool has_networks = for_each_real_network(config, [&](const package::Package& package, const std::string& network) {
    const std::vector<std::byte> sram = memory_of(package, random);
    for (const Commands& sequence : sequences_of(package)) {
      if (!known.insert(key_of(sequence, config.datapath)).second) continue;
      std::vector<Work> samples;
      for (const spec::MacCommand& whole : sequence) {
        const spec::MacCommand m = with_few_tiles(whole, config.datapath);
        INFO(describe(m));
        REQUIRE(is_legal(m, config.datapath));
        samples.push_back(sample_command(m, config.datapath, sram));
      }
      std::vector<std::string> names(samples.size(), network);
      lock_step.run_sequence({.works = std::move(samples), .names = std::move(names), .most_described = 3});
    }
  });
  if (!has_networks) return;
  CHECK(known.size() > 100);
  CHECK(lock_step.result().vectors > 10'000);
  check_equal(lock_step.result());
}

}  // namespace

TEST_CASE("shapes of the MAC commands of the real networks on v64", "[slow]") { check_shapes("v64"); }

TEST_CASE("shapes of the MAC commands of the real networks on v256", "[nightly]") { check_shapes("v256"); }

TEST_CASE("shapes of the MAC commands of the real networks on v1024", "[nightly]") { check_shapes("v1024"); }

TEST_CASE("shapes of the MAC commands of the real networks on v256-sram48", "[nightly]") { check_shapes("v256-sram48"); }
