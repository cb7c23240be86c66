// SPDX-License-Identifier: Apache-2.0
// The parts of the text report, in its order; text.cpp puts them together.
#pragma once

#include "sim/report/layer_names.hpp"
#include "sim/report/page.hpp"
#include "sim/report/report.hpp"

#include <string>

namespace vernier::report {

/// A line a layer, then what the columns mean.
void put_layers(Page& page, const Report& report, const ShortNames& names);
/// A line a unit: busy, stalls, idle.
void put_units(Page& page, const Report& report);
/// A line a port: bytes, average and peak rate, limit.
void put_memories(Page& page, const Report& report, const ShortNames& names);
/// A line a layer, the costliest first, each with what it is bound by.
void put_costliest(Page& page, const Report& report, const ShortNames& names);
/// Cycles, time, MACs; the first inference; what occupies the memories.
void put_totals(Page& page, const Report& report);
/// What was compared with the reference, over which inputs.
void put_check(Page& page, const Report& report);
/// How good the outputs of many samples are, and a line a tensor that was compared with floats.
void put_accuracy(Page& page, const Accuracy& accuracy, bool lists_all);
/// The same as the end of a line that says what the run came to.
std::string accuracy_summary(const Accuracy& accuracy);
/// Whether RTL agrees with the model, and which of its commands were slowest.
void put_rtl(Page& page, const RtlUse& rtl);
/// The same as the end of a line that says what the run came to.
std::string rtl_summary(const RtlUse& rtl);
/// Notes, warnings, approximations, folded tensors, host time.
void put_remarks(Page& page, const Report& report, const TextStyle& style);

/// "1.234 ms"
std::string seconds_text(double seconds);
/// "1,234 fps", below a hundred with three digits.
std::string frames_text(double frames_per_second);
/// "12.3 %"
std::string percent_text(double percent);

}  // namespace vernier::report
