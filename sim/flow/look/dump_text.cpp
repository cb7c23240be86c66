// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/look/dump_text.hpp"

#include "hw/base/element_type.hpp"
#include "hw/base/npy.hpp"
#include "hw/base/text.hpp"
#include "sim/flow/model/boundary_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace vernier::flow {
namespace {

using base::with_thousands;

std::string origin_of(const DumpedTensor& tensor) {
  if (tensor.last_command_idx < 0) return tensor.what == "variable" ? "as the job finds it" : "an input";
  const std::string commands =
      tensor.first_command_idx == tensor.last_command_idx
          ? fmt::format("of command {}, which", tensor.last_command_idx)
          : fmt::format("of commands {} to {}, the last", tensor.first_command_idx, tensor.last_command_idx);
  return fmt::format("{} ended in cycle {}", commands, with_thousands(tensor.last_cycle));
}

/// A line a row after the heading; `front` makes what stands before a row, `element` an element.
template <typename Front, typename Element>
std::string rows(std::string text, const DumpedTensor& tensor, const Front& front, const Element& element) {
  const base::Tensor& values = tensor.values;
  const auto shown = [&](int64_t i) {
    return tensor.codes ? package::source_code(values.at(i), *tensor.codes, values.type()) : values.at(i);
  };
  const int64_t row = values.rank() == 0 ? 1 : values.shape().back();
  const auto out = std::back_inserter(text);
  for (int64_t begin = 0; begin < values.size(); begin += row) {
    base::Shape coordinates = base::coordinates_of(values.shape(), begin);
    if (!coordinates.empty()) coordinates.pop_back();
    text += front(coordinates);
    for (int64_t i = begin; i < begin + row; ++i) fmt::format_to(out, "{}{}", i == begin ? "" : " ", element(shown(i)));
    text += "\n";
  }
  return text;
}

constexpr int64_t kBytesOfLine = 16;

std::string lines(std::string text, const SramDump& dump, std::string_view front, std::string_view unwritten) {
  const auto out = std::back_inserter(text);
  const auto size = static_cast<int64_t>(dump.bytes.size());
  for (int64_t begin = 0; begin < size; begin += kBytesOfLine) {
    text += fmt::format(fmt::runtime(front), dump.from_bytes + begin);
    for (int64_t i = begin; i < std::min(begin + kBytesOfLine, size); ++i) {
      const auto at = static_cast<size_t>(i);
      if (dump.is_written[at]) {
        fmt::format_to(out, " {:02x}", static_cast<unsigned>(dump.bytes[at]));
      } else {
        fmt::format_to(out, " {}", unwritten);
      }
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string heading_of(const DumpedTensor& tensor) {
  const std::string unwritten =
      tensor.unwritten_elems == 0
          ? ""
          : fmt::format("; {} of {} elements are of no command, and stand as 0", with_thousands(tensor.unwritten_elems),
                        with_thousands(tensor.values.size()));
  const std::string type =
      tensor.codes ? codes_dtype(*tensor.codes, tensor.values.type()) : std::string(base::to_string(tensor.values.type()));
  return fmt::format("{} {} {} {}, {}{}{}{}", tensor.what, base::printable(tensor.name), type,
                     base::to_string(tensor.values.shape()), origin_of(tensor), unwritten, tensor.note.empty() ? "" : "; ",
                     tensor.note);
}

std::string heading_of(const SramDump& dump, int64_t cycle) {
  const auto size = static_cast<int64_t>(dump.bytes.size());
  const auto unwritten = std::count(dump.is_written.begin(), dump.is_written.end(), false);
  return fmt::format(
      "SRAM 0x{:x} to 0x{:x} at the end of cycle {}{}", dump.from_bytes, dump.from_bytes + size, with_thousands(cycle),
      unwritten == 0 ? ""
                     : fmt::format("; nobody has written {} of {} bytes", with_thousands(unwritten), with_thousands(size)));
}

std::string to_text(const DumpedTensor& tensor) {
  return rows(
      fmt::format("# {}\n", heading_of(tensor)), tensor,
      [](const base::Shape& coordinates) { return coordinates.empty() ? "" : base::to_string(coordinates) + " "; },
      [](int64_t value) { return value; });
}

std::string to_hex(const DumpedTensor& tensor) {
  const int64_t bytes = base::stored_bytes(tensor.values.type());
  const uint64_t mask = bytes == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * bytes)) - 1;
  return rows(
      fmt::format("// {}\n", heading_of(tensor)), tensor, [](const base::Shape&) { return ""; },
      [&](int64_t value) { return fmt::format("{:0{}x}", static_cast<uint64_t>(value) & mask, 2 * bytes); });
}

base::NpyArray to_array(const DumpedTensor& tensor) {
  return tensor.codes ? codes_of(tensor.values, *tensor.codes) : base::to_array(tensor.values);
}

std::string to_npy(const DumpedTensor& tensor) { return base::to_npy(to_array(tensor)); }

std::string to_text(const SramDump& dump, int64_t cycle) {
  return lines(fmt::format("# {}\n", heading_of(dump, cycle)), dump, "0x{:06x}", "--");
}

std::string to_hex(const SramDump& dump, int64_t cycle) {
  return lines(fmt::format("// {}\n", heading_of(dump, cycle)), dump, "@{:x}", "xx");
}

}  // namespace vernier::flow
