// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/replay/drawn_replay.hpp"

#include "hw/sequence/mac_order.hpp"
#include "hw/sequence/vector_beats.hpp"
#include "sim/cosim/stimulus/array_vectors.hpp"
#include "sim/cosim/stimulus/vector_vectors.hpp"

#include <algorithm>
#include <utility>

namespace vernier::cosim {
namespace {

constexpr ArraySizes kSmallCommands{.most_rows = 200, .has_long = false};
constexpr int64_t kDrawnResidualPercent = 20;  // of the sequences

int64_t rows_of(const spec::MacCommand& command, const spec::Datapath& datapath) {
  const sequence::MacOrder order(command, datapath);
  return command.last ? order.num_rows * order.num_channel_tiles : 0;
}

int64_t beats_of(const spec::VectorCommand& command, const spec::Datapath& datapath) {
  auto stores = sequence::VectorBeats::of_stores(command, datapath);
  int64_t count = 0;
  for (sequence::VectorBeat beat; stores.next(beat);) ++count;
  return count;
}

}  // namespace

Replay drawn_replay(const std::string& unit, const std::string& config, const spec::Datapath& datapath, uint64_t seed,
                    int64_t results) {
  Random random(seed);
  const bool is_vector_unit = spec::rtl_block_of_unit(unit)->kind == spec::RtlKind::VectorUnit;
  Replay replay{.unit = unit, .config = config, .datapath = datapath};
  CommandReplay& commands = replay.commands.emplace();
  commands.tables = is_vector_unit ? draw_vector_tables(random) : draw_array_tables(random);
  Sequence& sequence = commands.sequences.emplace_back();
  std::vector<Work>& works = sequence.works;
  if (is_vector_unit) sequence.shared_percent = 0;
  int64_t left = std::min(results, kMaxDrawnResults);
  while (left > 0 && is_vector_unit) {
    works.push_back(draw_vector_job(datapath, commands.tables, random).work);
    left -= beats_of(works.back().vector(), datapath);
  }
  while (left > 0) {
    std::vector<DrawnWork> drawn = draw_array_sequence(datapath, random, kSmallCommands);
    if (random.chance(kDrawnResidualPercent)) drawn = {draw_residual_tiles(datapath, random)};
    for (Work& work : works_of(std::move(drawn))) {
      left -= rows_of(work.mac(), datapath);
      works.push_back(std::move(work));
    }
  }
  return replay;
}

}  // namespace vernier::cosim
