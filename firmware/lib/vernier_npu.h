/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of the NPU: one device, which has two jobs at once at most, one that runs and one that starts when the first is
   done. It knows the NPU's registers and nothing else of the machine. A verb that gets a null pointer does nothing, and
   returns VERNIER_ERROR where it has a result; only `end` of vernier_wait() may be null.

   A job: vernier_invoke_async(), then vernier_wait(), which tells the ends in the order of the jobs. After a fault, a
   watchdog or vernier_cancel() the driver resets the NPU, and the next job runs. No dynamic memory, no globals. What differs
   from system to system is in hooks, below. docs/guides/driver-port.md says how to take it elsewhere. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define VERNIER_OK 0
#define VERNIER_RUNNING 1      /* no job has ended; or the device has two jobs */
#define VERNIER_ERROR (-1)     /* refused, or the machine stopped at a fault: vernier_end */
#define VERNIER_TIMED_OUT (-2) /* the watchdog fired: no command ended for as long as the job allowed */

#define VERNIER_MOST_JOBS 2U
#define VERNIER_FOREVER UINT32_MAX

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
  uint32_t fault_access;  /* where the access at fault begins, as the register FAULT_ACCESS has it */
  uint32_t job;           /* of vernier_stream */
  uint64_t cycles;        /* from its start to its end */
};

struct vernier_hw_info {
  uint32_t id;
  uint32_t lanes; /* N: multipliers are N x N, a word of SRAM has N bytes */
  uint32_t sram_bytes;
};

struct vernier_npu {
  uintptr_t base; /* of the registers */
  uint32_t num_power_requests;
  volatile uint32_t num_jobs; /* given to the device, and not ended */
  volatile uint32_t num_ends; /* that vernier_wait() has not told */
  uint32_t oldest_end;        /* where it stands in `ends`; the one after it follows, around the end */
  struct vernier_end ends[VERNIER_MOST_JOBS];
  uint32_t oldest_job;              /* the same of the jobs that have not ended */
  uint32_t jobs[VERNIER_MOST_JOBS]; /* numbers of vernier_stream */
};

/* Resets the NPU, enables its interrupts, and requests its power. VERNIER_ERROR where no NPU answers at `base`. */
int vernier_init(struct vernier_npu* npu, uintptr_t base);

/* Ends what runs and what waits; all jobs and ends are forgotten. */
void vernier_soft_reset(struct vernier_npu* npu);

/* The NPU keeps its power until each request was released. After the power was off the NPU is reset. A release while jobs
   have not ended, or without a request, is VERNIER_ERROR. */
void vernier_request_power(struct vernier_npu* npu);
int vernier_release_power(struct vernier_npu* npu);

/* What the NPU says of itself. VERNIER_ERROR where its power is off. */
int vernier_get_hw_info(const struct vernier_npu* npu, struct vernier_hw_info* info);

/* Starts the stream, or has it start when the one that runs is done. VERNIER_RUNNING where the device has two jobs or ends
   that were not told, VERNIER_ERROR where the stream does not lie in its region or the power is off; then nothing has
   changed. */
int vernier_invoke_async(struct vernier_npu* npu, const struct vernier_stream* stream);

/* Waits until a job ends, for so many cycles at most: 0 does not wait, VERNIER_FOREVER is without an end. The time is
   counted by the NPU, so that it needs no timer: cycles in which a stream runs. Returns the result of the oldest job that
   has ended, and its end in `end` where that is not null; VERNIER_RUNNING where none has. */
int vernier_wait(struct vernier_npu* npu, uint32_t most_cycles, struct vernier_end* end);

/* Commands of the stream that ended last, or of the one that runs, that have ended. */
uint32_t vernier_num_commands(const struct vernier_npu* npu);

/* Ends the oldest job, which runs, and starts the one that waits. VERNIER_ERROR where it has ended: then vernier_wait()
   tells its end, now or after the next interrupt. */
int vernier_cancel(struct vernier_npu* npu);

/* To be called when the NPU's interrupt is pending; clears it. */
void vernier_handle_interrupt(struct vernier_npu* npu);

/* Hooks. All are weak; the defaults are for one thread without caches, which polls. */

/* Between them nobody else calls the driver for this device, and the NPU's interrupt is not handled. Not nested. */
void vernier_lock(struct vernier_npu* npu);
void vernier_unlock(struct vernier_npu* npu);

/* Sleeps until vernier_wake(), for `most_cycles` at most, or comes back at once: the driver looks again. A semaphore in a
   system that has them. vernier_wake() is called by vernier_handle_interrupt(). */
void vernier_sleep(struct vernier_npu* npu, uint32_t most_cycles);
void vernier_wake(struct vernier_npu* npu);

/* What the CPU has written and the NPU will read leaves the cache; what the NPU has written is no more in it. `stream` is a
   job's, before it starts; the second one comes before an end is told, for all that jobs write. */
void vernier_clean_cache(const struct vernier_stream* stream);
void vernier_invalidate_cache(void);

/* A job was given to the device, and has ended; one that was cancelled with VERNIER_TIMED_OUT. */
void vernier_inference_begin(uint32_t job);
void vernier_inference_end(uint32_t job, int result);

void vernier_set_power(struct vernier_npu* npu, bool is_on);
