// SPDX-License-Identifier: Apache-2.0
// What all MAC commands have in common, whatever operator they work for: accumulators and epilogue of a chain, the channels'
// parameters, the lane split, the limits of the fields.
#pragma once

#include "compiler/cost/dilation_phases.hpp"
#include "compiler/passes/mac_chain.hpp"

namespace vernier::passes {

/// Width of the accumulators, zero points and types of operands 0 and 1 (zero points are operands `zero_points` and the one
/// behind it), and the chain's RESCALE, CLAMPs, TABLE and residual.
void set_numbers(const Lowering& lowering, const MacChain& chain, size_t zero_points, spec::MacCommand& command);

/// The type in which the command of a convolution reads its weights. Only weights that are computed may have 16 bits.
void set_weight_type(const Lowering& lowering, const ir::Operator& op, spec::MacCommand& command);

/// The command's fields are narrower than TOSA's dimensions: UserError.
void check_limits(const Lowering& lowering, const ir::Operator& op, const spec::MacCommand& command);

/// Where lanes would idle, neighbouring pixels may use them (cost/mac_choice.hpp). The command's maps are those that it will
/// have; `choices` gets what there was.
void choose_lane_split(const Lowering& lowering, spec::MacCommand& command, std::vector<cost::Alternatives>& choices);

/// What a phase writes of an image of the chain's result.
Production production_of(const cost::OutputPhase& phase, ir::TensorId result, int64_t image);

/// Parameters of the command's channels, one bias for all where it has one element (-1, none: 0). Channels beyond the
/// operator's are these again. A computed one is copied in.
BufferId add_parameters(Lowering& lowering, const MacChain& chain, const spec::MacCommand& command, ir::TensorId bias);
/// A buffer of constants, named after the tensor that they come from.
BufferId add_constants(Lowering& lowering, BufferKind kind, ir::TensorId source, std::vector<std::byte> contents);

}  // namespace vernier::passes
