// SPDX-License-Identifier: Apache-2.0
// What an importer is asked for, and what it gives: the same for every format.
#pragma once

#include "compiler/import/finding.hpp"
#include "compiler/import/tflite_rounding.hpp"
#include "compiler/ir/graph.hpp"
#include "hw/package/boundary.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vernier::import {

/// An encodings file of AIMET, which says how a float network is quantized: its name, for findings, and its text.
struct EncodingsFile {
  std::string file, text;
};

/// How the codes of a float input stand for its numbers, where its source says nothing: QONNX's Quant with these parameters
/// and rounding half to even.
struct InputFormat {
  float scale = 1;         // above 0, finite
  int64_t zero_point = 0;  // one of the codes
  int32_t bits = 8;        // 1 to 16
  bool is_signed = true;
  bool is_narrow = false;  // without the least code; of unsigned ones without the greatest
  bool operator==(const InputFormat&) const = default;
};

struct Options {
  ir::Level level = ir::kLevel8k;
  ir::OpenShapes open{};                                  // for dimensions that the file leaves open (-1)
  std::optional<EncodingsFile> encodings = std::nullopt;  // of a float network
  std::map<std::string, InputFormat> input_formats{};     // by input
  std::optional<std::string> signature = std::nullopt;    // which one of a .tflite; its inputs and outputs get its names
  std::optional<TfliteRounding> tflite_rounding = std::nullopt;  // whose arithmetic a .tflite has; LitertRef when absent
};

/// How the numbers of a layer become codes of another scale: by an integer multiplier and a shift for each ratio of scales.
struct Rescaling {
  std::string layer;
  int64_t num_ratios = 0;         // one, or one for each channel
  int64_t num_powers_of_two = 0;  // of these: there ties are frequent, which tools round in different ways
  double greatest_error = 0;      // of a multiplier, as a part of its ratio
  bool rounds_to_even = true;     // ties; else up
};

/// How the source has a tensor of the graph, where it may order dimensions in another way or have unsigned codes.
struct SourceTensor {
  std::string tensor;          // the graph's
  std::string name;            // the source's; several values of the source may be one tensor
  base::Shape shape;           // in the source
  std::vector<int64_t> order;  // by dimension of the graph's tensor: the source's; -1: one of size 1 that was added
  bool is_signed = true;       // of the source's codes; unsigned ones lie in the graph less half of their range
};

/// A value of the source that is real numbers, and the tensor of the graph whose elements stand for them: number = (element
/// - zero point) * scale.
struct RealTensor {
  std::string name;                  // the source's; several values may be one tensor
  std::string tensor;                // the graph's
  base::Shape shape;                 // in the source
  std::vector<int64_t> order;        // as in SourceTensor
  std::vector<double> scales;        // one, or one for each index of `axis`
  std::vector<int64_t> zero_points;  // as many; of the graph's elements
  int64_t axis = 0;                  // a dimension of the source's shape
};

struct ImportResult {
  std::optional<ir::Graph> graph;        // verified; absent when a finding is a refusal
  package::Boundary boundary;            // of the graph: what its ends are in the source
  std::vector<std::string> names;        // of the source's layers, by operator of the graph; those of one layer share theirs
  std::vector<Finding> findings;         // of a step of the import all at once, up to ir::kMostMistakes errors
  std::vector<std::string> open_inputs;  // names of the graph inputs whose first dimension the file leaves open
  std::vector<Rescaling> rescalings{};   // of quantized float networks, in the order of their layers
  std::vector<SourceTensor> source_tensors{};          // of quantized float networks; of other formats empty
  std::vector<RealTensor> real_tensors{};              // of formats that say what integers stand for
  std::optional<TfliteRoundingUse> tflite_rounding{};  // of a .tflite
  bool is_whole_tosa = false;  // the file is TOSA 1.0, and the graph has nothing that it does not say
};

}  // namespace vernier::import
