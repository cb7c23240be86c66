// SPDX-License-Identifier: Apache-2.0
// `vernier disasm`: the commands of a package, all or some, with what a run says of them.
#pragma once

#include "hw/package/disassembler.hpp"
#include "hw/package/package.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

struct DisasmRequest {
  std::string package{};                    // FILE.vnpu
  std::optional<std::string> layer{};       // only commands of that layer: its name, shortened name or number
  std::optional<std::string> unit{};        // only commands of that unit: mac, vec, dma, mac_array, vector_unit
  std::optional<std::string> cycles{};      // the JSON report of a run of the package
  std::vector<std::string> report_files{};  // FILE.json
};

struct Disassembly {
  package::Package package{};
  std::function<bool(const package::ListedCommand&)> is_wanted{};  // empty: all are
  std::vector<std::string> remarks{};                              // by command, of the run
};

/// UserError for what is wrong with the package, a name or the report of the run.
Disassembly disassemble(const DisasmRequest& request);

/// With a legend, so wide.
std::string to_text(const Disassembly& disassembly, int64_t columns);
/// Schema vernier-disasm/1.
std::string to_json(const Disassembly& disassembly);

}  // namespace vernier::flow
