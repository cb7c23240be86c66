// SPDX-License-Identifier: Apache-2.0
// The timeline of a job: a track a unit, a slice a command, arrows along tokens and data, counters. What stands in the file
// is written down in docs/reference/traces.md, whose version is kTimelineSchema.
#pragma once

#include "sim/timeline/timeline_writer.hpp"
#include "sim/timeline/watched_job.hpp"

#include <string>
#include <vector>

namespace vernier::timeline {

inline constexpr std::string_view kTimelineSchema = "vernier-timeline/1";

/// Tells `writer` everything but the end.
void tell(const WatchedJob& watched, TimelineWriter& writer);

enum class TimelineFormat : uint8_t { Perfetto, Chrome };
/// By the file's ending, .perfetto-trace or .json; UserError for another one.
TimelineFormat timeline_format_of(const std::string& file);
std::vector<std::byte> to_bytes(const WatchedJob& watched, TimelineFormat format);

}  // namespace vernier::timeline
