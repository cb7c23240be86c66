/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses to a made-up NPU in the place of those of the control CPU: tests/firmware/driver_test.c. */
#pragma once

#include <stdint.h>

uint32_t load_word(uintptr_t address);
void store_word(uintptr_t address, uint32_t value);
