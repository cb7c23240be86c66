// SPDX-License-Identifier: Apache-2.0
// Operands of the vector unit in rows, as those of the array (array_operands.hpp). A row is what one vector has in all of
// its lanes.
#pragma once

#include "sim/cosim/stimulus/vector_vectors.hpp"

namespace vernier::cosim {

/// Whether an operation may take an element of that type as it was loaded.
bool takes_operand(spec::VectorOp op, base::ElementType type);

/// Rows of the job's class in place of the bytes that a stream reads.
void draw_operand_rows(DrawnWork& job, size_t stream, Random& random);

/// A command that loads elements of that type and class and takes them as they are with `op`.
DrawnWork draw_operands_of(spec::VectorOp op, base::ElementType type, OperandClass operands, const spec::Datapath& datapath,
                           const kernels::TableMemory& tables, Random& random);

}  // namespace vernier::cosim
