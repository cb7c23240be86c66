// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/schedule.hpp"
#include "hw/config/machine_config.hpp"
#include "tests/support/graph_builder.hpp"

#include <catch2/catch.hpp>

namespace vernier::schedule {
namespace {

using base::ElementType;

/// A transposed convolution of many phases, most of which no tap belongs to.
ir::Graph transposed() {
  tests::GraphBuilder b;
  const auto x = b.input("x", ElementType::Int8, {1, 2, 1, 48});
  const auto w = b.constant(tests::random_tensor(ElementType::Int8, {40, 1, 3, 48}, 1));
  const auto bias = b.constant(tests::random_tensor(ElementType::Int32, {40}, 2, -1000, 1000));
  const auto zero = b.scalar(ElementType::Int8, 0);
  const auto sums = b.op(ir::OpKind::TransposeConv2d, {x, w, bias, zero, zero}, ElementType::Int32, {1, 49, 3, 40},
                         ir::TransposeConvAttributes{{32, 0, 0, 0}, {16, 16}, ElementType::Int32});
  return b.build({b.rescale(sums, ElementType::Int8, {.multipliers = {1 << 30}, .shifts = {38}})});
}

TEST_CASE("the size that is enough is the least, and found without carrying out the same plan for each") {
  config::MachineConfig config = config::preset_config("v1024", "test");
  config.memory_mode = spec::MemoryMode::External;
  config.sram_bytes = 1024;
  const ir::Graph graph = transposed();
  const passes::Program program = passes::lower(graph, config, {1}, "test");
  const EnoughSram enough = enough_sram(program, graph, config, {});
  config.sram_bytes = enough.bytes;
  CHECK(try_schedule(program, graph, config, {}));
  config.sram_bytes -= 256;  // banks times words: what sizes of copies are rounded to
  CHECK_FALSE(try_schedule(program, graph, config, {}));
  // 72 when each size carries out its own.
  CHECK(enough.num_attempts < 30);
}

}  // namespace
}  // namespace vernier::schedule
