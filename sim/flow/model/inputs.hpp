// SPDX-License-Identifier: Apache-2.0
// The inputs of a run: from .npy files, from arrays in memory, or made from a seed.
#pragma once

#include "hw/base/npy.hpp"
#include "hw/base/tensor.hpp"
#include "sim/flow/model/ends.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace vernier::flow {

/// In memory, by name: as a file of the input would hold it.
using InputArrays = std::map<std::string, base::NpyArray>;

/// `specs` are [NAME=]FILE.npy (NAME may be left out where there is one input), and `arrays` are in the place of such files.
/// Without any of both, every input is uniform over its type, from `seed`: also one that is floats in the source, whose
/// codes are drawn. UserError for an unknown or repeated name, an input that is missing, a file that does not fit.
/// `open_inputs`: names of those whose first dimension the network leaves open; of a file that fits them but for this one,
/// the message names the --batch that it is for.
std::vector<base::Tensor> make_inputs(const std::vector<End>& inputs, const std::vector<std::string>& specs, uint64_t seed,
                                      const std::vector<std::string>& open_inputs = {}, const InputArrays& arrays = {});

/// An array and what messages call it: the file, and where in it.
struct GivenArray {
  std::string subject;
  base::NpyArray array;
};
/// The inputs that have to be given: all but those that take the floats of another one.
std::vector<std::string> given_inputs(const std::vector<End>& inputs);
/// The inputs of a run of exactly these arrays, by the names of given_inputs(). UserError for an array that does not fit.
std::vector<base::Tensor> make_inputs(const std::vector<End>& inputs, const std::map<std::string, GivenArray>& given);

/// By input: "random, seed N", the file that it comes from, or "an array". Of what make_inputs() took.
std::vector<std::string> input_sources(const std::vector<End>& inputs, const std::vector<std::string>& specs, uint64_t seed,
                                       const InputArrays& arrays = {});
/// A line for each input of floats that is given in uint8, of what was assumed: that they are the network's codes, and which
/// numbers these stand for. Pixels may have been meant.
std::vector<std::string> assumed_codes(const std::vector<End>& inputs, const std::vector<std::string>& specs,
                                       const InputArrays& arrays = {});
/// The files that `specs` name; the same errors, but for what is in the files.
std::vector<std::string> input_files(const std::vector<End>& inputs, const std::vector<std::string>& specs);

/// What a machine with values off gets: tensors of the right shapes.
std::vector<base::Tensor> zero_inputs(const std::vector<End>& inputs);

}  // namespace vernier::flow
