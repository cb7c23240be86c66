# SPDX-License-Identifier: Apache-2.0
"""Drawn faults that change nothing that could be seen: file, the line without its indent, what stands there, what comes instead, and
why no result, cycle, report or message differs; where the token stands there more than once, also its column in that line. A line that
changes has to be looked at anew."""

EQUIVALENTS = [
    ("compiler/import/aimet/fields.cpp", "const bool is_worth_a_guess = member.key.size() <= 40 && place.findings->num_left_out() == 0;", "40", "41",
     "the longest known key has 23 letters: none of 41 is near it"),
    ("compiler/import/quantized/nodes/constants.cpp", "double most_lost = 0, its_ratio = 1;", "1", "2",
     "it is told only where a bias is rounded, and then it has been set"),
    ("compiler/passes/residual.cpp", "ir::TensorId source = -1, scaled = -1;", "1", "2", "no tensor is -2 either, and nothing but < 0 is asked"),
    ("compiler/schedule/access.cpp", "return in_buffer < 0 ? -mapped : mapped;", "0", "1", "a stride of 0 is mapped to 0, and -0 is 0"),
    ("compiler/schedule/access.cpp", "return in_buffer < 0 ? -mapped : mapped;", "<", "<=", "a stride of 0 is mapped to 0, and -0 is 0"),
    ("sim/flow/look/memory_dump.cpp", "if (first_command_idx < 0 || command_idx < first_command_idx) first_command_idx = command_idx;", "<", "<=",
     "an equal number in its own place is the same number", 41),
    ("sim/riscv/compressed.cpp", "bits(c, 12, 11) << 4 | bits(c, 10, 7) << 6 | bits(c, 6, 6) << 2 | bits(c, 5, 5) << 3);", "12", "13",
     "bit 13 of c.addi4spn is always 0"),
    ("sim/riscv/compressed.cpp", "bits(c, 12, 12) << 8 | bits(c, 11, 10) << 3 | bits(c, 6, 5) << 6 | bits(c, 4, 3) << 1 | bits(c, 2, 2) << 5;",
     "12", "13", "the sign is extended from bit 8, whatever is above", 8),
    ("sim/riscv/compressed.cpp", "bits(c, 12, 12) << 9 | bits(c, 6, 6) << 4 | bits(c, 5, 5) << 6 | bits(c, 4, 3) << 7 | bits(c, 2, 2) << 5;", "6", "7",
     "bit 7 of c.addi16sp is always 0, since its register is x2", 31),
    ("sim/riscv/compressed.cpp",
     "return bits(offset, 20, 20) << 31 | bits(offset, 10, 1) << 21 | bits(offset, 11, 11) << 20 | bits(offset, 19, 12) << 12 |", "10", "11",
     "bit 11 of a short jump's offset is its sign, which stands in bit 31 anyway", 49),
    ("sim/riscv/cpu.cpp", "const Instruction instruction = decode(is_short ? expand(static_cast<uint16_t>(word)).value_or(0) : word);", "0", "1",
     "neither 0 nor 1 is an instruction of 32 bits"),
    ("sim/riscv/cpu.cpp", "executed.cause = csr(kMcause).value_or(0);", "0", "1", "there always is a register mcause"),
    ("sim/riscv/cpu.cpp",
     "observer_({.kind = kind, .cycle = cycle, .pc = pc, .cause = csr(kMcause).value_or(0) & ~spec::kCpuInterruptCause});", "0", "1",
     "there always is a register mcause"),
    ("sim/riscv/csr_file.cpp", "for (size_t row = 0; row < values_.size(); ++row) values_[row] = spec::kCpuCsrs[row].reset;", "<", "<=",
     "the word after the last is the counter of cycles, which is set to 0 two lines below"),
    ("sim/riscv/disassembler.cpp", "if (is_compressed(word)) word = expand(static_cast<uint16_t>(word)).value_or(0);", "0", "1",
     "neither 0 nor 1 is an instruction of 32 bits"),
]


def reason_of(fault, line):
    """Why `fault`, in the text `line`, changes nothing; None where it may."""
    column_in_text = fault.column - (len(line) - len(line.lstrip()))
    for file, text, old, new, reason, *column in EQUIVALENTS:
        if (file, text, old, new) == (fault.file, line.strip(), fault.old.strip(), fault.new) and column in ([], [column_in_text]):
            return reason
    return None
