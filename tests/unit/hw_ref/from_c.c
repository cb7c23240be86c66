/* SPDX-License-Identifier: Apache-2.0 */
/* libvernier_ref from C: vectors worked by hand, and what is refused. Exit code 0: all is well. */
#include "hw/ref/vernier_ref.h"

#include <stdio.h>

static int failures = 0;

static void expect(const char* what, int32_t found, int32_t expected) {
  if (found == expected) return;
  printf("%s: found %d, expected %d\n", what, (int)found, (int)expected);
  ++failures;
}

static vernier_ref_rescale_setup setup_of(int32_t in_type, int32_t out_type, int32_t rounding) {
  vernier_ref_rescale_setup setup = {0};
  setup.in_type = in_type;
  setup.out_type = out_type;
  setup.scale32 = 1;
  setup.rounding = rounding;
  setup.clamp_min = INT32_MIN;
  setup.clamp_max = INT32_MAX;
  return setup;
}

static void test_rescale(void) {
  int32_t result = 77;
  vernier_ref_rescale_setup setup = setup_of(VERNIER_REF_INT32, VERNIER_REF_INT32, VERNIER_REF_SINGLE_ROUND);
  /* 5 * 2^30 / 2^31 = 2.5: up; half to even: down. */
  expect("code", vernier_ref_rescale(&setup, 5, 1 << 30, 31, &result), VERNIER_REF_OK);
  expect("2.5 rounded up", result, 3);
  setup.rounding = VERNIER_REF_HALF_EVEN;
  vernier_ref_rescale(&setup, 5, 1 << 30, 31, &result);
  expect("2.5 to the even number", result, 2);
  /* -5 * 2^30 / 2^32 = -1.25; double rounding moves it by -1/4 more: -1.5, and the half goes up to -1. */
  setup.rounding = VERNIER_REF_DOUBLE_ROUND;
  vernier_ref_rescale(&setup, -5, 1 << 30, 32, &result);
  expect("-1.25, double", result, -1);
  /* int8 -1 read as unsigned is 255; less 128, times 1, plus 10, to int8: 137 saturates to 127. */
  setup = setup_of(VERNIER_REF_INT8, VERNIER_REF_INT8, VERNIER_REF_SINGLE_ROUND);
  setup.in_unsigned = 1;
  setup.in_zero_point = 128;
  setup.out_zero_point = 10;
  vernier_ref_rescale(&setup, -1, 1 << 30, 30, &result);
  expect("saturated", result, 127);
  setup.out_unsigned = 1;
  vernier_ref_rescale(&setup, -1, 1 << 30, 30, &result);
  expect("unsigned", result, 137);
  setup.clamp_max = 100;
  vernier_ref_rescale(&setup, -1, 1 << 30, 30, &result);
  expect("clamped", result, 100);
  /* 48 x 16: 2^40 * 3 / 2^41 = 1.5; a multiplier's upper half does not count. */
  setup = setup_of(VERNIER_REF_INT48, VERNIER_REF_INT16, VERNIER_REF_SINGLE_ROUND);
  setup.scale32 = 0;
  vernier_ref_rescale(&setup, INT64_C(1) << 40, 0x70003, 41, &result);
  expect("48 x 16", result, 2);
}

static void test_lanes(void) {
  const vernier_ref_rescale_setup setup = setup_of(VERNIER_REF_INT16, VERNIER_REF_INT16, VERNIER_REF_SINGLE_ROUND);
  const int64_t values[3] = {100, -100, 32767};
  const int32_t multipliers[3] = {1 << 30, 1 << 30, 1 << 30}, shifts[3] = {30, 31, 29};
  int32_t results[3] = {0, 0, 0};
  expect("code of lanes", vernier_ref_rescale_lanes(&setup, 3, values, multipliers, shifts, results), VERNIER_REF_OK);
  expect("lane 0", results[0], 100);
  expect("lane 1", results[1], -50);
  expect("lane 2", results[2], 32767);
  expect("no lanes", vernier_ref_rescale_lanes(&setup, 0, NULL, NULL, NULL, NULL), VERNIER_REF_OK);
}

static void test_table(void) {
  int8_t bytes[256];
  int16_t halves[513];
  int32_t words[256];
  int32_t result = 0;
  int i;
  for (i = 0; i < 256; ++i) {
    bytes[i] = (int8_t)(127 - i);
    words[i] = 1000 * i;
  }
  for (i = 0; i < 513; ++i) halves[i] = (int16_t)(10 * i);
  expect("code of a table", vernier_ref_table(VERNIER_REF_INT8, bytes, sizeof bytes, -128, &result), VERNIER_REF_OK);
  expect("first entry", result, 127);
  vernier_ref_table(VERNIER_REF_INT32, words, sizeof words, 127, &result);
  expect("last entry", result, 255000);
  /* -32768 + 128 + 32: a quarter of the way from entry 1 to entry 2: 10 * 128 + 10 * 32. */
  vernier_ref_table(VERNIER_REF_INT16, halves, sizeof halves, -32768 + 128 + 32, &result);
  expect("between entries", result, 1600);
}

static void test_refused(void) {
  vernier_ref_rescale_setup setup = setup_of(VERNIER_REF_INT8, VERNIER_REF_INT8, VERNIER_REF_SINGLE_ROUND);
  int32_t result = 77;
  expect("no setup", vernier_ref_rescale(NULL, 1, 1, 2, &result), VERNIER_REF_NULL);
  expect("no result", vernier_ref_rescale(&setup, 1, 1, 2, NULL), VERNIER_REF_NULL);
  setup.in_type = VERNIER_REF_INT48 + 1;
  expect("in type", vernier_ref_rescale(&setup, 1, 1, 2, &result), VERNIER_REF_TYPE);
  setup.in_type = VERNIER_REF_INT8;
  setup.out_type = VERNIER_REF_INT48;
  expect("out type", vernier_ref_rescale(&setup, 1, 1, 2, &result), VERNIER_REF_TYPE);
  setup.out_type = VERNIER_REF_INT8;
  setup.rounding = 4;
  expect("rounding", vernier_ref_rescale(&setup, 1, 1, 2, &result), VERNIER_REF_ROUNDING);
  expect("table format", vernier_ref_table(VERNIER_REF_INT48, &setup, 256, 0, &result), VERNIER_REF_TYPE);
  expect("table size", vernier_ref_table(VERNIER_REF_INT8, &setup, 255, 0, &result), VERNIER_REF_SIZE);
  expect("no table", vernier_ref_table(VERNIER_REF_INT8, NULL, 256, 0, &result), VERNIER_REF_NULL);
  expect("nothing was written", result, 77);
}

int main(void) {
  expect("version", vernier_ref_version(), VERNIER_REF_VERSION);
  test_rescale();
  test_lanes();
  test_table();
  test_refused();
  return failures == 0 ? 0 : 1;
}
