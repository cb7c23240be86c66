// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/op_table.hpp"
#include "compiler/ir/tensor_size.hpp"
#include "compiler/ir/verify_context.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>

namespace vernier::ir {

namespace {

using base::ElementType;
using base::UserError;

constexpr int64_t kMaxRankOfNpu = 6;
constexpr int64_t kMaxDimension = std::numeric_limits<int32_t>::max();  // what a TOSA file can say

std::string_view level_name(const Level& level) { return level.max_rank == kLevel8k.max_rank ? "8K" : "none"; }

}  // namespace

void verify_tensor(const TensorInfo& tensor, const std::string& file, const Level& level) {
  const auto rank = static_cast<int64_t>(tensor.shape.size());
  if (rank > level.max_rank) {
    throw broken_rule(ErrorIf::WrongRank, file, "tensor '{}' has rank {}, level {} allows 0 to {}", tensor.name, rank,
                      level_name(level), level.max_rank);
  }
  if (rank > kMaxRankOfNpu) {
    throw UserError(file, "tensor '{}' has rank {}, the NPU takes ranks up to {}", tensor.name, rank, kMaxRankOfNpu);
  }
  const std::string shape = base::to_string(tensor.shape);
  for (const int64_t dim : tensor.shape) {
    const bool is_empty_shape = dim == 0 && tensor.type == ElementType::Shape;
    if ((dim < 1 && !is_empty_shape) || dim > kMaxDimension) {
      throw UserError(file, "tensor '{}' {} has a dimension of {}, allowed are 1 to {}", tensor.name, shape, dim,
                      kMaxDimension);
    }
  }
  const auto size = checked_size_bytes(tensor.type, tensor.shape);
  if (!size || (level.max_log2_size < 63 && *size >> level.max_log2_size != 0)) {
    throw broken_rule(ErrorIf::MaxTensorSizeExceeded, file,
                      "the size of tensor '{}' {} overflows, level {} allows less than 2^{} bytes", tensor.name, shape,
                      level_name(level), level.max_log2_size);
  }
  const base::Tensor* value = tensor.constant.get();
  if (value != nullptr && (value->type() != tensor.type || value->shape() != tensor.shape)) {
    throw UserError(file, "constant '{}' is declared {} {}, its value is {} {}", tensor.name, base::to_string(tensor.type),
                    shape, base::to_string(value->type()), base::to_string(value->shape()));
  }
}

namespace {

void check_id(const Graph& graph, const std::string& file, TensorId id) {
  if (id < 0 || static_cast<size_t>(id) >= graph.tensors.size()) {
    throw UserError(file, "tensor number {} does not exist, there are {}", id, graph.tensors.size());
  }
}

}  // namespace

void verify_structure(const Graph& graph, const std::string& file, std::string_view what) {
  base::IndexedVector<TensorId, bool> is_defined(graph.tensors.size());
  for (size_t i = 0; i < graph.tensors.size(); ++i) is_defined[i] = graph.tensors[i].constant != nullptr;
  const auto define = [&](TensorId id) {
    check_id(graph, file, id);
    if (is_defined[id]) {
      throw UserError(file, "tensor '{}' has two producers, allowed is one", graph.tensor(id).name);
    }
    is_defined[id] = true;
  };
  const auto need = [&](TensorId id, std::string_view reader) {
    check_id(graph, file, id);
    if (!is_defined[id]) {
      throw UserError(file, "{} reads tensor '{}', which nothing before it produces", reader, graph.tensor(id).name);
    }
  };
  for (const TensorId id : graph.inputs) {
    define(id);
    if (graph.tensor(id).type == ElementType::Shape) {
      throw UserError(file, "{} input '{}' is a shape, allowed are tensors", what, graph.tensor(id).name);
    }
  }
  for (const Operator& op : graph.operators) {
    for (const TensorId id : op.inputs) need(id, to_string(op.kind));
    for (const TensorId id : op.outputs) define(id);
  }
  if (graph.outputs.empty()) throw UserError(file, "the {} has no outputs, at least one is needed", what);
  for (const TensorId id : graph.outputs) {
    need(id, fmt::format("the list of {} outputs", what));
    if (graph.tensor(id).type == ElementType::Shape) {
      throw UserError(file, "{} output '{}' is a shape, allowed are tensors", what, graph.tensor(id).name);
    }
  }
}

namespace {

void check_counts(const VerifyContext& c, const OpInfo& info) {
  if (c.op.outputs.size() != 1) {
    throw broken_rule(ErrorIf::WrongOutputList, c.file, "{} has {} results, needed is 1", to_string(c.op.kind),
                      c.op.outputs.size());
  }
  if (takes_list(info)) {
    if (c.op.inputs.empty()) c.fail(ErrorIf::ConcatNoInputList, "it has no operands, needed is 1 or more");
  } else if (const auto names = split_words(info.operands); c.op.inputs.size() != names.size()) {
    c.fail(ErrorIf::WrongInputList, "{} operands, needed are {} ({})", c.op.inputs.size(), names.size(), info.operands);
  }
}

void check_rank(const VerifyContext& c, std::string_view what, const TensorInfo& tensor, std::string_view allowed,
                bool is_operand) {
  const size_t rank = tensor.shape.size();
  size_t least = 0;
  std::from_chars(allowed.data(), allowed.data() + allowed.size(), least);
  const bool is_open = allowed.back() == '+';
  if (rank < least || (!is_open && rank != least)) {
    c.fail(is_operand && allowed == "1" ? ErrorIf::InputRank1WrongRank : ErrorIf::WrongRank,
           "{} '{}' {} has rank {}, needed is {}{}", what, tensor.name, base::to_string(tensor.shape), rank, least,
           is_open ? " or more" : "");
  }
}

void check_ranks_and_constants(const VerifyContext& c, const OpInfo& info) {
  const size_t num_operands = c.op.inputs.size();
  const auto names = split_words(info, info.operands, num_operands), ranks = split_words(info, info.ranks, num_operands);
  for (size_t i = 0; i < names.size(); ++i) {
    std::string_view name = names[i];
    const bool needs_constant = name.back() == '!';
    if (needs_constant || name.back() == '?') name.remove_suffix(1);
    check_rank(c, name, c.input(i), ranks[i], true);
    if (needs_constant && !c.graph.is_constant(c.op.inputs[i]))
      c.fail(ErrorIf::ComputedOperand, "{} '{}' is computed while running, it has to be a constant", name, c.input(i).name);
  }
  check_rank(c, "the result", c.output(), ranks.back(), false);
}

bool matches(const std::vector<std::string_view>& found, const std::vector<std::string_view>& wanted) {
  return std::equal(found.begin(), found.end(), wanted.begin(), wanted.end(),
                    [](std::string_view a, std::string_view b) { return a == b || b == "*"; });
}

/// Which of the types is wrong: with none but the result's different there is a mode, or with none but the bias's.
ErrorIf broken_type_rule(const VerifyContext& c, const OpInfo& info, const std::vector<std::string_view>& found) {
  const auto is_mode_without = [&](size_t left_out) {
    return std::any_of(info.modes.begin(), info.modes.end(), [&](std::string_view mode) {
      std::vector<std::string_view> wanted = split_words(info, mode, c.op.inputs.size());
      wanted.at(left_out) = "*";
      return matches(found, wanted);
    });
  };
  if (is_mode_without(found.size() - 1)) return ErrorIf::WrongOutputType;
  const auto names = split_words(info.operands);
  const auto bias = std::find(names.begin(), names.end(), "bias");
  const bool is_bias = bias != names.end() && is_mode_without(static_cast<size_t>(bias - names.begin()));
  return is_bias ? ErrorIf::WrongBiasType : ErrorIf::WrongInputType;
}

void check_types(const VerifyContext& c, const OpInfo& info) {
  std::vector<std::string_view> found;
  for (size_t i = 0; i < c.op.inputs.size(); ++i) found.push_back(base::to_string(c.input(i).type));
  found.insert(found.end(), {"->", base::to_string(c.output().type)});
  const auto is_match = [&](std::string_view mode) { return matches(found, split_words(info, mode, c.op.inputs.size())); };
  if (std::any_of(info.modes.begin(), info.modes.end(), is_match)) return;
  const std::string allowed = fmt::format("{}", fmt::join(info.modes, "; "));
  const std::string text = fmt::format("{}", fmt::join(found, " "));
  c.fail(broken_type_rule(c, info, found), "the types are {}, allowed are {}", text, allowed);
}

}  // namespace

const OpInfo& supported_op_info(const Operator& op, const std::string& file) {
  const OpInfo* info = find_op_info(op.kind);
  if (info == nullptr)
    throw UserError(file, "operator {} is not there yet, supported are {}", to_string(op.kind), supported_operators());
  return *info;
}

void verify_form(const VerifyContext& context, const OpInfo& info) {
  if (context.op.attributes.index() != info.attribute_index)
    context.fail(ErrorIf::WrongAttribute, "it carries the attributes of another operator");
  if (info.modes.empty()) return;
  check_counts(context, info);
  check_ranks_and_constants(context, info);
  check_types(context, info);
}

namespace {

/// Calls check(item) for each, and keeps what it throws.
template <typename Items, typename Check>
std::vector<std::string> mistakes_of(const Items& items, const Check& check) {
  std::vector<std::string> mistakes;
  for (const auto& item : items) {
    try {
      check(item);
    } catch (const UserError& error) {
      mistakes.emplace_back(error.what());
      if (mistakes.size() == kMostMistakes) break;
    }
  }
  return mistakes;
}

void verify_operator(const VerifyContext& context) {
  const OpInfo& info = supported_op_info(context.op, context.file);
  verify_form(context, info);
  info.check(context);
}

/// A graph, or one of the regions of `main`.
struct Frame {
  const Graph& graph;
  const std::string& file;
  const Level& level;
  std::string what;  // "graph", "region 'then'"
  const Graph& main;
};

/// UserError when the operator that gives the tensor breaks a rule of its own: an impossible dimension follows from that.
void verify_producer(const Frame& frame, const TensorInfo& tensor) {
  const Graph& graph = frame.graph;
  const auto id = static_cast<TensorId>(&tensor - graph.tensors.data());
  const Operator* producer = nullptr;
  try {
    verify_structure(graph, frame.file, frame.what);
    const OpId producer_id = graph.producers()[id];
    if (producer_id < 0) return;
    producer = &graph.operators[producer_id];
    for (const TensorId operand : producer->inputs) verify_tensor(graph.tensor(operand), frame.file, frame.level);
  } catch (const UserError&) {
    return;  // said elsewhere
  }
  verify_operator({graph, *producer, frame.file, frame.level, nullptr, nullptr, &frame.main});
}

/// The mistakes of tensors and structure; operators are not looked at.
std::vector<std::string> mistakes_of_frame(const Frame& frame) {
  const std::string& file = frame.file;
  std::set<std::string_view> names;
  std::vector<std::string> mistakes = mistakes_of(frame.graph.tensors, [&](const TensorInfo& tensor) {
    if (!names.insert(tensor.name).second)
      throw UserError(file, "two tensors are called '{}', names are unique", tensor.name);
    try {
      verify_tensor(tensor, file, frame.level);
    } catch (const UserError&) {
      verify_producer(frame, tensor);
      throw;
    }
  });
  if (!mistakes.empty()) return mistakes;
  try {
    verify_structure(frame.graph, file, frame.what);
  } catch (const UserError& error) {
    return {error.what()};
  }
  return {};
}

}  // namespace

std::vector<std::string> find_mistakes(const Graph& graph, const std::string& file, const Level& level) {
  std::vector<std::string> mistakes = mistakes_of_frame({graph, file, level, "graph", graph});
  if (mistakes.empty())
    mistakes = mistakes_of(std::array{&graph}, [&](const Graph* main) { verify_variables(*main, file, level); });
  if (mistakes.empty())
    mistakes = mistakes_of(graph.operators, [&](const Operator& op) { verify_operator({graph, op, file, level}); });
  for (const Region& region : graph.regions) {
    if (mistakes.empty())
      mistakes = mistakes_of_frame({region.graph, file, level, fmt::format("region '{}'", region.name), graph});
  }
  return mistakes;
}

void judge_regions(Graph& main, const std::string& file, const Level& level) {
  main.max_nesting = level.max_nesting;
  for (Region& region : main.regions) {
    region.mistake.clear();
    try {
      for (const Operator& op : region.graph.operators)
        verify_operator({region.graph, op, file, level, nullptr, nullptr, &main});
    } catch (const UserError& error) {
      region.mistake = error.what();
    }
  }
}

const Graph& region_to_run(const Graph& main, const std::string& name, int64_t depth) {
  const auto region = std::ranges::find(main.regions, name, &Region::name);
  VERNIER_CHECK(region != main.regions.end(), "region '{}' passed the check of its operator", name);
  if (depth > main.max_nesting) {
    throw broken_rule(ErrorIf::MaxNestingExceeded, name,
                      "is run with {} operators COND_IF and WHILE_LOOP around it, allowed are {}", depth, main.max_nesting);
  }
  if (!region->mistake.empty()) throw base::UserErrors({region->mistake});
  return region->graph;
}

void verify_values(const Graph& graph, const Operator& op, const std::vector<const base::Tensor*>& values) {
  const std::string subject = "values while running";
  const VerifyContext context{graph, op, subject, kLevelNone, nullptr, &values};
  supported_op_info(op, subject).check(context);
}

std::optional<size_t> find_computed_parameter(const Operator& op, const std::function<bool(TensorId)>& is_known) {
  const OpInfo* info = find_op_info(op.kind);
  if (info == nullptr || takes_list(*info)) return std::nullopt;
  const std::vector<std::string_view> names = split_words(info->operands);
  for (size_t i = 0; i < std::min(names.size(), op.inputs.size()); ++i) {
    if (names[i].back() == '?' && !is_known(op.inputs[i])) return i;
  }
  return std::nullopt;
}

std::string operand_name(OpKind kind, size_t operand) {
  const std::string_view name = split_words(find_op_info(kind)->operands).at(operand);
  return std::string(name.substr(0, name.find_first_of("!?")));
}

void verify(const Graph& graph, const std::string& file, const Level& level) {
  if (const std::vector<std::string> mistakes = find_mistakes(graph, file, level); !mistakes.empty())
    throw base::UserErrors(mistakes);
}

}  // namespace vernier::ir
