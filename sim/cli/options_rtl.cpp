// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/options_rtl.hpp"

#include <CLI/CLI.hpp>

namespace vernier::cli {

void add_rtl_options(CLI::App& sub, flow::RtlChoice& choice, const std::string& with) {
  sub.add_option("--rtl", choice.folder,
                 with +
                     "a folder with SystemVerilog of npu_rescale_unit, npu_table_unit, npu_mac_array, npu_datapath, "
                     "npu_vector_unit or npu_core, "
                     "which takes the place of ours; built with Verilator");
  sub.add_flag("--wave-memories", choice.wave_memories,
               with + "waves have the contents of the RTL's memories too; Verilator builds the RTL for that");
  sub.add_flag("--strict-cycles", choice.strict_cycles, "with --rtl: its cycles have to be those of hw/spec too");
}

void add_rtl_memory_option(CLI::App& sub, flow::RtlChoice& choice, const std::string& with) {
  sub.add_option(
      "--rtl-memory", choice.memory,
      with +
          "where the streams of a network's commands come from: ideal (default), memories that never keep one "
          "waiting; unlimited, addresses of npu_agu and an SRAM without limits; banked, with its banks and ports");
}

void add_rtl_scope_option(CLI::App& sub, flow::RtlChoice& choice, const std::string& with) {
  sub.add_option("--rtl-scope", choice.scope,
                 with +
                     "what runs on RTL: command (default), each command by itself; core, all commands together on the core "
                     "with its SRAM, array and vector unit at once");
}

}  // namespace vernier::cli
