// SPDX-License-Identifier: Apache-2.0
// npu_agu_segments: words and runs of random commands against hw/sequence.
#include "hw/sequence/conv_stream.hpp"
#include "sim/cosim/agu.hpp"
#include "sim/cosim/array_vectors.hpp"
#include "tests/cosim/agu_runs.hpp"

using namespace vernier;
using namespace vernier::cosim;

namespace {

/// A byte that a pixel takes: its address, and byte of the step that it is.
struct Taken {
  int64_t pixel, to, address;
  bool is_masked;
  auto operator<=>(const Taken&) const = default;
};

std::string text_of(const std::vector<int64_t>& words, std::vector<Taken> bytes, bool is_last) {
  std::string text = fmt::format("words {}{}, bytes", fmt::join(words, " "), is_last ? ", last" : "");
  std::ranges::sort(bytes);
  for (const Taken& byte : bytes)
    text += fmt::format(" {}.{}:{}{}", byte.pixel, byte.to, byte.address, byte.is_masked ? "m" : "");
  return text;
}

std::string of_rtl(const Agu& part, int lanes, int64_t element_bytes) {
  const auto field = [&](std::string_view name, int64_t idx, int bits) {
    return static_cast<int64_t>(part.port(name).field(idx, bits));
  };
  const int ring_bits = spec::bits_to_count(2 * lanes), count_bits = spec::bits_to_count(lanes + 1);
  std::vector<int64_t> words;
  std::vector<Taken> bytes;
  for (int s = 0; s < spec::kActivationSegments; ++s) {
    const auto first = static_cast<int32_t>(field("act_word_o", 2 * s, 32));
    for (int w = 0; w < 2; ++w) {
      if (field("act_read_o", 2 * s + w, 1) == 0) continue;
      words.push_back(static_cast<int32_t>(field("act_word_o", 2 * s + w, 32)));
      CHECK(words.back() == first + w);
    }
    for (int p = 0; p < spec::kMaxRowPixels; ++p) {
      const int64_t run = p * spec::kActivationSegments + s, length = field("act_length_o", run, count_bits);
      for (int64_t i = 0; i < length; ++i) {
        const int64_t to = field("act_to_o", run, ring_bits) + i;
        bytes.push_back({p, to, int64_t{first} * lanes + field("act_offset_o", run, ring_bits) + i,
                         field("act_mask_o", p * lanes + to / element_bytes, 1) != 0});
      }
    }
  }
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return text_of(words, bytes, part.port("act_last_o").get() != 0);
}

std::string of_sequence(const sequence::ActivationBeat& beat, int64_t element_bytes) {
  std::vector<Taken> bytes;
  for (const sequence::ActivationByte& byte : beat.bytes)
    bytes.push_back({byte.pixel, byte_of_step(byte, element_bytes), byte.address, byte.is_masked});
  return text_of(beat.words, bytes, beat.is_last_of_row);
}

}  // namespace

TEST_CASE("words and runs of a convolution's activations are those of the sequence") {
  for (const int lanes : {8, 16, 32}) {
    Agu part(lanes);
    const spec::Datapath datapath{lanes, 4, 2};
    Random random(static_cast<uint64_t>(lanes));
    const int64_t longest = check_agu_stream(
        part, "act", random, 400,
        [&] {
          while (true) {
            const spec::MacCommand command = draw_array_sequence(datapath, random).back().command;
            if (command.mode == spec::MacMode::Conv) return command;
          }
        },
        [&](const spec::MacCommand& command) {
          return [stream = sequence::ConvStream(command, datapath), beat = sequence::ActivationBeat(),
                  bytes = base::stored_bytes(command.input.type)](std::string& text) mutable {
            if (!stream.next(beat)) return false;
            text = of_sequence(beat, bytes);
            return true;
          };
        },
        [&](const spec::MacCommand& command) { return of_rtl(part, lanes, base::stored_bytes(command.input.type)); }, 40);
    INFO("the longest preparation took " << longest << " cycles");
    CHECK(longest <= 40);
  }
}
