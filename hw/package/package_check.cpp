// SPDX-License-Identifier: Apache-2.0
// Whether the contents of a package are consistent, so that nobody behind from_bytes() has to look again. Arithmetic is in
// 128 bits: the numbers may be anything.
#include "hw/base/error.hpp"
#include "hw/base/ratio.hpp"
#include "hw/package/package_format.hpp"
#include "hw/spec/command_fields.hpp"
#include "hw/spec/control_flow.hpp"
#include "hw/spec/registers.hpp"

#include <algorithm>

namespace vernier::package::detail {
namespace {

using base::Wide;

constexpr size_t kMaxRank = 6;  // of the machine
constexpr size_t kMaxKernelAxes = 3;

class ContentsCheck {
 public:
  ContentsCheck(const std::string& file, const Package& package) : file_(file), package_(package) {}

  void run() {
    require(package_.optimize >= 0 && package_.optimize <= 2, "optimize is {}, allowed are 0 to 2", package_.optimize);
    require(!package_.stream.empty() && package_.stream.size() % spec::kCommandUnitBytes == 0,
            "the stream has {} bytes, allowed are multiples of {}", package_.stream.size(), spec::kCommandUnitBytes);
    block("the stream", package_.stream_address, package_.stream.size());
    for (const Segment& segment : package_.image) block("a segment of the image", segment.address, segment.bytes.size());
    for (const TensorEntry& tensor : package_.tensors) check(tensor);
    indices("an input", package_.inputs, package_.tensors.size());
    indices("an output", package_.outputs, package_.tensors.size());
    for (const Variable& variable : package_.variables) check(variable);
    indices("the layer of a command", package_.command_layers, package_.layers.size());
    require(package_.command_layers.size() <= package_.stream.size() / spec::kCommandUnitBytes,
            "{} commands do not fit in a stream of {} bytes", package_.command_layers.size(), package_.stream.size());
    check(package_.flow);
    for (const LayerEntry& layer : package_.layers) check(layer);
    int32_t before = 0;
    for (const Piece& piece : package_.pieces) {
      require(piece.command_idx >= before, "the pieces are not in the order of their commands");
      before = piece.command_idx;
      check(piece);
    }
    for (const SramBlock& one : package_.sram_blocks) check(one);
    check_ends("input", package_.boundary.inputs, package_.inputs, Side::Input);
    check_ends("output", package_.boundary.outputs, package_.outputs, Side::Output);
    require(package_.sram_peak_bytes >= 0 && package_.sram_peak_bytes <= package_.config.sram_bytes,
            "sram_peak_bytes is {}, the SRAM has {}", package_.sram_peak_bytes, package_.config.sram_bytes);
    require(package_.planned_sram_bytes >= 0 && package_.planned_sram_bytes <= package_.config.sram_bytes,
            "planned_sram_bytes is {}, the SRAM has {}", package_.planned_sram_bytes, package_.config.sram_bytes);
    require(package_.least_sram_bytes >= 0 && package_.least_sram_bytes <= package_.config.sram_bytes,
            "least_sram_bytes is {}, the SRAM has {}", package_.least_sram_bytes, package_.config.sram_bytes);
    require(package_.weight_bytes >= 0, "weight_bytes is {}", package_.weight_bytes);
    const SramPeak& peak = package_.sram_peak;
    const bool is_split = peak.map_bytes >= 0 && peak.weight_bytes >= 0 && peak.command_bytes >= 0 &&
                          Wide{peak.map_bytes} + peak.weight_bytes + peak.command_bytes <= package_.sram_peak_bytes;
    require(is_split, "{} B of maps, {} B of weights and {} B of commands are no parts of an SRAM peak of {} B",
            peak.map_bytes, peak.weight_bytes, peak.command_bytes, package_.sram_peak_bytes);
    require(package_.external_bytes >= 0 && package_.external_bytes <= spec::kMaxExternalBytes,
            "external_bytes is {}, the external memory has {}", package_.external_bytes, spec::kMaxExternalBytes);
  }

 private:
  template <typename... Args>
  void require(bool holds, fmt::format_string<Args...> what, Args&&... args) const {
    if (!holds) throw base::UserError(file_, "inconsistent package: {}", fmt::format(what, std::forward<Args>(args)...));
  }

  [[nodiscard]] int64_t memory_bytes(base::MemorySpace space) const {
    return space == base::MemorySpace::Sram ? package_.config.sram_bytes : spec::kMaxExternalBytes;
  }

  void block(std::string_view what, const base::Address& address, size_t size) const {
    const auto room = static_cast<uint64_t>(memory_bytes(address.space));
    require(address.offset <= room && size <= room - address.offset, "{} lies at {} with {} bytes, the memory has {}", what,
            address, size, room);
  }

  void indices(std::string_view what, const std::vector<int32_t>& list, size_t size) const {
    for (const int32_t index : list) {
      require(index >= 0 && static_cast<size_t>(index) < size, "{} is number {} of {}", what, index, size);
    }
  }

  /// Each end is one of the tensors of `list`, of codes that it can hold. The list's own indices are good.
  void check_ends(std::string_view what, const std::vector<BoundaryEnd>& ends, const std::vector<int32_t>& list,
                  Side side) const {
    const auto shape_of = [&](const std::string& name) -> std::optional<base::Shape> {
      const auto found = std::find_if(list.begin(), list.end(), [&](int32_t i) { return package_.tensors[i].name == name; });
      return found == list.end() ? std::nullopt : std::optional(package_.tensors[*found].shape);
    };
    for (const BoundaryEnd& end : ends) {
      const auto found =
          std::find_if(list.begin(), list.end(), [&](int32_t index) { return package_.tensors[index].name == end.tensor; });
      require(found != list.end(), "the boundary has '{}', which is no {}", end.tensor, what);
      const TensorEntry& tensor = package_.tensors[*found];
      if (const std::string problem = problem_of(end, tensor.type, tensor.shape, side, shape_of); !problem.empty())
        require(false, "{} '{}': {}", what, end.tensor, problem);
    }
    const std::string problem = problem_of_reads(ends, side);
    require(problem.empty(), "the boundary's {} {}", what, problem);
  }

  void check(const SramBlock& one) const {
    require(one.begin_byte >= 0 && one.begin_byte <= one.end_byte && one.end_byte <= package_.config.sram_bytes,
            "block '{}' lies at {} to {}, the SRAM has {}", one.name, one.begin_byte, one.end_byte,
            package_.config.sram_bytes);
    const auto num_commands = static_cast<int64_t>(package_.command_layers.size());
    require(one.first_command >= -1 && one.first_command <= one.last_command && one.last_command < num_commands,
            "block '{}' lives from command {} to {} of {}", one.name, one.first_command, one.last_command, num_commands);
  }

  void check(const ControlFlow& flow) const {
    require(flow.steps.empty() == flow.streams.empty(), "control flow of {} steps has {} streams", flow.steps.size(),
            flow.streams.size());
    if (flow.steps.empty()) return;
    int64_t next_byte = 0;
    int64_t next_command = 0;
    for (const StreamPart& part : flow.streams) {
      require(part.begin_byte == next_byte && part.num_bytes > 0 && part.num_bytes % spec::kCommandUnitBytes == 0 &&
                  part.num_bytes <= static_cast<int64_t>(package_.stream.size()) - next_byte,
              "a stream has {} bytes from byte {} on, of {}, where byte {} is next", part.num_bytes, part.begin_byte,
              package_.stream.size(), next_byte);
      next_byte += part.num_bytes;
      require(part.first_command >= next_command && (next_byte == part.num_bytes) == (part.first_command == 0),
              "a stream begins with command {}, after {} of the one before it", part.first_command, next_command);
      next_command = int64_t{part.first_command} + 1;
    }
    require(next_byte == static_cast<int64_t>(package_.stream.size()), "the streams have {} bytes of {}", next_byte,
            package_.stream.size());
    require(static_cast<size_t>(next_command) <= package_.command_layers.size(),
            "a stream begins with command {}, there are {}", next_command - 1, package_.command_layers.size());
    if (const std::string problem = problem_of_steps(flow); !problem.empty()) require(false, "{}", problem);
    require(flow.most_commands >= 0 && flow.most_commands <= UINT32_MAX, "the limit of commands is {}, allowed are 0 to {}",
            flow.most_commands, UINT32_MAX);
    require(flow.table.offset % spec::kFlowStepBytes == 0, "the table of steps lies at {}, allowed are multiples of {}",
            flow.table, spec::kFlowStepBytes);
    block("the table of steps", flow.table, static_cast<size_t>(flow_table_bytes(flow)));
    check_table_is_alone(flow);
    for (const Step& step : flow.steps) {
      if (step.kind == StepKind::If || step.kind == StepKind::While) check_condition(step);
    }
  }

  /// What is loaded, and what the host writes, lies elsewhere.
  void check_table_is_alone(const ControlFlow& flow) const {
    const Wide begin = static_cast<int64_t>(flow.table.offset), end = begin + flow_table_bytes(flow);
    const auto apart = [&](std::string_view what, base::MemorySpace space, Wide low, Wide high) {
      require(space != flow.table.space || high <= begin || end <= low, "the table of steps at {} lies in {}", flow.table,
              what);
    };
    const auto place = [&](std::string_view what, base::Address at, size_t size) {
      apart(what, at.space, static_cast<int64_t>(at.offset),
            Wide{static_cast<int64_t>(at.offset)} + static_cast<int64_t>(size));
    };
    place("the stream", package_.stream_address, package_.stream.size());
    for (const Segment& segment : package_.image) place("a segment of the image", segment.address, segment.bytes.size());
    const auto tensor_apart = [&](std::string_view what, int32_t tensor_idx) {
      const TensorEntry& tensor = package_.tensors[tensor_idx];
      const auto [low, high] = bytes_of(tensor, tensor.placement, base::Shape(tensor.shape.size(), 0), tensor.shape);
      apart(what, tensor.placement.base.space, low, high);
    };
    for (const int32_t input : package_.inputs) tensor_apart("an input", input);
    for (const Variable& variable : package_.variables) {
      if (variable.before_idx >= 0) tensor_apart("a variable", variable.before_idx);
    }
  }

  void check_condition(const Step& step) const {
    block("a condition", step.condition, 1);
    if (step.tensor_idx == -1) return;
    indices("the tensor of a condition", {step.tensor_idx}, package_.tensors.size());
    const TensorEntry& tensor = package_.tensors[step.tensor_idx];
    const auto [low, high] = bytes_of(tensor, tensor.placement, base::Shape(tensor.shape.size(), 0), tensor.shape);
    const auto at = static_cast<int64_t>(step.condition.offset);
    require(step.condition.space == tensor.placement.base.space && low <= at && at < high,
            "a condition is the byte at {}, its tensor '{}' lies elsewhere", step.condition, tensor.name);
  }

  /// The places of a variable are tensors like it.
  void check(const Variable& variable) const {
    const auto is_it = [&](const Variable& other) { return other.name == variable.name; };
    require(!variable.name.empty() && std::ranges::count_if(package_.variables, is_it) == 1,
            "'{}' is no name of one variable alone", variable.name);
    for (const int32_t index : {variable.before_idx, variable.after_idx}) {
      if (index == -1) continue;
      indices("a place of a variable", {index}, package_.tensors.size());
      const TensorEntry& tensor = package_.tensors[index];
      require(tensor.type == variable.value.type() && tensor.shape == variable.value.shape(),
              "variable '{}' is {} {}, its tensor '{}' is {} {}", variable.name, base::to_string(variable.value.type()),
              base::to_string(variable.value.shape()), tensor.name, base::to_string(tensor.type),
              base::to_string(tensor.shape));
    }
  }

  void check(const LayerEntry& layer) const {
    require(layer.macs >= 0, "a layer has {} MACs", layer.macs);
    const MainOperator& op = layer.main_operator;
    require(op.kernel.size() == op.stride.size() && op.kernel.size() <= kMaxKernelAxes,
            "a kernel has {} axes and {} strides", op.kernel.size(), op.stride.size());
    const auto is_size = [](int64_t size) { return size >= 1; };
    require(
        std::all_of(op.kernel.begin(), op.kernel.end(), is_size) && std::all_of(op.stride.begin(), op.stride.end(), is_size),
        "a layer has kernel {} and stride {}", base::to_string(op.kernel), base::to_string(op.stride));
    require(op.output_channels >= 0, "a layer has {} output channels", op.output_channels);
  }

  void check(const TensorEntry& tensor) const {
    require(tensor.shape.size() <= kMaxRank, "tensor '{}' has rank {}, allowed are 0 to {}", tensor.name,
            tensor.shape.size(), kMaxRank);
    const int64_t room = memory_bytes(tensor.placement.base.space);
    Wide bytes = base::stored_bytes(tensor.type);
    for (const int64_t size : tensor.shape) {
      require(size >= 1, "tensor '{}' has a dimension of {}", tensor.name, size);
      bytes *= size;
      require(bytes <= room, "tensor '{}' of shape {} is larger than its memory of {} bytes", tensor.name,
              base::to_string(tensor.shape), room);
    }
    box(tensor, tensor.placement, base::Shape(tensor.shape.size(), 0), tensor.shape);
  }

  void check(const Piece& piece) const {
    require(static_cast<size_t>(piece.command_idx) < package_.command_layers.size(), "a piece is of command {} of {}",
            piece.command_idx, package_.command_layers.size());
    indices("the tensor of a piece", {piece.tensor_idx}, package_.tensors.size());
    const TensorEntry& tensor = package_.tensors[piece.tensor_idx];
    const size_t rank = tensor.shape.size();
    require(piece.begin.size() == rank && piece.extent.size() == rank, "a piece of tensor '{}' has another rank",
            tensor.name);
    require(piece.step.empty() || (piece.step.size() == rank && piece.step.back() == 1),
            "a piece of tensor '{}' has steps {}", tensor.name, base::to_string(piece.step));
    base::Shape span = piece.extent;  // from the first element to one past the last
    for (size_t i = 0; i < rank; ++i) {
      const int64_t step = piece.step.empty() ? 1 : piece.step[i];
      const bool is_inside = piece.begin[i] >= 0 && piece.extent[i] >= 1 && piece.begin[i] < tensor.shape[i] && step >= 1 &&
                             piece.extent[i] - 1 <= (tensor.shape[i] - 1 - piece.begin[i]) / step;
      require(is_inside, "a piece of tensor '{}' is outside its shape {}", tensor.name, base::to_string(tensor.shape));
      span[i] = (piece.extent[i] - 1) * step + 1;
    }
    box(tensor, piece.placement, piece.begin, span);
  }

  /// Every element of the box lies in memory. begin and extent are inside the tensor's shape.
  void box(const TensorEntry& tensor, const Placement& placement, const base::Shape& begin,
           const base::Shape& extent) const {
    const auto [low, high] = bytes_of(tensor, placement, begin, extent);
    require(low >= 0 && high <= memory_bytes(placement.base.space), "tensor '{}' lies outside its memory", tensor.name);
  }

  /// The lowest byte of the box, and one past its highest.
  [[nodiscard]] std::pair<Wide, Wide> bytes_of(const TensorEntry& tensor, const Placement& placement,
                                               const base::Shape& begin, const base::Shape& extent) const {
    const size_t rank = begin.size();
    require(placement.strides_bytes.size() == (rank == 0 ? 0 : rank - 1), "tensor '{}' of rank {} has {} strides",
            tensor.name, rank, placement.strides_bytes.size());
    require(placement.channel_block >= 1, "tensor '{}' has channel blocks of {}", tensor.name, placement.channel_block);
    Wide low = static_cast<int64_t>(placement.base.offset);
    Wide high = low;
    for (size_t i = 0; i + 1 < rank; ++i) {
      const Wide first = Wide{begin[i]} * placement.strides_bytes[i];
      const Wide last = (Wide{begin[i]} + extent[i] - 1) * placement.strides_bytes[i];
      low += std::min(first, last);
      high += std::max(first, last);
    }
    if (rank > 0) {
      const auto [least, most] = channel_offsets(placement, begin.back(), begin.back() + extent.back(), tensor.type);
      low += least;
      high += most;
    }
    return {low, high + base::stored_bytes(tensor.type)};
  }

  /// Least and greatest offset of channels [begin, end): within a block they ascend, from block to block they are linear.
  static std::pair<Wide, Wide> channel_offsets(const Placement& placement, int64_t begin, int64_t end,
                                               base::ElementType type) {
    const int64_t block = placement.channel_block;
    const int64_t first = begin / block;
    const int64_t last = (end - 1) / block;
    Wide low = 0;
    Wide high = 0;
    bool is_first = true;
    for (const int64_t b : {first, std::min(first + 1, last), std::max(last - 1, first), last}) {
      const Wide from = std::max(Wide{begin}, Wide{b} * block);
      const Wide to = std::min(Wide{end}, (Wide{b} + 1) * block) - 1;
      const Wide start = Wide{b} * placement.block_pitch_bytes - Wide{b} * block * base::stored_bytes(type);
      low = is_first ? start + from * base::stored_bytes(type) : std::min(low, start + from * base::stored_bytes(type));
      high = is_first ? start + to * base::stored_bytes(type) : std::max(high, start + to * base::stored_bytes(type));
      is_first = false;
    }
    return {low, high};
  }

  const std::string& file_;
  const Package& package_;
};

}  // namespace

void check_contents(const std::string& file, const Package& package) { ContentsCheck(file, package).run(); }

}  // namespace vernier::package::detail
