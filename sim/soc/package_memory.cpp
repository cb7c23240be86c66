// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/package_memory.hpp"

#include "hw/base/error.hpp"
#include "hw/package/range.hpp"
#include "hw/package/stream_commands.hpp"
#include "hw/package/validity.hpp"
#include "sim/soc/tensor_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace vernier::soc {

namespace {

void write(const JobMemory& memory, base::Address address, std::span<const std::byte> bytes) {
  mem::MemoryIf& to = memory.of(address.space);
  const auto offset = static_cast<int64_t>(address.offset);
  VERNIER_CHECK(to.storage().contains(offset, static_cast<int64_t>(bytes.size())), "{} bytes at {} lie outside the memory",
                bytes.size(), address);
  to.write(offset, bytes);
}

/// Calls visit(address, number of bytes) for each part of image and stream.
template <typename Visit>
void for_each_part(const package::Package& package, Visit&& visit) {
  for (const package::Segment& segment : package.image) visit(segment.address, static_cast<int64_t>(segment.bytes.size()));
  visit(package.stream_address, static_cast<int64_t>(package.stream.size()));
  if (!package.flow.steps.empty()) visit(package.flow.table, package::flow_table_bytes(package.flow));
}

/// One past the last byte of a tensor. Strides are zero or more, so it is that of a last element: of the last channel, or of
/// the last whole block of them.
int64_t end_of(const package::TensorEntry& entry) {
  if (base::num_elements(entry.shape) == 0) return static_cast<int64_t>(entry.placement.base.offset);
  base::Shape last = entry.shape;
  for (int64_t& extent : last) --extent;
  int64_t end = package::offset_of(entry.placement, last, entry.type);
  if (const int64_t block = entry.placement.channel_block; !last.empty() && last.back() >= block) {
    last.back() = last.back() / block * block - 1;
    end = std::max(end, package::offset_of(entry.placement, last, entry.type));
  }
  return end + base::stored_bytes(entry.type);
}

}  // namespace

PackageExtents extents_of(const package::Package& package) {
  PackageExtents extents{package.sram_peak_bytes, package.sram_peak_bytes, package.external_bytes, package.external_bytes};
  const auto cover = [&](base::MemorySpace space, int64_t end) {
    int64_t& size = space == base::MemorySpace::Sram ? extents.sram_bytes : extents.external_bytes;
    size = std::max(size, end);
  };
  for_each_part(package, [&](base::Address address, int64_t num_bytes) {
    cover(address.space, static_cast<int64_t>(address.offset) + num_bytes);
  });
  for (const package::TensorEntry& entry : package.tensors) cover(entry.placement.base.space, end_of(entry));
  for (const package::Step& step : package.flow.steps) {
    const bool has_condition = step.kind == package::StepKind::If || step.kind == package::StepKind::While;
    if (has_condition) cover(step.condition.space, static_cast<int64_t>(step.condition.offset) + 1);
  }
  const auto written_from = [&](base::MemorySpace space, int64_t begin) {
    int64_t& most = space == base::MemorySpace::Sram ? extents.sram_read_only_bytes : extents.external_read_only_bytes;
    most = std::clamp<int64_t>(begin, 0, most);
  };
  package::for_each_stream(package, [&](int64_t begin_byte, int64_t num_bytes) {
    for (const package::StreamCommand& placed : package::commands_of_part(package, begin_byte, num_bytes)) {
      if (package::check(placed.command, package.config.datapath).fault != spec::FaultCode::None) break;
      for (const package::Range& range : package::ranges_of(placed.command, package.config.datapath)) {
        if (range.storage != package::Storage::Sram && range.storage != package::Storage::External) continue;
        const auto space = range.storage == package::Storage::Sram ? base::MemorySpace::Sram : base::MemorySpace::External;
        cover(space, range.end());
        if (range.is_write) written_from(space, range.base);
      }
    }
  });
  return extents;
}

int64_t image_end(const package::Package& package, base::MemorySpace space) {
  int64_t end = 0;
  for_each_part(package, [&](base::Address address, int64_t num_bytes) {
    if (address.space == space) end = std::max(end, static_cast<int64_t>(address.offset) + num_bytes);
  });
  return end;
}

void load_image(const JobMemory& memory, const package::Package& package) {
  for (const package::Segment& segment : package.image) write(memory, segment.address, segment.bytes);
  write(memory, package.stream_address, package.stream);
  if (package.flow.steps.empty()) return;
  const std::vector<uint32_t> table = package::flow_table(package.flow, package.stream_address);
  write(memory, package.flow.table, std::as_bytes(std::span(table)));
}

void forget_all_but_image(const JobMemory& memory, const package::Package& package, const PackageExtents& extents) {
  for (const auto& [space, size_bytes] : {std::pair(base::MemorySpace::Sram, extents.sram_bytes),
                                          std::pair(base::MemorySpace::External, extents.external_bytes)}) {
    std::vector<std::pair<int64_t, int64_t>> kept;
    for_each_part(package, [&, in = space](base::Address address, int64_t num_bytes) {
      const auto begin = static_cast<int64_t>(address.offset);
      if (address.space == in) kept.emplace_back(begin, begin + num_bytes);
    });
    kept.emplace_back(size_bytes, size_bytes);
    std::sort(kept.begin(), kept.end());
    int64_t from = 0;
    for (const auto& [begin, end] : kept) {
      if (begin > from) memory.of(space).forget(from, begin - from);
      from = std::max(from, end);
    }
  }
}

void write_inputs(const JobMemory& memory, const package::Package& package, const std::vector<base::Tensor>& inputs) {
  VERNIER_CHECK(inputs.size() == package.inputs.size(), "{} inputs are given, the package has {}", inputs.size(),
                package.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const package::TensorEntry& entry = package.tensors[package.inputs[i]];
    VERNIER_CHECK(inputs[i].type() == entry.type && inputs[i].shape() == entry.shape,
                  "input {} is {} {}, the package has {} {}", entry.name, base::to_string(inputs[i].type()),
                  base::to_string(inputs[i].shape()), base::to_string(entry.type), base::to_string(entry.shape));
    write_tensor(memory.of(entry.placement.base.space), entry.placement, inputs[i]);
  }
}

void write_variables(const JobMemory& memory, const package::Package& package) {
  for (const package::Variable& variable : package.variables) {
    if (variable.before_idx < 0) continue;
    const package::TensorEntry& entry = package.tensors[variable.before_idx];
    write_tensor(memory.of(entry.placement.base.space), entry.placement, variable.value);
  }
}

std::optional<std::string> unreadable_output(const JobMemory& memory, const package::Package& package) {
  for (const int32_t output : package::tensors_after(package)) {
    const package::TensorEntry& entry = package.tensors[output];
    mem::MemoryIf& from = memory.of(entry.placement.base.space);
    const auto begin = static_cast<int64_t>(entry.placement.base.offset);
    if (!from.find_parity_error(begin, end_of(entry) - begin)) continue;  // nearly always
    for (int64_t i = 0; i < base::num_elements(entry.shape); ++i) {
      const int64_t offset = package::offset_of(entry.placement, base::coordinates_of(entry.shape, i), entry.type);
      if (!from.find_parity_error(offset, base::stored_bytes(entry.type))) continue;
      return fmt::format("the host reads element {} of output {}, whose parity is wrong", i, entry.name);
    }
  }
  return std::nullopt;
}

namespace {

base::Tensor read_whole(const JobMemory& memory, const package::TensorEntry& entry) {
  const base::Shape origin(entry.shape.size(), 0);
  return read_box(memory.of(entry.placement.base.space).storage(), entry.placement, entry.type, origin, entry.shape);
}

}  // namespace

std::vector<base::Tensor> read_outputs(const JobMemory& memory, const package::Package& package) {
  std::vector<base::Tensor> outputs;
  for (const int32_t output : package.outputs) outputs.push_back(read_whole(memory, package.tensors[output]));
  return outputs;
}

std::vector<base::Tensor> read_variables(const JobMemory& memory, const package::Package& package) {
  std::vector<base::Tensor> values;
  for (const package::Variable& variable : package.variables)
    values.push_back(variable.after_idx < 0 ? variable.value : read_whole(memory, package.tensors[variable.after_idx]));
  return values;
}

}  // namespace vernier::soc
