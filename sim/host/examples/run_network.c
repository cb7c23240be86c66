/* SPDX-License-Identifier: Apache-2.0 */
/* run_network PACKAGE.vnpu INPUT OUTPUT: runs a network with one input and one output, such as keyword spotting, on the
   machine v256 with the firmware of its control CPU. The files have the tensors' bytes. Exit code 4: the job is not done. */
#include "sim/host/vernier.h"

#include <stdio.h>
#include <stdlib.h>

static void need(int32_t result) {
  if (result >= 0) return;
  fprintf(stderr, "run_network: %s\n", vernier_message());
  exit(1);
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const vernier_options options = {"v256", VERNIER_CONTROL_CPU, NULL, NULL, NULL};
  vernier_device* device;
  vernier_tensor input, output;
  vernier_job info;
  int32_t network, job;
  need(vernier_open(&options, &device));
  need(vernier_load(device, argv[1], &network));
  need(vernier_tensor_info(device, network, VERNIER_INPUT, 0, &input));
  need(vernier_tensor_info(device, network, VERNIER_OUTPUT, 0, &output));
  void *in = malloc(input.num_bytes), *out = malloc(output.num_bytes);
  FILE *from = fopen(argv[2], "rb"), *to = fopen(argv[3], "wb");
  if (from == NULL || to == NULL || fread(in, 1, input.num_bytes, from) != input.num_bytes) return 2;
  const vernier_buffer buffer = {in, input.num_bytes};
  const vernier_request request = {&buffer, 1, 0, 0, 0, 0};
  need(vernier_submit(device, network, &request, &job));
  need(vernier_wait(device, job, -1));
  need(vernier_job_info(device, job, &info));
  printf("outcome %d, %lld cycles\n", info.outcome, (long long)(info.end_cycle - info.start_cycle));
  if (info.outcome != VERNIER_JOB_DONE) return 4;
  need(vernier_output(device, job, 0, out, output.num_bytes));
  if (fwrite(out, 1, output.num_bytes, to) != output.num_bytes || fclose(to) != 0) return 1;
  free(in), free(out), fclose(from);
  need(vernier_close(device));
}
