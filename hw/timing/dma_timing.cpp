// SPDX-License-Identifier: Apache-2.0
// profile(DmaCommand).
//
//   cycles = setup + SRAM latency (source in SRAM) + external latency (either side outside; once a command) + the longest of
//     runs x ceil(run_bytes / dma_bytes)      the datapath: a run up to dma_bytes a cycle, so one up to N bytes too
//     words read / read port, words written / write port      by address: an unaligned run touches a word more
//     bursts x burst_bytes / bytes_per_cycle  by address: a partial burst costs a whole one; a run that begins in the burst
//     in
//                                             which the run before it ended does not fetch it again
//   v256: 256 runs of 16 aligned bytes, SRAM to SRAM: 4 + 2 + 256. 4,096 B from outside at 16 B a cycle: 4 + 100 + 256.
// TableFill broadcasts one word a cycle: 1,026 B on v256: 65 words, 4 + 2 + 65. Fill reads nothing.
//
// Not modelled: source and destination words of one cycle in the same bank (SRAM to SRAM; at most one cycle for each word
// written), refresh and row misses of the external memory.
#include "hw/base/error.hpp"
#include "hw/base/quantity.hpp"
#include "hw/spec/latency.hpp"
#include "hw/timing/access_pattern.hpp"
#include "hw/timing/phase_builder.hpp"
#include "hw/timing/unit_timing.hpp"

#include <algorithm>
#include <vector>

namespace vernier::timing {

namespace {

using base::ceil_div;
using base::MemorySpace;

std::vector<Loop> loops_of(const spec::DmaCommand& command, const spec::DmaSide& side) {
  std::vector<Loop> loops;
  for (size_t i = 0; i < command.counts.size(); ++i) loops.push_back({command.counts[i], side.strides_bytes[i]});
  return loops;
}

/// Pieces of `unit_bytes` (words or bursts) that all runs of the side touch, each run by itself.
int64_t units_touched(const spec::DmaCommand& command, const spec::DmaSide& side, int64_t unit_bytes) {
  const std::vector<int64_t> histogram =
      residue_histogram(static_cast<int64_t>(side.base.offset), loops_of(command, side), unit_bytes);
  int64_t units = 0;
  for (size_t residue = 0; residue < histogram.size(); ++residue) {
    units += histogram[residue] * words_touched({static_cast<int64_t>(residue), command.run_bytes}, unit_bytes);
  }
  return units;
}

/// Bursts that a run shares with the run before it, one each. A step of loop l moves by its stride less the way back of the
/// loops inside it.
int64_t shared_bursts(const spec::DmaCommand& command, const spec::DmaSide& side, int64_t burst_bytes) {
  const std::vector<Loop> loops = loops_of(command, side);
  int64_t shared = 0, way_back = 0;
  for (size_t l = loops.size(); l-- > 0;) {
    const int64_t moved = loops[l].stride_bytes - way_back;
    std::vector<Loop> outer(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(l) + 1);
    outer.back().count -= 1;  // from the second index on
    if (outer.back().count > 0) {
      const int64_t first = static_cast<int64_t>(side.base.offset) + loops[l].stride_bytes;
      const std::vector<int64_t> histogram = residue_histogram(first, outer, burst_bytes);
      for (size_t residue = 0; residue < histogram.size(); ++residue) {
        const int64_t last_of_previous = static_cast<int64_t>(residue) - moved + command.run_bytes - 1;
        if (base::floor_div(last_of_previous, burst_bytes) == 0) shared += histogram[residue];
      }
    }
    way_back += (loops[l].count - 1) * loops[l].stride_bytes;
  }
  return shared;
}

void add_external(Phase& phase, Resource resource, const spec::DmaCommand& command, const spec::DmaSide& side,
                  const spec::ExternalMemory& external) {
  const int64_t bursts =
      units_touched(command, side, external.burst_bytes) - shared_bursts(command, side, external.burst_bytes);
  demand(phase, resource) += bursts * external.burst_bytes;
}

}  // namespace

Profile profile(const spec::DmaCommand& command, const config::MachineConfig& config) {
  const bool is_table = command.kind == spec::DmaKind::TableFill, is_fill = command.kind == spec::DmaKind::Fill;
  VERNIER_CHECK(is_table || is_fill || command.kind == spec::DmaKind::Copy, "DMA kind {} has no timing",
                static_cast<int>(command.kind));
  const spec::Datapath& datapath = config.datapath;
  Profile profile;
  Phase& main = profile.main;
  const bool reads_external = !is_fill && command.src.base.space == MemorySpace::External;
  const bool writes_external = !is_table && command.dst.base.space == MemorySpace::External;
  const bool reads_sram = !is_fill && !reads_external;
  if (reads_sram) demand(main, Resource::SramRead) = units_touched(command, command.src, datapath.word_bytes());
  if (!is_table && !writes_external) {
    demand(main, Resource::SramWrite) = units_touched(command, command.dst, datapath.word_bytes());
  }
  if (reads_external) add_external(main, Resource::ExternalRead, command, command.src, config.external);
  if (writes_external) add_external(main, Resource::ExternalWrite, command, command.dst, config.external);

  int64_t runs = 1;
  for (const int64_t count : command.counts) runs *= count;
  main.busy_cycles =
      is_table ? demand(main, Resource::SramRead) : runs * ceil_div(command.run_bytes, int64_t{datapath.dma_bytes()});
  main.cycles = main.busy_cycles;
  stretch_to_demand(main, config);
  add_stall(main, Stall::PipelineFill, spec::kDmaSetupCycles + (reads_sram ? spec::kSramReadLatencyCycles : 0));
  if (reads_external || writes_external) add_stall(main, Stall::ExternalMemory, config.external.latency_cycles);
  main.datapath_cycles = main.busy_cycles + main.stall_cycles[static_cast<size_t>(Stall::PipelineFill)];
  return profile;
}

}  // namespace vernier::timing
