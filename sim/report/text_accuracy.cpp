// SPDX-License-Identifier: Apache-2.0
// What the text report says of many samples.
#include "hw/base/text.hpp"
#include "sim/report/text_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace vernier::report {
namespace {

using base::printable;
using base::with_thousands;

/// "87.0% (87 of 100)"
std::string share_text(int64_t count, int64_t all) {
  return fmt::format("{}{}({} of {})", percent_text(100.0 * static_cast<double>(count) / static_cast<double>(all)), kNoBreak,
                     with_thousands(count), with_thousands(all));
}

void put_labels(Page& page, const LabelScore& labels, int64_t num_samples) {
  page.paragraph(Paint::Bold, "  top-1:",
                 fmt::format("{}, top-5: {}; output '{}' of {} classes, labels {}",
                             share_text(labels.top1_samples, num_samples), share_text(labels.top5_samples, num_samples),
                             printable(labels.output), with_thousands(labels.num_classes), printable(labels.file)),
                 4);
}

/// What differences are of: a step of the codes is 1.
std::string difference_text(const OutputDifference& output) {
  const bool is_of_floats = output.dtype == "float32";
  const std::string largest =
      is_of_floats ? fmt::format("{:.4g}", output.largest_difference) : fmt::format("{:.0f}", output.largest_difference);
  return fmt::format("output '{}': {} of {} elements differ, largest difference {} (sample '{}'), mean {:.4g}, {}",
                     printable(output.tensor), with_thousands(output.elements_different),
                     with_thousands(output.elements_compared), largest, printable(output.worst_sample),
                     output.mean_difference, is_of_floats ? "of float32 numbers" : fmt::format("of {} codes", output.dtype));
}

void put_expected(Page& page, const ExpectedScore& expected, int64_t num_samples) {
  const bool is_equal = expected.equal_samples == num_samples;
  page.paragraph(is_equal ? Paint::Good : Paint::Bold, "  as expected:",
                 fmt::format("{} in {}", share_text(expected.equal_samples, num_samples), printable(expected.place)), 4);
  for (const OutputDifference& output : expected.outputs) {
    if (output.elements_different > 0) page.paragraph(Paint::None, "   ", difference_text(output), 6);
  }
}

std::string ratio_text(const TensorGap& gap) {
  return gap.is_equal ? "equal" : gap.snr_db ? fmt::format("{:.2f}", *gap.snr_db) : "-";
}

Table float_table(const FloatScore& floats, size_t num_rows, int64_t width_columns) {
  constexpr int64_t kWanted = 32, kLeast = 8;
  const ColumnStyle number{.align = Align::Right};
  Table table(width_columns);
  table.add_column("SNR dB", number);
  table.add_column("drop dB", number);
  table.add_column("cosine", number);
  table.add_column("largest", number);
  table.add_column("in steps", {.align = Align::Right, .drop_rank = 2});
  table.add_column("tensor", {.wanted_columns = kWanted, .least_columns = kLeast});
  table.add_column("layer", {.drop_rank = 1, .wanted_columns = kWanted, .least_columns = kLeast});
  for (size_t i = 0; i < num_rows; ++i) {
    const TensorGap& gap = floats.tensors[i];
    table.add_row({ratio_text(gap), gap.snr_drop_db ? fmt::format("{:.2f}", *gap.snr_drop_db) : "",
                   gap.cosine ? fmt::format("{:.6f}", *gap.cosine) : "-", fmt::format("{:.4g}", gap.largest_difference),
                   gap.scale > 0 ? fmt::format("{:.1f}", gap.largest_difference / gap.scale) : "-", printable(gap.tensor),
                   printable(gap.layer)});
  }
  return table;
}

void put_floats(Page& page, const FloatScore& floats, bool lists_all) {
  constexpr size_t kMostRows = 20;
  const size_t num_tensors = floats.tensors.size(), num_rows = lists_all ? num_tensors : std::min(num_tensors, kMostRows);
  page.empty_line();
  page.paragraph(Paint::Bold, "against floats:",
                 fmt::format("{} of {}{}, the lowest ratio of signal to noise first",
                             base::counted(static_cast<int64_t>(num_tensors), "tensor"), printable(floats.place),
                             floats.sample.empty() ? "" : fmt::format(", sample '{}'", printable(floats.sample))));
  page.table(float_table(floats, num_rows, page.width_columns()));
  if (num_rows < num_tensors)
    page.aside(Paint::Dim, fmt::format("and {} tensors with higher ratios: -v lists them", num_tensors - num_rows));
  for (const std::string& line : floats.unknown) page.paragraph(Paint::None, "not compared:", printable(line));
  if (!floats.drop_idx) return;
  const TensorGap& gap = floats.tensors[*floats.drop_idx];
  const auto source = std::ranges::find(floats.tensors, gap.source, &TensorGap::tensor);
  const auto ratio = [](const TensorGap& one) { return ratio_text(one) + (one.snr_db ? std::string(kNoBreak) + "dB" : ""); };
  page.paragraph(Paint::Bold, "greatest drop:",
                 fmt::format("layer '{}' adds most noise for its signal, {:.3g}{}%: '{}' is {}, '{}' before it {}",
                             printable(gap.layer), *gap.added_noise_percent, kNoBreak, printable(gap.tensor), ratio(gap),
                             printable(gap.source), ratio(*source)));
}

}  // namespace

void put_accuracy(Page& page, const Accuracy& accuracy, bool lists_all) {
  if (!accuracy.place.empty() && accuracy.num_samples > 0) {
    page.paragraph(
        Paint::Bold, "accuracy:",
        fmt::format("{} of {}, '{}' to '{}'", base::counted(accuracy.num_samples, "sample"), printable(accuracy.place),
                    printable(accuracy.samples.front().sample), printable(accuracy.samples.back().sample)));
    if (accuracy.labels) put_labels(page, *accuracy.labels, accuracy.num_samples);
    if (accuracy.expected) put_expected(page, *accuracy.expected, accuracy.num_samples);
  }
  if (accuracy.floats) put_floats(page, *accuracy.floats, lists_all);
}

std::string accuracy_summary(const Accuracy& accuracy) {
  std::string text;
  if (!accuracy.place.empty()) text += ", " + base::counted(accuracy.num_samples, "sample");
  const auto percent = [&](int64_t count) {
    return percent_text(100.0 * static_cast<double>(count) / static_cast<double>(accuracy.num_samples));
  };
  if (accuracy.floats && accuracy.floats->drop_idx)
    text += fmt::format(", greatest drop at '{}'", printable(accuracy.floats->tensors[*accuracy.floats->drop_idx].layer));
  if (accuracy.labels)
    text +=
        fmt::format(", top-1 {}, top-5 {}", percent(accuracy.labels->top1_samples), percent(accuracy.labels->top5_samples));
  if (accuracy.expected)
    text += fmt::format(", {} of {} as expected", with_thousands(accuracy.expected->equal_samples),
                        with_thousands(accuracy.num_samples));
  return text;
}

}  // namespace vernier::report
