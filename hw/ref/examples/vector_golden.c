/* SPDX-License-Identifier: Apache-2.0 */
/* What vector_scoreboard.sv expects of a command: two int8 maps, each with a scale of its own, are added, and the sum is
 * scaled to int8. The arithmetic of the scales is that of libvernier_ref.so. */
#include "hw/ref/vernier_ref.h"

#define LANES 8

/* command_t of the bench: of a packed struct the last member comes first. */
typedef struct {
  int32_t shift[3], multiplier[3], zero[3]; /* of the maps a, b and their sum */
  int32_t rounding, per_row, rows, lanes;
} command;

static int32_t scale(const command* c, int map, int32_t out_type, const int32_t* from, int32_t* to) {
  const vernier_ref_rescale_setup setup = {VERNIER_REF_INT32,         out_type,  0,        0, 1, c->rounding, 0,
                                           map == 2 ? c->zero[2] : 0, INT32_MIN, INT32_MAX};
  int64_t values[LANES];
  int32_t multipliers[LANES], shifts[LANES], i;
  for (i = 0; i < LANES; ++i) {
    values[i] = map == 2 ? from[i] : from[i] - c->zero[map];
    multipliers[i] = c->multiplier[map];
    shifts[i] = c->shift[map];
  }
  return vernier_ref_rescale_lanes(&setup, LANES, values, multipliers, shifts, to);
}

/* One vector. Returns VERNIER_REF_OK, or what is wrong with the command or with the library. */
int golden_add(const uint32_t* of_bench, const uint32_t* a, const uint32_t* b, uint32_t* sum) {
  const command* c = (const command*)of_bench;
  int32_t scaled[2][LANES], i, wrong = vernier_ref_version() - VERNIER_REF_VERSION;
  if (wrong == 0) wrong = scale(c, 0, VERNIER_REF_INT32, (const int32_t*)a, scaled[0]);
  if (wrong == 0) wrong = scale(c, 1, VERNIER_REF_INT32, (const int32_t*)b, scaled[1]);
  for (i = 0; wrong == 0 && i < LANES; ++i) scaled[0][i] = (int32_t)((uint32_t)scaled[0][i] + (uint32_t)scaled[1][i]);
  return wrong != 0 ? wrong : scale(c, 2, VERNIER_REF_INT8, scaled[0], (int32_t*)sum);
}
