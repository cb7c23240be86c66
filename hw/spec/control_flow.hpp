// SPDX-License-Identifier: Apache-2.0
// Control flow of a job: the table of steps that lies in memory, and that the firmware carries out [decision 0031].
//
// A job with NUM_STEPS above 0 is a table. STREAM_SPACE and STREAM_ADDRESS say where its first byte is in the job's region,
// STREAM_BYTES how long it is. Step 0 comes first; the job is done when the step after the last one would be next. The
// firmware commits a stream when the one before it has ended; no other job runs between the streams of one job.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace vernier::spec {

/// How deep branches and loops of a package may stand in one another, which is TOSA's limit at level 8K [decision 0031].
inline constexpr int64_t kMostFlowDepth = 6;

/// Bits 1:0 of the first word of a step [decision 0031].
enum class FlowStep : uint32_t { Run = 0, BranchIfZero = 1, Jump = 2 };
inline constexpr uint32_t kFlowKindMask = 3;   // [decision 0031]
inline constexpr uint32_t kFlowStepBytes = 8;  // [decision 0031]

/// A place in the job's region: the byte, and this bit for external memory; without it SRAM [decision 0031].
inline constexpr uint32_t kFlowExternal = 0x8000'0000;
/// First word of BranchIfZero and Jump: the number of the step to go to, above these bits [decision 0031].
inline constexpr uint32_t kFlowTargetShift = 4;

struct FlowStepText {
  std::string_view name, first_word, second_word, description;
};
/// In the order of FlowStep [decision 0031].
inline constexpr std::array<FlowStepText, 3> kFlowSteps{{
    {"RUN", "bits 31:4: length of the stream in units of 16 bytes", "place of the stream's first byte",
     "runs a stream; the next step follows when it is done"},
    {"BRANCH_IF_ZERO", "bits 31:4: number of a step", "place of a byte",
     "goes to that step where the byte is 0, else to the next one"},
    {"JUMP", "bits 31:4: number of a step", "0", "goes to that step"},
}};

}  // namespace vernier::spec
