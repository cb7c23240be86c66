// SPDX-License-Identifier: Apache-2.0
// npu_agu_vector on all vector commands of the real networks, in mode sram.
#include "hw/package/command_codec.hpp"
#include "tests/cosim/agu_vector_runs.hpp"
#include "tests/cosim/built_widths.hpp"
#include "tests/cosim/real_networks.hpp"
#include "tests/unit/hw_timing/machines.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace vernier;
using namespace vernier::cosim;

namespace {

/// Those whose beats are alike but for where they lie are one.
std::string key_of(spec::VectorCommand command) {
  for (spec::VectorStream& stream : command.streams) stream.base = 0;
  std::vector<std::byte> key;
  package::encode({{spec::Queue::VectorUnit, 0, 0}, command}, key);
  std::string text;
  for (const std::byte byte : key) text.push_back(static_cast<char>(byte));
  return text;
}

void check_networks(std::string_view preset) {
  if (rtl_blocks().empty()) return;
  const config::MachineConfig config = timing::machine(preset);
  if (!is_built("npu_agu", config.datapath.lanes)) return;
  Agu part(config.datapath.lanes);
  AguVectorRun run(part, config.datapath);
  Random random(33);
  std::set<std::string> known;
  int64_t beats = 0, longest = 0;
  const bool has_networks = for_each_real_network(config, [&](const package::Package& package, const std::string&) {
    for (const package::StreamCommand& placed : package::stream_commands(package)) {
      const auto* command = std::get_if<spec::VectorCommand>(&placed.command.body);
      if (command == nullptr || !known.insert(key_of(*command)).second) continue;
      INFO("command at " << placed.offset_bytes);
      for (const AguPace pace : {AguPace::Always, AguPace::Random}) {
        const AguVectorResult result = run.run(*command, pace, random);
        REQUIRE(result.difference == "");
        beats += result.beats;
        if (pace == AguPace::Always) longest = std::max(longest, result.first_cycle);
      }
    }
  });
  if (!has_networks) return;
  CHECK(known.size() > 30);
  CHECK(beats > 10'000);
  CHECK(longest <= spec::kIssueCycles);
}

}  // namespace

TEST_CASE("npu_agu_vector: beats of the real networks on v64", "[slow]") { check_networks("v64"); }

TEST_CASE("npu_agu_vector: beats of the real networks on v256", "[slow]") { check_networks("v256"); }

TEST_CASE("npu_agu_vector: beats of the real networks on v1024", "[slow]") { check_networks("v1024"); }
