// SPDX-License-Identifier: Apache-2.0
// How many instructions per second of processor time the control CPU executes on this computer, the interpreter alone and
// inside the machine, with its clock and its memories: bench_cpu_rate [INSTRUCTIONS], in millions. The program is a checksum
// over 4 KiB, whose loop has loads, stores, shifts, branches and a call.
#include "sim/kit/simulation_context.hpp"
#include "sim/riscv/cpu.hpp"
#include "sim/soc/control_system.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <span>

namespace {

using namespace vernier;

class Ram : public riscv::Bus {
 public:
  explicit Ram(const auto& program) { std::memcpy(bytes_.data(), program.data(), sizeof(program)); }
  riscv::BusReply fetch(uint32_t address, uint32_t num_bytes) override { return load(address, num_bytes); }
  riscv::BusReply load(uint32_t address, uint32_t num_bytes) override {
    if (address > bytes_.size() - num_bytes) return {.is_fault = true};
    riscv::BusReply reply;
    std::memcpy(&reply.value, &bytes_[address], num_bytes);
    return reply;
  }
  riscv::BusReply store(uint32_t address, uint32_t num_bytes, uint32_t value) override {
    if (address > bytes_.size() - num_bytes) return {.is_fault = true};
    std::memcpy(&bytes_[address], &value, num_bytes);
    return {};
  }

 private:
  std::array<uint8_t, 16384> bytes_{};
};

// x5: place, x6: end, x7: sum, x28: byte, x29: number of the round.
constexpr std::array<uint32_t, 18> kProgram{
    0x000012B7,  //  0 outer: lui x5, 1
    0x00002337,  //  4 lui x6, 2
    0x001E8E93,  //  8 addi x29, x29, 1
    0x018000EF,  // 12 inner: jal x1, step
    0x00128293,  // 16 addi x5, x5, 1
    0xFE62ECE3,  // 20 bltu x5, x6, inner
    0x00000013,  // 24 nop
    0xFE5FF06F,  // 28 j outer
    0x00000013,  // 32
    0x0002CE03,  // 36 step: lbu x28, 0(x5)
    0x01C3C3B3,  // 40 xor x7, x7, x28
    0x00139E13,  // 44 slli x28, x7, 1
    0x0003D463,  // 48 bge x7, x0, +8
    0x01DE4E33,  // 52 xor x28, x28, x29
    0x000E0393,  // 56 mv x7, x28
    0x00728023,  // 60 sb x7, 0(x5)
    0x00008067,  // 64 ret
    0x00000013,  // 68
};

constexpr uint32_t kTrapCause = 0x342;

void print_rate(const char* what, const riscv::Cpu& cpu, std::clock_t start) {
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  fmt::print("control CPU, {}: {:.1f} million instructions per second of processor time, {:.2f} cycles per instruction\n",
             what, static_cast<double>(cpu.retired()) / seconds / 1e6,
             static_cast<double>(cpu.cycles()) / static_cast<double>(cpu.retired()));
}

/// Whether the program ran without a trap, which it never makes.
bool run_alone(int64_t num_instructions) {
  Ram ram(kProgram);
  riscv::Cpu cpu(ram);
  cpu.reset(0);
  const std::clock_t start = std::clock();
  while (cpu.retired() < num_instructions) cpu.run(cpu.cycles() + 100'000);
  print_rate("alone", cpu, start);
  return cpu.csr(kTrapCause) == 0U;
}

bool run_in_machine(int64_t num_instructions) {
  constexpr int64_t kStepCycles = 1 << 20;
  const config::MachineConfig config = config::preset_config("v256", "bench");
  const kit::SimulationContext context;
  kit::JobClock npu_clock, clock;
  units::KernelDatapath datapath(config);
  soc::NpuTop npu("npu", npu_clock, config, datapath);
  soc::ControlSystem system("control", clock, config, npu);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  npu.reset();
  system.reset();
  std::array<uint32_t, kProgram.size()> program = kProgram;
  const uint32_t ram_page = spec::cpu_window_base(spec::CpuWindowId::Ram) >> 12;
  for (const uint32_t i : {0U, 1U}) program.at(i) = (program.at(i) & 0xFFF) | (ram_page + i) << 12;  // lui x5, lui x6
  system.firmware.write(0, std::as_bytes(std::span(program)));
  clock.begin();
  system.cpu.begin();
  const riscv::Cpu& cpu = system.cpu.state();
  const std::clock_t start = std::clock();
  while (cpu.retired() < num_instructions) {
    system.cpu.limit(sc_core::sc_time_stamp() + kit::to_time(kStepCycles));
    sc_core::sc_start(kit::to_time(kStepCycles), sc_core::SC_RUN_TO_TIME);
  }
  print_rate("in the machine", cpu, start);
  return cpu.csr(kTrapCause) == 0U;
}

}  // namespace

extern "C" int sc_main(int argc, char** argv) {
  const int64_t num_instructions = (argc > 1 ? std::atoll(argv[1]) : 100) * 1'000'000;
  return run_alone(num_instructions) && run_in_machine(num_instructions) ? 0 : 1;
}
