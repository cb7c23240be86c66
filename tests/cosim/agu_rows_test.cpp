// SPDX-License-Identifier: Apache-2.0
// npu_agu_rows: parameters, addends and results of random commands against hw/sequence.
#include "hw/sequence/row_stream.hpp"
#include "sim/cosim/agu.hpp"
#include "sim/cosim/array_vectors.hpp"
#include "tests/cosim/agu_runs.hpp"

using namespace vernier;
using namespace vernier::cosim;

namespace {

/// Addresses of the first bytes, and bytes of each.
std::string text_of(const std::vector<int64_t>& addresses, int64_t bytes) {
  return fmt::format("{} bytes at {}", bytes, fmt::join(addresses, " "));
}

std::string row_of_rtl(const Agu& part, const std::string& stream, int lanes) {
  std::vector<int64_t> addresses;
  const auto pixels = static_cast<int>(part.port(stream + "_pixels_o").get());
  for (int p = 0; p < pixels; ++p)
    addresses.push_back(static_cast<int32_t>(part.port(stream + "_address_o").field(p, spec::kAguAddressBits)));
  const auto bytes = static_cast<int64_t>(part.port(stream + "_bytes_o").field(0, spec::detail::pixel_bytes(lanes)));
  return text_of(addresses, bytes);
}

/// A pixel's bytes follow each other.
std::string of_sequence(const sequence::RowBeat& beat, int64_t element_bytes) {
  std::vector<int64_t> addresses;
  int64_t bytes = 0;
  for (const sequence::RowElement& element : beat.elements) {
    if (element.lane == 0) {
      addresses.push_back(element.address);
      bytes = 0;
    }
    CHECK(element.address == addresses.back() + bytes);
    bytes += element_bytes;
  }
  return text_of(addresses, bytes);
}

auto rows_of(sequence::RowStream stream, int64_t element_bytes) {
  return [stream, element_bytes, beat = sequence::RowBeat()](std::string& text) mutable {
    if (!stream.next(beat)) return false;
    text = of_sequence(beat, element_bytes);
    return true;
  };
}

}  // namespace

TEST_CASE("addresses of parameters, addends and results are those of the sequence") {
  for (const int lanes : {8, 16, 32}) {
    Agu part(lanes);
    const spec::Datapath datapath{lanes, 4, 2};
    Random random(static_cast<uint64_t>(lanes));
    const auto draw = [&] { return draw_array_sequence(datapath, random).back().command; };
    check_agu_stream(
        part, "out", random, 300, draw,
        [&](const spec::MacCommand& m) {
          return rows_of(sequence::RowStream::of_results(m, datapath), base::stored_bytes(m.output.type));
        },
        [&](const spec::MacCommand&) { return row_of_rtl(part, "out", lanes); });
    check_agu_stream(
        part, "add", random, 300, draw,
        [&](const spec::MacCommand& m) {
          return rows_of(sequence::RowStream::of_addends(m, datapath), base::stored_bytes(m.addend.type));
        },
        [&](const spec::MacCommand&) { return row_of_rtl(part, "add", lanes); });
    check_agu_stream(
        part, "prm", random, 300, draw,
        [&](const spec::MacCommand& m) {
          return [stream = sequence::ParameterStream(m, datapath),
                  beat = sequence::ParameterBeat()](std::string& text) mutable {
            if (!stream.next(beat)) return false;
            text = text_of({beat.channels.front().address},
                           static_cast<int64_t>(beat.channels.size()) * spec::kChannelParameterBytes);
            return true;
          };
        },
        [&](const spec::MacCommand&) {
          const auto bytes = part.port("prm_bytes_o").field(0, spec::detail::parameter_bytes(lanes));
          return text_of({static_cast<int32_t>(part.port("prm_address_o").get())}, static_cast<int64_t>(bytes));
        });
  }
}
