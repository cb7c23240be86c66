// SPDX-License-Identifier: Apache-2.0
// How long it takes to read a network: bench_import FILE [TIMES] prints the size of the file and the least time of so many
// readings from memory to a verified graph, in ms. Reading the file from its medium and its checksum are not in it.
#include "compiler/import/import.hpp"
#include "hw/base/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

using namespace vernier;

int main(int argc, char** argv) {
  try {
    if (argc < 2) {
      fmt::print(stderr, "usage: {} FILE [TIMES]\n", argv[0]);
      return 2;
    }
    const std::string file = argv[1];
    const int64_t times = argc > 2 ? std::max<int64_t>(std::atoll(argv[2]), 1) : 10;
    const std::vector<std::byte> bytes = base::read_file(file);
    double least_ms = 1e12;
    for (int64_t i = 0; i < times; ++i) {
      const auto start = std::chrono::steady_clock::now();
      import::ImportResult result = import::import_network(file, bytes, import::Options{});
      const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
      least_ms = std::min(least_ms, spent.count());
      (void)import::take_graph(result);  // UserError where there is none
    }
    fmt::print("{:.1f} MB in {:.1f} ms\n", static_cast<double>(bytes.size()) / 1e6, least_ms);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
