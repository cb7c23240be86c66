/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/lib/vernier_npu.h"

#include "firmware/boot/cpu.h"
#include "firmware/gen/vernier_system.h"

#define CONTROL_RESET 2U
#define CONTROL_COMMIT 4U
#define IRQ_DONE 1U
#define IRQ_FAULT 2U
#define IRQ_WATCHDOG 4U
#define IRQ_ALL (IRQ_DONE | IRQ_FAULT | IRQ_WATCHDOG)

static uint32_t read_register(const struct vernier_npu* npu, uintptr_t offset) { return load_word(npu->base + offset); }
static void write_register(const struct vernier_npu* npu, uintptr_t offset, uint32_t value) {
  store_word(npu->base + offset, value);
}

__attribute__((weak)) void vernier_lock(struct vernier_npu* npu) { (void)npu; }
__attribute__((weak)) void vernier_unlock(struct vernier_npu* npu) { (void)npu; }
__attribute__((weak)) void vernier_sleep(struct vernier_npu* npu, uint32_t most_cycles) { (void)npu, (void)most_cycles; }
__attribute__((weak)) void vernier_wake(struct vernier_npu* npu) { (void)npu; }
__attribute__((weak)) void vernier_clean_cache(const struct vernier_stream* stream) { (void)stream; }
__attribute__((weak)) void vernier_invalidate_cache(void) {}
__attribute__((weak)) void vernier_inference_begin(uint32_t job) { (void)job; }
__attribute__((weak)) void vernier_inference_end(uint32_t job, int result) { (void)job, (void)result; }
__attribute__((weak)) void vernier_set_power(struct vernier_npu* npu, bool is_on) { (void)npu, (void)is_on; }

int vernier_init(struct vernier_npu* npu, uintptr_t base) {
  if (npu == 0) return VERNIER_ERROR;
  npu->base = base;
  npu->num_power_requests = 0;
  vernier_set_power(npu, true);
  if (read_register(npu, VERNIER_NPU_ID) != VERNIER_NPU_ID_VALUE) return VERNIER_ERROR;
  npu->num_power_requests = 1;
  vernier_soft_reset(npu);
  return VERNIER_OK;
}

void vernier_soft_reset(struct vernier_npu* npu) {
  if (npu == 0) return;
  vernier_lock(npu);
  npu->num_jobs = 0;
  npu->num_ends = 0;
  npu->oldest_end = 0;
  npu->oldest_job = 0;
  write_register(npu, VERNIER_NPU_CONTROL, CONTROL_RESET);
  write_register(npu, VERNIER_NPU_IRQ_STATUS, IRQ_ALL);
  write_register(npu, VERNIER_NPU_IRQ_ENABLE, IRQ_ALL);
  vernier_unlock(npu);
}

void vernier_request_power(struct vernier_npu* npu) {
  if (npu == 0) return;
  vernier_lock(npu);
  const bool was_off = npu->num_power_requests++ == 0;
  if (was_off) vernier_set_power(npu, true);
  vernier_unlock(npu);
  if (was_off) vernier_soft_reset(npu);
}

int vernier_release_power(struct vernier_npu* npu) {
  if (npu == 0) return VERNIER_ERROR;
  vernier_lock(npu);
  const bool is_refused = npu->num_power_requests == 0 || (npu->num_power_requests == 1 && npu->num_jobs > 0);
  if (!is_refused && --npu->num_power_requests == 0) vernier_set_power(npu, false);
  vernier_unlock(npu);
  return is_refused ? VERNIER_ERROR : VERNIER_OK;
}

int vernier_get_hw_info(const struct vernier_npu* npu, struct vernier_hw_info* info) {
  if (npu == 0 || info == 0 || npu->num_power_requests == 0) return VERNIER_ERROR;
  info->id = read_register(npu, VERNIER_NPU_ID);
  info->lanes = read_register(npu, VERNIER_NPU_LANES);
  info->sram_bytes = read_register(npu, VERNIER_NPU_SRAM_SIZE);
  return VERNIER_OK;
}

static void write_region(const struct vernier_npu* npu, uintptr_t offset, const struct vernier_region* region) {
  write_register(npu, offset, region->base);
  write_register(npu, offset + 4, region->num_bytes);
  write_register(npu, offset + 8, region->read_only_bytes);
}

static void commit(struct vernier_npu* npu, const struct vernier_stream* stream) {
  vernier_clean_cache(stream);
  vernier_inference_begin(stream->job);
  write_register(npu, VERNIER_NPU_STREAM_ADDRESS, stream->address);
  write_register(npu, VERNIER_NPU_STREAM_SPACE, stream->space);
  write_register(npu, VERNIER_NPU_STREAM_BYTES, stream->num_bytes);
  write_register(npu, VERNIER_NPU_WATCHDOG_CYCLES, stream->watchdog_cycles);
  write_region(npu, VERNIER_NPU_SRAM_BASE, &stream->sram);
  write_region(npu, VERNIER_NPU_EXTERNAL_BASE, &stream->external);
  write_register(npu, VERNIER_NPU_JOB, stream->job);
  write_register(npu, VERNIER_NPU_CONTROL, CONTROL_COMMIT);
  npu->jobs[(npu->oldest_job + npu->num_jobs) & 1U] = stream->job;
  ++npu->num_jobs;
}

/* Some bytes, all of them in the stream's region. The NPU looks at each command's accesses, and the driver at none. */
static bool is_in_region(const struct vernier_stream* stream) {
  if (stream->num_bytes == 0 || stream->space > 1) return false;
  const uint32_t region_bytes = stream->space == 0 ? stream->sram.num_bytes : stream->external.num_bytes;
  return stream->num_bytes <= region_bytes && stream->address <= region_bytes - stream->num_bytes;
}

int vernier_invoke_async(struct vernier_npu* npu, const struct vernier_stream* stream) {
  if (npu == 0 || stream == 0 || !is_in_region(stream)) return VERNIER_ERROR;
  int result = VERNIER_OK;
  vernier_lock(npu);
  if (npu->num_power_requests == 0) {
    result = VERNIER_ERROR;
  } else if (npu->num_jobs + npu->num_ends >= VERNIER_MOST_JOBS) {
    result = VERNIER_RUNNING;
  } else {
    commit(npu, stream);
  }
  vernier_unlock(npu);
  return result;
}

uint32_t vernier_num_commands(const struct vernier_npu* npu) {
  return npu == 0 ? 0 : read_register(npu, VERNIER_NPU_PMU_COMMANDS);
}

/* The oldest job has ended: its number. */
static uint32_t take_job(struct vernier_npu* npu) {
  const uint32_t job = npu->jobs[npu->oldest_job];
  npu->oldest_job ^= 1U;
  --npu->num_jobs;
  return job;
}

static void read_end(struct vernier_npu* npu, uint32_t arrived, struct vernier_end* end) {
  const uint32_t low = read_register(npu, VERNIER_NPU_ENDED_CYCLES_LOW);
  end->cycles = ((uint64_t)read_register(npu, VERNIER_NPU_ENDED_CYCLES_HIGH) << 32) | low;
  end->job = take_job(npu);
  end->result = VERNIER_OK;
  if ((arrived & IRQ_WATCHDOG) != 0) {
    end->result = VERNIER_TIMED_OUT;
  } else if ((arrived & IRQ_FAULT) != 0) {
    end->result = VERNIER_ERROR;
    end->fault_code = read_register(npu, VERNIER_NPU_FAULT_CODE);
    end->stream_offset = read_register(npu, VERNIER_NPU_FAULT_ADDRESS);
    end->fault_access = read_register(npu, VERNIER_NPU_FAULT_ACCESS);
  }
}

/* Clears what has arrived. An interrupt that nobody waits for does no more. */
static uint32_t note_end(struct vernier_npu* npu) {
  const uint32_t arrived = read_register(npu, VERNIER_NPU_IRQ_STATUS);
  if (arrived != 0 && npu->num_jobs > 0 && npu->num_ends < VERNIER_MOST_JOBS) {
    read_end(npu, arrived, &npu->ends[(npu->oldest_end + npu->num_ends) & 1U]);
    ++npu->num_ends;
  }
  write_register(npu, VERNIER_NPU_IRQ_STATUS, arrived);
  return arrived;
}

/* The registers still hold the job that waited: the NPU has dropped it, or the reset has. */
static void recover(struct vernier_npu* npu) {
  write_register(npu, VERNIER_NPU_CONTROL, CONTROL_RESET);
  if (npu->num_jobs > 0) write_register(npu, VERNIER_NPU_CONTROL, CONTROL_COMMIT);
}

void vernier_handle_interrupt(struct vernier_npu* npu) {
  if (npu == 0) return;
  const uint32_t arrived = note_end(npu);
  if (arrived != 0 && arrived != IRQ_DONE) recover(npu);
  if (arrived != 0) vernier_wake(npu);
}

/* The end of the oldest job that has ended, which is forgotten here. False where none has. */
static bool take_end(struct vernier_npu* npu, struct vernier_end* end) {
  if (npu->num_ends == 0) return false;
  *end = npu->ends[npu->oldest_end];
  npu->oldest_end ^= 1U;
  --npu->num_ends;
  return true;
}

/* How long vernier_wait() goes on. */
struct patience {
  uint32_t cycles_left; /* VERNIER_FOREVER: no end */
  uint32_t last_cycle;  /* of the stream that ran at the last look */
};

/* A stream counts its cycles from 0 on: where they are fewer than at the last look, the next one runs, and what the one
   before it ran after that look is not counted. */
static void lose_patience(const struct vernier_npu* npu, struct patience* patience) {
  if (patience->cycles_left == VERNIER_FOREVER) return;
  const uint32_t cycle = read_register(npu, VERNIER_NPU_PMU_CYCLES_LOW);
  const uint32_t passed = cycle >= patience->last_cycle ? cycle - patience->last_cycle : cycle;
  patience->cycles_left = passed < patience->cycles_left ? patience->cycles_left - passed : 0;
  patience->last_cycle = cycle;
}

/* Nothing has ended: waits a while. False where there is nothing to wait for, or the time is over. */
static bool wait_on(struct vernier_npu* npu, struct patience* patience) {
  if (patience->cycles_left == 0 || npu->num_jobs == 0) return false;
  vernier_sleep(npu, patience->cycles_left);
  vernier_lock(npu);
  vernier_handle_interrupt(npu);
  vernier_unlock(npu);
  lose_patience(npu, patience);
  return true;
}

int vernier_wait(struct vernier_npu* npu, uint32_t most_cycles, struct vernier_end* end) {
  if (npu == 0) return VERNIER_ERROR;
  struct patience patience = {most_cycles, 0};
  const bool has_time = most_cycles != 0 && most_cycles != VERNIER_FOREVER && npu->num_jobs > 0;
  if (has_time) patience.last_cycle = read_register(npu, VERNIER_NPU_PMU_CYCLES_LOW);
  struct vernier_end taken;
  for (;;) {
    vernier_lock(npu);
    const bool is_taken = take_end(npu, &taken);
    vernier_unlock(npu);
    if (is_taken) break;
    if (!wait_on(npu, &patience)) return VERNIER_RUNNING;
  }
  vernier_invalidate_cache();
  vernier_inference_end(taken.job, taken.result);
  if (end != 0) *end = taken;
  return taken.result;
}

/* Between the look at IRQ_STATUS and the reset the job may end by itself: then that is how it ended. One whose interrupt was
   lost has ended before. */
static int cancel(struct vernier_npu* npu, uint32_t* job) {
  if (npu->num_jobs == 0 || npu->num_ends > 0) return VERNIER_ERROR;
  if (read_register(npu, VERNIER_NPU_IRQ_STATUS) != 0) {
    vernier_handle_interrupt(npu);
    return VERNIER_ERROR;
  }
  write_register(npu, VERNIER_NPU_CONTROL, CONTROL_RESET);
  const bool has_ended = note_end(npu) != 0;
  if (!has_ended) *job = take_job(npu);
  recover(npu);
  return has_ended ? VERNIER_ERROR : VERNIER_OK;
}

int vernier_cancel(struct vernier_npu* npu) {
  if (npu == 0) return VERNIER_ERROR;
  uint32_t job = 0;
  vernier_lock(npu);
  const int result = cancel(npu, &job);
  vernier_unlock(npu);
  if (result == VERNIER_OK) vernier_inference_end(job, VERNIER_TIMED_OUT);
  return result;
}
