// SPDX-License-Identifier: Apache-2.0
// The decoder against a second reading of the manual: all 65,536 short encodings, and a sample of the long ones, whose size
// is VERNIER_RISCV_WORDS.
#include "sim/riscv/compressed.hpp"
#include "sim/riscv/decoder.hpp"
#include "tests/unit/sim_riscv/encode.hpp"
#include "tests/unit/sim_riscv/machine.hpp"
#include "tests/unit/sim_riscv/printed_table.hpp"
#include "tests/unit/sim_riscv/random_words.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <set>

using namespace vernier;
using namespace vernier::tests::rv;

namespace {

std::optional<Meaning> decoded(uint32_t word) {
  const riscv::Instruction instruction = riscv::decode(word);
  if (instruction.op == riscv::Op::Illegal) return std::nullopt;
  return Meaning{std::string(riscv::mnemonic(word)), instruction.rd, instruction.rs1, instruction.rs2,
                 instruction.immediate};
}

/// The operation that each name stands for.
const std::map<std::string, riscv::Op>& operations() {
  using riscv::Op;
  static const std::map<std::string, Op> kOperations{
      {"lui", Op::Add},
      {"auipc", Op::AddToPc},
      {"jal", Op::Jump},
      {"jalr", Op::JumpRegister},
      {"beq", Op::BranchEqual},
      {"bne", Op::BranchNotEqual},
      {"blt", Op::BranchLess},
      {"bge", Op::BranchGreaterEqual},
      {"bltu", Op::BranchLessUnsigned},
      {"bgeu", Op::BranchGreaterEqualUnsigned},
      {"lb", Op::LoadByte},
      {"lh", Op::LoadHalf},
      {"lw", Op::LoadWord},
      {"lbu", Op::LoadByteUnsigned},
      {"lhu", Op::LoadHalfUnsigned},
      {"sb", Op::StoreByte},
      {"sh", Op::StoreHalf},
      {"sw", Op::StoreWord},
      {"addi", Op::Add},
      {"slti", Op::LessThan},
      {"sltiu", Op::LessThanUnsigned},
      {"xori", Op::Xor},
      {"ori", Op::Or},
      {"andi", Op::And},
      {"slli", Op::ShiftLeft},
      {"srli", Op::ShiftRight},
      {"srai", Op::ShiftRightArithmetic},
      {"add", Op::Add},
      {"sub", Op::Sub},
      {"sll", Op::ShiftLeft},
      {"slt", Op::LessThan},
      {"sltu", Op::LessThanUnsigned},
      {"xor", Op::Xor},
      {"srl", Op::ShiftRight},
      {"sra", Op::ShiftRightArithmetic},
      {"or", Op::Or},
      {"and", Op::And},
      {"mul", Op::Multiply},
      {"mulh", Op::MultiplyHigh},
      {"mulhsu", Op::MultiplyHighSignedUnsigned},
      {"mulhu", Op::MultiplyHighUnsigned},
      {"div", Op::Divide},
      {"divu", Op::DivideUnsigned},
      {"rem", Op::Remainder},
      {"remu", Op::RemainderUnsigned},
      {"fence", Op::Fence},
      {"fence.i", Op::FenceI},
      {"ecall", Op::EnvironmentCall},
      {"ebreak", Op::Breakpoint},
      {"mret", Op::TrapReturn},
      {"wfi", Op::Wait},
      {"csrrw", Op::CsrWrite},
      {"csrrs", Op::CsrSet},
      {"csrrc", Op::CsrClear},
      {"csrrwi", Op::CsrWriteImmediate},
      {"csrrsi", Op::CsrSetImmediate},
      {"csrrci", Op::CsrClearImmediate},
  };
  return kOperations;
}

}  // namespace

TEST_CASE("all short encodings mean what the manual prints") {
  int num_legal = 0;
  for (uint32_t parcel = 0; parcel < 0x10000; ++parcel) {
    if ((parcel & 3) == 3) continue;
    const auto half = static_cast<uint16_t>(parcel);
    const std::optional<uint32_t> word = riscv::expand(half);
    const std::optional<Meaning> expected = meaning_of_short(half);
    const bool is_equal = word.has_value() == expected.has_value() && (!word || decoded(*word) == expected) &&
                          riscv::compressed_mnemonic(half).empty() == !expected.has_value();
    num_legal += expected ? 1 : 0;
    CAPTURE(parcel);
    if (!is_equal) CHECK(is_equal);
  }
  // Counted from the tables: quadrant 0 has 2^11 - 8 + 2 * 2^11, quadrant 1 has 8 * 2^11 less 32 of nzimm = 0 and, of opcode
  // 100, 2 * 2^8 shifts and 2^8 of subw and its row; quadrant 2 has 2^10 + (2^11 - 64) + (2^11 - 1) + 2^11.
  CHECK(num_legal == (3 * 2048 - 8) + (8 * 2048 - 32 - 512 - 256) + (1024 + 1984 + 2047 + 2048));
}

TEST_CASE("the processor traps on every illegal short encoding, with the encoding in mtval") {
  Machine machine;
  machine.cpu.set_csr(kMtvec, 0x8000);
  for (uint32_t parcel = 0; parcel < 0x10000; ++parcel) {
    if ((parcel & 3) == 3 || meaning_of_short(static_cast<uint16_t>(parcel))) continue;
    machine.ram.bytes[0x100] = static_cast<uint8_t>(parcel);
    machine.ram.bytes[0x101] = static_cast<uint8_t>(parcel >> 8);
    machine.cpu.invalidate_decoded();
    machine.cpu.set_pc(0x100);
    machine.cpu.step();
    const bool is_right = machine.cpu.pc() == 0x8000 && machine.cpu.csr(kMcause) == 2U &&
                          machine.cpu.csr(kMtval) == parcel && machine.cpu.csr(kMepc) == 0x100U;
    CAPTURE(parcel);
    if (!is_right) CHECK(is_right);
  }
}

TEST_CASE("long encodings mean what the manual prints", "[long]") {
  const int64_t num_words = count_from_environment("VERNIER_RISCV_WORDS", 1 << 16);
  RandomWords random(1);
  CAPTURE(RandomWords::seed());
  std::set<std::string> seen;
  for (int64_t i = 0; i < num_words; ++i) {
    const uint32_t word = random.instruction_like();
    const std::optional<Meaning> expected = meaning_of_long(word);
    const bool is_equal = decoded(word) == expected;
    CAPTURE(word);
    if (!is_equal) CHECK(is_equal);
    if (!expected) {
      CHECK(riscv::mnemonic(word).empty());
      continue;
    }
    seen.insert(expected->name);
    const bool is_operation = riscv::decode(word).op == operations().at(expected->name);
    if (!is_operation) CHECK(is_operation);
  }
  CHECK(seen.size() == operations().size());
}
