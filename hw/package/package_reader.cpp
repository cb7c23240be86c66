// SPDX-License-Identifier: Apache-2.0
// Reading a package: the frame, then the contents in the order of package.cpp; what they may hold is package_check.cpp's.
#include "hw/base/error.hpp"
#include "hw/package/byte_io.hpp"
#include "hw/package/package.hpp"
#include "hw/package/package_format.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace vernier::package {
namespace {

using base::UserError;
using detail::ByteReader;

/// Least bytes of an item in the file, for lists.
constexpr size_t kCountBytes = 8;
constexpr size_t kAddressBytes = 9;
constexpr size_t kPlacementBytes = kAddressBytes + kCountBytes + 16;
constexpr size_t kSegmentBytes = kAddressBytes + kCountBytes;
constexpr size_t kTensorBytes = 2 * kCountBytes + 1 + kPlacementBytes;
constexpr size_t kLayerBytes = 5 * kCountBytes + 16;
constexpr size_t kPieceBytes = 8 + 3 * kCountBytes + kPlacementBytes;
constexpr size_t kFoldedBytes = 2 * kCountBytes;
constexpr size_t kBlockBytes = kCountBytes + 1 + 32;
constexpr size_t kEndBytes = 5 * kCountBytes + 2 + 4 + 8 + 1 + 8 + 1 + 1;
constexpr size_t kChannelBytes = 4 + 8;
constexpr size_t kStepBytes = 1 + 5 * kCountBytes;
constexpr size_t kStreamPartBytes = 2 * 8 + 4;
constexpr size_t kVariableBytes = 3 * kCountBytes + 2 + 2 * 4;
constexpr size_t kFlowStepBytes = 1 + 4 + kAddressBytes + 4;

/// A byte that numbers an enumerator, at most `last`.
template <typename E>
E read_enum(ByteReader& in, E last, std::string_view what) {
  const uint8_t value = in.u8();
  if (value > static_cast<uint8_t>(last)) {
    in.fail(fmt::format("{} is {}, allowed are 0 to {}", what, value, static_cast<int>(last)));
  }
  return static_cast<E>(value);
}

bool read_bool(ByteReader& in, std::string_view what) {
  const uint8_t value = in.u8();
  if (value > 1) in.fail(fmt::format("{} is {}, allowed are 0 and 1", what, value));
  return value == 1;
}

base::Address read_address(ByteReader& in) {
  const auto space = read_enum(in, base::MemorySpace::External, "memory space");
  return {space, in.number(8)};
}

std::vector<int64_t> read_numbers(ByteReader& in) {
  return in.list<int64_t>(8, [&] { return in.i64(); });
}
std::vector<int32_t> read_indices(ByteReader& in) {
  return in.list<int32_t>(4, [&] { return in.i32(); });
}

Placement read_placement(ByteReader& in) {
  Placement placement;
  placement.base = read_address(in);
  placement.strides_bytes = read_numbers(in);
  placement.channel_block = in.i64();
  placement.block_pitch_bytes = in.i64();
  return placement;
}

base::Ratio read_bandwidth(ByteReader& in, const std::string& file) {
  const int64_t numerator = in.i64(), denominator = in.i64();
  if (numerator < 0 || denominator < 1 || denominator > config::kMostBandwidthDenominator ||
      std::gcd(numerator, denominator) != 1)
    throw UserError(file, "external_bytes_per_cycle is {}/{}, which is no bandwidth in lowest terms", numerator,
                    denominator);
  return {numerator, denominator};
}

config::MachineConfig read_config(ByteReader& in, const std::string& file) {
  std::string name = in.string();
  config::MachineConfig config = config::preset_config(in.string(), file);
  config.name = std::move(name);
  config.clock_hz = in.i64();
  config.sram_bytes = in.i64();
  config.external.bytes_per_cycle = read_bandwidth(in, file);
  config.external.latency_cycles = in.i64();
  config.external.burst_bytes = in.i64();
  config.external.is_full_duplex = read_bool(in, "external_is_full_duplex");
  config.queue_depth = in.i64();
  config.memory_mode = read_enum(in, spec::MemoryMode::External, "memory_mode");
  config.sram_protection = read_enum(in, spec::SramProtection::Parity, "sram_protection");
  config.origins.external_keys = in.list<std::string>(kCountBytes, [&] { return in.string(); });
  config::validate(config, file);
  return config;
}

TensorEntry read_tensor(ByteReader& in) {
  TensorEntry tensor;
  tensor.name = in.string();
  tensor.type = read_enum(in, base::ElementType::Int48, "element type");
  tensor.shape = read_numbers(in);
  tensor.placement = read_placement(in);
  return tensor;
}

LayerEntry read_layer(ByteReader& in) {
  LayerEntry layer;
  layer.name = in.string();
  layer.operators = in.list<std::string>(kCountBytes, [&] { return in.string(); });
  layer.macs = in.i64();
  layer.main_operator.name = in.string();
  layer.main_operator.kernel = read_numbers(in);
  layer.main_operator.stride = read_numbers(in);
  layer.main_operator.output_channels = in.i64();
  return layer;
}

Piece read_piece(ByteReader& in) {
  Piece piece;
  piece.command_idx = in.i32();
  piece.tensor_idx = in.i32();
  piece.begin = read_numbers(in);
  piece.extent = read_numbers(in);
  piece.step = read_numbers(in);
  piece.placement = read_placement(in);
  return piece;
}

SramBlock read_block(ByteReader& in) {
  SramBlock block;
  block.name = in.string();
  block.is_constant = read_bool(in, "is_constant");
  block.begin_byte = in.i64();
  block.end_byte = in.i64();
  block.first_command = in.i64();
  block.last_command = in.i64();
  return block;
}

float read_float(ByteReader& in) { return std::bit_cast<float>(static_cast<uint32_t>(in.number(4))); }

RangeRule read_range_rule(ByteReader& in) {
  RangeRule rule;
  rule.mode = read_enum(in, RangeRule::Mode::Scaled, "mode");
  rule.is_half_to_even = read_bool(in, "is_half_to_even");
  rule.is_narrow = read_bool(in, "is_narrow");
  rule.ensure_minimum_range = read_float(in);
  if (const int64_t axis = in.i64(); axis >= 0) rule.axis = axis;
  rule.ranges = in.list<RangeRule::Range>(2 * sizeof(float), [&] {
    const float min = read_float(in);
    return RangeRule::Range{min, read_float(in)};
  });
  return rule;
}

std::vector<BoundaryEnd> read_ends(ByteReader& in) {
  return in.list<BoundaryEnd>(kEndBytes, [&] {
    BoundaryEnd end;
    end.tensor = in.string();
    end.is_float = read_bool(in, "is_float");
    end.is_signed = read_bool(in, "is_signed");
    end.scale = read_float(in);
    end.zero_point = in.i64();
    if (read_bool(in, "has_rule")) {
      IntRule& rule = end.rule.emplace();
      rule.rounding = read_enum(in, base::Rounding::TiesUp, "rounding");
      rule.least = in.i64();
      rule.greatest = in.i64();
    }
    end.channels = in.list<ChannelScale>(kChannelBytes, [&] {
      const float scale = read_float(in);
      return ChannelScale{scale, in.i64()};
    });
    end.axis = in.i64();
    if (read_bool(in, "has_range")) end.range = read_range_rule(in);
    end.steps = in.list<HostStep>(kStepBytes, [&] {
      HostStep step;
      step.kind = read_enum(in, kLastHostOperator, "host operator");
      step.name = in.string();
      step.shape = read_numbers(in);
      step.numbers = in.list<float>(sizeof(float), [&] { return read_float(in); });
      step.dimensions = read_numbers(in);
      step.operands = read_numbers(in);
      return step;
    });
    end.reads = in.list<std::string>(kCountBytes, [&] { return in.string(); });
    end.source_shape = read_numbers(in);
    end.keeps_bits = read_bool(in, "keeps_bits");
    end.rounds_away = read_bool(in, "rounds_away");
    return end;
  });
}

ControlFlow read_flow(ByteReader& in) {
  ControlFlow flow;
  flow.streams = in.list<StreamPart>(kStreamPartBytes, [&] {
    StreamPart part;
    part.begin_byte = in.i64();
    part.num_bytes = in.i64();
    part.first_command = in.i32();
    return part;
  });
  flow.steps = in.list<Step>(kFlowStepBytes, [&] {
    Step step;
    step.kind = read_enum(in, StepKind::End, "step");
    step.stream = in.i32();
    step.condition = read_address(in);
    step.tensor_idx = in.i32();
    return step;
  });
  flow.table = read_address(in);
  flow.most_commands = in.i64();
  return flow;
}

/// The value's bytes are as many as its type and shape have, and every element is one of the type.
Variable read_variable(ByteReader& in) {
  Variable variable;
  variable.name = in.string();
  variable.is_initialised = read_bool(in, "is_initialised");
  const auto type = read_enum(in, base::ElementType::Int48, "element type");
  const base::Shape shape = read_numbers(in);
  const std::vector<std::byte> bytes = in.blob();
  size_t num_bytes = static_cast<size_t>(base::stored_bytes(type));
  for (const int64_t dim : shape) {
    if (dim < 1 || static_cast<uint64_t>(dim) > bytes.size() / num_bytes)
      in.fail(fmt::format("variable '{}' {} has {} bytes", variable.name, base::to_string(shape), bytes.size()));
    num_bytes *= static_cast<size_t>(dim);
  }
  if (num_bytes != bytes.size())
    in.fail(fmt::format("variable '{}' {} has {} bytes", variable.name, base::to_string(shape), bytes.size()));
  variable.value = base::Tensor(type, shape);
  std::ranges::copy(bytes, variable.value.bytes().begin());
  for (int64_t i = 0; i < variable.value.size(); ++i) variable.value.set(i, variable.value.at(i));
  if (!std::ranges::equal(bytes, variable.value.bytes()))
    in.fail(fmt::format("variable '{}' has a value that {} has not", variable.name, base::to_string(type)));
  variable.before_idx = in.i32();
  variable.after_idx = in.i32();
  return variable;
}

Package read_contents(ByteReader& in, const std::string& file) {
  Package package;
  package.model_name = in.string();
  package.model_sha256 = in.string();
  package.optimize = in.i64();
  package.config = read_config(in, file);
  package.stream_address = read_address(in);
  package.stream = in.blob();
  package.flow = read_flow(in);
  package.image = in.list<Segment>(kSegmentBytes, [&] {
    const base::Address address = read_address(in);
    return Segment{address, in.blob()};
  });
  package.tensors = in.list<TensorEntry>(kTensorBytes, [&] { return read_tensor(in); });
  package.inputs = read_indices(in);
  package.outputs = read_indices(in);
  package.variables = in.list<Variable>(kVariableBytes, [&] { return read_variable(in); });
  package.layers = in.list<LayerEntry>(kLayerBytes, [&] { return read_layer(in); });
  package.command_layers = read_indices(in);
  package.pieces = in.list<Piece>(kPieceBytes, [&] { return read_piece(in); });
  package.folded = in.list<FoldedTensor>(kFoldedBytes, [&] {
    std::string name = in.string();
    return FoldedTensor{std::move(name), in.string()};
  });
  package.sram_blocks = in.list<SramBlock>(kBlockBytes, [&] { return read_block(in); });
  package.sram_peak_bytes = in.i64();
  package.sram_peak.map_bytes = in.i64();
  package.sram_peak.weight_bytes = in.i64();
  package.sram_peak.command_bytes = in.i64();
  package.planned_sram_bytes = in.i64();
  package.least_sram_bytes = in.i64();
  package.external_bytes = in.i64();
  package.weight_bytes = in.i64();
  package.boundary.inputs = read_ends(in);
  package.boundary.outputs = read_ends(in);
  package.source = in.blob();
  if (in.left() != 0) in.fail(fmt::format("{} bytes follow the end", in.left()));
  return package;
}

}  // namespace

Package from_bytes(const std::string& file, std::span<const std::byte> bytes) {
  if (!is_package(bytes)) throw UserError(file, "not a package (a .vnpu file starts with 'VNPU')");
  if (bytes.size() < detail::kContentsOffset) throw UserError(file, "damaged package: it ends after {} bytes", bytes.size());
  ByteReader frame(file, bytes.subspan(detail::kVersionOffset));
  const uint64_t version = frame.number(4);
  if (version != kPackageVersion) {
    throw UserError(file, "package of version {}, this program reads version {}: recompile", version, kPackageVersion);
  }
  const uint64_t checksum = frame.number(4);
  if (const uint32_t actual = detail::checksum_of(bytes); checksum != actual) {
    throw UserError(file, "damaged package: its checksum is {:08x}, it says {:08x}", actual, checksum);
  }
  ByteReader in(file, bytes.subspan(detail::kContentsOffset));
  Package package = read_contents(in, file);
  detail::check_contents(file, package);
  return package;
}

}  // namespace vernier::package
