/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/apps/control_flow.h"

#include "firmware/boot/cpu.h"
#include "firmware/gen/vernier_system.h"

/* Where so many bytes at a place of a table are for the CPU. False: they do not lie in the job's region. */
static bool find(const struct vernier_stream* job, uint32_t place, uint32_t num_bytes, uintptr_t* address) {
  const bool is_external = (place & VERNIER_STEP_EXTERNAL) != 0;
  const struct vernier_region* const region = is_external ? &job->external : &job->sram;
  const uint32_t offset = place & ~VERNIER_STEP_EXTERNAL;
  if (num_bytes > region->num_bytes || offset > region->num_bytes - num_bytes) return false;
  *address = (is_external ? VERNIER_EXTERNAL_BASE : VERNIER_SRAM_BASE) + region->base + offset;
  return true;
}

/* Steps that were read. Not zeroed at boot, which would take longer than the rest of the boot. */
static uint32_t rows[FLOW_KNOWN_STEPS][2] __attribute__((section(".noinit")));

/* Both words of a step. */
static const uint32_t* read_row(struct flow* flow, uint32_t step, uint32_t further[2]) {
  const uintptr_t row = flow->table + step * VERNIER_STEP_BYTES;
  const bool is_kept = step < FLOW_KNOWN_STEPS;
  if (is_kept && (flow->known[step / 32] >> (step % 32) & 1) != 0) return rows[step];
  uint32_t* const words = is_kept ? rows[step] : further;
  words[0] = load_word(row);
  words[1] = load_word(row + 4);
  if (is_kept) flow->known[step / 32] |= 1U << (step % 32);
  return words;
}

static uint32_t run(struct flow* flow, struct vernier_npu* npu, uint32_t num_bytes, uint32_t place) {
  if (flow->stop_outcome != 0) return flow->stop_outcome;
  if (flow->most_commands != 0 && flow->num_commands >= flow->most_commands) return VERNIER_OUTCOME_LIMIT_REACHED;
  flow->stream.num_bytes = num_bytes;
  flow->stream.space = place >> 31;
  flow->stream.address = place & ~VERNIER_STEP_EXTERNAL;
  return vernier_invoke_async(npu, &flow->stream) == VERNIER_OK ? 0 : VERNIER_OUTCOME_REFUSED;
}

/* From flow->step on to the next stream. Nothing changes a byte between two streams: who has seen as many steps as there
   are, and no stream, goes around for ever. */
static uint32_t start_next(struct flow* flow, struct vernier_npu* npu) {
  for (uint32_t n = 0; n <= flow->num_steps; ++n) {
    if (flow->step == flow->num_steps) return VERNIER_OUTCOME_DONE;
    if (flow->step > flow->num_steps) return VERNIER_OUTCOME_REFUSED;
    uint32_t further[2];
    const uint32_t* const row = read_row(flow, flow->step, further);
    const uint32_t target = row[0] >> VERNIER_STEP_TARGET_SHIFT;
    switch (row[0] & VERNIER_STEP_KIND_MASK) {
      case VERNIER_STEP_RUN: return run(flow, npu, row[0] - VERNIER_STEP_RUN, row[1]);
      case VERNIER_STEP_JUMP: flow->step = target; break;
      case VERNIER_STEP_BRANCH_IF_ZERO: {
        uintptr_t condition = 0;
        if (!find(&flow->stream, row[1], 1, &condition)) return VERNIER_OUTCOME_REFUSED;
        flow->step = load_byte(condition) == 0 ? target : flow->step + 1;
        break;
      }
      default: return VERNIER_OUTCOME_REFUSED;
    }
  }
  return VERNIER_OUTCOME_REFUSED;
}

uint32_t flow_begin(struct flow* flow, struct vernier_npu* npu, const struct vernier_stream* job) {
  flow->stream = *job;
  flow->step = 0;
  flow->num_commands = 0;
  flow->stop_outcome = 0;
  for (uint32_t i = 0; i < FLOW_KNOWN_STEPS / 32; ++i) flow->known[i] = 0;
  flow->cycles = 0;
  if (flow->num_steps > UINT32_MAX / VERNIER_STEP_BYTES) return VERNIER_OUTCOME_REFUSED;
  const uint32_t place = job->address | (job->space != 0 ? VERNIER_STEP_EXTERNAL : 0);
  if (!find(job, place, flow->num_steps * VERNIER_STEP_BYTES, &flow->table)) return VERNIER_OUTCOME_REFUSED;
  return start_next(flow, npu);
}

void flow_take_end(struct flow* flow, const struct vernier_npu* npu, uint64_t cycles) {
  flow->cycles += cycles;
  flow->num_commands += vernier_num_commands(npu);
}

uint32_t flow_go_on(struct flow* flow, struct vernier_npu* npu) {
  ++flow->step;
  return start_next(flow, npu);
}
