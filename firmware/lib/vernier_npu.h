/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of the NPU: one device, one job at a time. It knows the NPU's registers and nothing else of the machine.

   A job: vernier_invoke_async(), then vernier_wait(). The program calls vernier_handle_interrupt() when the NPU's interrupt
   arrives. No dynamic memory, no globals. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define VERNIER_OK 0
#define VERNIER_RUNNING 1      /* the job has not ended */
#define VERNIER_ERROR (-1)     /* refused, or the machine stopped at a fault: vernier_error */
#define VERNIER_TIMED_OUT (-2) /* the watchdog fired: no command ended for as long as the job allowed */

struct vernier_npu {
  uintptr_t base;               /* of the registers */
  volatile uint32_t interrupts; /* bits of IRQ_STATUS that have arrived since the job began */
  bool is_running;              /* from vernier_invoke_async() until vernier_wait() has told the end */
};

/* Where a stream of commands lies, as the registers have it. */
struct vernier_stream {
  uint32_t address; /* byte offset in its memory */
  uint32_t space;   /* 0: SRAM; 1: external memory */
  uint32_t num_bytes;
  uint32_t watchdog_cycles; /* 0: none */
};

/* Why a job did not end well. */
struct vernier_error {
  uint32_t fault_code;    /* as the register */
  uint32_t stream_offset; /* byte in the stream of the command at fault */
};

/* Resets the NPU and enables its interrupts. VERNIER_ERROR where no NPU answers at `base`. */
int vernier_init(struct vernier_npu* npu, uintptr_t base);

/* Starts the stream. VERNIER_RUNNING where a job is running, VERNIER_ERROR where the stream is none; then nothing starts. */
int vernier_invoke_async(struct vernier_npu* npu, const struct vernier_stream* stream);

/* VERNIER_OK, VERNIER_ERROR or VERNIER_TIMED_OUT when the job has ended. Else VERNIER_RUNNING, or with `is_blocking` sleeps
   until it has. VERNIER_ERROR without a job. */
int vernier_wait(struct vernier_npu* npu, bool is_blocking);

/* To be called when the NPU's interrupt is pending; clears it. */
void vernier_handle_interrupt(struct vernier_npu* npu);

/* What stopped the job that ended last, and the cycles that it took. */
struct vernier_error vernier_last_error(const struct vernier_npu* npu);
uint64_t vernier_last_cycles(const struct vernier_npu* npu);

/* Weak: does nothing, so that vernier_wait() polls. A program replaces it by one that sleeps until an interrupt was handled.
 */
void vernier_sleep(void);
