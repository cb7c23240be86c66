// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/run/cpu_trace.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using Kind = riscv::Executed::Kind;

namespace {

const soc::FirmwareProgram kProgram{"abc", {}, {{0x10010000, 8, "_start"}, {0x10010008, 0, "main"}}};

std::string line_of(const riscv::Executed& executed) { return flow::cpu_trace_line(executed, kProgram); }

}  // namespace

TEST_CASE("CPU trace: columns of a line") {
  CHECK(line_of({.cycle = 0, .pc = 0x10010000, .word = 0x00020117, .num_bytes = 4, .rd = 2, .value = 0x10030000}) ==
        "        0 10010000 00020117 auipc sp, 0x20                    sp=10030000    _start");
  CHECK(line_of({.cycle = 123456789, .pc = 0x10010004, .word = 0x8082, .num_bytes = 2}) ==
        "123456789 10010004     8082 jalr zero, 0(ra)                                 _start+0x4");
  CHECK(line_of({.kind = Kind::Trapped, .cycle = 7, .pc = 0x1001000A, .word = 0x0000, .num_bytes = 2, .cause = 2}) ==
        "        7 1001000a     0000 illegal                           trap 2         main+0x2");
  CHECK(line_of({.kind = Kind::Interruption, .cycle = 7, .pc = 0x10010008, .cause = 11}) ==
        "        7 10010008        -                                   interrupt 11   main");
  CHECK(line_of({.kind = Kind::NotFetched, .cycle = 7, .pc = 0, .cause = 1}) ==
        "        7 00000000        -                                   trap 1");
}

TEST_CASE("CPU trace: a head, a mark for each job, and all of the text arrives") {
  std::string text;
  flow::CpuTrace trace([&](const std::string& piece) { text += piece; }, kProgram, "f.elf");
  trace.begin_job();
  const riscv::Executed nop{.pc = 0x10010000, .word = 1, .num_bytes = 2};
  for (int i = 0; i < 50'000; ++i) trace.take(nop);
  CHECK(!text.empty());  // long before its end
  trace.begin_job();
  trace.take(nop);
  trace.finish();
  CHECK(text.starts_with(
      "# control CPU: cycle, address, instruction, text, change, function\n# firmware f.elf, sha256 abc\n# job 1\n"));
  CHECK(text.ends_with("# job 2\n" + line_of(nop) + "\n"));
  CHECK(text.size() == 50'001 * (line_of(nop).size() + 1) + text.find("        0") + 8);
}
