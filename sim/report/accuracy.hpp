// SPDX-License-Identifier: Apache-2.0
// How good the outputs of many samples are, and how far inner tensors are from floats: the part `accuracy` of the report.
#pragma once

#include "hw/base/tensor.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vernier::report {

/// Of --labels.
struct LabelScore {
  std::string file{}, output{};  // the output whose numbers say how likely each class is
  int64_t num_classes = 0;
  int64_t top1_samples = 0, top5_samples = 0;  // whose label is the first, or among the first five
};

/// An output over all samples, against --expected. Differences are of codes, or of floats where the expected ones are.
struct OutputDifference {
  std::string tensor{}, dtype{};  // numpy's, of what was compared
  int64_t elements_compared = 0, elements_different = 0, equal_samples = 0;
  double largest_difference = 0, mean_difference = 0;  // absolute; the mean is over all elements
  std::string worst_sample{};                          // the first one with the largest difference; empty: all are equal
};

struct ExpectedScore {
  std::string place;          // as given
  int64_t equal_samples = 0;  // all of whose outputs are equal
  std::vector<OutputDifference> outputs{};
};

struct SampleScore {
  std::string sample;
  std::vector<std::string> files{};                     // in --output-dir
  std::optional<int64_t> label{}, top_class{}, rank{};  // of --labels; rank 1: the label is the most likely class
  std::optional<bool> is_equal{};                       // of --expected
  std::optional<double> largest_difference{};
};

/// A tensor against the floats that the user's own framework gave for the same input (--float-outputs).
struct TensorGap {
  std::string tensor, file;  // the source's name; the file in the folder
  std::string layer;         // that makes it; empty: an input
  int64_t position = 0;      // in the order in which the network computes them
  int64_t num_elements = 0;
  double scale = 0;                // of its codes; of one with a scale for each channel the largest
  std::optional<double> snr_db{};  // none: the floats are all 0, or equal
  std::optional<double> cosine{};  // none: one of the two is all 0
  double largest_difference = 0;   // absolute, of numbers
  bool is_equal = false;           // then the ratio to noise has no end
  // Against the one with most noise of the compared tensors that it is computed from, where there are any.
  std::string source{};                         // its name; else empty
  std::optional<double> snr_drop_db{};          // none: one of the two is equal
  std::optional<double> added_noise_percent{};  // noise in percent of the signal's power, less that of the source
};

struct FloatScore {
  std::string place{};                 // as given
  std::string sample{};                // of --inputs; empty: of --input
  std::vector<TensorGap> tensors{};    // the lowest ratio first
  std::optional<size_t> drop_idx{};    // into `tensors`: the one to which most noise is added
  std::vector<std::string> unknown{};  // lines about files that are no tensor's
};

struct Accuracy {
  std::string place{};      // --inputs as given; empty: none
  int64_t num_samples = 0;  // that ran
  std::vector<SampleScore> samples{};
  std::optional<LabelScore> labels{};
  std::optional<ExpectedScore> expected{};
  std::optional<FloatScore> floats{};
};

}  // namespace vernier::report
