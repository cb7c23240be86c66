// SPDX-License-Identifier: Apache-2.0
// --shape, --input-format and --quantize: what their texts mean, and what is wrong with others.
#include "sim/cli/options_ends.hpp"

#include "hw/base/error.hpp"

#include <catch2/catch.hpp>

namespace vernier::cli {
namespace {

flow::MachineOptions taken(const EndTexts& texts) {
  flow::MachineOptions options;
  take_ends(texts, options);
  return options;
}

std::string ends_refusal(const EndTexts& texts) {
  try {
    taken(texts);
  } catch (const base::UserError& error) {
    return error.what();
  }
  return "no error";
}

std::string shape_refusal(const std::string& text) { return ends_refusal({{text}, {}, {}}); }
std::string format_refusal(const std::string& text) { return ends_refusal({{}, {text}, {}}); }
std::string range_refusal(const std::string& text) { return ends_refusal({{}, {}, {text}}); }

TEST_CASE("option --shape takes a name with any signs, and sizes") {
  CHECK(taken({{"x=1x3x32", "a=b=7"}, {}, {}}).shapes ==
        std::map<std::string, base::Shape>{{"x", {1, 3, 32}}, {"a=b", {7}}});
  CHECK(shape_refusal("x") == "--shape: 'x' is not NAME=1x3x32x32");
  CHECK(shape_refusal("=3") == "--shape: '=3' is not NAME=1x3x32x32");
  CHECK(shape_refusal("x=3x") == "--shape: 'x=3x': '' is not a whole number from 1 to 2147483647");
  CHECK(shape_refusal("x=3x0") == "--shape: 'x=3x0': 0 is not in 1 to 2147483647");
  CHECK(shape_refusal("x=3x99999999999") == "--shape: 'x=3x99999999999': 99999999999 is not in 1 to 2147483647");
  CHECK(ends_refusal({{"x=1", "x=2"}, {}, {}}) == "--shape: input 'x' is given twice");
}

TEST_CASE("option --input-format takes a scale, and has defaults") {
  const auto formats = taken({{}, {"a:b:scale=0.5", "y:scale=2,zero_point=3,bits=4,signed=0"}, {}}).input_formats;
  CHECK(formats.at("a:b") == import::InputFormat{0.5F, 0, 8, true});
  CHECK(formats.at("y") == import::InputFormat{2, 3, 4, false});
  CHECK(format_refusal("x") == "--input-format: 'x' is not NAME:scale=S,zero_point=Z,bits=B,signed=1");
  CHECK(format_refusal("x:bits=8") == "--input-format: scale is missing");
  CHECK(format_refusal("x:scale=0") == "--input-format: scale: 0 is no scale, allowed are finite numbers above 0");
  CHECK(format_refusal("x:scale=inf") == "--input-format: scale: inf is no scale, allowed are finite numbers above 0");
  CHECK(format_refusal("x:scale=1e-60") == "--input-format: scale: 1e-60 is no scale, allowed are finite numbers above 0");
  CHECK(format_refusal("x:scale=half") == "--input-format: scale: 'half' is no number");
  CHECK(format_refusal("x:scale=1,bits=17") == "--input-format: bits: 17 is not in 1 to 16");
  CHECK(format_refusal("x:scale=1,bits=4,zero_point=8") == "--input-format: zero_point: 8 is not in -8 to 7");
  CHECK(format_refusal("x:scale=1,signed=yes") == "--input-format: signed: 'yes' is not one of 0, 1, false, true");
  CHECK(format_refusal("x:scale=1,scale=2") == "--input-format: scale is given twice");
  CHECK(format_refusal("x:scale=1,zeropoint=2") ==
        "--input-format: no key 'zeropoint', did you mean 'zero_point'?; keys are scale, zero_point, bits, signed");
  CHECK(format_refusal("x:scale=1,") == "--input-format: no key ''; keys are scale, zero_point, bits, signed");
  CHECK(format_refusal("x:scale=1,bits=") == "--input-format: bits has no value");
}

TEST_CASE("option --quantize takes what `vernier quantize` takes") {
  const flow::InputQuantization one =
      taken({{},
             {},
             {"x:mode=SCALED,type=quint16,min=-1,max=high.npy,round_mode=HALF_TO_EVEN,narrow_range=true,axis=2,"
              "ensure_minimum_range=0.5"}})
          .quantizations.at(0);
  CHECK(one.name == "x");
  CHECK(one.attributes.mode == model::QuantizeMode::Scaled);
  CHECK(one.attributes.type == model::QuantizedType{16, false});
  CHECK(one.attributes.rounding == model::QuantizeRounding::HalfToEven);
  CHECK(one.attributes.narrow_range);
  CHECK(one.attributes.ensure_minimum_range == 0.5F);
  CHECK(one.axis == 2);
  CHECK(one.min == "-1");
  CHECK(one.max == "high.npy");
  CHECK(range_refusal("x:mode=SCALED,type=qint8,min=0") == "--quantize: max is missing");
  CHECK(range_refusal("x:mode=scaled,type=qint8,min=0,max=1") ==
        "--quantize: mode: 'scaled' is not one of MIN_COMBINED, MIN_FIRST, SCALED, did you mean 'SCALED'?");
  CHECK(range_refusal("x:mode=SCALED,type=int8,min=0,max=1") ==
        "--quantize: type: 'int8' is not one of qint8, quint8, qint16, quint16, qint32, did you mean 'qint8'?");
  CHECK(range_refusal("x:mode=MIN_FIRST,type=qint8,min=0,max=1,round_mode=HALF_TO_EVEN") ==
        "--quantize: round_mode HALF_TO_EVEN goes with mode SCALED only, found MIN_FIRST");
  CHECK(range_refusal("x:mode=SCALED,type=qint8,min=0,max=1,axis=-1") == "--quantize: axis: -1 is not in 0 to 31");
}

}  // namespace
}  // namespace vernier::cli
