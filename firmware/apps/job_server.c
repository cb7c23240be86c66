/* SPDX-License-Identifier: Apache-2.0 */
/* The job server: takes jobs from the ring, gives the NPU the waiting one of the highest priority, the oldest of equal ones,
   and writes the completion of each. The NPU has up to two jobs, one that runs and one that starts when the first is done.
   A job with control flow is alone with the NPU, from its first stream to its last one.
   The protocol is that of hw/spec/control_system.hpp. It sleeps whenever there is nothing to do. */
#include "firmware/apps/control_flow.h"
#include "firmware/boot/cpu.h"
#include "firmware/gen/vernier_system.h"
#include "firmware/lib/vernier_npu.h"

/* Jobs are numbered as the ring counts them; number n stands in slot n modulo VERNIER_NUM_JOB_SLOTS. */
enum state { WAITING, WITH_NPU, ENDED };

static struct vernier_npu npu;
static uintptr_t ring;
static uint32_t head, tail;                   /* jobs from head on to tail are known and not all ended */
static uint8_t states[VERNIER_NUM_JOB_SLOTS]; /* of these, an enum state each */
static uint32_t with_npu[VERNIER_MOST_JOBS];  /* numbers of the jobs that the NPU has, the one that runs first */
static uint32_t num_with_npu;
static struct flow flow; /* of the job that the NPU has, where has_flow */
static bool has_flow;
static uint32_t num_counted;       /* events that are counted for the job that the NPU has; 0: none */
static volatile bool is_timed_out; /* the timer has said so of the job that runs */

static void write_mailbox(uintptr_t offset, uint32_t value) { store_word(VERNIER_MAILBOX_BASE + offset, value); }

/* Within so many cycles the firmware has told the end of a job that the NPU's own watchdog ended. */
#define ANSWER_CYCLES 0x10000U

/* The watchdog of the system ends the run where from now on nothing goes forward for `stuck_cycles`, or nobody calls this
   for `slow_cycles`; 0 is off. */
static void watch(uint32_t stuck_cycles, uint32_t slow_cycles) {
  store_word(VERNIER_WATCHDOG_BASE + VERNIER_WATCHDOG_FEED, 0);
  store_word(VERNIER_WATCHDOG_BASE + VERNIER_WATCHDOG_STUCK_CYCLES, stuck_cycles);
  store_word(VERNIER_WATCHDOG_BASE + VERNIER_WATCHDOG_SLOW_CYCLES, slow_cycles);
}

static uint32_t with_time_to_answer(uint32_t cycles) {
  if (cycles == 0) return 0;
  return cycles < UINT32_MAX - ANSWER_CYCLES ? cycles + ANSWER_CYCLES : UINT32_MAX;
}

/* The timer interrupts in so many cycles; 0: never. */
static void set_timer(uint32_t cycles) {
  store_word(VERNIER_TIMER_BASE + VERNIER_TIMER_COMPARE_HIGH, UINT32_MAX);
  is_timed_out = false;
  if (cycles == 0) return;
  /* TIME counts from the boot. Where its low half wraps between the two loads, the high one is read again. */
  uint32_t high, low;
  do {
    high = load_word(VERNIER_TIMER_BASE + VERNIER_TIMER_TIME_HIGH);
    low = load_word(VERNIER_TIMER_BASE + VERNIER_TIMER_TIME_LOW);
  } while (high != load_word(VERNIER_TIMER_BASE + VERNIER_TIMER_TIME_HIGH));
  const uint64_t at = (((uint64_t)high << 32) | low) + cycles;
  store_word(VERNIER_TIMER_BASE + VERNIER_TIMER_COMPARE_LOW, (uint32_t)at);
  store_word(VERNIER_TIMER_BASE + VERNIER_TIMER_COMPARE_HIGH, (uint32_t)(at >> 32));
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
  if (cause == VERNIER_MCAUSE_TIMER) {
    set_timer(0);
    is_timed_out = true;
    return;
  }
  if (cause != VERNIER_MCAUSE_EXTERNAL) fail("firmware: unexpected trap", cause, address);
  for (;;) {
    switch (load_word(VERNIER_INTERRUPTS_BASE + VERNIER_INTERRUPTS_CLAIM)) {
      case VERNIER_INTERRUPT_NPU: vernier_handle_interrupt(&npu); break;
      case VERNIER_INTERRUPT_CPU_DOORBELL: write_mailbox(VERNIER_MAILBOX_CPU_DOORBELL, VERNIER_DOORBELL_JOBS); break;
      default: return;
    }
  }
}

static uintptr_t slot_of(uint32_t number) {
  return ring + VERNIER_JOB_SLOTS + (number % VERNIER_NUM_JOB_SLOTS) * VERNIER_JOB_SLOT_BYTES;
}
static uint8_t* state_of(uint32_t number) { return &states[number % VERNIER_NUM_JOB_SLOTS]; }

/* OUTCOME comes last but HEAD. */
static void end_job(uint32_t number, uint32_t outcome) {
  store_word(slot_of(number) + VERNIER_JOB_OUTCOME, outcome);
  *state_of(number) = ENDED;
  while (head != tail && *state_of(head) == ENDED) ++head;
  store_word(ring + VERNIER_RING_HEAD, head);
  write_mailbox(VERNIER_MAILBOX_HOST_DOORBELL_SET, VERNIER_DOORBELL_JOBS);
}

static void look_for_jobs(void) {
  const uint32_t new_tail = load_word(ring + VERNIER_RING_TAIL);
  if (new_tail - tail > VERNIER_NUM_JOB_SLOTS - (tail - head)) fail("firmware: TAIL is no number of jobs", new_tail, tail);
  for (; tail != new_tail; ++tail) *state_of(tail) = WAITING;
}

/* The waiting job that runs next; false without one. */
static bool pick(uint32_t* number) {
  uint32_t best_priority = 0;
  bool is_found = false;
  for (uint32_t n = head; n != tail; ++n) {
    if (*state_of(n) != WAITING) continue;
    const uint32_t priority = load_word(slot_of(n) + VERNIER_JOB_PRIORITY);
    if (is_found && priority <= best_priority) continue;
    is_found = true;
    best_priority = priority;
    *number = n;
  }
  return is_found;
}

static struct vernier_region read_region(uintptr_t words) {
  const struct vernier_region region = {load_word(words), load_word(words + 4), load_word(words + 8)};
  return region;
}

/* The performance counters count the events of this job. False: there are more than counters. */
static __attribute__((noinline)) bool begin_counting(uintptr_t slot, uint32_t num_events) {
  if (num_events > VERNIER_NUM_PMU_COUNTERS) return false;
  for (uint32_t i = 0; i < num_events; ++i)
    store_word(VERNIER_PMU_BASE + VERNIER_PMU_EVENT_0 + 4 * i, load_word(slot + VERNIER_JOB_EVENT_0 + 4 * i));
  store_word(VERNIER_PMU_BASE + VERNIER_PMU_CONTROL, VERNIER_PMU_COUNTS | VERNIER_PMU_CLEARS);
  num_counted = num_events;
  return true;
}

static __attribute__((noinline)) void end_counting(uintptr_t slot) {
  store_word(VERNIER_PMU_BASE + VERNIER_PMU_CONTROL, 0);
  for (uint32_t i = 0; i < num_counted; ++i)
    store_word(slot + VERNIER_JOB_EVENT_0 + 4 * i, load_word(VERNIER_PMU_BASE + VERNIER_PMU_COUNT_0 + 4 * i));
  num_counted = 0;
}

/* Gives a job to the NPU. Returns 0, or the outcome of a job that does not run. */
static uint32_t invoke(uintptr_t slot) {
  if (load_word(slot + VERNIER_JOB_CANCEL) != 0) return VERNIER_OUTCOME_CANCELLED;
  const uint32_t num_events = load_word(slot + VERNIER_JOB_NUM_EVENTS);
  if (num_events != 0 && !begin_counting(slot, num_events)) return VERNIER_OUTCOME_REFUSED;
  struct vernier_stream stream;
  stream.address = load_word(slot + VERNIER_JOB_STREAM_ADDRESS);
  stream.space = load_word(slot + VERNIER_JOB_STREAM_SPACE);
  stream.num_bytes = load_word(slot + VERNIER_JOB_STREAM_BYTES);
  stream.watchdog_cycles = load_word(slot + VERNIER_JOB_WATCHDOG_CYCLES);
  stream.sram = read_region(slot + VERNIER_JOB_SRAM_BASE);
  stream.external = read_region(slot + VERNIER_JOB_EXTERNAL_BASE);
  stream.job = load_word(slot + VERNIER_JOB_JOB);
  flow.num_steps = load_word(slot + VERNIER_JOB_NUM_STEPS);
  if (flow.num_steps == 0) return vernier_invoke_async(&npu, &stream) == VERNIER_OK ? 0 : VERNIER_OUTCOME_REFUSED;
  flow.most_commands = load_word(slot + VERNIER_JOB_MOST_COMMANDS);
  const uint32_t outcome = flow_begin(&flow, &npu, &stream);
  has_flow = outcome == 0;
  return outcome;
}

/* Both watchdogs and the time-out are those of the job that runs. A job without a watchdog of the NPU has none of the system
   for getting stuck. */
static void watch_running_job(void) {
  if (num_with_npu == 0) {
    watch(0, 0);
    set_timer(0);
    return;
  }
  const uintptr_t slot = slot_of(with_npu[0]);
  const uint32_t time_out_cycles = load_word(slot + VERNIER_JOB_TIME_OUT_CYCLES);
  set_timer(time_out_cycles);
  watch(with_time_to_answer(load_word(slot + VERNIER_JOB_WATCHDOG_CYCLES)), with_time_to_answer(time_out_cycles));
}

/* The job with control flow has ended. Out of line, as all that plain jobs do not need: their way stays short. */
static __attribute__((noinline)) void close_flow(void) {
  const uintptr_t slot = slot_of(with_npu[0]);
  store_word(slot + VERNIER_JOB_STEP, flow.step);
  store_word(slot + VERNIER_JOB_NUM_COMMANDS, flow.num_commands);
  has_flow = false;
}

/* The job that ran has ended, and the next one runs. */
static uint32_t take_running(void) {
  const uint32_t number = with_npu[0];
  if (num_counted != 0) end_counting(slot_of(number));
  with_npu[0] = with_npu[1];
  --num_with_npu;
  watch_running_job();
  return number;
}

static void give_npu_jobs(void) {
  uint32_t number = 0;
  while (num_with_npu < VERNIER_MOST_JOBS && !has_flow && num_counted == 0 && pick(&number)) {
    const uintptr_t slot = slot_of(number);
    if (num_with_npu > 0 && (load_word(slot + VERNIER_JOB_NUM_STEPS) | load_word(slot + VERNIER_JOB_NUM_EVENTS)) != 0)
      return;
    const uint32_t outcome = invoke(slot);
    if (outcome != 0) {
      if (num_counted != 0) end_counting(slot);
      end_job(number, outcome);
      continue;
    }
    *state_of(number) = WITH_NPU;
    with_npu[num_with_npu++] = number;
    if (num_with_npu == 1) watch_running_job();
  }
}

/* Tells the host how the job ended that ran. */
static inline __attribute__((always_inline)) void tell_end(const struct vernier_end* end, uint64_t cycles,
                                                           uint32_t outcome) {
  const uint32_t number = take_running();
  const uintptr_t slot = slot_of(number);
  store_word(slot + VERNIER_JOB_CYCLES_LOW, (uint32_t)cycles);
  store_word(slot + VERNIER_JOB_CYCLES_HIGH, (uint32_t)(cycles >> 32));
  if (outcome == VERNIER_OUTCOME_FAULT) {
    store_word(slot + VERNIER_JOB_FAULT_CODE, end->fault_code);
    store_word(slot + VERNIER_JOB_FAULT_ADDRESS, end->stream_offset);
    store_word(slot + VERNIER_JOB_FAULT_ACCESS, end->fault_access);
  }
  end_job(number, outcome);
}

static uint32_t outcome_of(const struct vernier_end* end) {
  if (end->result == VERNIER_OK) return VERNIER_OUTCOME_DONE;
  return end->result == VERNIER_ERROR ? VERNIER_OUTCOME_FAULT : VERNIER_OUTCOME_WATCHDOG;
}

/* Goes on with the next stream after the end of one, or tells the end of the job. Streams may be so short that each has
   ended before stop_running_jobs() looks: a job without time, or cancelled, starts no further one. */
static __attribute__((noinline)) void go_on_after(const struct vernier_end* end) {
  flow_take_end(&flow, &npu, end->cycles);
  uint32_t outcome = outcome_of(end);
  if (is_timed_out)
    flow.stop_outcome = VERNIER_OUTCOME_TIMED_OUT;
  else if (load_word(slot_of(with_npu[0]) + VERNIER_JOB_CANCEL) != 0)
    flow.stop_outcome = VERNIER_OUTCOME_CANCELLED;
  if (outcome == VERNIER_OUTCOME_DONE) outcome = flow_go_on(&flow, &npu);
  if (outcome == 0) return;
  close_flow();
  tell_end(end, flow.cycles, outcome);
}

/* Tells the host of all jobs that have ended by themselves, and returns whether a stream had ended. */
static bool tell_ends(void) {
  bool is_any = false;
  while (num_with_npu > 0) {
    struct vernier_end end;
    const int result = vernier_wait(&npu, 0, &end);
    if (result == VERNIER_RUNNING) break;
    is_any = true;
    if (has_flow)
      go_on_after(&end);
    else
      tell_end(&end, end.cycles, outcome_of(&end));
  }
  return is_any;
}

/* Ends the job that runs where its time is over or the host has cancelled it, then the next one likewise. A job that has
   ended by itself meanwhile is told as what it is. */
static void stop_running_jobs(void) {
  while (num_with_npu > 0) {
    const bool is_cancelled = load_word(slot_of(with_npu[0]) + VERNIER_JOB_CANCEL) != 0;
    if (!is_cancelled && !is_timed_out) return;
    if (vernier_cancel(&npu) == VERNIER_OK) {
      const uint32_t outcome = is_timed_out ? VERNIER_OUTCOME_TIMED_OUT : VERNIER_OUTCOME_CANCELLED;
      if (has_flow) close_flow();
      end_job(take_running(), outcome);
    } else if (!tell_ends()) {
      return;
    }
  }
}

/* The host has cancelled jobs that wait. */
static void drop_cancelled_jobs(void) {
  for (uint32_t n = head; n != tail; ++n) {
    if (*state_of(n) == WAITING && load_word(slot_of(n) + VERNIER_JOB_CANCEL) != 0) end_job(n, VERNIER_OUTCOME_CANCELLED);
  }
}

int main(void) {
  ring = load_word(VERNIER_MAILBOX_BASE + VERNIER_MAILBOX_RING_ADDRESS);
  if (vernier_init(&npu, VERNIER_NPU_BASE) != VERNIER_OK) fail("firmware: no NPU", 0, VERNIER_NPU_BASE);
  store_word(VERNIER_INTERRUPTS_BASE + VERNIER_INTERRUPTS_ENABLE,
             1U << VERNIER_INTERRUPT_NPU | 1U << VERNIER_INTERRUPT_CPU_DOORBELL);
  cpu_enable_interrupts(VERNIER_MIE_EXTERNAL | VERNIER_MIE_TIMER);
  write_mailbox(VERNIER_MAILBOX_FIRMWARE_STATE, VERNIER_STATE_READY);
  write_mailbox(VERNIER_MAILBOX_HOST_DOORBELL_SET, VERNIER_DOORBELL_STATE);
  for (;;) {
    tell_ends();
    stop_running_jobs();
    look_for_jobs();
    drop_cancelled_jobs();
    give_npu_jobs();
    cpu_sleep();
  }
}
