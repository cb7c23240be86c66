// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/block/mismatch.hpp"

#include "hw/base/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

namespace vernier::cosim {
namespace {

/// "2 cycles later".
std::string distance(int64_t late_cycles) {
  return fmt::format("{} {}", base::counted(std::abs(late_cycles), "cycle"), late_cycles > 0 ? "later" : "earlier");
}

/// Whether the text says of a port what it does ("scale_valid_o moves while en_i is low"), not what it has.
bool is_sentence(MismatchKind kind) {
  return kind == MismatchKind::Moved || kind == MismatchKind::Follows || kind == MismatchKind::Reset ||
         kind == MismatchKind::Lanes || kind == MismatchKind::Depth;
}

}  // namespace

std::string Mismatch::print() const {
  std::vector<std::string> head;
  const auto add = [&](std::string text) {
    if (!text.empty()) head.push_back(std::move(text));
  };
  add(command);
  add(unit);
  add(part);
  if (vector >= 0) add(fmt::format("vector {}", vector));
  if (cycle >= 0) add(fmt::format("cycle {}", cycle));
  const bool has_work_before = vector >= 0 || port.empty();
  if (has_work_before) add(work);

  const std::string named = lane < 0 ? port : fmt::format("{} lane {}", port, lane);
  std::string body = before;
  if (is_sentence(kind)) {
    append_difference(body, named.empty() ? words : fmt::format("{} {}", named, words));
  } else if (has_values()) {
    append_difference(body, fmt::format("{}: expected {}, actual {}{}", named, expected.text, actual.text,
                                        operands.empty() ? "" : ": " + operands));
  } else if (!words.empty()) {
    append_difference(body, named.empty() ? words : fmt::format("{}: {}", named, words));
  }
  append_difference(body, after);
  if (!has_work_before && !work.empty()) body += (has_values() || is_sentence(kind) ? ": " : "; ") + work;
  if (head.empty()) return body;
  const bool names_port_in_head = !is_sentence(kind) && vector < 0 && !port.empty() && before.empty();
  return fmt::format("{}{} {}", fmt::join(head, ", "), names_port_in_head ? "," : ":", body);
}

bool Mismatch::same_fault(const Mismatch& other) const {
  if (kind != other.kind || port != other.port) return false;
  if (kind == MismatchKind::Order) return true;  // the numbers are those of a run
  if (has_values()) return lane == other.lane && expected == other.expected && actual == other.actual;
  return words == other.words;
}

void append_difference(std::string& list, std::string_view text) {
  if (text.empty()) return;
  if (!list.empty()) list += "; ";
  list += text;
}

void add_edge(std::optional<Mismatch>& mismatch, std::string away) {
  if (away.empty()) return;
  if (!mismatch) {
    mismatch = Mismatch{.kind = MismatchKind::Edge, .words = std::move(away)};
    return;
  }
  append_difference(away, mismatch->before);
  mismatch->before = std::move(away);
}

std::string first_text(const std::vector<Mismatch>& mismatches) {
  return mismatches.empty() ? "" : mismatches.front().print();
}

std::string mismatch_lines(const std::vector<Mismatch>& first, int64_t all) {
  std::string text;
  for (const Mismatch& mismatch : first) text += fmt::format("mismatch: {}\n", mismatch.print());
  if (all > std::ssize(first)) text += fmt::format("and {} more\n", base::with_thousands(all - std::ssize(first)));
  return text;
}

std::string away_from_spec(std::string_view port, int64_t late_cycles) {
  return late_cycles == 0 ? "" : fmt::format("{} {} than hw/spec says", port, distance(late_cycles));
}

std::string away_from_ideal(std::string_view what, int64_t late_cycles, int64_t stall_cycles) {
  if (late_cycles >= 0 && late_cycles <= stall_cycles) return "";
  const bool is_told = late_cycles > 0 && stall_cycles > 0;
  return fmt::format("{} {} than ideal{}", what, distance(late_cycles),
                     is_told ? fmt::format(" with {} stalls", stall_cycles) : "");
}

std::string follows_inside_cycle(std::string_view input) { return fmt::format("follows {} inside a cycle", input); }

}  // namespace vernier::cosim
