// SPDX-License-Identifier: Apache-2.0
// npu_agu_windows: the depthwise commands that the real networks have in mode sram. Commands that differ in values only are
// one; of the channel tiles the first two and the last one are run: the others repeat the second.
#include "hw/package/command_codec.hpp"
#include "hw/sequence/mac_order.hpp"
#include "tests/cosim/agu_runs.hpp"
#include "tests/cosim/array_checks.hpp"
#include "tests/cosim/built_widths.hpp"
#include "tests/cosim/real_networks.hpp"
#include "tests/unit/hw_timing/machines.hpp"

#include <algorithm>
#include <set>

using namespace vernier;
using namespace vernier::cosim;

namespace {

constexpr int64_t kTilesRun = 3;

/// With all that the words depend on.
spec::MacCommand sample_of(const spec::MacCommand& m, const spec::Datapath& datapath) {
  const sequence::MacOrder order(m, datapath);
  spec::MacCommand sample = m;
  sample.out_channels -= std::max<int64_t>(order.num_channel_tiles - kTilesRun, 0) * order.tile_channels;
  sample.input.base %= datapath.word_bytes();
  sample.weight_base = sample.parameter_base = sample.addend.base = sample.output.base = 0;
  sample.input_zero_point = sample.output_zero_point = sample.residual_zero_point = sample.addend_zero_point = 0;
  sample.sum_zero_point = sample.clamp_min = sample.clamp_max = sample.sum_clamp_min = sample.sum_clamp_max = 0;
  sample.own_scale = sample.addend_scale = sample.sum_scale = {0, 2};
  return sample;
}

}  // namespace

TEST_CASE("beats of the real networks' depthwise commands are those of the sequence", "[slow]") {
  if (!has_rtl()) return;
  for (const char* preset : {"v64", "v256", "v1024"}) {
    const config::MachineConfig config = timing::machine(preset);
    if (!is_built("npu_agu", config.datapath.lanes)) continue;
    Agu part(config.datapath.lanes);
    Random random(51);
    std::set<std::vector<std::byte>> known;
    const bool has_networks = for_each_real_network(config, [&](const package::Package& package, const std::string&) {
      for (const package::StreamCommand& placed : package::stream_commands(package)) {
        const auto* whole = std::get_if<spec::MacCommand>(&placed.command.body);
        if (whole == nullptr || whole->mode != spec::MacMode::Depthwise) continue;
        const spec::MacCommand m = sample_of(*whole, config.datapath);
        std::vector<std::byte> key;
        package::encode({{spec::Queue::MacArray, 0, 0}, m}, key);
        if (!known.insert(key).second) continue;
        // At ready always, as the networks' time has it.
        CHECK(check_windows(
                  part, random, 1, [&] { return m; }, spec::kIssueCycles) <= spec::kIssueCycles);
      }
    });
    if (!has_networks) return;
    CHECK(known.size() > 30);
  }
}
