/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of firmware/lib on another system: this computer, with a made-up NPU behind load_word() and store_word(), and
   with all hooks replaced. Each verb, each result, and random orders of them against a list of what has to come. */
#include "firmware/boot/cpu.h"
#include "firmware/gen/vernier_system.h"
#include "firmware/lib/vernier_npu.h"

#include <stdio.h>
#include <stdlib.h>

#define BASE 0x4000U
#define CHECK(condition) ((condition) ? (void)0 : (printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), exit(1)))

/* The made-up NPU. A job lasts STREAM_BYTES accesses; STREAM_ADDRESS is how it ends. */
enum ending { ENDS_DONE, ENDS_FAULT, ENDS_WATCHDOG, NEVER_ENDS };

struct job {
  uint32_t left_cycles, ending, number;
};

static struct {
  uint32_t registers[64];
  struct job running;
  uint32_t is_running, is_committed, is_held, cycles, is_powered;
} fake;

static uint32_t* register_at(uintptr_t offset) { return &fake.registers[offset / 4]; }

static void start(void) {
  fake.running.left_cycles = *register_at(VERNIER_NPU_STREAM_BYTES);
  fake.running.ending = *register_at(VERNIER_NPU_STREAM_ADDRESS);
  fake.running.number = *register_at(VERNIER_NPU_JOB);
  fake.is_running = 1;
  fake.is_committed = 0;
  fake.cycles = 0;
}

static void tell_end(void) {
  fake.is_held = 0;
  fake.is_running = 0;
  *register_at(VERNIER_NPU_ENDED_JOB) = fake.running.number;
  *register_at(VERNIER_NPU_ENDED_CYCLES_LOW) = fake.cycles;
  *register_at(VERNIER_NPU_FAULT_CODE) = 7;
  *register_at(VERNIER_NPU_FAULT_ADDRESS) = fake.running.number + 100;
  *register_at(VERNIER_NPU_FAULT_ACCESS) = fake.running.number + 200;
  *register_at(VERNIER_NPU_IRQ_STATUS) = 1U << fake.running.ending;
  if (fake.running.ending != ENDS_DONE) fake.is_committed = 0;
  if (fake.is_committed) start();
}

static void pass_cycle(void) {
  if (!fake.is_running || fake.is_held) return;
  ++fake.cycles;
  if (fake.running.ending == NEVER_ENDS || --fake.running.left_cycles > 0) return;
  if (*register_at(VERNIER_NPU_IRQ_STATUS) == 0) {
    tell_end();
  } else {
    fake.is_held = 1;
  }
}

static void write_control(uint32_t value) {
  if (value & 2U) fake.is_running = fake.is_committed = fake.is_held = 0;
  const uint32_t is_at_fault = *register_at(VERNIER_NPU_IRQ_STATUS) & 6U;
  if ((value & 4U) && !is_at_fault) {
    if (fake.is_running) {
      fake.is_committed = 1;
    } else {
      start();
    }
  }
}

uint32_t load_word(uintptr_t address) {
  CHECK(address >= BASE && address < BASE + sizeof fake.registers);
  CHECK(fake.is_powered);
  pass_cycle();
  const uintptr_t offset = address - BASE;
  return offset == VERNIER_NPU_PMU_CYCLES_LOW ? fake.cycles : *register_at(offset);
}

void store_word(uintptr_t address, uint32_t value) {
  CHECK(address >= BASE && address < BASE + sizeof fake.registers);
  CHECK(fake.is_powered);
  pass_cycle();
  const uintptr_t offset = address - BASE;
  if (offset == VERNIER_NPU_CONTROL) {
    write_control(value);
  } else if (offset == VERNIER_NPU_IRQ_STATUS) {
    *register_at(offset) &= ~value;
    if (*register_at(offset) == 0 && fake.is_held) tell_end();
  } else {
    *register_at(offset) = value;
  }
}

/* Hooks, which count how often they are called. */
static struct {
  int locks, unlocks, sleeps, wakes, cleans, invalidates, begins, ends, on, off, last_result;
  uint32_t last_job;
} calls;

void vernier_lock(struct vernier_npu* npu) {
  (void)npu;
  CHECK(calls.locks == calls.unlocks);
  ++calls.locks;
}
void vernier_unlock(struct vernier_npu* npu) {
  (void)npu;
  ++calls.unlocks;
  CHECK(calls.locks == calls.unlocks);
}
void vernier_sleep(struct vernier_npu* npu, uint32_t most_cycles) {
  (void)npu;
  CHECK(calls.locks == calls.unlocks);
  CHECK(most_cycles > 0);
  for (uint32_t i = 0; i < most_cycles && i < 50 && *register_at(VERNIER_NPU_IRQ_STATUS) == 0; ++i) pass_cycle();
  ++calls.sleeps;
}
void vernier_wake(struct vernier_npu* npu) {
  (void)npu;
  ++calls.wakes;
}
void vernier_clean_cache(const struct vernier_stream* stream) {
  CHECK(stream->num_bytes > 0);
  ++calls.cleans;
}
void vernier_invalidate_cache(void) { ++calls.invalidates; }
void vernier_inference_begin(uint32_t job) {
  (void)job;
  ++calls.begins;
}
void vernier_inference_end(uint32_t job, int result) {
  calls.last_job = job;
  calls.last_result = result;
  ++calls.ends;
}
void vernier_set_power(struct vernier_npu* npu, bool is_on) {
  (void)npu;
  CHECK(fake.is_powered != is_on);
  fake.is_powered = is_on;
  is_on ? ++calls.on : ++calls.off;
}

static struct vernier_stream stream_of(uint32_t job, uint32_t num_cycles, enum ending ending) {
  const struct vernier_region all = {0, UINT32_MAX, 0};
  const struct vernier_stream stream = {ending, 1, num_cycles, 1000, all, all, job};
  return stream;
}

static struct vernier_npu fresh(void) {
  struct vernier_npu npu;
  fake = (__typeof__(fake)){0};
  calls = (__typeof__(calls)){0};
  *register_at(VERNIER_NPU_ID) = VERNIER_NPU_ID_VALUE;
  *register_at(VERNIER_NPU_LANES) = 16;
  *register_at(VERNIER_NPU_SRAM_SIZE) = 65536;
  CHECK(vernier_init(&npu, BASE) == VERNIER_OK);
  return npu;
}

static void check_results(void) {
  struct vernier_npu npu = fresh();
  struct vernier_hw_info info;
  CHECK(vernier_get_hw_info(&npu, &info) == VERNIER_OK);
  CHECK(info.id == VERNIER_NPU_ID_VALUE && info.lanes == 16 && info.sram_bytes == 65536);
  const int results[] = {VERNIER_OK, VERNIER_ERROR, VERNIER_TIMED_OUT};
  for (uint32_t i = 0; i < 3; ++i) {
    struct vernier_end end;
    const struct vernier_stream stream = stream_of(i + 1, 200, (enum ending)i);
    CHECK(vernier_invoke_async(&npu, &stream) == VERNIER_OK);
    CHECK(vernier_wait(&npu, 0, &end) == VERNIER_RUNNING);
    CHECK(vernier_wait(&npu, 20, &end) == VERNIER_RUNNING);
    CHECK(vernier_wait(&npu, VERNIER_FOREVER, &end) == results[i]);
    CHECK(end.result == results[i] && end.job == i + 1 && end.cycles == 200);
    if (results[i] == VERNIER_ERROR)
      CHECK(end.fault_code == 7 && end.stream_offset == i + 101 && end.fault_access == i + 201);
    CHECK(calls.last_job == i + 1 && calls.last_result == results[i]);
  }
  CHECK(vernier_wait(&npu, VERNIER_FOREVER, 0) == VERNIER_RUNNING); /* without a job */
  CHECK(calls.begins == 3 && calls.ends == 3 && calls.cleans == 3 && calls.invalidates == 3);
  CHECK(calls.wakes == 3 && calls.sleeps >= 3);
  *register_at(VERNIER_NPU_ID) = 1;
  fake.is_powered = 0;
  CHECK(vernier_init(&npu, BASE) == VERNIER_ERROR);
}

/* A wait of n cycles comes back after n, whatever the job does, and not much later. */
static void check_time_outs(void) {
  for (uint32_t most = 1; most < 400; most += 13) {
    struct vernier_npu npu = fresh();
    const struct vernier_stream stream = stream_of(1, 1, NEVER_ENDS);
    CHECK(vernier_invoke_async(&npu, &stream) == VERNIER_OK);
    CHECK(vernier_wait(&npu, most, 0) == VERNIER_RUNNING);
    CHECK(fake.cycles >= most && fake.cycles < most + 60);
    CHECK(vernier_cancel(&npu) == VERNIER_OK);
    CHECK(calls.last_result == VERNIER_TIMED_OUT && calls.ends == 1);
    CHECK(vernier_cancel(&npu) == VERNIER_ERROR);
  }
}

/* The end of a job comes between any two looks of a wait, and the next one begins: its cycles count from 0. */
static void check_wait_over_two_streams(void) {
  for (uint32_t num_cycles = 1; num_cycles < 150; ++num_cycles) {
    struct vernier_npu npu = fresh();
    const struct vernier_stream first = stream_of(1, num_cycles, ENDS_DONE), second = stream_of(2, 1, NEVER_ENDS);
    CHECK(vernier_invoke_async(&npu, &first) == VERNIER_OK);
    CHECK(vernier_invoke_async(&npu, &second) == VERNIER_OK);
    CHECK(vernier_wait(&npu, 1000, 0) == VERNIER_OK);
    CHECK(vernier_wait(&npu, 1000, 0) == VERNIER_RUNNING);
    CHECK(fake.cycles >= 1000 && fake.cycles < 1000 + num_cycles + 60);
  }
}

static void check_power(void) {
  struct vernier_npu npu = fresh();
  const struct vernier_stream stream = stream_of(5, 10, ENDS_DONE);
  CHECK(calls.on == 1);
  vernier_request_power(&npu);
  CHECK(vernier_release_power(&npu) == VERNIER_OK);
  CHECK(calls.off == 0);
  CHECK(vernier_invoke_async(&npu, &stream) == VERNIER_OK);
  CHECK(vernier_release_power(&npu) == VERNIER_ERROR); /* a job runs */
  CHECK(vernier_wait(&npu, VERNIER_FOREVER, 0) == VERNIER_OK);
  CHECK(vernier_release_power(&npu) == VERNIER_OK);
  CHECK(calls.off == 1);
  CHECK(vernier_release_power(&npu) == VERNIER_ERROR); /* nobody has requested it */
  CHECK(vernier_invoke_async(&npu, &stream) == VERNIER_ERROR);
  vernier_request_power(&npu);
  CHECK(calls.on == 2);
  CHECK(*register_at(VERNIER_NPU_IRQ_ENABLE) == 7);
  CHECK(vernier_invoke_async(&npu, &stream) == VERNIER_OK);
  vernier_soft_reset(&npu);
  CHECK(!fake.is_running);
  CHECK(vernier_wait(&npu, VERNIER_FOREVER, 0) == VERNIER_RUNNING);
}

/* One by one, what the driver can see to be wrong with a stream. Commands are the NPU's to look at. */
static void check_refused_streams(void) {
  const struct {
    const char* what;
    uint32_t space, address, num_bytes, region_bytes;
  } rows[] = {
      {"region index out of range", 2, 0, 64, UINT32_MAX},
      {"a length that was never set", 1, 0, 0, UINT32_MAX},
      {"a stream longer than its region", 1, 0, 65, 64},
      {"a stream that ends after its region", 1, 1, 64, 64},
      {"address arithmetic beyond 32 bits", 1, UINT32_MAX - 31, 64, UINT32_MAX},
      {"a length that wraps with its address", 1, 64, UINT32_MAX - 32, UINT32_MAX},
      {"SRAM of size 0", 0, 0, 64, 0},
      {"external memory of size 0", 1, 0, 64, 0},
  };
  for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    struct vernier_npu npu = fresh();
    struct vernier_stream stream = stream_of(1, rows[i].num_bytes, ENDS_DONE);
    stream.space = rows[i].space;
    stream.address = rows[i].address;
    stream.sram.num_bytes = rows[i].space == 0 ? rows[i].region_bytes : UINT32_MAX;
    stream.external.num_bytes = rows[i].space == 1 ? rows[i].region_bytes : UINT32_MAX;
    if (vernier_invoke_async(&npu, &stream) != VERNIER_ERROR || calls.begins != 0 || fake.is_running) {
      printf("%s: not refused\n", rows[i].what);
      exit(1);
    }
    const struct vernier_stream good = stream_of(2, 30, ENDS_DONE);
    CHECK(vernier_invoke_async(&npu, &good) == VERNIER_OK);
    CHECK(vernier_wait(&npu, VERNIER_FOREVER, 0) == VERNIER_OK && calls.last_job == 2);
  }
  struct vernier_npu npu = fresh();
  struct vernier_stream whole = stream_of(1, 64, ENDS_DONE);
  whole.external.num_bytes = 64;
  CHECK(vernier_invoke_async(&npu, &whole) == VERNIER_OK);
}

/* Jobs that are given, waited for or cancelled too often, or at the wrong time. */
static void check_refused_calls(void) {
  struct vernier_npu npu = fresh();
  struct vernier_stream stream = stream_of(1, 500, ENDS_DONE);
  CHECK(vernier_invoke_async(&npu, &stream) == VERNIER_OK);
  CHECK(vernier_invoke_async(&npu, &stream) == VERNIER_OK); /* twice is two jobs */
  CHECK(vernier_invoke_async(&npu, &stream) == VERNIER_RUNNING);
  CHECK(calls.begins == 2);
  CHECK(vernier_cancel(&npu) == VERNIER_OK);
  CHECK(vernier_cancel(&npu) == VERNIER_OK);
  CHECK(vernier_cancel(&npu) == VERNIER_ERROR); /* none is left */
  CHECK(vernier_wait(&npu, VERNIER_FOREVER, 0) == VERNIER_RUNNING);
  CHECK(vernier_invoke_async(&npu, &stream) == VERNIER_OK);
  CHECK(vernier_wait(&npu, VERNIER_FOREVER, 0) == VERNIER_OK);
  CHECK(vernier_wait(&npu, VERNIER_FOREVER, 0) == VERNIER_RUNNING); /* it was told */
  CHECK(vernier_release_power(&npu) == VERNIER_OK);
  CHECK(vernier_invoke_async(&npu, &stream) == VERNIER_ERROR);
  CHECK(vernier_wait(&npu, VERNIER_FOREVER, 0) == VERNIER_RUNNING);
  CHECK(vernier_cancel(&npu) == VERNIER_ERROR);
}

/* Null pointers, and a device that was never initialised: the made-up NPU would notice an access. */
static void check_nulls(void) {
  struct vernier_npu npu = fresh();
  struct vernier_hw_info info;
  const struct vernier_stream stream = stream_of(1, 500, ENDS_DONE);
  CHECK(vernier_init(0, BASE) == VERNIER_ERROR);
  CHECK(vernier_get_hw_info(0, &info) == VERNIER_ERROR);
  CHECK(vernier_get_hw_info(&npu, 0) == VERNIER_ERROR);
  CHECK(vernier_invoke_async(0, &stream) == VERNIER_ERROR);
  CHECK(vernier_invoke_async(&npu, 0) == VERNIER_ERROR);
  CHECK(vernier_wait(0, VERNIER_FOREVER, 0) == VERNIER_ERROR);
  CHECK(vernier_cancel(0) == VERNIER_ERROR);
  CHECK(vernier_release_power(0) == VERNIER_ERROR);
  CHECK(vernier_num_commands(0) == 0);
  vernier_request_power(0);
  vernier_soft_reset(0);
  vernier_handle_interrupt(0);
  CHECK(calls.begins == 0 && calls.on == 1 && calls.locks == 1);
  const struct vernier_npu never = {0};
  npu = never;
  fake.is_powered = 0;
  CHECK(vernier_invoke_async(&npu, &stream) == VERNIER_ERROR);
  CHECK(vernier_wait(&npu, 100, 0) == VERNIER_RUNNING);
  CHECK(vernier_cancel(&npu) == VERNIER_ERROR);
  CHECK(vernier_get_hw_info(&npu, &info) == VERNIER_ERROR);
  CHECK(vernier_release_power(&npu) == VERNIER_ERROR);
}

/* The NPU starts nothing while it tells a fault: the driver resets it first, and commits again what was dropped. */
static void check_commit_while_a_fault_is_pending(void) {
  struct vernier_npu npu = fresh();
  const struct vernier_stream bad = stream_of(1, 30, ENDS_FAULT), good = stream_of(2, 30, ENDS_DONE);
  CHECK(vernier_invoke_async(&npu, &bad) == VERNIER_OK);
  while (*register_at(VERNIER_NPU_IRQ_STATUS) == 0) pass_cycle();
  CHECK(vernier_invoke_async(&npu, &good) == VERNIER_OK);
  CHECK(!fake.is_running);
  CHECK(vernier_wait(&npu, VERNIER_FOREVER, 0) == VERNIER_ERROR && calls.last_job == 1);
  CHECK(vernier_wait(&npu, VERNIER_FOREVER, 0) == VERNIER_OK && calls.last_job == 2);
}

/* Verbs in a random order: each job that was taken is told once, in order, as what it was. */
static void check_random(unsigned seed) {
  struct vernier_npu npu = fresh();
  srand(seed);
  uint32_t given = 0, told = 0;
  enum ending endings[1024];
  while (told < 500) {
    const struct vernier_stream stream =
        stream_of(given + 1, 1 + (uint32_t)rand() % 90, (enum ending)(rand() % 20 == 0 ? 1 + rand() % 2 : 0));
    struct vernier_end end;
    switch (rand() % 4) {
      case 0:
      case 1:
        if (given < 1000 && vernier_invoke_async(&npu, &stream) == VERNIER_OK)
          endings[given++] = (enum ending)stream.address;
        break;
      case 2: {
        const int result = vernier_wait(&npu, (uint32_t)rand() % 60, &end);
        if (result == VERNIER_RUNNING) break;
        CHECK(end.job == told + 1);
        CHECK(result == (endings[told] == ENDS_DONE    ? VERNIER_OK
                         : endings[told] == ENDS_FAULT ? VERNIER_ERROR
                                                       : VERNIER_TIMED_OUT));
        ++told;
        break;
      }
      default:
        if (rand() % 8 == 0 && vernier_cancel(&npu) == VERNIER_OK) {
          CHECK(calls.last_job == told + 1);
          ++told;
        }
        if (rand() % 2 == 0) vernier_handle_interrupt(&npu);
        break;
    }
    CHECK(given - told <= VERNIER_MOST_JOBS);
    CHECK(calls.begins == (int)given && calls.ends == (int)told);
  }
}

int main(void) {
  check_results();
  check_time_outs();
  check_wait_over_two_streams();
  check_power();
  check_refused_streams();
  check_refused_calls();
  check_nulls();
  check_commit_while_a_fault_is_pending();
  for (unsigned seed = 1; seed <= 200; ++seed) check_random(seed);
  printf("driver: all checks passed\n");
  return 0;
}
