// SPDX-License-Identifier: Apache-2.0
// Real networks at --optimize 0, tensor by tensor: what stands in the simulated memory when a tensor's last piece has been
// written has the CRC that the official reference model gave. Skipped where ../shared is not there.
#include "compiler/import/import.hpp"
#include "hw/base/checksum.hpp"
#include "hw/base/file.hpp"
#include "hw/base/npy.hpp"
#include "tests/e2e/system/machine.hpp"
#include "tests/support/source_tree.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <map>
#include <set>

namespace vernier::tests {
namespace {

struct Entry {
  std::string op, crc32;
};

/// The value of a key in a line of intermediate.json, which holds an entry a line.
std::string value_of(const std::string& line, const std::string& key) {
  const std::string start = "\"" + key + "\": \"";
  const size_t at = line.find(start);
  REQUIRE(at != std::string::npos);
  return line.substr(at + start.size(), line.find('"', at + start.size()) - at - start.size());
}

std::map<std::string, Entry> read_entries(const std::filesystem::path& file) {
  std::map<std::string, Entry> entries;
  const std::string text = base::read_text_file(file);
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.find("\"tensor\"") == std::string::npos) continue;
    entries[value_of(line, "tensor")] = {value_of(line, "op"), value_of(line, "crc32")};
  }
  return entries;
}

/// Puts the elements of a piece into the tensor.
void insert(base::Tensor& tensor, const base::Shape& begin, const base::Shape& step, const base::Tensor& piece) {
  const size_t rank = begin.size();
  base::Shape at(rank, 0);
  for (int64_t i = 0; i < piece.size(); ++i) {
    int64_t offset = 0;
    for (size_t d = 0; d < rank; ++d) offset = offset * tensor.shape()[d] + begin[d] + at[d] * (step.empty() ? 1 : step[d]);
    tensor.set(offset, piece.at(i));
    for (size_t d = rank; d-- > 0 && ++at[d] == piece.shape()[d];) at[d] = 0;
  }
}

void check_network(const std::filesystem::path& folder, spec::MemoryMode memory) {
  const ir::Graph graph = import::import_file(folder / "model.tosa", ir::kLevel8k);
  const package::Package package = compile(graph, machine("v256", memory), 0);
  for (const package::FoldedTensor& folded : package.folded) {
    INFO(folded.name << ": " << folded.reason);
    CHECK(folded.reason == "constant");
  }
  std::map<std::string, base::Tensor> captured;
  std::map<std::string, int64_t> num_captured;
  soc::JobOptions options;
  options.on_piece = [&](int32_t piece_idx, int32_t, int64_t, const base::Tensor& values) {
    const package::Piece& piece = package.pieces[static_cast<size_t>(piece_idx)];
    const package::TensorEntry& entry = package.tensors[piece.tensor_idx];
    const auto it = captured.try_emplace(entry.name, base::Tensor(entry.type, entry.shape)).first;
    insert(it->second, piece.begin, piece.step, values);
    num_captured[entry.name] += values.size();
  };
  const ir::TensorInfo& input = graph.tensor(graph.inputs[0]);
  soc::Npu npu(package.config);
  REQUIRE(npu.run(package, {base::read_npy(folder / "seed0/input0.npy", input.type, input.shape)}, options).is_done());
  std::set<std::string> constants;
  for (const package::FoldedTensor& folded : package.folded) constants.insert(folded.name);
  int num_compared = 0;
  for (const auto& [tensor, entry] : read_entries(folder / "intermediate.json")) {
    INFO(tensor << " " << entry.op);
    if (constants.contains(tensor)) {
      CHECK(entry.op == "RESHAPE");
      continue;
    }
    REQUIRE(captured.contains(tensor));
    CHECK(num_captured[tensor] == captured.at(tensor).size());
    CHECK(fmt::format("{:08x}", base::crc32(captured.at(tensor).bytes())) == entry.crc32);
    ++num_compared;
  }
  CHECK(num_compared > 10);
}

}  // namespace

TEST_CASE("every tensor of real networks at optimize 0 has the official CRC") {
  const auto nets = shared_path("golden/nets");
  if (nets.empty()) {
    WARN("skipped: ../shared/golden/nets is not there");
    return;
  }
  const std::string name = GENERATE("ad01_int8", "kws_ref_model", "pretrainedResnet_quant", "mobilenet_v1_025_96_int8");
  INFO(name);
  check_network(nets / name, spec::MemoryMode::Sram);
  check_network(nets / name, spec::MemoryMode::WeightsExternal);
}

}  // namespace vernier::tests
