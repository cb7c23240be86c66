// SPDX-License-Identifier: Apache-2.0
// Every text that sim/report makes, of reports that a seed draws: a row a text in recorded_drawn.txt
// (tests/support/recorded.hpp). The goldens beside say what a text should be; these say that no other figure, width or rare
// case changes.
#include "tests/unit/sim_report/drawn_reports.hpp"

#include "hw/base/error.hpp"
#include "sim/report/approximations.hpp"
#include "sim/report/bank_meetings.hpp"
#include "sim/report/command_remarks.hpp"
#include "sim/report/comparison.hpp"
#include "sim/report/figures.hpp"
#include "sim/report/node_data.hpp"
#include "tests/support/recorded.hpp"
#include "tests/support/stream_assembler.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>
#include <zlib.h>

namespace vernier::report {
namespace {

tests::Recorded& rows() {
  static tests::Recorded rows("tests/unit/sim_report/recorded_drawn.txt");
  return rows;
}

void record(const std::string& what, const std::string& text) {
  rows().check(fmt::format("{}, {} bytes", what, text.size()), text);
}

/// What `packed` of web_page.cpp made, whichever zlib did.
std::string unpacked(const std::string& base64) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> bytes;
  uint32_t bits = 0;
  for (size_t i = 0; i < base64.size() && base64[i] != '='; ++i) {
    bits = bits << 6U | static_cast<uint32_t>(digits.find(base64[i]));
    if (i % 4 > 0) bytes.push_back(static_cast<unsigned char>(bits >> (6 - 2 * (i % 4)) & 255U));
  }
  std::string text(1 << 20, ' ');
  uLongf size = text.size();
  REQUIRE(::uncompress(reinterpret_cast<unsigned char*>(text.data()), &size, bytes.data(), bytes.size()) == Z_OK);
  text.resize(size);
  return text;
}

/// The data of a page, and its title: not the template, the style and the script.
std::string data_of(const std::string& page) {
  std::string text = page.substr(page.find("<title>"), page.find("</title>") - page.find("<title>"));
  for (const char* kind : {"application/json", "text/plain"}) {
    const std::string begin = fmt::format("<script type=\"{}\" id=", kind);
    for (size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at + 1)) {
      const size_t data = page.find('>', at) + 1;
      const std::string found = page.substr(data, page.find("</script>", data) - data);
      text += page.substr(at, data - at) + (kind[0] == 't' ? unpacked(found) : found) + "\n";
    }
  }
  return text;
}

TEST_CASE("reports that a seed draws, in every form") {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    ReportDrawer drawer(seed);
    const Report report = drawer.report(static_cast<int64_t>(seed % 9));
    record("JSON", to_json(report));
    record("CSV and one line", to_csv(report) + to_summary(report));
    record("HTML", data_of(to_html(report)));
    std::string texts;
    for (int i = 0; i < 6; ++i) texts += to_text(report, drawer.style());
    record("text", texts);
    std::string nodes;
    for (const NodeDataFile& file : node_data(report, "x.mx.json")) nodes += file.file + "\n" + file.text;
    record("node data", nodes + fmt::format("{}", fmt::join(layers_without_node(report), "\n")));
  }
}

TEST_CASE("comparisons of reports that a seed draws") {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    ReportDrawer drawer(seed);
    std::vector<std::pair<std::string, std::string>> files;
    Report base = drawer.report(6);
    for (uint64_t i = 0; i < 2 + seed % 3; ++i) {
      Report other = drawer.report(6);
      // Mostly the same layers.
      for (size_t k = 0; k < 4; ++k) other.layers[static_cast<int64_t>(k)].name = base.layers[static_cast<int64_t>(k)].name;
      if (seed % 4 == 0) other.layers = base.layers;
      other.cycles = std::max<int64_t>(1, other.cycles);
      files.emplace_back(fmt::format("{}.json", i), to_json(other));
    }
    const Comparison comparison = compare(files);
    std::string texts = to_json(comparison, "1.2.3") + data_of(to_html(comparison, "1.2.3"));
    for (int i = 0; i < 6; ++i) texts += to_text(comparison, drawer.style());
    record("comparison", texts);
  }
}

TEST_CASE("what is said of a report that lacks a field, or has another kind of value there") {
  const std::string good = to_json(ReportDrawer(5).report(2));
  std::string said;
  const std::regex field("\"([a-z_0-9]+)\": (\"[^\"]*\"|[-0-9.e]+|null|true|false|\\{|\\[)");
  for (std::sregex_iterator at(good.begin(), good.end(), field), end; at != end; ++at) {
    for (const char* value : {"\"text\"", "17", "null", "1.5"}) {
      std::string bad = good;
      const std::string old = (*at)[2];
      if (old == "{" || old == "[") {
        bad.replace(static_cast<size_t>(at->position(1)), static_cast<size_t>(at->length(1)), "other");
      } else {
        bad.replace(static_cast<size_t>(at->position(2)), static_cast<size_t>(at->length(2)), value);
      }
      try {
        said += to_json(compare({{"good.json", good}, {"bad.json", bad}}), "1");
      } catch (const base::UserError& error) {
        said += fmt::format("{}\n", error.what());
      }
    }
  }
  record("damaged reports", said);
}

TEST_CASE("stories of layers that a seed draws") {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    ReportDrawer drawer(seed);
    const LayerStory story = drawer.story();
    std::string texts = to_json(story);
    for (int i = 0; i < 4; ++i) texts += to_text(story, drawer.style(), i % 2 == 0);
    record("story", texts);
  }
}

TEST_CASE("tables of runs that a seed draws") {
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    CAPTURE(seed);
    ReportDrawer drawer(seed);
    const RunTable table = drawer.table();
    std::string texts = to_json(table) + to_csv(table) + to_summary(table);
    for (int i = 0; i < 6; ++i) texts += to_text(table, drawer.style());
    record("table", texts);
  }
}

TEST_CASE("bank meetings of uses that a seed draws") {
  tests::Random random(7);
  std::string text;
  for (int i = 0; i < 400; ++i) {
    std::vector<std::vector<BankUse>> units(static_cast<size_t>(random.within(1, 5)));
    for (std::vector<BankUse>& uses : units) {
      int64_t start = 0, end = 0;
      for (int64_t more = random.within(0, 4); more > 0; --more) {
        start += random.within(0, 6);
        end = std::max(end, start + random.within(0, 8));
        const int64_t words = random.within(0, 9);
        uses.push_back({start, end, words, random.within(0, words)});
      }
    }
    const BankMeetings meetings = bank_meetings(units);
    text += fmt::format("{} {}\n", meetings.cycles, meetings.is_together);
  }
  record("bank meetings", text);
}

support::StreamAssembler& some_commands(support::StreamAssembler& stream, tests::Random& random) {
  using namespace support;
  for (int64_t more = random.within(1, 6); more > 0; --more) {
    const int64_t at = 4096 * more;
    if (random.chance(30))
      stream.add(dma_fill(Queue::Dma0, sram(at), 64, 1));
    else if (random.chance(40))
      stream.add(dma_copy(Queue::Dma1, sram(at), sram(2 * at), 640));
    else
      stream.add({{Queue::MacArray, 0, 0}, spec::MacCommand{}});
  }
  stream.end();
  return stream;
}

TEST_CASE("approximations of jobs that a seed draws") {
  using units::Work;
  for (uint64_t seed = 1; seed <= 80; ++seed) {
    CAPTURE(seed);
    tests::Random random(seed);
    support::StreamAssembler stream(config::preset_config(seed % 3 == 0 ? "v64" : "v256", "test"));
    package::Package& package = some_commands(stream, random).package();
    if (seed % 5 == 0) package.stream_address = support::external(0);
    soc::JobResult job;
    job.cycles = random.chance(5) ? 0 : random.within(1, 2000);
    if (random.chance(50)) job.traffic.external_read_bytes = random.within(0, 1);
    if (random.chance(50)) job.traffic.external_write_bytes = random.within(0, 1);
    int64_t start = 0, dispatch = 0;
    for (const package::ListedCommand& listed : package::list_commands(package)) {
      units::CommandRecord& record = job.commands.emplace_back();
      record.dispatch_cycle = random.chance(5) ? -1 : dispatch += random.within(0, 9);
      if (listed.unit == "end") continue;
      record.queue = listed.unit == "mac" ? spec::Queue::MacArray
                     : random.chance(50)  ? spec::Queue::Dma0
                                          : spec::Queue::VectorUnit;
      record.work = listed.unit == "mac"
                        ? Work::Array
                        : random.pick<Work>({Work::None, Work::Load, Work::Store, Work::Vector, Work::Copy});
      record.start_cycle = start += random.within(0, 40);
      record.end_cycle = random.chance(5) ? -1 : start + random.within(0, 60);
      record.traffic.sram_read_bytes = random.within(0, 4096);
      record.traffic.sram_write_bytes = random.within(0, 4096);
      record.drain_words = random.within(0, 16);
      record.possible_error = {random.within(-20, 20), random.within(-20, 20)};
    }
    std::string text;
    for (const Approximation& entry : approximations(package, job))
      text += fmt::format("{}: {} {} {}\n", entry.what, entry.error, entry.bound_percent.value_or(-1),
                          entry.estimate_percent.value_or(-1));
    record("approximations", text);
  }
}

TEST_CASE("what the commands of a package did, by reports that fit and others") {
  tests::Random random(3);
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    support::StreamAssembler stream(config::preset_config("v256", "test"));
    package::Package& package = some_commands(stream, random).package();
    package.model_sha256 = "abc";
    ReportDrawer drawer(seed);
    Report report = drawer.report(3);
    report.config = package.config;
    report.model_sha256 = package.model_sha256;
    report.optimize = package.optimize;
    const std::vector<package::ListedCommand> listed = package::list_commands(package);
    const std::vector<Command> drawn = report.command_list;
    report.command_list.assign(listed.size(), {});
    for (size_t i = 0; i < listed.size(); ++i) {
      if (!drawn.empty()) report.command_list[i] = drawn[i % drawn.size()];
      report.command_list[i].unit = listed[i].unit == "mac"   ? "mac_array"
                                    : listed[i].unit == "end" ? "command_processor"
                                                              : "dma";
    }
    switch (seed % 8) {
      case 1: report.model_sha256 = "other"; break;
      case 2: report.config.name = "other"; break;
      case 3: ++report.optimize; break;
      case 4: report.command_list.clear(); break;
      case 5: report.command_list.pop_back(); break;
      case 6: report.command_list.back().unit = "dma"; break;
      default: break;
    }
    const std::string json = to_json(report);
    CHECK(is_run_report(json));
    try {
      record("remarks", fmt::format("{}\n", fmt::join(command_remarks("r.json", json, package), "\n")));
    } catch (const base::UserError& error) {
      record("refused", error.what());
    }
    record("disassembly", to_json(package, "1.2.3", [&](const package::ListedCommand& one) {
                            return one.command_idx % 2 == 0;
                          }) + to_json(package, "1.2.3"));
  }
}

}  // namespace
}  // namespace vernier::report
