// SPDX-License-Identifier: Apache-2.0
// The largest convolution that a command of the array holds.
#include "compiler/passes/program.hpp"
#include "hw/base/error.hpp"
#include "hw/config/machine_config.hpp"
#include "tests/support/graph_builder.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace vernier {
namespace {

using base::ElementType;

TEST_CASE("a convolution larger than the commands of the array hold is refused, and told what they hold") {
  const auto refusal = [](const base::Shape& in, int64_t channels) -> std::string {
    tests::GraphBuilder b;
    const auto w = b.constant(base::Tensor(ElementType::Int8, {channels, 1, 1, in[3]}));
    const auto bias = b.constant(base::Tensor(ElementType::Int32, {channels}));
    const ir::Graph graph = b.build({b.conv2d(b.input("x", ElementType::Int8, in), w, bias, {})});
    try {
      passes::lower(graph, config::preset_config("v256", "test"), {0}, "test");
      return "";
    } catch (const base::UserError& error) {
      return error.what();
    }
  };
  const std::string limits =
      "is larger than the MAC array takes: rows, columns and output channels to 65535, input channels to 1048575, kernel, "
      "stride and dilation to 16383";
  CHECK(refusal({1, 1, 1, 1'048'575}, 1).empty());
  CHECK_THAT(refusal({1, 1, 1, 1'048'576}, 1), Catch::Matchers::EndsWith(limits));
  CHECK(refusal({1, 1, 1, 1}, 65'535).empty());
  CHECK_THAT(refusal({1, 1, 1, 1}, 65'536), Catch::Matchers::EndsWith(limits));
  CHECK(refusal({1, 65'535, 1, 1}, 1).empty());
  CHECK_THAT(refusal({1, 65'536, 1, 1}, 1), Catch::Matchers::EndsWith(limits));
}

}  // namespace
}  // namespace vernier
