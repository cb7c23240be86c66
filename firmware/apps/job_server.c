/* SPDX-License-Identifier: Apache-2.0 */
/* The job server: takes jobs from the ring in the order in which the host handed them over, runs each on the NPU, and writes
   its completion. The protocol is that of hw/spec/control_system.hpp. It sleeps whenever there is nothing to do. */
#include "firmware/boot/cpu.h"
#include "firmware/gen/vernier_system.h"
#include "firmware/lib/vernier_npu.h"

static struct vernier_npu npu;

static void write_mailbox(uintptr_t offset, uint32_t value) { store_word(VERNIER_MAILBOX_BASE + offset, value); }

/* Within so many cycles the firmware has told the end of a job that the NPU's own watchdog ended. */
#define ANSWER_CYCLES 0x10000U

/* The watchdog of the system ends the run where from now on nothing goes forward for `stuck_cycles`, or all takes
   `slow_cycles`; 0 is off. */
static void watch(uint32_t stuck_cycles, uint32_t slow_cycles) {
  store_word(VERNIER_WATCHDOG_BASE + VERNIER_WATCHDOG_FEED, 0);
  store_word(VERNIER_WATCHDOG_BASE + VERNIER_WATCHDOG_STUCK_CYCLES, stuck_cycles);
  store_word(VERNIER_WATCHDOG_BASE + VERNIER_WATCHDOG_SLOW_CYCLES, slow_cycles);
}

/* A job without a watchdog of the NPU has none of the system for getting stuck. */
static void watch_job(uint32_t watchdog_cycles, uint32_t time_out_cycles) {
  uint32_t stuck_cycles = watchdog_cycles;
  if (watchdog_cycles != 0)
    stuck_cycles += watchdog_cycles < UINT32_MAX - ANSWER_CYCLES ? ANSWER_CYCLES : UINT32_MAX - watchdog_cycles;
  watch(stuck_cycles, time_out_cycles);
}

static void print(const char* text) {
  for (; *text != '\0'; ++text) store_word(VERNIER_CONSOLE_BASE + VERNIER_CONSOLE_BYTE, (uint8_t)*text);
}

static void print_hex(uint32_t value) {
  for (int shift = 28; shift >= 0; shift -= 4) {
    const uint32_t digit = (value >> shift) & 15U;
    store_word(VERNIER_CONSOLE_BASE + VERNIER_CONSOLE_BYTE, digit + (digit < 10 ? '0' : 'a' - 10));
  }
}

/* Tells the host and stops. Nothing wakes the CPU from here but a reset. */
static _Noreturn void fail(const char* what, uint32_t cause, uint32_t address) {
  print(what);
  print(", cause 0x");
  print_hex(cause);
  print(" at 0x");
  print_hex(address);
  print("\n");
  write_mailbox(VERNIER_MAILBOX_FAILURE_CAUSE, cause);
  write_mailbox(VERNIER_MAILBOX_FAILURE_ADDRESS, address);
  write_mailbox(VERNIER_MAILBOX_FIRMWARE_STATE, VERNIER_STATE_FAILED);
  write_mailbox(VERNIER_MAILBOX_HOST_DOORBELL_SET, VERNIER_DOORBELL_STATE);
  cpu_enable_interrupts(0);
  for (;;) cpu_sleep();
}

/* From boot/start.S. Every source that is pending is served, so that one entry does for several. */
void handle_trap(uint32_t cause, uint32_t address);
void handle_trap(uint32_t cause, uint32_t address) {
  if (cause != VERNIER_MCAUSE_EXTERNAL) fail("firmware: unexpected trap", cause, address);
  for (;;) {
    switch (load_word(VERNIER_INTERRUPTS_BASE + VERNIER_INTERRUPTS_CLAIM)) {
      case VERNIER_INTERRUPT_NPU: vernier_handle_interrupt(&npu); break;
      case VERNIER_INTERRUPT_CPU_DOORBELL: write_mailbox(VERNIER_MAILBOX_CPU_DOORBELL, VERNIER_DOORBELL_JOBS); break;
      default: return;
    }
  }
}

/* The driver's hook. */
void vernier_sleep(void) { cpu_sleep(); }

static void write_fault(uintptr_t slot) {
  const struct vernier_error error = vernier_last_error(&npu);
  store_word(slot + VERNIER_JOB_FAULT_CODE, error.fault_code);
  store_word(slot + VERNIER_JOB_FAULT_ADDRESS, error.stream_offset);
}

/* Runs the job of a slot to its end and writes all of its completion. The watchdog of the system is set meanwhile. */
static void run_job(uintptr_t slot) {
  const struct vernier_stream stream = {
      load_word(slot + VERNIER_JOB_STREAM_ADDRESS), load_word(slot + VERNIER_JOB_STREAM_SPACE),
      load_word(slot + VERNIER_JOB_STREAM_BYTES), load_word(slot + VERNIER_JOB_WATCHDOG_CYCLES)};
  watch_job(stream.watchdog_cycles, load_word(slot + VERNIER_JOB_TIME_OUT_CYCLES));
  if (vernier_invoke_async(&npu, &stream) != VERNIER_OK) {
    store_word(slot + VERNIER_JOB_OUTCOME, VERNIER_OUTCOME_REFUSED);
    return;
  }
  const int result = vernier_wait(&npu, true);
  const uint64_t cycles = vernier_last_cycles(&npu);
  store_word(slot + VERNIER_JOB_CYCLES_LOW, (uint32_t)cycles);
  store_word(slot + VERNIER_JOB_CYCLES_HIGH, (uint32_t)(cycles >> 32));
  uint32_t outcome = VERNIER_OUTCOME_DONE;
  if (result == VERNIER_TIMED_OUT) outcome = VERNIER_OUTCOME_WATCHDOG;
  if (result == VERNIER_ERROR) {
    outcome = VERNIER_OUTCOME_FAULT;
    write_fault(slot);
  }
  store_word(slot + VERNIER_JOB_OUTCOME, outcome);
}

int main(void) {
  const uintptr_t ring = load_word(VERNIER_MAILBOX_BASE + VERNIER_MAILBOX_RING_ADDRESS);
  if (vernier_init(&npu, VERNIER_NPU_BASE) != VERNIER_OK) fail("firmware: no NPU", 0, VERNIER_NPU_BASE);
  store_word(VERNIER_INTERRUPTS_BASE + VERNIER_INTERRUPTS_ENABLE,
             1U << VERNIER_INTERRUPT_NPU | 1U << VERNIER_INTERRUPT_CPU_DOORBELL);
  cpu_enable_interrupts(VERNIER_MIE_EXTERNAL);
  write_mailbox(VERNIER_MAILBOX_FIRMWARE_STATE, VERNIER_STATE_READY);
  write_mailbox(VERNIER_MAILBOX_HOST_DOORBELL_SET, VERNIER_DOORBELL_STATE);
  for (uint32_t head = 0;;) {
    while (load_word(ring + VERNIER_RING_TAIL) == head) cpu_sleep();
    run_job(ring + VERNIER_JOB_SLOTS + (head % VERNIER_NUM_JOB_SLOTS) * VERNIER_JOB_SLOT_BYTES);
    watch(0, 0);
    store_word(ring + VERNIER_RING_HEAD, ++head);
    write_mailbox(VERNIER_MAILBOX_HOST_DOORBELL_SET, VERNIER_DOORBELL_JOBS);
  }
}
