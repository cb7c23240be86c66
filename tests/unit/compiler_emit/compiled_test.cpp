// SPDX-License-Identifier: Apache-2.0
// What the compiler makes of many small networks, as a row each: tests/unit/compiler_emit/compiled/*.txt. A change of the
// compiler changes rows; VERNIER_UPDATE_GOLDEN=1 rewrites them, and the difference shows which networks take more commands
// or memory. VERNIER_COMPILED_TEXTS=DIR writes the texts behind the checksums, schedule and stream, into files of DIR: those
// of two builds are compared with `diff -r`.
#include "compiler/emit/compile.hpp"
#include "compiler/import/import.hpp"
#include "hw/base/checksum.hpp"
#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "hw/package/disassembler.hpp"
#include "hw/spec/registers.hpp"
#include "tests/fuzz/generator.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/random.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace vernier::emit {
namespace {

namespace fs = std::filesystem;

uint32_t crc_of(const std::string& text) { return base::crc32(std::as_bytes(std::span(text))); }

void write_text(const std::string& name, const std::string& text) {
  const char* folder = std::getenv("VERNIER_COMPILED_TEXTS");
  if (folder == nullptr) return;
  fs::create_directories(folder);
  std::string file = name;
  std::replace(file.begin(), file.end(), ' ', '_');
  std::ofstream(fs::path(folder) / (file + ".txt"), std::ios::binary) << text;
}

/// What the stream does not name: the blocks of SRAM, and which command makes which part of which tensor.
std::string places_of(const package::Package& package) {
  std::string text;
  for (const package::SramBlock& block : package.sram_blocks)
    text += fmt::format("{} {} {}..{} {}..{}\n", block.name, block.is_constant, block.begin_byte, block.end_byte,
                        block.first_command, block.last_command);
  for (const package::Piece& piece : package.pieces)
    text += fmt::format("{} makes {} {} {} {}\n", piece.command_idx, piece.tensor_idx, base::to_string(piece.begin),
                        base::to_string(piece.extent), base::to_string(piece.step));
  return text + fmt::format("least {} B, planned {} B\n", package.least_sram_bytes, package.planned_sram_bytes);
}

std::string row_of(const std::string& name, const ir::Graph& graph, const config::MachineConfig& config, int64_t optimize) {
  const ModelSource source{"net.tosa", {}};
  try {
    const package::Package package = compile(graph, source, config, {optimize});
    const std::string schedule = print_stage("schedule", graph, source, config, {optimize});
    const std::string stream = package::disassemble(package) + places_of(package);
    write_text(name, schedule + stream);
    return fmt::format("{}: {} commands, {} B of SRAM, {} B outside; schedule {:08x}, stream {:08x}, image {:08x}\n", name,
                       package.command_layers.size(), base::with_thousands(package.sram_peak_bytes),
                       base::with_thousands(package.external_bytes), crc_of(schedule), crc_of(stream),
                       package.image.empty() ? 0 : base::crc32(package.image.front().bytes));
  } catch (const base::UserError& error) {
    return fmt::format("{}: {}\n", name, error.what());
  }
}

int64_t elements_of(const ir::Graph& graph) {
  int64_t sum = 0;
  for (const ir::TensorInfo& tensor : graph.tensors) sum += base::num_elements(tensor.shape);
  return sum;
}

/// `percent` of the SRAM that it takes where there is enough. A large network stays as it is: its many orders take seconds.
void make_tight(config::MachineConfig& config, const ir::Graph& graph, int64_t percent) {
  if (elements_of(graph) > 12000) return;
  config.sram_bytes = spec::kMaxSramBytes;
  const int64_t taken = compile(graph, {"net.tosa", {}}, config, {1}).sram_peak_bytes;
  const int64_t granule = int64_t{config.datapath.word_bytes()} * spec::kNumSramBanks;
  config.sram_bytes = std::max(spec::kKibi, base::round_up(taken * percent / 100, granule));
}

config::MachineConfig machine(const std::string& preset, spec::MemoryMode mode) {
  config::MachineConfig config = config::preset_config(preset, "test");
  config.memory_mode = mode;
  return config;
}

/// Rows of a file, one after the other.
class Rows {
 public:
  explicit Rows(const std::string& file) : path_(fs::path("tests/unit/compiler_emit/compiled") / file) {
    const char* update = std::getenv("VERNIER_UPDATE_GOLDEN");
    is_updated_ = update != nullptr && std::string(update) == "1";
    std::ifstream in(tests::source_path(path_), std::ios::binary);
    for (std::string line; std::getline(in, line);) kept_.push_back(line + "\n");
  }

  /// Fails where the row is not the kept one; five are told.
  void check(const std::string& row) {
    made_ += row;
    const std::string kept = number_ < kept_.size() ? kept_[number_] : "";
    ++number_;
    if (is_updated_ || row == kept) return;
    INFO(path_.string() << ", VERNIER_UPDATE_GOLDEN=1 rewrites it\nwas " << kept << "is  " << row);
    if (++num_differences_ < 5) {
      CHECK(row == kept);
    } else {
      FAIL("and perhaps others");
    }
  }

  void end() {
    if (is_updated_) {
      tests::check_golden(path_, made_);
    } else {
      CHECK(number_ == kept_.size());
    }
  }

 private:
  fs::path path_;
  bool is_updated_ = false;
  std::vector<std::string> kept_;
  std::string made_;
  size_t number_ = 0, num_differences_ = 0;
};

struct Machine {
  const char* preset;
  spec::MemoryMode mode;
  int64_t sram_percent, optimize;  // of the SRAM that it takes where there is enough; 0: the preset's
};
constexpr Machine kMachines[] = {
    {"v64", spec::MemoryMode::Sram, 0, 1},       {"v256", spec::MemoryMode::WeightsExternal, 0, 1},
    {"v1024", spec::MemoryMode::External, 0, 1}, {"v256-port8", spec::MemoryMode::External, 50, 1},
    {"v64", spec::MemoryMode::External, 75, 1},  {"v1024", spec::MemoryMode::WeightsExternal, 90, 1},
    {"v256", spec::MemoryMode::Sram, 95, 1},     {"v256", spec::MemoryMode::External, 0, 0},
};

TEST_CASE("what the made networks compile to", "[compiled]") {
  std::vector<fs::path> networks;
  for (const auto& entry : fs::directory_iterator(tests::source_path("tests/golden/networks"))) {
    if (entry.is_directory()) networks.push_back(entry.path());
  }
  std::sort(networks.begin(), networks.end());
  Rows rows("networks.txt");
  for (const fs::path& network : networks) {
    const ir::Graph graph = import::import_file(network / "model.tosa", ir::kLevel8k);
    for (const size_t turn : {0, 3, 5}) {
      const Machine& m = kMachines[(static_cast<size_t>(&network - networks.data()) + turn) % std::size(kMachines)];
      config::MachineConfig config = machine(m.preset, m.mode);
      if (m.sram_percent > 0) make_tight(config, graph, m.sram_percent);
      const std::string name = fmt::format("{} {} {} {}% O{}", network.filename().string(), m.preset,
                                           spec::kMemoryModeNames[static_cast<size_t>(m.mode)], m.sram_percent, m.optimize);
      rows.check(row_of(name, graph, config, m.optimize));
    }
  }
  rows.end();
}

TEST_CASE("what random graphs compile to", "[compiled]") {
  Rows rows("random.txt");
  for (const auto kind : {tests::fuzz::GraphKind::Single, tests::fuzz::GraphKind::Connected}) {
    const bool is_single = kind == tests::fuzz::GraphKind::Single;
    for (uint64_t seed = 0; seed < (is_single ? 240U : 60U); ++seed) {
      tests::Random random(seed + 7);
      const ir::Graph graph = tests::fuzz::random_graph(seed, kind, false).graph;
      if (elements_of(graph) > 40000) continue;
      const auto preset = random.pick<std::string>({"v64", "v256", "v1024", "v256-port8", "v256-sram48"});
      config::MachineConfig config =
          machine(preset, random.pick<spec::MemoryMode>(
                              {spec::MemoryMode::Sram, spec::MemoryMode::WeightsExternal, spec::MemoryMode::External}));
      const int64_t percent = random.pick<int64_t>({0, 0, 60, 80, 95});
      config.queue_depth = random.pick<int64_t>({4, 8, 16});
      if (percent > 0) make_tight(config, graph, percent);
      const std::string name = fmt::format("{} {} {} {}", is_single ? "single" : "connected", seed, preset, percent);
      rows.check(row_of(name, graph, config, random.chance(90) ? 1 : 0));
    }
  }
  rows.end();
}

}  // namespace
}  // namespace vernier::emit
