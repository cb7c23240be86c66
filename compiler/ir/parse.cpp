// SPDX-License-Identifier: Apache-2.0
#include "compiler/ir/line_reader.hpp"
#include "compiler/ir/tensor_size.hpp"
#include "compiler/ir/text_format.hpp"
#include "hw/base/error.hpp"

#include <map>

namespace vernier::ir {

namespace {

base::ElementType read_type(LineReader& reader) {
  const std::string_view word = reader.word();
  const auto type = base::element_type_from_name(word);
  if (!type) reader.fail(fmt::format("unknown element type '{}'", word));
  return *type;
}

void read_value(LineReader& reader, bool& value) {
  value = reader.accept("true");
  if (!value) reader.expect("false");
}
void read_value(LineReader& reader, int64_t& value) { value = reader.integer(); }
void read_value(LineReader& reader, std::vector<int64_t>& value) { value = reader.integers(); }
void read_value(LineReader& reader, std::string& value) { value = reader.name(); }
void read_value(LineReader& reader, base::ElementType& value) { value = read_type(reader); }
void read_value(LineReader& reader, spec::Rounding& value) {
  const std::string_view word = reader.word();
  for (size_t i = 0; i < std::size(kRoundingNames); ++i) {
    if (kRoundingNames[i] == word) {
      value = static_cast<spec::Rounding>(i);
      return;
    }
  }
  reader.fail(fmt::format("unknown rounding '{}'", word));
}

class Parser {
 public:
  Graph run(const std::string& file, std::string_view text) {
    int64_t line = 0;
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      LineReader reader(file, ++line, text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line == 1) {
        read_header(reader);
      } else if (!reader.is_at_end() && !reader.accept("#")) {
        read_line(reader);
      } else {
        continue;
      }
      if (!reader.is_at_end()) reader.fail("expected the end of the line");
    }
    if (line == 0) throw base::UserError(file, "empty, expected 'vernier-ir 1' in the first line");
    return std::move(main_);
  }

 private:
  static void read_header(LineReader& reader) {
    if (!reader.accept("vernier-ir 1")) reader.fail("expected 'vernier-ir 1'");
  }

  void read_line(LineReader& reader) {
    const std::string_view word = reader.word();
    if (word == "tensor") {
      read_tensor(reader);
    } else if (word == "variable") {
      read_variable(reader);
    } else if (word == "input") {
      graph_->inputs.push_back(read_reference(reader));
    } else if (word == "output") {
      graph_->outputs.push_back(read_reference(reader));
    } else if (word == "region") {
      begin_region(reader);
    } else if (const auto kind = op_kind_from_name(word)) {
      read_operator(reader, *kind);
    } else {
      reader.fail(fmt::format("'{}' is neither tensor, variable, input, output, region nor an operator of TOSA 1.0", word));
    }
  }

  void begin_region(LineReader& reader) {
    const std::string name = reader.name();
    if (find_region(main_, name) != nullptr) reader.fail(fmt::format("region '{}' is there twice", name));
    graph_ = &main_.regions.emplace_back(Region{name, {}, {}}).graph;
    ids_.clear();
  }

  void read_variable(LineReader& reader) {
    if (graph_ != &main_) reader.fail("variables belong to the main graph, found one in a region");
    const TensorInfo info = read_info(reader);
    if (find_variable(main_, info.name)) reader.fail(fmt::format("variable '{}' is declared twice", info.name));
    main_.variables.push_back({info.name, info.type, info.shape, info.constant});
  }

  void read_tensor(LineReader& reader) {
    TensorInfo tensor = read_info(reader);
    const auto id = static_cast<TensorId>(graph_->tensors.size());
    if (!ids_.try_emplace(tensor.name, id).second) reader.fail(fmt::format("tensor '{}' is declared twice", tensor.name));
    graph_->tensors.push_back(std::move(tensor));
  }

  /// NAME TYPE[DIM, ...], with a value where there is one.
  static TensorInfo read_info(LineReader& reader) {
    TensorInfo tensor;
    tensor.name = reader.name();
    tensor.type = read_type(reader);
    tensor.shape = reader.integers();
    if (reader.accept("=")) {
      const auto size = checked_size_bytes(tensor.type, tensor.shape);
      const size_t num_digits = reader.num_hex_digits();
      if (!size || static_cast<uint64_t>(*size) != num_digits / 2 || num_digits % 2 != 0) {
        reader.fail(fmt::format("the constant's {} digits do not fill {}{}", num_digits, base::to_string(tensor.type),
                                base::to_string(tensor.shape)));
      }
      base::Tensor value(tensor.type, tensor.shape);
      reader.hex(value.bytes());
      for (int64_t i = 0; i < value.size(); ++i) {
        const int64_t element = value.at(i);
        value.set(i, element);
        if (value.at(i) != element) reader.fail(fmt::format("element {} is no {}", i, base::to_string(tensor.type)));
      }
      tensor.constant = std::make_shared<const base::Tensor>(std::move(value));
    }
    return tensor;
  }

  TensorId read_reference(LineReader& reader) {
    const std::string name = reader.name();
    const auto it = ids_.find(name);
    if (it == ids_.end()) reader.fail(fmt::format("tensor '{}' is not declared", name));
    return it->second;
  }

  std::vector<TensorId> read_references(LineReader& reader) {
    std::vector<TensorId> ids;
    reader.expect("(");
    if (reader.accept(")")) return ids;
    do {
      ids.push_back(read_reference(reader));
    } while (reader.accept(","));
    reader.expect(")");
    return ids;
  }

  void read_operator(LineReader& reader, OpKind kind) {
    Operator op;
    op.kind = kind;
    op.attributes = default_attributes(kind);
    op.inputs = read_references(reader);
    reader.expect("->");
    op.outputs = read_references(reader);
    if (op.outputs.empty()) reader.fail("an operator needs a result");
    if (op.attributes.index() != 0) {
      reader.expect("{");
      bool is_first = true;
      visit_attributes(op.attributes, [&](std::string_view name, auto& value) {
        if (!is_first) reader.expect(",");
        is_first = false;
        reader.expect(name);
        reader.expect("=");
        read_value(reader, value);
      });
      reader.expect("}");
    }
    if (reader.accept("@")) op.location = reader.quoted();
    graph_->operators.push_back(std::move(op));
  }

  Graph main_;
  Graph* graph_ = &main_;  // or its last region
  std::map<std::string, TensorId> ids_;
};

}  // namespace

Graph parse(const std::string& file, const std::string& text) { return Parser().run(file, text); }

}  // namespace vernier::ir
