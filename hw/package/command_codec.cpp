// SPDX-License-Identifier: Apache-2.0
// Packing and unpacking of fields; which fields there are, and how wide, is hw/spec/command_fields.hpp's alone.
#include "hw/package/command_codec.hpp"

#include "hw/base/error.hpp"
#include "hw/spec/command_fields.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

namespace vernier::package {
namespace {

using spec::FaultCode;
using spec::FieldInfo;

constexpr int kWordBits = 32;
constexpr int kWordBytes = kWordBits / 8;

std::string field_name(const FieldInfo& field) {
  return field.index < 0 ? std::string(field.name) : fmt::format("{}[{}]", field.name, field.index);
}

/// The greatest legal value of an enumeration that stands in a field; everything above is reserved.
template <typename E>
constexpr int64_t last_enumerator() {
  if constexpr (std::is_same_v<E, spec::DmaKind>) return static_cast<int64_t>(spec::DmaKind::Transpose);
  if constexpr (std::is_same_v<E, spec::MacMode>) return static_cast<int64_t>(spec::MacMode::Depthwise);
  if constexpr (std::is_same_v<E, spec::WeightOrder>) return static_cast<int64_t>(spec::WeightOrder::TapMajor);
  if constexpr (std::is_same_v<E, spec::Rounding>) return static_cast<int64_t>(spec::Rounding::HalfEven);
  if constexpr (std::is_same_v<E, spec::VectorOp>) return spec::kNumVectorOps - 1;
  if constexpr (std::is_same_v<E, spec::VectorPhase>) return static_cast<int64_t>(spec::VectorPhase::Final);
  if constexpr (std::is_same_v<E, base::ElementType>) return static_cast<int64_t>(base::ElementType::Int48);
  if constexpr (std::is_same_v<E, base::MemorySpace>) return static_cast<int64_t>(base::MemorySpace::External);
  return INT64_MAX;  // opcode and queue: decode() judges them by themselves
}

/// Visitor that appends fields to words.
class FieldWriter {
 public:
  explicit FieldWriter(std::vector<std::byte>& stream) : stream_(stream), begin_(stream.size()) {}

  template <typename T>
  void operator()(const FieldInfo& field, const T& member) {
    const auto value = static_cast<int64_t>(member);
    const int64_t span = int64_t{1} << field.width_bits;
    const int64_t low = field.is_signed ? -span / 2 : 0;
    const int64_t high = field.is_signed ? span / 2 : span;
    VERNIER_CHECK(value >= low && value < high, "command field {} holds {}, its {} bits allow {} to {}", field_name(field),
                  value, field.width_bits, low, high - 1);
    if constexpr (std::is_enum_v<T>) {
      VERNIER_CHECK(value <= last_enumerator<T>(), "command field {} holds the reserved value {}", field_name(field), value);
    }
    if (bit_ + field.width_bits > kWordBits) end_word();
    word_ |= (static_cast<uint64_t>(value) & static_cast<uint64_t>(span - 1)) << static_cast<unsigned>(bit_);
    bit_ += field.width_bits;
  }

  void end_word() {
    if (bit_ == 0) return;
    for (unsigned i = 0; i < kWordBytes; ++i) stream_.push_back(static_cast<std::byte>(word_ >> (8U * i)));
    word_ = 0;
    bit_ = 0;
  }
  void end_command() {
    end_word();
    const auto size = static_cast<int64_t>(stream_.size() - begin_);
    stream_.resize(begin_ + static_cast<size_t>(base::round_up(size, spec::kCommandUnitBytes)));
  }

 private:
  std::vector<std::byte>& stream_;
  size_t begin_;
  uint64_t word_ = 0;
  int bit_ = 0;
};

/// Visitor that takes fields from words. What lies past the end reads as 0 and is remembered; the first reserved value too.
class FieldReader {
 public:
  explicit FieldReader(std::span<const std::byte> bytes) : bytes_(bytes) { load(); }

  template <typename T>
  void operator()(const FieldInfo& field, T& member) {
    if (bit_ + field.width_bits > kWordBits) end_word();
    is_short_ = is_short_ || at_ + kWordBytes > bytes_.size();
    const uint64_t mask = (uint64_t{1} << field.width_bits) - 1;
    auto value = static_cast<int64_t>((word_ >> static_cast<unsigned>(bit_)) & mask);
    bit_ += field.width_bits;
    if (field.is_signed && value >> (field.width_bits - 1) != 0) value -= int64_t{1} << field.width_bits;
    if constexpr (std::is_enum_v<T>) {
      if (value > last_enumerator<T>()) reserve(fmt::format("{} is {}, a reserved value", field_name(field), value));
    }
    member = static_cast<T>(value);
  }

  void end_word() {
    const uint64_t rest = bit_ == kWordBits ? 0 : word_ >> static_cast<unsigned>(bit_);
    if (bit_ > 0 && rest != 0) reserve(fmt::format("padding in the word at byte {} is not zero", at_));
    at_ += kWordBytes;
    bit_ = 0;
    load();
  }
  /// Looks at what follows the last field.
  void end_command() {
    if (bit_ > 0) end_word();
    for (size_t i = std::min(at_, bytes_.size()); i < bytes_.size(); ++i) {
      if (bytes_[i] != std::byte{0}) return reserve(fmt::format("padding at byte {} is not zero", i));
    }
  }

  [[nodiscard]] bool is_short() const { return is_short_; }
  [[nodiscard]] const std::string& reserved() const { return reserved_; }

 private:
  void load() {
    word_ = 0;
    for (size_t i = 0; i < kWordBytes && at_ + i < bytes_.size(); ++i) {
      word_ |= std::to_integer<uint64_t>(bytes_[at_ + i]) << (8U * static_cast<unsigned>(i));
    }
  }
  void reserve(std::string detail) {
    if (reserved_.empty()) reserved_ = std::move(detail);
  }

  std::span<const std::byte> bytes_;
  size_t at_ = 0;
  uint64_t word_ = 0;
  int bit_ = 0;
  bool is_short_ = false;
  std::string reserved_;
};

bool fits_queue(spec::Opcode opcode, spec::Queue queue) {
  switch (opcode) {
    case spec::Opcode::End: return true;
    case spec::Opcode::Dma: return queue == spec::Queue::Dma0 || queue == spec::Queue::Dma1;
    case spec::Opcode::Mac: return queue == spec::Queue::MacArray;
    case spec::Opcode::Vector: return queue == spec::Queue::VectorUnit;
  }
  return false;
}

std::optional<spec::CommandBody> empty_body(spec::Opcode opcode) {
  switch (opcode) {
    case spec::Opcode::End: return spec::EndCommand{};
    case spec::Opcode::Dma: return spec::DmaCommand{};
    case spec::Opcode::Mac: return spec::MacCommand{};
    case spec::Opcode::Vector: return spec::VectorCommand{};
  }
  return std::nullopt;
}

Decoded& fail(Decoded& decoded, FaultCode fault, std::string detail) {
  decoded.fault = fault;
  decoded.detail = std::move(detail);
  return decoded;
}

}  // namespace

void encode(const spec::Command& command, std::vector<std::byte>& stream) {
  std::visit(
      [&](const auto& body) {
        const spec::Opcode opcode = spec::opcode_of(body);
        VERNIER_CHECK(fits_queue(opcode, command.header.queue), "a {} command does not go to queue {}", mnemonic(command),
                      static_cast<int>(command.header.queue));
        const size_t begin = stream.size();
        const int64_t units = spec::length_units(body);
        FieldWriter writer(stream);
        spec::visit_header(writer, command.header, opcode, units);
        writer.end_word();
        spec::visit_fields(writer, body);
        writer.end_command();
        VERNIER_CHECK(static_cast<int64_t>(stream.size() - begin) == units * spec::kCommandUnitBytes,
                      "a {} command took {} bytes, its length says {} units", mnemonic(command), stream.size() - begin,
                      units);
      },
      command.body);
}

Decoded decode(std::span<const std::byte> bytes) {
  Decoded decoded;
  decoded.length_bytes = spec::kCommandUnitBytes;
  if (bytes.size() < spec::kCommandUnitBytes) {
    return fail(decoded, FaultCode::BadLength,
                fmt::format("{} bytes are left, a command has at least {}", bytes.size(), spec::kCommandUnitBytes));
  }
  spec::Opcode opcode{};
  int64_t units = 0;
  FieldReader probe(bytes.first(spec::kCommandUnitBytes));
  spec::visit_header(probe, decoded.command.header, opcode, units);
  std::optional<spec::CommandBody> body = empty_body(opcode);
  if (!body) return fail(decoded, FaultCode::IllegalOpcode, fmt::format("opcode is 0x{:02x}", static_cast<int>(opcode)));
  const auto queue = static_cast<int>(decoded.command.header.queue);
  if (queue >= spec::kNumQueues) return fail(decoded, FaultCode::IllegalOpcode, fmt::format("queue is {}", queue));
  if (!fits_queue(opcode, decoded.command.header.queue)) {
    return fail(
        decoded, FaultCode::IllegalOpcode,
        fmt::format("opcode 0x{:02x} in queue {}", static_cast<int>(opcode), spec::kQueueNames[static_cast<size_t>(queue)]));
  }
  const auto left = static_cast<int64_t>(bytes.size());
  if (units < 1 || units * spec::kCommandUnitBytes > left) {
    return fail(decoded, FaultCode::BadLength, fmt::format("length is {} units, {} bytes are left", units, left));
  }
  decoded.length_bytes = units * spec::kCommandUnitBytes;

  FieldReader reader(bytes.first(static_cast<size_t>(decoded.length_bytes)));
  spec::visit_header(reader, decoded.command.header, opcode, units);
  reader.end_word();
  int64_t expected_units = 0;
  std::visit(
      [&](auto& fields) {
        spec::visit_fields(reader, fields);
        expected_units = spec::length_units(fields);
      },
      *body);
  if (reader.is_short() || units != expected_units) {
    return fail(decoded, FaultCode::BadLength,
                fmt::format("length is {} units, the command takes {}", units, expected_units));
  }
  reader.end_command();
  if (!reader.reserved().empty()) return fail(decoded, FaultCode::ReservedEncoding, reader.reserved());
  decoded.command.body = std::move(*body);
  return decoded;
}

}  // namespace vernier::package
