// SPDX-License-Identifier: Apache-2.0
// What a run leaves behind: names of output files, and what is in them.
#include "sim/flow/files/output_files.hpp"

#include "hw/base/npy.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>

#include <filesystem>

namespace vernier::flow {
namespace {

using base::ElementType;
namespace fs = std::filesystem;

base::Tensor tensor_of(ElementType type, const base::Shape& shape, int64_t first) {
  base::Tensor tensor(type, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.set(i, first + i);
  return tensor;
}

TEST_CASE("Output files are named after their tensors, safe and told apart") {
  using Names = std::vector<std::string>;
  CHECK(output_file_names({}) == Names{});
  CHECK(output_file_names({{"y"}, {"a/b"}, {"a b"}, {"..c"}}) == Names{"y.npy", "a_b.npy", "a_b_2.npy", "c.npy"});
  CHECK(output_file_names({{"x"}, {"x"}, {"x"}, {"x_2"}}) == Names{"x.npy", "x_2.npy", "x_3.npy", "x_2_2.npy"});
}

TEST_CASE("Outputs are written where --output-dir says, and listed either way") {
  const tests::TemporaryDirectory folder;
  const std::vector<End> names{{"y"}, {"z/w"}};
  const std::vector<base::Tensor> values{tensor_of(ElementType::Int8, {2, 3}, -2), tensor_of(ElementType::Int16, {5}, 300)};
  for (const bool has_place : {false, true}) {
    std::optional<std::string> place;
    if (has_place) place = (folder / "new/deep").string();
    report::Report report;
    base::FileSet files;
    add_outputs(files, report, place, names, values);
    files.commit();
    REQUIRE(report.outputs.size() == 2);
    CHECK(report.outputs[0].tensor == "y");
    CHECK(report.outputs[0].shape == base::Shape{2, 3});
    CHECK(report.outputs[0].dtype == "int8");
    CHECK(report.outputs[0].file == (has_place ? "y.npy" : ""));
    CHECK(report.outputs[1].tensor == "z/w");
    CHECK(report.outputs[1].shape == base::Shape{5});
    CHECK(report.outputs[1].dtype == "int16");
    CHECK(report.outputs[1].file == (has_place ? "z_w.npy" : ""));
    CHECK(fs::exists(folder / "new/deep") == has_place);
  }
  CHECK(base::read_npy((folder / "new/deep/y.npy").string(), ElementType::Int8, {2, 3}) == values[0]);
  CHECK(base::read_npy((folder / "new/deep/z_w.npy").string(), ElementType::Int16, {5}) == values[1]);
}

TEST_CASE("Outputs that are floats in the source have a file of each") {
  const std::optional<package::BoundaryEnd> reals({"y", true, false, 0.5F, 3}), codes({"y", false, false, 0.5F, 3});
  CHECK(output_files({{"y", ElementType::Int8, {}, reals}, {"y", ElementType::Int8, {}, codes}, {"y.float"}}) ==
        std::vector<OutputFiles>{{"y.npy", "y.float.npy"}, {"y_2.npy", ""}, {"y.float_2.npy", ""}});
  CHECK(output_files({{"y.float"}, {"y", ElementType::Int8, {}, reals}}) ==
        std::vector<OutputFiles>{{"y.float.npy", ""}, {"y_2.npy", "y_2.float.npy"}});
  const tests::TemporaryDirectory folder;
  std::optional<std::string> place;
  place = (folder / "out").string();
  report::Report report;
  base::FileSet files;
  add_outputs(files, report, place, {{"y", ElementType::Int8, {}, reals}}, {tensor_of(ElementType::Int8, {3}, -128)});
  files.commit();
  CHECK(report.outputs[0].dtype == "uint8");
  CHECK(report.outputs[0].float_file == "y.float.npy");
  const base::NpyArray integers = base::read_npy_array(folder / "out/y.npy", "uint8");
  CHECK(std::vector<uint8_t>(integers.as<uint8_t>().begin(), integers.as<uint8_t>().end()) == std::vector<uint8_t>{0, 1, 2});
  const base::NpyArray floats = base::read_npy_array(folder / "out/y.float.npy", "float32");
  CHECK(std::vector<float>(floats.as<float>().begin(), floats.as<float>().end()) == std::vector<float>{-1.5F, -1, -0.5F});
}

}  // namespace
}  // namespace vernier::flow
