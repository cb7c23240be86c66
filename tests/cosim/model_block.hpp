// SPDX-License-Identifier: Apache-2.0
// Blocks written in C++ with the pins of hw/spec/rtl_ports.hpp, for tests of the harness: right ones, and ones with a fault
// that it has to see. Values are taken from the pins by code of their own.
#pragma once

#include "sim/cosim/block/rtl_block.hpp"

#include <memory>
#include <string_view>

namespace vernier::cosim {

enum class Flaw {
  None,
  Zeros,          // every result is 0
  Late,           // every result a cycle later
  Early,          // every result a cycle earlier
  NoResult,       // no result ever
  NoHold,         // results go on while en_i is low
  FollowsEn,      // valid follows en_i inside a cycle
  SurvivesReset,  // what is in flight comes out after a reset
  SyncReset,      // a reset waits for an edge
  KeepsSlot0,     // slot 0 stays full over a reset (table unit)
  KeepsSlot1,     // slot 1 does
  HidesSlot0,     // slot 0 stays full over a reset, and looks empty while rst_ni is low (table unit)
  WrongTag,       // the tag of one beat in 100
  NotReady,       // no word of a table is ever taken (table unit)
};

std::unique_ptr<RtlBlock> make_model_block(std::string_view name, int lanes, Flaw flaw);

}  // namespace vernier::cosim
