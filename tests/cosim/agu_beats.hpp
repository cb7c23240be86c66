// SPDX-License-Identifier: Apache-2.0
// The beats of the streams of npu_agu in words: those that hw/sequence has of a command, and the one that stands at the
// ports.
#pragma once

#include "hw/sequence/vector_beats.hpp"
#include "sim/cosim/memory/agu.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace vernier::cosim {

enum class AguStream : uint8_t { Weights, Activations, Parameters, Addends, Results, Loads, Stores };
/// The names of a stream's ports begin with its name.
inline constexpr std::array<std::string_view, 7> kAguStreamNames{"wgt", "act", "prm", "add", "out", "ld", "st"};
constexpr std::string_view name_of(AguStream stream) { return kAguStreamNames[static_cast<size_t>(stream)]; }

/// A beat of loads or of stores in words.
std::string text_of(const sequence::VectorBeat& beat);

/// Puts the next beat into words; false after the last one.
using AguBeats = std::function<bool(std::string& text)>;

/// Those of a stream by hw/sequence: words, pieces, runs, registers, addresses, all that the ports say.
AguBeats beats_of(AguStream stream, const spec::MacCommand& command, const spec::Datapath& datapath);
AguBeats beats_of(AguStream stream, const spec::VectorCommand& command, const spec::Datapath& datapath);

class AguPorts {
 public:
  explicit AguPorts(const Agu& part);
  /// The beat that stands at the ports of a stream, which is one of `command`.
  [[nodiscard]] std::string beat(AguStream stream, const spec::MacCommand& command) const;
  [[nodiscard]] std::string beat(AguStream stream, const spec::VectorCommand& command) const;

 private:
  struct Row {
    Port pixels, address, bytes;
  };
  struct Elements {
    Port step, part, address, stride, count, second_address, second_count;
  };
  [[nodiscard]] Row row_of(std::string_view name) const;
  [[nodiscard]] Elements elements_of(std::string_view name) const;
  [[nodiscard]] std::string weights(const spec::MacCommand& command) const;
  [[nodiscard]] std::string segments(const spec::MacCommand& command) const;
  [[nodiscard]] std::string windows() const;
  [[nodiscard]] std::string row(const Row& ports) const;

  const Agu& part_;
  int lanes_;
  Port wgt_read_, wgt_word_, wgt_row_valid_, wgt_address_, wgt_length_, wgt_to_, wgt_row_, wgt_byte_, wgt_last_;
  Port act_read_, act_word_, act_offset_, act_length_, act_to_, act_mask_, act_last_;
  Port win_offset_, win_length_, win_to_, win_pixel_, win_register_, win_element_;
  Port prm_address_, prm_bytes_;
  Row addends_, results_;
  Elements loads_, stores_;
};

}  // namespace vernier::cosim
