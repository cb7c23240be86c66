// SPDX-License-Identifier: Apache-2.0
// Commands for npu_vector_unit with the memory that they read, drawn at random.
#pragma once

#include "hw/spec/command.hpp"
#include "hw/spec/machine.hpp"
#include "sim/cosim/stimulus/array_operands.hpp"
#include "sim/cosim/stimulus/random.hpp"
#include "sim/kernels/kernels.hpp"

#include <cstdint>

namespace vernier::cosim {

/// The schedule gives registers in ascending order, so that the last ones would be rare: those that do not turn move on by
/// any number, round the end of the file.
void move_registers(spec::VectorCommand& command, int64_t by);

/// Both slots filled, in formats of their own.
kernels::TableMemory draw_vector_tables(Random& random);

/// One of a few programs that random ones hardly ever are, with operands of its own.
DrawnWork draw_directed_job(const spec::Datapath& datapath, const kernels::TableMemory& tables, Random& random);

/// Now and then a directed job; else a legal command of up to 24 steps of all kinds, whose stores write no byte twice. Most
/// schedules are those of spec::schedule(), some start steps later.
DrawnWork draw_vector_job(const spec::Datapath& datapath, const kernels::TableMemory& tables, Random& random);

// Operands in rows, as those of the array (array_operands.hpp). A row is what one vector has in all of its lanes.

/// Whether an operation may take an element of that type as it was loaded.
bool takes_operand(spec::VectorOp op, base::ElementType type);

/// Rows of the job's class in place of the bytes that a stream reads.
void draw_operand_rows(Work& job, OperandClass operands, size_t stream, Random& random);

/// A command that loads elements of that type and class and takes them as they are with `op`.
DrawnWork draw_operands_of(spec::VectorOp op, base::ElementType type, OperandClass operands, const spec::Datapath& datapath,
                           const kernels::TableMemory& tables, Random& random);

}  // namespace vernier::cosim
