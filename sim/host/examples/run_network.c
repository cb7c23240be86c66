/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a package once through the firmware of the control CPU: run_network PACKAGE.vnpu INPUT OUTPUT [CONFIG]. INPUT has the
   bytes of all inputs, one after the other; OUTPUT gets those of all outputs. */
#include "sim/host/vernier.h"

#include <stdio.h>
#include <stdlib.h>

static void need(int32_t result) {
  if (result >= 0) return;
  fprintf(stderr, "run_network: %s\n", vernier_message());
  exit(1);
}

int main(int argc, char** argv) {
  vernier_options options = {"v256", VERNIER_CONTROL_CPU, NULL, NULL, NULL};
  vernier_device* device;
  int32_t network, num_inputs, num_outputs, job, i;
  if (argc < 4) return 2;
  if (argc > 4) options.config = argv[4];
  need(vernier_open(&options, &device));
  need(vernier_load(device, argv[1], &network));
  need(vernier_num_tensors(device, network, VERNIER_INPUT, &num_inputs));
  need(vernier_num_tensors(device, network, VERNIER_OUTPUT, &num_outputs));
  vernier_buffer* inputs = calloc((size_t)num_inputs, sizeof *inputs);
  vernier_request request = {inputs, num_inputs, 0, 0, 0, 0};
  vernier_tensor tensor;
  vernier_job info;
  FILE *in = fopen(argv[2], "rb"), *out = fopen(argv[3], "wb");
  if (in == NULL || out == NULL) return 2;
  for (i = 0; i < num_inputs; ++i) {
    need(vernier_tensor_info(device, network, VERNIER_INPUT, i, &tensor));
    void* data = malloc(tensor.num_bytes);
    if (fread(data, 1, tensor.num_bytes, in) != tensor.num_bytes) return 2;
    inputs[i] = (vernier_buffer){data, tensor.num_bytes};
  }
  need(vernier_submit(device, network, &request, &job));
  need(vernier_wait(device, job, -1));
  need(vernier_job_info(device, job, &info));
  printf("outcome %d, %lld cycles\n", info.outcome, (long long)(info.end_cycle - info.start_cycle));
  for (i = 0; i < num_outputs && info.outcome == VERNIER_JOB_DONE; ++i) {
    need(vernier_tensor_info(device, network, VERNIER_OUTPUT, i, &tensor));
    void* data = malloc(tensor.num_bytes);
    need(vernier_output(device, job, i, data, tensor.num_bytes));
    if (fwrite(data, 1, tensor.num_bytes, out) != tensor.num_bytes) return 1;
    free(data);
  }
  for (i = 0; i < num_inputs; ++i) free((void*)inputs[i].data);
  free(inputs);
  fclose(in);
  if (fclose(out) != 0) return 1;
  need(vernier_close(device));
  return info.outcome == VERNIER_JOB_DONE ? 0 : 4;
}
