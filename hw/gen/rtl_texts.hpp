// SPDX-License-Identifier: Apache-2.0
// The contract of hw/spec as the RTL sees it: the SystemVerilog package, the page of ports, and the C++ that gives the pins
// of a Verilated block their names.
#pragma once

#include "hw/spec/core_sram_ports.hpp"
#include "hw/spec/rtl_ports.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace vernier::gen {

/// hw/rtl/npu_spec_pkg.sv.
std::string spec_package();

/// hw/rtl/npu_agu_pkg.sv: the fields of commands as the address generators get them.
std::string agu_package();

/// docs/reference/rtl-ports.md.
std::string rtl_ports_page();

/// How a block is Verilated. Plain: can write waves (VCD). Held: so, with its inputs in the registers of rtl_holder().
/// Check: with its assertions.
enum class BindingVariant : uint8_t { Plain, Held, Check };

/// The binding of `block`, Verilated as class `prefix`: one C++ file for the build, with the function make_<prefix>.
std::string rtl_binding(const spec::RtlBlock& block, std::string_view prefix, BindingVariant variant);

/// SystemVerilog for the build: module <block>_held, the block of `lanes` lanes with a register before each of its inputs
/// but clk_i and rst_ni, which takes what stands on the pin at each edge of load_i. To Verilator they are registers as all
/// others are: logic behind inputs runs once for an edge of clk_i that comes with one of load_i, not before it and after it.
std::string rtl_holder(const spec::RtlBlock& block, int lanes);

}  // namespace vernier::gen
