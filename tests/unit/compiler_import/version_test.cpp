// SPDX-License-Identifier: Apache-2.0
// Which versions of TOSA are read, and what of TOSA 1.1 is not.
#include "tests/unit/compiler_import/tosa_file_builder.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace vernier {

using import::Finding;
using tests::one_operator;
using tests::TosaFileBuilder;
using tests::two_operators;
using tosa::DType;
using tosa::Op;

namespace {

TosaFileBuilder with_version(TosaFileBuilder file, int32_t major, int32_t minor, int32_t patch, bool is_draft) {
  file.graph.version->_major = major;
  file.graph.version->_minor = minor;
  file.graph.version->_patch = patch;
  file.graph.version->_draft = is_draft;
  return file;
}
TosaFileBuilder as_1p1(TosaFileBuilder file) { return with_version(std::move(file), 1, 1, 0, true); }

/// A compatibility record as writers of 1.1 leave it, in files of 1.0 too.
void set_features(TosaFileBuilder& file, uint64_t features) {
  file.graph.compatibility = std::make_unique<tosa::SerializationCompatibilityT>();
  file.graph.compatibility->features = features;
}

}  // namespace

TEST_CASE("every 1.0.x is taken as it is, whatever its patch number and draft flag") {
  for (const int32_t patch : {-1, 0, 1, 2, 99}) {
    for (const bool is_draft : {false, true}) {
      const auto result = with_version(two_operators(), 1, 0, patch, is_draft).result();
      CHECK(result.graph);
      CHECK(result.findings.empty());
      CHECK(result.is_whole_tosa);
    }
  }
}

TEST_CASE("every 1.1.x is read by the tables of 1.0, with a warning") {
  for (const int32_t patch : {0, 1, 7}) {
    for (const bool is_draft : {false, true}) {
      const auto result = with_version(two_operators(), 1, 1, patch, is_draft).result();
      REQUIRE(result.graph);
      CHECK(ir::print(*result.graph) == ir::print(two_operators().import()));
      const std::string text =
          fmt::format("f: TOSA 1.1.{}{} is read by the tables of TOSA 1.0", patch, is_draft ? " draft" : "");
      CHECK(result.findings == std::vector<Finding>{{Finding::Severity::Warning, text}});
      CHECK_FALSE(result.is_whole_tosa);
    }
  }
}

TEST_CASE("any other version is refused by its number") {
  const auto complaint = [](int32_t major, int32_t minor, int32_t patch, bool is_draft) {
    return with_version(two_operators(), major, minor, patch, is_draft).complaint();
  };
  const std::string remedy = ", allowed are 1.0.x and 1.1.x: tosa-opt --tosa-attach-target=specification_version=1.0";
  CHECK(complaint(1, 2, 0, true) == "f: TOSA version 1.2.0 draft" + remedy);
  CHECK(complaint(0, 80, 1, false) == "f: TOSA version 0.80.1" + remedy);
  CHECK(complaint(2, 0, 0, false) == "f: TOSA version 2.0.0" + remedy);
  CHECK(complaint(2, 1, 0, false) == "f: TOSA version 2.1.0" + remedy);
  CHECK(complaint(1, -1, -1, true) == "f: TOSA version 1.-1.-1 draft" + remedy);
  TosaFileBuilder file = two_operators();
  file.graph.version.reset();
  CHECK(file.complaint() == "f: the file has no TOSA version, allowed are 1.0.x and 1.1.x");
}

TEST_CASE("what TOSA 1.1 adds is listed together, by name") {
  const std::string begin = "f: TOSA 1.1.0 draft with what TOSA 1.0 does not have: ";
  TosaFileBuilder file = as_1p1(two_operators());
  file.block().operators[0]->op = Op::DIM;
  CHECK(file.complaint() == begin + "operator DIM");
  file.block().operators[1]->op = Op::MATMUL_T;
  CHECK(file.complaint() == begin + "operators DIM, MATMUL_T");
  file.block().tensors[0]->type = DType::INT64;
  file.block().tensors[1]->type = DType::MXINT8;
  file.tensor("listed, never used", {1}, DType::FP4E2M1).block_shape = tosa::BlockShape::BLOCK_SHAPE_32;
  file.block().tensors[2]->scale_type = DType::FP8UE8M0;
  file.block().tensors[2]->block_shape = tosa::BlockShape::BLOCK_SHAPE_32;
  set_features(file, 1U << static_cast<uint32_t>(tosa::CompatibilityFeature::MXFP) | uint64_t{1} << 40);
  CHECK(file.complaint() == begin +
                                "operators DIM, MATMUL_T; types INT64, MXINT8; scale form FP8UE8M0 in blocks of 32; "
                                "compatibility features MXFP, bit 40");
}

TEST_CASE("each of the parts alone is enough to be refused, in a file of 1.0 too") {
  const auto refused = [](const TosaFileBuilder& file, const std::string& what) {
    CHECK(file.complaint() == "f: TOSA 1.0.0 with what TOSA 1.0 does not have: " + what);
  };
  for (uint32_t number = ir::kNumOpKinds + 1; number <= static_cast<uint32_t>(Op::MAX); ++number) {
    const auto op = static_cast<Op>(number);
    refused(one_operator(op, {2}, DType::INT32), fmt::format("operator {}", tosa::EnumNameOp(op)));
  }
  CHECK(static_cast<int>(Op::MATMUL_T) == 100);
  CHECK(static_cast<int>(Op::MATMUL_T_BLOCK_SCALED) == 76);
  for (const DType type : {DType::FP6E2M3, DType::FP6E3M2, DType::FP4E2M1, DType::FP8UE8M0, DType::INT64, DType::MXINT8})
    refused(one_operator(Op::ABS, {2}, type), fmt::format("type {}", tosa::EnumNameDType(type)));
  TosaFileBuilder file = two_operators();
  file.block().tensors[1]->scale_data = {1};
  refused(file, "scale form UNKNOWN in blocks of 0");
  file.block().tensors[1]->scale_data.clear();
  file.block().tensors[1]->scale_size = 8;
  refused(file, "scale form UNKNOWN in blocks of 0");
  file = two_operators();
  set_features(file, 0);
  CHECK(file.complaint() == "");
  set_features(file, 1);
  refused(file, "compatibility feature bit 0");
}

TEST_CASE("operators and types with numbers that no version has") {
  CHECK(as_1p1(one_operator(static_cast<Op>(101), {2}, DType::INT32)).complaint() ==
        "f: operator number 101 is unknown, TOSA 1.0 has 1 to 75");
  CHECK(as_1p1(one_operator(Op::ABS, {2}, static_cast<DType>(19))).complaint() ==
        "f: tensor 'x' has element type number 19, allowed are bool, int4, int8, int16, int32 and int48\n"
        "f: tensor 'y' has element type number 19, allowed are bool, int4, int8, int16, int32 and int48");
}

TEST_CASE("types that an operator has in 1.1 only are refused by the tables of 1.0") {
  TosaFileBuilder file;  // GATHER of bool
  file.input("values", {1, 2, 3}, DType::BOOL);
  file.input("indices", {1, 4}, DType::INT32);
  file.tensor("y", {1, 4, 3}, DType::BOOL);
  file.op(Op::GATHER, {"values", "indices"}, {"y"});
  file.block().outputs = {"y"};
  CHECK_THAT(as_1p1(file).complaint(), Catch::StartsWith("f: GATHER 'y': the types are bool int32 -> bool, allowed are "));
}

}  // namespace vernier
