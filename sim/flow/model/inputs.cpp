// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/model/inputs.hpp"

#include "hw/base/error.hpp"
#include "hw/base/npy.hpp"
#include "hw/base/text.hpp"
#include "hw/model/quantize_linear.hpp"
#include "sim/flow/model/boundary_values.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace vernier::flow {
namespace {

/// SplitMix64 (Steele, Lea, Flood 2014): small, and the same everywhere.
class SplitMix {
 public:
  explicit SplitMix(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

 private:
  uint64_t state_;
};

base::Tensor random_tensor(const End& input, uint64_t seed, size_t index) {
  SplitMix random(seed * 1000003U + index);
  base::Tensor tensor(input.type, input.shape);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const uint64_t bits = random.next();
    tensor.set(i,
               input.type == base::ElementType::Bool ? static_cast<int64_t>(bits >> 63U) : static_cast<int64_t>(bits >> 8U));
  }
  return tensor;
}

std::vector<std::string> names_of(const std::vector<End>& inputs) {
  std::vector<std::string> names;
  for (const End& input : inputs) names.push_back(input.name);
  return names;
}

/// The input whose floats this one takes; "" for one that is given.
std::string taken_from(const End& input) {
  return input.source && !input.source->reads.empty() ? input.source->reads.front() : "";
}

/// The inputs that have to be given, as a list for a message.
std::string listed(const std::vector<End>& inputs) {
  std::string text;
  for (const End& input : inputs) {
    if (taken_from(input).empty()) text += fmt::format("{}'{}'", text.empty() ? "" : ", ", input.name);
  }
  return text.empty() ? "none" : text;
}

[[noreturn]] void refuse_name(const std::vector<End>& inputs, const std::string& name) {
  throw base::UserError("--input", "no input is named '{}', the inputs are {}{}", name, listed(inputs),
                        base::suggestion(name, names_of(inputs)));
}

size_t index_of(const std::vector<End>& inputs, const std::string& name) {
  const auto found = std::ranges::find(inputs, name, &End::name);
  if (found == inputs.end()) refuse_name(inputs, name);
  return static_cast<size_t>(found - inputs.begin());
}

struct Named {
  size_t index;
  std::string file;
};

Named split_spec(const std::vector<End>& inputs, const std::string& spec) {
  for (size_t i = 0; i < inputs.size(); ++i) {  // a name may hold '=' itself
    const std::string prefix = inputs[i].name + "=";
    if (spec.rfind(prefix, 0) == 0) return {i, spec.substr(prefix.size())};
  }
  if (spec.empty()) throw base::UserError("--input", "'' is not [NAME=]FILE.npy, the inputs are {}", listed(inputs));
  const size_t equals = spec.find('=');
  if (equals != std::string::npos && !std::filesystem::exists(spec)) refuse_name(inputs, spec.substr(0, equals));
  if (std::ranges::count_if(inputs, [](const End& input) { return taken_from(input).empty(); }) != 1) {
    throw base::UserError("--input", "'{}' names no input, the network has {}: write NAME={}", spec, listed(inputs), spec);
  }
  const auto first = std::ranges::find_if(inputs, [](const End& input) { return taken_from(input).empty(); });
  return {static_cast<size_t>(first - inputs.begin()), spec};
}

/// int64 for an input of int32, where each number fits: sources have indices of 64 bits.
std::optional<base::Tensor> indices_of(const std::string& file, const base::NpyArray& array, const End& input) {
  if (input.source || input.type != base::ElementType::Int32) return std::nullopt;
  if (array.dtype != "int64" || array.shape != input.shape) return std::nullopt;
  base::Tensor tensor(input.type, input.shape);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    int64_t number = 0;
    std::memcpy(&number, array.data.data() + static_cast<size_t>(i) * sizeof(number), sizeof(number));
    if (number < std::numeric_limits<int32_t>::min() || number > std::numeric_limits<int32_t>::max())
      throw base::UserError(file, "element {} is {}, which int32 does not hold", i, number);
    tensor.set(i, number);
  }
  return tensor;
}

base::Tensor read_input(const std::string& file, const End& input) {
  if (!input.source && input.type == base::ElementType::Int32) {
    if (std::optional<base::Tensor> indices = indices_of(file, base::read_npy_array(file), input))
      return *std::move(indices);
  }
  return input.source ? read_end(file, *input.source, input.type, input.shape)
                      : base::read_npy(file, input.type, input.shape);
}

base::Tensor tensor_of(const std::string& subject, const base::NpyArray& array, const End& input) {
  if (std::optional<base::Tensor> indices = indices_of(subject, array, input)) return *std::move(indices);
  return input.source ? to_end(subject, array, *input.source, input.type, input.shape)
                      : base::to_tensor(subject, array, input.type, input.shape);
}

/// Where the file has another batch than the input and fits it otherwise: what takes that batch.
std::string batch_hint(const std::string& file, const End& input) {
  try {
    const base::Shape found = base::read_npy_array(file).shape;
    if (found.empty() || input.shape.empty() || found.front() < 1 || found.front() == input.shape.front()) return "";
    const base::Shape expected = input.source ? package::source_shape(*input.source, input.shape) : input.shape;
    const auto fits = [&](const base::Shape& shape) {
      return shape.size() == found.size() && std::equal(found.begin() + 1, found.end(), shape.begin() + 1);
    };
    if (!fits(input.shape) && !fits(expected)) return "";
    return fmt::format("; the network leaves that dimension open, --batch {} takes a batch of {}", found.front(),
                       found.front());
  } catch (const base::UserError&) {
    return "";  // the file is wrong in another way
  }
}

/// What inputs that take the floats of another one are made of.
struct GivenArrays {
  std::map<std::string, base::NpyArray> arrays;
  std::map<std::string, std::string> subjects;
};

[[noreturn]] void refuse_codes_of_several(const std::string& subject, const base::NpyArray& array, const std::string& name) {
  throw base::UserError(subject, "holds {}, expected float32: the network quantizes input '{}' in several ways", array.dtype,
                        name);
}

base::Tensor tensor_taken(const End& input, const GivenArrays& given) {
  const std::string name = taken_from(input);
  const auto array = given.arrays.find(name);
  if (array == given.arrays.end()) throw base::UserError("--input", "'{}' is missing", input.name);
  const std::string& subject = given.subjects.at(name);
  if (array->second.dtype != "float32") refuse_codes_of_several(subject, array->second, name);
  return to_end(subject, array->second, *input.source, input.type, input.shape);
}

}  // namespace

std::vector<base::Tensor> make_inputs(const std::vector<End>& inputs, const std::vector<std::string>& specs, uint64_t seed,
                                      const std::vector<std::string>& open_inputs, const InputArrays& arrays) {
  std::vector<base::Tensor> result;
  if (specs.empty() && arrays.empty()) {
    for (size_t i = 0; i < inputs.size(); ++i) result.push_back(random_tensor(inputs[i], seed, i));
    return result;
  }
  std::vector<std::optional<base::Tensor>> given(inputs.size());
  std::set<std::string> read_twice;
  for (const End& input : inputs) read_twice.insert(taken_from(input));
  GivenArrays taken;
  for (const std::string& spec : specs) {
    const Named named = split_spec(inputs, spec);
    const End& input = inputs[named.index];
    if (given[named.index]) throw base::UserError("--input", "'{}' is given twice", input.name);
    try {
      given[named.index] = read_input(named.file, input);
      if (read_twice.contains(input.name)) {
        taken.arrays[input.name] = base::read_npy_array(named.file);
        taken.subjects[input.name] = named.file;
      }
    } catch (const base::UserError& error) {
      const bool is_open = std::find(open_inputs.begin(), open_inputs.end(), input.name) != open_inputs.end();
      const std::string hint = is_open ? batch_hint(named.file, input) : "";
      if (hint.empty()) throw;
      throw base::UserErrors({error.what() + hint});
    }
  }
  for (const auto& [name, array] : arrays) {
    const size_t index = index_of(inputs, name);
    const End& input = inputs[index];
    if (given[index]) throw base::UserError("--input", "'{}' is given twice", name);
    base::check_array(name, array);
    given[index] = tensor_of(name, array, input);
    if (!read_twice.contains(name)) continue;
    taken.arrays[name] = array;
    taken.subjects[name] = name;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!given[i] && !taken_from(inputs[i]).empty()) given[i] = tensor_taken(inputs[i], taken);
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!given[i]) throw base::UserError("--input", "'{}' is missing, the inputs are {}", inputs[i].name, listed(inputs));
    result.push_back(std::move(*given[i]));
  }
  return result;
}

std::vector<std::string> given_inputs(const std::vector<End>& inputs) {
  std::vector<std::string> names;
  for (const End& input : inputs) {
    if (taken_from(input).empty()) names.push_back(input.name);
  }
  return names;
}

std::vector<base::Tensor> make_inputs(const std::vector<End>& inputs, const std::map<std::string, GivenArray>& given) {
  std::vector<base::Tensor> result;
  for (const End& input : inputs) {
    const std::string name = taken_from(input);
    const GivenArray& own = given.at(name.empty() ? input.name : name);
    if (!name.empty() && own.array.dtype != "float32") refuse_codes_of_several(own.subject, own.array, name);
    result.push_back(tensor_of(own.subject, own.array, input));
  }
  return result;
}

std::vector<std::string> input_sources(const std::vector<End>& inputs, const std::vector<std::string>& specs, uint64_t seed,
                                       const InputArrays& arrays) {
  std::vector<std::string> sources(inputs.size(), fmt::format("random, seed {}", seed));
  for (const auto& [name, array] : arrays) sources[index_of(inputs, name)] = "an array";
  for (const std::string& spec : specs) {
    const Named named = split_spec(inputs, spec);
    sources[named.index] = named.file;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (const std::string name = taken_from(inputs[i]); !name.empty()) sources[i] = sources[index_of(inputs, name)];
  }
  return sources;
}

std::vector<std::string> assumed_codes(const std::vector<End>& inputs, const std::vector<std::string>& specs,
                                       const InputArrays& arrays) {
  std::vector<std::string> lines;
  const auto take = [&](const End& input, const std::string& what, const base::NpyArray& array) {
    const bool is_open = input.source && input.source->is_float && array.dtype == "uint8" &&
                         codes_dtype(*input.source, input.type) == "uint8";
    if (!is_open) return;
    const package::BoundaryEnd& end = *input.source;
    std::string meaning = "codes";
    if (end.channels.empty()) {
      const auto number = [&](int64_t code) { return model::dequantize_linear(code, end.scale, end.zero_point); };
      meaning = fmt::format("codes, of which 0 stands for {:g} and 255 for {:g}", number(0), number(255));
    }
    lines.push_back(fmt::format(
        "input '{}': the uint8 numbers of {} are taken as the network's {}{}; pixels that are to be quantized are float32",
        input.name, what, meaning, end.steps.empty() ? "" : " after the float operators before them"));
  };
  for (const auto& [name, array] : arrays) take(inputs[index_of(inputs, name)], "an array", array);
  for (const std::string& spec : specs) {
    const Named named = split_spec(inputs, spec);
    take(inputs[named.index], named.file, base::read_npy_array(named.file));
  }
  return lines;
}

std::vector<std::string> input_files(const std::vector<End>& inputs, const std::vector<std::string>& specs) {
  std::vector<std::string> files;
  for (const std::string& spec : specs) files.push_back(split_spec(inputs, spec).file);
  return files;
}

std::vector<base::Tensor> zero_inputs(const std::vector<End>& inputs) {
  std::vector<base::Tensor> result;
  for (const End& input : inputs) result.emplace_back(input.type, input.shape);
  return result;
}

}  // namespace vernier::flow
