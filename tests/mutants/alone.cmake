# SPDX-License-Identifier: Apache-2.0
# CMAKE_PROJECT_vernier_INCLUDE of a build for drawn faults: the sources of VERNIER_ALONE, the targets that get the faults, compile
# one by one, so that a fault recompiles its own file and not a batch.
cmake_language(DEFER CALL set_target_properties ${VERNIER_ALONE} PROPERTIES UNITY_BUILD OFF)
