// SPDX-License-Identifier: Apache-2.0
// specgen ROOT: writes the printed contract into the source tree at ROOT. specgen --check ROOT: fails when a copy there is
// not what it would write. specgen --binding BLOCK PREFIX plain|check FILE: C++ for the build, see rtl_texts.hpp.
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/gen/machine_page.hpp"
#include "hw/gen/rtl_texts.hpp"

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace {

/// Exit codes as those of the command line.
constexpr int kStale = 1;
constexpr int kBadInput = 2;

int write_or_check(const std::filesystem::path& root, bool is_check) {
  const std::vector<std::pair<std::string_view, std::string>> files{
      {"docs/reference/machine.md", vernier::gen::machine_page()},
      {"docs/reference/rtl-ports.md", vernier::gen::rtl_ports_page()},
      {"hw/rtl/npu_spec_pkg.sv", vernier::gen::spec_package()}};
  int status = 0;
  for (const auto& [name, text] : files) {
    const std::filesystem::path path = root / name;
    if (!is_check) {
      vernier::base::write_text_file(path, text);
    } else if (vernier::base::read_text_file(path) != text) {
      fmt::print(stderr, "specgen: {} is not what hw/spec says: run specgen {}\n", path.string(), root.string());
      status = kStale;
    }
  }
  return status;
}

int write_binding(std::string_view name, std::string_view prefix, std::string_view variant, const std::string& file) {
  const auto& blocks = vernier::spec::kRtlBlocks;
  const auto* block = std::find_if(blocks.begin(), blocks.end(), [&](const auto& b) { return b.name == name; });
  if (block == blocks.end()) throw vernier::base::UserError("specgen", "no block '{}' in hw/spec/rtl_ports.hpp", name);
  vernier::base::write_text_file(file, vernier::gen::rtl_binding(*block, prefix, variant == "plain"));
  return 0;
}

int run(const std::vector<std::string>& arguments) {
  const size_t count = arguments.size();
  if (count == 1) return write_or_check(arguments[0], false);
  if (count == 2 && arguments[0] == "--check") return write_or_check(arguments[1], true);
  if (count == 5 && arguments[0] == "--binding")
    return write_binding(arguments[1], arguments[2], arguments[3], arguments[4]);
  throw vernier::base::UserError("specgen", "wanted is: specgen [--check] ROOT, or --binding BLOCK PREFIX plain|check FILE");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const vernier::base::UserError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kBadInput;
  }
}
