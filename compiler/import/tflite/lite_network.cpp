// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/lite_network.hpp"

#include "hw/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <utility>

namespace vernier::import::lite {

namespace {

constexpr uint32_t kMaxDepth = 16, kMaxTables = 10'000'000;
constexpr size_t kMostMistakes = 100;

int64_t bits_of(tflite::TensorType type) {
  switch (type) {
    case tflite::TensorType::INT4: return 4;
    case tflite::TensorType::INT8:
    case tflite::TensorType::UINT8:
    case tflite::TensorType::BOOL: return 8;
    case tflite::TensorType::INT16:
    case tflite::TensorType::UINT16:
    case tflite::TensorType::FLOAT16: return 16;
    case tflite::TensorType::INT32:
    case tflite::TensorType::UINT32:
    case tflite::TensorType::FLOAT32: return 32;
    case tflite::TensorType::INT64:
    case tflite::TensorType::UINT64:
    case tflite::TensorType::FLOAT64: return 64;
    default: return 0;
  }
}

template <typename Vector>
std::vector<int32_t> indices_of(const Vector* vector) {
  return vector == nullptr ? std::vector<int32_t>() : std::vector<int32_t>(vector->begin(), vector->end());
}

class Reader {
 public:
  Reader(std::string file, std::span<const std::byte> bytes) : file_(std::move(file)), bytes_(bytes) {}

  LiteFileRead read() {
    check_frame();
    const tflite::Model& model = *tflite::GetModel(bytes_.data());
    if (model.version() != 3) fail("version {} of the format, allowed is 3", model.version());
    if (model.subgraphs() == nullptr || model.subgraphs()->size() == 0) fail("the file has no subgraph, needed is one");
    LiteFile file;
    for (const tflite::SubGraph* graph : *model.subgraphs()) {
      network_ = {};
      names_.clear();
      copies_.clear();
      read_graph(model, *graph);
      if (number_ == 0 && network_.outputs.empty()) add("the network has no output");
      file.push_back(std::move(network_));
      ++number_;
    }
    return {std::move(file), std::move(mistakes_)};
  }

 private:
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw base::UserError(file_, format, std::forward<Args>(args)...);
  }
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    if (mistakes_.size() >= kMostMistakes) return;
    const std::string text = fmt::format(format, std::forward<Args>(args)...);
    mistakes_.emplace_back(
        base::UserError(file_, "{}{}", number_ == 0 ? "" : fmt::format("subgraph {}: ", number_), text).what());
  }

  void read_graph(const tflite::Model& model, const tflite::SubGraph& graph) {
    const uint32_t num_tensors = graph.tensors() == nullptr ? 0 : graph.tensors()->size();
    for (uint32_t i = 0; i < num_tensors; ++i) network_.tensors.push_back(tensor_of(model, *graph.tensors()->Get(i), i));
    const uint32_t num_operators = graph.operators() == nullptr ? 0 : graph.operators()->size();
    for (uint32_t i = 0; i < num_operators; ++i)
      network_.operators.push_back(operator_of(model, *graph.operators()->Get(i), i));
    network_.inputs = indices_of(graph.inputs());
    network_.outputs = indices_of(graph.outputs());
    check_indices(network_.inputs, "the network's inputs", false);
    check_indices(network_.outputs, "the network's outputs", false);
  }

  void check_frame() const {
    if (bytes_.size() < 8) fail("{} bytes are too few for a TensorFlow Lite flatbuffer", bytes_.size());
    if (bytes_.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) fail("{} bytes, a flatbuffer has less than 2^31", bytes_.size());
    if (!tflite::ModelBufferHasIdentifier(bytes_.data()))
      fail("not a TensorFlow Lite flatbuffer: its bytes 4 to 7 are not 'TFL3'");
    flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(bytes_.data()), bytes_.size(), kMaxDepth, kMaxTables);
    if (!tflite::VerifyModelBuffer(verifier))
      fail("a damaged or truncated TensorFlow Lite flatbuffer ({} bytes)", bytes_.size());
  }

  LiteTensor tensor_of(const tflite::Model& model, const tflite::Tensor& source, uint32_t number) {
    LiteTensor tensor;
    tensor.name = own_name(source.name() == nullptr || source.name()->size() == 0 ? fmt::format("tensor_{}", number)
                                                                                  : source.name()->str());
    tensor.type = source.type();
    int64_t size = 1;
    for (const int32_t dimension : indices_of(source.shape())) {
      if (dimension < 1 || size > kMostElements / dimension) {
        add("tensor {} '{}' has a dimension of {}, allowed are 1 and more and 2^31 elements in all", number, tensor.name,
            dimension);
        return tensor;
      }
      size *= dimension;
      tensor.shape.push_back(dimension);
    }
    const std::vector<int32_t> signature = indices_of(source.shape_signature());
    if (signature.size() == tensor.shape.size()) tensor.signature.assign(signature.begin(), signature.end());
    if (source.external_buffer() != 0)
      add("tensor {} '{}' lies in another file, as external buffer {}, which is not read", number, tensor.name,
          source.external_buffer());
    if (source.sparsity() != nullptr) add("tensor {} '{}' is sparse, allowed are dense tensors", number, tensor.name);
    tensor.is_variable = source.is_variable();
    const bool is_unsigned = tensor.type == tflite::TensorType::UINT8;
    read_quantization(tensor, source.quantization(), number);
    read_data(tensor, model, source.buffer(), number, size);
    if (tensor.is_variable && tensor.is_constant)
      add("tensor {} '{}' is a variable and has data, allowed is one of the two", number, tensor.name);
    if (is_unsigned) make_signed(tensor, source.buffer(), number);
    return tensor;
  }

  /// 0 becomes -128, 255 becomes 127.
  void make_signed(LiteTensor& tensor, uint32_t buffer, uint32_t number) {
    constexpr int64_t kHalf = 128;
    tensor.is_unsigned = true;
    tensor.type = tflite::TensorType::INT8;
    for (int64_t& zero_point : tensor.zero_points) {
      if (zero_point < 0 || zero_point >= 2 * kHalf)
        return add("tensor {} '{}' has a zero point of {}, which is no UINT8", number, tensor.name, zero_point);
      zero_point -= kHalf;
    }
    if (!tensor.is_constant) return;
    std::shared_ptr<const std::vector<std::byte>>& data = signed_data_[buffer];
    if (data == nullptr) {
      std::vector<std::byte> bytes;
      for (const std::byte byte : tensor.data) bytes.push_back(byte ^ std::byte{kHalf});
      data = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    }
    tensor.own_data = data;
    tensor.data = *data;
  }

  /// Names are those of the file; a second tensor of one gets a number.
  std::string own_name(const std::string& name) {
    std::string own = name;
    for (int& copy = copies_[name]; !names_.insert(own).second;) own = fmt::format("{}_{}", name, ++copy + 1);
    return own;
  }

  void read_quantization(LiteTensor& tensor, const tflite::QuantizationParameters* source, uint32_t number) {
    if (source == nullptr || source->scale() == nullptr || source->scale()->size() == 0) return;
    tensor.scales.assign(source->scale()->begin(), source->scale()->end());
    if (const auto* zero_points = source->zero_point(); zero_points != nullptr && zero_points->size() > 0) {
      // Copied as bytes: the verifier does not look at where a vector begins, which may be no multiple of 8.
      tensor.zero_points.resize(zero_points->size());
      std::memcpy(tensor.zero_points.data(), zero_points->Data(), sizeof(int64_t) * zero_points->size());
    }
    if (tensor.zero_points.empty()) tensor.zero_points.assign(tensor.scales.size(), 0);
    tensor.axis = source->quantized_dimension();
    if (tensor.zero_points.size() != tensor.scales.size())
      add("tensor {} '{}' has {} scales and {} zero points, expected as many", number, tensor.name, tensor.scales.size(),
          tensor.zero_points.size());
    for (const float scale : tensor.scales) {
      if (std::isfinite(scale) && scale > 0) continue;
      add("tensor {} '{}' has a scale of {}, allowed are finite numbers above 0", number, tensor.name, scale);
      break;
    }
    const std::optional<base::ElementType> type = element_type_of(tensor.type);
    for (const int64_t zero_point : tensor.zero_points) {
      if (!type || (zero_point >= base::min_value(*type) && zero_point <= base::max_value(*type))) continue;
      add("tensor {} '{}' has a zero point of {}, which is no {}", number, tensor.name, zero_point, to_string(tensor.type));
      break;
    }
    if (tensor.scales.size() == 1) return;
    const bool has_axis = tensor.axis >= 0 && tensor.axis < std::ssize(tensor.shape);
    // Biases of one dimension may name any: they have one.
    if (!has_axis && tensor.shape.size() == 1)
      tensor.axis = 0;
    else if (!has_axis)
      return add("tensor {} '{}' has scales along dimension {} of {}", number, tensor.name, tensor.axis,
                 base::to_string(tensor.shape));
    if (tensor.shape[static_cast<size_t>(tensor.axis)] != std::ssize(tensor.scales))
      add("tensor {} '{}' {} has {} scales along dimension {}, expected as many", number, tensor.name,
          base::to_string(tensor.shape), tensor.scales.size(), tensor.axis);
  }

  void read_data(LiteTensor& tensor, const tflite::Model& model, uint32_t buffer, uint32_t number, int64_t size) {
    if (buffer == 0) return;  // by the format's rule the empty one
    if (model.buffers() == nullptr || buffer >= model.buffers()->size())
      return add("tensor {} '{}' is in buffer {}, the file has {}", number, tensor.name, buffer,
                 model.buffers() == nullptr ? 0 : model.buffers()->size());
    const tflite::Buffer& source = *model.buffers()->Get(buffer);
    std::span<const std::byte> data;
    if (source.offset() > 1) {  // the data lie after the flatbuffer
      if (source.offset() > bytes_.size() || source.size() > bytes_.size() - source.offset())
        return add("tensor {} '{}' has {} bytes at {}, the file ends at {}", number, tensor.name, source.size(),
                   source.offset(), bytes_.size());
      data = bytes_.subspan(source.offset(), source.size());
    } else if (source.data() != nullptr) {
      data = {reinterpret_cast<const std::byte*>(source.data()->data()), source.data()->size()};
    }
    if (data.empty()) return;
    const int64_t bits = bits_of(tensor.type), found = std::ssize(data);
    if (bits > 0 && found != (size * bits + 7) / 8)
      return add("tensor {} '{}' {} of {} has {} bytes, expected {}", number, tensor.name, base::to_string(tensor.shape),
                 to_string(tensor.type), found, (size * bits + 7) / 8);
    tensor.data = data;
    tensor.is_constant = true;
  }

  LiteOperator operator_of(const tflite::Model& model, const tflite::Operator& source, uint32_t number) {
    LiteOperator op{number, {}, {}, &source, indices_of(source.inputs()), indices_of(source.outputs())};
    const auto* codes = model.operator_codes();
    if (codes == nullptr || source.opcode_index() >= codes->size()) {
      add("operator {} has code {}, the file has {}", number, source.opcode_index(), codes == nullptr ? 0 : codes->size());
      op.inputs.clear();  // which nobody has checked
      op.outputs.clear();
      return op;
    }
    const tflite::OperatorCode& code = *codes->Get(source.opcode_index());
    // Files from before 2020 have the number in a byte.
    op.code = std::max(code.builtin_code(), static_cast<tflite::BuiltinOperator>(code.deprecated_builtin_code()));
    const char* name = tflite::EnumNameBuiltinOperator(op.code);
    op.kind = *name == 0 ? fmt::format("operator code {}", static_cast<int32_t>(op.code)) : name;
    if (op.code == tflite::BuiltinOperator::CUSTOM && code.custom_code() != nullptr)
      op.kind = fmt::format("CUSTOM {}", code.custom_code()->str());
    const std::string where = fmt::format("operator {} {}", number, op.kind);
    check_indices(op.inputs, where, true);
    // What these two do is in variables.
    const bool has_none =
        op.code == tflite::BuiltinOperator::CALL_ONCE || op.code == tflite::BuiltinOperator::ASSIGN_VARIABLE;
    if (op.outputs.empty() && !has_none) add("{} has no output", where);
    check_indices(op.outputs, where, false);
    op.intermediates = indices_of(source.intermediates());
    check_indices(op.intermediates, where, false);
    return op;
  }

  /// Indices that stand for nothing are told and dropped.
  void check_indices(std::vector<int32_t>& indices, const std::string& where, bool may_be_left_out) {
    const auto is_none = [&](int32_t index) {
      return index < (may_be_left_out ? -1 : 0) || index >= std::ssize(network_.tensors);
    };
    for (const int32_t index : indices) {
      if (is_none(index)) add("{}: tensor {} is none of the {} of the file", where, index, network_.tensors.size());
    }
    indices.erase(std::remove_if(indices.begin(), indices.end(), is_none), indices.end());
  }

  std::string file_;
  std::span<const std::byte> bytes_;
  LiteNetwork network_;
  int64_t number_ = 0;  // of the subgraph
  std::set<std::string> names_;
  std::map<std::string, int> copies_;                                              // of a name
  std::map<uint32_t, std::shared_ptr<const std::vector<std::byte>>> signed_data_;  // by buffer
  std::vector<std::string> mistakes_;
};

}  // namespace

std::string to_string(tflite::TensorType type) {
  const char* name = tflite::EnumNameTensorType(type);
  return *name == 0 ? fmt::format("type {}", static_cast<int32_t>(type)) : name;
}

std::string type_in_file(const LiteTensor& tensor) { return tensor.is_unsigned ? "UINT8" : to_string(tensor.type); }

std::optional<base::ElementType> element_type_of(tflite::TensorType type) {
  switch (type) {
    case tflite::TensorType::INT4: return base::ElementType::Int4;
    case tflite::TensorType::INT8: return base::ElementType::Int8;
    case tflite::TensorType::INT16: return base::ElementType::Int16;
    case tflite::TensorType::INT32: return base::ElementType::Int32;
    case tflite::TensorType::BOOL: return base::ElementType::Bool;
    default: return std::nullopt;
  }
}

std::string others_of(const LiteFile& file) {
  if (file.size() < 2) return "the file has no other subgraph";
  return file.size() == 2 ? "the file has 1" : fmt::format("the file has 1 to {}", file.size() - 1);
}

LiteFileRead read_file(const std::string& file, std::span<const std::byte> bytes) { return Reader(file, bytes).read(); }

}  // namespace vernier::import::lite
