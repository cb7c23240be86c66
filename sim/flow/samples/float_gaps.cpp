// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/samples/float_gaps.hpp"

#include "compiler/reference/interpreter.hpp"
#include "hw/base/error.hpp"
#include "sim/flow/files/output_files.hpp"
#include "sim/flow/model/boundary_values.hpp"
#include "sim/flow/samples/array_set.hpp"
#include "sim/flow/samples/float_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace vernier::flow {
namespace {

using base::UserError;

constexpr size_t kMostUnknown = 10;

/// Where a tensor that can be compared comes from.
struct Known {
  std::string name;                          // the source's
  std::string tensor;                        // the graph's
  const import::RealTensor* real = nullptr;  // what its elements stand for; null: an input or output of the network
  double scale = 0;
};

/// The numbers that a tensor of the graph stands for, with its dimensions as the source has them.
HostArray real_numbers(const base::Tensor& tensor, const import::RealTensor& real) {
  HostArray result{real.shape, std::vector<float>(static_cast<size_t>(tensor.size()))};
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const base::Shape at = base::coordinates_of(tensor.shape(), i);
    base::Shape there(real.shape.size(), 0);
    for (size_t d = 0; d < at.size(); ++d) {
      if (real.order[d] >= 0) there[static_cast<size_t>(real.order[d])] = at[d];
    }
    int64_t index = 0;
    for (size_t d = 0; d < there.size(); ++d) index = index * real.shape[d] + there[d];
    const size_t k = real.scales.size() > 1 ? static_cast<size_t>(there[static_cast<size_t>(real.axis)]) : 0;
    const auto distance = static_cast<double>(tensor.at(i) - real.zero_points[k]);
    result.numbers[static_cast<size_t>(index)] = static_cast<float>(distance * real.scales[k]);
  }
  return result;
}

/// Which tensors of a model can be compared, and what they are computed from.
class Comparison {
 public:
  Comparison(const Model& model, const std::string& place) : graph_(*model.graph), ends_(ends_of(model)), arrays_(place) {
    find_known(model);
    match_names();
  }

  report::FloatScore score(const std::string& place, const std::vector<base::Tensor>& inputs,
                           std::vector<base::Tensor> variables) {
    compare_inputs(inputs);
    const reference::Observer observer = [this](ir::TensorId id, const base::Tensor& tensor) {
      const auto wanted = wanted_.find(graph_.tensor(id).name);
      if (wanted == wanted_.end()) return;
      for (const Known* known : wanted->second) {
        if (known->real != nullptr) add(*known, real_numbers(tensor, *known->real));
      }
    };
    const reference::Result result = reference::run(graph_, inputs, observer, &variables);
    compare_outputs(result.outputs);
    find_drops();
    for (const auto& [name, array] : array_of_) {
      if (std::ranges::find(gaps_, name, &report::TensorGap::tensor) == gaps_.end())
        unknown_.push_back(fmt::format("{}: tensor '{}' is not in the network as it runs", arrays_.subject(array), name));
    }
    report::FloatScore score{.place = place, .unknown = std::move(unknown_)};
    score.tensors = std::move(gaps_);
    sort(score);
    return score;
  }

 private:
  /// Ends come first: what a boundary says of a tensor is what the source has there.
  void find_known(const Model& model) {
    const auto add_known = [&](Known known) { known_.push_back(std::move(known)); };
    for (const std::vector<End>* ends : {&ends_.inputs, &ends_.outputs}) {
      for (const End& end : *ends) {
        if (end.source && end.source->is_float) add_known({end.name, end.name, nullptr, double{end.source->scale}});
      }
    }
    for (const import::RealTensor& real : model.real_tensors) {
      const bool is_end = std::ranges::any_of(known_, [&](const Known& known) { return known.name == real.name; });
      if (!is_end) add_known({real.name, real.tensor, &real, std::ranges::max(real.scales)});
    }
  }

  void match_names() {
    std::vector<std::string> names;
    for (const Known& known : known_) names.push_back(known.name);
    for (const std::string& array : arrays_.names()) {
      const std::optional<std::string> name = tensor_named(array, names);
      if (!name) {
        if (unknown_.size() < kMostUnknown)
          unknown_.push_back(
              fmt::format("{}: no tensor is named '{}'{}", arrays_.subject(array), array, base::suggestion(array, names)));
        ++num_unknown_;
        continue;
      }
      const auto known = std::ranges::find(known_, *name, &Known::name);
      if (!array_of_.emplace(known->name, array).second)
        throw UserError(arrays_.subject(array), "is tensor '{}', as {} is, expected one file for each tensor", known->name,
                        arrays_.subject(array_of_.at(known->name)));
      wanted_[known->tensor].push_back(&*known);
    }
    if (array_of_.empty())
      throw UserError("--float-outputs", "{}",
                      names.empty() ? "the model does not say what its integers stand for: give a "
                                      "network of TensorFlow Lite or ONNX"
                                    : unknown_.front());
    if (num_unknown_ > unknown_.size())
      unknown_.push_back(fmt::format("and {} other arrays are no tensor's", num_unknown_ - unknown_.size()));
  }

  void compare_inputs(const std::vector<base::Tensor>& inputs) {
    for (size_t i = 0; i < ends_.inputs.size(); ++i) {
      const End& end = ends_.inputs[i];
      const bool is_codes = end.source && end.source->steps.empty() && !end.source->range;
      for (const Known* known : wanted_[end.name]) {
        if (known->real != nullptr) {
          add(*known, real_numbers(inputs[i], *known->real));
        } else if (is_codes && known->name == end.name) {
          add(*known, numbers_of_codes(inputs[i], *end.source));
        }
      }
    }
  }

  void compare_outputs(const std::vector<base::Tensor>& outputs) {
    for (size_t i = 0; i < ends_.outputs.size(); ++i) {
      const auto floats = float_array_of(ends_.outputs, outputs, i);
      if (!floats) continue;
      for (const Known* known : wanted_[ends_.outputs[i].name]) {
        if (known->real != nullptr) continue;
        const std::span<const float> numbers = floats->as<float>();
        add(*known, {floats->shape, {numbers.begin(), numbers.end()}});
      }
    }
  }

  void add(const Known& known, const HostArray& numbers) {
    const std::string& array = array_of_.at(known.name);
    GivenArray given = arrays_.array(array);
    given.array = fitted(std::move(given.array), {numbers.shape});
    if (given.array.shape != numbers.shape)
      throw UserError(given.subject, "holds float32 {}, tensor '{}' is {}", base::to_string(given.array.shape), known.name,
                      base::to_string(numbers.shape));
    const Gap gap = gap_of(numbers.numbers, given.array.as<float>());
    positions_of_[known.tensor].insert(gaps_.size());
    gaps_.push_back({.tensor = known.name,
                     .file = array,
                     .layer = {},
                     .position = static_cast<int64_t>(gaps_.size()),
                     .num_elements = std::ssize(numbers.numbers),
                     .scale = known.scale,
                     .snr_db = gap.snr_db,
                     .cosine = gap.cosine,
                     .largest_difference = gap.largest_difference,
                     .is_equal = gap.is_equal});
  }

  /// The ratio of noise to signal, 0 for equal tensors. None where the signal is 0.
  [[nodiscard]] static std::optional<double> noise_of(const report::TensorGap& gap) {
    if (gap.is_equal) return 0;
    return gap.snr_db ? std::optional(std::pow(10, -*gap.snr_db / 10)) : std::nullopt;
  }

  /// Along the graph: each tensor with what it is computed from, of the tensors that were compared.
  void find_drops() {
    std::vector<std::set<size_t>> before(graph_.tensors.size());  // by tensor: the nearest ones that were compared
    const auto own = [&](ir::TensorId id) { return positions_of_[graph_.tensor(id).name]; };
    for (const ir::TensorId id : graph_.inputs) before[static_cast<size_t>(id)] = own(id);
    for (const ir::Operator& op : graph_.operators) {
      std::set<size_t> sources;
      for (const ir::TensorId id : op.inputs) {
        if (id >= 0) sources.insert(before[static_cast<size_t>(id)].begin(), before[static_cast<size_t>(id)].end());
      }
      for (const ir::TensorId id : op.outputs) {
        const std::set<size_t> gaps = own(id);
        before[static_cast<size_t>(id)] = gaps.empty() ? sources : gaps;
        for (const size_t at : gaps) note_drop(at, sources, op);
      }
    }
  }

  void note_drop(size_t at, const std::set<size_t>& sources, const ir::Operator& op) {
    report::TensorGap& gap = gaps_[at];
    gap.layer = op.location.empty() ? gap.tensor : op.location;
    const report::TensorGap* worst = nullptr;
    for (const size_t source : sources) {
      if (noise_of(gaps_[source]) && (worst == nullptr || *noise_of(gaps_[source]) > *noise_of(*worst)))
        worst = &gaps_[source];
    }
    if (worst == nullptr || !noise_of(gap)) return;
    gap.source = worst->tensor;
    gap.added_noise_percent = 100 * (*noise_of(gap) - *noise_of(*worst));
    if (gap.snr_db && worst->snr_db) gap.snr_drop_db = *worst->snr_db - *gap.snr_db;
  }

  /// Equal ones last; those without a signal, which have no ratio, first.
  static void sort(report::FloatScore& score) {
    std::ranges::stable_sort(score.tensors, std::greater<>(), [](const report::TensorGap& gap) {
      return noise_of(gap).value_or(std::numeric_limits<double>::max());
    });
    const auto& tensors = score.tensors;
    for (size_t i = 0; i < tensors.size(); ++i) {
      const double added = tensors[i].added_noise_percent.value_or(0);
      if (added > 0 && (!score.drop_idx || added > *tensors[*score.drop_idx].added_noise_percent)) score.drop_idx = i;
    }
  }

  const ir::Graph& graph_;
  Ends ends_;
  FloatArrays arrays_;
  std::vector<Known> known_;
  std::map<std::string, std::string> array_of_;              // by the source's name of a tensor
  std::map<std::string, std::vector<const Known*>> wanted_;  // by the graph's name
  std::vector<report::TensorGap> gaps_;                      // as they were computed
  std::map<std::string, std::set<size_t>> positions_of_;     // in `gaps_`, by the graph's name
  std::vector<std::string> unknown_;
  size_t num_unknown_ = 0;
};

}  // namespace

Gap gap_of(std::span<const float> numbers, std::span<const float> floats) {
  double signal = 0, noise = 0, own = 0, product = 0;
  Gap gap;
  for (size_t i = 0; i < floats.size(); ++i) {
    const double a = numbers[i], b = floats[i];
    own += a * a;
    signal += b * b;
    product += a * b;
    noise += (a - b) * (a - b);
    gap.largest_difference = std::max(gap.largest_difference, std::abs(a - b));
  }
  gap.is_equal = noise == 0;
  if (signal > 0 && noise > 0) gap.snr_db = 10 * std::log10(signal / noise);
  if (signal > 0 && own > 0) gap.cosine = product / std::sqrt(signal * own);
  return gap;
}

report::FloatScore compare_with_floats(const Model& model, const std::string& place, const std::vector<base::Tensor>& inputs,
                                       std::vector<base::Tensor> variables) {
  if (!model.graph) throw UserError(model.file, "holds no source graph, which --float-outputs needs");
  return Comparison(model, place).score(place, inputs, std::move(variables));
}

}  // namespace vernier::flow
