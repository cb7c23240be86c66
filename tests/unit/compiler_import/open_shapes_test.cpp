// SPDX-License-Identifier: Apache-2.0
// Files that leave shapes open. tests/fuzz opens those of every operator that there is.
#include "tests/support/open_shapes.hpp"

#include "compiler/import/import.hpp"
#include "hw/base/file.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/unit/compiler_import/tosa_file_builder.hpp"

#include <catch2/catch.hpp>

#include <filesystem>

namespace vernier {

TEST_CASE("shapes that were opened come back") {
  for (const auto& entry : std::filesystem::directory_iterator(tests::source_path("tests/golden/networks"))) {
    if (!entry.is_directory()) continue;
    INFO(entry.path().string());
    CHECK(tests::shape_that_does_not_follow(import::import_file(entry.path() / "model.tosa", ir::kLevel8k)) == "");
  }
}

TEST_CASE("the made networks are read as they were") {
  std::vector<std::filesystem::path> files{tests::source_path("tests/e2e/demo/demo.tosa")};
  for (const auto& entry : std::filesystem::directory_iterator(tests::source_path("tests/golden/networks"))) {
    if (entry.is_directory()) files.push_back(entry.path() / "model.tosa");
  }
  std::sort(files.begin(), files.end());
  tests::Recorded rows("tests/unit/compiler_import/recorded_networks.txt");
  for (const std::filesystem::path& file : files) {
    INFO(file.string());
    tests::recorded(rows, import::import_network("f", base::read_file(file), {}));
  }
}

TEST_CASE("a file that leaves the batch open is read, and says so") {
  tests::TosaFileBuilder file = tests::one_operator(tosa::Op::ABS, {-1, 3}, tosa::DType::INT32);
  const auto read = [&](std::optional<int64_t> batch) { return file.result({ir::kLevel8k, {batch, {}}}); };
  CHECK(read({}).open_inputs == std::vector<std::string>{"x"});
  CHECK(read({}).graph->tensor(1).shape == base::Shape{1, 3});
  CHECK(read(8).graph->tensor(1).shape == base::Shape{8, 3});
  CHECK(tests::two_operators().import().tensor(0).shape == base::Shape{2, 3});
  file.constant("c", {-1}, tosa::DType::INT32, std::vector<uint8_t>(4));
  CHECK(file.complaint() == "f: dimension 0 of constant 'c' is open (-1), its data needs a fixed shape");
}

}  // namespace vernier
