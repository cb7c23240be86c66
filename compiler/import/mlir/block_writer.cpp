// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/mlir/block_writer.hpp"

#include "compiler/import/location.hpp"
#include "compiler/import/mlir/attributes.hpp"
#include "compiler/ir/op_kind.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace vernier::import::mlir {

namespace {

/// The operator of TOSA that "tosa.conv2d" names, and "arith.constant", which folding leaves of a CONST.
std::optional<tosa::Op> kind_of(std::string_view name) {
  if (name == "arith.constant") return tosa::Op::CONST;
  constexpr std::string_view kPrefix = "tosa.";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  std::string upper(name.substr(kPrefix.size()));
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (const auto kind = ir::op_kind_from_name(upper)) return static_cast<tosa::Op>(*kind);
  return std::nullopt;
}

std::vector<int32_t> narrow(const std::vector<int64_t>& dims) { return {dims.begin(), dims.end()}; }

/// What reads result number `index`: %NAME or %NAME#NUMBER. Nothing where the results have no names.
std::optional<BlockWriter::Key> result_key(const Operation& operation, size_t index) {
  auto number = static_cast<int64_t>(index);
  for (const ResultName& result : operation.results) {
    if (number < result.count) return BlockWriter::Key{result.name, number};
    number -= result.count;
  }
  return std::nullopt;
}

bool has(const std::vector<BlockWriter::Key>& keys, const BlockWriter::Key& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

}  // namespace

std::string BlockWriter::unique_name(std::string wanted) {
  if (wanted.empty()) wanted = "value";
  while (!names_.insert(wanted).second) wanted += "'";
  return wanted;
}

void BlockWriter::declare_value(Key key, const Type& type, const std::string& wanted, const Operation* constant,
                                size_t position) {
  if (type.kind != Type::Kind::Tensor && type.kind != Type::Kind::Shape)
    file_.source.fail(position, "%{} is {}, allowed are tensors and !tosa.shape", key.first, text_of(type));
  const auto [entry, is_new] = values_.try_emplace(key, Value{unique_name(wanted), type, constant});
  if (!is_new) file_.source.fail(position, "%{} is defined twice", key.first);
  if (type.kind == Type::Kind::Tensor && constant == nullptr) declare_tensor(entry->second, {});
}

void BlockWriter::declare_tensor(const Value& value, std::vector<uint8_t> data) {
  auto tensor = std::make_unique<tosa::TosaTensorT>();
  tensor->name = value.name;
  tensor->shape = narrow(value.type.dims);
  tensor->is_unranked = value.type.is_unranked;
  tensor->type = dtype_of(value.type.element);
  tensor->data = std::move(data);
  block_->tensors.push_back(std::move(tensor));
}

const BlockWriter::Value* BlockWriter::find(Key key) {
  if (const auto own = values_.find(key); own != values_.end()) return &own->second;
  if (around_ == nullptr) return nullptr;
  const Value* outer = around_->find(key);
  if (outer == nullptr) return nullptr;
  const Value copied{unique_name(outer->name), outer->type, outer->constant};
  const Value& value = values_.emplace(key, copied).first->second;
  if (value.constant != nullptr) {
    write_constant_value(*value.constant, value);
  } else {
    declare_tensor(value, {});
    captures_.push_back(key);
  }
  return &value;
}

/// `given` is the type that the operation says; null where it says none.
const BlockWriter::Value& BlockWriter::use(const Use& use, const Type* given) {
  const Value* value = find({use.name, use.number});
  if (value == nullptr) file_.source.fail(use.position, "%{} is not defined before this place", use.name);
  if (given != nullptr && *given != value->type)
    file_.source.fail(use.position, "%{} is {} here and {} where it is defined", use.name, text_of(*given),
                      text_of(value->type));
  return *value;
}

void BlockWriter::write(const Region& region, const std::vector<std::string>& argument_names,
                        const std::vector<std::string>& result_names) {
  for (size_t i = 0; i < region.arguments.size(); ++i) {
    const Argument& argument = region.arguments[i];
    const std::string wanted = i < argument_names.size() ? argument_names[i] : std::string(argument.name);
    const Key key{argument.name, 0};
    declare_value(key, argument.type, wanted, nullptr, argument.position);
    block_->inputs.push_back(values_.at(key).name);
  }
  name_results(region, result_names);
  for (const Operation& operation : region.operations) write_operation(operation);
}

/// Results have their names before their producers are met.
void BlockWriter::name_results(const Region& region, const std::vector<std::string>& names) {
  if (region.operations.empty()) return;
  const std::vector<Use>& returned = region.operations.back().operands;
  for (size_t i = 0; i < std::min(returned.size(), names.size()); ++i) {
    const Key key{returned[i].name, returned[i].number};
    if (values_.contains(key) || wanted_names_.contains(key)) continue;
    wanted_names_.emplace(key, unique_name(names[i]));
  }
}

tosa::TosaOperatorT& BlockWriter::add_operator(const Operation& operation, tosa::Op kind) {
  auto result = std::make_unique<tosa::TosaOperatorT>();
  result->op = kind;
  if (operation.location != 0) {
    const std::string name = location_name(file_.source.text().substr(operation.location), [&](std::string_view alias) {
      const auto found = file_.location_aliases.find(alias);
      return found == file_.location_aliases.end() ? std::string_view() : found->second;
    });
    if (!name.empty()) {
      result->location = std::make_unique<tosa::OpLocationT>();
      std::string escaped;
      for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\' || std::isprint(byte) == 0) {
          escaped += fmt::format("\\{:02X}", byte);
        } else {
          escaped += c;
        }
      }
      result->location->text = fmt::format("loc(\"{}\")", escaped);
    }
  }
  block_->operators.push_back(std::move(result));
  return *block_->operators.back();
}

void BlockWriter::write_operation(const Operation& operation) {
  if (operation.name == "unknown") {
    // Its mistake is told already; what reads its results is no mistake of its own.
    file_.source.fail(operation.position, "what stands here is not read");
  }
  if (operation.name == "func.return" || operation.name == "tosa.yield") return write_outputs(operation);
  if (operation.name == "tosa.variable") return;  // of the file, also where it stands in a function
  const std::optional<tosa::Op> kind = kind_of(operation.name);
  if (!kind) {
    file_.source.fail(operation.position, "'{}' is no operator of TOSA 1.0", operation.name);
  } else if (*kind == tosa::Op::CONST || *kind == tosa::Op::CONST_SHAPE) {
    write_constant(operation);
  } else if (*kind == tosa::Op::COND_IF || *kind == tosa::Op::WHILE_LOOP) {
    write_control_flow(operation, *kind);
  } else if (*kind == tosa::Op::VARIABLE_READ || *kind == tosa::Op::VARIABLE_WRITE) {
    write_variable_use(operation, *kind == tosa::Op::VARIABLE_WRITE);
  } else {
    write_operator(operation, *kind);
  }
}

void BlockWriter::write_constant(const Operation& operation) {
  if (operation.result_types.size() != 1)
    file_.source.fail(operation.position, "{} has {} results, needed is 1", operation.name, operation.result_types.size());
  if (operation.results.empty()) return;
  const Key key{operation.results[0].name, 0};
  const auto wanted = wanted_names_.find(key);
  if (wanted != wanted_names_.end()) names_.erase(wanted->second);
  declare_value(key, operation.result_types[0], wanted != wanted_names_.end() ? wanted->second : std::string(key.first),
                &operation, operation.position);
  write_constant_value(operation, values_.at(key));
}

void BlockWriter::write_constant_value(const Operation& operation, const Value& value) {
  const Attribute* values = mlir::find(operation.attributes, "values");
  if (values == nullptr) values = mlir::find(operation.attributes, "value");
  if (values == nullptr) file_.source.fail(operation.position, "{} has no attribute 'values'", operation.name);
  std::vector<uint8_t> data = file_.constants.read(*values);
  const Type& type = values->dense.type;
  const bool is_shape = value.type.kind == Type::Kind::Shape;
  if (is_shape ? type.dims != value.type.dims : type != value.type)
    file_.source.fail(values->position, "the value is {}, the result {}", text_of(type), text_of(value.type));
  tosa::TosaOperatorT& result = add_operator(operation, is_shape ? tosa::Op::CONST_SHAPE : tosa::Op::CONST);
  result.outputs.push_back(value.name);
  if (!is_shape) return declare_tensor(value, std::move(data));
  auto shape = std::make_unique<tosa::TosaShapeT>();
  shape->name = value.name;
  shape->rank = static_cast<uint32_t>(type.dims[0]);
  shape->data = std::move(data);
  block_->shapes.push_back(std::move(shape));
}

void BlockWriter::write_operator(const Operation& operation, tosa::Op kind) {
  if (!operation.operand_types.empty() && operation.operand_types.size() != operation.operands.size())
    file_.source.fail(operation.position, "{} has {} operands and {} types for them", operation.name,
                      operation.operands.size(), operation.operand_types.size());
  std::vector<std::string> inputs;
  for (size_t i = 0; i < operation.operands.size(); ++i)
    inputs.push_back(
        use(operation.operands[i], operation.operand_types.empty() ? nullptr : &operation.operand_types[i]).name);
  std::vector<std::string> outputs;
  for (const Type& type : operation.result_types) {
    const std::optional<Key> key = result_key(operation, outputs.size());
    if (!key) {  // nobody reads it
      const Value unread{unique_name("unread"), type, nullptr};
      declare_tensor(unread, {});
      outputs.push_back(unread.name);
      continue;
    }
    std::string name(key->first);
    if (operation.result_types.size() > 1) name += fmt::format("#{}", key->second);
    if (const auto wanted = wanted_names_.find(*key); wanted != wanted_names_.end()) {
      name = wanted->second;
      names_.erase(name);
    }
    declare_value(*key, type, name, nullptr, operation.position);
    outputs.push_back(values_.at(*key).name);
  }
  tosa::TosaOperatorT& result = add_operator(operation, kind);
  result.inputs = std::move(inputs);
  result.outputs = std::move(outputs);
  if (kind != tosa::Op::COND_IF && kind != tosa::Op::WHILE_LOOP)
    read_attributes(file_.source, operation, kind, result.attribute);
}

void BlockWriter::write_control_flow(const Operation& operation, tosa::Op kind) {
  if (operation.regions.size() != 2)
    file_.source.fail(operation.position, "{} has {} regions, needed are 2", operation.name, operation.regions.size());
  std::vector<BlockWriter> blocks;
  blocks.reserve(2);
  for (const Region& region : operation.regions) blocks.emplace_back(file_, this).write(region, {}, {});
  std::vector<Key> captures = blocks[0].captures();
  for (const Key& key : blocks[1].captures()) {
    if (!has(captures, key)) captures.push_back(key);
  }
  const bool is_loop = kind == tosa::Op::WHILE_LOOP;
  for (BlockWriter& block : blocks) block.add_inputs(captures);
  if (is_loop) blocks[1].add_outputs(captures);
  write_operator(operation, kind);
  tosa::TosaOperatorT& result = *block_->operators.back();
  for (const Key& key : captures) {
    const Value& value = *find(key);
    result.inputs.push_back(value.name);
    if (!is_loop) continue;
    const Value handed_on{unique_name(value.name), value.type, nullptr};
    declare_tensor(handed_on, {});
    result.outputs.push_back(handed_on.name);
  }
  const size_t number = file_.regions.size() / 2;
  const std::string first = fmt::format("{}_{}", is_loop ? "while_loop_cond" : "cond_if_then", number);
  const std::string second = fmt::format("{}_{}", is_loop ? "while_loop_body" : "cond_if_else", number);
  if (is_loop) {
    tosa::WhileLoopAttributeT attribute;
    attribute.cond_graph = first;
    attribute.body_graph = second;
    result.attribute.Set(std::move(attribute));
  } else {
    tosa::CondIfAttributeT attribute;
    attribute.then_graph = first;
    attribute.else_graph = second;
    result.attribute.Set(std::move(attribute));
  }
  file_.regions.push_back(blocks[0].release(first));
  file_.regions.push_back(blocks[1].release(second));
}

void BlockWriter::add_inputs(const std::vector<Key>& captures) {
  for (const Key& key : captures) block_->inputs.push_back(find(key)->name);
}

void BlockWriter::add_outputs(const std::vector<Key>& captures) {
  for (const Key& key : captures) block_->outputs.push_back(find(key)->name);
}

std::unique_ptr<tosa::TosaRegionT> BlockWriter::release(const std::string& name) {
  auto region = std::make_unique<tosa::TosaRegionT>();
  region->name = name;
  block_->name = name;
  region->blocks.push_back(std::move(block_));
  return region;
}

void BlockWriter::write_outputs(const Operation& operation) {
  for (size_t i = 0; i < operation.operands.size(); ++i) {
    const Type* type = i < operation.operand_types.size() ? &operation.operand_types[i] : nullptr;
    block_->outputs.push_back(use(operation.operands[i], type).name);
  }
}

/// The tensor that stands for a variable in this block.
const std::string& BlockWriter::variable_tensor(const Operation& operation, const std::string& variable) {
  if (const auto known = variable_tensors_.find(variable); known != variable_tensors_.end()) return known->second;
  const auto found = file_.variables.find(variable);
  if (found == file_.variables.end()) file_.source.fail(operation.position, "no tosa.variable has the name '{}'", variable);
  const Operation& declaration = *found->second;
  auto tensor = std::make_unique<tosa::TosaTensorT>();
  tensor->name = unique_name("Variable_" + variable);
  tensor->variable = true;
  tensor->variable_name = variable;
  const Attribute* initial = mlir::find(declaration.attributes, "initial_value");
  Type type = declaration.operand_types.empty() ? Type{} : declaration.operand_types[0];
  if (const Attribute* shape = mlir::find(declaration.attributes, "var_shape")) {  // the generic form
    const Attribute* element = mlir::find(declaration.attributes, "type");
    if (element == nullptr) file_.source.fail(declaration.position, "tosa.variable has no attribute 'type'");
    type = element->type;
    type.kind = Type::Kind::Tensor;
    const std::vector<uint8_t> dims = file_.constants.read(*shape);
    for (size_t i = 0; i + 8 <= dims.size(); i += 8) {
      uint64_t dim = 0;
      for (size_t byte = 0; byte < 8; ++byte) dim |= uint64_t{dims[i + byte]} << (8 * byte);
      type.dims.push_back(static_cast<int64_t>(dim));
    }
  }
  if (type.kind != Type::Kind::Tensor)
    file_.source.fail(declaration.position, "the variable '{}' is {}, allowed are tensors", variable, text_of(type));
  if (initial != nullptr) tensor->data = file_.constants.read(*initial);
  tensor->shape = narrow(type.dims);
  tensor->type = dtype_of(type.element);
  block_->tensors.push_back(std::move(tensor));
  return variable_tensors_.emplace(variable, block_->tensors.back()->name).first->second;
}

void BlockWriter::declare_variables() {
  for (const auto& [name, operation] : file_.variables) variable_tensor(*operation, name);
}

void BlockWriter::write_variable_use(const Operation& operation, bool is_write) {
  const Attribute* name = mlir::find(operation.attributes, "name");
  if (name == nullptr || name->text.empty()) file_.source.fail(operation.position, "{} names no variable", operation.name);
  if (operation.operands.size() != (is_write ? 1U : 0U))
    file_.source.fail(operation.position, "{} has {} operands, needed are {}", operation.name, operation.operands.size(),
                      is_write ? 1 : 0);
  const std::string tensor = variable_tensor(operation, name->text);
  Operation plain = operation;
  plain.attributes.clear();
  if (is_write) plain.result_types.clear();
  write_operator(plain, tosa::Op::IDENTITY);
  tosa::TosaOperatorT& result = *block_->operators.back();
  if (is_write) {
    result.outputs = {tensor};
    result.attribute.Set(tosa::VariableWriteAttributeT());
  } else {
    result.inputs = {tensor};
    result.attribute.Set(tosa::VariableReadAttributeT());
  }
}

}  // namespace vernier::import::mlir
