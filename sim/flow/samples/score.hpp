// SPDX-License-Identifier: Apache-2.0
// The outputs of many samples: their files, how the labels rank in them, and how far they are from expected ones.
#pragma once

#include "hw/base/file.hpp"
#include "hw/base/tensor.hpp"
#include "sim/flow/files/output_files.hpp"
#include "sim/flow/model/ends.hpp"
#include "sim/flow/samples/array_set.hpp"
#include "sim/flow/samples/samples_request.hpp"
#include "sim/report/accuracy.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

/// The samples of a run, opened: what each gives to the network.
class Samples {
 public:
  /// UserError for inputs that are none; the first sample has been read.
  Samples(const SamplesRequest& request, const std::vector<End>& inputs);

  [[nodiscard]] const ArraySet& arrays() const { return arrays_; }
  [[nodiscard]] size_t size() const { return arrays_.samples().size(); }
  /// UserError, naming the file, for arrays that do not fit.
  [[nodiscard]] std::vector<base::Tensor> inputs(size_t sample) const;
  /// The same as arrays of a run of that sample alone.
  [[nodiscard]] InputArrays arrays_of(size_t sample) const;

 private:
  std::vector<End> inputs_;
  std::vector<std::string> given_;
  ArraySet arrays_;
};

/// Takes the outputs of each sample once, in any order.
class SampleScores {
 public:
  /// UserError for labels and expected outputs that do not fit.
  SampleScores(const SamplesRequest& request, std::optional<std::string> output_dir, std::vector<End> outputs,
               const Samples& samples);

  /// Writes the outputs to `files`, where there is a folder for them. UserError for an expected output that does not fit.
  void take(size_t sample, const std::vector<base::Tensor>& outputs, base::FileSet& files);
  /// Of all samples that were taken.
  [[nodiscard]] report::Accuracy result() const;

 private:
  /// An output of a sample against what is expected of it.
  struct Difference {
    int64_t elements_compared = 0, elements_different = 0;
    double largest = 0, sum = 0;
    std::string dtype{};
  };
  void write(size_t sample, const std::vector<base::Tensor>& outputs, base::FileSet& files);
  void rank(size_t sample, const std::vector<base::Tensor>& outputs);
  void compare(size_t sample, const std::vector<base::Tensor>& outputs);
  void check_labels();
  [[nodiscard]] Difference difference(const GivenArray& expected, size_t output,
                                      const std::vector<base::Tensor>& outputs) const;
  [[nodiscard]] report::ExpectedScore expected_score() const;

  std::optional<std::string> output_dir_;
  std::vector<End> outputs_;
  std::vector<OutputFiles> names_;
  std::string place_;
  std::vector<report::SampleScore> samples_;
  std::vector<bool> is_taken_;
  std::optional<ArraySet> expected_;
  std::vector<std::vector<Difference>> differences_;  // by sample, by output: sums are added up in the samples' order
  std::optional<report::LabelScore> labels_;
  std::vector<int64_t> label_of_;
  size_t scored_output_ = 0;
};

}  // namespace vernier::flow
