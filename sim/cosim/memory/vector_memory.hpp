// SPDX-License-Identifier: Apache-2.0
// The streams of the vector unit from npu_agu and an SRAM: addresses of each beat compared with hw/sequence, words served by
// banks and ports. The two beats of an int48 element are words once.
#pragma once

#include "hw/sequence/vector_beats.hpp"
#include "hw/spec/stream_buffers.hpp"
#include "sim/cosim/memory/agu_memory.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string_view>

namespace vernier::cosim {

/// cycles() ends when another command could follow, or when the last store is in memory.
class VectorMemory : public AguMemory {
 public:
  /// `block` has the ports of npu_vector_unit; the other arguments are AguMemory's.
  VectorMemory(ClockedBlock& block, const spec::Datapath& datapath, bool has_limits,
               std::unique_ptr<RtlBlock> agu = nullptr);
  /// The next command that the unit takes is this one. npu_agu gets it kIssueCycles earlier.
  void prepare(const spec::VectorCommand& command);
  Seen see() override;

 private:
  static constexpr std::array<Stream, 1> kLoads{{{"ld", spec::kLoadBufferBeats}}};  // at the port of weights
  static constexpr Stream kStores{"st", spec::kStoreBufferBeats};
  /// What the generator says of a beat.
  struct BeatPorts {
    Port step, part, address, stride, count, second_address, second_count;
  };
  Words compared_words(size_t stream) override;
  Words compared_result_words() override;
  bool has_beats_left() override;
  void serve() override;
  [[nodiscard]] BeatPorts ports_of(std::string_view name) const;
  [[nodiscard]] static sequence::VectorBeat beat_at(const BeatPorts& ports);
  [[nodiscard]] Words words_of(const sequence::VectorBeat& beat, bool is_load) const;
  void compare(std::string_view name, const sequence::VectorBeat& actual, sequence::VectorBeats& beats);

  BeatPorts load_ports_, store_ports_;
  Port cmd_ready_;

  // The command.
  spec::VectorCommand command_;
  std::optional<sequence::VectorBeats> load_beats_, store_beats_;
  bool is_over_ = false;
};

}  // namespace vernier::cosim
