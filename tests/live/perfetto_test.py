# SPDX-License-Identifier: Apache-2.0
"""Timelines as Perfetto's own classes read them, against the report of the same run.

usage: perfetto_test.py VERNIER FOLDER. The package perfetto is installed from PyPI into FOLDER, once; exit code 77, with a message, where it
cannot be had. The package holds the definitions of the format; its query engine is another program, which this test does not need."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import program
import pypi
import timeline_checks
import timeline_file

PACKAGES = ("perfetto==0.59.1", "protobuf==7.36.2")
RUNS = [["--memory", "sram"], ["--memory", "external", "--config", "v64"], ["--memory", "weights-external", "--config", "v1024"]]
# Reads a trace by names, and prints what PerfettoReader is to be told.
READER = """
import json, sys
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as definitions
trace = definitions.Trace()
trace.ParseFromString(open(sys.argv[1], "rb").read())
texts = {"event_categories": {}, "event_names": {}, "debug_annotation_names": {}, "debug_annotation_string_values": {}}
unknown, told = 0, []
for packet in trace.packet:
    for field, known in texts.items():
        for entry in getattr(packet.interned_data, field):
            known[entry.iid] = entry.str.decode() if field.endswith("values") else entry.name
    if packet.HasField("track_descriptor"):
        d = packet.track_descriptor
        told.append(["descriptor", d.uuid, d.name or None, d.process.process_name if d.HasField("process") else None,
                     d.parent_uuid or None, d.HasField("counter"), d.description])
    if packet.HasField("track_event"):
        e = packet.track_event
        if e.type == e.TYPE_SLICE_BEGIN:
            args = {texts["debug_annotation_names"][a.name_iid]: a.int_value if a.HasField("int_value") else
                    texts["debug_annotation_string_values"][a.string_value_iid] for a in e.debug_annotations}
            told.append(["begin", e.track_uuid, packet.timestamp, texts["event_categories"][e.category_iids[0]],
                         texts["event_names"][e.name_iid], args, list(e.flow_ids)])
        elif e.type == e.TYPE_SLICE_END:
            told.append(["end", e.track_uuid, packet.timestamp])
        elif e.type == e.TYPE_COUNTER:
            told.append(["value", e.track_uuid, packet.timestamp, e.double_counter_value])
        else:
            raise ValueError(e)
# Nothing is in the file that the definitions do not know: written again, it has the same size.
assert len(trace.SerializeToString()) == len(open(sys.argv[1], "rb").read())
print(json.dumps(told))
"""


def read(python, path):
    told = json.loads(subprocess.run([python, "-c", READER, path], capture_output=True, text=True, check=True).stdout)
    reader = timeline_file.PerfettoReader()
    for kind, *values in told:
        if kind == "value":
            uuid, cycle, value = values
            reader.counters[reader.counter_names[uuid]].append((cycle, value))
        else:
            getattr(reader, kind)(*values)
    return reader.timeline()


def main():
    options = pypi.parse_options("--runs", len(RUNS))
    python = pypi.python_with(options.folder, *PACKAGES)
    case = unittest.TestCase()
    with tempfile.TemporaryDirectory(prefix="vernier_live_") as name:
        folder = pathlib.Path(name)
        trace = folder / "t.perfetto-trace"
        for run in RUNS[:options.runs]:
            subprocess.run([options.vernier, "run", program.DEMO, "-q", "--report", folder / "r.json", "--timeline", trace, *run], check=True)
            found = read(python, trace)
            timeline_checks.check(case, found, program.read_json(folder / "r.json"))
            case.assertEqual(found, timeline_file.read(trace))
            print(f"{' '.join(run)}: {len(found.slices)} slices, {len(found.arrows)} arrows, {sum(map(len, found.counters.values()))} values, "
                  "as the report has them")


if __name__ == "__main__":
    main()
