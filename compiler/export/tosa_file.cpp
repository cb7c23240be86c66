// SPDX-License-Identifier: Apache-2.0
// The frame of a .tosa file: version, a region and block for the main graph and for each of its regions, their tensors and
// operators.
#include "compiler/export/export.hpp"
#include "compiler/export/tosa_writer.hpp"
#include "hw/base/error.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace vernier::exporter {

namespace {

using flatbuffers::Offset;
using flatbuffers::String;
using Names = Offset<flatbuffers::Vector<Offset<String>>>;

/// What a tensor, an operator and its attributes take beside names and data, generously: a flatbuffer that grows too large
/// cannot be asked to stop.
constexpr uint64_t kMostBytesOfAnEntry = 1024;

/// Variables as the official serialiser writes them: a tensor with `variable` set in each block that uses one, and IDENTITY
/// from it or to it.
class VariableTensors {
 public:
  VariableTensors(const ir::Graph& main, const ir::Graph& graph) : main_(main), names_(main.variables.size()) {
    std::set<std::string_view> taken;
    for (const ir::TensorInfo& tensor : graph.tensors) taken.insert(tensor.name);
    std::vector<bool> is_used(main.variables.size(), &main == &graph);
    for (const ir::Operator& op : graph.operators) {
      if (const std::optional<size_t> number = ir::variable_of(main, op)) is_used[*number] = true;
    }
    for (size_t i = 0; i < names_.size(); ++i) {
      if (!is_used[i]) continue;
      names_[i] = fmt::format("Variable_{}", i);
      while (taken.contains(names_[i])) names_[i] += "'";
    }
  }

  /// The tensor of the variable that the operator names.
  [[nodiscard]] const std::string& name_of(const ir::Operator& op) const {
    const std::optional<size_t> number = ir::variable_of(main_, op);
    VERNIER_CHECK(number, "the variable of a {} passed ir::verify", ir::to_string(op.kind));
    return names_[*number];
  }

  void declare(flatbuffers::FlatBufferBuilder& builder, std::vector<Offset<tosa::TosaTensor>>& tensors) const {
    for (size_t i = 0; i < names_.size(); ++i) {
      if (names_[i].empty()) continue;
      const ir::Variable& variable = main_.variables[i];
      const auto name = builder.CreateString(names_[i]), own_name = builder.CreateString(variable.name);
      Offset<flatbuffers::Vector<uint8_t>> data;
      if (variable.initial) data = write_data(builder, *variable.initial);
      const auto shape = builder.CreateVector(std::vector<int32_t>(variable.shape.begin(), variable.shape.end()));
      tensors.push_back(tosa::CreateTosaTensor(builder, name, shape, dtype_of(variable.type), data, true, false, own_name));
    }
  }

 private:
  const ir::Graph& main_;
  std::vector<std::string> names_;  // by variable; empty: not of this block
};

/// A graph as a region of one block. `main` has the variables.
class GraphWriter {
 public:
  GraphWriter(flatbuffers::FlatBufferBuilder& builder, const ir::Graph& main, const ir::Graph& graph)
      : graph_(graph),
        builder_(builder),
        variables_(main, graph),
        consumers_(graph.consumers()),
        is_written_(graph.tensors.size()) {}

  Offset<tosa::TosaRegion> run(const std::string& name) {
    variables_.declare(builder_, tensors_);
    for (const ir::TensorId id : graph_.inputs) declare(id);
    for (const ir::Operator& op : graph_.operators) {
      write_constants(op);
      write_operator(op);
    }
    // What no operator reads: outputs, or nobody's.
    write_constants_before(static_cast<ir::TensorId>(graph_.tensors.size()));
    return finish(name);
  }

 private:
  [[nodiscard]] const ir::TensorInfo& tensor(ir::TensorId id) const { return graph_.tensor(id); }

  Names names(const std::vector<ir::TensorId>& ids) {
    std::vector<Offset<String>> strings;
    for (const ir::TensorId id : ids) strings.push_back(builder_.CreateString(tensor(id).name));
    return builder_.CreateVector(strings);
  }
  Names names(const std::string& one) {
    const Offset<String> name = builder_.CreateString(one);
    return builder_.CreateVector(&name, 1);
  }

  /// Puts the tensor, with its value if it has one, into the lists of the block.
  void declare(ir::TensorId id) {
    is_written_[static_cast<size_t>(id)] = true;
    const ir::TensorInfo& info = tensor(id);
    const auto name = builder_.CreateString(info.name);
    Offset<flatbuffers::Vector<uint8_t>> data;
    if (info.constant) data = write_data(builder_, *info.constant);
    if (info.type == base::ElementType::Shape) {
      VERNIER_CHECK(info.constant, "shape '{}' is a constant", info.name);
      shapes_.push_back(tosa::CreateTosaShape(builder_, name, static_cast<uint32_t>(info.constant->size()), data));
      return;
    }
    const std::vector<int32_t> dims(info.shape.begin(), info.shape.end());
    const auto shape = builder_.CreateVector(dims);
    tensors_.push_back(tosa::CreateTosaTensor(builder_, name, shape, dtype_of(info.type), data));
  }

  void write_constant(ir::TensorId id) {
    if (!graph_.is_constant(id) || is_written_[static_cast<size_t>(id)]) return;
    declare(id);
    const bool is_shape = tensor(id).type == base::ElementType::Shape;
    const ir::OpKind kind = is_shape ? ir::OpKind::ConstShape : ir::OpKind::Const;
    write(kind, {static_cast<tosa::Attribute>(kind), tosa::CreateConstAttribute(builder_).Union()}, {}, {id}, "");
  }

  void write_constants_before(ir::TensorId end) {
    for (; next_constant_ < end; ++next_constant_) write_constant(next_constant_);
  }

  /// Those that the operator reads, and those with lower numbers than its result: a reader numbers tensors as it meets their
  /// producers.
  void write_constants(const ir::Operator& op) {
    for (const ir::TensorId id : op.outputs) write_constants_before(id);
    for (const ir::TensorId id : op.inputs) write_constant(id);
  }

  void write_operator(const ir::Operator& op) {
    if (op.kind == ir::OpKind::VariableRead) return write_read(op);
    if (op.kind == ir::OpKind::VariableWrite) return write_write(op);
    for (const ir::TensorId id : op.outputs) declare(id);
    const ir::TensorId typed = op.inputs.empty() ? op.outputs.at(0) : op.inputs.front();
    write(op.kind, write_attributes(builder_, op, tensor(typed).type), op.inputs, op.outputs, op.location);
  }

  void write_read(const ir::Operator& op) {
    declare(op.outputs.at(0));
    const AttributeTable attributes{tosa::Attribute::VariableReadAttribute,
                                    tosa::CreateVariableReadAttribute(builder_).Union()};
    const Names from = names(variables_.name_of(op)), to = names(op.outputs);
    write_named(ir::OpKind::Identity, attributes, from, to, op.location);
  }

  /// The result is no tensor of the file, unless somebody reads it.
  void write_write(const ir::Operator& op) {
    const ir::TensorId result = op.outputs.at(0);
    const bool is_output = std::find(graph_.outputs.begin(), graph_.outputs.end(), result) != graph_.outputs.end();
    if (is_output || !consumers_[result].empty()) {
      declare(result);
      write(ir::OpKind::Identity, {tosa::Attribute::IdentityAttribute, tosa::CreateIdentityAttribute(builder_).Union()},
            op.inputs, op.outputs, op.location);
    }
    const AttributeTable attributes{tosa::Attribute::VariableWriteAttribute,
                                    tosa::CreateVariableWriteAttribute(builder_).Union()};
    const Names from = names(op.inputs), to = names(variables_.name_of(op));
    write_named(ir::OpKind::Identity, attributes, from, to, op.location);
  }

  void write(ir::OpKind kind, const AttributeTable& attributes, const std::vector<ir::TensorId>& inputs,
             const std::vector<ir::TensorId>& outputs, const std::string& location) {
    const Names input_names = names(inputs), output_names = names(outputs);
    write_named(kind, attributes, input_names, output_names, location);
  }

  void write_named(ir::OpKind kind, const AttributeTable& attributes, const Names& input_names, const Names& output_names,
                   const std::string& location) {
    Offset<tosa::OpLocation> place;
    if (!location.empty()) place = tosa::CreateOpLocation(builder_, builder_.CreateString(location_text(location)));
    // The number of an operator is TOSA's.
    operators_.push_back(tosa::CreateTosaOperator(builder_, static_cast<tosa::Op>(kind), attributes.type, attributes.table,
                                                  input_names, output_names, place));
  }

  Offset<tosa::TosaRegion> finish(const std::string& region_name) {
    const auto name = builder_.CreateString(region_name);
    const auto operators = builder_.CreateVector(operators_);
    const auto tensors = builder_.CreateVector(tensors_);
    const auto shapes = builder_.CreateVector(shapes_);
    const Names inputs = names(graph_.inputs), outputs = names(graph_.outputs);
    const auto block = tosa::CreateTosaBasicBlock(builder_, name, operators, tensors, inputs, outputs, shapes);
    return tosa::CreateTosaRegion(builder_, name, builder_.CreateVector(&block, 1));
  }

  const ir::Graph& graph_;
  flatbuffers::FlatBufferBuilder& builder_;
  VariableTensors variables_;
  base::IndexedVector<ir::TensorId, std::vector<ir::OpId>> consumers_;
  std::vector<bool> is_written_;  // by tensor
  ir::TensorId next_constant_ = 0;
  std::vector<Offset<tosa::TosaOperator>> operators_;
  std::vector<Offset<tosa::TosaTensor>> tensors_;
  std::vector<Offset<tosa::TosaShape>> shapes_;
};

/// No less than the file will have.
uint64_t most_bytes(const ir::Graph& graph) {
  uint64_t bytes = 0;
  for (const ir::TensorInfo& tensor : graph.tensors) {
    bytes += kMostBytesOfAnEntry + tensor.name.size();
    if (tensor.constant) bytes += static_cast<uint64_t>(file_bytes(*tensor.constant));
  }
  for (const ir::Operator& op : graph.operators) {
    bytes += kMostBytesOfAnEntry + 4 * op.location.size();
    for (const ir::TensorId id : op.inputs) bytes += kMostBytesOfAnEntry / 16 + graph.tensor(id).name.size();
    for (const ir::TensorId id : op.outputs) bytes += graph.tensor(id).name.size();
  }
  for (const ir::Variable& variable : graph.variables) {
    bytes += kMostBytesOfAnEntry + variable.name.size();  // a region that uses it declares it too
    const uint64_t value_bytes = variable.initial ? static_cast<uint64_t>(file_bytes(*variable.initial)) : 0;
    bytes += (graph.regions.size() + 1) * value_bytes;
  }
  for (const ir::Region& region : graph.regions)
    bytes += kMostBytesOfAnEntry + region.name.size() + most_bytes(region.graph);
  return bytes;
}

}  // namespace

std::vector<std::byte> to_tosa(const ir::Graph& graph, const std::string& file) {
  if (const uint64_t bytes = most_bytes(graph); bytes >= FLATBUFFERS_MAX_BUFFER_SIZE) {
    throw base::UserError(file, "the network takes up to {} bytes as a TOSA flatbuffer, which has less than 2^31", bytes);
  }
  flatbuffers::FlatBufferBuilder builder;
  std::vector<Offset<tosa::TosaRegion>> regions{GraphWriter(builder, graph, graph).run("main")};
  for (const ir::Region& region : graph.regions)
    regions.push_back(GraphWriter(builder, graph, region.graph).run(region.name));
  const auto version = tosa::CreateVersion(builder, 1, 0, 0, false);
  tosa::FinishTosaGraphBuffer(builder, tosa::CreateTosaGraph(builder, version, builder.CreateVector(regions)));
  const auto* data = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  return {data, data + builder.GetSize()};
}

}  // namespace vernier::exporter
