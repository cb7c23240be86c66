// SPDX-License-Identifier: Apache-2.0
// Arrays of floats by the names of tensors, as a framework dumps them.
#pragma once

#include "sim/flow/model/inputs.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

class FloatArrays {
 public:
  /// A folder of .npy files, also in folders of its own, or an .npz file. UserError where there are none.
  explicit FloatArrays(const std::string& place);
  /// By name: what stands before ".npy", with the folders that a file is in.
  [[nodiscard]] std::vector<std::string> names() const;
  /// What the array is called in messages: a file, or an array of the archive.
  [[nodiscard]] std::string subject(const std::string& name) const;
  /// UserError for what is no float32, and for what is no number among them.
  [[nodiscard]] GivenArray array(const std::string& name) const;

 private:
  std::string place_;
  std::map<std::string, std::string> files_;
  std::map<std::string, base::NpyArray> arrays_;
};

/// The name of the tensor that an array of that name is of: the same one; else one that is a file of that name, or whose
/// last fused part is (base::first_name). None where there is none.
std::optional<std::string> tensor_named(const std::string& array, const std::vector<std::string>& tensors);

}  // namespace vernier::flow
