// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/op_table.hpp"
#include "compiler/ir/tensor_size.hpp"
#include "compiler/ir/verify_context.hpp"

#include <fmt/ranges.h>

#include <algorithm>
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
    throw UserError(file, "tensor '{}' has rank {}, level {} allows 0 to {}", tensor.name, rank, level_name(level),
                    level.max_rank);
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
    throw UserError(file, "the size of tensor '{}' {} overflows, level {} allows less than 2^{} bytes", tensor.name, shape,
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
    throw UserError(c.file, "{} has {} results, needed is 1", to_string(c.op.kind), c.op.outputs.size());
  }
  if (takes_list(info)) {
    c.check_range("the number of operands", static_cast<int64_t>(c.op.inputs.size()), 1, c.level.max_tensor_list_size);
  } else if (const auto names = split_words(info.operands); c.op.inputs.size() != names.size()) {
    c.fail("{} operands, needed are {} ({})", c.op.inputs.size(), names.size(), info.operands);
  }
}

void check_rank(const VerifyContext& c, std::string_view what, const TensorInfo& tensor, std::string_view allowed) {
  const size_t rank = tensor.shape.size();
  size_t least = 0;
  std::from_chars(allowed.data(), allowed.data() + allowed.size(), least);
  const bool is_open = allowed.back() == '+';
  if (rank < least || (!is_open && rank != least)) {
    c.fail("{} '{}' {} has rank {}, needed is {}{}", what, tensor.name, base::to_string(tensor.shape), rank, least,
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
    check_rank(c, name, c.input(i), ranks[i]);
    if (needs_constant && !c.graph.is_constant(c.op.inputs[i]))
      c.fail("{} '{}' is computed while running, it has to be a constant", name, c.input(i).name);
  }
  check_rank(c, "the result", c.output(), ranks.back());
}

bool matches(const std::vector<std::string_view>& found, const std::vector<std::string_view>& wanted) {
  return std::equal(found.begin(), found.end(), wanted.begin(), wanted.end(),
                    [](std::string_view a, std::string_view b) { return a == b || b == "*"; });
}

void check_types(const VerifyContext& c, const OpInfo& info) {
  std::vector<std::string_view> found;
  for (size_t i = 0; i < c.op.inputs.size(); ++i) found.push_back(base::to_string(c.input(i).type));
  found.insert(found.end(), {"->", base::to_string(c.output().type)});
  const auto is_match = [&](std::string_view mode) { return matches(found, split_words(info, mode, c.op.inputs.size())); };
  if (std::any_of(info.modes.begin(), info.modes.end(), is_match)) return;
  const std::string allowed = fmt::format("{}", fmt::join(info.modes, "; "));
  const std::string text = fmt::format("{}", fmt::join(found, " "));
  c.fail("the types are {}, allowed are {}", text, allowed);
}

}  // namespace

const OpInfo& supported_op_info(const Operator& op, const std::string& file) {
  const OpInfo* info = find_op_info(op.kind);
  if (info == nullptr)
    throw UserError(file, "operator {} is not there yet, supported are {}", to_string(op.kind), supported_operators());
  return *info;
}

void verify_form(const VerifyContext& context, const OpInfo& info) {
  if (context.op.attributes.index() != info.attribute_index) context.fail("it carries the attributes of another operator");
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

/// Of tensors and structure; operators are not looked at.
std::vector<std::string> mistakes_of_frame(const Graph& graph, const std::string& file, const Level& level,
                                           std::string_view what) {
  std::set<std::string_view> names;
  std::vector<std::string> mistakes = mistakes_of(graph.tensors, [&](const TensorInfo& tensor) {
    if (!names.insert(tensor.name).second)
      throw UserError(file, "two tensors are called '{}', names are unique", tensor.name);
    verify_tensor(tensor, file, level);
  });
  if (!mistakes.empty()) return mistakes;
  try {
    verify_structure(graph, file, what);
  } catch (const UserError& error) {
    return {error.what()};
  }
  return {};
}

void verify_operator(const VerifyContext& context) {
  const OpInfo& info = supported_op_info(context.op, context.file);
  verify_form(context, info);
  info.check(context);
}

}  // namespace

std::vector<std::string> find_mistakes(const Graph& graph, const std::string& file, const Level& level) {
  std::vector<std::string> mistakes = mistakes_of_frame(graph, file, level, "graph");
  for (const Region& region : graph.regions) {
    const std::string what = fmt::format("region '{}'", region.name);
    if (mistakes.empty()) mistakes = mistakes_of_frame(region.graph, file, level, what);
  }
  if (!mistakes.empty()) return mistakes;
  return mistakes_of(graph.operators, [&](const Operator& op) { verify_operator({graph, op, file, level}); });
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
    throw UserError(name, "is run with {} operators COND_IF and WHILE_LOOP around it, allowed are {} [MaxNesting]", depth,
                    main.max_nesting);
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
