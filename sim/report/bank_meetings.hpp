// SPDX-License-Identifier: Apache-2.0
// How many cycles commands in flight together can cost each other by wanting the same SRAM bank, at most.
//
// A bank serves one word a cycle, so that in a cycle in which several commands want words, all of them come within as many
// cycles more as there are words besides those of the command that wants most. Let the commands have any order. A command
// is then charged its words, but no more than the words of the commands before it in that order that are in flight with it:
// of two commands that is the lesser one's, and of more it is never too little, whichever wants most in a cycle. Cycles are
// not looked at: a delay may move words against each other.
#pragma once

#include <cstdint>
#include <vector>

namespace vernier::report {

/// What a command, or the fetch of one, takes over the SRAM ports.
struct BankUse {
  int64_t start_cycle = 0, end_cycle = 0;  // in flight from start to end (exclusive)
  int64_t words = 0;
  int64_t drain_words = 0;  // of them, those that the next command of the same unit may meet
};

struct BankMeetings {
  int64_t cycles = 0;        // at most
  bool is_together = false;  // two were in flight at once, with words or not
};

/// `units`: one list for each unit, in the order in which units are served; each list by ascending start and end.
BankMeetings bank_meetings(const std::vector<std::vector<BankUse>>& units);

}  // namespace vernier::report
