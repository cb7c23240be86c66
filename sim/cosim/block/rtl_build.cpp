// SPDX-License-Identifier: Apache-2.0
// Long because: the way from sources to a loaded block is told in one place.
#include "sim/cosim/block/rtl_build.hpp"

#include "hw/base/checksum.hpp"
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/spec/core_sram_ports.hpp"
#include "hw/spec/rtl_ports.hpp"
#include "sim/cosim/block/child_process.hpp"
#include "sim/cosim/block/rtl_cache.hpp"
#include "sim/cosim/block/rtl_files.hpp"
#include "sim/cosim/block/verilated_ports.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <dlfcn.h>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <thread>

namespace vernier::cosim {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSplitWords = "split_words.vlt";
constexpr std::string_view kOwn = "own";        // folder of our modules, where Verilator does not look for modules by itself
constexpr std::string_view kPrefix = "Vblock";  // of Verilator's classes; the bindings are made for it
constexpr std::string_view kAguPackage = "npu_agu_pkg.sv";
constexpr std::uintmax_t kMostPartBytes = 8'000'000;     // a compiler takes 0.3 GB for each million, with its headers
constexpr std::uintmax_t kLargeBlockBytes = 16'000'000;  // code that runs only once
constexpr size_t kMostLines = 12;                        // of what a tool says
constexpr const char* kMake = "vernier_make_block";
// What RTL prints is for people, and reports may go to standard output.
constexpr std::string_view kPrints = "prints_to_stderr.hpp";
constexpr std::string_view kPrintsText =
    "#include <cstdio>\n#undef stdout\n#define stdout stderr\n#define VL_PRINTF(...) std::fprintf(stderr, __VA_ARGS__)\n";
using Make = RtlBlock* (*)(int reset_seed);

std::string_view file_text(std::string_view name) {
  for (const RtlFile& file : rtl_files()) {
    if (file.name == name) return file.text;
  }
  return {};
}

/// Modules of ours that one of ours has in it.
std::vector<std::string> instances_of(std::string_view module) {
  static const std::regex kInstance(R"((?:^|\n)\s*(npu_\w+)\s+(?:#\(|u_))");
  const std::string text(file_text(std::string(module) + ".sv"));
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), kInstance), end; at != end; ++at) names.insert((*at)[1]);
  return {names.begin(), names.end()};
}

/// The first lines of what a tool says, without names of the folder that it worked in; of Verilator the errors alone.
std::vector<std::string> said(const std::string& output, const fs::path& scratch, std::string_view wanted) {
  std::istringstream lines(output);
  std::vector<std::string> kept;
  bool is_wanted = wanted.empty();
  for (std::string line; std::getline(lines, line) && kept.size() < kMostLines;) {
    for (size_t at = 0; (at = line.find(scratch.string() + "/")) != std::string::npos;)
      line.erase(at, scratch.string().size() + 1);
    if (!wanted.empty() && line.starts_with("%")) is_wanted = line.starts_with(wanted);
    if (is_wanted && !line.empty()) kept.push_back(line);
  }
  if (kept.empty() && !wanted.empty()) return said(output, scratch, {});
  return kept;
}

/// A line of ours, and below it those of a tool.
[[noreturn]] void refuse(const std::string& line, const std::vector<std::string>& tool_lines) {
  std::vector<std::string> lines{line};
  for (const std::string& text : tool_lines) lines.push_back(base::printable(text));
  throw base::UserErrors(lines);
}

void write(const fs::path& file, std::string_view text) { base::write_text_file(file, text); }

std::unique_ptr<RtlBlock> load(const fs::path& library, const RtlOptions& options) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return nullptr;
  const auto make = reinterpret_cast<Make>(::dlsym(handle, kMake));
  return make == nullptr ? nullptr : std::unique_ptr<RtlBlock>(make(options.reset_seed));
}

/// Files of Verilator that are compiled as one, since each reads the same headers.
struct Part {
  std::string name, text;
  const char* level;  // of optimisation
};

/// There are as many parts as compilers run at once, and more where these would be large. Code that runs only once is
/// compiled without optimisation, and a large block's with less of it.
std::vector<Part> parts_of(const fs::path& scratch, int jobs) {
  using Files = std::vector<std::pair<std::uintmax_t, std::string>>;  // by size
  Files fast, slow;
  for (const fs::directory_entry& entry : fs::directory_iterator(scratch)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".cpp" || !name.starts_with(kPrefix)) continue;
    const bool is_slow = name.find("__Slow") != std::string::npos || name.find("__Syms") != std::string::npos;
    (is_slow ? slow : fast).emplace_back(entry.file_size(), name);
  }
  std::vector<Part> parts;
  const auto add = [&](Files& files, std::string_view prefix, int least_parts, const char* level) {
    std::ranges::sort(files, std::greater<>());
    std::uintmax_t bytes = 0;
    for (const auto& [size, name] : files) bytes += size;
    const size_t first = parts.size();
    const auto num_parts = static_cast<size_t>(std::max<std::uintmax_t>(least_parts, bytes / kMostPartBytes + 1));
    for (size_t i = 0; i < num_parts; ++i) parts.push_back({fmt::format("{}{}", prefix, i), "", level});
    for (size_t i = 0; i < files.size(); ++i)
      parts[first + i % num_parts].text += fmt::format("#include \"{}\"\n", files[i].second);
    return bytes;
  };
  const std::uintmax_t slow_bytes = add(slow, "part_slow", 1, "-O0");
  parts.back().text += "#include \"stop.cpp\"\n";
  add(fast, "part", jobs, slow_bytes > kLargeBlockBytes ? "-O1" : "-O2");
  parts.back().text += "#include \"binding.cpp\"\n";
  return parts;
}

}  // namespace

struct RtlBuilder::Tools {
  fs::path verilator, compiler, include;
  std::string versions;

  static Tools find() {
    Tools tools;
    const auto verilator = find_program("verilator");
    if (!verilator) throw base::UserError("--rtl", "needs Verilator 5 to build RTL, and PATH has no 'verilator'");
    tools.verilator = *verilator;
    const Finished version = run_one({tools.verilator.string(), "--version"}, ".");
    static const std::regex kVersion(R"(Verilator (\d+)\.\d+)");
    std::smatch found;
    if (!std::regex_search(version.output, found, kVersion) || std::stoi(found[1]) < 5)
      throw base::UserError("--rtl", "needs Verilator 5, and '{}' is {}", tools.verilator.string(),
                            version.output.substr(0, version.output.find('\n')));
    for (const char* name : {"clang++", "clang++-14", "g++", "c++"}) {
      if (tools.compiler.empty()) tools.compiler = find_program(name).value_or("");
    }
    if (tools.compiler.empty()) throw base::UserError("--rtl", "needs a C++ compiler to build RTL: clang++ or g++");
    std::string root = run_one({tools.verilator.string(), "--getenv", "VERILATOR_ROOT"}, ".").output;
    root.erase(std::find_if(root.begin(), root.end(), [](char c) { return c == '\n' || c == '\r'; }), root.end());
    tools.include = fs::path(root) / "include";
    tools.versions = version.output + run_one({tools.compiler.string(), "--version"}, ".").output + root;
    return tools;
  }

  [[nodiscard]] std::vector<std::string> compile_command(const fs::path& source, const fs::path& object,
                                                         const char* level) const {
    return {compiler.string(),
            "-std=c++20",
            level,
            "-fPIC",
            "-w",
            "-DVL_TIME_CONTEXT",
            "-DVM_TRACE=1",  // a wave of $dumpvars is closed
            "-DVL_USER_STOP",
            "-DVL_USER_FINISH",
            "-DVL_USER_FATAL",
            "-include",
            std::string(kPrints),
            "-I.",
            "-I" + include.string(),
            "-I" + (include / "vltstd").string(),
            "-c",
            source.string(),
            "-o",
            object.string()};
  }
};

RtlBuilder::RtlBuilder(RtlFolder folder, Progress progress) : folder_(std::move(folder)), progress_(std::move(progress)) {
  concerns_array_ = folder_.modules.contains("npu_datapath") || concerns("npu_mac_array");
  if (std::ranges::any_of(spec::kRtlBlocks, [&](const spec::RtlBlock& block) { return concerns(block.name); })) return;
  std::vector<std::string_view> names;
  for (const spec::RtlBlock& block : spec::kRtlBlocks) names.push_back(block.name);
  throw base::UserError(folder_.folder.string(),
                        "has no module {}, or a part of these, in its {} sources (*.sv, *.v, or those of files.f)",
                        fmt::join(names, ", "), folder_.sources.size());
}

RtlBuilder RtlBuilder::of_own_rtl(Progress progress) {
  RtlBuilder builder;
  builder.folder_.folder = "Vernier's RTL";  // what messages begin with
  builder.preprocessed_.emplace();           // there are no files of others
  builder.progress_ = std::move(progress);
  return builder;
}

/// Itself first; what theirs have in them is not looked for.
std::vector<std::string> RtlBuilder::modules_below(std::string_view module) const {
  std::vector<std::string> found{std::string(module)};
  for (size_t i = 0; i < found.size(); ++i) {
    if (folder_.modules.contains(found[i])) continue;
    for (std::string& name : instances_of(found[i])) {
      if (std::ranges::find(found, name) == found.end()) found.push_back(std::move(name));
    }
  }
  return found;
}

bool RtlBuilder::concerns(std::string_view module) const {
  return std::ranges::any_of(modules_below(module), [&](const std::string& name) { return folder_.modules.contains(name); });
}

std::vector<std::string> RtlBuilder::verilator_command(const Tools& tools, std::string_view module, int lanes,
                                                       const fs::path& scratch) const {
  std::vector<std::string> command{tools.verilator.string(),
                                   "--cc",
                                   "--prefix",
                                   std::string(kPrefix),
                                   "--Mdir",
                                   scratch.string(),
                                   fmt::format("-GLanes={}", lanes),
                                   "--top-module",
                                   std::string(module),
                                   "-O3",
                                   "--x-assign",
                                   "fast",
                                   "--x-initial",
                                   "unique",
                                   preprocessed_ && preprocessed_->has_assertions ? "--assert" : "--noassert",
                                   "-Wno-fatal",
                                   "-Werror-UNOPTFLAT"};
  const bool is_core_sram = module == spec::kCoreSramBlock.name;
  if (!is_core_sram) command.emplace_back("--trace");  // its waves would be as large as itself
  if (traces_memories_) command.insert(command.end(), {"--trace-max-array", "65536", "--trace-max-width", "65536"});
  for (const std::string& option : folder_.include_options()) command.push_back(option);
  // Packages come before those who use them.
  const auto add_own = [&](std::string_view file) { command.push_back((scratch / kOwn / file).string()); };
  if (!folder_.modules.contains("npu_spec_pkg")) add_own("npu_spec_pkg.sv");
  const bool is_agu = module == spec::kAguBlock.name;
  if (is_agu) command.emplace_back("-GSets=1");  // one set of generators is enough for a command at a time
  if (is_agu || is_core_sram) add_own(kAguPackage);
  for (const fs::path& source : folder_.sources) command.push_back(source.string());
  for (const RtlFile& file : rtl_files()) {
    const std::string name(file.name.substr(0, file.name.find('.')));
    if (!file.name.ends_with(".sv") || name == "npu_spec_pkg" || file.name == kAguPackage) continue;
    const bool needs_package = file.text.find("npu_agu_pkg::") != std::string_view::npos;
    if (folder_.modules.contains(name) || (needs_package && !is_agu && !is_core_sram)) continue;
    add_own(file.name);
  }
  return command;
}

void RtlBuilder::verilate(const Tools& tools, const spec::RtlBlock& block, int lanes, const fs::path& scratch) const {
  fs::create_directories(scratch / kOwn);
  for (const RtlFile& file : rtl_files()) {
    if (file.name.ends_with(".sv")) write(scratch / kOwn / file.name, file.text);
  }
  std::vector<std::string> command = verilator_command(tools, block.name, lanes, scratch);
  Finished finished = run_one(command, scratch);
  if (finished.exit_code != 0 && finished.output.find("%Error-UNOPTFLAT") != std::string::npos) {
    // Words of a netlist go through several gates: what is a loop of words may be none of bits.
    write(scratch / kSplitWords, "`verilator_config\nsplit_var -module \"*\" -var \"*\"\n");
    command.insert(command.end(), {"-Wno-SPLITVAR", std::string(kSplitWords)});
    if (Finished split = run_one(command, scratch); split.exit_code == 0) finished = std::move(split);
  }
  refuse_trouble(finished, fmt::format("Verilator, which read {} of {} lanes,", block.name, lanes), scratch.parent_path());
  if (finished.exit_code != 0) {
    const bool has_delays = finished.output.find("%Error-NEEDTIMINGOPT") != std::string::npos;
    refuse(fmt::format("{}: Verilator refuses {} of {} lanes{}:", folder_.folder.string(), block.name, lanes,
                       has_delays ? ", delays and waits are not supported, --timing cannot be given" : ""),
           said(finished.output, scratch, "%Error"));
  }
  require_listed(scratch);
  if (!folder_.modules.contains(std::string(block.name))) return;
  const std::string mistakes =
      port_mistakes(block, lanes, ports_of_header(base::read_text_file(scratch / fmt::format("{}.h", kPrefix))));
  if (mistakes.empty()) return;
  throw base::UserError(folder_.modules.at(std::string(block.name)).string(),
                        "{} of {} lanes {} (interface version {}, docs/reference/rtl-ports.md)", block.name, lanes, mistakes,
                        spec::kRtlInterfaceVersion);
}

void RtlBuilder::compile(const Tools& tools, const spec::RtlBlock& block, const fs::path& cache,
                         const fs::path& scratch) const {
  fs::create_directories(scratch / "sim/cosim/block");
  write(scratch / "sim/cosim/block/rtl_block.hpp", file_text("rtl_block.hpp"));
  write(scratch / kPrints, kPrintsText);
  write(scratch / "stop.cpp", file_text("verilated_stop.cpp"));
  write(scratch / "binding.cpp", std::string(file_text(fmt::format("binding_{}.cpp", block.name))) +
                                     fmt::format("extern \"C\" vernier::cosim::RtlBlock* {}(int seed) {{\n"
                                                 "  return vernier::cosim::make_{}({{seed}}).release();\n}}\n",
                                                 kMake, kPrefix));
  std::vector<std::vector<std::string>> commands;
  std::vector<std::string> link{tools.compiler.string(), "-shared", "-o", "block.so"};
  const auto add = [&](const fs::path& source, const std::string& object, const char* level) {
    commands.push_back(tools.compile_command(source, object, level));
    link.push_back(object);
  };
  const int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (const Part& part : parts_of(scratch, jobs)) {
    write(scratch / (part.name + ".cpp"), part.text);
    add(part.name + ".cpp", part.name + ".o", part.level);
  }
  // The run-time library is the same for every block: it is kept for its tools and the way that it is compiled.
  const std::string made_by =
      fmt::format("{}{}{}", tools.versions, kPrintsText, fmt::join(tools.compile_command("source", "object", "-O1"), " "));
  const std::string key = base::sha256_hex(std::as_bytes(std::span(made_by)));
  const auto kept = [&](const std::string& part) { return cache / fmt::format("{}-{}.o", part, key); };
  std::vector<std::string> new_parts;
  for (const std::string part : {"verilated", "verilated_threads", "verilated_vcd_c"}) {
    if (is_kept_whole(kept(part))) {
      link.push_back(kept(part).string());
    } else {
      add(tools.include / (part + ".cpp"), part + ".o", "-O1");
      new_parts.push_back(part);
    }
  }
  link.emplace_back("-lpthread");
  link.emplace_back("-latomic");
  const auto check = [&](const Finished& finished) {
    refuse_trouble(finished, fmt::format("the compiler of what Verilator makes of {}", block.name), cache);
    if (finished.exit_code == 0) return;
    refuse(fmt::format("{}: the C++ that Verilator makes of {} does not compile:", folder_.folder.string(), block.name),
           said(finished.output, scratch, {}));
  };
  for (const Finished& finished : run_all(commands, scratch, jobs)) check(finished);
  check(run_one(link, scratch));
  for (const std::string& part : new_parts) keep_file(scratch / (part + ".o"), kept(part));
}

/// UserError where Verilator found a module by itself, in a file of the include folders that has its name.
void RtlBuilder::require_listed(const fs::path& scratch) const {
  const std::string of_ours = scratch.string() + "/";
  for (const std::string& name : read_files(base::read_text_file(scratch / fmt::format("{}__verFiles.dat", kPrefix)))) {
    if (!preprocessed_->files.contains(name) && !name.starts_with(of_ours) && folder_.searches(name))
      throw base::UserError(folder_.folder.string(), "needs a module of {}, which is not among its sources{}", name,
                            folder_.has_list ? ": files.f does not list it" : "");
  }
}

std::string RtlBuilder::checksum(const Tools& tools, const spec::RtlBlock& block, int lanes,
                                 const PreprocessedRtl& preprocessed) const {
  std::string all = fmt::format("{}\n{}\n{}\n{}\n", tools.versions, lanes, tools.compiler.string(), kPrintsText);
  // A folder that is elsewhere with the same files is the same RTL.
  const std::string root = folder_.folder.string();
  const auto in_folder = [&](std::string text) {
    for (size_t at = 0; (at = text.find(root, at)) != std::string::npos;) text.replace(at, root.size(), "DIR");
    return text;
  };
  for (const std::string& word : verilator_command(tools, block.name, lanes, "scratch")) all += in_folder(word) + '\n';
  for (const std::string& word : tools.compile_command("source", "object", "-O2")) all += word + '\n';
  const auto add = [&all](const std::string& name, std::string_view text) {
    all += fmt::format("{} {}\n{}", name, text.size(), text);
  };
  for (const RtlFile& file : rtl_files()) add(std::string(file.name), file.text);
  for (const fs::path& file : folder_.sources) add(in_folder(file.string()), base::read_text_file(file));
  add("preprocessed", in_folder(preprocessed.text));
  return base::sha256_hex(std::as_bytes(std::span(all)));
}

void RtlBuilder::build(const Tools& tools, const spec::RtlBlock& block, int lanes, const fs::path& cache,
                       const fs::path& library) const {
  require_writable(cache);
  remove_leftovers(cache);
  // Units of theirs inside: what is wrong with their ports is said of them, not of what they are wired to.
  for (const std::string& module : modules_below(block.name)) {
    const spec::RtlBlock* unit = spec::rtl_block_of_module(module);
    if (module == block.name || unit == nullptr || !folder_.modules.contains(module)) continue;
    if (progress_) progress_(fmt::format("looking at {}", module));
    build_in(cache, [&](const fs::path& scratch) { verilate(tools, *unit, lanes, scratch); });
  }
  if (progress_) progress_(fmt::format("building {} of {} lanes", block.name, lanes));
  build_in(cache, [&](const fs::path& scratch) {
    verilate(tools, block, lanes, scratch);
    compile(tools, block, cache, scratch);
    keep_file(scratch / "block.so", library);
  });
}

void RtlBuilder::require_tools() { tools_ = tools_ ? tools_ : std::make_shared<const Tools>(Tools::find()); }

std::unique_ptr<RtlBlock> RtlBuilder::make(const spec::RtlBlock& block, int lanes, const RtlOptions& options) {
  require_tools();
  const Tools& tools = *tools_;
  const fs::path cache = rtl_cache_folder();
  if (!preprocessed_) preprocessed_ = preprocess(folder_, tools.verilator, cache);
  const fs::path library = cache / (checksum(tools, block, lanes, *preprocessed_) + ".so");
  if (is_kept_whole(library)) {
    if (auto loaded = load(library, options)) return loaded;
  }
  build(tools, block, lanes, cache, library);
  auto loaded = load(library, options);
  if (!loaded) {
    const char* said_of = ::dlerror();
    const std::string why = said_of == nullptr ? "" : said_of;
    fs::remove(library);
    constexpr std::string_view kMissing = "undefined symbol: ";
    if (const size_t at = why.find(kMissing); at != std::string::npos)
      throw base::UserError(folder_.folder.string(),
                            "{} needs a function {}, which no RTL has: DPI imports cannot be satisfied, C sources are not "
                            "taken",
                            block.name, base::printable(why.substr(at + kMissing.size())));
    throw base::UserError(library.string(), "cannot be loaded: {}", why);
  }
  return loaded;
}

}  // namespace vernier::cosim
