// SPDX-License-Identifier: Apache-2.0
// A difference between RTL and model, as a value: what differs, where and when. Text is made from it last, by print(), and
// nothing reads that text back.
#pragma once

#include <fmt/format.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vernier::cosim {

enum class MismatchKind : uint8_t {
  Value,    // a lane, a mask or a flag of a result
  Edge,     // a result or a handshake in another cycle
  State,    // what an output says about the state of the block
  Order,    // a result where another one is next
  Missing,  // a result that does not come
  Unasked,  // a result that nobody asked for
  Moved,    // an output that has to hold its value
  Follows,  // an output that follows an input inside a cycle
  Reset,    // something is left while rst_ni is low
  Address,  // the words that an address generator asks for
  Lanes,    // the use of rescale and table lanes that two units share
  Depth,    // a pipe of another number of cycles
  Stopped,  // nothing moves any more
};
/// The names of the kinds in reports and in replay files.
inline constexpr std::array<std::string_view, 13> kMismatchKindNames{"value",   "edge",  "state",   "order", "missing",
                                                                     "unasked", "moved", "follows", "reset", "address",
                                                                     "lanes",   "depth", "stopped"};
constexpr std::string_view name_of(MismatchKind kind) { return kMismatchKindNames.at(static_cast<size_t>(kind)); }

/// A value as people read it, and as a number where it is one.
struct Shown {
  Shown() = default;
  // NOLINTBEGIN(google-explicit-constructor): a field of a Mismatch is written as the value itself
  template <std::integral Number>
  Shown(Number value) : text(fmt::to_string(value)), number(static_cast<int64_t>(value)) {}
  Shown(std::string value) : text(std::move(value)) {}
  // NOLINTEND(google-explicit-constructor)
  bool operator==(const Shown&) const = default;
  std::string text;
  std::optional<int64_t> number;
};

struct Mismatch {
  MismatchKind kind = MismatchKind::Value;
  std::string command{};       // of a network: "command 3, layer 'conv'"; empty where a seed drew what runs
  std::string unit{};          // the module, "npu_mac_array"
  std::string part{};          // of the run: "command 2 of its sequence"
  int64_t vector = -1;         // number of the result among those that were compared; -1: it is about none
  int64_t cycle = -1;          // of the block, which waves and replays count too; -1: unknown
  std::string work{};          // what ran: the kind of its operands, or the command in words
  std::string port{};          // of the module
  int lane = -1;               // of the port; -1: the port has none, or all are meant
  Shown expected{}, actual{};  // the values; empty where no value differs
  std::string operands{};      // what the value is made from, and the values in between
  std::string words{};         // what happened, where no value differs
  std::string before{};        // what else differs about the same result, said before the value: its edge
  std::string after{};         // and after it: other ports and lanes

  /// One line without a newline.
  [[nodiscard]] std::string print() const;
  /// Whether a run that shows the other one shows this one too. The numbers of vector and cycle and the names of commands
  /// may differ: a replay starts elsewhere.
  [[nodiscard]] bool same_fault(const Mismatch& other) const;
  bool operator==(const Mismatch&) const = default;

 private:
  [[nodiscard]] bool has_values() const { return !expected.text.empty() || !actual.text.empty(); }
};

/// Appends text to a list that "; " separates.
void append_difference(std::string& list, std::string_view text);
/// A result came in another cycle: `away` says so, and is empty where it did not. It is said before what else differs about
/// the result, or is the mismatch where nothing else does.
void add_edge(std::optional<Mismatch>& mismatch, std::string away);
/// In words; empty where the list is.
/// A line for each of `first`, and one for those that are more of `all`; empty where there is none.
std::string mismatch_lines(const std::vector<Mismatch>& first, int64_t all);
std::string first_text(const std::vector<Mismatch>& mismatches);

// How messages say that something moved in another cycle than it had to.
/// "PORT 2 cycles later than hw/spec says", of a pipe; empty for 0 cycles. A number below 0 is early.
std::string away_from_spec(std::string_view port, int64_t late_cycles);

/// "WHAT 2 cycles later than ideal with 5 stalls", of a unit that ports may have kept waiting for `stall_cycles`; empty
/// where it is neither early nor later than these explain.
std::string away_from_ideal(std::string_view what, int64_t late_cycles, int64_t stall_cycles);

/// What an output does that follows an input inside a cycle: "follows INPUT inside a cycle".
std::string follows_inside_cycle(std::string_view input);

}  // namespace vernier::cosim
