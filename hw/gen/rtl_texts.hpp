// SPDX-License-Identifier: Apache-2.0
// The contract of hw/spec as the RTL sees it: the SystemVerilog package, the page of ports, and the C++ that gives the pins
// of a Verilated block their names.
#pragma once

#include "hw/spec/rtl_ports.hpp"

#include <string>
#include <string_view>

namespace vernier::gen {

/// hw/rtl/npu_spec_pkg.sv.
std::string spec_package();

/// docs/reference/rtl-ports.md.
std::string rtl_ports_page();

/// The binding of `block`, Verilated as class `prefix`: one C++ file for the build, with the function make_<prefix>. Its
/// traces are VCD where `has_waves` is set.
std::string rtl_binding(const spec::RtlBlock& block, std::string_view prefix, bool has_waves);

}  // namespace vernier::gen
