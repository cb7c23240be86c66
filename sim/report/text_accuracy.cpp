// SPDX-License-Identifier: Apache-2.0
// What the text report says of many samples.
#include "hw/base/text.hpp"
#include "sim/report/text_parts.hpp"

#include <fmt/format.h>

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

}  // namespace

void put_accuracy(Page& page, const Accuracy& accuracy) {
  if (!accuracy.place.empty() && accuracy.num_samples > 0) {
    page.paragraph(
        Paint::Bold, "accuracy:",
        fmt::format("{} of {}, '{}' to '{}'", base::counted(accuracy.num_samples, "sample"), printable(accuracy.place),
                    printable(accuracy.samples.front().sample), printable(accuracy.samples.back().sample)));
    if (accuracy.labels) put_labels(page, *accuracy.labels, accuracy.num_samples);
    if (accuracy.expected) put_expected(page, *accuracy.expected, accuracy.num_samples);
  }
}

std::string accuracy_summary(const Accuracy& accuracy) {
  std::string text;
  if (!accuracy.place.empty()) text += ", " + base::counted(accuracy.num_samples, "sample");
  const auto percent = [&](int64_t count) {
    return percent_text(100.0 * static_cast<double>(count) / static_cast<double>(accuracy.num_samples));
  };
  if (accuracy.labels)
    text +=
        fmt::format(", top-1 {}, top-5 {}", percent(accuracy.labels->top1_samples), percent(accuracy.labels->top5_samples));
  if (accuracy.expected)
    text += fmt::format(", {} of {} as expected", with_thousands(accuracy.expected->equal_samples),
                        with_thousands(accuracy.num_samples));
  return text;
}

}  // namespace vernier::report
