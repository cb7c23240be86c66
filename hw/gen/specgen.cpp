// SPDX-License-Identifier: Apache-2.0
// specgen ROOT: writes the printed contract into the source tree at ROOT. specgen --check ROOT: fails when a copy there is
// not what it would write. specgen --binding BLOCK PREFIX plain|held|check FILE and --holder BLOCK LANES FILE: texts for the
// build, see rtl_texts.hpp.
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/gen/machine_page.hpp"
#include "hw/gen/rtl_texts.hpp"
#include "hw/gen/system_texts.hpp"

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
      {"firmware/gen/vernier_system.h", vernier::gen::firmware_header()},
      {"docs/reference/rtl-ports.md", vernier::gen::rtl_ports_page()},
      {"hw/rtl/npu_spec_pkg.sv", vernier::gen::spec_package()},
      {"hw/rtl/npu_agu_pkg.sv", vernier::gen::agu_package()}};
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

const vernier::spec::RtlBlock& block_of(std::string_view name) {
  if (const vernier::spec::RtlBlock* block = vernier::spec::rtl_block_of_module(name); block != nullptr) return *block;
  if (name == vernier::spec::kAguBlock.name) return vernier::spec::kAguBlock;
  if (name == vernier::spec::kCoreSramBlock.name) return vernier::spec::kCoreSramBlock;
  throw vernier::base::UserError("specgen", "no block '{}' in hw/spec", name);
}

vernier::gen::BindingVariant variant_of(std::string_view name) {
  using vernier::gen::BindingVariant;
  if (name == "plain") return BindingVariant::Plain;
  if (name == "held") return BindingVariant::Held;
  if (name == "check") return BindingVariant::Check;
  throw vernier::base::UserError("specgen", "'{}' is not one of plain, held, check", name);
}

int lanes_of(const std::string& text) {
  for (const int lanes : vernier::spec::kRtlLanes) {
    if (text == std::to_string(lanes)) return lanes;
  }
  throw vernier::base::UserError("specgen", "'{}' is no number of lanes that RTL is built for", text);
}

/// A text of the build. A file that holds it already stays as it is, so that nothing is Verilated anew.
void write_changed(const std::string& path, const std::string& text) {
  if (!std::filesystem::exists(path) || vernier::base::read_text_file(path) != text)
    vernier::base::write_text_file(path, text);
}

int run(const std::vector<std::string>& arguments) {
  const size_t count = arguments.size();
  if (count == 1) return write_or_check(arguments[0], false);
  if (count == 2 && arguments[0] == "--check") return write_or_check(arguments[1], true);
  if (count == 5 && arguments[0] == "--binding") {
    write_changed(arguments[4], vernier::gen::rtl_binding(block_of(arguments[1]), arguments[2], variant_of(arguments[3])));
    return 0;
  }
  if (count == 4 && arguments[0] == "--holder") {
    write_changed(arguments[3], vernier::gen::rtl_holder(block_of(arguments[1]), lanes_of(arguments[2])));
    return 0;
  }
  throw vernier::base::UserError("specgen",
                                 "wanted is: specgen [--check] ROOT, --binding BLOCK PREFIX plain|held|check FILE or "
                                 "--holder BLOCK LANES FILE");
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
