// SPDX-License-Identifier: Apache-2.0
// A report for the tests of its writers: no run, but every number in it is another one, so that a field that is written in
// the place of its neighbour shows.
#pragma once

#include "sim/report/report.hpp"

namespace vernier::report {

/// Of memory mode `external`: what a run that went well has, with notes, warnings and folded tensors.
Report sample_report();
/// An estimate of memory mode `sram`, which leaves external memory alone.
Report sample_sram();
/// The first one with a first difference.
Report sample_mismatch();
/// What backend `rtl` reports: RTL that agrees, and RTL that does not.
Report sample_rtl();
Report sample_rtl_mismatch();
/// The same of all commands together on the core with its memory.
Report sample_core();
Report sample_core_mismatch();
/// What backend `reference` reports.
Report sample_reference();

}  // namespace vernier::report
