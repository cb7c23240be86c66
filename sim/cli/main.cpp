// SPDX-License-Identifier: Apache-2.0
// The `vernier` executable: parses, dispatches, and turns the three kinds of error into one line and an exit code.
#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "sim/cli/compare_command.hpp"
#include "sim/cli/console.hpp"
#include "sim/cli/convert_command.hpp"
#include "sim/cli/cosim_command.hpp"
#include "sim/cli/disasm_command.hpp"
#include "sim/cli/dump_command.hpp"
#include "sim/cli/encodings_command.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/explain_command.hpp"
#include "sim/cli/interleave_command.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/other_commands.hpp"
#include "sim/cli/out_of_memory.hpp"
#include "sim/cli/quantize_command.hpp"
#include "sim/cli/run_command.hpp"
#include "sim/cli/several_command.hpp"
#include "sim/cli/signals.hpp"
#include "sim/cli/verify_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <malloc.h>
#include <new>
#include <string>
#include <system_error>

namespace vernier::cli {
namespace {

/// Each line of what is wrong, after the program's name.
void print_error(const std::string& lines) {
  for (size_t begin = 0; begin <= lines.size();) {
    const size_t end = std::min(lines.find('\n', begin), lines.size());
    fmt::print(stderr, "vernier: {}\n", base::printable(lines.substr(begin, end - begin)));
    begin = end + 1;
  }
}

struct Dispatch {
  int operator()(const PrintAndExit& command) const {
    print_text(stdout, command.text);
    return kExitSuccess;
  }
  int operator()(const RunOptions& command) const { return cli::run(command); }
  int operator()(const SeveralRuns& command) const { return cli::several(command); }
  int operator()(const InterleaveCommand& command) const { return cli::interleave(command); }
  int operator()(const CompileCommand& command) const { return cli::compile(command); }
  int operator()(const DisasmCommand& command) const { return cli::disasm(command); }
  int operator()(const CompareCommand& command) const { return cli::compare(command); }
  int operator()(const DumpCommand& command) const { return cli::dump(command); }
  int operator()(const ExplainCommand& command) const { return cli::explain(command); }
  int operator()(const InspectCommand& command) const { return cli::inspect(command); }
  int operator()(const ConfigCommand& command) const { return cli::config(command); }
  int operator()(const CosimCommand& command) const { return cli::cosim(command); }
  int operator()(const ConvertCommand& command) const { return cli::convert(command); }
  int operator()(const QuantizeCommand& command) const { return cli::quantize(command); }
  int operator()(const EncodingsCommand& command) const { return cli::encodings(command); }
  int operator()(const VerifyCommand& command) const { return cli::verify(command); }
};

/// A search for plans makes and drops them by the hundred. What they free stays with the process: to give it back to the
/// system and take it again, page by page, was a tenth of the time of a long search.
void keep_freed_memory() {
  constexpr int kMiB = 1024 * 1024;
  ::mallopt(M_MMAP_THRESHOLD, 32 * kMiB);  // the most that the library takes
  ::mallopt(M_TRIM_THRESHOLD, 512 * kMiB);
  ::mallopt(M_TOP_PAD, 4 * kMiB);
}

int run_program(int argc, char** argv) {
  keep_freed_memory();
  handle_signals();
  try {
    return std::visit(Dispatch{}, parse_command_line(argc, argv));
  } catch (const base::UserError& error) {
    print_error(error.what());
    return kExitBadInput;
  } catch (const std::bad_alloc&) {
    print_error(out_of_memory_text());
    return kExitBadInput;
  } catch (const std::system_error& error) {  // a thread, a process or a file that the system refuses
    print_error(error.what());
    return kExitBadInput;
  } catch (const std::exception& error) {
    print_error(error.what());
    return kExitInternal;
  }
}

}  // namespace
}  // namespace vernier::cli

/// SystemC's library asks for this name; nothing of ours calls it.
extern "C" int sc_main(int argc, char** argv) { return vernier::cli::run_program(argc, argv); }

int main(int argc, char** argv) { return vernier::cli::run_program(argc, argv); }
