// SPDX-License-Identifier: Apache-2.0
// Arrays of many samples in one place: a folder, an .npz file, or one .npy file.
#pragma once

#include "hw/base/npy.hpp"
#include "sim/flow/model/inputs.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace vernier::flow {

/// What to look for, and the words for messages.
struct ArrayQuestion {
  std::string option;              // "--inputs"
  std::string what;                // "input": what a name is one of
  std::vector<std::string> names;  // of the tensors of a sample
  bool takes_floats = false;       // also NAME.float.npy, where there is no NAME.npy
};

/// A folder has SAMPLE.npy for each sample where a sample has one array, else SAMPLE/NAME.npy; samples are in the order of
/// the bytes of their names. An .npz file has an array for each name, and an .npy file is the array of the one name; their
/// first dimensions count the samples, whose names are their numbers. Files of a folder are read when they are asked for.
class ArraySet {
 public:
  /// UserError for a place that is none of these or has no samples, for names that are unknown or missing, and for arrays of
  /// different numbers of samples.
  ArraySet(ArrayQuestion question, std::string place);

  [[nodiscard]] const std::string& place() const { return place_; }
  [[nodiscard]] const std::vector<std::string>& samples() const { return samples_; }
  /// A file or an array, and where it is, is named by its subject.
  [[nodiscard]] GivenArray array(size_t sample, size_t name) const;
  /// Whether samples have names of their own, and not only numbers.
  [[nodiscard]] bool is_folder() const { return stacks_.empty(); }
  /// A note where the order of the names is not that of the numbers that they are; else empty.
  [[nodiscard]] std::string note_on_order() const;
  /// The order of another set's samples: UserError for samples that are missing, or that the other one does not have.
  void arrange_as(const ArraySet& other);

 private:
  void open_folder();
  void open_folder_of_one();
  void open_folder_of_several();
  void take_stacks(std::vector<GivenArray> stacks);
  size_t index_of(const std::string& where, const std::string& key) const;

  ArrayQuestion question_;
  std::string place_;
  std::vector<std::string> samples_;
  std::vector<std::vector<std::string>> files_;  // of a folder: by sample, by name
  std::vector<GivenArray> stacks_;               // else: by name
};

/// The array with the first of these shapes that has its elements in its order: a dimension of size 1 may be missing in
/// front. As it is where there is none.
base::NpyArray fitted(base::NpyArray array, const std::vector<base::Shape>& shapes);

}  // namespace vernier::flow
