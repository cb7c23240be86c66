// SPDX-License-Identifier: Apache-2.0
#include "sim/report/approximations.hpp"

namespace vernier::report {

// docs/decisions/0004-timing-approximations.md gives the reason of each entry and the test that holds it.
std::vector<std::pair<std::string, std::string>> approximations() {
  return {
      {"cycles not yet checked against RTL",
       "unknown until there is RTL; from below every command is bounded by its MAC steps, its words per port and its bytes "
       "per bandwidth"},
      {"SRAM of any size (64 MiB in most presets) answers in 2 cycles",
       "no silicon has it: the figures show the datapath alone; read them beside sram_bytes and the port widths"},
      {"words of different streams of one command that meet in a bank cost nothing (array: activations, weights, residual "
       "operand, results; vector unit: loads against stores; DMA: source against destination)",
       "too few cycles, at most one for each word of the lesser stream; conflicts inside one stream are counted exactly"},
      {"words of different commands that meet in a bank cost nothing; only the ports are shared",
       "too few cycles, at most one for each word of the lesser of two commands in flight together"},
      {"the demand of a command is spread evenly over its cycles when ports and lanes are shared",
       "either way; a burst of demand inside a command can be served up to one command earlier or later than in hardware"},
      {"the words of a residual operand's row never conflict with each other",
       "too few cycles, at most the words of a row less one for each accumulator row"},
      {"the first rows of a command's epilogue never wait for its channel parameters",
       "too few cycles, at most SRAM latency and the words of one channel tile's parameters over the read port a command"},
      {"depthwise positions in padding, and pixels that fill up a last group, cost as if read",
       "too many cycles, at most the share of such positions in the command"},
      {"a depthwise window is refilled from its start in each row tile of 64 rows",
       "too many cycles, at most the window's words less those of one slide for each row tile"},
      {"registers of the vector unit have as many ports as a cycle's steps ask for",
       "too few cycles for programs whose steps of one cycle read one register bank; at most the steps of a vector"},
      {"external memory has one latency and one bandwidth: no refresh, no open rows",
       "too few cycles; refresh takes 3 to 5 % of a DDR memory's time, row misses depend on the part"},
      {"the bursts of a DMA command are one stream in order; latency is paid once a command",
       "either way; at most latency_cycles a command"},
      {"the command processor does not fetch ahead while a queue is full",
       "too many cycles, at most the fetch of one command each time a full queue gets room"},
      {"there is no control CPU yet: starting a job and its interrupt take no time", "too few cycles, some hundreds a job"},
  };
}

}  // namespace vernier::report
