// SPDX-License-Identifier: Apache-2.0
// npu_agu_vector on all vector commands of the real networks, in mode sram.
#include "compiler/emit/compile.hpp"
#include "compiler/import/import.hpp"
#include "hw/base/file.hpp"
#include "hw/package/command_codec.hpp"
#include "tests/cosim/agu_vector_runs.hpp"
#include "tests/cosim/built_widths.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/unit/hw_timing/machines.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
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
  const auto nets = tests::shared_path("golden/nets");
  if (nets.empty()) {
    WARN("skipped: ../shared/golden/nets is not there");
    return;
  }
  const config::MachineConfig config = timing::machine(preset);
  if (!is_built("npu_agu", config.datapath.lanes)) return;
  Agu part(config.datapath.lanes);
  AguVectorRun run(part, config.datapath);
  Random random(33);
  std::set<std::string> known;
  int64_t num_networks = 0, beats = 0, longest = 0;
  const std::set<std::filesystem::path> folders(std::filesystem::directory_iterator{nets}, {});
  for (const std::filesystem::path& folder : folders) {
    const auto file = folder / "model.tosa";
    if (!std::filesystem::exists(file)) continue;
    ++num_networks;
    const std::vector<std::byte> bytes = base::read_file(file);
    const package::Package package =
        emit::compile(import::import_graph(file.string(), bytes, ir::kLevel8k), {file.string(), bytes}, config, {1});
    std::span<const std::byte> stream = package.stream;
    for (int64_t command_idx = 0; !stream.empty(); ++command_idx) {
      const package::Decoded decoded = package::decode(stream);
      REQUIRE(decoded.fault == spec::FaultCode::None);
      stream = stream.subspan(static_cast<size_t>(decoded.length_bytes));
      const auto* command = std::get_if<spec::VectorCommand>(&decoded.command.body);
      if (command == nullptr || !known.insert(key_of(*command)).second) continue;
      INFO(folder.filename().string() << ", command " << command_idx);
      for (const AguPace pace : {AguPace::Always, AguPace::Random}) {
        const AguVectorResult result = run.run(*command, pace, random);
        REQUIRE(result.difference == "");
        beats += result.beats;
        if (pace == AguPace::Always) longest = std::max(longest, result.first_cycle);
      }
    }
  }
  CHECK(num_networks == 12);
  CHECK(known.size() > 30);
  CHECK(beats > 10'000);
  CHECK(longest <= spec::kIssueCycles);
}

}  // namespace

TEST_CASE("npu_agu_vector: beats of the real networks on v64", "[slow]") { check_networks("v64"); }

TEST_CASE("npu_agu_vector: beats of the real networks on v256", "[slow]") { check_networks("v256"); }

TEST_CASE("npu_agu_vector: beats of the real networks on v1024", "[slow]") { check_networks("v1024"); }
