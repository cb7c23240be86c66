// SPDX-License-Identifier: Apache-2.0
// The files of page/ as texts: the build embeds them (CMakeLists.txt).
#pragma once

#include <string_view>

namespace vernier::report {

extern const std::string_view kPageTemplate;   // has @TITLE@, @STYLE@, @DATA@ and @SCRIPT@ once each
extern const std::string_view kPageStyle;      // CSS
extern const std::string_view kReportScript;   // JavaScript of the page of a run
extern const std::string_view kCompareScript;  // and of the page of a comparison

}  // namespace vernier::report
