// SPDX-License-Identifier: Apache-2.0
// Dumped tensors are the reference's, every one of them; dumped SRAM is what commands have written by then.
#include "sim/flow/look/memory_dump.hpp"

#include "compiler/reference/interpreter.hpp"
#include "sim/flow/look/dump_text.hpp"
#include "sim/flow/model/ends.hpp"
#include "sim/flow/model/inputs.hpp"
#include "sim/flow/model/model.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/support/stream_assembler.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <numeric>

namespace vernier::flow {
namespace {

using support::dma_copy;
using support::sram;

/// Every tensor that the machine makes, on that machine, against the reference.
void check_all_tensors(const std::string& file, const MachineOptions& options) {
  const Model model = load_model(tests::source_path(file).string(), options);
  const package::Package package = package_of(model, options);
  const std::vector<base::Tensor> inputs = make_inputs(ends_of(package).inputs, {}, 3);
  std::map<std::string, base::Tensor> expected;
  const auto observe = [&](ir::TensorId id, const base::Tensor& value) { expected[model.graph->tensor(id).name] = value; };
  const reference::Result result = reference::run(*model.graph, inputs, observe);
  for (size_t i = 0; i < model.graph->outputs.size(); ++i)
    expected[model.graph->tensor(model.graph->outputs[i]).name] = result.outputs[i];
  for (size_t i = 0; i < inputs.size(); ++i) expected[model.graph->tensor(model.graph->inputs[i]).name] = inputs[i];
  std::vector<int32_t> idxs(package.tensors.size());
  std::iota(idxs.begin(), idxs.end(), 0);
  std::erase_if(idxs, [&](int32_t idx) { return !is_dumped(package, idx); });
  const TensorDump dump = dump_tensors(package, inputs, idxs);
  REQUIRE(dump.job.is_done());
  REQUIRE(dump.tensors.size() > inputs.size());
  for (const DumpedTensor& tensor : dump.tensors) {
    INFO(tensor.name);
    CHECK(tensor.unwritten_elems == 0);
    CHECK(tensor.values == expected.at(tensor.name));
  }
}

TEST_CASE("every tensor of a network, dumped, is the reference's") {
  for (const char* memory : {"sram", "weights-external", "external"}) {
    MachineOptions options;
    options.memory = memory;
    if (options.memory == "external") options.sram_bytes = 16384;
    for (const char* network : {"tests/e2e/demo/demo.tosa", "tests/golden/networks/depthwise_separable/model.tosa",
                                "tests/golden/networks/conv3d_padded/model.tosa"}) {
      INFO(memory << " " << network);
      check_all_tensors(network, options);
    }
  }
}

/// Bytes 0 to 63 count up; two copies of 16 and 8 of them, one after the other.
package::Package two_copies() {
  support::StreamAssembler stream(config::preset_config("v256", "test"));
  stream.ramp(sram(0), 64);
  stream.add(dma_copy(spec::Queue::Dma0, sram(4), sram(0x100), 16));
  stream.add(dma_copy(spec::Queue::Dma0, sram(40), sram(0x108), 8)).end();
  return stream.package();
}

TEST_CASE("SRAM at the end of a cycle has what commands wrote that have ended, and no more") {
  const package::Package package = two_copies();
  const soc::JobResult job = soc::Npu(package.config).run(package, {});
  REQUIRE(job.is_done());
  const int64_t first = job.commands[0].end_cycle, second = job.commands[1].end_cycle;
  REQUIRE(first < second);
  const auto byte_of = [](const SramDump& dump, int64_t address) {
    return static_cast<int>(dump.bytes.at(static_cast<size_t>(address - dump.from_bytes)));
  };
  const auto is_written = [](const SramDump& dump, int64_t address) {
    return dump.is_written.at(static_cast<size_t>(address - dump.from_bytes));
  };
  const int ramp0 = byte_of(dump_sram(package, {}, 0, 64, 0), 0);
  for (const int64_t cycle : {int64_t{0}, first - 1}) {
    const SramDump dump = dump_sram(package, {}, 8, 0x118, cycle);
    CHECK(byte_of(dump, 20) == ramp0 + 20);
    CHECK(is_written(dump, 63));
    CHECK_FALSE(is_written(dump, 64));
    CHECK_FALSE(is_written(dump, 0x100));
  }
  for (const int64_t cycle : {first, second - 1}) {
    const SramDump dump = dump_sram(package, {}, 0xf8, 0x118, cycle);
    CHECK_FALSE(is_written(dump, 0xff));
    for (int i = 0; i < 16; ++i) CHECK(byte_of(dump, 0x100 + i) == ramp0 + 4 + i);
    CHECK(is_written(dump, 0x10f));
    CHECK_FALSE(is_written(dump, 0x110));
  }
  const SramDump dump = dump_sram(package, {}, 0x100, 0x110, second);
  for (int i = 0; i < 8; ++i) CHECK(byte_of(dump, 0x100 + i) == ramp0 + 4 + i);
  for (int i = 8; i < 16; ++i) CHECK(byte_of(dump, 0x100 + i) == ramp0 + 32 + i);
  CHECK(dump_sram(package, {}, 0, 16, job.cycles).bytes.size() == 16);
  CHECK(dump_sram(package, {}, 0, 16, job.cycles + 1).bytes.empty());
}

TEST_CASE("a tensor's commands may end in any order") {
  DumpedTensor tensor;
  tensor.add_maker(5, 120);
  tensor.add_maker(3, 200);
  tensor.add_maker(9, 80);
  tensor.add_maker(4, 90);
  CHECK(tensor.first_command_idx == 3);
  CHECK(tensor.last_command_idx == 9);
  CHECK(tensor.last_cycle == 200);
}

TEST_CASE("dumps as text") {
  DumpedTensor tensor{"x", base::Tensor(base::ElementType::Int16, {2, 2}), 1, 3, 5, 1'234};
  tensor.values.set(0, -2);
  tensor.values.set(3, 258);
  CHECK(to_text(tensor) ==
        "# tensor x int16 [2, 2], of commands 3 to 5, the last ended in cycle 1,234; 1 of 4 elements are of no command, and "
        "stand as 0\n[0] -2 0\n[1] 0 258\n");
  CHECK(to_hex(tensor).ends_with("\nfffe 0000\n0000 0102\n"));
  const DumpedTensor scalar{"s", base::Tensor(base::ElementType::Int48, {}), 0, 7, 7, 9};
  CHECK(to_text(scalar) == "# tensor s int48 [], of command 7, which ended in cycle 9\n0\n");
  CHECK(to_hex(scalar).ends_with("\n0000000000000000\n"));
  SramDump memory;
  memory.from_bytes = 0x20;
  memory.bytes.assign(17, std::byte{0xab});
  memory.is_written.assign(17, true);
  memory.is_written[1] = false;
  CHECK(to_text(memory, 5) ==
        "# SRAM 0x20 to 0x31 at the end of cycle 5; nobody has written 1 of 17 bytes\n"
        "0x000020 ab -- ab ab ab ab ab ab ab ab ab ab ab ab ab ab\n0x000030 ab\n");
  CHECK(to_hex(memory, 5).ends_with("\n@20 ab xx ab ab ab ab ab ab ab ab ab ab ab ab ab ab\n@30 ab\n"));
}

}  // namespace
}  // namespace vernier::flow
