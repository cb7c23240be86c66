// SPDX-License-Identifier: Apache-2.0
#include "compiler/export/aimet/losses.hpp"

#include "hw/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace vernier::export_aimet {
namespace {

using namespace import::aimet;

/// The type of stored codes in the words of 2.0.0.
std::string code_type(const Encoding& encoding) {
  return fmt::format("{}int{}", encoding.is_signed ? "" : "u", encoding.bits);
}

/// Why this version has no entry for the tensor; nothing where it has.
std::optional<std::string> why_left_out(const Encoding& encoding, Version version) {
  if (encoding.dtype == DataType::Float) {
    if (version == Version::V040)
      return fmt::format("dtype float ({} bits), which this version does not have", encoding.bits);
    if (version == Version::V200)
      return fmt::format("dtype float ({} bits), for which this version has no entry", encoding.bits);
    return std::nullopt;
  }
  const bool is_late = version == Version::V100 || version == Version::V200;
  if (is_late && encoding.channels.empty()) return "the number of bits without a scale, which this version does not have";
  if (!is_late && encoding.bits < 4) return fmt::format("{} bits, this version has 4 to 32", encoding.bits);
  constexpr std::array<int, 5> kOnnxBits{2, 4, 8, 16, 32};
  if (version == Version::V200 && std::find(kOnnxBits.begin(), kOnnxBits.end(), encoding.bits) == kOnnxBits.end())
    return fmt::format("{} bits, this version has 2, 4, 8, 16 and 32", encoding.bits);
  return std::nullopt;
}

/// Why a tensor of 2.0.0 is taken as a parameter; nothing for an activation.
std::optional<std::string> why_parameter(const Encoding& encoding) {
  if (encoding.is_per_channel()) return "it is per channel";
  if (encoding.bits > 16) return fmt::format("it has {} bits, as a bias", encoding.bits);
  if (encoding.is_signed) return fmt::format("it is {}, and AIMET writes activations as uint", code_type(encoding));
  const size_t mark = encoding.name.find_last_of("./:");
  const std::string_view last = std::string_view(encoding.name).substr(mark == std::string::npos ? 0 : mark + 1);
  if (last == "weight" || last == "bias" || last == "kernel") return fmt::format("its name ends in {}", last);
  return std::nullopt;
}

class Fitting {
 public:
  Fitting(Version from, Version to, WrittenEncodings& written) : from_(from), to_(to), written_(written) {}

  void take(Encoding encoding, Encodings& result) {
    if (const auto why = why_left_out(encoding, to_)) {
      lose(encoding, "is left out: it has " + *why);
      return;
    }
    to_ == Version::V200 ? say_in_onnx_terms(encoding) : say_in_sections(encoding);
    result.tensors.push_back(std::move(encoding));
  }

  void take_remark(const std::pair<std::string, std::string>& remark, Encodings& result) {
    const bool is_early = to_ == Version::V040 || to_ == Version::V050;
    if (is_early || (to_ == Version::V200 && remark.first != "producer")) {
      written_.lost.push_back(remark.first + " (it decides nothing)");
    } else {
      result.remarks.push_back(remark);
    }
  }

  void finish() {
    if (num_parameters_ > 0 && to_ == Version::V200 && from_ != Version::V200)
      written_.lost.push_back(fmt::format("which tensors are parameters: {} of {}", num_parameters_, num_tensors_));
    if (num_activations_assumed_ > 0)
      written_.assumed.push_back(fmt::format("{}, of which 2.0.0 says nothing: an activation",
                                             base::counted(num_activations_assumed_, "other tensor")));
  }

 private:
  void lose(const Encoding& encoding, std::string_view what) {
    written_.lost.push_back(fmt::format("tensor {}: {}", encoding.name, what));
  }
  void assume(const Encoding& encoding, std::string_view what) {
    written_.assumed.push_back(fmt::format("tensor {}: {}", encoding.name, what));
  }

  void say_in_onnx_terms(Encoding& encoding) {
    ++num_tensors_;
    if (encoding.role == Role::Parameter) ++num_parameters_;
    encoding.role = Role::Unsaid;
    if (encoding.is_per_channel() && !encoding.axis) {
      assume(encoding, "axis is 0 (of the weights of ConvTranspose and MatMul it is 1)");
      encoding.axis = 0;
    }
    if (!encoding.is_symmetric) return;
    const auto has = [&](Symmetry kind) {
      return std::any_of(encoding.channels.begin(), encoding.channels.end(),
                         [&](const Grid& grid) { return symmetry_of(encoding, grid) == kind; });
    };
    const std::string type = code_type(encoding);
    if (has(Symmetry::StrictSymmetric))
      lose(encoding, fmt::format("that it is strict symmetric: as {} it has one code more, {}", type,
                                 (num_codes(encoding.bits) - 1) - (encoding.is_signed ? num_codes(encoding.bits) / 2 : 0)));
    else if (has(Symmetry::UnsignedSymmetric))
      lose(encoding, fmt::format("that it is unsigned symmetric; its codes stay, as {} with zero point 0", type));
    else if (!encoding.is_signed)
      lose(encoding, fmt::format("that it is symmetric; its codes stay, as {} with zero point {}", type,
                                 num_codes(encoding.bits) / 2));
  }

  void say_in_sections(Encoding& encoding) {
    if (encoding.axis) lose(encoding, fmt::format("axis {}; this version means the output channels", *encoding.axis));
    encoding.axis.reset();
    if (encoding.role != Role::Unsaid) return;
    const std::optional<std::string> why = why_parameter(encoding);
    encoding.role = why ? Role::Parameter : Role::Activation;
    if (why) assume(encoding, "is a parameter: " + *why);
    if (!why) ++num_activations_assumed_;
    if (encoding.is_signed && !encoding.is_symmetric)
      lose(encoding, fmt::format("that codes are stored as {}; the grid stays", code_type(encoding)));
  }

  Version from_, to_;
  WrittenEncodings& written_;
  int64_t num_tensors_ = 0, num_parameters_ = 0, num_activations_assumed_ = 0;
};

}  // namespace

Encodings fitted(const Encodings& encodings, Version version, WrittenEncodings& written) {
  Encodings result;
  result.version = version;
  Fitting fitting(encodings.version, version, written);
  for (const Encoding& encoding : encodings.tensors) fitting.take(encoding, result);
  for (const auto& remark : encodings.remarks) fitting.take_remark(remark, result);
  fitting.finish();
  return result;
}

}  // namespace vernier::export_aimet
