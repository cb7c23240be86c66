/* SPDX-License-Identifier: Apache-2.0 */
/* The control CPU in C: accesses to devices and memories, and interrupts. */
#pragma once

#include <stdint.h>

static inline uint32_t load_word(uintptr_t address) { return *(const volatile uint32_t*)address; }
static inline uint8_t load_byte(uintptr_t address) { return *(const volatile uint8_t*)address; }
static inline void store_word(uintptr_t address, uint32_t value) { *(volatile uint32_t*)address = value; }

/* Which interrupts wake the CPU and can be taken: bits of mie. */
static inline void cpu_enable_interrupts(uint32_t mie_bits) { __asm__ volatile("csrw mie, %0" : : "r"(mie_bits)); }

/* Sleeps until an interrupt of mie is pending, and takes those that are. Outside of this function interrupts are off, so
   that what is looked at before a call cannot change between the look and the sleep. */
static inline void cpu_sleep(void) { __asm__ volatile("wfi\n\tcsrsi mstatus, 8\n\tcsrci mstatus, 8" : : : "memory"); }
