// SPDX-License-Identifier: Apache-2.0
// What stands in a package: weights and parameters byte by byte, tensors and where they lie, which command wrote what, and
// the printed form of each stage.
#include "compiler/emit/compile.hpp"
#include "hw/base/checksum.hpp"
#include "hw/base/error.hpp"
#include "hw/package/command_codec.hpp"
#include "hw/package/disassembler.hpp"
#include "tests/support/graph_builder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace vernier::emit {
namespace {

using base::MemorySpace;
using tests::ElementType;
using tests::GraphBuilder;
using tests::random_tensor;

constexpr std::array kModes{spec::MemoryMode::Sram, spec::MemoryMode::WeightsExternal, spec::MemoryMode::External};

/// 5 x 4 pixels, 3 to 20 channels and on to 6: a convolution with a clamp, then a pointwise one whose result is halved.
struct Network {
  GraphBuilder b;
  base::Tensor weights = random_tensor(ElementType::Int8, {20, 3, 3, 3}, 1);
  base::Tensor bias = random_tensor(ElementType::Int32, {20}, 2, -500, 500);
  base::Tensor last_weights = random_tensor(ElementType::Int8, {6, 1, 1, 20}, 3);
  base::Tensor last_bias = random_tensor(ElementType::Int32, {6}, 4, -500, 500);
  ir::TensorId x = b.input("x", ElementType::Int8, {1, 5, 4, 3});
  ir::TensorId clamped = -1, y = -1;
  ir::Graph graph;

  Network() {
    b.set_location("first");
    const auto sum = b.conv2d(x, b.constant(weights), b.constant(bias), {.pad = {1, 1, 1, 1}, .input_zp = 5});
    clamped = b.clamp(b.rescale(sum, ElementType::Int8, {{1 << 30}, {39}, 0, -3}), -100, 100);
    b.set_location("second");
    const auto last = b.conv2d(clamped, b.constant(last_weights), b.constant(last_bias), {.input_zp = -3});
    std::vector<int64_t> multipliers, shifts;
    for (int64_t channel = 0; channel < 6; ++channel) {
      multipliers.push_back((1 << 30) + 1000 * channel);
      shifts.push_back(38 + channel % 3);
    }
    y = b.rescale(last, ElementType::Int8, {multipliers, shifts, 0, 7});
    graph = b.build({y});
  }

  [[nodiscard]] package::Package compiled(spec::MemoryMode mode = spec::MemoryMode::Sram, int64_t optimize = 1) const {
    config::MachineConfig config = config::preset_config("v256", "test");
    config.memory_mode = mode;
    return compile(graph, {"some/folder/net.tosa", kSource}, config, {optimize});
  }
  static constexpr std::array<std::byte, 5> kSource{std::byte{'T'}, std::byte{'O'}, std::byte{'S'}, std::byte{'A'},
                                                    std::byte{0}};
};

std::vector<spec::Command> commands_of(const package::Package& package) {
  std::vector<spec::Command> commands;
  for (size_t offset = 0; offset < package.stream.size();) {
    const package::Decoded decoded = package::decode(std::span(package.stream).subspan(offset));
    REQUIRE(decoded.fault == spec::FaultCode::None);
    commands.push_back(decoded.command);
    offset += static_cast<size_t>(decoded.length_bytes);
  }
  return commands;
}

std::vector<spec::MacCommand> macs_of(const package::Package& package) {
  std::vector<spec::MacCommand> macs;
  for (const spec::Command& command : commands_of(package)) {
    if (const auto* mac = std::get_if<spec::MacCommand>(&command.body)) macs.push_back(*mac);
  }
  return macs;
}

/// Byte `offset` of SRAM at cycle 0.
std::byte image_byte(const package::Package& package, int64_t offset) {
  for (const package::Segment& segment : package.image) {
    const int64_t at = offset - static_cast<int64_t>(segment.address.offset);
    if (segment.address.space == MemorySpace::Sram && at >= 0 && at < static_cast<int64_t>(segment.bytes.size())) {
      return segment.bytes[static_cast<size_t>(at)];
    }
  }
  FAIL("byte " << offset << " is in no segment");
  return {};
}
template <typename T>
T image_value(const package::Package& package, int64_t offset) {
  std::array<std::byte, sizeof(T)> bytes{};
  for (size_t i = 0; i < sizeof(T); ++i) bytes[i] = image_byte(package, offset + static_cast<int64_t>(i));
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

TEST_CASE("Weights lie in the order of use, byte by byte: channel tile, step, lane, reduction element") {
  const Network network;
  const package::Package package = network.compiled();
  const std::vector<spec::MacCommand> macs = macs_of(package);
  REQUIRE(macs.size() == 2);
  for (size_t layer = 0; layer < 2; ++layer) {
    const spec::MacCommand& mac = macs[layer];
    const base::Tensor& weights = layer == 0 ? network.weights : network.last_weights;
    REQUIRE(mac.weight_order == spec::WeightOrder::Tiles);
    const int64_t out_channels = weights.shape()[0], reduction = weights.size() / out_channels;
    REQUIRE(mac.out_channels == out_channels);
    REQUIRE(mac.reduction_end == reduction);
    const int64_t tile = 16 >> mac.lane_split_log2, steps = (reduction + 15) / 16;
    int64_t at = mac.weight_base;
    for (int64_t first = 0; first < out_channels; first += tile) {
      for (int64_t step = 0; step < steps; ++step) {
        for (int64_t channel = first; channel < std::min(first + tile, out_channels); ++channel) {
          for (int64_t r = 16 * step; r < 16 * step + 16; ++r, ++at) {
            const int64_t expected = r < reduction ? weights.at(channel * reduction + r) : 0;
            CAPTURE(layer, channel, r);
            REQUIRE(static_cast<int8_t>(image_byte(package, at)) == expected);
          }
        }
      }
    }
  }
}

TEST_CASE("A channel's parameters are its bias, multiplier and shift in ten bytes") {
  const Network network;
  const package::Package package = network.compiled();
  const spec::MacCommand mac = macs_of(package).at(1);
  REQUIRE(mac.scale32);
  for (int64_t channel = 0; channel < 6; ++channel) {
    CAPTURE(channel);
    const int64_t at = mac.parameter_base + channel * spec::kChannelParameterBytes;
    CHECK(image_value<int32_t>(package, at) == network.last_bias.at(channel));
    CHECK(image_value<int32_t>(package, at + 4) == (1 << 30) + 1000 * channel);
    CHECK(image_value<uint8_t>(package, at + 8) == 38 + channel % 3);
    CHECK(image_value<uint8_t>(package, at + 9) == 0);
  }
  CHECK(mac.output_zero_point == 7);
  CHECK(mac.input_zero_point == -3);
  // Packed weights of both layers and 26 parameters, each at its own alignment.
  const int64_t packed = 20 * 2 * 16 + 6 * 2 * 16 + 26 * spec::kChannelParameterBytes;
  CHECK(package.weight_bytes == packed);
}

TEST_CASE("Two compilations give equal packages, byte by byte, on every machine and in every mode") {
  for (const char* preset : {"v64", "v256", "v1024", "v256-sram48", "v256-port8"}) {
    for (const spec::MemoryMode mode : kModes) {
      config::MachineConfig config = config::preset_config(preset, "test");
      config.memory_mode = mode;
      const Network first, second;
      CHECK(package::to_bytes(compile(first.graph, {"n", {}}, config, {})) ==
            package::to_bytes(compile(second.graph, {"n", {}}, config, {})));
    }
  }
}

TEST_CASE("A package says what it was made from, and carries it") {
  const Network network;
  const package::Package package = network.compiled(spec::MemoryMode::WeightsExternal, 0);
  CHECK(package.model_name == "net.tosa");
  CHECK(package.model_sha256 == base::sha256_hex(Network::kSource));
  CHECK(std::equal(package.source.begin(), package.source.end(), Network::kSource.begin(), Network::kSource.end()));
  CHECK(package.optimize == 0);
  CHECK(package.config.name == "v256");
  CHECK(package.config.memory_mode == spec::MemoryMode::WeightsExternal);
}

TEST_CASE("The graph's edges are dense, row-major, where the mode wants them") {
  const Network network;
  for (const spec::MemoryMode mode : kModes) {
    const package::Package package = network.compiled(mode);
    REQUIRE(package.inputs.size() == 1);
    REQUIRE(package.outputs.size() == 1);
    const package::TensorEntry& input = package.tensors[package.inputs[0]];
    const package::TensorEntry& output = package.tensors[package.outputs[0]];
    CHECK(input.name == "x");
    CHECK(input.shape == base::Shape{1, 5, 4, 3});
    CHECK(output.shape == base::Shape{1, 5, 4, 6});
    const MemorySpace edge = mode == spec::MemoryMode::External ? MemorySpace::External : MemorySpace::Sram;
    for (const package::TensorEntry* entry : {&input, &output}) {
      CHECK(entry->type == ElementType::Int8);
      CHECK(entry->placement.base.space == edge);
      const auto base = static_cast<int64_t>(entry->placement.base.offset);
      const base::Shape& shape = entry->shape;
      for (int64_t i = 0; i < base::num_elements(shape); ++i) {
        const base::Shape at{0, i / (shape[2] * shape[3]), i / shape[3] % shape[2], i % shape[3]};
        CHECK(package::offset_of(entry->placement, at, entry->type) == base + i);
      }
    }
  }
}

TEST_CASE("The stream follows the image in its memory, and ends with END") {
  const Network network;
  for (const spec::MemoryMode mode : kModes) {
    const package::Package package = network.compiled(mode);
    const MemorySpace space = mode == spec::MemoryMode::Sram ? MemorySpace::Sram : MemorySpace::External;
    CHECK(package.stream_address.space == space);
    CHECK(package.stream_address.offset % 16 == 0);
    for (const package::Segment& segment : package.image) {
      CHECK(segment.address.space == space);
      CHECK(segment.address.offset + segment.bytes.size() <= package.stream_address.offset);
    }
    const std::vector<spec::Command> commands = commands_of(package);
    REQUIRE(commands.size() == package.command_layers.size());
    for (size_t i = 0; i < commands.size(); ++i) {
      CHECK(std::holds_alternative<spec::EndCommand>(commands[i].body) == (i + 1 == commands.size()));
      CHECK(package.command_layers[i] >= 0);
      CHECK(static_cast<size_t>(package.command_layers[i]) < package.layers.size());
    }
    CHECK(package::from_bytes("test", package::to_bytes(package)) == package);
  }
}

TEST_CASE("The pieces of a tensor cover each of its elements once, and belong to commands in ascending order") {
  const Network network;
  for (const int64_t optimize : {0, 1}) {
    for (const spec::MemoryMode mode : kModes) {
      const package::Package package = network.compiled(mode, optimize);
      std::map<int32_t, std::map<base::Shape, int>> written;
      for (size_t i = 0; i < package.pieces.size(); ++i) {
        const package::Piece& piece = package.pieces[i];
        if (i > 0) CHECK(piece.command_idx >= package.pieces[i - 1].command_idx);
        REQUIRE(piece.command_idx >= 0);
        REQUIRE(static_cast<size_t>(piece.command_idx) + 1 < package.command_layers.size());
        REQUIRE(piece.extent.size() == 4);
        for (int64_t e = 0; e < base::num_elements(piece.extent); ++e) {
          base::Shape at = piece.begin;
          int64_t rest = e;
          for (size_t d = 4; d-- > 0; rest /= piece.extent[d]) {
            at[d] += rest % piece.extent[d] * (piece.step.empty() ? 1 : piece.step[d]);
          }
          ++written[piece.tensor_idx][at];
        }
      }
      CHECK(written.contains(package.outputs[0]));
      for (const auto& [tensor, elements] : written) {
        INFO(package.tensors[tensor].name);
        CHECK(static_cast<int64_t>(elements.size()) == base::num_elements(package.tensors[tensor].shape));
        CHECK(std::all_of(elements.begin(), elements.end(), [](const auto& element) { return element.second == 1; }));
      }
      CHECK_FALSE(written.contains(package.inputs[0]));
    }
  }
}

TEST_CASE("A command belongs to the layer of the operator that it works for") {
  const Network network;
  const package::Package package = network.compiled();
  std::vector<std::string> layers;
  const std::vector<spec::Command> commands = commands_of(package);
  for (size_t i = 0; i < commands.size(); ++i) {
    if (!std::holds_alternative<spec::MacCommand>(commands[i].body)) continue;
    layers.push_back(package.layers[package.command_layers[i]].name);
  }
  CHECK(layers == std::vector<std::string>{"first", "second"});
  CHECK(package.layers[package.command_layers.back()].name == "second");
}

TEST_CASE("Every tensor of the graph has a place, or a reason why it has none") {
  const Network network;
  for (const int64_t optimize : {0, 1}) {
    const package::Package package = network.compiled(spec::MemoryMode::Sram, optimize);
    std::set<std::string> placed, folded;
    for (const package::TensorEntry& entry : package.tensors) placed.insert(entry.name);
    for (const package::FoldedTensor& entry : package.folded) {
      CHECK_FALSE(entry.reason.empty());
      CHECK(folded.insert(entry.name).second);
    }
    for (const ir::Operator& op : network.graph.operators) {
      const std::string& name = network.graph.tensor(op.outputs[0]).name;
      INFO(name << " at --optimize " << optimize);
      CHECK(placed.contains(name) != folded.contains(name));
    }
    // The sums of the convolutions are in accumulators only where their rescale is fused.
    CHECK(folded.empty() == (optimize == 0));
  }
}

TEST_CASE("What a back end without cycles lists are the layers of the package") {
  const Network network;
  const config::MachineConfig config = config::preset_config("v256", "test");
  for (const int64_t optimize : {0, 1}) {
    CHECK(layer_entries(network.graph, "n", config, {optimize}) ==
          network.compiled(spec::MemoryMode::Sram, optimize).layers);
  }
}

TEST_CASE("Each stage prints what it is, the same each time") {
  using Catch::Matchers::Contains;
  const Network network;
  const config::MachineConfig config = config::preset_config("v256", "test");
  const auto print = [&](const std::string& stage) {
    const std::string text = print_stage(stage, network.graph, {"net.tosa", {}}, config, {});
    CHECK(text == print_stage(stage, network.graph, {"net.tosa", {}}, config, {}));
    return text;
  };
  const std::string ir = print("ir");
  CHECK_THAT(ir, Catch::Matchers::StartsWith(ir::print_shortened(network.graph)));
  CHECK(ir.size() > ir::print_shortened(network.graph).size() + 100);  // the lowered program follows
  const std::string schedule = print("schedule");
  CHECK_THAT(schedule, Contains("first") && Contains("second"));
  CHECK(print("stream") == package::disassemble(compile(network.graph, {"net.tosa", {}}, config, {})));
  CHECK_THROWS_AS(print("nothing"), base::InternalError);
}

TEST_CASE("A network that does not fit is refused by its file's name") {
  const Network network;
  config::MachineConfig config = config::preset_config("v256", "test");
  config.sram_bytes = 1024;
  CHECK_THROWS_WITH(compile(network.graph, {"net.tosa", {}}, config, {}), Catch::Matchers::StartsWith("net.tosa: "));
}

TEST_CASE("What a command writes lies in a block of SRAM that lives then") {
  const Network network;
  for (const spec::MemoryMode mode : kModes) {
    const package::Package package = network.compiled(mode);
    const auto num_commands = static_cast<int64_t>(package.command_layers.size());
    int64_t highest = 0, found = 0;
    for (const package::SramBlock& block : package.sram_blocks) {
      CHECK((block.begin_byte >= 0 && block.begin_byte < block.end_byte && !block.name.empty()));
      CHECK((block.first_command >= -1 && block.first_command <= block.last_command && block.last_command < num_commands));
      highest = std::max(highest, block.end_byte);
    }
    CHECK(highest == package.sram_peak_bytes);
    for (const package::Piece& piece : package.pieces) {
      if (piece.placement.base.space != MemorySpace::Sram) continue;
      const package::TensorEntry& tensor = package.tensors[piece.tensor_idx];
      base::Shape last = piece.begin;
      for (size_t i = 0; i < last.size(); ++i) last[i] += piece.extent[i] - 1;
      const int64_t from = package::offset_of(piece.placement, piece.begin, tensor.type);
      const int64_t to = package::offset_of(piece.placement, last, tensor.type);
      const auto holds = [&](const package::SramBlock& block) {
        return !block.is_constant && block.begin_byte <= from && to < block.end_byte &&
               block.first_command <= piece.command_idx && piece.command_idx <= block.last_command;
      };
      INFO(tensor.name << " of command " << piece.command_idx);
      CHECK(std::any_of(package.sram_blocks.begin(), package.sram_blocks.end(), holds));
      ++found;
    }
    CHECK((found > 0 || mode == spec::MemoryMode::External));
    const bool has_image = std::any_of(package.sram_blocks.begin(), package.sram_blocks.end(), [&](const auto& block) {
      return block.is_constant && block.first_command == -1 && block.last_command == num_commands - 1;
    });
    CHECK(has_image == (mode == spec::MemoryMode::Sram));
  }
}

}  // namespace
}  // namespace vernier::emit
