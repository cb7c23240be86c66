// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tosa_modes.hpp"

#include "hw/base/error.hpp"
#include "tests/support/source_tree.hpp"

#include <fstream>
#include <sstream>

namespace vernier::tests {

std::vector<TosaRow> tosa_rows(const std::string& set) {
  const auto path = source_path("tests/unit/compiler_ir/tosa_modes.txt");
  std::ifstream file(path);
  VERNIER_CHECK(file.good(), "{} cannot be read", path.string());
  std::vector<TosaRow> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    std::string of_set, name, what;
    words >> of_set >> name >> std::ws;
    std::getline(words, what);
    const auto kind = ir::op_kind_from_name(name);
    VERNIER_CHECK(kind.has_value() && !what.empty(), "'{}' names no operator, or nothing of it", line);
    if (set.empty() || of_set == set) rows.push_back({of_set, *kind, what});
  }
  return rows;
}

bool is_mode(const TosaRow& row) {
  return row.set != "EXT-DYNAMIC" && row.set != "EXT-DOUBLEROUND" && row.set != "EXT-INEXACTROUND";
}

std::vector<TosaRow> tosa_modes_of(ir::OpKind kind) {
  std::vector<TosaRow> modes = tosa_rows();
  std::erase_if(modes, [kind](const TosaRow& row) { return row.kind != kind || !is_mode(row); });
  return modes;
}

std::string with_multiplier(const TosaRow& mode, const std::string& type) {
  std::string types = mode.what;
  const std::string word = "multiplier";
  if (const size_t at = types.find(word); at != std::string::npos) types.replace(at, word.size(), type);
  return types;
}

}  // namespace vernier::tests
