// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/sim_riscv/printed_table.hpp"

#include <map>
#include <sstream>
#include <vector>

namespace vernier::tests::rv {
namespace {

/// One row of tables 16.5 to 16.7 of the unprivileged manual (20191213). `bits`: most significant first; digits are fixed,
/// imm[...] is as many bits as its list names, a register has 5 bits, or 3 with an apostrophe. `sign_bits`: width of an
/// immediate with a sign, else 0. `reserved`: "" or what makes the row reserved (for RV32).
struct PrintedRow {
  const char* bits;
  const char* meaning;
  uint32_t sign_bits;
  const char* reserved;
};

constexpr PrintedRow kPrintedRows[] = {
    {"000 imm[5:4|9:6|2|3] rd' 00", "addi rd=rd' rs1=x2 imm", 0, "imm=0"},
    {"010 imm[5:3] rs1' imm[2|6] rd' 00", "lw rd=rd' rs1=rs1' imm", 0, ""},
    {"110 imm[5:3] rs1' imm[2|6] rs2' 00", "sw rs2=rs2' rs1=rs1' imm", 0, ""},
    {"000 imm[5] rd imm[4:0] 01", "addi rd=rd rs1=rd imm", 6, ""},
    {"001 imm[11|4|9:8|10|6|7|3:1|5] 01", "jal rd=x1 imm", 12, ""},
    {"010 imm[5] rd imm[4:0] 01", "addi rd=rd rs1=x0 imm", 6, ""},
    {"011 imm[9] 00010 imm[4|6|8:7|5] 01", "addi rd=x2 rs1=x2 imm", 10, "imm=0"},
    {"011 imm[17] rd imm[16:12] 01", "lui rd=rd imm", 18, "imm=0"},
    {"100 imm[5] 00 rd' imm[4:0] 01", "srli rd=rd' rs1=rd' imm", 0, "imm>31"},
    {"100 imm[5] 01 rd' imm[4:0] 01", "srai rd=rd' rs1=rd' imm", 0, "imm>31"},
    {"100 imm[5] 10 rd' imm[4:0] 01", "andi rd=rd' rs1=rd' imm", 6, ""},
    {"100 0 11 rd' 00 rs2' 01", "sub rd=rd' rs1=rd' rs2=rs2'", 0, ""},
    {"100 0 11 rd' 01 rs2' 01", "xor rd=rd' rs1=rd' rs2=rs2'", 0, ""},
    {"100 0 11 rd' 10 rs2' 01", "or rd=rd' rs1=rd' rs2=rs2'", 0, ""},
    {"100 0 11 rd' 11 rs2' 01", "and rd=rd' rs1=rd' rs2=rs2'", 0, ""},
    {"101 imm[11|4|9:8|10|6|7|3:1|5] 01", "jal rd=x0 imm", 12, ""},
    {"110 imm[8|4:3] rs1' imm[7:6|2:1|5] 01", "beq rs1=rs1' rs2=x0 imm", 9, ""},
    {"111 imm[8|4:3] rs1' imm[7:6|2:1|5] 01", "bne rs1=rs1' rs2=x0 imm", 9, ""},
    {"000 imm[5] rd imm[4:0] 10", "slli rd=rd rs1=rd imm", 0, "imm>31"},
    {"010 imm[5] rd imm[4:2|7:6] 10", "lw rd=rd rs1=x2 imm", 0, "rd=0"},
    {"100 0 rs1 00000 10", "jalr rd=x0 rs1=rs1", 0, "rs1=0"},
    {"100 0 rd rs2 10", "add rd=rd rs1=x0 rs2=rs2", 0, ""},
    {"100 1 00000 00000 10", "ebreak", 0, ""},
    {"100 1 rs1 00000 10", "jalr rd=x1 rs1=rs1", 0, ""},
    {"100 1 rd rs2 10", "add rd=rd rs1=rd rs2=rs2", 0, ""},
    {"110 imm[5:2|7:6] rs2 10", "sw rs2=rs2 rs1=x2 imm", 0, ""},
};

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// The places of "5:4|9:6|2|3", most significant bit of the encoding first: 5 4 9 8 7 6 2 3.
std::vector<uint32_t> places_of(const std::string& list) {
  std::vector<uint32_t> places;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, '|');) {
    const size_t colon = part.find(':');
    const auto high = static_cast<uint32_t>(std::stoul(part));
    const auto low = colon == std::string::npos ? high : static_cast<uint32_t>(std::stoul(part.substr(colon + 1)));
    for (uint32_t place = high + 1; place-- > low;) places.push_back(place);
  }
  return places;
}

/// One column of a row, read once.
struct Column {
  std::string name;              // of a field; empty for fixed bits
  std::vector<uint32_t> places;  // of an immediate
  uint32_t num_bits = 0;
  uint32_t value = 0;  // of fixed bits
};

struct ReadRow {
  std::vector<Column> columns;
  std::vector<std::string> meaning;
};

ReadRow read(const PrintedRow& row) {
  ReadRow result{{}, words_of(row.meaning)};
  for (const std::string& word : words_of(row.bits)) {
    Column column;
    if (word[0] == '0' || word[0] == '1') {
      column.num_bits = static_cast<uint32_t>(word.size());
      column.value = static_cast<uint32_t>(std::stoul(word, nullptr, 2));
    } else if (word.rfind("imm[", 0) == 0) {
      column.name = "imm";
      column.places = places_of(word.substr(4, word.size() - 5));
      column.num_bits = static_cast<uint32_t>(column.places.size());
    } else {
      column.name = word;
      column.num_bits = word.back() == '\'' ? 3 : 5;
    }
    result.columns.push_back(column);
  }
  return result;
}

/// The fields of `parcel`, or nullopt where its fixed bits are other ones.
std::optional<std::map<std::string, uint32_t>> fields_of(const ReadRow& row, uint16_t parcel) {
  std::map<std::string, uint32_t> fields{{"imm", 0}};
  uint32_t place = 16;
  for (const Column& column : row.columns) {
    place -= column.num_bits;
    const uint32_t value = parcel >> place & ((1U << column.num_bits) - 1);
    if (column.name.empty()) {
      if (value != column.value) return std::nullopt;
    } else if (column.name == "imm") {
      for (size_t i = 0; i < column.places.size(); ++i) {
        fields["imm"] += (value >> (column.num_bits - 1 - i) & 1) << column.places[i];
      }
    } else {
      fields[column.name] = column.num_bits == 3 ? value + 8 : value;
    }
  }
  if (place != 0) throw std::logic_error("a row has not 16 bits");
  return fields;
}

bool is_reserved(const std::string& rule, std::map<std::string, uint32_t>& fields) {
  if (rule == "imm>31") return fields["imm"] > 31;
  const size_t equals = rule.find('=');
  return equals != std::string::npos && fields[rule.substr(0, equals)] == 0;
}

uint32_t with_sign(uint32_t value, uint32_t sign_bits) {
  const bool is_negative = sign_bits != 0 && (value >> (sign_bits - 1)) != 0;
  return is_negative ? value - (uint64_t{1} << sign_bits) % (uint64_t{1} << 32) : value;
}

Meaning meaning_of(const ReadRow& row, std::map<std::string, uint32_t>& fields) {
  Meaning meaning{row.meaning[0]};
  for (size_t i = 1; i < row.meaning.size(); ++i) {
    const std::string& item = row.meaning[i];
    const size_t equals = item.find('=');
    if (equals == std::string::npos) {
      meaning.immediate = fields["imm"];
      continue;
    }
    const std::string source = item.substr(equals + 1);
    const uint32_t number = source[0] == 'x' ? static_cast<uint32_t>(std::stoul(source.substr(1))) : fields.at(source);
    const std::string target = item.substr(0, equals);
    (target == "rd" ? meaning.rd : target == "rs1" ? meaning.rs1 : meaning.rs2) = number;
  }
  return meaning;
}

/// By funct3; empty: none.
const char* name_by_opcode(uint32_t opcode, uint32_t funct3, uint32_t funct7) {
  static constexpr const char* kBranches[8] = {"beq", "bne", "", "", "blt", "bge", "bltu", "bgeu"};
  static constexpr const char* kLoads[8] = {"lb", "lh", "lw", "", "lbu", "lhu", "", ""};
  static constexpr const char* kStores[8] = {"sb", "sh", "sw", "", "", "", "", ""};
  static constexpr const char* kImmediates[8] = {"addi", "", "slti", "sltiu", "xori", "", "ori", "andi"};
  static constexpr const char* kRegisters[8] = {"add", "sll", "slt", "sltu", "xor", "srl", "or", "and"};
  static constexpr const char* kProducts[8] = {"mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu"};
  static constexpr const char* kCsrs[8] = {"", "csrrw", "csrrs", "csrrc", "", "csrrwi", "csrrsi", "csrrci"};
  switch (opcode) {
    case 0x37: return "lui";
    case 0x17: return "auipc";
    case 0x6F: return "jal";
    case 0x67: return funct3 == 0 ? "jalr" : "";
    case 0x63: return kBranches[funct3];
    case 0x03: return kLoads[funct3];
    case 0x23: return kStores[funct3];
    case 0x13:
      if (funct3 == 1) return funct7 == 0 ? "slli" : "";
      if (funct3 == 5) return funct7 == 0 ? "srli" : funct7 == 0x20 ? "srai" : "";
      return kImmediates[funct3];
    case 0x33:
      if (funct7 == 1) return kProducts[funct3];
      if (funct7 == 0x20) return funct3 == 0 ? "sub" : funct3 == 5 ? "sra" : "";
      return funct7 == 0 ? kRegisters[funct3] : "";
    case 0x0F: return funct3 == 0 ? "fence" : funct3 == 1 ? "fence.i" : "";
    case 0x73: return kCsrs[funct3];
    default: return "";
  }
}

/// The number in the `count` bits of `word` from `place` on, times 2^scale.
uint32_t part(uint32_t word, uint32_t place, uint32_t count, uint32_t scale) {
  return static_cast<uint32_t>((uint64_t{word} >> place) % (uint64_t{1} << count) << scale);
}

}  // namespace

std::optional<Meaning> meaning_of_short(uint16_t parcel) {
  static const std::vector<ReadRow> kRead = [] {
    std::vector<ReadRow> rows;
    for (const PrintedRow& row : kPrintedRows) rows.push_back(read(row));
    return rows;
  }();
  for (size_t i = 0; i < kRead.size(); ++i) {
    auto fields = fields_of(kRead[i], parcel);
    if (!fields) continue;
    if (is_reserved(kPrintedRows[i].reserved, *fields)) return std::nullopt;
    (*fields)["imm"] = with_sign((*fields)["imm"], kPrintedRows[i].sign_bits);
    return meaning_of(kRead[i], *fields);
  }
  return std::nullopt;
}

std::optional<Meaning> meaning_of_long(uint32_t word) {
  switch (word) {
    case 0x00000073: return Meaning{"ecall"};
    case 0x00100073: return Meaning{"ebreak"};
    case 0x30200073: return Meaning{"mret"};
    case 0x10500073: return Meaning{"wfi"};
    default: break;
  }
  const uint32_t opcode = word % 128, rd = part(word, 7, 5, 0), rs1 = part(word, 15, 5, 0), rs2 = part(word, 20, 5, 0);
  Meaning meaning{name_by_opcode(opcode, part(word, 12, 3, 0), part(word, 25, 7, 0))};
  if (meaning.name.empty()) return std::nullopt;
  const uint32_t upper = part(word, 20, 12, 0);
  switch (opcode) {
    case 0x37:
    case 0x17: return Meaning{meaning.name, rd, 0, 0, word - word % 4096};
    case 0x6F: {
      const uint32_t offset = part(word, 21, 10, 1) + part(word, 20, 1, 11) + part(word, 12, 8, 12) + part(word, 31, 1, 20);
      return Meaning{meaning.name, rd, 0, 0, with_sign(offset, 21)};
    }
    case 0x63: {
      const uint32_t offset = part(word, 8, 4, 1) + part(word, 25, 6, 5) + part(word, 7, 1, 11) + part(word, 31, 1, 12);
      return Meaning{meaning.name, 0, rs1, rs2, with_sign(offset, 13)};
    }
    case 0x23: return Meaning{meaning.name, 0, rs1, rs2, with_sign(rd + part(word, 25, 7, 5), 12)};
    case 0x33: return Meaning{meaning.name, rd, rs1, rs2, 0};
    case 0x0F: return meaning;
    case 0x73: return Meaning{meaning.name, rd, rs1, 0, upper};
    default: break;
  }
  const bool is_shift = meaning.name == "slli" || meaning.name == "srli" || meaning.name == "srai";
  return Meaning{meaning.name, rd, rs1, 0, is_shift ? rs2 : with_sign(upper, 12)};
}

}  // namespace vernier::tests::rv
