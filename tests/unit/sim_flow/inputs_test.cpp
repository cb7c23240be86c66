// SPDX-License-Identifier: Apache-2.0
// The inputs of a run: the same values from a seed for ever, and files by name.
#include "sim/flow/model/inputs.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/npy.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>

#include <set>

namespace vernier::flow {
namespace {

using base::ElementType;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

const std::vector<End> kTwo{{"x", ElementType::Int8, {6}}, {"y=z", ElementType::Int32, {2, 2}}};

std::vector<int64_t> values_of(const base::Tensor& tensor) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < tensor.size(); ++i) values.push_back(tensor.at(i));
  return values;
}
using Values = std::vector<int64_t>;

std::string write_npy(const tests::TemporaryDirectory& folder, const std::string& name, const base::Tensor& tensor) {
  base::FileSet files;
  files.add_text(folder / name, base::to_npy(tensor));
  files.commit();
  return (folder / name).string();
}

TEST_CASE("A seed gives the values that it always gave") {
  // Written down once: whoever compares two reports of different versions relies on them.
  const std::vector<base::Tensor> first = make_inputs(kTwo, {}, 1);
  REQUIRE(first.size() == 2);
  CHECK(values_of(first[0]) == Values{29, -43, 82, 23, 111, 1});
  CHECK(values_of(first[1]) == Values{-1138874122, -183951624, -386047454, 144745822});
  CHECK(values_of(make_inputs(kTwo, {}, 2)[0]) == Values{-81, 45, -83, -31, -46, -64});
}

TEST_CASE("Inputs of equal shape get different values, those of a seed do not depend on the other inputs") {
  const std::vector<End> equal{{"a", ElementType::Int8, {64}}, {"b", ElementType::Int8, {64}}};
  const std::vector<base::Tensor> both = make_inputs(equal, {}, 7);
  CHECK_FALSE(both[0] == both[1]);
  CHECK(make_inputs({equal[0]}, {}, 7)[0] == both[0]);
  CHECK_FALSE(make_inputs(equal, {}, 8)[0] == both[0]);
}

TEST_CASE("Random values reach all of their type") {
  const auto values = values_of(make_inputs({{"x", ElementType::Int8, {20000}}}, {}, 3)[0]);
  CHECK(std::set<int64_t>(values.begin(), values.end()).size() == 256);
  const auto bits = values_of(make_inputs({{"x", ElementType::Bool, {1000}}}, {}, 3)[0]);
  const auto ones = std::count(bits.begin(), bits.end(), 1);
  CHECK(ones + std::count(bits.begin(), bits.end(), 0) == 1000);
  CHECK(ones > 400);
  CHECK(ones < 600);
}

TEST_CASE("Without values inputs are zeros of the right type and shape") {
  const std::vector<base::Tensor> zeros = zero_inputs(kTwo);
  REQUIRE(zeros.size() == 2);
  CHECK(zeros[0] == base::Tensor(ElementType::Int8, {6}));
  CHECK(zeros[1] == base::Tensor(ElementType::Int32, {2, 2}));
}

TEST_CASE("What uint8 numbers for an input of floats are taken for is told") {
  package::BoundaryEnd end;
  end.tensor = "x";
  end.is_float = true;
  end.is_signed = false;
  end.scale = 0.5F;
  end.zero_point = 2;
  std::vector<End> ends{{"x", ElementType::Int8, {2}, end}};
  const InputArrays codes{{"x", {"uint8", {2}, std::vector<std::byte>(2)}}};
  CHECK(assumed_codes(ends, {}, codes) ==
        std::vector<std::string>{
            "input 'x': the uint8 numbers of an array are taken as the network's codes, of which 0 stands "
            "for -1 and 255 for 126.5; pixels that are to be quantized are float32"});
  CHECK(assumed_codes(ends, {}, {{"x", {"float32", {2}, std::vector<std::byte>(8)}}}).empty());
  ends[0].source->is_float = false;  // then they are the only thing that they can be
  CHECK(assumed_codes(ends, {}, codes).empty());
}

TEST_CASE("Files are taken by the name of the input, which may hold an equals sign, in any order") {
  const tests::TemporaryDirectory folder;
  base::Tensor x(ElementType::Int8, {6}), y(ElementType::Int32, {2, 2});
  for (int64_t i = 0; i < 4; ++i) y.set(i, 1000 * i);
  for (int64_t i = 0; i < 6; ++i) x.set(i, -i);
  const std::string x_file = write_npy(folder, "x.npy", x), y_file = write_npy(folder, "y.npy", y);
  const std::vector<std::string> specs{"y=z=" + y_file, "x=" + x_file};
  const std::vector<base::Tensor> inputs = make_inputs(kTwo, specs, 1);
  CHECK(inputs[0] == x);
  CHECK(inputs[1] == y);
  CHECK(input_sources(kTwo, specs, 1) == std::vector<std::string>{x_file, y_file});
  CHECK(make_inputs({kTwo[0]}, {x_file}, 1)[0] == x);
}

TEST_CASE("Where inputs come from is said by input") {
  CHECK(input_sources(kTwo, {}, 12) == std::vector<std::string>{"random, seed 12", "random, seed 12"});
  CHECK(input_sources({}, {}, 12).empty());
}

TEST_CASE("What is wrong with --input is told with what there is") {
  const tests::TemporaryDirectory folder;
  const std::string file = write_npy(folder, "x.npy", base::Tensor(ElementType::Int8, {6}));
  CHECK_THROWS_WITH(make_inputs(kTwo, {""}, 1), Contains("the inputs are 'x', 'y=z'"));
  CHECK_THROWS_WITH(make_inputs(kTwo, {"w=" + file}, 1), StartsWith("--input: no input is named 'w'"));
  CHECK_THROWS_WITH(make_inputs(kTwo, {file}, 1), Contains("names no input, the network has 'x', 'y=z'"));
  CHECK_THROWS_WITH(make_inputs(kTwo, {"x=" + file, "x=" + file}, 1), Contains("'x' is given twice"));
  CHECK_THROWS_WITH(make_inputs(kTwo, {"x=" + file}, 1), Contains("'y=z' is missing"));
  CHECK_THROWS_AS(make_inputs({{"x", ElementType::Int8, {7}}}, {file}, 1), base::UserError);
  CHECK_THROWS_WITH(make_inputs({}, {"x=" + file}, 1), Contains("the inputs are none"));
}

TEST_CASE(
    "A file of another batch is told --batch where the network leaves it open, in the shape of the codes or of the floats") {
  const tests::TemporaryDirectory folder;
  package::BoundaryEnd source;
  source.tensor = "x";
  source.steps = {{package::HostOperator::Transpose, "turned", {}, {}, {0, 2, 1}}};
  source.source_shape = {2, 4, 3};
  const End turned{"x", ElementType::Int8, {2, 3, 4}, source}, plain{"x", ElementType::Int8, {2, 3, 4}};
  const auto said_of = [&](const End& input, const base::Shape& shape, const std::vector<std::string>& open_inputs) {
    const std::string file = write_npy(folder, "x.npy", base::Tensor(ElementType::Int8, shape));
    try {
      static_cast<void>(make_inputs({input}, {file}, 1, open_inputs));
      return std::string();
    } catch (const base::UserError& error) {
      return std::string(error.what());
    }
  };
  const auto hint = Contains("; the network leaves that dimension open, --batch 5 takes a batch of 5");
  for (const End& input : {turned, plain}) {
    CAPTURE(input.source.has_value());
    CHECK(said_of(input, {2, 3, 4}, {"x"}).empty());
    CHECK_THAT(said_of(input, {5, 3, 4}, {"x"}), hint);
    CHECK_THAT(said_of(input, {5, 3, 4}, {}), Contains("x.npy") && !hint);
    CHECK_THAT(said_of(input, {5, 4, 4}, {"x"}), Contains("x.npy") && !hint);
    CHECK_THAT(said_of(input, {5, 3}, {"x"}), Contains("x.npy") && !hint);
    CHECK_THAT(said_of(input, {2, 5, 4}, {"x"}), Contains("x.npy") && !Contains("--batch"));
  }
  CHECK_THAT(said_of(turned, {5, 4, 3}, {"x"}), hint);
  CHECK_THAT(said_of(plain, {5, 4, 3}, {"x"}), Contains("x.npy") && !hint);
}

}  // namespace
}  // namespace vernier::flow
