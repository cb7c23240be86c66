// SPDX-License-Identifier: Apache-2.0
// Writes packages with control flow into a folder, for control_flow_test.py. Each adds something to an array of 256 int8.
//
// usage: flow_packages FOLDER
#include "hw/base/file.hpp"
#include "tests/support/flow_assembler.hpp"

#include <cstdio>
#include <filesystem>
#include <string>

using namespace vernier;
using namespace vernier::support;

namespace {

constexpr int64_t kBytes = 256, kInput = 0x2'0000, kOutput = 0x3'0000, kCounter = 0x8000;

spec::Command less_by_one(int64_t byte) {
  spec::Command command = vector_add(byte, byte, 1, 1);
  std::get<spec::VectorCommand>(command.body).steps[1].op = spec::VectorOp::Sub;
  return command;
}

/// Adds 3 as often as `count` says; the limit of commands is `limit`. `reads_first`: from the second turn on it reads a byte
/// that nobody has written.
package::Package counting(int64_t count, int64_t limit, bool has_fault) {
  FlowAssembler flow(config::preset_config("v256", "flow_packages"));
  const int32_t load = flow.stream([&](StreamAssembler& s) {
    s.layer("load").add(dma_copy(Queue::Dma0, external(kInput), sram(0), kBytes));
    s.add(dma_fill(Queue::Dma1, sram(kCounter), 1, count));
    s.add(dma_fill(Queue::Dma1, sram(kCounter + 1), 1, 0));
  });
  const int32_t add = flow.stream([&](StreamAssembler& s) { s.layer("add").add(vector_add(0, 0, kBytes, 3)); });
  const int32_t down = flow.stream([&](StreamAssembler& s) {
    s.layer("count").add(less_by_one(kCounter));
    if (has_fault) s.add(dma_fill(Queue::Dma0, sram(kCounter + 1), 1, 1));
  });
  const int32_t store = flow.stream(
      [&](StreamAssembler& s) { s.layer("store").add(dma_copy(Queue::Dma1, sram(0), external(kOutput), kBytes)); });
  const int32_t bad =
      flow.stream([&](StreamAssembler& s) { s.layer("bad").add(dma_copy(Queue::Dma1, sram(0x6000), sram(0x7000), 1)); });
  flow.run(load).loop().while_not_zero(sram(kCounter));
  if (has_fault) flow.if_not_zero(sram(kCounter + 1)).run(bad).end();
  flow.run(add).run(down).end().run(store).most_commands(limit);
  flow.commands().input(external(kInput), kBytes).output(external(kOutput), kBytes);
  for (package::LayerEntry& layer : flow.package().layers) {
    layer.operators = {"ADD"};
    layer.macs = 16;  // so that a test sees how often they count
  }
  return flow.package();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || !std::filesystem::is_directory(argv[1])) {
    std::fprintf(stderr, "usage: flow_packages FOLDER, which is there\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  base::FileSet files;
  files.add((folder / "counting.vnpu").string(), package::to_bytes(counting(4, 1000, false)));
  files.add((folder / "limited.vnpu").string(), package::to_bytes(counting(100, 30, false)));
  files.add((folder / "faulty.vnpu").string(), package::to_bytes(counting(3, 1000, true)));
  files.commit();
  return 0;
}
