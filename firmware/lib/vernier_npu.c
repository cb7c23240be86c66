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

__attribute__((weak)) void vernier_sleep(void) {}

int vernier_init(struct vernier_npu* npu, uintptr_t base) {
  npu->base = base;
  npu->num_jobs = 0;
  npu->num_ends = 0;
  npu->oldest_end = 0;
  if (read_register(npu, VERNIER_NPU_ID) != VERNIER_NPU_ID_VALUE) return VERNIER_ERROR;
  write_register(npu, VERNIER_NPU_CONTROL, CONTROL_RESET);
  write_register(npu, VERNIER_NPU_IRQ_STATUS, IRQ_ALL);
  write_register(npu, VERNIER_NPU_IRQ_ENABLE, IRQ_ALL);
  return VERNIER_OK;
}

int vernier_invoke_async(struct vernier_npu* npu, const struct vernier_stream* stream) {
  if (npu->num_jobs + npu->num_ends >= VERNIER_MOST_JOBS) return VERNIER_RUNNING;
  if (stream->num_bytes == 0 || stream->space > 1) return VERNIER_ERROR;
  write_register(npu, VERNIER_NPU_STREAM_ADDRESS, stream->address);
  write_register(npu, VERNIER_NPU_STREAM_SPACE, stream->space);
  write_register(npu, VERNIER_NPU_STREAM_BYTES, stream->num_bytes);
  write_register(npu, VERNIER_NPU_WATCHDOG_CYCLES, stream->watchdog_cycles);
  write_register(npu, VERNIER_NPU_SRAM_BASE, stream->sram.base);
  write_register(npu, VERNIER_NPU_SRAM_BYTES, stream->sram.num_bytes);
  write_register(npu, VERNIER_NPU_SRAM_READ_ONLY_BYTES, stream->sram.read_only_bytes);
  write_register(npu, VERNIER_NPU_EXTERNAL_BASE, stream->external.base);
  write_register(npu, VERNIER_NPU_EXTERNAL_BYTES, stream->external.num_bytes);
  write_register(npu, VERNIER_NPU_EXTERNAL_READ_ONLY_BYTES, stream->external.read_only_bytes);
  write_register(npu, VERNIER_NPU_JOB, stream->job);
  write_register(npu, VERNIER_NPU_CONTROL, CONTROL_COMMIT);
  ++npu->num_jobs;
  return VERNIER_OK;
}

const struct vernier_end* vernier_wait(struct vernier_npu* npu, bool is_blocking) {
  while (npu->num_ends == 0) {
    if (npu->num_jobs == 0 || !is_blocking) return 0;
    vernier_sleep();
    vernier_handle_interrupt(npu);
  }
  const struct vernier_end* const oldest = &npu->ends[npu->oldest_end];
  npu->oldest_end ^= 1U;
  --npu->num_ends;
  return oldest;
}

uint32_t vernier_num_commands(const struct vernier_npu* npu) { return read_register(npu, VERNIER_NPU_PMU_COMMANDS); }

static void read_end(const struct vernier_npu* npu, uint32_t arrived, struct vernier_end* end) {
  const uint32_t low = read_register(npu, VERNIER_NPU_ENDED_CYCLES_LOW);
  end->cycles = ((uint64_t)read_register(npu, VERNIER_NPU_ENDED_CYCLES_HIGH) << 32) | low;
  end->result = VERNIER_OK;
  if ((arrived & IRQ_WATCHDOG) != 0) {
    end->result = VERNIER_TIMED_OUT;
  } else if ((arrived & IRQ_FAULT) != 0) {
    end->result = VERNIER_ERROR;
    end->fault_code = read_register(npu, VERNIER_NPU_FAULT_CODE);
    end->stream_offset = read_register(npu, VERNIER_NPU_FAULT_ADDRESS);
  }
}

/* Clears what has arrived. An interrupt that nobody waits for does no more. */
static uint32_t note_end(struct vernier_npu* npu) {
  const uint32_t arrived = read_register(npu, VERNIER_NPU_IRQ_STATUS);
  if (arrived != 0 && npu->num_jobs > 0 && npu->num_ends < VERNIER_MOST_JOBS) {
    read_end(npu, arrived, &npu->ends[(npu->oldest_end + npu->num_ends) & 1U]);
    ++npu->num_ends;
    --npu->num_jobs;
  }
  write_register(npu, VERNIER_NPU_IRQ_STATUS, arrived);
  return arrived;
}

/* The registers still hold the job that waited: the NPU has dropped it, or the reset has. */
static void recover(struct vernier_npu* npu) {
  write_register(npu, VERNIER_NPU_CONTROL, CONTROL_RESET);
  if (npu->num_jobs > 0) write_register(npu, VERNIER_NPU_CONTROL, CONTROL_COMMIT);
}

/* Between the look at IRQ_STATUS and the reset the job may end by itself: then that is how it ended. */
int vernier_cancel(struct vernier_npu* npu) {
  if (npu->num_jobs == 0 || npu->num_ends > 0 || read_register(npu, VERNIER_NPU_IRQ_STATUS) != 0) return VERNIER_ERROR;
  write_register(npu, VERNIER_NPU_CONTROL, CONTROL_RESET);
  const bool has_ended = note_end(npu) != 0;
  if (!has_ended) --npu->num_jobs;
  recover(npu);
  return has_ended ? VERNIER_ERROR : VERNIER_OK;
}

void vernier_handle_interrupt(struct vernier_npu* npu) {
  const uint32_t arrived = note_end(npu);
  if (arrived != 0 && arrived != IRQ_DONE) recover(npu);
}
