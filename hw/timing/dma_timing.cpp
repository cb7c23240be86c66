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
// Transpose: tiles of T x T elements, T = N / element, come in by rows and then go out by columns; the two do not overlap,
// the corner-turner holds one tile.
//   cycles = setup + SRAM latency + sum over tiles of (runs in + runs out)
// A run is a row or a column of the tile, up to N bytes: a cycle; or, where whole ones are contiguous, those of a tile: a
// cycle for each dma_bytes. Each at least its words over the port. v256, int8:
//   64 x 48, 12 whole tiles: 12 x (16 + 16), + 6.   3 x 50,176 to 50,176 x 3: 3,136 x (3 + 48 / 32 rounded up to 2) =
//   15,680.
// TableFill broadcasts one word a cycle: 1,026 B on v256: 65 words, 4 + 2 + 65. Fill reads nothing.
// Gather and Scatter are copies whose runs on the indexed side lie anywhere: each by itself, at the alignment that costs
// most of those which an index can give it, so that the indices do not matter. The list comes first:
//   cycles += SRAM latency; words read += words of the list
//   v256: 100 rows of 16 aligned bytes: 4 + 2 + 2 + 100, 100 + 25 words read.
//
// Not modelled: source, destination and list words of one cycle in the same bank (SRAM to SRAM; at most one cycle for each
// word of the lesser; a transpose reads and writes by turns; D-004), refresh and row misses of the external memory (D-013).
#include "hw/base/address.hpp"
#include "hw/base/division.hpp"
#include "hw/base/error.hpp"
#include "hw/spec/latency.hpp"
#include "hw/timing/access_pattern.hpp"
#include "hw/timing/phase_builder.hpp"
#include "hw/timing/unit_timing.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
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

/// Whether indices say where the side's runs are.
bool is_indexed(const spec::DmaCommand& command, const spec::DmaSide& side) {
  return (command.kind == spec::DmaKind::Gather && &side == &command.src) ||
         (command.kind == spec::DmaKind::Scatter && &side == &command.dst);
}

/// Pieces of `unit_bytes` (words or bursts) that all runs of the side touch, each run by itself.
int64_t units_touched(const spec::DmaCommand& command, const spec::DmaSide& side, int64_t unit_bytes) {
  std::vector<Loop> loops = loops_of(command, side);
  int64_t step = unit_bytes;  // distance of the residues that an index can give a run
  if (is_indexed(command, side)) {
    step = std::gcd(std::abs(loops.back().stride_bytes), unit_bytes);
    loops.back().stride_bytes = 0;
  }
  const std::vector<int64_t> histogram = residue_histogram(static_cast<int64_t>(side.base.offset), loops, unit_bytes);
  int64_t units = 0;
  for (size_t residue = 0; residue < histogram.size(); ++residue) {
    int64_t most = 0;
    for (int64_t moved = 0; moved < unit_bytes && histogram[residue] > 0; moved += step) {
      const int64_t begin = (static_cast<int64_t>(residue) + moved) % unit_bytes;
      most = std::max(most, words_touched({begin, command.run_bytes}, unit_bytes));
    }
    units += histogram[residue] * most;
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

/// Words of SRAM that hold the index list.
int64_t index_words(const spec::DmaCommand& command, int64_t word_bytes) {
  return words_touched({command.index_base, command.counts[3] * command.counts[4] * spec::kIndexBytes}, word_bytes);
}

void add_external(Phase& phase, Resource resource, const spec::DmaCommand& command, const spec::DmaSide& side,
                  const spec::ExternalMemory& external) {
  const int64_t shared = is_indexed(command, side) ? 0 : shared_bursts(command, side, external.burst_bytes);
  const int64_t bursts = units_touched(command, side, external.burst_bytes) - shared;
  demand(phase, resource) += bursts * external.burst_bytes;
}

/// One side of a transpose: `lines` (rows of the source, columns of the destination) cut into tiles.
struct TurnCost {
  int64_t datapath_cycles = 0;
  int64_t ported_cycles = 0;
  int64_t words = 0;
};

/// Adds the runs of `bytes` that begin at `base` and at each step of the loops.
void add_runs(TurnCost& cost, int64_t base, const std::vector<Loop>& loops, int64_t bytes, const spec::Datapath& datapath,
              int64_t port_words) {
  const int64_t cycles = ceil_div(bytes, int64_t{datapath.dma_bytes()});
  const std::vector<int64_t> histogram = residue_histogram(base, loops, datapath.word_bytes());
  for (size_t residue = 0; residue < histogram.size(); ++residue) {
    const int64_t words = words_touched({static_cast<int64_t>(residue), bytes}, datapath.word_bytes());
    cost.datapath_cycles += cycles * histogram[residue];
    cost.ported_cycles += std::max(cycles, ceil_div(words, port_words)) * histogram[residue];
    cost.words += words * histogram[residue];
  }
}

/// `line_loop` and `along_loop` number the loops of the lines and of the elements in a line.
TurnCost cost_of_turn(const spec::DmaCommand& command, const spec::DmaSide& side, size_t line_loop, size_t along_loop,
                      const spec::Datapath& datapath, int64_t port_words) {
  const int64_t tile = datapath.word_bytes() / command.run_bytes;
  const int64_t lines = command.counts[line_loop], line_stride = side.strides_bytes[line_loop];
  const int64_t along = command.counts[along_loop], line_bytes = along * command.run_bytes;
  const bool is_contiguous = along <= tile && line_stride == line_bytes;
  // Pieces of a whole tile, then what is left over: of lines that are contiguous, else of the elements in a line.
  const int64_t whole = (is_contiguous ? lines : along) / tile, rest = (is_contiguous ? lines : along) % tile;
  const int64_t unit_bytes = is_contiguous ? line_bytes : command.run_bytes;
  std::vector<Loop> loops = loops_of(command, side);
  loops.resize(3);
  if (!is_contiguous) loops.push_back({lines, line_stride});
  TurnCost cost;
  const auto base = static_cast<int64_t>(side.base.offset);
  if (rest > 0) add_runs(cost, base + whole * tile * unit_bytes, loops, rest * unit_bytes, datapath, port_words);
  loops.push_back({whole, tile * unit_bytes});
  if (whole > 0) add_runs(cost, base, loops, tile * unit_bytes, datapath, port_words);
  return cost;
}

Profile profile_of_transpose(const spec::DmaCommand& command, const config::MachineConfig& config) {
  const spec::Datapath& datapath = config.datapath;
  const TurnCost in = cost_of_turn(command, command.src, 3, 4, datapath, datapath.sram_read_words);
  const TurnCost out = cost_of_turn(command, command.dst, 4, 3, datapath, datapath.sram_write_words);
  Profile profile;
  Phase& main = profile.main;
  demand(main, Resource::SramRead) = in.words;
  demand(main, Resource::SramWrite) = out.words;
  main.busy_cycles = main.cycles = in.datapath_cycles + out.datapath_cycles;
  add_stall(main, Stall::PortContention, in.ported_cycles + out.ported_cycles - main.busy_cycles);
  add_stall(main, Stall::PipelineFill, spec::kDmaSetupCycles + spec::kSramReadLatencyCycles);
  main.datapath_cycles = main.busy_cycles + main.stall_cycles[static_cast<size_t>(Stall::PipelineFill)];
  return profile;
}

}  // namespace

Profile profile(const spec::DmaCommand& command, const config::MachineConfig& config) {
  if (command.kind == spec::DmaKind::Transpose) return profile_of_transpose(command, config);
  const bool is_table = command.kind == spec::DmaKind::TableFill, is_fill = command.kind == spec::DmaKind::Fill;
  const bool has_indices = command.kind == spec::DmaKind::Gather || command.kind == spec::DmaKind::Scatter;
  const spec::Datapath& datapath = config.datapath;
  Profile profile;
  Phase& main = profile.main;
  const bool reads_external = !is_fill && command.src.base.space == MemorySpace::External;
  const bool writes_external = !is_table && command.dst.base.space == MemorySpace::External;
  const bool reads_sram = !is_fill && !reads_external;
  const int64_t source_words = reads_sram ? units_touched(command, command.src, datapath.word_bytes()) : 0;
  const int64_t list_words = has_indices ? index_words(command, datapath.word_bytes()) : 0;
  demand(main, Resource::SramRead) = source_words + list_words;
  if (!is_table && !writes_external) {
    demand(main, Resource::SramWrite) = units_touched(command, command.dst, datapath.word_bytes());
  }
  profile.possible_error.streams_cycles = words_of_lesser({source_words, list_words, demand(main, Resource::SramWrite)});
  if (reads_external) add_external(main, Resource::ExternalRead, command, command.src, config.external);
  if (writes_external) add_external(main, Resource::ExternalWrite, command, command.dst, config.external);

  int64_t runs = 1;
  for (const int64_t count : command.counts) runs *= count;
  main.busy_cycles =
      is_table ? demand(main, Resource::SramRead) : runs * ceil_div(command.run_bytes, int64_t{datapath.dma_bytes()});
  main.cycles = main.busy_cycles;
  stretch_to_demand(main, config);
  add_stall(main, Stall::PipelineFill,
            spec::kDmaSetupCycles + (int{reads_sram} + int{has_indices}) * spec::kSramReadLatencyCycles);
  if (reads_external || writes_external) add_stall(main, Stall::ExternalMemory, config.external.latency_cycles);
  main.datapath_cycles = main.busy_cycles + main.stall_cycles[static_cast<size_t>(Stall::PipelineFill)];
  return profile;
}

}  // namespace vernier::timing
