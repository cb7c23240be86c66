// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/stream/table_driver.hpp"

#include "hw/base/error.hpp"
#include "hw/model/table.hpp"
#include "hw/model/wrap.hpp"

#include <algorithm>
#include <cstring>

namespace vernier::cosim {
namespace {

using base::ElementType;

constexpr std::array kFormats{ElementType::Int8, ElementType::Int16, ElementType::Int32};
constexpr size_t kEntries = 512;  // that a position names; 256 of them in the formats of a byte
constexpr size_t kFractions = 3;  // none, some, most
constexpr size_t kSlopes = 5;     // beyond int16 down, down, flat, up, beyond int16 up

template <typename Entry>
std::vector<Entry> entries_of(const Table& table) {
  std::vector<Entry> entries(table.bytes.size() / sizeof(Entry));
  std::memcpy(entries.data(), table.bytes.data(), entries.size() * sizeof(Entry));
  return entries;
}

int format_idx(ElementType format) { return static_cast<int>(format) - static_cast<int>(ElementType::Int8); }

size_t slope_of(int32_t rise) {
  if (rise < INT16_MIN) return 0;
  if (rise < 0) return 1;
  if (rise == 0) return 2;
  return rise <= INT16_MAX ? 3 : 4;
}

constexpr int64_t kSettledCycles = 24;

constexpr size_t kByteBins = 2 * spec::kNumTableSlots * 256;
constexpr size_t kEntryBins = spec::kNumTableSlots * kEntries * kFractions;
constexpr size_t kSlopeBins = kSlopes * 2 * kFractions;

}  // namespace

int64_t table_bytes(ElementType format) {
  if (format == ElementType::Int16) return 2 * spec::kTable16Entries;
  return int64_t{spec::kTable8Entries} * base::stored_bytes(format);
}

Table draw_table(ElementType format, Random& random) {
  Table table{format, std::vector<std::byte>(static_cast<size_t>(table_bytes(format)))};
  const bool is_extreme = random.chance(30), is_flat = random.chance(10);
  for (size_t i = 0; i + 1 < table.bytes.size(); i += 2) {
    auto entry = static_cast<uint16_t>(random.bits());
    if (is_extreme) entry = random.chance(50) ? 0x8000 : 0x7fff;
    if (is_flat && random.chance(50)) entry = 17;
    std::memcpy(table.bytes.data() + i, &entry, 2);
  }
  return table;
}

int32_t look_up(const Table& table, int32_t x) {
  switch (table.format) {
    case ElementType::Int8: return model::table_8(x, entries_of<int8_t>(table));
    case ElementType::Int16: return model::table_16(x, entries_of<int16_t>(table));
    default: return model::table_8_to_32(x, entries_of<int32_t>(table));
  }
}

std::string explain_look_up(const Table& table, int slot, int32_t x) {
  if (table.format != ElementType::Int16) {
    return fmt::format("operand {}, slot {}, entry {} of {}", x, slot, (static_cast<uint32_t>(x) + 128U) & 255U,
                       base::to_string(table.format));
  }
  const std::vector<int16_t> entries = entries_of<int16_t>(table);
  const uint32_t position = (static_cast<uint32_t>(x) + 32768U) & 65535U;
  return fmt::format("operand {}, slot {}, between entry {} ({}) and the next ({}), fraction {} of 128", x, slot,
                     position >> 7, entries[position >> 7], entries[(position >> 7) + 1], position & 127U);
}

TableCoverage::TableCoverage() : hits_(kByteBins + kEntryBins + kSlopeBins) {}

void TableCoverage::count(int slot, const Table& table, int32_t x) {
  const auto idx = static_cast<size_t>(slot);
  if (table.format != ElementType::Int16) {
    const size_t format = table.format == ElementType::Int32 ? 1 : 0;
    hits_[(format * spec::kNumTableSlots + idx) * 256 + ((static_cast<uint32_t>(x) + 128U) & 255U)] = true;
    return;
  }
  const uint32_t position = (static_cast<uint32_t>(x) + 32768U) & 65535U;
  const size_t fraction = position % 128 == 0 ? 0 : position % 128 < 127 ? 1 : 2;
  const size_t entry = position / 128;
  hits_[kByteBins + (idx * kEntries + entry) * kFractions + fraction] = true;
  std::array<int16_t, 2> pair{};
  std::memcpy(pair.data(), table.bytes.data() + 2 * entry, sizeof pair);
  hits_[kByteBins + kEntryBins + (slope_of(pair[1] - pair[0]) * 2 + entry % 2) * kFractions + fraction] = true;
}

int64_t TableCoverage::num_hit() const { return std::ranges::count(hits_, true); }

TableFillPins::TableFillPins(const ClockedBlock& block)
    : valid(block.port("tbl_valid_i")),
      ready(block.port("tbl_ready_o")),
      slot(block.port("tbl_slot_i")),
      type(block.port("tbl_type_i")),
      word(block.port("tbl_word_i")),
      data(block.port("tbl_data_i")) {}

void TableFillPins::put(size_t table_slot, base::ElementType format, std::span<const std::byte> bytes, int64_t number) {
  slot.set(table_slot);
  type.set(static_cast<uint64_t>(format));
  word.set(static_cast<uint64_t>(number));
  const int64_t lanes = data.bits() / 8;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    const auto at = static_cast<size_t>(number * lanes + lane);
    data.set_field(lane, 8, at < bytes.size() ? std::to_integer<uint64_t>(bytes[at]) : 0);
  }
}

TableDriver::TableDriver(ClockedBlock& block)
    : lanes_(block.lanes()),
      fill_(block),
      formats_(block.port("slot_format_o")),
      look_slot_(block.port("look_slot_i")),
      look_value_(block.port("look_value_i")) {
  for (Vector& vector : vectors_) {
    vector.operands.resize(static_cast<size_t>(lanes_));
    vector.expected.resize(static_cast<size_t>(lanes_));
  }
}

bool TableDriver::can_draw() { return is_full(0) || is_full(1); }

int TableDriver::choose(std::vector<int32_t>& operands, Random& random) {
  int table_slot = static_cast<int>(random.within(0, 1));
  if (!is_full(table_slot)) table_slot = 1 - table_slot;
  for (int32_t& x : operands) {
    x = static_cast<int16_t>(random.bits());
    if (random.chance(10)) x = static_cast<int16_t>(random.within(0, 511) * 128 + random.within(-1, 1));
  }
  return table_slot;
}

std::optional<Table> TableDriver::next_table(int /*table_slot*/, Random& random) {
  if (can_draw() && !random.chance(2)) return std::nullopt;
  return draw_table(kFormats[static_cast<size_t>(random.within(0, 2))], random);
}

void TableDriver::draw(int slot, Random& random) {
  Vector& vector = vectors_[static_cast<size_t>(slot)];
  vector.table_slot = choose(vector.operands, random);
  last_used_ = vector.table_slot;
  vector.table = *tables_[static_cast<size_t>(vector.table_slot)];
  for (size_t lane = 0; lane < vector.operands.size(); ++lane) {
    vector.expected[lane] = look_up(vector.table, vector.operands[lane]);
    coverage_.count(vector.table_slot, vector.table, vector.operands[lane]);
  }
}

void TableDriver::drive(int slot) {
  const Vector& vector = vectors_[static_cast<size_t>(slot)];
  look_slot_.set(static_cast<uint64_t>(vector.table_slot));
  for (size_t lane = 0; lane < vector.operands.size(); ++lane) {
    look_value_.set_field(static_cast<int64_t>(lane), 16, static_cast<uint64_t>(vector.operands[lane]));
  }
}

void TableDriver::scramble(Random& random) {
  look_slot_.set(random.bits() & 1);
  for (int64_t lane = 0; lane < lanes_; ++lane) look_value_.set_field(lane, 16, random.bits());
}

std::span<const int32_t> TableDriver::expected(int slot) const { return vectors_[static_cast<size_t>(slot)].expected; }

int TableDriver::group_of(int slot) const { return format_idx(vectors_[static_cast<size_t>(slot)].table.format); }

std::string TableDriver::explain(int slot, int lane) const {
  const Vector& vector = vectors_[static_cast<size_t>(slot)];
  return explain_look_up(vector.table, vector.table_slot, vector.operands[static_cast<size_t>(lane)]);
}

/// Starts a fill of the slot that no drawn vector waits for, or goes on with one.
void TableDriver::offer(Random& random) {
  if (!filling_) {
    filling_slot_ = can_draw() ? 1 - last_used_ : 0;
    filling_ = next_table(filling_slot_, random);
    next_word_ = 0;
    if (filling_) tables_[static_cast<size_t>(filling_slot_)].reset();
  }
  is_fill_valid_ = filling_ && random.chance(80);
  fill_.valid.set(is_fill_valid_ ? 1 : 0);
  if (is_fill_valid_) {
    fill_.put(static_cast<size_t>(filling_slot_), filling_->format, filling_->bytes, next_word_);
  } else {
    fill_.slot.set(random.bits() & 1);
    fill_.word.set(random.bits());
    fill_.data.set_field(0, 8, random.bits());
  }
}

bool TableDriver::see() {
  is_word_taken_ = is_fill_valid_ && fill_.ready.get() != 0;
  return is_word_taken_;
}

void TableDriver::clocked() {
  full_cycles_ = std::ranges::find(shown_, 0U) == shown_.end() ? full_cycles_ + 1 : 0;
  if (!is_word_taken_) return;
  is_fill_valid_ = is_word_taken_ = false;
  const bool is_last = ++next_word_ * lanes_ >= static_cast<int64_t>(filling_->bytes.size());
  shown_[static_cast<size_t>(filling_slot_)] = is_last ? static_cast<uint64_t>(filling_->format) : 0;
  if (is_last) {
    tables_[static_cast<size_t>(filling_slot_)] = std::move(filling_);
    filling_.reset();
  }
}

std::optional<Mismatch> TableDriver::state_difference() const {
  uint64_t formats = 0;
  for (size_t i = 0; i < shown_.size(); ++i) formats |= shown_[i] << (3 * i);
  return formats_difference(formats_.get(), formats);
}

void TableDriver::was_reset() {
  filling_.reset();
  is_fill_valid_ = is_word_taken_ = false;
  for (auto& table : tables_) table.reset();
  shown_ = {};
}

bool TableDriver::is_good_for_reset() const { return full_cycles_ >= kSettledCycles; }

std::string TableDriver::waiting() const {
  if (filling_) {
    return fmt::format("word {} of the table for slot {} waits for tbl_ready_o, look-ups wait for a full slot", next_word_,
                       filling_slot_);
  }
  return "look-ups wait for a result";
}

std::optional<Mismatch> formats_difference(uint64_t actual, uint64_t expected) {
  if (actual == expected) return std::nullopt;
  return Mismatch{.kind = MismatchKind::State,
                  .port = "slot_format_o",
                  .expected = expected,
                  .actual = actual,
                  .operands = "slot 0 in the low 3 bits"};
}

}  // namespace vernier::cosim
