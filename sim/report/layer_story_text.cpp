// SPDX-License-Identifier: Apache-2.0
#include "hw/base/text.hpp"
#include "sim/report/figures.hpp"
#include "sim/report/layer_story.hpp"
#include "sim/report/page.hpp"
#include "sim/report/text_parts.hpp"

#include <fmt/format.h>

namespace vernier::report {
namespace {

using base::counted;
using base::printable;
using base::with_thousands;

constexpr size_t kMostWays = 6;  // of a choice; the JSON report has them all

void put_heading(Page& page, const std::string& text) {
  page.empty_line();
  page.line(Paint::Bold, text);
}

std::string operands_text(const std::vector<StoryOperand>& operands) {
  std::string text;
  for (const StoryOperand& operand : operands) {
    text += fmt::format("{}{}{} {} {}", text.empty() ? "" : ", ", operand.is_constant ? "constant " : "",
                        printable(operand.name), operand.type, base::to_string(operand.shape));
  }
  return text;
}

std::string counts_text(const std::vector<std::pair<std::string, int64_t>>& counts) {
  std::string text;
  for (const auto& [name, cycles] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, with_thousands(cycles));
  return text;
}

void put_source(Page& page, const LayerStory& story) {
  put_heading(page, "In the source network, and what became of it");
  for (const StoryOperator& op : story.operators) {
    page.paragraph(Paint::None, "  " + op.name, fmt::format("{} -> {}", operands_text(op.inputs), operands_text(op.outputs)),
                   6);
    if (!op.source_name.empty() && op.source_name != story.layer().name)
      page.paragraph(Paint::None, "     ", "of " + printable(op.source_name), 6);
    page.paragraph(Paint::None, "     ", printable(op.becomes), 6);
  }
}

void put_choices(Page& page, const LayerStory& story) {
  put_heading(page, "What was chosen (*) for it, from what, in estimated cycles");
  if (!story.choices_note.empty()) page.paragraph(Paint::None, " ", story.choices_note);
  if (story.choices.empty() && story.choices_note.empty())
    page.paragraph(Paint::None, " ", "nothing: there was one way only");
  std::string step;
  for (const StoryChoice& choice : story.choices) {
    if (choice.step != step) page.paragraph(Paint::None, " ", printable(choice.step) + ":");
    step = choice.step;
    page.paragraph(Paint::None, "   ",
                   fmt::format("{}, {}", choice.of, choice.rule.empty() ? "by cycles" : "by rule: " + choice.rule), 6);
    for (size_t i = 0; i < std::min(choice.ways.size(), kMostWays); ++i) {
      const StoryWay& way = choice.ways[i];
      page.paragraph(Paint::None,
                     fmt::format("    {} {:>11}", way.is_chosen ? '*' : ' ', way.cycles ? with_thousands(*way.cycles) : "-"),
                     way.what, 20);
    }
    if (choice.ways.size() > kMostWays)
      page.line(Paint::None, fmt::format("      and {} more", choice.ways.size() - kMostWays));
  }
}

void put_places(Page& page, const LayerStory& story) {
  put_heading(page, "Where its operands lay");
  Table table(page.width_columns());
  table.add_column(" ", {});
  table.add_column("role", {});
  table.add_column("", {});
  table.add_column("memory", {});
  table.add_column("at", {.align = Align::Right});
  table.add_column("bytes", {.align = Align::Right});
  table.add_column("from cycle", {.align = Align::Right});
  table.add_column("to cycle", {.align = Align::Right});
  table.add_column("parts", {.align = Align::Right, .drop_rank = 1});
  table.add_column("tensor", {.wanted_columns = 24, .least_columns = 8});
  for (const StoryPlace& place : story.places) {
    table.add_row({" ", place.role, place.is_written ? "written" : "read", place.is_sram ? "SRAM" : "external",
                   fmt::format("0x{:x}", place.begin_byte), with_thousands(place.end_byte - place.begin_byte),
                   with_thousands(place.first_cycle), with_thousands(place.end_cycle), with_thousands(place.num_places),
                   printable(place.tensor)});
  }
  if (table.is_empty()) return page.paragraph(Paint::None, " ", "it has no command");
  page.table(table);
}

void put_cycles(Page& page, const LayerStory& story) {
  const Layer& layer = story.layer();
  put_heading(page, fmt::format("Its {}, by cause", counted(layer.attributed_cycles, "cycle")));
  Table table(page.width_columns());
  table.add_column(" ", {});
  table.add_column("cycles", {.align = Align::Right});
  table.add_column("share", {.align = Align::Right});
  table.add_column("cause", {});
  for (const auto& [name, cycles] : layer.attributed_cycles_by) {
    const double percent = 100.0 * static_cast<double>(cycles) / static_cast<double>(layer.attributed_cycles);
    table.add_row({" ", with_thousands(cycles), percent_text(percent), name});
  }
  if (table.is_empty()) {
    page.paragraph(Paint::None, " ", "all of it is hidden behind other layers");
  } else {
    page.table(table);
  }
  page.line(Paint::Bold, "By unit, its commands added up");
  for (const StoryUnit& unit : story.units) {
    const std::string stalls = counts_text(unit.stall_cycles), waits = counts_text(unit.wait_cycles);
    page.paragraph(Paint::None, "  " + unit.unit + ":",
                   fmt::format("{}, busy {}{}{}", counted(unit.commands, "command"), with_thousands(unit.busy_cycles),
                               stalls.empty() ? "" : "; stalls: " + stalls, waits.empty() ? "" : "; waited: " + waits),
                   6);
  }
}

void put_savings(Page& page, const LayerStory& story) {
  put_heading(page, "What would make it faster, and by how many cycles of the run at most");
  for (const StorySaving& saving : story.savings) {
    page.paragraph(Paint::None, fmt::format("  {:>11}", saving.most_cycles ? with_thousands(*saving.most_cycles) : "-"),
                   saving.words, 14);
  }
  if (story.savings.empty()) page.paragraph(Paint::None, " ", "nothing that is worth a word");
}

void put_summary(Page& page, const LayerStory& story) {
  const Report& report = story.report;
  const Layer& layer = story.layer();
  page.paragraph(Paint::Bold, fmt::format("layer {} {}", story.layer_idx, printable(story.short_name)),
                 fmt::format("of {} on {}, {} of {}", printable(report.model_name), printable(report.config.name),
                             percent_text(share_percent(layer, report)), counted(report.cycles, "cycle")));
  page.paragraph(Paint::None, "source name", printable(layer.source_name));
  page.paragraph(Paint::None, "bound by",
                 fmt::format("{}{}", layer.bound_by, layer.bound_detail.empty() ? "" : ": " + layer.bound_detail));
  page.paragraph(
      Paint::None, "at work",
      fmt::format("in cycles {} to {}{}", with_thousands(layer.first_cycle), with_thousands(layer.last_cycle),
                  layer.macs == 0
                      ? ""
                      : fmt::format("; {}, {} of what the array can do meanwhile", counted(layer.macs, "MAC"),
                                    percent_text(utilization_percent(layer.macs, layer.working_cycles, report.config)))));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end + 1 - begin));
    begin = end + 1;
  }
  return lines;
}

/// Takes lines off the ends of the longest parts until all fit. The first part stays as it is; the line that says what is
/// missing counts too.
void cut(std::vector<std::vector<std::string>>& parts) {
  std::vector<size_t> num_cut(parts.size());
  const auto num_lines = [&](size_t i) { return parts[i].size() - num_cut[i] + (num_cut[i] > 0 ? 1 : 0); };
  const auto total = [&] {
    size_t lines = 0;
    for (size_t i = 0; i < parts.size(); ++i) lines += num_lines(i);
    return lines;
  };
  while (total() > kMostStoryLines) {
    size_t longest = 1;
    for (size_t i = 2; i < parts.size(); ++i) longest = num_lines(i) >= num_lines(longest) ? i : longest;
    num_cut[longest] += num_cut[longest] == 0 ? 2 : 1;
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    if (num_cut[i] == 0) continue;
    parts[i].resize(parts[i].size() - num_cut[i]);
    parts[i].push_back(fmt::format("  and {} more lines; -v shows them\n", num_cut[i]));
  }
}

}  // namespace

std::string to_text(const LayerStory& story, const TextStyle& style, bool has_all) {
  std::vector<std::vector<std::string>> parts;
  for (const auto put : {put_summary, put_savings, put_cycles, put_source, put_choices, put_places}) {
    Page page(style);
    put(page, story);
    parts.push_back(lines_of(page.text()));
  }
  if (!has_all) cut(parts);
  std::string text;
  for (const std::vector<std::string>& part : parts) {
    for (const std::string& line : part) text += line;
  }
  return text;
}

}  // namespace vernier::report
