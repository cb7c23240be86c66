// SPDX-License-Identifier: Apache-2.0
// Buffers between the SRAM and the ports of array and vector unit: beats that were asked for and have not been taken. A
// stream without stalls has kSramReadLatencyCycles + 1 of them on their way [decision 0020].
#pragma once

#include <cstddef>

namespace vernier::spec {

/// Words of a stream that ask for their banks in a cycle, at most [decision 0020].
inline constexpr size_t kRequestWords = 4;
inline constexpr size_t kWeightBufferBeats = 4;      // [decision 0020]
inline constexpr size_t kActivationBufferBeats = 4;  // [decision 0020]
inline constexpr size_t kParameterBufferBeats = 3;   // [decision 0020]
inline constexpr size_t kAddendBufferBeats = 4;      // [decision 0020]
/// Rows of results that wait to be written [decision 0020].
inline constexpr size_t kResultBufferRows = 4;
/// So many of them come before all others [decision 0020].
inline constexpr size_t kCrowdedResultRows = 3;
/// Beats of loads, and of stores that wait to be written [decision 0020].
inline constexpr size_t kLoadBufferBeats = 4;
inline constexpr size_t kStoreBufferBeats = 4;  // [decision 0020]

}  // namespace vernier::spec
