// SPDX-License-Identifier: Apache-2.0
// Files of each version, and one thing wrong at a time.
#include "compiler/import/aimet/read_encodings.hpp"
#include "tests/support/recorded.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <random>

using namespace vernier::import::aimet;

namespace {

std::vector<std::string> said_of(const ReadEncodings& read) {
  std::vector<std::string> lines;
  for (const Finding& finding : read.findings.sorted())
    lines.push_back(fmt::format("{}: {}: {}", finding.line, name_of(finding.severity), finding.text));
  return lines;
}

/// A file of objects with one activation and one parameter, each given as JSON text.
vernier::tests::Recorded& recorded_reads() {
  static vernier::tests::Recorded rows("tests/unit/compiler_import_aimet/recorded_read.txt");
  return rows;
}

std::string text_of(const ReadEncodings& read) {
  std::string text = fmt::format("version {}\n", name_of(read.encodings.version));
  for (const Encoding& e : read.encodings.tensors) {
    text +=
        fmt::format("{} role {} type {} bits {} symmetric {} signed {} axis {} line {}:", e.name, static_cast<int>(e.role),
                    static_cast<int>(e.dtype), e.bits, e.is_symmetric, e.is_signed, e.axis.value_or(-99), e.line);
    for (const Grid& grid : e.channels) text += fmt::format(" {}/{}", grid.scale, grid.offset);
    text += "\n";
  }
  for (const auto& [name, remark] : read.encodings.remarks) text += fmt::format("{} {}\n", name, remark);
  for (const vernier::import::Finding& finding : read.findings.sorted())
    text += fmt::format("{} {}: {}\n", finding.line, vernier::import::name_of(finding.severity), finding.text);
  return text;
}

/// read_encodings(), as it was when its row was written.
ReadEncodings recorded_read(const std::string& file) {
  ReadEncodings read = read_encodings(file);
  recorded_reads().check(fmt::format("{} tensors", read.encodings.tensors.size()), text_of(read));
  return read;
}

std::string objects(std::string_view version, std::string_view x, std::string_view w) {
  return fmt::format(R"({{"version": {}, "activation_encodings": {{"x": {}}}, "param_encodings": {{"w": {}}}}})", version, x,
                     w);
}
std::string lists(std::string_view x, std::string_view w) {
  return fmt::format(R"({{"version": "1.0.0", "activation_encodings": [{}], "param_encodings": [{}]}})", x, w);
}
std::string onnx_terms(std::string_view entries) {
  return fmt::format(R"({{"version": "2.0.0", "encodings": [{}]}})", entries);
}

constexpr const char* kX =
    R"([{"bitwidth": 8, "dtype": "int", "is_symmetric": "False", "offset": -10.0, "scale": 0.5, "min": -5.0, "max": 122.5}])";
constexpr const char* kW = R"([{"bitwidth": 8, "dtype": "int", "is_symmetric": "True", "offset": -128, "scale": 0.5},
 {"bitwidth": 8, "dtype": "int", "is_symmetric": "True", "offset": -127, "scale": 0.25}])";
constexpr const char* kListX =
    R"({"name": "x", "enc_type": "PER_TENSOR", "dtype": "INT", "bw": 8, "is_sym": false, "offset": [-10], "scale": [0.5]})";
constexpr const char* kListW =
    R"({"name": "w", "enc_type": "PER_CHANNEL", "dtype": "INT", "bw": 4, "is_sym": true, "offset": [-8, -7], "scale": [0.5, 0.25]})";

/// The one finding.
std::string only(const std::string& text) {
  const auto lines = said_of(recorded_read(text));
  INFO(fmt::format("{}", lines.size()));
  REQUIRE(lines.size() == 1);
  return lines.front();
}

}  // namespace

TEST_CASE("Versions 0.4.0 to 0.6.1") {
  for (const char* version : {"\"0.5.0\"", "\"0.6.1\""}) {
    const ReadEncodings read = recorded_read(objects(version, kX, kW));
    CHECK(said_of(read).empty());
    REQUIRE(read.encodings.tensors.size() == 2);
    const Encoding &x = read.encodings.tensors[0], &w = read.encodings.tensors[1];
    CHECK((x.name == "x" && x.role == Role::Activation && x.bits == 8 && !x.is_symmetric && !x.is_signed && !x.axis));
    CHECK(x.channels == std::vector<Grid>{{0.5, -10}});
    CHECK(last_code(x, x.channels[0]) == 255);
    CHECK((w.name == "w" && w.role == Role::Parameter && w.is_symmetric && w.is_signed && w.is_per_channel()));
    CHECK(w.channels == std::vector<Grid>{{0.5, -128}, {0.25, -127}});
    CHECK(symmetry_of(w, w.channels[0]) == Symmetry::Symmetric);
    CHECK(symmetry_of(w, w.channels[1]) == Symmetry::StrictSymmetric);
    CHECK(last_code(w, w.channels[1]) == 254);
  }
  const std::string x = R"([{"bitwidth": 16, "is_symmetric": "True", "offset": 0, "scale": 0.5}])";
  const ReadEncodings read =
      recorded_read(objects("\"0.4.0\"", x, R"([{"bitwidth": 32, "min": -1, "max": 1, "is_symmetric": "True"}])"));
  CHECK(said_of(read).empty());
  CHECK(symmetry_of(read.encodings.tensors[0], read.encodings.tensors[0].channels[0]) == Symmetry::UnsignedSymmetric);
  CHECK(read.encodings.tensors[1].channels[0].offset == 1 - (int64_t{1} << 31));
}

TEST_CASE("A number of bits without a grid, and floats, are entries too") {
  const ReadEncodings read =
      recorded_read(objects("\"0.6.1\"", R"([{"bitwidth": 8, "dtype": "int"}])", R"([{"bitwidth": 16, "dtype": "float"}])"));
  CHECK(said_of(read).empty());
  REQUIRE(read.encodings.tensors.size() == 2);
  CHECK(read.encodings.tensors[0].channels.empty());
  CHECK(!refusal_of(read.encodings.tensors[0]));
  CHECK(refusal_of(read.encodings.tensors[1]) ==
        "dtype is float (16 bits), which an integer machine does not compute; allowed is int");
}

TEST_CASE("Version 1.0.0") {
  const ReadEncodings read = recorded_read(lists(kListX, kListW));
  CHECK(said_of(read).empty());
  REQUIRE(read.encodings.tensors.size() == 2);
  CHECK(read.encodings.tensors[0].channels == std::vector<Grid>{{0.5, -10}});
  const Encoding& w = read.encodings.tensors[1];
  CHECK((w.bits == 4 && w.is_signed && w.channels == std::vector<Grid>{{0.5, -8}, {0.25, -7}}));
}

TEST_CASE("Version 2.0.0: zero points of stored codes become offsets") {
  const ReadEncodings read = recorded_read(onnx_terms(
      R"({"name": "a", "output_dtype": "uint8", "y_scale": 0.5, "y_zero_point": 10},
         {"name": "b", "output_dtype": "int8", "y_scale": [0.5, 0.25], "axis": -1},
         {"name": "c", "output_dtype": "int8", "y_scale": [0.5], "y_zero_point": [-1], "axis": 0},
         {"name": "d", "output_dtype": "uint32", "y_scale": 0.5, "y_zero_point": 2147483648, "axis": null}, {"name": "e", "output_dtype": "int2", "y_scale": 1})"));
  CHECK(said_of(read).empty());
  const auto& tensors = read.encodings.tensors;
  REQUIRE(tensors.size() == 5);
  CHECK((tensors[0].role == Role::Unsaid && !tensors[0].is_signed && !tensors[0].is_symmetric));
  CHECK(tensors[0].channels == std::vector<Grid>{{0.5, -10}});
  CHECK((tensors[1].is_signed && tensors[1].is_symmetric && tensors[1].axis == -1));
  CHECK(tensors[1].channels == std::vector<Grid>{{0.5, -128}, {0.25, -128}});
  CHECK((tensors[2].is_signed && !tensors[2].is_symmetric && !tensors[2].axis && !tensors[2].is_per_channel()));
  CHECK(tensors[2].channels == std::vector<Grid>{{0.5, -127}});
  CHECK(last_code(tensors[2], tensors[2].channels[0]) == 255);
  CHECK(tensors[3].channels == std::vector<Grid>{{0.5, -(int64_t{1} << 31)}});
  CHECK(tensors[4].bits == 2);
}

TEST_CASE("Which version a file is of") {
  const std::string known = "known are 0.4.0, 0.5.0, 0.6.1, 1.0.0, 2.0.0";
  CHECK(only(objects("\"0.6.3\"", kX, kW)) == "1: warning: version '0.6.3' is not known, the file is read as 0.6.1");
  CHECK(only(objects("\"3.7.0\"", kX, kW)) == "1: error: version '3.7.0' is not known, " + known);
  for (const char* bad : {"\"2.1.0\"", "\"0.7.0\"", "\"1.0\"", "\"1.0.0.0\"", "\"-1.0.0\"", "\"1.0.0x\"", "\"\"",
                          "\"99999999999999999999.0.0\""})
    CHECK(only(objects(bad, kX, kW)).ends_with(known));
  CHECK(only(objects("1.5", kX, kW)) ==
        "1: error: version is 1.5, allowed is a text, one of 0.4.0, 0.5.0, 0.6.1, 1.0.0, 2.0.0");
  const std::string bare = R"([{"bitwidth": 8, "is_symmetric": "False", "offset": 0, "scale": 1}])";
  for (const char* old : {"\"0.4.1\"", "\"0.3.0\""}) {
    const ReadEncodings read = recorded_read(objects(old, bare, bare));
    CHECK(read.encodings.version == Version::V040);
    CHECK(read.is_complete());
  }
  const auto layout = [](const std::string& with_version) {
    const std::string text = fmt::format("{{{}", with_version.substr(with_version.find(',') + 1));
    CHECK(only(text).starts_with("1: warning: version is missing"));
    return recorded_read(text).encodings.version;
  };
  CHECK(layout(objects("0", bare, bare)) == Version::V040);
  CHECK(layout(objects("0", kX, kW)) == Version::V061);
  CHECK(layout(lists(kListX, kListW)) == Version::V100);
  CHECK(layout(onnx_terms(R"({"name": "a", "output_dtype": "uint8", "y_scale": 0.5})")) == Version::V200);
}

TEST_CASE("quantizer_args and the like are kept and decide nothing") {
  std::string text = objects("\"0.6.1\"", kX, kW);
  text.insert(
      1,
      R"("quantizer_args": {"activation_bitwidth": 3, "is_symmetric": true}, "producer": {}, "excluded_layers": ["a"], )");
  const ReadEncodings read = recorded_read(text);
  CHECK(said_of(read).empty());
  CHECK(read.encodings.tensors[0].bits == 8);
  REQUIRE(read.encodings.remarks.size() == 3);
  CHECK(read.encodings.remarks[0].second == R"({"activation_bitwidth":3.0,"is_symmetric":true})");
  text.insert(1, R"("quantiser_args": 1, )");
  CHECK(only(text) == "1: warning: key 'quantiser_args' is not known, did you mean 'quantizer_args'?; it is not read");
}

TEST_CASE("All findings of a file at once") {
  const ReadEncodings read = recorded_read(objects("\"0.6.1\"", R"([
    {"bitwidth": 8.5, "dtype": "int", "is_symmetric": 1,
     "offset": "a", "scale": 0, "comment": 1}])",
                                                   "[[], {\"bitwidth\": 16, \"dtype\": \"float\", \"min\": 0}]"));
  CHECK(
      said_of(read) ==
      std::vector<std::string>{
          "2: error: tensor x: bitwidth is 8.5, allowed is a whole number",
          "2: error: tensor x: is_symmetric is 1, allowed is \"True\" or \"False\"",
          "3: warning: tensor x: key 'comment' is not known; it is not read",
          "3: error: tensor x: scale is 0, allowed are numbers above 0",
          "3: error: tensor x: offset is 'a', allowed is a whole number",
          "3: error: tensor w, channel 0: an encoding is a list, allowed is an object",
          "3: error: tensor w, channel 1: dtype is float, yet it has one of min, max, scale and offset, which are for int"});
  CHECK(read.encodings.tensors.empty());
  CHECK(!read.is_complete());
}

TEST_CASE("Objects: one thing wrong") {
  const auto with_x = [](std::string_view x) { return only(objects("\"0.6.1\"", x, kW)); };
  const std::string start = "1: error: tensor x: ";
  CHECK(with_x("[]") == start + "there is no encoding in the list");
  CHECK(with_x("3") == start + "an encoding is 3, allowed is a list of objects");
  CHECK(with_x(R"({"input": {"0": {}}})").starts_with("1: unsupported: tensor x: is a module of PyTorch"));
  CHECK(with_x(R"({"bitwidth": 8, "dtype": "int"})") ==
        "1: warning: tensor x: has an object, read as a list with this one encoding");
  CHECK(with_x(R"([{"bitwidth": 8}])") == "1: warning: tensor x: dtype is missing, read as int");
  CHECK(with_x(R"([{"bitwidth": 8, "dtype": "INT"}])")
            .starts_with("1: warning: tensor x: dtype is 'INT', this version writes"));
  CHECK(with_x(R"([{"bitwidth": 8, "dtype": "int4"}])") == start + "dtype is 'int4', allowed is \"int\" or \"float\"");
  CHECK(with_x(R"([{"bitwidth": 12, "dtype": "float"}])") == start + "bitwidth of a float is 12, allowed are 8, 16 and 32");
  CHECK(with_x(R"([{"bitwidth": 3, "dtype": "int"}])") == start + "bitwidth is 3, allowed are 4 to 32");
  CHECK(with_x(R"([{"bitwidth": 33, "dtype": "int"}])") == start + "bitwidth is 33, allowed are 4 to 32");
  CHECK(with_x(R"([{"bitwidth": 1e300, "dtype": "int"}])") == start + "bitwidth is 1e+300, allowed is a whole number");
  CHECK(with_x(R"([{"bitwidth": 8, "dtype": "int", "scale": 1, "offset": 0}])") ==
        "1: warning: tensor x: is_symmetric is missing, read as \"False\"");
  CHECK(with_x(R"([{"bitwidth": 8, "dtype": "int", "is_symmetric": false, "scale": 1, "offset": 0}])") ==
        "1: warning: tensor x: is_symmetric is false, this version writes \"True\" or \"False\"; read as such");
  CHECK(with_x(R"([{"bitwidth": 8, "dtype": "int", "is_symmetric": "False", "scale": 1e39, "offset": 0}])") ==
        start + "scale is 1e+39, allowed is what float32 holds, 1.18e-38 to 3.4e+38");
  const std::string twice = fmt::format("{},{}", std::string_view(kX).substr(0, std::string_view(kX).size() - 1), kX + 1);
  CHECK(with_x(twice) == start + "is an activation with 2 encodings, allowed is one");
  CHECK(only(objects("\"0.4.0\"", R"([{"bitwidth": 8, "dtype": "int"}])", R"([{"bitwidth": 8}])")) ==
        "1: warning: tensor x: key 'dtype' is not known; it is not read");
  std::string both = objects("\"0.6.1\"", kX, kW);
  both.replace(both.find("\"w\""), 3, "\"x\"");
  CHECK(only(both) == start + "is listed twice, as an activation and as a parameter, first on line 1");
  for (const auto& [a, b, differ] :
       {std::tuple("\"int\"", "\"float\"", "has one of"), std::tuple("\"True\"", "\"False\"", "is_symmetric"),
        std::tuple(": 8,", ": 9,", "bitwidth (8 and 9)")}) {
    std::string w = kW;
    w.replace(w.rfind(a), std::string(a).size(), b);
    CHECK_THAT(only(objects("\"0.6.1\"", kX, w)), Catch::Contains(differ));
  }
}

TEST_CASE("Lists: one thing wrong") {
  const auto with = [](std::string text, std::string_view old, std::string_view now) {
    text.replace(text.find(old), old.size(), now);
    return text;
  };
  const auto with_x = [&](std::string_view old, std::string_view now) {
    return only(lists(with(kListX, old, now), kListW));
  };
  const auto with_w = [&](std::string_view old, std::string_view now) {
    return only(lists(kListX, with(kListW, old, now)));
  };
  const std::string start = "1: error: tensor x: ", start_w = "1: error: tensor w: ";
  CHECK(only(lists("3", kListW)) == "1: error: entry 0 of activation_encodings: an encoding is 3, allowed is an object");
  CHECK(with_x("\"x\"", "\"\"") == "1: error: entry 0 of activation_encodings: name is '', allowed is the name of a tensor");
  CHECK(with_x("\"name\"", "\"nane\"") == "1: error: entry 0 of activation_encodings: name is missing");
  CHECK(with_x("PER_TENSOR", "PER_CHANNEL") ==
        start + "is an activation with enc_type PER_CHANNEL (1 encoding), allowed is PER_TENSOR");
  CHECK(with_x("PER_TENSOR", "LPBQ") == "1: unsupported: tensor x: enc_type is LPBQ, read are PER_TENSOR and PER_CHANNEL");
  CHECK(with_x("\"PER_TENSOR\"", "[]").starts_with(start + "enc_type is a list, allowed are"));
  CHECK(with_x("\"enc_type\"", "\"block_size\": 4, \"enc_type\"").starts_with("1: unsupported: tensor x: has block_size"));
  CHECK(with_x("false", "\"False\"") ==
        "1: warning: tensor x: is_sym is 'False', this version writes true or false; read as such");
  CHECK(with_x("\"INT\"", "\"FLOAT\"") == start + "dtype is FLOAT, yet it has scale or offset, which are for INT");
  CHECK(with_x(": 8", ": 1") == start + "bw is 1, allowed are 2 to 32");
  CHECK(with_x("[-10]", "[]") == start + "offset is an empty list: there is no encoding in it");
  CHECK(with_x("[-10]", "-10") == start + "offset is -10, allowed is a list of numbers");
  CHECK(with_x("[-10]", "[-10.5]") == start + "offset is -10.5, allowed is a whole number");
  CHECK(with_x("\"is_sym\": false, ", "") == start + "is_sym is missing");
  CHECK(with_w("-8, -7", "-8") == start_w + "has 2 scales and 1 offset, allowed is one offset for each scale");
  CHECK(with_w("CHANNEL", "TENSOR") == start_w + "enc_type is PER_TENSOR with 2 scales, allowed is one");
  CHECK(with_w("0.25", "-0.25") == "1: error: tensor w, channel 1: scale is -0.25, allowed are numbers above 0");
  CHECK(with_w("\"w\"", "\"x\"") == start + "is listed twice, as an activation and as a parameter, first on line 1");
  CHECK(only(lists(kListX, "") + "x").starts_with("1: error: column"));
}

TEST_CASE("The terms of ONNX: one thing wrong") {
  const auto entry = [](std::string_view rest) { return only(onnx_terms(fmt::format(R"({{"name": "x", {}}})", rest))); };
  const std::string start = "1: error: tensor x: ", unsupported = "1: unsupported: tensor x: ";
  CHECK(entry(R"("output_dtype": "int3", "y_scale": 1)") ==
        start + "output_dtype is 'int3', allowed are int and uint of 2, 4, 8, 16 and 32 bits");
  CHECK(entry(R"("output_dtype": "float8e4m3fn", "y_scale": 1)") ==
        unsupported + "output_dtype is 'float8e4m3fn', read are integers");
  CHECK(entry(R"("output_dtype": "int8")") == start + "y_scale is missing");
  CHECK(entry(R"("output_dtype": "int8", "y_scale": {})").starts_with(unsupported + "y_scale is an object"));
  CHECK(entry(R"("output_dtype": "int8", "y_scale": [[1]], "axis": 0)") ==
        unsupported + "y_scale is a list of lists: encodings of blocks are not read");
  CHECK(entry(R"("output_dtype": "int8", "y_scale": 1, "block_size": 4)") ==
        unsupported + "has block_size: encodings of blocks are not read");
  CHECK(entry(R"("output_dtype": "int8", "y_scale": [1, 1])") == start + "y_scale is a list, and axis is missing");
  CHECK(entry(R"("output_dtype": "int8", "y_scale": [1, 1], "axis": 7)") ==
        start + "axis is 7, allowed are -6 to 5, of tensors of rank 6 at most");
  CHECK(entry(R"("output_dtype": "int8", "y_scale": [1, 1], "axis": 0, "y_zero_point": 0)") ==
        start + "has 2 scales and 1 zero point, allowed is one zero point for each scale");
  CHECK(entry(R"("output_dtype": "uint8", "y_scale": 1, "y_zero_point": 300)") ==
        start + "y_zero_point is 300, uint8 allows 0 to 255");
  CHECK(entry(R"("output_dtype": "int8", "y_scale": 1, "y_zero_point": -129)") ==
        start + "y_zero_point is -129, int8 allows -128 to 127");
  CHECK(entry(R"("output_dtype": "int2", "y_scale": 1, "y_zero_point": -0.5)")
            .starts_with(unsupported + "y_zero_point is -0.5"));
  CHECK(entry(R"("output_dtype": "int8", "y_scale": 1, "axis": 0)")
            .starts_with("1: warning: tensor x: has axis, yet y_scale is one number"));
  CHECK(entry(R"("output_dtype": "int8", "y_scale": [], "axis": 0)").starts_with(start));
}

TEST_CASE("Sections that are missing or of the other kind") {
  CHECK(only(R"({"version": "1.0.0", "activation_encodings": []})") == "1: error: the section param_encodings is missing");
  CHECK(only(R"({"version": "0.6.1", "activation_encodings": {}, "param_encodings": []})") ==
        "1: error: param_encodings is a list, version 0.6.1 wants an object");
  CHECK(only(R"({"version": "2.0.0", "encodings": {}})") == "1: error: encodings is an object, version 2.0.0 wants a list");
  CHECK(only("[]") == "1: error: the document is a list, allowed is an object");
  CHECK(only("null") == "1: error: the document is null, allowed is an object");
}

TEST_CASE("what is said of texts with characters changed, left out or twice is as it was") {
  const std::string terms =
      R"({"name": "x", "output_dtype": "uint8", "y_scale": [0.5, 0.25], "y_zero_point": [3, 4], "axis": 0},
 {"name": "w", "output_dtype": "int4", "y_scale": 0.125}, {"name": "f", "output_dtype": "float16"})";
  const std::string letters = "0123456789-.eE\"{}[],: aintuFT";
  std::mt19937_64 random(3);
  for (const std::string& good :
       {objects("\"0.6.1\"", kX, kW), objects("\"0.4.0\"", kX, kW), lists(kListX, kListW), onnx_terms(terms)}) {
    std::string said;
    for (int i = 0; i < 1200; ++i) {
      std::string bad = good;
      const size_t at = random() % bad.size(), length = 1 + random() % 4;
      const char letter = letters[random() % letters.size()];
      if (i % 3 == 0) bad[at] = letter;
      if (i % 3 == 1) bad.erase(at, length);
      if (i % 3 == 2) bad.insert(at, bad.substr(at, length));
      said += text_of(read_encodings(bad));
      if (i % 300 < 299) continue;
      recorded_reads().check(fmt::format("{} bytes", said.size()), said);
      said.clear();
    }
  }
}
