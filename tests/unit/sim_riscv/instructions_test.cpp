// SPDX-License-Identifier: Apache-2.0
// Each instruction with operands whose results are worked by hand from RISC-V unprivileged 20191213.
#include "tests/unit/sim_riscv/encode.hpp"
#include "tests/unit/sim_riscv/machine.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::tests::rv;
using riscv::Step;

namespace {

constexpr uint32_t kMin = 0x8000'0000, kMax = 0x7FFF'FFFF, kOnes = 0xFFFF'FFFF;

/// What x7 holds after `word`, which reads x5 and x6.
uint32_t x7_after(uint32_t word, uint32_t x5, uint32_t x6) {
  Machine machine;
  machine.cpu.set_reg(5, x5);
  machine.cpu.set_reg(6, x6);
  REQUIRE(machine.execute(word) == Step::Retired);
  CHECK(machine.cpu.pc() == 0x104);
  CHECK(machine.cpu.reg(5) == x5);
  CHECK(machine.cpu.reg(6) == x6);
  return machine.cpu.reg(7);
}

struct Case {
  const char* name;
  uint32_t funct7, funct3, a, b, result;
};

}  // namespace

TEST_CASE("operations on two registers") {
  const Case cases[] = {
      {"add", 0, 0, 3, 4, 7},
      {"add", 0, 0, kOnes, 1, 0},
      {"add", 0, 0, kMax, 1, kMin},
      {"sub", 32, 0, 3, 4, kOnes},
      {"sub", 32, 0, kMin, 1, kMax},
      {"sub", 32, 0, 0, kMin, kMin},
      {"sll", 0, 1, 1, 31, kMin},
      {"sll", 0, 1, 0x12345678, 4, 0x23456780},
      {"sll", 0, 1, 3, 32, 3},
      {"sll", 0, 1, 3, 0xFFFFFFE1, 6},
      {"slt", 0, 2, kOnes, 0, 1},
      {"slt", 0, 2, kMax, kMin, 0},
      {"slt", 0, 2, kMin, kMax, 1},
      {"slt", 0, 2, 5, 5, 0},
      {"sltu", 0, 3, kOnes, 0, 0},
      {"sltu", 0, 3, 0, kOnes, 1},
      {"sltu", 0, 3, 5, 5, 0},
      {"xor", 0, 4, 0xFF00FF00, 0x0FF00FF0, 0xF0F0F0F0},
      {"srl", 0, 5, kMin, 31, 1},
      {"srl", 0, 5, 0xF0000000, 36, 0x0F000000},
      {"sra", 32, 5, kMin, 31, kOnes},
      {"sra", 32, 5, 0xF0000000, 36, 0xFF000000},
      {"sra", 32, 5, 0x70000000, 4, 0x07000000},
      {"sra", 32, 5, kMin, 0, kMin},
      {"or", 0, 6, 0xFF00FF00, 0x0FF00FF0, 0xFFF0FFF0},
      {"and", 0, 7, 0xFF00FF00, 0x0FF00FF0, 0x0F000F00},
      {"mul", 1, 0, kOnes, kOnes, 1},
      {"mul", 1, 0, 0x10001, 0x10001, 0x00020001},
      {"mul", 1, 0, kMin, kMin, 0},
      {"mulh", 1, 1, kOnes, kOnes, 0},
      {"mulh", 1, 1, kMin, kMin, 0x40000000},
      {"mulh", 1, 1, kMin, kMax, 0xC0000000},
      {"mulh", 1, 1, kMax, kMax, 0x3FFFFFFF},
      {"mulhsu", 1, 2, kOnes, kOnes, kOnes},
      {"mulhsu", 1, 2, kMin, kOnes, kMin},
      {"mulhsu", 1, 2, kOnes, kMin, kOnes},
      {"mulhsu", 1, 2, kMax, kOnes, 0x7FFFFFFE},
      {"mulhu", 1, 3, kOnes, kOnes, 0xFFFFFFFE},
      {"mulhu", 1, 3, kMin, kMin, 0x40000000},
      {"mulhu", 1, 3, kMin, 2, 1},
      {"div", 1, 4, 20, 6, 3},
      {"div", 1, 4, static_cast<uint32_t>(-20), 6, static_cast<uint32_t>(-3)},
      {"div", 1, 4, 20, static_cast<uint32_t>(-6), static_cast<uint32_t>(-3)},
      {"div", 1, 4, static_cast<uint32_t>(-20), static_cast<uint32_t>(-6), 3},
      {"div", 1, 4, 7, 0, kOnes},
      {"div", 1, 4, 0, 0, kOnes},
      {"div", 1, 4, kMin, kOnes, kMin},
      {"div", 1, 4, 5, kOnes, static_cast<uint32_t>(-5)},
      {"divu", 1, 5, kMin, kOnes, 0},
      {"divu", 1, 5, kOnes, 2, kMax},
      {"divu", 1, 5, 7, 0, kOnes},
      {"rem", 1, 6, 20, 6, 2},
      {"rem", 1, 6, static_cast<uint32_t>(-20), 6, static_cast<uint32_t>(-2)},
      {"rem", 1, 6, 20, static_cast<uint32_t>(-6), 2},
      {"rem", 1, 6, kMin, kOnes, 0},
      {"rem", 1, 6, 7, kOnes, 0},
      {"rem", 1, 6, 7, 0, 7},
      {"rem", 1, 6, kMin, 0, kMin},
      {"remu", 1, 7, kMin, kOnes, kMin},
      {"remu", 1, 7, 20, 6, 2},
      {"remu", 1, 7, kOnes, 0, kOnes},
  };
  for (const Case& test : cases) {
    CAPTURE(test.name, test.a, test.b);
    CHECK(x7_after(r_type(test.funct7, test.funct3, 7, 5, 6), test.a, test.b) == test.result);
  }
}

TEST_CASE("operations with an immediate") {
  struct Immediate {
    const char* name;
    uint32_t funct3, a;
    int32_t immediate;
    uint32_t result;
  };
  const Immediate cases[] = {
      {"addi", 0, 5, -2048, static_cast<uint32_t>(-2043)},
      {"addi", 0, kMax, 2047, 0x800007FE},
      {"slti", 2, kOnes, 0, 1},
      {"slti", 2, 0, -1, 0},
      {"slti", 2, static_cast<uint32_t>(-2048), -2048, 0},
      {"sltiu", 3, 0, -1, 1},
      {"sltiu", 3, 0, 1, 1},
      {"sltiu", 3, kOnes, -1, 0},
      {"xori", 4, 0x0F0F0F0F, -1, 0xF0F0F0F0},
      {"ori", 6, 0x0F000000, -2048, 0xFFFFF800},
      {"ori", 6, 0x0F000000, 2047, 0x0F0007FF},
      {"andi", 7, 0x12345FFF, -2048, 0x12345800},
      {"andi", 7, kOnes, 2047, 0x7FF},
      {"slli", 1, 1, 31, kMin},
      {"slli", 1, 0xABCD1234, 0, 0xABCD1234},
      {"srli", 5, kMin, 31, 1},
      {"srai", 5, kMin, 0x400 | 31, kOnes},
      {"srai", 5, 0x40000000, 0x400 | 30, 1},
  };
  for (const Immediate& test : cases) {
    CAPTURE(test.name, test.a, test.immediate);
    CHECK(x7_after(op_imm(test.funct3, 7, 5, test.immediate), test.a, 0) == test.result);
  }
  CHECK(x7_after(lui(7, 0xFFFFF), 0, 0) == 0xFFFFF000);
  CHECK(x7_after(auipc(7, 0x12345), 0, 0) == 0x12345100);
  CHECK(x7_after(auipc(7, 0xFFFFF), 0, 0) == 0xFFFFF100);
  CHECK(x7_after(kFence, 0, 0) == 0);
}

TEST_CASE("x0 stays 0, and an operand may be the result's register") {
  Machine machine;
  machine.cpu.set_reg(5, 21);
  machine.execute(addi(0, 5, 1));
  CHECK(machine.cpu.reg(0) == 0);
  machine.execute(r_type(0, 0, 5, 5, 5));
  CHECK(machine.cpu.reg(5) == 42);
  machine.execute(lw(0, 0, 0x100));
  CHECK(machine.cpu.reg(0) == 0);
  machine.execute(jal(0, 8));
  CHECK(machine.cpu.reg(0) == 0);
  machine.execute(csrrs(0, kMisa, 0));
  CHECK(machine.cpu.reg(0) == 0);
  machine.cpu.set_reg(0, 5);
  CHECK(machine.cpu.reg(0) == 0);
}

TEST_CASE("jumps link the next instruction, and jalr clears bit 0") {
  Machine machine;
  machine.execute(jal(1, -0x100));
  CHECK(machine.cpu.pc() == 0);
  CHECK(machine.cpu.reg(1) == 0x104);
  machine.execute(jal(1, 0xFFFFE));
  CHECK(machine.cpu.pc() == 0x1000FE);
  machine.execute(jal(1, -0x100000));
  CHECK(machine.cpu.pc() == 0xFFF00100);
  machine.cpu.set_reg(1, 0x2001);
  machine.execute(jalr(1, 1, -2));  // the target is that of the old x1
  CHECK(machine.cpu.pc() == 0x1FFE);
  CHECK(machine.cpu.reg(1) == 0x104);
  machine.execute(0x9082, 0x102);  // c.jalr x1: its length is 2
  CHECK(machine.cpu.pc() == 0x104);
  CHECK(machine.cpu.reg(1) == 0x104);
}

TEST_CASE("branches") {
  struct Branch {
    uint32_t funct3, a, b;
    bool is_taken;
  };
  const Branch cases[] = {{0, 1, 1, true},       {0, 1, 2, false},       {1, 1, 1, false},       {1, 1, 2, true},
                          {4, kOnes, 0, true},   {4, 0, kOnes, false},   {4, 3, 3, false},       {5, kOnes, 0, false},
                          {5, 0, kOnes, true},   {5, 3, 3, true},        {6, kOnes, 0, false},   {6, 0, kOnes, true},
                          {6, 3, 3, false},      {7, kOnes, 0, true},    {7, 0, kOnes, false},   {7, 3, 3, true},
                          {4, kMin, kMax, true}, {6, kMin, kMax, false}, {5, kMin, kMax, false}, {7, kMin, kMax, true}};
  for (const Branch& test : cases) {
    CAPTURE(test.funct3, test.a, test.b);
    for (const int32_t offset : {-4096, -2, 4094}) {
      Machine machine;
      machine.cpu.set_reg(5, test.a);
      machine.cpu.set_reg(6, test.b);
      CHECK(machine.execute(branch(test.funct3, 5, 6, offset), 0x2000) == Step::Retired);
      CHECK(machine.cpu.pc() == (test.is_taken ? 0x2000 + static_cast<uint32_t>(offset) : 0x2004));
    }
  }
}

TEST_CASE("loads extend signs, stores leave their neighbours") {
  Machine machine;
  machine.put(0x200, {0x8000FF80, 0x12345678});
  machine.cpu.set_reg(5, 0x300);
  const auto loaded = [&](uint32_t funct3, int32_t offset) {
    REQUIRE(machine.execute(load(funct3, 7, 5, offset)) == Step::Retired);
    return machine.cpu.reg(7);
  };
  CHECK(loaded(0, -0x100) == 0xFFFFFF80);
  CHECK(loaded(0, -0xFD) == 0xFFFFFF80);
  CHECK(loaded(0, -0xFC) == 0x78);
  CHECK(loaded(4, -0x100) == 0x80);
  CHECK(loaded(4, -0xFF) == 0xFF);
  CHECK(loaded(1, -0x100) == 0xFFFFFF80);
  CHECK(loaded(1, -0xFE) == 0xFFFF8000);
  CHECK(loaded(5, -0xFE) == 0x8000);
  CHECK(loaded(5, -0xFC) == 0x5678);
  CHECK(loaded(2, -0x100) == 0x8000FF80);
  machine.cpu.set_reg(6, 0xA1B2C3D4);
  REQUIRE(machine.execute(store(0, 6, 5, -0xFF)) == Step::Retired);
  CHECK(machine.word(0x200) == 0x8000D480);
  REQUIRE(machine.execute(store(1, 6, 5, -0xFE)) == Step::Retired);
  CHECK(machine.word(0x200) == 0xC3D4D480);
  REQUIRE(machine.execute(store(2, 6, 5, -0x100)) == Step::Retired);
  CHECK(machine.word(0x200) == 0xA1B2C3D4);
  CHECK(machine.word(0x204) == 0x12345678);
  REQUIRE(machine.execute(store(2, 6, 5, 0x7FC)) == Step::Retired);
  CHECK(machine.word(0xAFC) == 0xA1B2C3D4);
}

TEST_CASE("instructions of 4 bytes at a multiple of 2, and of 2 bytes") {
  Machine machine;
  CHECK(machine.execute(addi(7, 0, 77), 0x102) == Step::Retired);
  CHECK(machine.cpu.reg(7) == 77);
  CHECK(machine.cpu.pc() == 0x106);
  machine.put(0x104, {0x0001'0001});
  CHECK(machine.execute(0x4395, 0x102) == Step::Retired);  // c.li x7, 5
  CHECK(machine.cpu.reg(7) == 5);
  CHECK(machine.cpu.pc() == 0x104);
  CHECK(machine.cpu.step() == Step::Retired);
  CHECK(machine.cpu.step() == Step::Retired);
  CHECK(machine.cpu.pc() == 0x108);
}

TEST_CASE("overwritten instructions are seen after fence.i") {
  Machine machine;
  // x7 counts by the instruction at 0x104, which the first pass executes.
  machine.put(0x100, {kNop, addi(7, 7, 1)});
  machine.cpu.set_pc(0x100);
  machine.cpu.step();
  machine.cpu.step();
  CHECK(machine.cpu.reg(7) == 1);
  machine.cpu.set_reg(5, addi(7, 7, 100));
  machine.cpu.set_reg(6, 0x104);
  machine.put(0x200, {sw(5, 6, 0), jalr(0, 6, 0)});
  machine.cpu.set_pc(0x104);
  machine.cpu.step();  // decoded again after put()
  CHECK(machine.cpu.reg(7) == 2);
  machine.cpu.set_pc(0x200);
  for (int i = 0; i < 3; ++i) machine.cpu.step();
  CHECK(machine.cpu.reg(7) == 3);  // the old one
  const int64_t num_fetches = machine.ram.num_fetches;
  machine.cpu.set_pc(0x104);
  machine.cpu.step();
  CHECK(machine.ram.num_fetches == num_fetches);
  machine.ram.bytes[0x108] = 0x0F;
  machine.ram.bytes[0x109] = 0x10;
  machine.cpu.step();  // fence.i
  machine.cpu.set_pc(0x104);
  machine.cpu.step();
  CHECK(machine.cpu.reg(7) == 104);
}
