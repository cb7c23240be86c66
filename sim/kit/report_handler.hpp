// SPDX-License-Identifier: Apache-2.0
// SystemC's own messages: what it calls a warning or an error is a mistake of ours.
#pragma once

namespace vernier::kit {

/// From here on SystemC throws InternalError instead of printing. It says nothing when a simulation has nothing to do.
void install_report_handler();

}  // namespace vernier::kit
