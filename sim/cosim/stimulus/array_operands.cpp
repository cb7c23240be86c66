// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/stimulus/array_operands.hpp"

#include "hw/sequence/mac_order.hpp"
#include "hw/sequence/weight_stream.hpp"

#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace vernier::cosim {
namespace {

constexpr std::array<int64_t, 4> kFirstPercents{0, 25, 75, 100};

template <typename Values>
auto pick(const Values& values, Random& random) {
  return values[static_cast<size_t>(random.within(0, static_cast<int64_t>(values.size()) - 1))];
}

}  // namespace

std::vector<Work> works_of(std::vector<DrawnWork> drawn) {
  std::vector<Work> works;
  works.reserve(drawn.size());
  for (DrawnWork& one : drawn) works.push_back(std::move(one.work));
  return works;
}

OperandClass draw_operand_class(Random& random) {
  if (random.chance(50)) return OperandClass::Mixed;
  return static_cast<OperandClass>(random.within(1, static_cast<int64_t>(kOperandClasses.size()) - 1));
}

OperandRow::OperandRow(OperandClass operands, int64_t least, int64_t greatest, int64_t zero, int64_t length, Random& random)
    : operands_(operands), least_(least), greatest_(greatest), zero_(zero) {
  // Of 16 bits -1 and 255 have a low byte of ones, and the least and 256 one of zeros.
  const bool is_negative = least < 0 && random.chance(50);
  first_ = is_negative ? least : greatest;
  second_ = is_negative ? -1 : 1;
  first_percent_ = pick(kFirstPercents, random);
  if (operands == OperandClass::Equal) {
    const int64_t anything = random.within(least, greatest);
    first_ = second_ = pick(std::array{least, greatest, int64_t{least < 0 ? -1 : 1}, anything}, random);
  }
  hot_ = random.within(0, length - 1);
}

int64_t OperandRow::next(Random& random) {
  const int64_t at = at_++;
  switch (operands_) {
    case OperandClass::Mixed: return random.within(least_, greatest_);
    case OperandClass::Extreme: return random.chance(50) ? least_ : greatest_;
    case OperandClass::OneSign:
    case OperandClass::Equal: return random.chance(first_percent_) ? first_ : second_;
    case OperandClass::OneHot: break;
  }
  return at == hot_ ? (random.chance(50) ? least_ : greatest_) : zero_;
}

void draw_rows(DrawnWork& drawn, Random& random, const spec::Datapath& datapath) {
  Work& array = drawn.work;
  const spec::MacCommand& m = array.mac();
  const auto put = [&](int64_t address, int64_t bytes, int64_t value) {
    for (int64_t i = 0; i < bytes; ++i)
      array.bytes[static_cast<size_t>(address + i)] = static_cast<std::byte>(static_cast<uint64_t>(value) >> (8 * i));
  };
  const auto row = [&](OperandClass operands, int64_t bytes, bool is_unsigned, int64_t zero, int64_t length) {
    const int64_t least = is_unsigned ? 0 : -(int64_t{1} << (8 * bytes - 1));
    return OperandRow(operands, least, least + (int64_t{1} << (8 * bytes)) - 1, zero, length, random);
  };
  const bool is_depthwise = m.mode == spec::MacMode::Depthwise;
  if (drawn.first != OperandClass::Mixed) {
    const int64_t bytes = base::stored_bytes(m.input.type), pixels = m.in_rows * m.in_columns;
    const auto fill = [&](OperandRow& values, int64_t pixel, int64_t channel) {
      put(m.input.base + pixel / m.in_columns * m.input.row_pitch_bytes + pixel % m.in_columns * m.input.pixel_pitch_bytes +
              channel / datapath.lanes * m.input.block_pitch_bytes + channel % datapath.lanes * bytes,
          bytes, values.next(random));
    };
    for (int64_t i = 0; i < (is_depthwise ? m.in_channels : pixels); ++i) {
      OperandRow values =
          row(drawn.first, bytes, m.input_is_unsigned, m.input_zero_point, is_depthwise ? pixels : m.in_channels);
      for (int64_t k = 0; k < (is_depthwise ? pixels : m.in_channels); ++k)
        is_depthwise ? fill(values, k, i) : fill(values, i, k);
    }
  }
  if (drawn.second == OperandClass::Mixed) return;
  const bool is_int4 = m.weight_type == base::ElementType::Int4;
  const sequence::MacOrder order(m, datapath);
  std::vector<OperandRow> rows;
  for (int64_t i = 0; i < m.out_channels; ++i)
    rows.emplace_back(drawn.second, base::min_value(m.weight_type), base::max_value(m.weight_type), m.weight_zero_point,
                      m.reduction_end - m.reduction_begin, random);
  std::map<std::pair<int64_t, int64_t>, int64_t> numbers;  // by the address of their low byte, and by its half
  sequence::WeightStream stream(m, datapath);
  for (sequence::WeightBeat beat; stream.next(beat);) {
    for (const sequence::WeightByte& byte : beat.bytes) {
      const int64_t channel = order.first_channel(beat.place.channel_tile) + byte.lane;
      const int64_t low = byte.address - beat.place.weight_byte;
      const auto [number, is_new] = numbers.try_emplace({low, byte.half}, 0);
      if (is_new) number->second = rows[static_cast<size_t>(channel)].next(random);
      int64_t value = number->second >> (8 * beat.place.weight_byte);
      if (is_int4) {
        const int64_t other = array.byte_at(byte.address) & (byte.half == 0 ? 0xf0 : 0x0f);
        value = other | (value & 0x0f) << (4 * byte.half);
      }
      put(byte.address, 1, value);
    }
  }
}

}  // namespace vernier::cosim
