// SPDX-License-Identifier: Apache-2.0
// Commands through npu_agu one after the other, each offered as soon as the one before is taken: so one stream may have gone
// on to a command while another one is at the command before. Each beat of each stream is compared with hw/sequence.
#pragma once

#include "sim/cosim/stimulus/random.hpp"
#include "tests/cosim/agu_beats.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vernier::cosim {

/// A convolution, no slice of one, with a kernel of up to 12 x 12 taps, sometimes far from each other. Pixels and lines of
/// its input are no bytes away from each other, a few, about as many as segments reach, many, or lie backwards where no taps
/// lie between them. Only its addresses are meant: no memory has all of them.
spec::MacCommand draw_convolution_at_distances(const spec::Datapath& datapath, Random& random);

class AguCommands {
 public:
  /// `part` outlives it.
  AguCommands(Agu& part, const spec::Datapath& datapath);
  /// The next one for the array, or for the vector unit.
  void add(const spec::MacCommand& command) { mac_.waiting.push_back(command); }
  void add(const spec::VectorCommand& command) { vec_.waiting.push_back(command); }

  /// When each stream takes its beats: always, never, or at random, each as often as it has drawn when the run begins.
  enum class Pace : uint8_t { Always, Never, Random };
  /// Until all beats are gone, and a few cycles more, in which none may come; or for so many cycles. What differed first:
  /// empty, nothing.
  std::string run(Pace pace, Random& random, int64_t most_cycles = INT64_MAX);
  /// A reset, after which there is no command.
  void reset();

  /// The cycle of the run in which a beat was taken, of each beat.
  using Taken = std::vector<std::pair<int64_t, AguStream>>;
  [[nodiscard]] const Taken& taken() const { return taken_; }
  /// Commands that are not taken yet.
  [[nodiscard]] size_t num_waiting() const { return mac_.waiting.size() + vec_.waiting.size(); }
  /// Commands that were taken before all beats of the one before them, on the same unit, were gone.
  [[nodiscard]] int64_t num_overlapping() const { return num_overlapping_; }

 private:
  /// Beats of a command that is taken.
  struct Expected {
    AguBeats beats;
    std::function<std::string()> actual;
  };
  struct Stream {
    AguStream stream;
    Port valid, ready;
    std::deque<Expected> commands;
    std::optional<std::string> next;  // beat of the first of them that has one
    bool is_seen = false;             // a beat stands there and was not taken
    int64_t percent = 100;
    void find_next();
  };
  template <typename Command>
  struct Source {
    Port command, valid, ready;
    std::deque<Command> waiting;
    size_t first_stream, last_stream;
  };
  template <typename Command>
  bool offer(Source<Command>& source);
  template <typename Command>
  void take(Source<Command>& source);
  std::string see(Stream& stream, bool is_ready);
  [[nodiscard]] bool is_over() const;

  Agu& part_;
  AguPorts ports_;
  spec::Datapath datapath_;
  std::vector<Stream> streams_;
  Source<spec::MacCommand> mac_;
  Source<spec::VectorCommand> vec_;
  Taken taken_;
  int64_t num_overlapping_ = 0;
  int64_t cycle_ = 0;
};

/// Random commands for both units, one after the other, at random paces. What differed first: empty, nothing.
std::string commands_difference(AguCommands& commands, const spec::Datapath& datapath, Random& random);

/// `part` is reset in the middle of commands; those that follow then have the beats of the sequence, in the cycles in which
/// `fresh`, a part that has seen no command yet, has them. What differed first: empty, nothing.
std::string reset_difference(Agu& part, Agu& fresh, const spec::Datapath& datapath, Random& random);

}  // namespace vernier::cosim
