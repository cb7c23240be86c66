// SPDX-License-Identifier: Apache-2.0
#include "hw/package/legend.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace vernier::package {
namespace {

struct Entry {
  std::string_view unit;  // empty: of every command
  std::string_view text;
};

constexpr std::array<Entry, 14> kEntries{{
    {"",
     "command, its byte in the stream, [its layer], its unit; q= its queue; wait= a token from each of these queues before "
     "it "
     "starts; signal= a token to each of them when it ends; queue_limit= most that wait in that queue; hexadecimal numbers "
     "are bytes in memory, pitches and strides "
     "count "
     "bytes"},
    {"dma",
     "dma copy, fill, table_fill, gather, scatter or transpose: counts= of five loops around a run of run_bytes=; src= and "
     "dst= memory:byte, src_strides= and dst_strides= one for each loop"},
    {"dma",
     "dma fill: value= of each element of fill_bytes=; gather and scatter: indices= where the list lies, limit= number of "
     "positions; table_fill: slot= of the table unit, type= of its entries"},
    {"mac",
     "mac conv or depthwise: k= kernel; out_shape= and in_shape= rows x columns x channels; stride=, dilation= and origin= "
     "(of the first window) row,column"},
    {"mac",
     "mac reduction= from..to: the part of kernel positions x input channels that is summed; first: the sums begin at zero; "
     "last: they are written; split= pixels that share the lanes; tile= rows of accumulators; slide_rows: depthwise windows "
     "move along rows; acc48: sums of 48 bits"},
    {"mac",
     "mac in=, addend= and out= byte:type, *_pitch= to the next row,pixel,block of channels, in_zp= zero point; weights= "
     "byte:type, order= of their bytes, weight_pitch= from block to block, weight_zp= zero point"},
    {"mac",
     "mac parameters= where bias, multiplier and shift of each channel lie; rescale= bits of the multiplier:rounding, "
     "out_zp= "
     "zero point, clamp= from..to; table= slot that results go through"},
    {"mac",
     "mac with addend: own= and other= multiplier>>shift, each followed by its zp= zero point; sum= multiplier>>shift of "
     "what "
     "is added, zp= and sum_clamp= of the result"},
    {"vec",
     "vec counts= of five loops around lanes=; kept= outer loops that have results of their own, the inner ones are "
     "reduced; "
     "lanes_reduced: lanes are reduced too; steps= of the program; interval= cycles from vector to vector; rotating= of the "
     "registers, those that turn from vector to vector"},
    {"vec", "vec streamN= byte:type of an operand, lane_stride= from lane to lane, strides= one for each loop"},
    {"vec",
     "vec steps: init before, body in, final after the reduced loops; @ the cycle of its vector in which it starts; "
     "operation, target register, operands; #n is a constant"},
    {"vec",
     "vec load: stream - zero point << shift; rescale: multiplier >> shift, scale= bits:rounding, zp= added; as: the type "
     "that "
     "results have; table: slot="},
    {"end", "end waits for all units and stops the stream"},
    {"", "disasm --layer NAME or number, --unit dma, mac or vec: only these"},
}};

}  // namespace

std::string legend(const std::set<std::string>& units) {
  std::string text;
  for (const Entry& entry : kEntries) {
    if (entry.unit.empty() || units.contains(std::string(entry.unit))) text += fmt::format("# {}\n", entry.text);
  }
  return text;
}

}  // namespace vernier::package
