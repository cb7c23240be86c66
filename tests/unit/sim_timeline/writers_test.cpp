// SPDX-License-Identifier: Apache-2.0
#include "hw/base/error.hpp"
#include "sim/timeline/protobuf.hpp"
#include "sim/timeline/timeline.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace vernier;
using namespace vernier::timeline;

namespace {

std::string hex(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Two slices with an arrow between them, and a counter.
void tell_two_slices(TimelineWriter& writer) {
  writer.declare({"a \"b\"", {{"schema", "s/1"}}}, {{"x", "about x"}, {"x state", "", 0}}, {{"c", "bytes", "about c"}});
  writer.slice({0, SliceKind::Command, 0, "first", 5, 2030, {{"command_idx", int64_t{7}}, {"layer", "l"}}, {1}});
  writer.slice({1, SliceKind::Command, 0, "first", 2030, 2031, {{"command_idx", int64_t{-1}}}, {1}});
  Arrow arrow;
  arrow.id = 1;
  arrow.from_cycle = 2030;
  arrow.to_cycle = 2030;
  arrow.data_bytes = 3;
  writer.arrow(arrow);
  writer.value(0, 4, 1.5);
}

}  // namespace

TEST_CASE("Protobuf's wire format: the examples of its documentation") {
  ProtoMessage inner;
  inner.add_varint(1, 150);
  CHECK(hex(inner.bytes()) == "089601");
  ProtoMessage text;
  text.add_text(2, "testing");
  CHECK(hex(text.bytes()) == "120774657374696e67");
  ProtoMessage outer;
  outer.add_message(3, inner);
  CHECK(hex(outer.bytes()) == "1a03089601");
  ProtoMessage numbers;
  numbers.add_varint(1, static_cast<uint64_t>(int64_t{-2}));
  CHECK(hex(numbers.bytes()) == "08feffffffffffffffff01");
  ProtoMessage fixed;
  fixed.add_double(44, 1.5);
  fixed.add_fixed64(47, 258);
  CHECK(hex(fixed.bytes()) == "e102000000000000f83ff9020201000000000000");
}

TEST_CASE("Chrome's form, whole: microseconds with three decimals, an arrow leaves in the last cycle of its slice") {
  const std::unique_ptr<TimelineWriter> writer = make_chrome_writer();
  tell_two_slices(*writer);
  CHECK(text_of(writer->finish()) == R"({"displayTimeUnit": "ns", "otherData": {"schema": "s/1"}, "traceEvents": [
{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "a \"b\""}},
{"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "x"}},
{"ph": "M", "pid": 1, "tid": 1, "name": "thread_sort_index", "args": {"sort_index": 0}},
{"ph": "M", "pid": 1, "tid": 2, "name": "thread_name", "args": {"name": "x state"}},
{"ph": "M", "pid": 1, "tid": 2, "name": "thread_sort_index", "args": {"sort_index": 1}},
{"ph": "X", "pid": 1, "tid": 1, "cat": "command", "ts": 0.005, "dur": 2.025, "name": "first", "args": {"command_idx": 7, "layer": "l"}},
{"ph": "X", "pid": 1, "tid": 1, "cat": "command", "ts": 2.030, "dur": 0.001, "name": "first", "args": {"command_idx": -1}},
{"ph": "s", "pid": 1, "tid": 1, "cat": "arrow", "name": "data", "id": 1, "ts": 2.029},
{"ph": "f", "pid": 1, "tid": 1, "cat": "arrow", "name": "data", "id": 1, "ts": 2.030, "bp": "e"},
{"ph": "C", "pid": 1, "name": "c", "ts": 0.004, "args": {"bytes": 1.5}}
]}
)");
}

TEST_CASE("Perfetto's form: a text stands once in the file, with the packet that needs it first") {
  const std::unique_ptr<TimelineWriter> writer = make_perfetto_writer();
  tell_two_slices(*writer);
  const std::string bytes = text_of(writer->finish());
  const auto count = [&](const std::string& text) {
    size_t times = 0;
    for (size_t at = bytes.find(text); at != std::string::npos; at = bytes.find(text, at + 1)) ++times;
    return times;
  };
  CHECK(count("first") == 1);
  CHECK(count("command_idx") == 1);
  CHECK(count("about x") == 1);
  CHECK(count("schema: s/1\n") == 1);
  // Every packet is one of the trace's, up to the last byte.
  size_t at = 0, packets = 0;
  for (; at < bytes.size(); ++packets) {
    REQUIRE(bytes[at] == '\x0a');
    const auto size = static_cast<unsigned char>(bytes.at(at + 1));
    REQUIRE(size < 0x80);
    at += 2 + size;
  }
  CHECK(at == bytes.size());
  CHECK(packets == 9);  // process, two tracks, a counter, two begins, two ends, a value
}

TEST_CASE("The form is the file's ending") {
  CHECK(timeline_format_of("a/b.perfetto-trace") == TimelineFormat::Perfetto);
  CHECK(timeline_format_of("b.json") == TimelineFormat::Chrome);
  CHECK_THROWS_WITH(timeline_format_of("b.pb"), "b.pb: a timeline's file ends in .perfetto-trace or .json");
}
