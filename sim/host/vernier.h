/* SPDX-License-Identifier: Apache-2.0 */
/* A simulated Vernier NPU for programs in C: the library libvernier.so. Packages come from `vernier compile`.
 *
 * A program opens a device, loads packages, submits jobs with their inputs, and waits. Simulated time passes only in
 * vernier_wait(), vernier_poll(), vernier_step() and vernier_step_command(). Time-outs are cycles of the machine.
 *
 * Every function that returns int32_t returns VERNIER_OK, VERNIER_RUNNING, or an error below zero. Then nothing is
 * written to what the arguments point to, nothing has changed but that time may have passed where it can, and
 * vernier_message() says in one line what was found and what is allowed. No C++ exception leaves the library. Functions may
 * be called from any number of threads; one call runs at a time. Handles and numbers are checked: a closed device, or a job
 * that was released, is an error.
 *
 * Within a version of this interface nothing changes but that functions and codes are added. */
#ifndef VERNIER_H
#define VERNIER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define VERNIER_HOST_VERSION 1

/* The version of the library's interface; it should equal VERNIER_HOST_VERSION, the version of this header. */
int32_t vernier_host_version(void);

/* What functions return. */
enum {
  VERNIER_OK = 0,
  VERNIER_RUNNING = 1,        /* the job has not ended */
  VERNIER_NULL = -1,          /* a pointer is null that must not be */
  VERNIER_BAD_HANDLE = -2,    /* no open device */
  VERNIER_BAD_NUMBER = -3,    /* no such network, job, tensor or event */
  VERNIER_BAD_ARGUMENT = -4,  /* a value that is not allowed */
  VERNIER_BAD_FILE = -5,      /* a package, configuration or firmware that cannot be read, or is of another version */
  VERNIER_NO_FIT = -6,        /* a package for another machine, or no room for it */
  VERNIER_BUSY = -7,          /* the network has jobs, or the job has not ended */
  VERNIER_ENDED = -8,         /* the job has ended already */
  VERNIER_DEVICE_FAILED = -9, /* the firmware does not answer: nothing more runs on this device */
  VERNIER_NO_MEMORY = -10,    /* of the computer */
  VERNIER_INTERNAL = -100     /* a fault of the library; please report the message */
};

/* The message of the last error in this thread; "" before the first one. It stays until the next call of this thread. */
const char* vernier_message(void);

typedef struct vernier_device vernier_device;

enum { VERNIER_CONTROL_DIRECT = 0, VERNIER_CONTROL_CPU = 1 };

typedef struct {
  const char* config;   /* a preset, "v256", or a TOML file */
  int32_t control;      /* DIRECT: the library starts jobs itself; CPU: the firmware of the control CPU does */
  const char* firmware; /* an ELF file for the control CPU; null: the library's own */
  /* A line of the firmware's console, and its cycle. Null: lines go nowhere. It must not call this library. */
  void (*on_console)(void* context, int64_t cycle, const char* line);
  void* context; /* handed to on_console */
} vernier_options;

/* Powers a machine on, and boots its firmware. *device is for all other functions. */
int32_t vernier_open(const vernier_options* options, vernier_device** device);
/* Its jobs are gone with it. */
int32_t vernier_close(vernier_device* device);

/* ------------------------------------------------------------------------------------------------------------ networks */

/* Puts a package (.vnpu) into the machine's memory, in regions of its own. */
int32_t vernier_load(vernier_device* device, const char* file, int32_t* network);
/* The same of the bytes of a file. */
int32_t vernier_load_bytes(vernier_device* device, const void* bytes, size_t num_bytes, int32_t* network);
/* VERNIER_BUSY while it has jobs that have not ended. */
int32_t vernier_unload(vernier_device* device, int32_t network);

enum { VERNIER_INPUT = 0, VERNIER_OUTPUT = 1 };
#define VERNIER_MAX_RANK 8

typedef struct {
  char name[128];        /* cut off where it is longer */
  char type[8];          /* "bool", "int4", "int8", "int16", "int32" or "int48" */
  int32_t element_bytes; /* in buffers: 1, 1, 1, 2, 4 or 8; little endian, sign-extended */
  int32_t rank;
  int64_t shape[VERNIER_MAX_RANK]; /* NHWC where the network has images */
  size_t num_bytes;                /* of a buffer with all elements, row-major */
} vernier_tensor;

int32_t vernier_num_tensors(vernier_device* device, int32_t network, int32_t direction, int32_t* count);
int32_t vernier_tensor_info(vernier_device* device, int32_t network, int32_t direction, int32_t index,
                            vernier_tensor* tensor);

/* Where a network lies, in bytes of each memory. */
typedef struct {
  int64_t sram_base, sram_bytes;
  int64_t external_base, external_bytes;
} vernier_place;
int32_t vernier_network_place(vernier_device* device, int32_t network, vernier_place* place);

/* ---------------------------------------------------------------------------------------------------------------- jobs */

typedef struct {
  const void* data;
  size_t num_bytes; /* as vernier_tensor has it */
} vernier_buffer;

typedef struct {
  const vernier_buffer* inputs; /* one for each input, in order; they are copied */
  int32_t num_inputs;
  uint32_t priority;       /* of jobs that wait the one with the highest runs next, the oldest of equal ones */
  int64_t arrival_cycle;   /* when the job comes, in the device's time; in the past: now */
  int64_t time_out_cycles; /* the job is ended when it has run for so long; 0: never */
  int64_t watchdog_cycles; /* the job is ended when no command of it ends for so long; 0: the library chooses */
} vernier_request;

int32_t vernier_submit(vernier_device* device, int32_t network, const vernier_request* request, int32_t* job);

/* Lets time pass until the job has ended, for so many cycles at most; below zero: as long as it takes. VERNIER_OK: it has
 * ended; VERNIER_RUNNING: the time is over. */
int32_t vernier_wait(vernier_device* device, int32_t job, int64_t most_cycles);
/* As vernier_wait() for VERNIER_POLL_CYCLES: a loop around it comes to an end. */
#define VERNIER_POLL_CYCLES 1000
int32_t vernier_poll(vernier_device* device, int32_t job);
/* Asks for the end of a job, whether it waits or runs; vernier_wait() tells when it has ended. A job that the firmware has
 * given to the NPU behind another one ends when it would start. VERNIER_ENDED: it has ended. */
int32_t vernier_cancel(vernier_device* device, int32_t job);
/* Forgets a job that has ended, its outputs too. VERNIER_BUSY: it has not. */
int32_t vernier_release(vernier_device* device, int32_t job);

/* How a job ended. */
enum {
  VERNIER_JOB_PENDING = 0,
  VERNIER_JOB_DONE = 1,
  VERNIER_JOB_FAULT = 2,    /* vernier_job_fault() has more */
  VERNIER_JOB_WATCHDOG = 3, /* vernier_job_fault() has more */
  VERNIER_JOB_REFUSED = 4,  /* by the driver; or the device has failed, as vernier_wait() says */
  VERNIER_JOB_CANCELLED = 5,
  VERNIER_JOB_TIMED_OUT = 6,
  VERNIER_JOB_LIMIT_REACHED = 7
};

/* Cycles are of the device's time; -1: that has not happened. */
typedef struct {
  int32_t outcome;
  int64_t arrival_cycle;
  int64_t start_cycle, end_cycle; /* of its stream of commands; with control flow of the first one and of the last one */
  int64_t told_cycle;             /* the host knows that it has ended */
} vernier_job;
int32_t vernier_job_info(vernier_device* device, int32_t job, vernier_job* info);

/* Copies an output of a job that is done; `num_bytes` as vernier_tensor has it. */
int32_t vernier_output(vernier_device* device, int32_t job, int32_t index, void* data, size_t num_bytes);

typedef struct {
  int32_t code;        /* FAULT_CODE, docs/reference/machine.md; 0 where the watchdog ended the job */
  char code_name[32];  /* "address out of range" */
  int32_t command;     /* index in the stream; -1 where the watchdog ended the job */
  int64_t stream_byte; /* of that command */
  int32_t memory;      /* VERNIER_SRAM or VERNIER_EXTERNAL: of the access at fault; -1: the fault is in no access */
  int64_t address;     /* its first byte, in the network's region; with memory -1: 0 */
  char layer[128];     /* that it works for; empty where the network was unloaded */
  char text[512];      /* with tensor and address; or who waits for whom */
} vernier_fault;
/* VERNIER_BAD_ARGUMENT: the job ended neither at a fault nor by its watchdog. */
int32_t vernier_job_fault(vernier_device* device, int32_t job, vernier_fault* fault);

/* ------------------------------------------------------------------------------------------------------------ counters */

/* The events of the machine's performance counters (docs/reference/machine.md), for each job that has started and ended. */
int32_t vernier_num_events(void);
/* "mac_array.busy_cycles"; null for a number that is none. */
const char* vernier_event_name(int32_t event);
int32_t vernier_event_count(vernier_device* device, int32_t job, int32_t event, int64_t* count);

/* --------------------------------------------------------------------------------------------------------- test benches */

/* The device's time, in cycles since power-on. */
int32_t vernier_cycles(vernier_device* device, int64_t* cycles);
/* Lets so many cycles pass. */
int32_t vernier_step(vernier_device* device, int64_t cycles);
/* Lets time pass until a command of a stream has ended. VERNIER_ENDED: nothing runs and nothing waits. */
int32_t vernier_step_command(vernier_device* device);
/* A command that ended. Cycles are those of its job, from the start of its (first) stream on. */
typedef struct {
  int32_t job;
  int32_t command; /* index in the stream; with control flow in all streams of the package */
  int64_t start_cycle, end_cycle;
  char queue[8];   /* "dma0", "dma1", "mac", "vec"; empty of the one that ends the stream, which waits for none */
  char layer[128]; /* that it works for; empty where it is none's, or the job was released or the network unloaded */
} vernier_command;
/* The commands that ended in the last vernier_step_command(), in order: one, or several of the same cycle. */
int32_t vernier_num_stepped(vernier_device* device, int32_t* count);
int32_t vernier_stepped(vernier_device* device, int32_t index, vernier_command* command);
enum { VERNIER_SRAM = 0, VERNIER_EXTERNAL = 1 };
/* Bytes of a network's region as they are now, by their offset in it; those that nobody has written are 0. */
int32_t vernier_read(vernier_device* device, int32_t network, int32_t memory, int64_t offset, void* data, size_t num_bytes);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
