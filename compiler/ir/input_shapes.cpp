// SPDX-License-Identifier: Apache-2.0
// Dimensions of graph inputs that a file leaves open.
#include "compiler/ir/graph.hpp"
#include "hw/base/error.hpp"
#include "hw/base/text.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace vernier::ir {

namespace {

constexpr int64_t kOpenSize = -1;

void fill(base::Shape& shape, const base::Shape& sizes) {
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == kOpenSize) shape[i] = sizes[i];
  }
}

void require_fit(const base::Shape& shape, const std::string& name, const base::Shape& given) {
  bool fits = given.size() == shape.size();
  for (size_t i = 0; fits && i < shape.size(); ++i) fits = shape[i] == kOpenSize || shape[i] == given[i];
  if (!fits)
    throw base::UserError("--shape", "{}={} does not fit input '{}' {}, allowed are other sizes where that has -1", name,
                          fmt::join(given, "x"), name, base::to_string(shape));
}

}  // namespace

void check_input_name(const std::string& option, const std::string& name, const std::vector<std::string>& inputs) {
  if (std::find(inputs.begin(), inputs.end(), name) != inputs.end()) return;
  throw base::UserError(option, "no input is named '{}', the inputs are '{}'{}", name, fmt::join(inputs, "', '"),
                        base::suggestion(name, inputs));
}

bool fill_input_shape(base::Shape& shape, const std::string& name, size_t index, const OpenShapes& open,
                      const std::string& file) {
  if (const auto named = open.named.find(name); named != open.named.end()) {
    require_fit(shape, name, named->second);
    fill(shape, named->second);
    return false;
  }
  const bool has_open_batch = !shape.empty() && shape.front() == kOpenSize;
  if (index < open.input_shapes.size() && open.input_shapes[index].size() == shape.size()) {
    fill(shape, open.input_shapes[index]);
  } else if (has_open_batch) {
    shape.front() = open.batch.value_or(1);
  }
  const auto rest = std::find(shape.begin(), shape.end(), kOpenSize);
  if (rest != shape.end())
    throw base::UserError(file,
                          "dimension {} of graph input '{}' is open (-1), allowed without --shape is the first one only: "
                          "--shape {}=AxBxC gives the sizes",
                          rest - shape.begin(), name, name);
  return has_open_batch;
}

}  // namespace vernier::ir
