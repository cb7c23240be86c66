// SPDX-License-Identifier: Apache-2.0
// npu_agu_weights: beats of random commands against hw/sequence.
#include "hw/sequence/weight_stream.hpp"
#include "sim/cosim/agu.hpp"
#include "sim/cosim/array_vectors.hpp"
#include "tests/cosim/agu_runs.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::cosim;

namespace {

/// The bytes of a beat: address, tile row, place in the row.
using Byte = std::tuple<int64_t, int64_t, int64_t>;

std::string text_of(const std::vector<int64_t>& words, const std::vector<Byte>& bytes, bool is_last) {
  std::string text = fmt::format("words {}{}, bytes", fmt::join(words, " "), is_last ? ", last" : "");
  for (const auto& [address, row, to] : bytes) text += fmt::format(" {}:{}.{}", address, row, to);
  return text;
}

std::string of_rtl(const Agu& part, int lanes, int64_t weight_bytes) {
  const auto field = [&](std::string_view name, int idx, int bits) { return part.port(name).field(idx, bits); };
  std::vector<int64_t> words;
  for (int w = 0; w < spec::kWeightLoadWords; ++w) {
    if (field("wgt_read_o", w, 1) != 0) words.push_back(static_cast<int32_t>(field("wgt_word_o", w, 32)));
  }
  std::vector<Byte> bytes;
  const auto byte_idx = static_cast<int64_t>(part.port("wgt_byte_o").get());
  for (int k = 0; k < spec::kWeightLoadRows; ++k) {
    if (field("wgt_row_valid_o", k, 1) == 0) continue;
    const auto address = static_cast<int64_t>(field("wgt_address_o", k, 32));
    const auto length = static_cast<int64_t>(field("wgt_length_o", k, spec::bits_to_count(2 * lanes + 1)));
    const auto to = static_cast<int64_t>(field("wgt_to_o", k, spec::bits_to_count(2 * lanes)));
    const auto row = static_cast<int64_t>(field("wgt_row_o", k, spec::bits_to_count(lanes)));
    for (int64_t i = 0; i < length; ++i) {
      if ((to + i) % weight_bytes == byte_idx) bytes.emplace_back(address + i, row, (to + i) / weight_bytes);
    }
  }
  return text_of(words, bytes, part.port("wgt_last_o").get() != 0);
}

std::string of_sequence(const sequence::WeightBeat& beat, const spec::MacCommand& m) {
  const bool is_lane_wise = m.weight_order == spec::WeightOrder::LaneMajor ||
                            (m.weight_order == spec::WeightOrder::Tiles && m.mode == spec::MacMode::Conv);
  std::vector<Byte> bytes;
  for (const sequence::WeightByte& byte : beat.bytes) {
    bytes.emplace_back(byte.address, is_lane_wise ? byte.lane : byte.element, is_lane_wise ? byte.element : byte.lane);
  }
  return text_of(beat.words, bytes, beat.is_last_of_tile);
}

}  // namespace

TEST_CASE("words and pieces of weight tiles are those of the sequence") {
  for (const int lanes : {8, 16, 32}) {
    for (const int most : {4, 2}) {
      Agu part(lanes);
      const spec::Datapath datapath{lanes, most, 2};
      part.port("wgt_most_i").set(static_cast<uint64_t>(most));
      Random random(static_cast<uint64_t>(lanes * most));
      check_agu_stream(
          part, "wgt", random, 400, [&] { return draw_array_sequence(datapath, random).back().command; },
          [&](const spec::MacCommand& command) {
            return [&, stream = sequence::WeightStream(command, datapath),
                    beat = sequence::WeightBeat()](std::string& text) mutable {
              if (!stream.next(beat)) return false;
              text = of_sequence(beat, command);
              return true;
            };
          },
          [&](const spec::MacCommand& command) { return of_rtl(part, lanes, base::stored_bytes(command.weight_type)); });
    }
  }
}

TEST_CASE("npu_agu prepares a command beside the one before it, and gives its beats behind that one's") {
  constexpr int kLanes = 8;  // with two sets
  Agu part(kLanes);
  const spec::Datapath datapath{kLanes, 4, 2};
  Random random(3);
  const auto draw = [&] {
    while (true) {
      const spec::MacCommand command = draw_array_command(datapath, random).command;
      if (command.weight_type == base::ElementType::Int8) return command;
    }
  };
  for (int i = 0; i < 100; ++i) {
    const std::array commands{draw(), draw()};
    part.set_ready("wgt", false);
    for (const spec::MacCommand& command : commands) part.give(command);
    for (const spec::MacCommand& command : commands) {
      sequence::WeightStream stream(command, datapath);
      for (sequence::WeightBeat beat; stream.next(beat);) {
        while (!part.has_beat("wgt")) part.cycle();
        REQUIRE(of_rtl(part, kLanes, 1) == of_sequence(beat, command));
        part.set_ready("wgt", true);
        part.cycle();
        part.set_ready("wgt", false);
      }
    }
    for (int idle = 0; idle < 5; ++idle) part.cycle();
    CHECK(!part.has_beat("wgt"));
    part.set_ready("wgt", true);
    while (part.port("mac_ready_o").get() == 0) part.cycle();
  }
}
