// SPDX-License-Identifier: Apache-2.0
// What has to hold for every graph: it compiles, runs, and equals the reference in every tensor that a command makes; and
// the promises about cycles, bytes and determinism.
#pragma once

#include "compiler/reference/interpreter.hpp"
#include "hw/config/machine_config.hpp"
#include "hw/package/package.hpp"
#include "sim/cosim/memory/stream_source.hpp"
#include "sim/soc/npu.hpp"
#include "tests/fuzz/generator.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace vernier::tests::fuzz {

struct Setup {
  std::string preset = "v256";
  spec::MemoryMode memory = spec::MemoryMode::Sram;
  int64_t optimize = 1;
  int64_t sram_percent = 0;  // of what the compiler says that it needs; 0: the machine's, if that is enough
  int64_t speed = 0;         // 0: the machine's external memory and queues; else others, drawn from this number
  std::optional<cosim::StreamSource> rtl_memory{};  // runs on RTL too, whose streams come from there
  bool has_core = false;                            // runs on the core with its memory too, all commands together
  int64_t core_percent = kCorePercent;              // that its total may differ by there, or kCoreCycles if that is more

  static constexpr int64_t kCorePercent = 3, kCoreCycles = 32;
};
/// "--config v256 --memory external --optimize 1 --sram-percent 100 --speed 0 --rtl-memory ideal"
std::string to_string(const Setup& setup);

/// Cycles of a graph on the core with its memory.
struct CoreTotals {
  int64_t rtl = 0, model = 0;
  /// How much longer RTL takes.
  [[nodiscard]] double more_percent() const;
  [[nodiscard]] bool is_more_than(int64_t percent) const;  // and more than Setup::kCoreCycles, to either side
};

struct Verdict {
  enum class Kind { Equal, Refused, Failed };
  Kind kind = Kind::Equal;
  std::string message;  // why it was refused or has failed
  int64_t elements_compared = 0, num_commands = 0, cycles = 0;
  /// With little SRAM, where that was looked at: whether it takes more commands than with enough.
  std::optional<bool> is_cut{};
  std::optional<CoreTotals> core{};  // with Setup::has_core
};

class Oracle {
 public:
  /// `seed` makes the inputs. Everything that is thrown becomes a verdict.
  Verdict judge(const RandomGraph& random, const Setup& setup, uint64_t seed);

 private:
  Verdict judge_package(const RandomGraph& random, package::Package package, const Setup& setup, uint64_t seed);
  /// With the values of variables that the package and `variables` have; the run leaves those of the next one in both.
  Verdict judge_run(const RandomGraph& random, package::Package& package, const Setup& setup, uint64_t seed,
                    reference::Variables& variables);
  soc::Npu& npu_for(const config::MachineConfig& config, soc::Control control);
  std::map<std::string, std::unique_ptr<soc::Npu>> npus_;  // the presets in each memory mode, with each control
  std::unique_ptr<soc::Npu> odd_npu_;                      // the last one that is none of these
};

}  // namespace vernier::tests::fuzz
