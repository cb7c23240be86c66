// SPDX-License-Identifier: Apache-2.0
#include "hw/package/package.hpp"

#include "hw/base/error.hpp"
#include "hw/package/command_codec.hpp"
#include "hw/package/disassembler.hpp"
#include "tests/unit/hw_package/samples.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <regex>
#include <sstream>

using namespace vernier;
using namespace vernier::package;
using Catch::Matchers::Contains;

namespace {

Package sample_package() {
  Package package;
  package.model_name = "tiny.tosa";
  package.model_sha256 = std::string(64, 'a');
  package.config = config::preset_config("v256", "test");
  package.config.name = "mine";
  package.config.sram_bytes = 65536;
  package.config.external.bytes_per_cycle = {1, 125};
  package.config.origins.external_keys = {"external_bytes_per_second"};
  package.stream_address = {base::MemorySpace::Sram, 0xF000};
  for (const spec::Command& command :
       {samples::copy(), samples::convolution(), samples::softmax_sum(), samples::depthwise(), samples::end()}) {
    encode(command, package.stream);
  }
  package.image = {{{base::MemorySpace::Sram, 0x4000}, std::vector<std::byte>(37, std::byte{5})},
                   {{base::MemorySpace::External, 0x1000}, std::vector<std::byte>(3, std::byte{9})}};
  package.tensors = {
      {"in", base::ElementType::Int8, {1, 8, 8, 32}, {{base::MemorySpace::Sram, 0x100}, {2048, 256, 32}, 32, 32}},
      {"out", base::ElementType::Int8, {1, 8, 8, 24}, {{base::MemorySpace::Sram, 0xC000}, {0, 128, 16}, 16, 1024}},
      {"scalar", base::ElementType::Int32, {}, {{base::MemorySpace::External, 0x20}, {}, 1, 4}}};
  package.inputs = {0};
  package.outputs = {1, 2};
  package.variables = {{"state", true, base::Tensor(base::ElementType::Int32, {}), -1, 2},
                       {"counts", false, base::Tensor(base::ElementType::Int48, {2, 1}), -1, -1}};
  package.variables[0].value.set(0, -7);
  package.layers = {{"layer_1", {"CONV2D", "RESCALE"}, 442368, {"CONV2D", {3, 5}, {2, 1}, 24}}, {"layer_2", {}, 0}};
  package.command_layers = {0, 0, 1, 1, 1};
  package.pieces = {{1, 1, {0, 0, 0, 0}, {1, 4, 8, 24}, {}, package.tensors[1].placement},
                    {3, 1, {0, 3, 0, 16}, {1, 2, 8, 8}, {1, 4, 1, 1}, package.tensors[1].placement}};
  package.folded = {{"acc", "fused into CONV2D layer_1"}};
  package.sram_blocks = {{"in", false, 0x100, 0x900, -1, 1}, {"weights of layer_1", true, 0x4000, 0x4040, 0, 4}};
  package.sram_peak_bytes = 0xF400;
  package.sram_peak = {0xA000, 0x5000, 0x300};
  package.planned_sram_bytes = 0xF800;
  package.least_sram_bytes = 0x4000;
  package.external_bytes = 0x1003;
  package.weight_bytes = 40;
  package.boundary = {{{"in", true, false, 0.25F, 131}}, {{"out", false, true, 1.5F, -3}}};
  package.boundary.inputs[0].rule = {base::Rounding::Floor, 0, 254};
  package.boundary.inputs[0].channels.assign(8, {0.5F, 130});
  package.boundary.inputs[0].axis = 1;
  package.boundary.outputs[0].is_float = true;
  package.boundary.outputs[0].steps = {{HostOperator::Clip, "c", {}, {-INFINITY, 6}, {}, {0}},
                                       {HostOperator::Mul, "m", {24}, std::vector<float>(24, 0.5F), {}},
                                       {HostOperator::Transpose, "t", {}, {}, {0, 3, 1, 2}},
                                       {HostOperator::Max, "a", {}, {}, {}, {4, 1}}};
  package.boundary.outputs[0].reads = {"scalar"};
  package.boundary.outputs.push_back({"scalar", false, true, 0.5F});
  package.boundary.outputs[0].source_shape = {1, 24, 8, 8};
  package.source = std::vector<std::byte>(19, std::byte{7});
  return package;
}

std::string error_of(const std::vector<std::byte>& bytes) {
  try {
    from_bytes("tiny.vnpu", bytes);
  } catch (const base::UserError& error) {
    const std::string message = error.what();
    CHECK(message.rfind("tiny.vnpu: ", 0) == 0);
    CHECK(message.find('\n') == std::string::npos);
    return message;
  }
  return "no error";
}

/// What from_bytes says of the sample after a change that the writer lets through.
std::string error_after(const std::function<void(Package&)>& change) {
  Package package = sample_package();
  change(package);
  return error_of(to_bytes(package));
}

}  // namespace

TEST_CASE("a package survives its file, and has the same bytes again") {
  const Package package = sample_package();
  const std::vector<std::byte> bytes = to_bytes(package);
  REQUIRE(is_package(bytes));
  const Package again = from_bytes("tiny.vnpu", bytes);
  CHECK((again == package));
  CHECK(again.config.external.bytes_per_cycle == base::Ratio(1, 125));
  CHECK(again.config.origins.external_keys == package.config.origins.external_keys);
  CHECK(to_bytes(again) == bytes);
  CHECK_FALSE(is_package(std::span(bytes).first(3)));
}

TEST_CASE("every truncation of a package is refused") {
  const std::vector<std::byte> bytes = to_bytes(sample_package());
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::vector<std::byte> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    REQUIRE(error_of(cut) != "no error");
    mend_checksum(cut);
    REQUIRE(error_of(cut) != "no error");
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte{0});
  mend_checksum(longer);
  CHECK_THAT(error_of(longer), Contains("1 bytes follow the end"));
}

TEST_CASE("every changed byte of a package is refused by its checksum") {
  const std::vector<std::byte> bytes = to_bytes(sample_package());
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::vector<std::byte> changed = bytes;
    changed[i] ^= std::byte{0x20};
    const std::string error = error_of(changed);
    REQUIRE_THAT(error, Contains(i < 4 ? "not a package" : i < 8 ? "recompile" : "checksum"));
  }
}

TEST_CASE("another version says recompile") {
  std::vector<std::byte> bytes = to_bytes(sample_package());
  bytes[4] = std::byte{kPackageVersion + 1};
  mend_checksum(bytes);
  CHECK(error_of(bytes) == fmt::format("tiny.vnpu: package of version {}, this program reads version {}: recompile",
                                       kPackageVersion + 1, kPackageVersion));
}

TEST_CASE("a damaged package with a good checksum is read or refused, never more") {
  constexpr uint32_t kSeed = 23;
  INFO("seed " << kSeed);
  samples::Random random(kSeed);
  const std::vector<std::byte> bytes = to_bytes(sample_package());
  const auto last = static_cast<int64_t>(bytes.size()) - 1;
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::byte> changed = bytes;
    for (int64_t n = random.between(1, 3); n-- > 0;) {
      const auto at = static_cast<size_t>(random.between(12, last));
      changed[at] = random.flip() ? static_cast<std::byte>(random.between(0, 255)) : std::byte{0xFF};
    }
    mend_checksum(changed);
    try {
      const Package package = from_bytes("tiny.vnpu", changed);
      disassemble(package);
      for (const Piece& piece : package.pieces) {
        const TensorEntry& tensor = package.tensors[piece.tensor_idx];
        const int64_t offset = offset_of(piece.placement, piece.begin, tensor.type);
        REQUIRE(offset >= 0);
      }
      REQUIRE(to_bytes(package) == changed);
    } catch (const base::UserError&) {
      ++refused;
    }
  }
  CHECK(refused > 5000);
  CHECK(refused < 19000);
}

TEST_CASE("an inconsistent package is refused with the reason") {
  CHECK(error_after([](Package&) {}) == "no error");
  CHECK_THAT(error_after([](Package& p) { p.optimize = 3; }), Contains("optimize is 3"));
  CHECK_THAT(error_after([](Package& p) { p.config.queue_depth = 1; }), Contains("queue_depth_commands is 1"));
  CHECK_THAT(error_after([](Package& p) { p.stream.clear(); }), Contains("the stream has 0 bytes"));
  CHECK_THAT(error_after([](Package& p) { p.stream.resize(p.stream.size() + 1); }), Contains("multiples of 16"));
  CHECK_THAT(error_after([](Package& p) { p.stream_address.offset = 65536; }), Contains("the stream lies at sram:0x10000"));
  CHECK_THAT(error_after([](Package& p) { p.image[0].address.offset = 65536 - 36; }), Contains("a segment of the image"));
  CHECK(error_after([](Package& p) { p.image[0].address.offset = 65536 - 37; }) == "no error");
  CHECK_THAT(error_after([](Package& p) { p.inputs = {3}; }), Contains("an input is number 3 of 3"));
  CHECK_THAT(error_after([](Package& p) { p.outputs = {-1}; }), Contains("an output is number -1"));
  CHECK_THAT(error_after([](Package& p) { p.variables[0].before_idx = 3; }), Contains("a place of a variable is number 3"));
  CHECK_THAT(error_after([](Package& p) { p.variables[0].after_idx = -2; }), Contains("a place of a variable is number -2"));
  CHECK_THAT(error_after([](Package& p) { p.variables[1].after_idx = 2; }),
             Contains("variable 'counts' is int48 [2, 1], its tensor 'scalar' is int32 []"));
  CHECK_THAT(error_after([](Package& p) { p.variables[1].name = "state"; }), Contains("'state' is no name of one variable"));
  CHECK_THAT(error_after([](Package& p) { p.variables[1].name = ""; }), Contains("'' is no name of one variable"));
  CHECK_THAT(error_after([](Package& p) { p.variables[1].value.bytes()[7] = std::byte{1}; }),
             Contains("variable 'counts' has a value that int48 has not"));
  CHECK_THAT(error_after([](Package& p) { p.command_layers[2] = 2; }), Contains("the layer of a command is number 2 of 2"));
  CHECK_THAT(error_after([](Package& p) { p.command_layers.resize(999); }), Contains("999 commands do not fit"));
  CHECK_THAT(error_after([](Package& p) { p.layers[0].macs = -1; }), Contains("MACs"));
  CHECK_THAT(error_after([](Package& p) { std::swap(p.pieces[0], p.pieces[1]); }), Contains("order"));
  CHECK_THAT(error_after([](Package& p) { p.pieces[1].command_idx = 5; }), Contains("command 5 of 5"));
  CHECK_THAT(error_after([](Package& p) { p.pieces[1].tensor_idx = 3; }), Contains("number 3 of 3"));
  CHECK_THAT(error_after([](Package& p) { p.pieces[1].extent[3] = 9; }), Contains("outside its shape [1, 8, 8, 24]"));
  CHECK_THAT(error_after([](Package& p) { p.pieces[1].begin.pop_back(); }), Contains("another rank"));
  CHECK(error_after([](Package& p) { p.pieces[1].step = {1, 4, 2, 1}; }) != "no error");
  CHECK(error_after([](Package& p) { p.pieces[1].step = {1, 0, 1, 1}; }) != "no error");
  CHECK_THAT(error_after([](Package& p) { p.pieces[1].step = {1, 4, 1, 2}; }), Contains("has steps [1, 4, 1, 2]"));
  CHECK_THAT(error_after([](Package& p) { p.pieces[1].step = {1, 5, 1, 1}; }), Contains("outside its shape"));
  CHECK_THAT(error_after([](Package& p) { p.sram_blocks[0].begin_byte = -1; }), Contains("block 'in' lies at -1 to 2304"));
  CHECK_THAT(error_after([](Package& p) { p.sram_blocks[0].begin_byte = 2305; }), Contains("lies at 2305 to 2304"));
  CHECK_THAT(error_after([](Package& p) { p.sram_blocks[1].end_byte = 65537; }), Contains("to 65537, the SRAM has 65536"));
  CHECK(error_after([](Package& p) { p.sram_blocks[1].end_byte = 65536; }) == "no error");
  CHECK_THAT(error_after([](Package& p) { p.sram_blocks[0].first_command = -2; }), Contains("from command -2 to 1 of 5"));
  CHECK_THAT(error_after([](Package& p) { p.sram_blocks[0].first_command = 2; }), Contains("from command 2 to 1 of 5"));
  CHECK_THAT(error_after([](Package& p) { p.sram_blocks[1].last_command = 5; }), Contains("from command 0 to 5 of 5"));
  CHECK_THAT(error_after([](Package& p) { p.sram_peak_bytes = 65537; }), Contains("sram_peak_bytes"));
  CHECK_THAT(error_after([](Package& p) { p.sram_peak.map_bytes = 0xA101; }), Contains("no parts of an SRAM peak"));
  CHECK(error_after([](Package& p) { p.sram_peak.map_bytes = 0xA100; }) == "no error");
  CHECK_THAT(error_after([](Package& p) { p.sram_peak.command_bytes = -1; }), Contains("no parts of an SRAM peak"));
  CHECK_THAT(error_after([](Package& p) { p.planned_sram_bytes = -1; }), Contains("planned_sram_bytes is -1"));
  CHECK_THAT(error_after([](Package& p) { p.least_sram_bytes = int64_t{1} << 40; }), Contains("least_sram_bytes"));
  CHECK_THAT(error_after([](Package& p) { p.external_bytes = -1; }), Contains("external_bytes is -1"));
  CHECK_THAT(error_after([](Package& p) { p.layers[0].main_operator.kernel[1] = 0; }), Contains("kernel [3, 0]"));
  CHECK_THAT(error_after([](Package& p) { p.layers[0].main_operator.stride[0] = 0; }), Contains("stride [0, 1]"));
  CHECK_THAT(error_after([](Package& p) { p.layers[0].main_operator.stride.pop_back(); }), Contains("2 axes and 1 strides"));
  CHECK_THAT(error_after([](Package& p) { p.layers[0].main_operator.output_channels = -2; }),
             Contains("-2 output channels"));
  CHECK_THAT(error_after([](Package& p) { p.boundary.inputs[0].tensor = "out"; }), Contains("'out', which is no input"));
  CHECK_THAT(error_after([](Package& p) { p.boundary.outputs[0].tensor = "in"; }), Contains("'in', which is no output"));
  CHECK_THAT(error_after([](Package& p) { p.boundary.outputs[0].scale = -1; }), Contains("the scale is -1"));
  CHECK_THAT(error_after([](Package& p) { p.boundary.inputs[0].channels[7].scale = -1; }), Contains("the scale is -1"));
  CHECK_THAT(error_after([](Package& p) { p.boundary.inputs[0].channels[0].zero_point = 256; }),
             Contains("allowed are 0 to 255"));
  CHECK_THAT(error_after([](Package& p) { p.boundary.inputs[0].axis = 3; }),
             Contains("8 scales stand for axis 3 of [1, 8, 8, 32]"));
  CHECK_THAT(error_after([](Package& p) { p.boundary.inputs[0].rule->greatest = 256; }),
             Contains("codes are from 0 to 256, allowed are 0 to 255"));
  CHECK_THAT(error_after([](Package& p) { p.boundary.inputs[0].rule->least = 255; }), Contains("codes are from 255 to 254"));
  CHECK_THAT(error_after([](Package& p) { p.boundary.outputs[0].zero_point = 128; }), Contains("allowed are -128 to 127"));
  CHECK_THAT(error_after([](Package& p) { p.boundary.outputs[0] = {"scalar", false, false}; }), Contains("codes are int32"));
  CHECK(error_after([](Package& p) { p.boundary.outputs[0] = {"scalar", true, true}; }) == "no error");
  CHECK_THAT(error_after([](Package& p) { p.boundary.outputs[0].source_shape[1] = 8; }),
             Contains("the float operators give shape [1, 24, 8, 8], expected [1, 8, 8, 8]"));
  CHECK_THAT(error_after([](Package& p) { p.boundary.outputs[0].steps[1].numbers.pop_back(); }),
             Contains("operator 'm' (Mul): 23 numbers stand for a constant of shape [24]"));
  CHECK_THAT(error_after([](Package& p) {
               p.boundary.outputs[0].steps[3].operands = {4, 5};
             }),
             Contains("operator 'a' (Max): it reads value 5, before it are 5"));
  CHECK_THAT(error_after([](Package& p) { p.boundary.outputs[0].reads = {"in"}; }),
             Contains("the float operators read 'in', which is no output"));
  CHECK_THAT(error_after([](Package& p) { p.boundary.outputs.pop_back(); }),
             Contains("reads 'scalar', which is no other end"));
  CHECK_THAT(error_after([](Package& p) { p.boundary.outputs[0].is_float = false; }), Contains("at an end of integers"));
  CHECK_THAT(error_after([](Package& p) {
               p.boundary.outputs[0].range = RangeRule{.ranges = {{0, 1}}};
             }),
             Contains("a range stands beside other rules"));
  CHECK_THAT(error_after([](Package& p) { p.boundary.outputs[0].keeps_bits = true; }), Contains("as their bits anyway"));
  CHECK_THAT(error_after([](Package& p) { p.tensors[0].shape[1] = 0; }), Contains("a dimension of 0"));
  CHECK_THAT(error_after([](Package& p) { p.tensors[0].shape[1] = int64_t{1} << 40; }), Contains("larger than its memory"));
  CHECK_THAT(error_after([](Package& p) { p.tensors[0].placement.channel_block = 0; }), Contains("channel blocks of 0"));
  CHECK_THAT(error_after([](Package& p) { p.tensors[0].placement.strides_bytes.pop_back(); }), Contains("2 strides"));
}

TEST_CASE("the last byte of a placed tensor may be the last of its memory") {
  const auto out_at = [](uint64_t offset) {
    return error_after([offset](Package& p) {
      p.pieces.clear();
      p.tensors[1].placement.base.offset = offset;
    });
  };
  // Rows, columns and one whole block, then 8 of 16 channels of the last pixel.
  const uint64_t size = 7 * 128 + 7 * 16 + 1024 + 8;
  CHECK(out_at(65536 - size) == "no error");
  CHECK_THAT(out_at(65536 - size + 1), Contains("tensor 'out' lies outside its memory"));
  CHECK_THAT(error_after([](Package& p) { p.tensors[2].placement.base.offset = ~uint64_t{0}; }),
             Contains("outside its memory"));
  const Placement placement{{base::MemorySpace::Sram, 100}, {50, 10}, 4, 1000};
  CHECK(offset_of(placement, {2, 3, 9}, base::ElementType::Int16) == 100 + 100 + 30 + 2 * 1000 + 2);
  CHECK(offset_of({{base::MemorySpace::Sram, 7}, {}, 1, 1}, {}, base::ElementType::Int32) == 7);
}

TEST_CASE("the disassembly has every command, and stops at a damaged one") {
  Package package = sample_package();
  const std::string text = disassemble(package);
  CHECK_THAT(text, Contains("# tiny.tosa for mine at --optimize 1: stream of "));
  CHECK_THAT(text, Contains("\n    0 0x000000 [layer_1] dma q=dma1"));
  CHECK_THAT(text, Contains("[layer_1] mac q=mac") && Contains("[layer_2] vec q=vec") && Contains("[layer_2] end q=dma0\n"));
  CHECK(text.find("fault") == std::string::npos);

  Package damaged = package;
  damaged.stream[0] = std::byte{0x77};
  CHECK_THAT(disassemble(damaged), Contains("0x000000 [layer_1] fault: illegal opcode: opcode is 0x77\n"));
  damaged = package;
  damaged.stream.resize(damaged.stream.size() - 16);
  CHECK_THAT(disassemble(damaged), Contains("fault: stream end"));
  damaged = package;
  damaged.command_layers.clear();
  CHECK_THAT(disassemble(damaged), Contains("[?] dma"));
  damaged = package;
  damaged.stream.clear();
  spec::Command command = samples::convolution();
  std::get<spec::MacCommand>(command.body).out_rows = 0;
  encode(command, damaged.stream);
  CHECK_THAT(disassemble(damaged), Contains("fault: zero count: out_rows is 0\n"));
}

TEST_CASE("a disassembly fits its width, and says the same") {
  const Package package = sample_package();
  const std::string whole = disassemble(package);
  for (const int64_t width : {40, 80, 100}) {
    DisassemblyStyle style;
    style.width_columns = width;
    std::istringstream lines(disassemble(package, style));
    std::string joined;
    for (std::string line; std::getline(lines, line);) {
      CHECK(static_cast<int64_t>(line.size()) <= width);
      const size_t indent = line.starts_with("        ") ? 8 : line.starts_with("#     ") ? 6 : 0;
      if (indent > 0) joined.back() = ' ';
      joined += line.substr(indent) + "\n";
    }
    CHECK(joined == whole);
  }
}

TEST_CASE("whatever the legend explains stands in some command") {
  Package package = sample_package();
  package.stream.clear();
  package.command_layers.clear();
  samples::Random random(5);
  for (int i = 0; i < 400; ++i) {
    encode(samples::random_mac(random, package.config.datapath.lanes), package.stream);
    encode(samples::random_vector(random, package.config.datapath.lanes), package.stream);
    encode(samples::random_dma(random), package.stream);
  }
  spec::Command gather = samples::copy();
  auto& by_index = std::get<spec::DmaCommand>(gather.body);
  by_index.kind = spec::DmaKind::Gather;
  by_index.index_base = 64;
  by_index.index_limit = 9;
  encode(gather, package.stream);
  spec::Command limited = samples::copy();
  limited.header.queue_limit = 3;
  encode(limited, package.stream);
  encode(samples::end(), package.stream);
  DisassemblyStyle style;
  style.has_legend = true;
  std::istringstream lines(disassemble(package, style));
  std::string legend, commands;
  for (std::string line; std::getline(lines, line);) (line.starts_with("#") ? legend : commands) += line + "\n";
  CHECK_THAT(commands, !Contains("fault"));
  const std::regex key("([a-z_]+)N?=");
  int num_keys = 0;
  for (std::sregex_iterator at(legend.begin(), legend.end(), key), end; at != end; ++at, ++num_keys) {
    const std::string name = (*at)[1];
    CAPTURE(name);
    CHECK(std::regex_search(commands,
                            std::regex("\\b" + std::string(name.starts_with("_") ? "[a-z]+" : "") + name + "\\d*=")));
  }
  CHECK(num_keys > 40);
}

TEST_CASE("a disassembly of some commands, with shorter names") {
  const Package package = sample_package();
  DisassemblyStyle style;
  style.layer_names = {"0 a", "1 b"};
  style.is_wanted = [](const ListedCommand& command) { return command.unit == "mac" && command.layer_idx == 0; };
  style.has_legend = true;
  const std::string text = disassemble(package, style);
  CHECK_THAT(text, Contains("[0 a] mac q=mac") && Contains("\n# mac "));
  CHECK_THAT(text, !Contains("[1 b]") && !Contains("] dma") && !Contains("\n# dma") && !Contains("\n# vec"));
  Package damaged = package;
  damaged.stream[0] = std::byte{0x77};
  CHECK_THAT(disassemble(damaged, style), Contains("fault: illegal opcode"));  // whatever is wanted
}
