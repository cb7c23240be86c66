// SPDX-License-Identifier: Apache-2.0
#include "sim/report/approximations.hpp"

namespace vernier::report {

// docs/decisions/0004-timing-approximations.md gives the reason of each entry; a test
// compares the two lists.
std::vector<std::pair<std::string, std::string>> approximations() {
  return {
      {"cycles not yet checked against RTL",
       "unknown until there is RTL; from below every command is bounded by its MAC steps, its words per port and "
       "its bytes per bandwidth"},
      {"SRAM of any size answers in 2 cycles",
       "a single-cycle-class SRAM of 64 MiB, as in most presets, is no silicon: such figures show the datapath "
       "alone; read them beside sram_bytes and the port widths"},
      {"streams of one command do not collide in banks",
       "too few cycles, at most one for each word of the lesser stream (array: activations, weights, residual "
       "operand, results; vector unit: loads, stores; DMA: source, destination); conflicts inside one stream are "
       "counted exactly"},
      {"commands in flight together do not collide in banks",
       "too few cycles, at most one for each word of the lesser of two commands; the ports that they share are "
       "counted"},
      {"a command's demand is spread evenly over its phase",
       "either way, less than the length of the phase (the array writes evenly behind its first row tile); totals of "
       "words and bytes are exact"},
      {"words of a residual operand's row do not collide",
       "too few cycles, at most the words of a row less one for each accumulator row"},
      {"the first drain does not wait for channel parameters",
       "too few cycles, at most the SRAM latency and one channel tile's parameter words over the read port a command"},
      {"padding of a convolution costs as if read",
       "too many cycles, at most the share of padding and of pixels that fill up a last group in the command's "
       "positions; depthwise windows do not fetch padding"},
      {"words fetched ahead for another depthwise window do not collide",
       "too few cycles, at most one for each word that is fetched ahead for a next step or channel tile"},
      {"vector registers have a port for each step", "too few cycles, at most the steps of a vector a vector"},
      {"external memory has no refresh and no open rows",
       "too few cycles; refresh takes 3 to 5 % of a DDR memory's time, row misses depend on the part"},
      {"latency is paid once a DMA command", "either way, at most latency_cycles a command"},
      {"no fetching ahead while a queue is full",
       "too many cycles, at most the fetch of one command each time that a full queue gets room"},
      {"starting a job takes no time", "too few cycles, some hundreds a job: there is no control CPU yet"},
  };
}

}  // namespace vernier::report
