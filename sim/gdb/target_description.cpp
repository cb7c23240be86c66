// SPDX-License-Identifier: Apache-2.0
#include "sim/gdb/target_description.hpp"

#include "hw/spec/control_cpu.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace vernier::gdb {

namespace {

/// Names of the ABI, by number [standard RISC-V ELF psABI 1.0, "Integer Register Convention"].
constexpr std::array<std::string_view, kNumRegisters> kNames{
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "fp", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
    "a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

/// Registers of a row with several of them are counted from here: mhpmcounter3 is the first.
constexpr uint32_t kFirstOfRow = 3;

std::string_view type_of(std::string_view name) {
  if (name == "ra" || name == "pc") return "code_ptr";
  if (name == "sp" || name == "gp" || name == "tp" || name == "fp") return "data_ptr";
  return "int";
}

void add_register(std::string& text, std::string_view name, uint32_t number) {
  text += fmt::format("<reg name=\"{}\" bitsize=\"32\" regnum=\"{}\" type=\"{}\"/>\n", name, number, type_of(name));
}

}  // namespace

std::string target_description() {
  std::string text =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n"
      "<architecture>riscv:rv32</architecture>\n<feature name=\"org.gnu.gdb.riscv.cpu\">\n";
  for (uint32_t number = 0; number < kNumRegisters; ++number) add_register(text, kNames[number], number);
  add_register(text, "pc", kPcNumber);
  text += "</feature>\n<feature name=\"org.gnu.gdb.riscv.csr\">\n";
  for (const spec::CpuCsr& row : spec::kCpuCsrs) {
    for (uint32_t csr = row.first; csr <= row.last; ++csr) {
      const bool is_one = row.first == row.last;
      add_register(text, is_one ? std::string(row.name) : fmt::format("{}{}", row.name, csr - row.first + kFirstOfRow),
                   kFirstCsrNumber + csr);
    }
  }
  return text + "</feature>\n</target>\n";
}

}  // namespace vernier::gdb
