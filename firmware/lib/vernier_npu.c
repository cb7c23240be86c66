/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/lib/vernier_npu.h"

#include "firmware/boot/cpu.h"
#include "firmware/gen/vernier_system.h"

#define CONTROL_START 1U
#define CONTROL_RESET 2U
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
  npu->interrupts = 0;
  npu->is_running = false;
  if (read_register(npu, VERNIER_NPU_ID) != VERNIER_NPU_ID_VALUE) return VERNIER_ERROR;
  write_register(npu, VERNIER_NPU_CONTROL, CONTROL_RESET);
  write_register(npu, VERNIER_NPU_IRQ_STATUS, IRQ_ALL);
  write_register(npu, VERNIER_NPU_IRQ_ENABLE, IRQ_ALL);
  return VERNIER_OK;
}

int vernier_invoke_async(struct vernier_npu* npu, const struct vernier_stream* stream) {
  if (npu->is_running) return VERNIER_RUNNING;
  if (stream->num_bytes == 0 || stream->space > 1) return VERNIER_ERROR;
  npu->interrupts = 0;
  npu->is_running = true;
  write_register(npu, VERNIER_NPU_STREAM_ADDRESS, stream->address);
  write_register(npu, VERNIER_NPU_STREAM_SPACE, stream->space);
  write_register(npu, VERNIER_NPU_STREAM_BYTES, stream->num_bytes);
  write_register(npu, VERNIER_NPU_WATCHDOG_CYCLES, stream->watchdog_cycles);
  write_register(npu, VERNIER_NPU_CONTROL, CONTROL_START);
  return VERNIER_OK;
}

int vernier_wait(struct vernier_npu* npu, bool is_blocking) {
  if (!npu->is_running) return VERNIER_ERROR;
  while (npu->interrupts == 0) {
    if (!is_blocking) return VERNIER_RUNNING;
    vernier_sleep();
  }
  npu->is_running = false;
  if ((npu->interrupts & IRQ_WATCHDOG) != 0) return VERNIER_TIMED_OUT;
  return (npu->interrupts & IRQ_FAULT) != 0 ? VERNIER_ERROR : VERNIER_OK;
}

void vernier_handle_interrupt(struct vernier_npu* npu) {
  const uint32_t arrived = read_register(npu, VERNIER_NPU_IRQ_STATUS);
  write_register(npu, VERNIER_NPU_IRQ_STATUS, arrived);
  npu->interrupts |= arrived;
}

struct vernier_error vernier_last_error(const struct vernier_npu* npu) {
  const struct vernier_error error = {read_register(npu, VERNIER_NPU_FAULT_CODE),
                                      read_register(npu, VERNIER_NPU_FAULT_ADDRESS)};
  return error;
}

uint64_t vernier_last_cycles(const struct vernier_npu* npu) {
  const uint32_t low = read_register(npu, VERNIER_NPU_PMU_CYCLES_LOW);
  const uint32_t high = read_register(npu, VERNIER_NPU_PMU_CYCLES_HIGH);
  return ((uint64_t)high << 32) | low;
}
