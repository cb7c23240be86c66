/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler calls where it copies or clears a structure; there is no C library. */
#include <stddef.h>

void* memcpy(void* restrict to, const void* restrict from, size_t num_bytes);
void* memcpy(void* restrict to, const void* restrict from, size_t num_bytes) {
  unsigned char* out = to;
  const unsigned char* in = from;
  while (num_bytes-- > 0) *out++ = *in++;
  return to;
}

void* memset(void* to, int value, size_t num_bytes);
void* memset(void* to, int value, size_t num_bytes) {
  unsigned char* out = to;
  while (num_bytes-- > 0) *out++ = (unsigned char)value;
  return to;
}
