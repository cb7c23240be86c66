// SPDX-License-Identifier: Apache-2.0
// Blocks that are built while the program runs, from somebody else's RTL and, where that has a part only, from ours:
// Verilator makes C++ of them, a compiler a shared library, which is loaded and kept in the user's cache. A decision record
// has the why (docs/decisions/0017-rtl-from-elsewhere.md).
//
// Where both have a module of one name, theirs is taken. A library is found in the cache (rtl_cache.hpp) by a checksum over
// sources as the preprocessor leaves them, with all that they include, flags, and the versions of the tools.
#pragma once

#include "sim/cosim/block/rtl_block.hpp"
#include "sim/cosim/block/rtl_folder.hpp"
#include "sim/cosim/block/rtl_preprocessed.hpp"

#include <functional>
#include <memory>
#include <optional>
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
  /// Of this program's own RTL alone, for blocks that it was not built with.
  static RtlBuilder of_own_rtl(Progress progress = {});
  /// Waves of blocks that are made from here on have the contents of memories too.
  void trace_memories() { traces_memories_ = true; }
  /// Whether the block of that name, of the RTL as it would be built, has a module of the folder in it.
  [[nodiscard]] bool concerns(std::string_view module) const;
  /// Whether the folder has rescale and table units alone, so that the array is ours.
  [[nodiscard]] bool has_only_lanes() const { return !concerns_array_; }
  /// UserError where there is no Verilator 5 or no compiler. Of a library that is kept too: its checksum has their versions.
  void require_tools();
  /// A block of `lanes` lanes. UserError where there is no Verilator or compiler, where they refuse the RTL (with what they
  /// say), and where a module of the folder has other ports than docs/reference/rtl-ports.md.
  [[nodiscard]] std::unique_ptr<RtlBlock> make(const spec::RtlBlock& block, int lanes, const RtlOptions& options = {});

 private:
  struct Tools;
  RtlBuilder() = default;
  [[nodiscard]] std::vector<std::string> modules_below(std::string_view module) const;
  [[nodiscard]] std::vector<std::string> verilator_command(const Tools& tools, std::string_view module, int lanes,
                                                           const std::filesystem::path& scratch) const;
  void verilate(const Tools& tools, const spec::RtlBlock& block, int lanes, const std::filesystem::path& scratch) const;
  void build(const Tools& tools, const spec::RtlBlock& block, int lanes, const std::filesystem::path& cache,
             const std::filesystem::path& library) const;
  void compile(const Tools& tools, const spec::RtlBlock& block, const std::filesystem::path& cache,
               const std::filesystem::path& scratch) const;
  void require_listed(const std::filesystem::path& scratch) const;
  [[nodiscard]] std::string checksum(const Tools& tools, const spec::RtlBlock& block, int lanes,
                                     const PreprocessedRtl& preprocessed) const;

  RtlFolder folder_;
  Progress progress_;
  std::shared_ptr<const Tools> tools_;  // once they were looked for
  std::optional<PreprocessedRtl> preprocessed_;
  bool concerns_array_ = false, traces_memories_ = false;
};

}  // namespace vernier::cosim
