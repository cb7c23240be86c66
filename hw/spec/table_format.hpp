// SPDX-License-Identifier: Apache-2.0
// The tables that a slot of the table unit holds.
#pragma once

namespace vernier::spec {

inline constexpr int kTable8Entries = 256;   // of 8 or 32 bit, looked up by a byte [TOSA 1.0 TABLE]
inline constexpr int kTable16Entries = 513;  // of 16 bit, with interpolation over 7 bits [TOSA 1.0 TABLE]

}  // namespace vernier::spec
