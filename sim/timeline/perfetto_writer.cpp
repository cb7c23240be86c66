// SPDX-License-Identifier: Apache-2.0
// Perfetto's trace: a Trace message of TracePackets. The numbers of fields are those of the public definitions in
// github.com/google/perfetto, protos/perfetto/trace/: trace.proto, trace_packet.proto, interned_data/interned_data.proto and
// track_event/{track_descriptor, process_descriptor, counter_descriptor, track_event, debug_annotation}.proto.
#include "sim/timeline/protobuf.hpp"
#include "sim/timeline/timeline_writer.hpp"

#include <map>
#include <span>

namespace vernier::timeline {
namespace {

namespace trace {
constexpr uint32_t kPacket = 1;
}
namespace trace_packet {
constexpr uint32_t kTimestamp = 8, kTrustedPacketSequenceId = 10, kTrackEvent = 11, kInternedData = 12, kSequenceFlags = 13,
                   kTrackDescriptor = 60;
// SequenceFlags
constexpr uint64_t kIncrementalStateCleared = 1, kNeedsIncrementalState = 2;
}  // namespace trace_packet
namespace track_descriptor {
constexpr uint32_t kUuid = 1, kName = 2, kProcess = 3, kParentUuid = 5, kCounter = 8, kChildOrdering = 11,
                   kSiblingOrderRank = 12, kDescription = 14;
constexpr uint64_t kExplicit = 3;  // ChildTracksOrdering
}  // namespace track_descriptor
namespace process_descriptor {
constexpr uint32_t kPid = 1, kProcessName = 6;
}
namespace counter_descriptor {
constexpr uint32_t kUnitName = 6;
}
namespace track_event {
constexpr uint32_t kCategoryIids = 3, kDebugAnnotations = 4, kType = 9, kNameIid = 10, kTrackUuid = 11,
                   kDoubleCounterValue = 44, kFlowIds = 47;
constexpr uint64_t kSliceBegin = 1, kSliceEnd = 2, kCounter = 4;  // Type
}  // namespace track_event
namespace debug_annotation {
constexpr uint32_t kNameIid = 1, kIntValue = 4, kStringValue = 6, kName = 10, kStringValueIid = 17;
}
// InternedData: lists of {iid, name}.
constexpr uint32_t kCategories = 1, kNames = 2, kAnnotationNames = 3, kAnnotationTexts = 29;
constexpr uint32_t kIid = 1, kText = 2;

constexpr uint64_t kSequence = 1, kProcessUuid = 1, kFirstTrackUuid = 2;
constexpr uint64_t kPid = 1;

/// Texts that stand once in the file; those that are new go out with the packet that needs them first.
class Interned {
 public:
  explicit Interned(uint32_t field) : field_(field) {}
  uint64_t iid_of(std::string_view text, ProtoMessage& news, bool& has_news) {
    const auto [entry, is_new] = iids_.try_emplace(std::string(text), iids_.size() + 1);
    if (is_new) {
      ProtoMessage message;
      message.add_varint(kIid, entry->second);
      message.add_text(kText, text);
      news.add_message(field_, message);
      has_news = true;
    }
    return entry->second;
  }

 private:
  uint32_t field_;
  std::map<std::string, uint64_t, std::less<>> iids_;
};

class PerfettoWriter : public TimelineWriter {
 public:
  void declare(const Heading& heading, const std::vector<Track>& tracks, const std::vector<Counter>& counters) override {
    declare_process(heading);
    for (size_t i = 0; i < tracks.size(); ++i) {
      const Track& track = tracks[i];
      ProtoMessage descriptor = descriptor_of(kFirstTrackUuid + i, track.name, track.description, i);
      descriptor.add_varint(track_descriptor::kParentUuid,
                            track.parent == Track::kNone ? kProcessUuid : kFirstTrackUuid + track.parent);
      put_descriptor(descriptor);
    }
    first_counter_uuid_ = kFirstTrackUuid + tracks.size();
    for (size_t i = 0; i < counters.size(); ++i) {
      ProtoMessage descriptor =
          descriptor_of(first_counter_uuid_ + i, counters[i].name, counters[i].description, tracks.size() + i);
      descriptor.add_varint(track_descriptor::kParentUuid, kProcessUuid);
      ProtoMessage unit;
      unit.add_text(counter_descriptor::kUnitName, counters[i].unit);
      descriptor.add_message(track_descriptor::kCounter, unit);
      put_descriptor(descriptor);
    }
  }

  void slice(const Slice& slice) override {
    ProtoMessage event;
    event.add_varint(track_event::kType, track_event::kSliceBegin);
    event.add_varint(track_event::kTrackUuid, kFirstTrackUuid + slice.track);
    event.add_varint(track_event::kNameIid, names_.iid_of(slice.name, news_, has_news_));
    event.add_varint(track_event::kCategoryIids,
                     categories_.iid_of(kSliceKindNames[static_cast<size_t>(slice.kind)], news_, has_news_));
    for (const Argument& argument : slice.arguments) add_annotation(event, argument);
    for (const int64_t arrow : slice.arrows) event.add_fixed64(track_event::kFlowIds, static_cast<uint64_t>(arrow));
    put_event(slice.start_cycle, event);
    ProtoMessage end;
    end.add_varint(track_event::kType, track_event::kSliceEnd);
    end.add_varint(track_event::kTrackUuid, kFirstTrackUuid + slice.track);
    put_event(slice.end_cycle, end);
  }
  /// Both slices have its id.
  void arrow(const Arrow& /*arrow*/) override {}
  void value(size_t counter, int64_t cycle, double value) override {
    ProtoMessage event;
    event.add_varint(track_event::kType, track_event::kCounter);
    event.add_varint(track_event::kTrackUuid, first_counter_uuid_ + counter);
    event.add_double(track_event::kDoubleCounterValue, value);
    put_event(cycle, event);
  }
  std::vector<std::byte> finish() override {
    const auto bytes = std::as_bytes(std::span(trace_.bytes()));
    return {bytes.begin(), bytes.end()};
  }

 private:
  void declare_process(const Heading& heading) {
    ProtoMessage process, descriptor, packet;
    process.add_varint(process_descriptor::kPid, kPid);
    process.add_text(process_descriptor::kProcessName, heading.title);
    descriptor.add_varint(track_descriptor::kUuid, kProcessUuid);
    descriptor.add_message(track_descriptor::kProcess, process);
    std::string facts;
    for (const auto& [name, value] : heading.facts) facts += std::string(name) + ": " + value + "\n";
    descriptor.add_text(track_descriptor::kDescription, facts);
    descriptor.add_varint(track_descriptor::kChildOrdering, track_descriptor::kExplicit);
    packet.add_varint(trace_packet::kTrustedPacketSequenceId, kSequence);
    packet.add_varint(trace_packet::kSequenceFlags, trace_packet::kIncrementalStateCleared);
    packet.add_message(trace_packet::kTrackDescriptor, descriptor);
    trace_.add_message(trace::kPacket, packet);
  }
  static ProtoMessage descriptor_of(uint64_t uuid, const std::string& name, const std::string& description, size_t rank) {
    ProtoMessage descriptor;
    descriptor.add_varint(track_descriptor::kUuid, uuid);
    descriptor.add_text(track_descriptor::kName, name);
    descriptor.add_text(track_descriptor::kDescription, description);
    descriptor.add_varint(track_descriptor::kSiblingOrderRank, rank);
    descriptor.add_varint(track_descriptor::kChildOrdering, track_descriptor::kExplicit);
    return descriptor;
  }
  void put_descriptor(const ProtoMessage& descriptor) {
    ProtoMessage packet;
    packet.add_varint(trace_packet::kTrustedPacketSequenceId, kSequence);
    packet.add_message(trace_packet::kTrackDescriptor, descriptor);
    trace_.add_message(trace::kPacket, packet);
  }
  void add_annotation(ProtoMessage& event, const Argument& argument) {
    ProtoMessage annotation;
    annotation.add_varint(debug_annotation::kNameIid, annotation_names_.iid_of(argument.name, news_, has_news_));
    if (const auto* number = std::get_if<int64_t>(&argument.value)) {
      annotation.add_varint(debug_annotation::kIntValue, static_cast<uint64_t>(*number));
    } else {
      annotation.add_varint(debug_annotation::kStringValueIid,
                            annotation_texts_.iid_of(std::get<std::string>(argument.value), news_, has_news_));
    }
    event.add_message(track_event::kDebugAnnotations, annotation);
  }
  void put_event(int64_t cycle, const ProtoMessage& event) {
    ProtoMessage packet;
    packet.add_varint(trace_packet::kTimestamp, static_cast<uint64_t>(cycle));
    packet.add_varint(trace_packet::kTrustedPacketSequenceId, kSequence);
    packet.add_varint(trace_packet::kSequenceFlags, trace_packet::kNeedsIncrementalState);
    if (has_news_) packet.add_message(trace_packet::kInternedData, news_);
    news_ = ProtoMessage();
    has_news_ = false;
    packet.add_message(trace_packet::kTrackEvent, event);
    trace_.add_message(trace::kPacket, packet);
  }

  ProtoMessage trace_, news_;
  bool has_news_ = false;
  uint64_t first_counter_uuid_ = 0;
  Interned categories_{kCategories}, names_{kNames}, annotation_names_{kAnnotationNames},
      annotation_texts_{kAnnotationTexts};
};

}  // namespace

std::unique_ptr<TimelineWriter> make_perfetto_writer() { return std::make_unique<PerfettoWriter>(); }

}  // namespace vernier::timeline
