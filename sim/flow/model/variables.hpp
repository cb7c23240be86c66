// SPDX-License-Identifier: Apache-2.0
// Variables of a network: what they are before the first iteration. Between iterations each back end keeps them itself.
#pragma once

#include "hw/base/tensor.hpp"
#include "sim/flow/model/inputs.hpp"
#include "sim/flow/model/model.hpp"
#include "sim/report/report.hpp"

#include <string>
#include <vector>

namespace vernier::flow {

/// A variable and where its first value comes from.
struct StartingVariable {
  std::string name;
  std::string source;  // "the network", "zeros", "an array", or a file
  base::Tensor value;
};

/// In the order of the network. `specs` are NAME=FILE.npy, `arrays` are in the place of such files, and both go before what
/// the network says. UserError naming --variable: for a network without variables, a name that is none or is given twice,
/// and a file or an array that does not fit.
std::vector<StartingVariable> starting_variables(const Model& model, const std::vector<std::string>& specs,
                                                 const InputArrays& arrays = {});
/// The files that `specs` name; the same errors, but for what is in the files.
std::vector<std::string> variable_files(const Model& model, const std::vector<std::string>& specs);
/// UserError where one of OUTPUT=INPUT names a variable: it hands its value on by itself.
void refuse_carried(const std::vector<std::string>& carries, const std::vector<StartingVariable>& variables);

std::vector<base::Tensor> values_of(const std::vector<StartingVariable>& variables);
/// For the report.
std::vector<report::Variable> reported(const std::vector<StartingVariable>& variables);
/// What was taken for granted: zeros that nobody asked for, and types that TOSA's table of EXT-VARIABLE does not have.
std::vector<std::string> notes_of(const std::vector<StartingVariable>& variables);

}  // namespace vernier::flow
