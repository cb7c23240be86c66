// SPDX-License-Identifier: Apache-2.0
// rtl_mutant_runner FILE.so BLOCK VECTORS SEED: co-simulates a block from a shared object. VECTORS 0: looks at its registers
// in idle cycles instead, which needs waves. Prints the first mismatch, or which bins were missing; exit code 3 for one, 4
// for a hang, 0 for none.
#include "sim/cosim/network/cosim.hpp"
#include "tests/cosim/agu_bench.hpp"
#include "tests/cosim/agu_commands.hpp"
#include "tests/cosim/idle_registers.hpp"
#include "tests/cosim/runner/loaded_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <span>

namespace {

constexpr int kLanes = 8;
constexpr int64_t kCommandsOfSequence = 5;  // of npu_agu, about
constexpr int kBadInput = 2, kMismatch = 3, kHang = 4;

/// Thrown by a run as soon as it has told of a mismatch: the rest of it would say nothing more.
struct Found {
  std::string mismatch;
};

vernier::tests::MakeBlock g_make = nullptr;

std::unique_ptr<vernier::cosim::RtlBlock> make_agu(int) { return std::unique_ptr<vernier::cosim::RtlBlock>(g_make(1)); }

/// npu_agu by itself: commands that follow each other, and resets in the middle of them.
std::string run_agu_alone(int64_t sequences, uint64_t seed) {
  using namespace vernier::cosim;
  const vernier::spec::Datapath datapath{kLanes, 4, 2};
  Agu part(make_agu(kLanes), kLanes, vernier::spec::kWeightLoadWords);
  AguCommands commands(part, datapath);
  Random random(seed);
  for (int64_t i = 0; i < sequences; ++i) {
    if (std::string what = commands_difference(commands, datapath, random); !what.empty()) return what;
  }
  for (int64_t i = 0; i < sequences; ++i) {
    Agu fresh(make_agu(kLanes), kLanes, vernier::spec::kWeightLoadWords);
    if (std::string what = reset_difference(part, fresh, datapath, random); !what.empty()) return what;
  }
  return {};
}

/// npu_agu before the array and before the vector unit, `commands` for each; the first mismatch, empty: none.
std::string run_agu(int64_t commands, uint64_t seed) {
  using namespace vernier::cosim;
  ArrayBench array(kLanes, false, make_agu);
  VectorBench vector(kLanes, false, make_agu);
  Random random(seed);
  const vernier::kernels::TableMemory tables = draw_vector_tables(random);
  vector.set_tables(tables);
  for (int64_t i = 0; i < commands; ++i) {
    array.run(draw_array_command(array.datapath(), random));
    if (std::string what = array.mismatch(); !what.empty()) return what;
    vector.run(draw_vector_job(vector.datapath(), tables, random).work);
    if (std::string what = vector.mismatch(); !what.empty()) return what;
  }
  return {};
}

}  // namespace

/// libsystemc wants it, and a block that is loaded has every symbol looked up at once.
extern "C" int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  const std::span arguments(argv, static_cast<size_t>(argc));
  if (arguments.size() != 5) return kBadInput;
  const vernier::tests::MakeBlock make = vernier::tests::load_maker(arguments[1]);
  if (make == nullptr) return kBadInput;
  try {
    vernier::cosim::CosimOptions options;
    options.lanes = kLanes;
    options.vectors = std::stoll(arguments[3]);
    options.seed = std::stoull(arguments[4]);
    if (arguments[2] == vernier::spec::kAguBlock.name) {
      g_make = make;
      std::string what = run_agu(options.vectors, options.seed);
      if (what.empty()) what = run_agu_alone(options.vectors / kCommandsOfSequence, options.seed);
      if (what.empty()) return 0;
      fmt::print("{}\n", what);
      return kMismatch;
    }
    const vernier::spec::RtlBlock* description = vernier::spec::rtl_block_of_module(arguments[2]);
    if (description == nullptr) return kBadInput;
    options.unit = description->unit;
    std::unique_ptr<vernier::cosim::RtlBlock> block(make(static_cast<int>(options.seed)));
    if (options.vectors == 0) {
      vernier::cosim::ClockedBlock clocked(std::move(block), *description, kLanes);
      const std::string what = vernier::cosim::idle_register_changes(clocked);
      if (what.empty()) return 0;
      fmt::print("{}\n", what);
      return kMismatch;
    }
    options.progress = [](const vernier::cosim::LockStepResult& so_far) {
      if (so_far.mismatches > 0) throw Found{so_far.first_text()};
    };
    const auto report = vernier::cosim::run_cosim(options, std::move(block));
    if (report.result.mismatches == 0) {
      fmt::print("no mismatch; {} of {} bins\n", report.bins_hit, report.bins_legal);
      for (const std::string& name : report.bins_missing) fmt::print("missing: {}\n", name);
      return 0;
    }
    fmt::print("{}\n", report.result.first_text());
    return kMismatch;
  } catch (const Found& found) {
    fmt::print("{}\n", found.mismatch);
    return kMismatch;
  } catch (const vernier::cosim::Hang& hang) {
    fmt::print("{}\n", hang.what());
    return kHang;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kBadInput;
  }
}
