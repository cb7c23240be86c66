// SPDX-License-Identifier: Apache-2.0
// Writing a package. package_reader.cpp reads the same things in the same order.
#include "hw/package/package.hpp"

#include "hw/base/checksum.hpp"
#include "hw/base/error.hpp"
#include "hw/package/byte_io.hpp"
#include "hw/package/package_format.hpp"

#include <algorithm>
#include <bit>

namespace vernier::package {
namespace {

using detail::ByteWriter;

void write(ByteWriter& out, const base::Address& address) {
  out.u8(static_cast<uint8_t>(address.space));
  out.number(address.offset, 8);
}

void write(ByteWriter& out, const std::vector<int64_t>& numbers) {
  out.list(numbers, [&](int64_t number) { out.i64(number); });
}

void write(ByteWriter& out, const std::vector<int32_t>& indices) {
  out.list(indices, [&](int32_t index) { out.i32(index); });
}

void write(ByteWriter& out, const Placement& placement) {
  write(out, placement.base);
  write(out, placement.strides_bytes);
  out.i64(placement.channel_block);
  out.i64(placement.block_pitch_bytes);
}

/// The shape of the datapath is not written: it is the preset's.
void write(ByteWriter& out, const config::MachineConfig& config) {
  out.string(config.name);
  out.string(config.base);
  out.i64(config.clock_hz);
  out.i64(config.sram_bytes);
  out.i64(config.external.bytes_per_cycle.numerator());
  out.i64(config.external.bytes_per_cycle.denominator());
  out.i64(config.external.latency_cycles);
  out.i64(config.external.burst_bytes);
  out.u8(config.external.is_full_duplex ? 1 : 0);
  out.i64(config.queue_depth);
  out.u8(static_cast<uint8_t>(config.memory_mode));
  out.u8(static_cast<uint8_t>(config.sram_protection));
  out.list(config.origins.external_keys, [&](const std::string& key) { out.string(key); });
}

void write(ByteWriter& out, float number) { out.number(std::bit_cast<uint32_t>(number), 4); }

void write(ByteWriter& out, const RangeRule& rule) {
  out.u8(static_cast<uint8_t>(rule.mode));
  out.u8(rule.is_half_to_even ? 1 : 0);
  out.u8(rule.is_narrow ? 1 : 0);
  write(out, rule.ensure_minimum_range);
  out.i64(rule.axis.value_or(-1));
  out.list(rule.ranges, [&](const RangeRule::Range& range) {
    write(out, range.min);
    write(out, range.max);
  });
}

void write(ByteWriter& out, const std::vector<BoundaryEnd>& ends) {
  out.list(ends, [&](const BoundaryEnd& end) {
    out.string(end.tensor);
    out.u8(end.is_float ? 1 : 0);
    out.u8(end.is_signed ? 1 : 0);
    write(out, end.scale);
    out.i64(end.zero_point);
    out.u8(end.rule ? 1 : 0);
    if (end.rule) {
      out.u8(static_cast<uint8_t>(end.rule->rounding));
      out.i64(end.rule->least);
      out.i64(end.rule->greatest);
    }
    out.list(end.channels, [&](const ChannelScale& one) {
      write(out, one.scale);
      out.i64(one.zero_point);
    });
    out.i64(end.axis);
    out.u8(end.range ? 1 : 0);
    if (end.range) write(out, *end.range);
    out.list(end.steps, [&](const HostStep& step) {
      out.u8(static_cast<uint8_t>(step.kind));
      out.string(step.name);
      write(out, step.shape);
      out.list(step.numbers, [&](float number) { write(out, number); });
      write(out, step.dimensions);
      write(out, step.operands);
    });
    out.list(end.reads, [&](const std::string& name) { out.string(name); });
    write(out, end.source_shape);
    out.u8(end.keeps_bits ? 1 : 0);
    out.u8(end.rounds_away ? 1 : 0);
  });
}

void write(ByteWriter& out, const ControlFlow& flow) {
  out.list(flow.streams, [&](const StreamPart& part) {
    out.i64(part.begin_byte);
    out.i64(part.num_bytes);
    out.i32(part.first_command);
  });
  out.list(flow.steps, [&](const Step& step) {
    out.u8(static_cast<uint8_t>(step.kind));
    out.i32(step.stream);
    write(out, step.condition);
    out.i32(step.tensor_idx);
  });
  write(out, flow.table);
  out.i64(flow.most_commands);
}

void write_tables(ByteWriter& out, const Package& package) {
  out.list(package.tensors, [&](const TensorEntry& tensor) {
    out.string(tensor.name);
    out.u8(static_cast<uint8_t>(tensor.type));
    write(out, tensor.shape);
    write(out, tensor.placement);
  });
  write(out, package.inputs);
  write(out, package.outputs);
  out.list(package.variables, [&](const Variable& variable) {
    out.string(variable.name);
    out.u8(variable.is_initialised ? 1 : 0);
    out.u8(static_cast<uint8_t>(variable.value.type()));
    write(out, variable.value.shape());
    out.blob(variable.value.bytes());
    out.i32(variable.before_idx);
    out.i32(variable.after_idx);
  });
  out.list(package.layers, [&](const LayerEntry& layer) {
    out.string(layer.name);
    out.list(layer.operators, [&](const std::string& name) { out.string(name); });
    out.i64(layer.macs);
    out.string(layer.main_operator.name);
    write(out, layer.main_operator.kernel);
    write(out, layer.main_operator.stride);
    out.i64(layer.main_operator.output_channels);
  });
  write(out, package.command_layers);
  out.list(package.pieces, [&](const Piece& piece) {
    out.i32(piece.command_idx);
    out.i32(piece.tensor_idx);
    write(out, piece.begin);
    write(out, piece.extent);
    write(out, piece.step);
    write(out, piece.placement);
  });
  out.list(package.folded, [&](const FoldedTensor& folded) {
    out.string(folded.name);
    out.string(folded.reason);
  });
  out.list(package.sram_blocks, [&](const SramBlock& block) {
    out.string(block.name);
    out.u8(block.is_constant ? 1 : 0);
    out.i64(block.begin_byte);
    out.i64(block.end_byte);
    out.i64(block.first_command);
    out.i64(block.last_command);
  });
}

}  // namespace

uint32_t detail::checksum_of(std::span<const std::byte> bytes) {
  return base::crc32(bytes.subspan(kContentsOffset), base::crc32(bytes.first(kChecksumOffset)));
}

void mend_checksum(std::vector<std::byte>& bytes) {
  if (bytes.size() < detail::kContentsOffset) return;
  const uint32_t checksum = detail::checksum_of(bytes);
  for (size_t i = 0; i < 4; ++i) bytes[detail::kChecksumOffset + i] = static_cast<std::byte>(checksum >> (8U * i));
}

std::vector<std::byte> to_bytes(const Package& package) {
  VERNIER_CHECK(config::preset_config(package.config.base, "package").datapath.lanes == package.config.datapath.lanes,
                "the datapath of {} is not that of its preset {}", package.config.name, package.config.base);
  ByteWriter out;
  for (const char letter : detail::kMagic) out.u8(static_cast<uint8_t>(letter));
  out.number(kPackageVersion, 4);
  out.number(0, 4);
  out.string(package.model_name);
  out.string(package.model_sha256);
  out.i64(package.optimize);
  write(out, package.config);
  write(out, package.stream_address);
  out.blob(package.stream);
  write(out, package.flow);
  out.list(package.image, [&](const Segment& segment) {
    write(out, segment.address);
    out.blob(segment.bytes);
  });
  write_tables(out, package);
  out.i64(package.sram_peak_bytes);
  out.i64(package.sram_peak.map_bytes);
  out.i64(package.sram_peak.weight_bytes);
  out.i64(package.sram_peak.command_bytes);
  out.i64(package.planned_sram_bytes);
  out.i64(package.least_sram_bytes);
  out.i64(package.external_bytes);
  out.i64(package.weight_bytes);
  write(out, package.boundary.inputs);
  write(out, package.boundary.outputs);
  out.blob(package.source);
  std::vector<std::byte> bytes = std::move(out).take();
  mend_checksum(bytes);
  return bytes;
}

bool is_package(std::span<const std::byte> bytes) {
  return bytes.size() >= detail::kMagic.size() &&
         std::equal(detail::kMagic.begin(), detail::kMagic.end(), bytes.begin(),
                    [](char letter, std::byte byte) { return static_cast<std::byte>(letter) == byte; });
}

int64_t offset_of(const Placement& placement, const base::Shape& coordinates, base::ElementType type) {
  auto offset = static_cast<int64_t>(placement.base.offset);
  if (coordinates.empty()) return offset;
  VERNIER_CHECK(placement.strides_bytes.size() + 1 == coordinates.size(), "{} coordinates, {} strides", coordinates.size(),
                placement.strides_bytes.size());
  for (size_t i = 0; i + 1 < coordinates.size(); ++i) offset += coordinates[i] * placement.strides_bytes[i];
  const int64_t channel = coordinates.back();
  return offset + channel / placement.channel_block * placement.block_pitch_bytes +
         channel % placement.channel_block * base::stored_bytes(type);
}

std::vector<int32_t> tensors_before(const Package& package) {
  std::vector<int32_t> tensors = package.inputs;
  for (const Variable& variable : package.variables) {
    if (variable.before_idx >= 0) tensors.push_back(variable.before_idx);
  }
  return tensors;
}

std::vector<int32_t> tensors_after(const Package& package) {
  std::vector<int32_t> tensors = package.outputs;
  for (const Variable& variable : package.variables) {
    if (variable.after_idx >= 0) tensors.push_back(variable.after_idx);
  }
  return tensors;
}

int32_t layer_of(const Package& package, int64_t command_idx) {
  const bool is_known = command_idx >= 0 && command_idx < static_cast<int64_t>(package.command_layers.size());
  return is_known ? package.command_layers[command_idx] : -1;
}

}  // namespace vernier::package
