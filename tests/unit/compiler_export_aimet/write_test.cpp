// SPDX-License-Identifier: Apache-2.0
// Each version written, read again, and what is said of the rest.
#include "compiler/export/aimet/losses.hpp"
#include "compiler/import/aimet/read_encodings.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

using namespace vernier::import::aimet;
using vernier::export_aimet::fitted;
using vernier::export_aimet::write_encodings;
using vernier::export_aimet::WrittenEncodings;

namespace {

constexpr std::array<Version, 5> kVersions{Version::V040, Version::V050, Version::V061, Version::V100, Version::V200};

/// Everything of the tensors but their lines, sorted by name.
std::vector<std::string> texts_of(const Encodings& encodings) {
  std::vector<std::string> texts;
  for (const Encoding& e : encodings.tensors) {
    std::string text =
        fmt::format("{} role {} dtype {} bits {} symmetric {} signed {} axis {}", e.name, static_cast<int>(e.role),
                    static_cast<int>(e.dtype), e.bits, e.is_symmetric, e.is_signed, e.axis.value_or(-100));
    for (const Grid& grid : e.channels) text += fmt::format(" {}/{}", grid.scale, grid.offset);
    texts.push_back(text);
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

/// What a reader makes of flags that a version does not have.
Encodings as_read(Encodings encodings) {
  for (Encoding& e : encodings.tensors) {
    const auto all = [&](int64_t offset) {
      return std::all_of(e.channels.begin(), e.channels.end(), [&](const Grid& grid) { return grid.offset == offset; });
    };
    if (encodings.version == Version::V200) {
      e.is_symmetric = e.is_signed && all(-num_codes(e.bits) / 2);
    } else {
      e.is_signed = e.role == Role::Parameter && e.is_symmetric && !all(0);
    }
  }
  return encodings;
}

Encoding random_tensor(std::mt19937_64& rng, int number, Version version) {
  const auto below = [&](int64_t end) { return static_cast<int64_t>(rng() % static_cast<uint64_t>(end)); };
  constexpr std::array<int, 5> kOnnxBits{2, 4, 8, 16, 32};
  const bool is_onnx = version == Version::V200;
  Encoding e;
  e.name = fmt::format("t{}{}", number, below(4) == 0 ? "/weight" : below(8) == 0 ? "\"\n\xc3\xa9" : "");
  e.role = is_onnx ? Role::Unsaid : below(2) == 0 ? Role::Parameter : Role::Activation;
  e.bits = is_onnx ? kOnnxBits[static_cast<size_t>(below(5))] : static_cast<int>(4 + below(29));
  if (!is_onnx && version != Version::V040 && below(8) == 0) {
    e.dtype = DataType::Float;
    e.bits = 16;
    return e;
  }
  if (!is_onnx && version != Version::V100 && below(8) == 0) return e;
  e.is_symmetric = !is_onnx && below(2) == 0;
  const int64_t half = num_codes(e.bits) / 2;
  const bool is_list = e.role != Role::Activation && below(2) == 0;
  for (int64_t i = 0; i < (is_list ? 2 + below(3) : 1); ++i) {
    const int64_t symmetric = std::array<int64_t, 3>{-half, 1 - half, 0}[static_cast<size_t>(below(3))];
    e.channels.push_back({std::exp2(static_cast<double>(below(60)) - 40) * (1 + static_cast<double>(below(1000)) / 1009),
                          e.is_symmetric || below(3) == 0 ? symmetric : -below(2 * half)});
  }
  if (is_onnx) e.is_signed = below(2) == 0;
  if (is_onnx && is_list) e.axis = below(3) - 1;
  return e;
}

Encoding tensor(const char* name, Role role, int bits, bool is_symmetric, std::vector<Grid> channels) {
  return {name, role, DataType::Integer, bits, is_symmetric, role == Role::Parameter && is_symmetric, std::move(channels),
          {},   0};
}

}  // namespace

TEST_CASE("What is written reads back as what the version can say") {
  for (const uint64_t seed : {1, 2, 3}) {
    INFO(fmt::format("seed {}", seed));
    std::mt19937_64 rng(seed);
    for (int round = 0; round < 40; ++round) {
      Encodings encodings;
      encodings.version = kVersions[rng() % 5];
      const int count = static_cast<int>(rng() % 6);
      for (int i = 0; i < count; ++i) encodings.tensors.push_back(random_tensor(rng, i, encodings.version));
      encodings = as_read(encodings);
      for (const Version version : kVersions) {
        INFO(fmt::format("from {} to {}", name_of(encodings.version), name_of(version)));
        const WrittenEncodings written = write_encodings(encodings, version);
        INFO(written.text);
        const ReadEncodings read = read_encodings(written.text);
        for (const Finding& finding : read.findings.sorted())
          CHECK_THAT(finding.text, Catch::Contains("the tensor was constant") || Catch::Contains("know fewer than 4 bits"));
        CHECK(read.encodings.version == version);
        WrittenEncodings unused;
        const Encodings expected = as_read(fitted(encodings, version, unused));
        CHECK(texts_of(read.encodings) == texts_of(expected));
        CHECK(written.num_tensors == static_cast<int64_t>(expected.tensors.size()));
        if (version == encodings.version) {
          CHECK(texts_of(read.encodings) == texts_of(encodings));
          CHECK(written.assumed.empty());
        }
        CHECK(write_encodings(read.encodings, version).text == written.text);
      }
    }
  }
}

TEST_CASE("A file as AIMET writes it") {
  Encodings encodings;
  encodings.tensors = {tensor("x", Role::Activation, 8, false, {{0.5, -10}}),
                       tensor("w", Role::Parameter, 8, true, {{0.5, -128}, {0.25, -128}})};
  encodings.remarks = {{"producer", "{}"}};
  CHECK(write_encodings(encodings, Version::V200).text == R"({
 "encodings": [
  {
   "name": "x",
   "output_dtype": "uint8",
   "y_scale": 0.5,
   "y_zero_point": 10
  },
  {
   "axis": 0,
   "name": "w",
   "output_dtype": "int8",
   "y_scale": [
    0.5,
    0.25
   ]
  }
 ],
 "producer": {},
 "version": "2.0.0"
}
)");
  encodings.tensors.pop_back();
  CHECK(write_encodings(encodings, Version::V040).text == R"({
 "activation_encodings": {
  "x": [
   {
    "bitwidth": 8,
    "is_symmetric": "False",
    "max": 122.5,
    "min": -5.0,
    "offset": -10,
    "scale": 0.5
   }
  ]
 },
 "param_encodings": {},
 "version": "0.4.0"
}
)");
}

TEST_CASE("What 2.0.0 does not say") {
  Encodings encodings;
  encodings.tensors = {tensor("strict", Role::Parameter, 8, true, {{0.5, -127}}),
                       tensor("strict_x", Role::Activation, 8, true, {{0.5, -127}}),
                       tensor("unsigned", Role::Activation, 8, true, {{0.5, 0}}),
                       tensor("symmetric", Role::Activation, 8, true, {{0.5, -128}}),
                       tensor("w", Role::Parameter, 8, true, {{0.5, -128}, {0.5, -128}}),
                       tensor("five", Role::Activation, 5, false, {{0.5, 0}}),
                       tensor("bits", Role::Activation, 8, false, {})};
  encodings.tensors.push_back({"half", Role::Activation, DataType::Float, 16, false, false, {}, {}, 0});
  encodings.remarks = {{"quantizer_args", "{}"}, {"producer", "{}"}};
  const WrittenEncodings written = write_encodings(encodings, Version::V200);
  CHECK(written.num_tensors == 5);
  CHECK(written.lost ==
        std::vector<std::string>{
            "tensor strict: that it is strict symmetric: as int8 it has one code more, 127",
            "tensor strict_x: that it is strict symmetric: as uint8 it has one code more, 255",
            "tensor unsigned: that it is unsigned symmetric; its codes stay, as uint8 with zero point 0",
            "tensor symmetric: that it is symmetric; its codes stay, as uint8 with zero point 128",
            "tensor five: is left out: it has 5 bits, this version has 2, 4, 8, 16 and 32",
            "tensor bits: is left out: it has the number of bits without a scale, which this version does not have",
            "tensor half: is left out: it has dtype float (16 bits), for which this version has no entry",
            "quantizer_args (it decides nothing)", "which tensors are parameters: 2 of 5"});
  CHECK(written.assumed ==
        std::vector<std::string>{"tensor w: axis is 0 (of the weights of ConvTranspose and MatMul it is 1)"});
}

TEST_CASE("What versions before 2.0.0 do not say") {
  Encodings encodings;
  encodings.version = Version::V200;
  Encoding w = tensor("w", Role::Unsaid, 8, true, {{0.5, -128}, {0.5, -128}});
  w.is_signed = true;
  w.axis = 1;
  Encoding asymmetric = tensor("a", Role::Unsaid, 8, false, {{0.5, -100}});
  asymmetric.is_signed = true;
  encodings.tensors = {w,
                       asymmetric,
                       tensor("fc.bias", Role::Unsaid, 32, false, {{0.5, -(int64_t{1} << 31)}}),
                       tensor("fc.weight", Role::Unsaid, 8, false, {{0.5, -100}}),
                       tensor("weights.out", Role::Unsaid, 8, false, {{0.5, 0}}),
                       tensor("two", Role::Unsaid, 2, false, {{0.5, 0}})};
  const WrittenEncodings written = write_encodings(encodings, Version::V061);
  CHECK(written.lost == std::vector<std::string>{"tensor w: axis 1; this version means the output channels",
                                                 "tensor a: that codes are stored as int8; the grid stays",
                                                 "tensor two: is left out: it has 2 bits, this version has 4 to 32"});
  CHECK(written.assumed ==
        std::vector<std::string>{"tensor w: is a parameter: it is per channel",
                                 "tensor a: is a parameter: it is int8, and AIMET writes activations as uint",
                                 "tensor fc.bias: is a parameter: it has 32 bits, as a bias",
                                 "tensor fc.weight: is a parameter: its name ends in weight",
                                 "1 other tensor, of which 2.0.0 says nothing: an activation"});
}

TEST_CASE("What 0.4.0 and 0.5.0 do not say") {
  Encodings encodings;
  encodings.tensors = {tensor("x", Role::Activation, 8, false, {{0.5, -10}})};
  encodings.tensors.push_back({"half", Role::Activation, DataType::Float, 16, false, false, {}, {}, 0});
  encodings.remarks = {{"producer", "{}"}};
  CHECK(write_encodings(encodings, Version::V040).lost ==
        std::vector<std::string>{"tensor half: is left out: it has dtype float (16 bits), which this version does not have",
                                 "producer (it decides nothing)"});
  CHECK(write_encodings(encodings, Version::V050).lost == std::vector<std::string>{"producer (it decides nothing)"});
  CHECK(write_encodings(encodings, Version::V061).lost.empty());
  CHECK(write_encodings(encodings, Version::V100).lost.empty());
}
