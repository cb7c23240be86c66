// SPDX-License-Identifier: Apache-2.0
// A tensor as people name it on the command line.
#pragma once

#include "hw/package/package.hpp"
#include "sim/flow/model/model.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace vernier::flow {

/// Which tensors an option is about, and the words for its messages.
struct TensorQuestion {
  std::string option = "--tensor";
  std::string others = "all";                          // what the option takes besides names
  std::string of_what{};                               // after "makes a tensor": " with sums"
  std::function<bool(int32_t tensor_idx)> is_meant{};  // of a layer's; empty: all
};

/// Index into package.tensors of the one of that name, in the graph or in the source of the model; else the one that the
/// layer makes which is named so (layer_choice.hpp), also where a folded tensor has the name too. Of several tensors of a
/// layer those count that the source has. UserError naming the option: why a folded tensor stands nowhere, the nearest names
/// where there is none, and the names of a layer's tensors where it makes several, or the layer that makes none.
int32_t choose_tensor(const TensorQuestion& question, const Model& model, const package::Package& package,
                      const std::string& wanted);

}  // namespace vernier::flow
