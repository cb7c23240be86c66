# SPDX-License-Identifier: Apache-2.0
"""Timelines read back, of both forms, into one: tracks, slices, arrows, counters. Standard library only; Perfetto's form is
decoded here by the numbers of its fields, and by its own classes in tests/live/perfetto_test.py."""

import collections
import json
import struct

# Arrows are {(from track, from cycle, to track, to cycle): kinds}; Perfetto's have no kinds.
Timeline = collections.namedtuple("Timeline", "title facts tracks slices arrows counters")
Slice = collections.namedtuple("Slice", "track kind name start end args flows")


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """{field: [value]} of a message: numbers of varints, bytes of all else."""
    found, at = collections.defaultdict(list), 0
    while at < len(data):
        tag, at = varint(data, at)
        wire = tag & 7
        if wire == 0:
            value, at = varint(data, at)
        else:
            size, at = varint(data, at) if wire == 2 else ({1: 8, 5: 4}[wire], at)
            value = data[at:at + size]
            assert len(value) == size, "a field ends behind its message"
            at += size
        found[tag >> 3].append(value)
    return found


def signed(value):
    return value - (1 << 64) if value >> 63 else value


class PerfettoReader:
    """Packets of one sequence into a Timeline."""

    def __init__(self):
        self.names = {1: {}, 2: {}, 3: {}, 29: {}}  # interned: categories, names, annotation names, annotation texts
        self.tracks, self.counter_names, self.counters = {}, {}, collections.defaultdict(list)
        self.open, self.slices, self.title, self.facts = {}, [], None, {}

    def descriptor(self, uuid, name, process_name, parent, is_counter, description):
        if process_name is not None:
            self.title = process_name
            self.facts = dict(line.split(": ", 1) for line in description.splitlines())
            self.process = uuid
            return
        assert parent == self.process or parent in self.tracks, f"{name} hangs on nothing"
        names = self.counter_names if is_counter else self.tracks
        assert uuid not in names and name not in names.values(), f"{name} is there twice"
        names[uuid] = name

    def begin(self, track, cycle, category, name, args, flows):
        assert track not in self.open, f"a slice begins within a slice, at {cycle} of {self.tracks[track]}"
        self.open[track] = (category, name, cycle, args, flows)

    def end(self, track, cycle):
        category, name, start, args, flows = self.open.pop(track)
        self.slices.append(Slice(self.tracks[track], category, name, start, cycle, args, flows))

    def timeline(self):
        assert not self.open, "slices without an end"
        ends = collections.defaultdict(list)
        for s in sorted(self.slices, key=lambda s: s.start):
            for flow in s.flows:
                ends[flow].append(s)
        arrows = {}
        for flow, (giver, taker) in ends.items():  # each has two ends
            arrows[giver.track, giver.end, taker.track, taker.start] = ""
        return Timeline(self.title, self.facts, list(self.tracks.values()), self.slices, arrows, dict(self.counters))


def read_perfetto(data):
    reader = PerfettoReader()
    for packet in map(fields, fields(data)[1]):
        assert packet[10] == [1], "one sequence"
        for interned in map(fields, packet[12]):
            for field, texts in reader.names.items():
                for entry in map(fields, interned[field]):
                    assert entry[1][0] not in texts
                    texts[entry[1][0]] = entry[2][0].decode()
        for d in map(fields, packet[60]):
            process = fields(d[3][0])[6][0].decode() if d[3] else None
            reader.descriptor(d[1][0], d[2][0].decode() if d[2] else None, process, d[5][0] if d[5] else None, bool(d[8]),
                              d[14][0].decode())
        for event in map(fields, packet[11]):
            _add_event(reader, event, packet[8][0])
    return reader.timeline()


def _add_event(reader, event, cycle):
    kind, track = event[9][0], event[11][0]
    if kind == 1:
        args = {}
        for a in map(fields, event[4]):
            args[reader.names[3][a[1][0]]] = signed(a[4][0]) if a[4] else reader.names[29][a[17][0]]
        reader.begin(track, cycle, reader.names[1][event[3][0]], reader.names[2][event[10][0]], args,
                     [struct.unpack("<Q", flow)[0] for flow in event[47]])
    elif kind == 2:
        reader.end(track, cycle)
    else:
        reader.counters[reader.counter_names[track]].append((cycle, struct.unpack("<d", event[44][0])[0]))


def cycles_of(microseconds):
    cycles = round(microseconds * 1000)
    assert abs(cycles - microseconds * 1000) < 1e-3
    return cycles


def read_chrome(data):
    document = json.loads(data)
    names, slices, counters, arrows, begun, title = {}, [], collections.defaultdict(list), {}, {}, None
    for event in document["traceEvents"]:
        phase = event["ph"]
        if phase == "M" and event["name"] == "process_name":
            title = event["args"]["name"]
        elif phase == "M" and event["name"] == "thread_name":
            names[event["tid"]] = event["args"]["name"]
        elif phase == "X":
            start = cycles_of(event["ts"])
            slices.append(Slice(names[event["tid"]], event["cat"], event["name"], start, start + cycles_of(event["dur"]),
                                event["args"], []))
        elif phase == "C":
            [value] = event["args"].values()
            counters[event["name"]].append((cycles_of(event["ts"]), value))
        elif phase == "s":
            assert event["id"] not in begun
            begun[event["id"]] = event
        elif phase == "f":
            start = begun.pop(event["id"])
            assert (event["bp"], event["name"]) == ("e", start["name"])
            # In the last cycle of the slice that it leaves.
            arrows[names[start["tid"]], cycles_of(start["ts"]) + 1, names[event["tid"]], cycles_of(event["ts"])] = event["name"]
    assert not begun, "arrows without an end"
    return Timeline(title, document["otherData"], list(names.values()), slices, arrows, dict(counters))


def read(path):
    data = path.read_bytes()
    return read_chrome(data) if path.suffix == ".json" else read_perfetto(data)
