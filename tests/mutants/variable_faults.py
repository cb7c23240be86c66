# SPDX-License-Identifier: Apache-2.0
"""Faults of the mutants' table: variables, from the file to what a job leaves."""

IMPORT, REFERENCE, FLOW, PACKAGE = ("test_compiler_import",), ("test_compiler_reference",), ("test_sim_flow",), ("test_hw_package",)

VARIABLE_FAULTS = (
    ("reads and writes may change places", "compiler/import/tosa/sort_operators.cpp", "  if (has_variables) {\n", "  if (false) {\n", IMPORT),
    ("a variable needs no name", "compiler/import/tosa/tosa_variables.cpp", "|| tensor.variable_name()->size() == 0", "|| false", IMPORT),
    ("blocks may have other first values", "compiler/import/tosa/tosa_variables.cpp", "*before->initial != *variable.initial", "false", IMPORT),
    ("the first value is not written", "compiler/export/tosa_file.cpp", "if (variable.initial) data =", "if (false) data =", IMPORT),
    ("a write of the reference is lost", "compiler/reference/interpreter.cpp", "{variable(op) = *operands[0]}", "{*operands[0]}", REFERENCE),
    ("variables of the reference begin with zeros", "compiler/reference/interpreter.cpp", "variable.initial ? *variable.initial : base::Tensor(",
     "base::Tensor(", REFERENCE),
    ("a read sees the value of before", "compiler/passes/variables.cpp", "    scope.current[variable] = id;\n", "", FLOW),
    ("a job leaves no variable", "compiler/passes/variables.cpp", "    scope.is_written[variable] = true;\n", "", FLOW),
    ("a body hands on what is written alone", "compiler/passes/variables.cpp", "gives_all ? is_used_[i]", "gives_all ? is_written_[i]", FLOW),
    ("a condition keeps what it writes", "compiler/passes/variables.cpp", "role == RegionRole::Condition && writes", "false", FLOW),
    ("the package begins with zeros", "compiler/emit/compile.cpp", "      if (from.initial) variable.value = *from.initial;\n", "", FLOW),
    ("a place of another shape", "hw/package/package_check.cpp", " && tensor.shape == variable.value.shape()", "", PACKAGE),
    ("a job begins without variables", "sim/soc/npu.cpp", "  write_variables(job.memory, package);\n", "", FLOW),
    ("jobs of a device begin anew", "sim/soc/device_steps.cpp", "variables[i].value = result->variables[i];", "(void)variables[i];", FLOW),
    ("the second job does not wait for the first's state", "sim/soc/device_steps.cpp",
     "if (other.request.network == job.request.network) take_variables(other);", "(void)other;", FLOW),
    ("iterations begin anew", "sim/flow/run/simulation.cpp", "        set_variables(job_.variables);\n", "", FLOW),
    ("what is left is not compared", "sim/flow/run/to_checker.cpp", "after_idx >= 0) checker.add_expected(", "after_idx >= 99) checker.add_expected(",
     FLOW),
)
