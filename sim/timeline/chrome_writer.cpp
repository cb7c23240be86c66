// SPDX-License-Identifier: Apache-2.0
// The Trace Event Format of Chrome's tracing ("Trace Event Format", Google, JSON object form). Times are in microseconds
// there, with three decimals: a cycle is a nanosecond.
#include "hw/base/text.hpp"
#include "sim/timeline/timeline_writer.hpp"

#include <fmt/format.h>

#include <iterator>
#include <span>

namespace vernier::timeline {
namespace {

using base::json_quoted;

constexpr int kChromePid = 1;

std::string time_text(int64_t cycle) { return fmt::format("{}.{:03}", cycle / 1000, cycle % 1000); }
/// A track's number of thread; 0 is the process's.
size_t thread_of(size_t track) { return track + 1; }

class ChromeWriter : public TimelineWriter {
 public:
  void declare(const Heading& heading, const std::vector<Track>& tracks, const std::vector<Counter>& counters) override {
    text_ = "{\"displayTimeUnit\": \"ns\", \"otherData\": {";
    for (size_t i = 0; i < heading.facts.size(); ++i) {
      const auto& [name, value] = heading.facts[i];
      text_ += fmt::format("{}{}: {}", i == 0 ? "" : ", ", json_quoted(name), json_quoted(value));
    }
    text_ += "}, \"traceEvents\": [";
    begin("M");
    text_ += fmt::format("\"name\": \"process_name\", \"args\": {{\"name\": {}}}}}", json_quoted(heading.title));
    for (size_t i = 0; i < tracks.size(); ++i) {
      begin("M");
      text_ += fmt::format("\"tid\": {}, \"name\": \"thread_name\", \"args\": {{\"name\": {}}}}}", thread_of(i),
                           json_quoted(tracks[i].name));
      begin("M");
      text_ +=
          fmt::format("\"tid\": {}, \"name\": \"thread_sort_index\", \"args\": {{\"sort_index\": {}}}}}", thread_of(i), i);
    }
    counters_ = counters;
  }
  void slice(const Slice& slice) override {
    begin("X");
    text_ +=
        fmt::format("\"tid\": {}, \"cat\": \"{}\", \"ts\": {}, \"dur\": {}, \"name\": {}, \"args\": {{",
                    thread_of(slice.track), kSliceKindNames[static_cast<size_t>(slice.kind)], time_text(slice.start_cycle),
                    time_text(slice.end_cycle - slice.start_cycle), json_quoted(slice.name));
    for (size_t i = 0; i < slice.arguments.size(); ++i) {
      const Argument& argument = slice.arguments[i];
      const auto* number = std::get_if<int64_t>(&argument.value);
      text_ +=
          fmt::format("{}\"{}\": {}", i == 0 ? "" : ", ", argument.name,
                      number != nullptr ? fmt::format("{}", *number) : json_quoted(std::get<std::string>(argument.value)));
    }
    text_ += "}}";
  }
  void arrow(const Arrow& arrow) override {
    const std::string_view name = !arrow.is_token ? "data" : arrow.data_bytes > 0 ? "token and data" : "token";
    // It begins in the last cycle of its slice: viewers look for the slice that is open at that time.
    begin("s");
    text_ += fmt::format("\"tid\": {}, \"cat\": \"arrow\", \"name\": \"{}\", \"id\": {}, \"ts\": {}}}",
                         thread_of(arrow.from_track), name, arrow.id, time_text(arrow.from_cycle - 1));
    begin("f");
    text_ += fmt::format("\"tid\": {}, \"cat\": \"arrow\", \"name\": \"{}\", \"id\": {}, \"ts\": {}, \"bp\": \"e\"}}",
                         thread_of(arrow.to_track), name, arrow.id, time_text(arrow.to_cycle));
  }
  void value(size_t counter, int64_t cycle, double value) override {
    begin("C");
    text_ += fmt::format("\"name\": \"{}\", \"ts\": {}, \"args\": {{\"{}\": {}}}}}", counters_[counter].name,
                         time_text(cycle), counters_[counter].unit, value);
  }
  std::vector<std::byte> finish() override {
    text_ += "\n]}\n";
    const auto bytes = std::as_bytes(std::span(text_));
    return {bytes.begin(), bytes.end()};
  }

 private:
  void begin(std::string_view phase) {
    text_ += fmt::format("{}\n{{\"ph\": \"{}\", \"pid\": {}, ", is_first_ ? "" : ",", phase, kChromePid);
    is_first_ = false;
  }
  std::string text_;
  bool is_first_ = true;
  std::vector<Counter> counters_;
};

}  // namespace

std::unique_ptr<TimelineWriter> make_chrome_writer() { return std::make_unique<ChromeWriter>(); }

}  // namespace vernier::timeline
