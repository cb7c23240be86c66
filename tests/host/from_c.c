/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface as a program of somebody else uses it: calls in order, and all that can be done wrong. Its argument is a
   package of the demo network for v256; further ones are a package for v64, a file that is none, and a package with control
   flow that ends at a fault. */
#include "sim/host/vernier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int num_failures = 0;

#define CHECK(condition)                                                                      \
  do {                                                                                        \
    if (!(condition)) {                                                                       \
      ++num_failures;                                                                         \
      fprintf(stderr, "line %d: %s; message: %s\n", __LINE__, #condition, vernier_message()); \
    }                                                                                         \
  } while (0)

static vernier_options options_of(int32_t control) {
  vernier_options options = {"v256", 0, NULL, NULL, NULL};
  options.control = control;
  return options;
}

/* One input with all bytes equal. */
static vernier_request request_of(vernier_buffer* buffer, const vernier_tensor* tensor, int value) {
  void* data = malloc(tensor->num_bytes);
  vernier_request request = {NULL, 1, 0, 0, 0, 0};
  memset(data, value, tensor->num_bytes);
  buffer->data = data;
  buffer->num_bytes = tensor->num_bytes;
  request.inputs = buffer;
  return request;
}

static void runs_jobs(const char* package, int32_t control) {
  const vernier_options options = options_of(control);
  vernier_device* device = NULL;
  int32_t network = -1, other = -1, jobs[4], count = 0, num_ends = 0, i;
  vernier_tensor input, output;
  vernier_buffer buffer;
  vernier_request request;
  vernier_job info;
  vernier_place place, other_place;
  vernier_command command;
  signed char first[64], again[64];
  int64_t cycles = -1, later = -1, busy = -1, num_commands = -1;
  CHECK(vernier_open(&options, &device) == VERNIER_OK);
  CHECK(vernier_load(device, package, &network) == VERNIER_OK);
  CHECK(vernier_load(device, package, &other) == VERNIER_OK);
  CHECK(network != other);
  CHECK(vernier_network_place(device, network, &place) == VERNIER_OK);
  CHECK(vernier_network_place(device, other, &other_place) == VERNIER_OK);
  CHECK(place.sram_base + place.sram_bytes <= other_place.sram_base);
  CHECK(vernier_num_tensors(device, network, VERNIER_INPUT, &count) == VERNIER_OK && count == 1);
  CHECK(vernier_tensor_info(device, network, VERNIER_INPUT, 0, &input) == VERNIER_OK);
  CHECK(vernier_tensor_info(device, network, VERNIER_OUTPUT, 0, &output) == VERNIER_OK);
  CHECK(strcmp(input.type, "int8") == 0 && input.element_bytes == 1);
  CHECK(output.num_bytes <= sizeof first);
  request = request_of(&buffer, &input, 3);
  for (i = 0; i < 4; ++i) CHECK(vernier_submit(device, i % 2 == 0 ? network : other, &request, &jobs[i]) == VERNIER_OK);
  CHECK(vernier_job_info(device, jobs[0], &info) == VERNIER_OK && info.outcome == VERNIER_JOB_PENDING);
  CHECK(vernier_output(device, jobs[0], 0, first, output.num_bytes) == VERNIER_BUSY);
  CHECK(vernier_release(device, jobs[0]) == VERNIER_BUSY);
  CHECK(vernier_unload(device, network) == VERNIER_BUSY);
  CHECK(vernier_wait(device, jobs[0], 10) == VERNIER_RUNNING);
  while ((i = vernier_poll(device, jobs[0])) == VERNIER_RUNNING) continue;
  CHECK(i == VERNIER_OK);
  CHECK(vernier_cancel(device, jobs[0]) == VERNIER_ENDED);
  CHECK(vernier_wait(device, jobs[3], -1) == VERNIER_OK);
  CHECK(vernier_output(device, jobs[0], 0, first, output.num_bytes) == VERNIER_OK);
  for (i = 1; i < 4; ++i) {
    memset(again, 99, sizeof again);
    CHECK(vernier_output(device, jobs[i], 0, again, output.num_bytes) == VERNIER_OK);
    CHECK(memcmp(first, again, output.num_bytes) == 0);
  }
  CHECK(vernier_job_info(device, jobs[1], &info) == VERNIER_OK && info.outcome == VERNIER_JOB_DONE);
  CHECK(info.arrival_cycle <= info.start_cycle && info.start_cycle < info.end_cycle && info.end_cycle <= info.told_cycle);
  for (i = 0; i < vernier_num_events(); ++i) {
    int64_t value = -1;
    CHECK(vernier_event_count(device, jobs[1], i, &value) == VERNIER_OK && value >= 0);
    if (strcmp(vernier_event_name(i), "mac_array.busy_cycles") == 0) busy = value;
    if (strcmp(vernier_event_name(i), "commands.retired") == 0) num_commands = value;
  }
  CHECK(busy > 0 && busy < info.end_cycle - info.start_cycle);
  CHECK(num_commands > 1);
  CHECK(vernier_event_name(-1) == NULL && vernier_event_name(vernier_num_events()) == NULL);
  CHECK(vernier_release(device, jobs[1]) == VERNIER_OK);
  CHECK(vernier_job_info(device, jobs[1], &info) == VERNIER_BAD_NUMBER);

  /* Command by command: as many as the counter has. */
  CHECK(vernier_step_command(device) == VERNIER_ENDED);
  CHECK(vernier_submit(device, network, &request, &jobs[1]) == VERNIER_OK);
  for (i = 0; vernier_step_command(device) == VERNIER_OK; ++i) {
    CHECK(vernier_num_stepped(device, &count) == VERNIER_OK && count == 1);
    CHECK(vernier_stepped(device, 0, &command) == VERNIER_OK && command.job == jobs[1]);
    CHECK(command.start_cycle >= 0 && command.start_cycle <= command.end_cycle);
    num_ends += command.queue[0] == '\0'; /* it ends when it is read, before those that work */
    CHECK(command.queue[0] == '\0' || command.layer[0] != '\0');
  }
  CHECK(i == num_commands && num_ends == 1);
  CHECK(vernier_num_stepped(device, &count) == VERNIER_OK && count == 0);
  CHECK(vernier_stepped(device, 0, &command) == VERNIER_BAD_ARGUMENT);
  CHECK(vernier_wait(device, jobs[1], 0) == VERNIER_OK);
  CHECK(vernier_read(device, network, VERNIER_SRAM, 0, again, 4) == VERNIER_OK);
  CHECK(vernier_read(device, network, VERNIER_SRAM, place.sram_bytes - 3, again, 4) == VERNIER_BAD_ARGUMENT);
  CHECK(vernier_cycles(device, &cycles) == VERNIER_OK);
  CHECK(vernier_step(device, 12345) == VERNIER_OK);
  CHECK(vernier_cycles(device, &later) == VERNIER_OK && later == cycles + 12345);

  /* A job that has no time, and one that is cancelled. */
  request.time_out_cycles = 100;
  CHECK(vernier_submit(device, network, &request, &jobs[1]) == VERNIER_OK);
  CHECK(vernier_wait(device, jobs[1], -1) == VERNIER_OK);
  CHECK(vernier_job_info(device, jobs[1], &info) == VERNIER_OK && info.outcome == VERNIER_JOB_TIMED_OUT);
  CHECK(vernier_output(device, jobs[1], 0, again, output.num_bytes) == VERNIER_BAD_ARGUMENT);
  request.time_out_cycles = 0;
  CHECK(vernier_submit(device, network, &request, &jobs[1]) == VERNIER_OK);
  CHECK(vernier_cancel(device, jobs[1]) == VERNIER_OK);
  CHECK(vernier_wait(device, jobs[1], -1) == VERNIER_OK);
  CHECK(vernier_job_info(device, jobs[1], &info) == VERNIER_OK && info.outcome == VERNIER_JOB_CANCELLED);
  CHECK(vernier_unload(device, network) == VERNIER_OK);
  CHECK(vernier_submit(device, network, &request, &jobs[1]) == VERNIER_BAD_NUMBER);
  CHECK(vernier_close(device) == VERNIER_OK);
  CHECK(vernier_close(device) == VERNIER_BAD_HANDLE);
  CHECK(vernier_wait(device, jobs[0], -1) == VERNIER_BAD_HANDLE);
  CHECK(strstr(vernier_message(), "closed") != NULL);
  free((void*)buffer.data);
}

/* A device with firmware and a network on it, and a request for it whose bytes are 3. */
static vernier_device* device_with(const char* package, int32_t* network, vernier_buffer* buffer, vernier_request* request) {
  const vernier_options options = options_of(VERNIER_CONTROL_CPU);
  vernier_device* device = NULL;
  vernier_tensor input;
  CHECK(vernier_open(&options, &device) == VERNIER_OK);
  CHECK(vernier_load(device, package, network) == VERNIER_OK);
  CHECK(vernier_tensor_info(device, *network, VERNIER_INPUT, 0, &input) == VERNIER_OK);
  *request = request_of(buffer, &input, 3);
  return device;
}

static void tells_of_faults(const char* package) {
  int32_t network = -1, job = -1;
  vernier_buffer buffer;
  vernier_request request;
  vernier_job info;
  vernier_fault fault;
  vernier_device* device = device_with(package, &network, &buffer, &request);
  request.watchdog_cycles = 20; /* the first command takes longer */
  CHECK(vernier_submit(device, network, &request, &job) == VERNIER_OK);
  CHECK(vernier_wait(device, job, -1) == VERNIER_OK);
  CHECK(vernier_job_info(device, job, &info) == VERNIER_OK && info.outcome == VERNIER_JOB_WATCHDOG);
  CHECK(vernier_job_fault(device, job, &fault) == VERNIER_OK);
  CHECK(fault.command == -1 && strcmp(fault.code_name, "watchdog") == 0);
  request.watchdog_cycles = 0;
  CHECK(vernier_submit(device, network, &request, &job) == VERNIER_OK);
  CHECK(vernier_wait(device, job, -1) == VERNIER_OK);
  CHECK(vernier_job_info(device, job, &info) == VERNIER_OK && info.outcome == VERNIER_JOB_DONE);
  CHECK(vernier_job_fault(device, job, &fault) == VERNIER_BAD_ARGUMENT);
  CHECK(vernier_close(device) == VERNIER_OK);
  free((void*)buffer.data);
}

/* A package whose command reads a byte that nobody has written. */
static void tells_where_a_fault_is(const char* package) {
  int32_t network = -1, job = -1;
  vernier_buffer buffer;
  vernier_request request;
  vernier_fault fault;
  char place[64];
  vernier_device* device = device_with(package, &network, &buffer, &request);
  CHECK(vernier_submit(device, network, &request, &job) == VERNIER_OK);
  CHECK(vernier_wait(device, job, -1) == VERNIER_OK);
  CHECK(vernier_job_fault(device, job, &fault) == VERNIER_OK);
  CHECK(strcmp(fault.code_name, "uninitialised read") == 0 && fault.command >= 0);
  CHECK(fault.memory == VERNIER_SRAM && fault.address > 0);
  sprintf(place, "sram:0x%llx,", (long long)fault.address);
  CHECK(strstr(fault.text, place) != NULL);
  CHECK(vernier_close(device) == VERNIER_OK);
  free((void*)buffer.data);
}

static void refuses(const char* package, const char* of_another_machine, const char* no_package) {
  vernier_options options = options_of(VERNIER_CONTROL_DIRECT);
  vernier_device* device = NULL;
  vernier_tensor input;
  vernier_buffer buffer;
  vernier_request request;
  int32_t network = 77, job = 77, count = 77;
  CHECK(vernier_open(NULL, &device) == VERNIER_NULL);
  CHECK(vernier_open(&options, NULL) == VERNIER_NULL);
  options.config = NULL;
  CHECK(vernier_open(&options, &device) == VERNIER_NULL);
  options.config = "v257";
  CHECK(vernier_open(&options, &device) == VERNIER_BAD_FILE);
  CHECK(strstr(vernier_message(), "v257") != NULL && strchr(vernier_message(), '\n') == NULL);
  options.config = "v256";
  options.control = 2;
  CHECK(vernier_open(&options, &device) == VERNIER_BAD_ARGUMENT);
  options.control = VERNIER_CONTROL_DIRECT;
  options.firmware = "job_server.elf";
  CHECK(vernier_open(&options, &device) == VERNIER_BAD_ARGUMENT);
  options.control = VERNIER_CONTROL_CPU;
  CHECK(vernier_open(&options, &device) == VERNIER_BAD_FILE);
  options.firmware = no_package;
  CHECK(vernier_open(&options, &device) == VERNIER_BAD_FILE);
  CHECK(device == NULL);
  options.firmware = NULL;
  CHECK(vernier_load(device, package, &network) == VERNIER_NULL);
  CHECK(vernier_load((vernier_device*)&options, package, &network) == VERNIER_BAD_HANDLE);
  CHECK(vernier_open(&options, &device) == VERNIER_OK);
  CHECK(vernier_load(device, NULL, &network) == VERNIER_NULL);
  CHECK(vernier_load(device, "missing.vnpu", &network) == VERNIER_BAD_FILE);
  CHECK(vernier_load(device, no_package, &network) == VERNIER_BAD_FILE);
  CHECK(vernier_load_bytes(device, "VNPU", 4, &network) == VERNIER_BAD_FILE);
  CHECK(vernier_load(device, of_another_machine, &network) == VERNIER_NO_FIT);
  CHECK(strstr(vernier_message(), "lanes is 8, the machine has 16") != NULL);
  CHECK(network == 77);
  CHECK(vernier_load(device, package, &network) == VERNIER_OK);
  CHECK(vernier_num_tensors(device, network, 2, &count) == VERNIER_BAD_ARGUMENT && count == 77);
  CHECK(vernier_num_tensors(device, network + 1, VERNIER_INPUT, &count) == VERNIER_BAD_NUMBER);
  CHECK(vernier_tensor_info(device, network, VERNIER_INPUT, 1, &input) == VERNIER_BAD_NUMBER);
  CHECK(vernier_tensor_info(device, network, VERNIER_INPUT, -1, &input) == VERNIER_BAD_NUMBER);
  CHECK(vernier_tensor_info(device, network, VERNIER_INPUT, 0, &input) == VERNIER_OK);
  request = request_of(&buffer, &input, 0);
  CHECK(vernier_submit(device, network, NULL, &job) == VERNIER_NULL);
  request.num_inputs = 2;
  CHECK(vernier_submit(device, network, &request, &job) == VERNIER_BAD_ARGUMENT);
  request.num_inputs = 1;
  ++buffer.num_bytes;
  CHECK(vernier_submit(device, network, &request, &job) == VERNIER_BAD_ARGUMENT);
  CHECK(strstr(vernier_message(), "expected") != NULL);
  --buffer.num_bytes;
  request.time_out_cycles = -1;
  CHECK(vernier_submit(device, network, &request, &job) == VERNIER_BAD_ARGUMENT);
  request.time_out_cycles = 0;
  request.inputs = NULL;
  CHECK(vernier_submit(device, network, &request, &job) == VERNIER_NULL);
  CHECK(job == 77);
  CHECK(vernier_wait(device, 1, -1) == VERNIER_BAD_NUMBER);
  CHECK(vernier_cancel(device, 1) == VERNIER_BAD_NUMBER);
  CHECK(vernier_step(device, -1) == VERNIER_BAD_ARGUMENT);
  CHECK(vernier_close(device) == VERNIER_OK);
  CHECK(vernier_close(NULL) == VERNIER_NULL);
  free((void*)buffer.data);
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  CHECK(vernier_host_version() == VERNIER_HOST_VERSION);
  CHECK(strcmp(vernier_message(), "") == 0);
  refuses(argv[1], argv[2], argv[3]);
  runs_jobs(argv[1], VERNIER_CONTROL_DIRECT);
  runs_jobs(argv[1], VERNIER_CONTROL_CPU);
  tells_of_faults(argv[1]);
  tells_where_a_fault_is(argv[4]);
  return num_failures == 0 ? 0 : 1;
}
