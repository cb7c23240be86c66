// SPDX-License-Identifier: Apache-2.0
// specgen DIR: writes the printed contract into DIR. specgen --check DIR: fails when a copy there is not what it would
// write.
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/gen/machine_page.hpp"

#include <filesystem>
#include <span>
#include <string_view>

namespace {

/// Exit codes as those of the command line.
constexpr int kStale = 1;
constexpr int kBadInput = 2;

int run(std::span<char*> arguments) {
  const bool is_check = arguments.size() == 3 && std::string_view(arguments[1]) == "--check";
  if (!is_check && arguments.size() != 2) throw vernier::base::UserError("specgen", "wanted is: specgen [--check] DIR");
  const std::filesystem::path path = std::filesystem::path(arguments.back()) / "machine.md";
  const std::string page = vernier::gen::machine_page();
  if (!is_check) {
    vernier::base::write_text_file(path, page);
    return 0;
  }
  if (vernier::base::read_text_file(path) == page) return 0;
  fmt::print(stderr, "specgen: {} is not what hw/spec says: run specgen {}\n", path.string(), path.parent_path().string());
  return kStale;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(std::span(argv, static_cast<size_t>(argc)));
  } catch (const vernier::base::UserError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kBadInput;
  }
}
