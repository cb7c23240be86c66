// SPDX-License-Identifier: Apache-2.0
#include "sim/kit/report_handler.hpp"

#include "hw/base/error.hpp"

#include <systemc>

#include <string_view>

namespace vernier::kit {

namespace {
void handle_report(const sc_core::sc_report& report, const sc_core::sc_actions&) {
  if (report.get_severity() == sc_core::SC_INFO) return;
  if (std::string_view(report.get_msg_type()) == sc_core::SC_ID_NO_SC_START_ACTIVITY_) return;
  base::throw_internal_error(report.get_file_name(), report.get_line_number(), report.get_msg_type(), report.get_msg());
}
}  // namespace

void install_report_handler() { sc_core::sc_report_handler::set_handler(handle_report); }

}  // namespace vernier::kit
