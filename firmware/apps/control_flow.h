/* SPDX-License-Identifier: Apache-2.0 */
/* A job with control flow: a table of steps in memory says which stream follows which. The format of the table is in
   docs/reference/machine.md. The device has no other job while one with steps runs, so that nothing of it is overwritten
   between two of its streams.

   flow_begin(), then flow_go_on() for each stream that is done, until one of them tells the outcome of the job. */
#pragma once

#include "firmware/lib/vernier_npu.h"

#include <stdint.h>

/* So many of the first steps are kept from when they are read: external memory takes about a hundred cycles a word. */
#define FLOW_KNOWN_STEPS 64U

struct flow {
  struct vernier_stream stream; /* the stream that runs; its regions, watchdog and number are those of the job */
  uintptr_t table;              /* address of step 0 */
  uint32_t num_steps;
  uint32_t step;                         /* that runs, or that the job ended at */
  uint32_t most_commands;                /* no stream starts once so many have ended; 0: no limit */
  uint32_t num_commands;                 /* that have ended */
  uint64_t cycles;                       /* of the streams that have ended */
  uint32_t stop_outcome;                 /* no stream starts any more, and this is the outcome where one would; 0: they do */
  uint32_t known[FLOW_KNOWN_STEPS / 32]; /* a bit each: that step of the table has been read */
};

/* Starts the first stream. `job` is the job's stream, which is the table; num_steps and most_commands are set. Returns 0, or
   the outcome of a job that runs no stream. */
uint32_t flow_begin(struct flow* flow, struct vernier_npu* npu, const struct vernier_stream* job);

/* Takes the end of a stream, before anything else is started. */
void flow_take_end(struct flow* flow, const struct vernier_npu* npu, uint64_t cycles);

/* After a stream that is done: starts the next one and returns 0, or returns the outcome of the job. */
uint32_t flow_go_on(struct flow* flow, struct vernier_npu* npu);
