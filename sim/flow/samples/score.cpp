// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/samples/score.hpp"

#include "hw/base/error.hpp"
#include "sim/flow/model/boundary_values.hpp"
#include "sim/flow/samples/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

namespace vernier::flow {
namespace {

using base::UserError;
constexpr int64_t kTopFive = 5;

std::vector<std::string> end_names(const std::vector<End>& ends) {
  std::vector<std::string> names;
  for (const End& end : ends) names.push_back(end.name);
  return names;
}

const End& end_of(const std::vector<End>& ends, const std::string& name) {
  return *std::ranges::find(ends, name, &End::name);
}

/// The shapes that an array of that end may have: of the source's floats, and of its codes.
std::vector<base::Shape> array_shapes(const End& end) {
  if (!end.source) return {end.shape};
  return {package::source_shape(*end.source, end.shape), end.shape};
}

/// [OUTPUT=]FILE taken apart; the first output without a name.
std::pair<size_t, std::string> split_labels(const std::string& spec, const std::vector<End>& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {  // a name may hold '=' itself
    if (spec.starts_with(outputs[i].name + "=")) return {i, spec.substr(outputs[i].name.size() + 1)};
  }
  const size_t equals = spec.find('=');
  if (equals != std::string::npos && !std::filesystem::exists(spec))
    throw UserError("--labels", "no output is named '{}', the outputs are {}{}", spec.substr(0, equals),
                    fmt::join(end_names(outputs), ", "), base::suggestion(spec.substr(0, equals), end_names(outputs)));
  return {0, spec};
}

/// Nothing is written where the samples lie, and no two files have one name.
void check_names(const std::string& folder, const ArraySet& samples, const std::vector<OutputFiles>& names) {
  std::error_code unknown;  // what is not there yet is nobody's
  if (samples.is_folder() && std::filesystem::equivalent(folder, samples.place(), unknown))
    throw UserError("--output-dir", "'{}' is the folder of --inputs, expected another one", folder);
  if (names.size() != 1) return;
  const std::set<std::string> all(samples.samples().begin(), samples.samples().end());
  for (const std::string& sample : samples.samples()) {
    const std::string file = sample + ".npy";
    if (base::is_same_file(std::filesystem::path(folder) / file, samples.place()))
      throw UserError("--output-dir", "'{}/{}' would overwrite --inputs, expected another folder", folder, file);
    if (!names[0].float_file.empty() && all.contains(sample + ".float"))
      throw UserError("--output-dir", "samples '{}' and '{}.float' would have one file, expected other names", sample,
                      sample);
  }
}

}  // namespace

Samples::Samples(const SamplesRequest& request, const std::vector<End>& inputs)
    : inputs_(inputs), given_(given_inputs(inputs)), arrays_({"--inputs", "input", given_, false}, request.inputs) {
  static_cast<void>(this->inputs(0));
}

std::vector<base::Tensor> Samples::inputs(size_t sample) const {
  std::map<std::string, GivenArray> given;
  for (size_t i = 0; i < given_.size(); ++i) {
    GivenArray array = arrays_.array(sample, i);
    array.array = fitted(std::move(array.array), array_shapes(end_of(inputs_, given_[i])));
    given.emplace(given_[i], std::move(array));
  }
  return make_inputs(inputs_, given);
}

InputArrays Samples::arrays_of(size_t sample) const {
  InputArrays arrays;
  for (size_t i = 0; i < given_.size(); ++i)
    arrays[given_[i]] = fitted(arrays_.array(sample, i).array, array_shapes(end_of(inputs_, given_[i])));
  return arrays;
}

SampleScores::SampleScores(const SamplesRequest& request, std::optional<std::string> output_dir, std::vector<End> outputs,
                           const Samples& samples)
    : output_dir_(std::move(output_dir)),
      outputs_(std::move(outputs)),
      names_(output_files(outputs_)),
      place_(request.inputs),
      is_taken_(samples.size()) {
  for (const std::string& sample : samples.arrays().samples()) samples_.push_back({.sample = sample});
  if (output_dir_) check_names(*output_dir_, samples.arrays(), names_);
  if (request.expected) {
    expected_.emplace(ArrayQuestion{"--expected", "output", end_names(outputs_), true}, *request.expected);
    expected_->arrange_as(samples.arrays());
    differences_.resize(samples.size());
  }
  if (!request.labels) return;
  const auto [output, file] = split_labels(*request.labels, outputs_);
  scored_output_ = output;
  labels_.emplace(report::LabelScore{.file = file, .output = outputs_[output].name});
  label_of_ = read_labels(file, samples.size());
  check_labels();
}

void SampleScores::check_labels() {
  const End& output = outputs_[scored_output_];
  const base::Shape shape = array_shapes(output).front();
  labels_->num_classes = base::num_elements(shape);
  if (shape.empty() || std::ranges::max(shape) != labels_->num_classes)
    throw UserError("--labels", "output '{}' is {}, expected one number for each class: --labels OUTPUT=FILE names another",
                    output.name, base::to_string(shape));
  for (size_t i = 0; i < label_of_.size(); ++i) {
    if (label_of_[i] < 0 || label_of_[i] >= labels_->num_classes)
      throw UserError(labels_->file, "label {} of sample '{}' is no class: output '{}' has 0 to {}", label_of_[i],
                      samples_[i].sample, output.name, labels_->num_classes - 1);
  }
}

void SampleScores::take(size_t sample, const std::vector<base::Tensor>& outputs, base::FileSet& files) {
  is_taken_[sample] = true;
  if (output_dir_) write(sample, outputs, files);
  if (labels_) rank(sample, outputs);
  if (expected_) compare(sample, outputs);
}

/// SAMPLE.npy of a network with one output, else SAMPLE/OUTPUT.npy.
void SampleScores::write(size_t sample, const std::vector<base::Tensor>& outputs, base::FileSet& files) {
  const std::filesystem::path folder(*output_dir_);
  report::SampleScore& score = samples_[sample];
  files.make_directory(outputs_.size() == 1 ? folder : folder / score.sample);
  const auto add = [&](const std::string& own, const std::string& ending, const base::NpyArray& array) {
    const std::string name = outputs_.size() == 1 ? score.sample + ending : score.sample + "/" + own;
    files.add_text(folder / name, base::to_npy(array));
    score.files.push_back(name);
  };
  for (size_t i = 0; i < outputs.size(); ++i) {
    add(names_[i].file, ".npy", array_of(outputs_[i], outputs[i]));
    if (const auto floats = float_array_of(outputs_, outputs, i)) add(names_[i].float_file, ".float.npy", *floats);
  }
}

void SampleScores::rank(size_t sample, const std::vector<base::Tensor>& outputs) {
  const auto floats = float_array_of(outputs_, outputs, scored_output_);
  const std::vector<double> numbers =
      numbers_of(floats ? *floats : array_of(outputs_[scored_output_], outputs[scored_output_]));
  report::SampleScore& score = samples_[sample];
  score.label = label_of_[sample];
  score.rank = num_before<double>(numbers, *score.label) + 1;
  score.top_class = std::ranges::max_element(numbers) - numbers.begin();
  if (*score.rank == 1) ++labels_->top1_samples;
  if (*score.rank <= kTopFive) ++labels_->top5_samples;
}

SampleScores::Difference SampleScores::difference(const GivenArray& expected, size_t output,
                                                  const std::vector<base::Tensor>& outputs) const {
  const auto floats = float_array_of(outputs_, outputs, output);
  const base::NpyArray codes = array_of(outputs_[output], outputs[output]);
  const base::NpyArray& found = floats && expected.array.dtype == "float32" ? *floats : codes;
  const base::NpyArray wanted = fitted(expected.array, {found.shape});
  if (wanted.dtype != found.dtype || wanted.shape != found.shape) {
    const std::string other =
        floats ? fmt::format("{} {} or ", floats->dtype, base::to_string(floats->shape)) : std::string();
    throw UserError(expected.subject, "holds {} {}, output '{}' is {}{} {}", wanted.dtype, base::to_string(wanted.shape),
                    outputs_[output].name, other, codes.dtype, base::to_string(codes.shape));
  }
  const std::vector<double> a = numbers_of(found), b = numbers_of(wanted);
  Difference result{.elements_compared = std::ssize(a), .dtype = found.dtype};
  for (size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(b[i]))
      throw UserError(expected.subject, "holds {} at {}, allowed are numbers", b[i],
                      base::to_string(base::coordinates_of(found.shape, static_cast<int64_t>(i))));
    const double distance = std::abs(a[i] - b[i]);
    if (distance > 0) ++result.elements_different;
    result.largest = std::max(result.largest, distance);
    result.sum += distance;
  }
  return result;
}

void SampleScores::compare(size_t sample, const std::vector<base::Tensor>& outputs) {
  report::SampleScore& score = samples_[sample];
  score.is_equal = true;
  score.largest_difference = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Difference found = difference(expected_->array(sample, i), i, outputs);
    if (found.elements_different > 0) score.is_equal = false;
    score.largest_difference = std::max(*score.largest_difference, found.largest);
    differences_[sample].push_back(found);
  }
}

report::ExpectedScore SampleScores::expected_score() const {
  report::ExpectedScore result{.place = expected_->place()};
  for (size_t i = 0; i < outputs_.size(); ++i) {
    report::OutputDifference all{.tensor = outputs_[i].name};
    double sum = 0;
    for (size_t sample = 0; sample < samples_.size(); ++sample) {
      if (!is_taken_[sample]) continue;
      const Difference& one = differences_[sample][i];
      if (!all.dtype.empty() && all.dtype != one.dtype)
        throw UserError(expected_->place(), "holds {} and {} for output '{}', expected one of the two", all.dtype, one.dtype,
                        all.tensor);
      all.dtype = one.dtype;
      all.elements_compared += one.elements_compared;
      all.elements_different += one.elements_different;
      if (one.elements_different == 0) ++all.equal_samples;
      if (one.largest > all.largest_difference) {
        all.largest_difference = one.largest;
        all.worst_sample = samples_[sample].sample;
      }
      sum += one.sum;
    }
    all.mean_difference = sum / static_cast<double>(std::max<int64_t>(1, all.elements_compared));
    result.outputs.push_back(std::move(all));
  }
  result.equal_samples = std::ranges::count_if(samples_, [](const auto& one) { return one.is_equal.value_or(false); });
  return result;
}

report::Accuracy SampleScores::result() const {
  report::Accuracy accuracy{.place = place_, .num_samples = std::ranges::count(is_taken_, true), .samples = samples_};
  accuracy.labels = labels_;
  if (expected_) accuracy.expected = expected_score();
  return accuracy;
}

}  // namespace vernier::flow
