/* SPDX-License-Identifier: Apache-2.0 */
/* The golden arithmetic of Vernier's rescale unit and table unit for programs in C, and for SystemVerilog by DPI-C: the
 * library libvernier_ref.so. Results are those of hw/model, bit for bit, and so those of npu_rescale_unit and
 * npu_table_unit.
 *
 * Every function returns VERNIER_REF_OK or what is wrong with its arguments; in that case no result is written. Nothing is
 * allocated, nothing is kept between calls: they may come from any number of threads. Within a version of this interface
 * nothing changes but that functions and codes are added. */
#ifndef VERNIER_REF_H
#define VERNIER_REF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define VERNIER_REF_VERSION 1

/* The version of the library; it should equal VERNIER_REF_VERSION, the version of this header. */
int32_t vernier_ref_version(void);

/* What a function returns. */
enum {
  VERNIER_REF_OK = 0,
  VERNIER_REF_NULL = 1,     /* a pointer is null */
  VERNIER_REF_TYPE = 2,     /* a type is not one of those that are allowed there */
  VERNIER_REF_ROUNDING = 3, /* a rounding is reserved */
  VERNIER_REF_SIZE = 4      /* a table has another size than its format */
};

/* Types and roundings: the codes of the command stream and of the RTL's ports (docs/reference/machine.md). */
enum { VERNIER_REF_INT8 = 2, VERNIER_REF_INT16 = 3, VERNIER_REF_INT32 = 4, VERNIER_REF_INT48 = 5 };
enum {
  VERNIER_REF_SINGLE_ROUND = 0,
  VERNIER_REF_DOUBLE_ROUND = 1,  /* counts with scale32 and shifts above 31; else as single */
  VERNIER_REF_INEXACT_ROUND = 2, /* as single */
  VERNIER_REF_HALF_EVEN = 3      /* of the exact quotient; not in TOSA */
};

/* What all elements of a RESCALE share. Zero points and limits are numbers, not stored bits: 255 of an unsigned int8 is 255.
 */
typedef struct {
  int32_t in_type;        /* VERNIER_REF_INT8 to VERNIER_REF_INT48 */
  int32_t out_type;       /* VERNIER_REF_INT8, VERNIER_REF_INT16 or VERNIER_REF_INT32 */
  int32_t in_unsigned;    /* 0 or 1 */
  int32_t out_unsigned;   /* 0 or 1 */
  int32_t scale32;        /* 1: 32 x 32 bits; 0: 48 x 16, the low 16 bits of a multiplier, sign-extended */
  int32_t rounding;       /* VERNIER_REF_SINGLE_ROUND to VERNIER_REF_HALF_EVEN */
  int32_t in_zero_point;  /* subtracted from the value */
  int32_t out_zero_point; /* added to the scaled value, modulo 2^32 */
  int32_t clamp_min;      /* after saturation to the out type; INT32_MIN: none */
  int32_t clamp_max;      /* the stronger one; INT32_MAX: none */
} vernier_ref_rescale_setup;

/* TOSA 1.0 RESCALE of one element. Only the low bits of `value` that the in type has are read, and the low 6 bits of
 * `shift`; TOSA defines shifts 2 to 62. Where a REQUIRE of TOSA is violated, arithmetic wraps as the unit's does. *result is
 * a number: 255 of an unsigned int8. */
int32_t vernier_ref_rescale(const vernier_ref_rescale_setup* setup, int64_t value, int32_t multiplier, int32_t shift,
                            int32_t* result);

/* The same of `count` elements, each with a multiplier and a shift of its own. */
int32_t vernier_ref_rescale_lanes(const vernier_ref_rescale_setup* setup, size_t count, const int64_t* values,
                                  const int32_t* multipliers, const int32_t* shifts, int32_t* results);

/* A look-up in a table as it lies in SRAM, little-endian, of `table_bytes` bytes:
 *   VERNIER_REF_INT8    256 entries int8, result the entry at operand + 128
 *   VERNIER_REF_INT16   513 entries int16, result between two entries, linear with a fraction of 7 bits: 23 bits
 *   VERNIER_REF_INT32   256 entries int32, result the entry at operand + 128 (not in TOSA)
 * The low 8 bits of the operand count (INT16: the low 16). */
int32_t vernier_ref_table(int32_t format, const void* table, size_t table_bytes, int32_t operand, int32_t* result);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* VERNIER_REF_H */
