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
  Replay replay{.unit = unit, .config = config, .datapath = datapath};
  int64_t left = std::min(results, kMaxDrawnResults);
  if (spec::rtl_block_of_unit(unit)->kind == spec::RtlKind::VectorUnit) {
    VectorReplay& vector = replay.vector.emplace();
    vector.tables = draw_vector_tables(random);
    while (left > 0) {
      vector.jobs.push_back(draw_vector_job(datapath, vector.tables, random));
      left -= beats_of(vector.jobs.back().command, datapath);
    }
    return replay;
  }
  ArrayReplay& array = replay.array.emplace();
  array.tables = draw_array_tables(random);
  ReplaySequence& sequence = array.sequences.emplace_back();
  while (left > 0) {
    std::vector<ArrayCommand> commands = draw_array_sequence(datapath, random, kSmallCommands);
    if (random.chance(kDrawnResidualPercent)) commands = {draw_residual_tiles(datapath, random)};
    for (ArrayCommand& command : commands) {
      left -= rows_of(command.command, datapath);
      sequence.commands.push_back(std::move(command));
    }
  }
  return replay;
}

}  // namespace vernier::cosim
