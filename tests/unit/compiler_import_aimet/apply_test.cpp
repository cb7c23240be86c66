// SPDX-License-Identifier: Apache-2.0
// Encodings put on a float network: names, what is derived, what is refused.
#include "compiler/import/aimet/apply_encodings.hpp"
#include "compiler/import/aimet/network_encodings.hpp"
#include "compiler/import/quantized/lower.hpp"
#include "compiler/import/quantized/value.hpp"
#include "tests/support/import_text.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>

using namespace vernier;
using namespace vernier::import::aimet;
using import::quantized::Attribute;
using import::quantized::Network;
using import::quantized::Node;
using Lines = std::vector<std::string>;

namespace {

Encoding encoding(const std::string& name, int64_t offset, int bits = 8) {
  Encoding made;
  made.name = name;
  made.bits = bits;
  made.channels = {{0.5, offset}};
  made.line = 7;
  return made;
}

Encoding parameter(const std::string& name, size_t channels = 1, int bits = 8) {
  Encoding made = encoding(name, -num_codes(bits) / 2, bits);
  made.role = Role::Parameter;
  made.is_symmetric = made.is_signed = true;
  made.channels.resize(channels, made.channels.front());
  return made;
}

/// x [1, 2, 4, 4], Conv to 3 channels with weights w and bias b, Relu, Flatten, Gemm with weights v; y.
Network network() {
  const import::quantized::NumberType real;
  const auto constant = [&](base::Shape shape) {
    const auto size = static_cast<size_t>(base::num_elements(shape));
    return import::quantized::Constant{real, std::move(shape), std::vector<float>(size, 1.0F), {}};
  };
  Network made;
  made.opset = 13;
  made.inputs = {{"x", real, {1, 2, 4, 4}}};
  made.outputs = {{"y", real, {}}};
  made.constants = {{"w", constant({3, 2, 1, 1})}, {"b", constant({3})}, {"v", constant({48, 5})}};
  made.nodes = {{"conv", "Conv", {"x", "w", "b"}, {"c"}, {}},
                {"relu", "Relu", {"c"}, {"r"}, {}},
                {"flat", "Flatten", {"r"}, {"f"}, {}},
                {"gemm", "Gemm", {"f", "v"}, {"y"}, {}}};
  return made;
}

std::vector<Encoding> all() {
  return {encoding("x", -10), encoding("r", 0), encoding("y", -128), parameter("w", 3), parameter("v", 5)};
}

Lines lines(const std::vector<Encoding>& tensors, Network& made) {
  Encodings encodings;
  encodings.tensors = tensors;
  Findings findings;
  apply_encodings(encodings, made, findings);
  Lines result;
  for (const Finding& finding : findings.sorted())
    result.push_back(fmt::format("{} {}: {}", finding.line, name_of(finding.severity), finding.text));
  static tests::Recorded rows("tests/unit/compiler_import_aimet/recorded_apply.txt");
  std::string text = fmt::format("{}\n", fmt::join(result, "\n"));
  if (findings.count(Severity::Error) == 0) text += tests::text_of(import::quantized::lower("f", made, {}));
  rows.check(fmt::format("{} findings", result.size()), text);
  return result;
}
Lines lines(const std::vector<Encoding>& tensors) {
  Network made = network();
  return lines(tensors, made);
}
/// Without notes.
Lines errors(const std::vector<Encoding>& tensors) {
  Lines result = lines(tensors);
  std::erase_if(result, [](const std::string& line) { return line.find(" note: ") != std::string::npos; });
  return result;
}
std::vector<Encoding> without(const std::string& name) {
  std::vector<Encoding> result = all();
  std::erase_if(result, [&](const Encoding& one) { return one.name == name; });
  return result;
}
std::vector<Encoding> with(const Encoding& other) {
  std::vector<Encoding> result = without(other.name);
  result.push_back(other);
  return result;
}

}  // namespace

TEST_CASE("quantizers stand on the values that are named, and what is derived is told") {
  Network made = network();
  CHECK(lines(all(), made) ==
        Lines{"0 note: tensor b: has no encoding: a bias, taken as int32 with the scale of the sums that it is added to",
              "0 note: tensor c: has no encoding: no quantizer between nodes 'conv' (Conv) and 'relu' (Relu)",
              "0 note: tensor f: has no encoding: node 'flat' (Flatten) moves the codes of r"});
  Lines nodes;
  for (const Node& node : made.nodes) {
    nodes.push_back(fmt::format("{} {}->{}", node.kind, node.inputs.front(), node.outputs.front()));
    CHECK((node.quantizer != nullptr) == (node.kind == "Encoding"));
  }
  CHECK(nodes == Lines{"Encoding v_float->v", "Encoding w_float->w", "Encoding x->x_quantized", "Conv x_quantized->c",
                       "Relu c->r_float", "Encoding r_float->r", "Flatten r->f", "Gemm f->y_float", "Encoding y_float->y"});
  CHECK(made.constants.contains("w_float"));
  const auto& weights = *made.nodes[1].quantizer;
  CHECK(weights.format.axis == 0);
  CHECK(weights.format.zero_points == std::vector<int64_t>{0, 0, 0});
  CHECK((weights.least == -128 && weights.greatest == 127));
  CHECK(made.nodes[0].quantizer->format.axis == 1);  // Gemm without transB
  const auto& input = *made.nodes[2].quantizer;
  CHECK(input.format.is_unsigned);
  CHECK(input.format.zero_points == std::vector<int64_t>{10 - 128});
}

TEST_CASE("grids of all widths become codes of 8, 16 and 32 bits") {
  const auto quantizer = [](const Encoding& one) {
    Network made = network();
    lines(with(one), made);
    const auto node = std::find_if(made.nodes.begin(), made.nodes.end(), [&](const Node& n) { return n.name == one.name; });
    return *node->quantizer;
  };
  const auto is = [&](const Encoding& one, int32_t bits, int64_t zero, int64_t least, int64_t greatest) {
    const auto found = quantizer(one);
    CHECK(found.format.bits == bits);
    CHECK(found.format.zero_points.front() == zero);
    CHECK(found.least == least);
    CHECK(found.greatest == greatest);
    CHECK(found.rounding == base::Rounding::TiesUp);
  };
  is(encoding("x", -3, 4), 8, 3 - 128, -128, -113);
  is(parameter("w", 3, 4), 8, 0, -8, 7);
  is(encoding("x", -100, 12), 16, 0, -100, 3995);  // int16 has no zero point: the codes have none
  is(encoding("x", -100, 16), 16, 100 - 32768, -32768, 32767);
  Encoding strict = parameter("w", 3);
  for (Grid& grid : strict.channels) grid.offset = -127;
  is(strict, 8, 0, -127, 127);
  Encoding strict16 = encoding("x", -32767, 16);
  strict16.is_symmetric = true;
  is(strict16, 16, 0, -32767, 32767);
  is(parameter("b", 1, 32), 32, 0, -(int64_t{1} << 31), (int64_t{1} << 31) - 1);
}

TEST_CASE("what is missing or not in the network is told at once") {
  CHECK(errors({}) == Lines{"0 error: tensor x: has no encoding; it is an input of the network",
                            "0 error: tensor w: has no encoding; it is read by node 'conv' (Conv)",
                            "0 error: tensor r: has no encoding; it is given by node 'relu' (Relu)",
                            "0 error: tensor v: has no encoding; it is read by node 'gemm' (Gemm)",
                            "0 error: tensor y: has no encoding; it is given by node 'gemm' (Gemm)"});
  CHECK(errors(with(encoding("z", 0))) == Lines{"7 error: tensor z: is not in the network"});
  Encoding partial = encoding("y", 0);
  partial.channels.clear();
  CHECK(errors(with(partial)) ==
        Lines{"7 error: tensor y: has a number of bits only, and no grid; it is given by node 'gemm' (Gemm)"});
  Encoding moved = encoding("f", 0);  // its grid is that of r
  moved.channels.clear();
  CHECK(errors(with(moved)).empty());
}

TEST_CASE("a tensor of which the file has something wrong is not missing") {
  Network made = network();
  Encodings encodings;
  encodings.tensors = without("x");
  Findings findings;
  findings.add(Severity::Error, 3, "tensor x: scale is -1, allowed are numbers above 0");
  apply_encodings(encodings, made, findings);
  CHECK(findings.count(Severity::Error) == 1);
}

TEST_CASE("encodings that do not fit their tensor are refused") {
  CHECK(errors(with(parameter("w", 2))) == Lines{"7 error: tensor w: 2 encodings for 3 output channels"});
  Encoding along = parameter("w", 3);
  along.axis = -3;
  CHECK(errors(with(along)) == Lines{"7 error: tensor w: 3 encodings for 2 indices of axis 1"});
  along.axis = 4;
  CHECK(errors(with(along)) == Lines{"7 error: tensor w: axis is 4, the tensor has shape [3, 2, 1, 1]"});
  CHECK(errors(with(parameter("r", 3))) == Lines{"7 error: tensor r: is an activation with 3 encodings, allowed is one"});
  CHECK(errors(with(encoding("r", 0, 17))) ==
        Lines{"7 unsupported: tensor r: has 17 bits, allowed are up to 16, and 32 for a bias"});
  CHECK(errors(with(parameter("w", 3, 32))) ==
        Lines{"7 unsupported: tensor w: has 32 bits, which is allowed for a bias only"});
  Encoding real = encoding("r", 0, 16);
  real.dtype = DataType::Float;
  CHECK(errors(with(real)) == Lines{"7 unsupported: tensor r: dtype is float (16 bits), which an integer machine does not "
                                    "compute; allowed is int"});
  Encoding mixed = parameter("w", 3);
  mixed.channels[1].offset = -127;
  CHECK(errors(with(mixed)) == Lines{"7 unsupported: tensor w: some channels are strict symmetric and others are not"});
}

TEST_CASE("names of TensorFlow are those that tf2onnx makes of them") {
  Network made = network();
  const std::vector<std::pair<std::string, std::string>> renamed{{"x", "in:0"},
                                                                 {"r", "m/conv/Relu:0"},
                                                                 {"w", "m/conv/Conv2D/ReadVariableOp:0"},
                                                                 {"y", "dense/BiasAdd"},
                                                                 {"v", "m/dense/MatMul/ReadVariableOp"}};
  const auto rename = [&](std::string& name) {
    for (const auto& [from, to] : renamed) {
      if (name == from) name = to;
    }
  };
  for (Node& node : made.nodes) {
    std::for_each(node.inputs.begin(), node.inputs.end(), rename);
    std::for_each(node.outputs.begin(), node.outputs.end(), rename);
  }
  rename(made.inputs[0].name);
  rename(made.outputs[0].name);
  for (const auto& [from, to] : renamed) {
    if (auto constant = made.constants.extract(from); !constant.empty()) {
      constant.key() = to;
      made.constants.insert(std::move(constant));
    }
  }
  const std::vector<Encoding> tensors{encoding("in", 0), encoding("conv/Relu:0", 0), parameter("conv/kernel:0", 3),
                                      encoding("dense/BiasAdd:0", 0), parameter("dense/kernel", 5)};
  Network copy = made;
  Lines found = lines(tensors, copy);
  std::erase_if(found, [](const std::string& line) { return line.starts_with("0 note"); });
  CHECK(found == Lines{"7 note: tensor in: is tensor in:0 of the network",
                       "7 note: tensor conv/Relu:0: is tensor m/conv/Relu:0 of the network",
                       "7 note: tensor conv/kernel:0: is tensor m/conv/Conv2D/ReadVariableOp:0 of the network",
                       "7 note: tensor dense/BiasAdd:0: is tensor dense/BiasAdd of the network",
                       "7 note: tensor dense/kernel: is tensor m/dense/MatMul/ReadVariableOp of the network"});
  std::vector<Encoding> twice = tensors;
  twice.push_back(encoding("Relu", 0));
  copy = made;
  found = lines(twice, copy);
  CHECK(std::count(found.begin(), found.end(),
                   "7 error: tensor Relu: is tensor m/conv/Relu:0 of the network, as tensor conv/Relu:0 is") == 1);
  twice.back() = encoding("ReadVariableOp:0", 0);
  copy = made;
  found = lines(twice, copy);
  CHECK(std::count(found.begin(), found.end(),
                   "7 error: tensor ReadVariableOp:0: may be m/conv/Conv2D/ReadVariableOp:0 or "
                   "m/dense/MatMul/ReadVariableOp of the network, needed is one of these names") == 1);
}

TEST_CASE("encodings go with a float network, which gives them back") {
  Network made = network();
  made.nodes.push_back({"q", "QuantizeLinear", {"y", "s", "z"}, {"q"}, {}});
  CHECK(lines(all(), made) == Lines{"0 error: the network has quantizers of its own, such as node 'q' (QuantizeLinear); "
                                    "encodings go with a float network"});
  made.constants["s"] = {{}, {}, {0.25F}, {}};
  made.constants["z"] = {{false, 8, false}, {}, {}, {3}};
  made.constants["w_quantized"] = {{false, 8, true}, {2}, {}, {1, 2}};
  made.nodes.push_back({"d", "DequantizeLinear", {"w_quantized", "s"}, {"dw"}, {}});
  made.nodes.push_back({"n", "BipolarQuant", {"y", "s"}, {"n"}, {}});
  const NetworkEncodings found = encodings_of(made, Version::V061);
  REQUIRE(found.encodings.tensors.size() == 2);
  const Encoding& y = found.encodings.tensors[0];
  CHECK((y.name == "y" && y.role == Role::Activation && y.bits == 8 && !y.is_signed && !y.is_symmetric));
  CHECK(y.channels == std::vector<Grid>{{0.25, -3}});
  const Encoding& w = found.encodings.tensors[1];
  CHECK((w.name == "w_quantized" && w.role == Role::Parameter && w.is_signed && w.is_symmetric));  // "w" is another constant
  CHECK(w.channels == std::vector<Grid>{{0.25, -128}});
  CHECK(found.lost ==
        Lines{"node 'n' (BipolarQuant): has one bit", "that ties are rounded to the even code: AIMET rounds them up"});
}
