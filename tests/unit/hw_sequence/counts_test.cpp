// SPDX-License-Identifier: Apache-2.0
// Two readings of one contract: the words and beats of hw/sequence, counted, are what hw/timing charges, stream by stream
// and for the whole command. Every case is a random command that the machine takes.
#include "hw/sequence/conv_stream.hpp"
#include "hw/sequence/row_stream.hpp"
#include "hw/sequence/weight_stream.hpp"
#include "hw/sequence/window_stream.hpp"
#include "hw/spec/windows.hpp"
#include "hw/timing/mac_activation.hpp"
#include "hw/timing/mac_edges.hpp"
#include "hw/timing/mac_operands.hpp"
#include "tests/unit/hw_sequence/cases.hpp"
#include "tests/unit/hw_sequence/counted_command.hpp"
#include "tests/unit/hw_timing/machines.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace vernier::sequence {
namespace {

constexpr uint64_t kNumCases = 2000;

template <typename Check>
void for_random_commands(uint64_t salt, Check&& check, uint64_t num_cases = kNumCases) {
  for (uint64_t i = 0; i < num_cases; ++i) {
    INFO("seed " << Random::seed() << " case " << i);
    Random random(salt + i);
    const std::vector<MacCase> slices = slices_of(legal_case(random), random);
    const MacCase& mac = slices[static_cast<size_t>(random.range(0, static_cast<int64_t>(slices.size()) - 1))];
    check(mac);
  }
}

TEST_CASE("weights: words, beats and conflicts of each tile are those of hw/timing") {
  for_random_commands(2'000'000, [](const MacCase& mac) {
    const MacOrder order(mac.command, mac.datapath);
    const timing::MacShape shape(mac.command, mac.datapath);
    const timing::MacWeights weights(mac.command, mac.datapath, shape);
    WeightStream stream(mac.command, mac.datapath);
    WeightBeat beat;
    MacPlace place;
    do {
      if (!order.is_loaded(place)) continue;
      Count count;
      do {
        REQUIRE(stream.next(beat));
        REQUIRE(beat.place == place);
        count += of_beat(beat.words);
      } while (!beat.is_last_of_tile);
      const timing::AccessCost expected = weights.costs(place.channel_tile)[static_cast<size_t>(place.step)];
      REQUIRE(count == Count{expected.cycles, expected.conflict_cycles, expected.words});
    } while (order.advance(place));
    REQUIRE_FALSE(stream.next(beat));
  });
}

TEST_CASE("activations of convolutions: words, cycles and conflicts of each step are those of hw/timing") {
  for_random_commands(3'000'000, [](const MacCase& mac) {
    if (mac.command.mode != spec::MacMode::Conv) return;
    const MacOrder order(mac.command, mac.datapath);
    const timing::MacShape shape(mac.command, mac.datapath);
    timing::MacActivation activation(mac.command, mac.datapath, shape);
    ConvStream stream(mac.command, mac.datapath);
    ActivationBeat beat;
    MacPlace place;
    do {
      Count count;
      for (int64_t row = order.first_row(place.row_tile); row < order.end_row(place.row_tile); ++row) {
        Count of_row;
        do {
          REQUIRE(stream.next(beat));
          REQUIRE((beat.place == place && beat.row == row));
          of_row += of_beat(beat.words);
        } while (!beat.is_last_of_row);
        count += with_passes(of_row, order.activation_bytes);
      }
      const timing::AccessCost expected = activation.cost(place.channel_tile, place.row_tile, place.step);
      REQUIRE(count == Count{expected.cycles, expected.conflict_cycles, expected.words});
    } while (order.advance(place));
    REQUIRE_FALSE(stream.next(beat));
  });
}

MacCase legal_depthwise_case(Random& random) {
  while (true) {
    const std::vector<MacCase> slices = slices_of(legal_case(random), random);
    const MacCase& mac = slices[static_cast<size_t>(random.range(0, static_cast<int64_t>(slices.size()) - 1))];
    if (mac.command.mode == spec::MacMode::Depthwise) return mac;
  }
}

struct WindowCount {
  int64_t cycles = 0, words = 0;
  int64_t words_ahead = 0, words_for_next_tile = 0;  // of `words`
};

/// A weight tile: the words that come meanwhile, and its cycles, those of each row's beats or passes. The command's first
/// row takes both.
WindowCount count_windows(WindowStream& stream, const MacOrder& order, const MacPlace& place) {
  WindowCount count;
  WindowBeat beat;
  int64_t beats = 0;
  for (int64_t row = order.first_row(place.row_tile); row < order.end_row(place.row_tile);
       row += beat.is_last_of_row ? 1 : 0) {
    REQUIRE(stream.next(beat));
    REQUIRE((beat.place == place && beat.row == row));
    REQUIRE(static_cast<int64_t>(beat.words.size()) <= spec::kWindowWords);
    ++beats;
    count.words += static_cast<int64_t>(beat.words.size());
    const int64_t words_ahead = std::ranges::count_if(beat.words, &WindowWord::is_of_next_row);
    count.words_ahead += words_ahead;
    if (row + 1 == order.end_row(place.row_tile)) count.words_for_next_tile += words_ahead;
    if (!beat.is_last_of_row) continue;
    count.cycles += std::max(beats, order.activation_bytes);
    if (place == MacPlace{} && row == 0) count.cycles += std::min(beats, order.activation_bytes) - 1;
    beats = 0;
  }
  return count;
}

TEST_CASE("windows of depthwise commands: words, cycles and conflicts of each step are those of hw/timing") {
  std::map<std::string, uint64_t> found;
  for (uint64_t i = 0; i < kNumCases; ++i) {
    INFO("seed " << Random::seed() << " case " << i);
    Random random(6'000'000 + i);
    const MacCase mac = legal_depthwise_case(random);
    const spec::MacCommand& m = mac.command;
    const MacOrder order(m, mac.datapath);
    const timing::MacShape shape(m, mac.datapath);
    timing::MacActivation activation(m, mac.datapath, shape);
    WindowStream ideal(m, mac.datapath), banked(m, mac.datapath, WindowMemory::Banked);
    MacPlace place;
    WindowCount all, all_banked;
    int64_t words_there = 0, words_there_banked = 0;
    do {
      const WindowCount count = count_windows(ideal, order, place);
      const WindowCount with_banks = count_windows(banked, order, place);
      const timing::AccessCost expected = activation.cost(place.channel_tile, place.row_tile, place.step);
      REQUIRE(words_there + count.words - count.words_for_next_tile == expected.words);
      REQUIRE(words_there_banked + with_banks.words - with_banks.words_for_next_tile == expected.words);
      words_there = count.words_for_next_tile;
      words_there_banked = with_banks.words_for_next_tile;
      if (words_there > 0) ++found["words ahead for another tile"];
      REQUIRE(count.cycles == expected.cycles);
      REQUIRE(with_banks.cycles == expected.cycles + expected.conflict_cycles);
      all.words_ahead += count.words_ahead;
      all.cycles += count.cycles;
      all_banked.cycles += with_banks.cycles;
    } while (order.advance(place));
    WindowBeat beat;
    REQUIRE_FALSE(ideal.next(beat));
    REQUIRE_FALSE(banked.next(beat));
    const int64_t element_bytes = base::stored_bytes(m.input.type);
    const bool is_of_words =
        m.input.base % mac.datapath.word_bytes() == 0 && m.input.pixel_pitch_bytes % mac.datapath.word_bytes() == 0;
    ++found["stride " + std::to_string(m.slide_rows ? m.stride_rows : m.stride_columns)];
    if (std::max(m.dilation_rows, m.dilation_columns) > 1) ++found["dilation"];
    if ((m.slide_rows ? m.dilation_rows : m.dilation_columns) > 1) ++found["dilation along the line"];
    ++found["P " + std::to_string(order.pixels)];
    if (m.slide_rows) ++found["slide_rows"];
    if (m.input.type == base::ElementType::Int16) ++found["int16"];
    if (!is_of_words) ++found["unaligned"];
    if (m.input.block_pitch_bytes == order.lanes * element_bytes) ++found["dense"];
    if (m.input.pixel_pitch_bytes < mac.datapath.word_bytes()) ++found["several positions a word"];
    if (order.num_steps > 1) ++found["several steps"];
    if (all.words_ahead > 0) ++found["words ahead"];
    if (all_banked.cycles > all.cycles) ++found["conflicts"];
  }
  for (const char* what : {"stride 1", "stride 2", "stride 3", "dilation", "dilation along the line", "P 1", "P 2", "P 4",
                           "slide_rows", "int16", "unaligned", "dense", "several positions a word", "words ahead",
                           "words ahead for another tile", "conflicts"}) {
    INFO(what << " " << found[what]);
    CHECK(found[what] >= kNumCases / 10);
  }
  CHECK(found["several steps"] >= kNumCases / 20);
}

/// The words of a row as if the pixels that fill up its group were there, as hw/timing charges them.
int64_t words_of_whole_row(const MacCase& mac, const spec::FeatureMap& map, const RowBeat& beat) {
  std::set<int64_t> words;
  for (const RowElement& element : beat.elements) {
    if (element.pixel != 0) continue;
    for (int64_t pixel = 0; pixel < int64_t{1} << mac.command.lane_split_log2; ++pixel) {
      for (int64_t byte = 0; byte < base::stored_bytes(map.type); ++byte) {
        words.insert((element.address + pixel * map.pixel_pitch_bytes + byte) / mac.datapath.word_bytes());
      }
    }
  }
  return static_cast<int64_t>(words.size());
}

TEST_CASE("parameters, addends and results: words of each tile are those of hw/timing, a beat for each row") {
  int num_filled = 0;
  for_random_commands(4'000'000, [&num_filled](const MacCase& mac) {
    const MacOrder order(mac.command, mac.datapath);
    const timing::MacShape shape(mac.command, mac.datapath);
    const timing::MacDrain drain(mac.command, mac.datapath, shape);
    const bool is_filled = mac.command.out_columns % order.pixels != 0;
    num_filled += is_filled ? 1 : 0;
    ParameterStream parameters(mac.command, mac.datapath);
    RowStream results = RowStream::of_results(mac.command, mac.datapath);
    RowStream addends = RowStream::of_addends(mac.command, mac.datapath);
    ParameterBeat parameter;
    RowBeat result, addend;
    for (int64_t tile = 0; mac.command.last && tile < order.num_channel_tiles; ++tile) {
      REQUIRE(parameters.next(parameter));
      REQUIRE(static_cast<int64_t>(parameter.words.size()) ==
              timing::parameter_words(mac.command, shape, tile, mac.datapath.word_bytes()));
      for (int64_t row_tile = 0; row_tile < order.num_row_tiles; ++row_tile) {
        int64_t result_words = 0, addend_words = 0, rows = 0;
        do {
          REQUIRE(results.next(result));
          REQUIRE((result.place == MacPlace{tile, row_tile, 0, 0}));
          ++rows;
          const int64_t whole = words_of_whole_row(mac, mac.command.output, result);
          result_words += whole;
          if (is_filled) REQUIRE(static_cast<int64_t>(result.words.size()) <= whole);
          if (!is_filled) REQUIRE(static_cast<int64_t>(result.words.size()) == whole);
          if (!mac.command.residual) continue;
          REQUIRE(addends.next(addend));
          REQUIRE(addend.row == result.row);
          addend_words += words_of_whole_row(mac, mac.command.addend, addend);
        } while (!result.is_last_of_tile);
        const timing::DrainCost cost = drain.cost(tile, row_tile);
        REQUIRE(rows == order.end_row(row_tile) - order.first_row(row_tile));
        REQUIRE(result_words == cost.write_words);
        REQUIRE(addend_words == cost.addend_words);
        REQUIRE(cost.rescale_vectors == rows * ((mac.command.rescale ? 1 : 0) + (mac.command.residual ? 3 : 0)));
        REQUIRE(cost.table_vectors == rows * (mac.command.table ? 1 : 0));
      }
    }
    REQUIRE_FALSE(parameters.next(parameter));
    REQUIRE_FALSE(results.next(result));
    REQUIRE_FALSE(addends.next(addend));
  });
  CHECK(num_filled > 200);
}

TEST_CASE("commands: the phases of hw/timing follow from the beats") {
  int num_contended = 0, num_loading = 0, num_slices = 0;
  for_random_commands(5'000'000, [&](const MacCase& mac) {
    config::MachineConfig config = timing::machine("v256");
    config.datapath = mac.datapath;
    const timing::Profile profile = timing::profile(mac.command, config);
    const CountedCommand counted = CountedArray().run(mac);
    num_contended += counted.rescale_contention_cycles > 0 ? 1 : 0;
    num_loading += counted.weight_load_cycles > 5 ? 1 : 0;
    num_slices += mac.command.last ? 0 : 1;
    CHECK(profile.main.busy_cycles == counted.busy_cycles);
    CHECK(timing::stall_of(profile.main, timing::Stall::WeightLoad) == counted.weight_load_cycles);
    CHECK(timing::stall_of(profile.main, timing::Stall::RescaleContention) == counted.rescale_contention_cycles);
    CHECK(profile.main.datapath_cycles == counted.next_command);
    if (mac.command.last) CHECK(profile.drain.datapath_cycles == counted.results.back() - counted.next_command);
    const timing::CommandEdges edges = timing::mac_edges(std::span(&mac.command, 1), config.datapath).front();
    CHECK(edges.results == counted.results);
    CHECK(edges.next_command == counted.next_command);
    CHECK(edges.busy_cycles == counted.busy_cycles);
    CHECK(edges.weight_load_cycles == counted.weight_load_cycles);
    CHECK(edges.rescale_contention_cycles == counted.rescale_contention_cycles);
    if (mac.command.out_columns % (int64_t{1} << mac.command.lane_split_log2) != 0) return;
    const auto demand = [&](timing::Resource resource) {
      return timing::demand_of(profile.main, resource) + timing::demand_of(profile.drain, resource);
    };
    CHECK(demand(timing::Resource::SramRead) == counted.read_words);
    CHECK(demand(timing::Resource::SramWrite) == counted.written_words);
  });
  CHECK(num_contended >= 20);
  CHECK(num_loading >= 50);
  CHECK(num_slices >= 50);
}

TEST_CASE("commands that follow each other: the edges of hw/timing follow from the beats") {
  int num_later = 0;
  for_random_commands(
      6'000'000,
      [&](const MacCase& first) {
        if (!first.command.first) return;
        Random random(static_cast<uint64_t>(first.command.input.base + 7 * first.command.out_channels));
        config::MachineConfig config = timing::machine("v256");
        config.datapath = first.datapath;
        std::vector<MacCase> sequence{first};
        while (sequence.size() < 3) {
          MacCase next = legal_case(random);
          if (next.datapath.lanes != first.datapath.lanes) continue;
          next.datapath = first.datapath;
          sequence.push_back(std::move(next));
        }
        std::vector<spec::MacCommand> commands;
        for (const MacCase& mac : sequence) commands.push_back(mac.command);
        const std::vector<timing::CommandEdges> edges = timing::mac_edges(commands, config.datapath);
        CountedArray array;
        for (size_t i = 0; i < sequence.size(); ++i) {
          const CountedCommand counted = array.run(sequence[i]);
          INFO("command " << i);
          REQUIRE(edges[i].taken == counted.taken);
          REQUIRE(edges[i].results == counted.results);
          REQUIRE(edges[i].next_command == counted.next_command);
          const int64_t alone = timing::mac_edges(std::span(&commands[i], 1), config.datapath).front().next_command;
          num_later += counted.next_command - counted.taken > alone ? 1 : 0;
        }
      },
      800);
  CHECK(num_later >= 10);
}

}  // namespace
}  // namespace vernier::sequence
