/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of the NPU: one device, which has two jobs at once at most, one that runs and one that starts when the first is
   done. It knows the NPU's registers and nothing else of the machine.

   A job: vernier_invoke_async(), then vernier_wait(), which tells the ends in the order of the jobs. The program may call
   vernier_handle_interrupt() when the NPU's interrupt arrives, which it takes inside vernier_sleep() only: the other
   functions do not stand it in their middle. After a fault, a watchdog or vernier_cancel() the driver
   resets the NPU, and the next job runs. No dynamic memory, no globals. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define VERNIER_OK 0
#define VERNIER_RUNNING 1      /* the job has not ended; or the device has two jobs */
#define VERNIER_ERROR (-1)     /* refused, or the machine stopped at a fault: vernier_end */
#define VERNIER_TIMED_OUT (-2) /* the watchdog fired: no command ended for as long as the job allowed */

#define VERNIER_MOST_JOBS 2U

/* A part of a memory that a job may use. */
struct vernier_region {
  uint32_t base;            /* first byte in the memory: a multiple of 8 x N bytes in SRAM, of 4,096 in external memory */
  uint32_t num_bytes;       /* UINT32_MAX: to the end of the memory */
  uint32_t read_only_bytes; /* at its start */
};

/* A stream of commands, as the registers have it. */
struct vernier_stream {
  uint32_t address; /* byte of the first command, in its region */
  uint32_t space;   /* 0: SRAM; 1: external memory */
  uint32_t num_bytes;
  uint32_t watchdog_cycles; /* 0: none */
  struct vernier_region sram, external;
  uint32_t job; /* a number for who looks at the machine */
};

/* How a job ended. */
struct vernier_end {
  int result;             /* VERNIER_OK, VERNIER_ERROR or VERNIER_TIMED_OUT */
  uint32_t fault_code;    /* as the register; of VERNIER_ERROR */
  uint32_t stream_offset; /* byte in the stream of the command at fault */
  uint64_t cycles;        /* from its start to its end */
};

struct vernier_npu {
  uintptr_t base;             /* of the registers */
  volatile uint32_t num_jobs; /* given to the device, and not ended */
  volatile uint32_t num_ends; /* that vernier_wait() has not told */
  uint32_t oldest_end;        /* where it stands in `ends`; the one after it follows, around the end */
  struct vernier_end ends[VERNIER_MOST_JOBS];
};

/* Resets the NPU and enables its interrupts. VERNIER_ERROR where no NPU answers at `base`. */
int vernier_init(struct vernier_npu* npu, uintptr_t base);

/* Starts the stream, or has it start when the one that runs is done. VERNIER_RUNNING where the device has two jobs or ends
   that were not told, VERNIER_ERROR where the stream is none; then nothing has changed. */
int vernier_invoke_async(struct vernier_npu* npu, const struct vernier_stream* stream);

/* Tells the end of the oldest job, which stays until the next vernier_invoke_async(). Null where it has not
   ended; with `is_blocking` it sleeps until it has. Null without a job. */
const struct vernier_end* vernier_wait(struct vernier_npu* npu, bool is_blocking);

/* Commands of the stream that ended last, or of the one that runs, that have ended. */
uint32_t vernier_num_commands(const struct vernier_npu* npu);

/* Ends the oldest job, which runs, and starts the one that waits. VERNIER_ERROR where it has ended: then vernier_wait()
   tells its end, now or after the next interrupt. */
int vernier_cancel(struct vernier_npu* npu);

/* To be called when the NPU's interrupt is pending; clears it. */
void vernier_handle_interrupt(struct vernier_npu* npu);

/* Weak: does nothing, so that vernier_wait() polls. A program replaces it by one that sleeps until an interrupt was handled.
 */
void vernier_sleep(void);
