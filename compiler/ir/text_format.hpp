// SPDX-License-Identifier: Apache-2.0
// The attributes of each operator as a list of named fields, shared by printer and parser, so that the printed form is
// written down once. Internal to compiler/ir.
//
// The printed form, one line each, blank lines and lines that begin with '#' ignored:
//   vernier-ir 1
//   tensor NAME TYPE[DIM, ...]                     in the order of Graph::tensors
//   tensor NAME TYPE[DIM, ...] = 0xHEX             a constant: the elements' bytes, row-major, little-endian, as stored
//   variable NAME TYPE[DIM, ...]                   of the main graph; with "= 0xHEX" where the file gives its first value
//   input NAME ...                                 graph inputs; "output NAME ..." likewise
//   OPERATOR(NAME, ...) -> (NAME, ...) {FIELD = VALUE, ...} @ "LOCATION"      braces and location only where not empty
//   region NAME                                    what follows belongs to it; the main graph stands before all regions
// A NAME of letters, digits and "_./:" stands by itself, any other in double quotes with \", \\ and \xHH for bytes
// outside printable ASCII.
#pragma once

#include "compiler/ir/graph.hpp"

#include <string>
#include <string_view>

namespace vernier::ir {

/// Calls visit(name, reference) for each field of the alternative that `attributes` holds.
template <typename Variant, typename Visitor>
void visit_attributes(Variant& attributes, const Visitor& visit) {
  std::visit(
      [&visit](auto& a) {
        using T = std::remove_cvref_t<decltype(a)>;
        if constexpr (std::is_same_v<T, ConvAttributes>) {
          visit("pad", a.pad), visit("stride", a.stride), visit("dilation", a.dilation), visit("acc_type", a.acc_type);
        } else if constexpr (std::is_same_v<T, TransposeConvAttributes>) {
          visit("out_pad", a.out_pad), visit("stride", a.stride), visit("acc_type", a.acc_type);
        } else if constexpr (std::is_same_v<T, PoolAttributes>) {
          visit("kernel", a.kernel), visit("stride", a.stride), visit("pad", a.pad), visit("acc_type", a.acc_type);
        } else if constexpr (std::is_same_v<T, ClampAttributes>) {
          visit("min_val", a.min), visit("max_val", a.max);
        } else if constexpr (std::is_same_v<T, AxisAttributes>) {
          visit("axis", a.axis);
        } else if constexpr (std::is_same_v<T, RescaleAttributes>) {
          visit("scale32", a.scale32), visit("rounding", a.rounding), visit("per_channel", a.per_channel);
          visit("input_unsigned", a.input_unsigned), visit("output_unsigned", a.output_unsigned);
        } else if constexpr (std::is_same_v<T, ShiftAttributes>) {
          visit("round", a.round);
        } else if constexpr (std::is_same_v<T, TransposeAttributes>) {
          visit("perms", a.perms);
        } else if constexpr (std::is_same_v<T, ResizeAttributes>) {
          visit("bilinear", a.bilinear);
        } else if constexpr (std::is_same_v<T, CondIfAttributes>) {
          visit("then_graph", a.then_graph), visit("else_graph", a.else_graph);
        } else if constexpr (std::is_same_v<T, WhileLoopAttributes>) {
          visit("cond_graph", a.cond_graph), visit("body_graph", a.body_graph);
        } else if constexpr (std::is_same_v<T, VariableAttributes>) {
          visit("variable", a.variable);
        }
      },
      attributes);
}

/// A default-made alternative for the operator, std::monostate where it has none.
Attributes default_attributes(OpKind kind);

/// The words for rounding, in the order of spec::Rounding.
inline constexpr std::string_view kRoundingNames[] = {"single", "double", "inexact", "half_even"};

/// Whether a name may stand without quotes.
bool is_bare_name(std::string_view name);
bool is_bare_character(char character);

}  // namespace vernier::ir
