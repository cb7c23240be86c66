// SPDX-License-Identifier: Apache-2.0
// Blocks that are built while the program runs, from somebody else's RTL and, where that has a part only, from ours:
// Verilator makes C++ of them, a compiler a shared library, which is loaded and kept in the user's cache. A decision record
// has the why (docs/decisions/0017-rtl-from-elsewhere.md).
//
// Where both have a module of one name, theirs is taken. The cache is $XDG_CACHE_HOME/vernier/rtl, or ~/.cache/vernier/rtl;
// a library is found there by a checksum over sources, flags and the versions of the tools.
#pragma once

#include "sim/cosim/rtl_block.hpp"
#include "sim/cosim/rtl_folder.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::spec {
struct RtlBlock;
}

namespace vernier::cosim {

class RtlBuilder {
 public:
  /// What is being built, for people; may be empty.
  using Progress = std::function<void(const std::string& what)>;
  /// UserError where no block has a module of the folder in it.
  explicit RtlBuilder(RtlFolder folder, Progress progress = {});
  /// Whether the block of that name, of the RTL as it would be built, has a module of the folder in it.
  [[nodiscard]] bool concerns(std::string_view module) const;
  /// Whether the folder has rescale and table units alone, so that the array is ours.
  [[nodiscard]] bool has_only_lanes() const { return !concerns_array_; }
  /// A block of `lanes` lanes. UserError where there is no Verilator or compiler, where they refuse the RTL (with what they
  /// say), and where a module of the folder has other ports than docs/reference/rtl-ports.md.
  [[nodiscard]] std::unique_ptr<RtlBlock> make(const spec::RtlBlock& block, int lanes, const RtlOptions& options = {});

 private:
  struct Tools;
  [[nodiscard]] std::vector<std::string> modules_below(std::string_view module) const;
  [[nodiscard]] std::vector<std::string> verilator_command(const Tools& tools, std::string_view module, int lanes,
                                                           const std::filesystem::path& scratch) const;
  void verilate(const Tools& tools, const spec::RtlBlock& block, int lanes, const std::filesystem::path& scratch) const;
  void build(const Tools& tools, const spec::RtlBlock& block, int lanes, const std::filesystem::path& cache,
             const std::filesystem::path& library) const;
  void compile(const Tools& tools, const spec::RtlBlock& block, const std::filesystem::path& cache,
               const std::filesystem::path& scratch) const;
  [[nodiscard]] std::string checksum(const Tools& tools, const spec::RtlBlock& block, int lanes) const;

  RtlFolder folder_;
  Progress progress_;
  std::shared_ptr<const Tools> tools_;  // once they were looked for
  bool concerns_array_ = false;
};

/// A port of a Verilated block, as its header declares it.
struct VerilatedPort {
  std::string name;
  bool is_output = false;
  int bits = 0;
};
std::vector<VerilatedPort> ports_of_header(const std::string& header);
/// What is wrong with the ports of a block, in words; empty: nothing.
std::string port_mistakes(const spec::RtlBlock& block, int lanes, const std::vector<VerilatedPort>& ports);

}  // namespace vernier::cosim
