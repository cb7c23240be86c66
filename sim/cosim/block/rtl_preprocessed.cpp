// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/block/rtl_preprocessed.hpp"

#include "sim/cosim/block/child_process.hpp"
#include "sim/cosim/block/rtl_cache.hpp"

#include <regex>
#include <sstream>

namespace vernier::cosim {

namespace fs = std::filesystem;

PreprocessedRtl preprocess(const RtlFolder& folder, const fs::path& verilator, const fs::path& cache) {
  std::vector<std::string> command{verilator.string(), "-E", "-Wno-fatal"};
  for (const std::string& option : folder.include_options()) command.push_back(option);
  PreprocessedRtl rtl;
  for (const fs::path& source : folder.sources) {
    command.push_back(source.string());
    rtl.files.insert(source.string());
  }
  const base::TemporaryFolder scratch = scratch_in(cache);
  rtl.text = run_one(command, scratch.path()).output;
  static const std::regex kLine(R"re(^`line \d+ "(.*)" \d)re");
  static const std::regex kAssertion(R"(\b(?:assert|assume)\s*(?:property\b|final\b|#|\())");
  std::istringstream lines(rtl.text);
  std::smatch found;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("`line ") && std::regex_search(line, found, kLine)) rtl.files.insert(found[1]);
    rtl.has_assertions |= line.find("ass") != std::string::npos && std::regex_search(line, kAssertion);
  }
  return rtl;
}

std::vector<std::string> read_files(const std::string& list) {
  // Lines "S size inode times "name"" of what was read, and T of what was written.
  std::vector<std::string> files;
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    const size_t begin = line.find('"'), end = line.rfind('"');
    if (line.starts_with("S ") && begin < end) files.push_back(line.substr(begin + 1, end - begin - 1));
  }
  return files;
}

}  // namespace vernier::cosim
