# SPDX-License-Identifier: Apache-2.0
"""A timeline against the report of the same run, whoever has read the file: slices, cycles, bytes, arrows."""

import collections
import re

QUEUE_TRACKS = {"mac": "mac_array", "vec": "vector_unit", "dma0": "dma0", "dma1": "dma1"}
UNIT_TRACKS = {"mac_array": ("mac_array", "mac_array drain"), "vector_unit": ("vector_unit",), "dma": ("dma0", "dma1"),
               "command_processor": ("command_processor",)}
BYTES = ("sram_read_bytes", "sram_write_bytes", "external_read_bytes", "external_write_bytes")
SAME = ("command_idx", "layer_idx", "dispatch_cycle", "start_cycle", "end_cycle", *BYTES)


def check(test, timeline, report):
    """Fails `test` where the two differ."""
    checks = Checks(test, timeline, report)
    checks.heading()
    checks.tracks()
    checks.commands()
    checks.fetches()
    checks.states()
    checks.lanes()
    checks.counters()
    checks.arrows()


def split(args, kind):
    """{name: cycles} of arguments such as stall_dma_cycles."""
    found = {match[1]: value for name, value in args.items() if (match := re.fullmatch(f"{kind}_(.+)_cycles", name))}
    return found


def union(slices):
    """The cycles in which one of them is open, as sorted stretches that are apart."""
    stretches = []
    for s in sorted(slices, key=lambda s: s.start):
        if stretches and s.start <= stretches[-1][1]:
            stretches[-1][1] = max(stretches[-1][1], s.end)
        else:
            stretches.append([s.start, s.end])
    return stretches


class Checks:
    def __init__(self, test, timeline, report):
        self.test, self.timeline, self.report = test, timeline, report
        self.by_kind, self.by_track = collections.defaultdict(list), collections.defaultdict(list)
        for s in timeline.slices:
            self.by_kind[s.kind].append(s)
            self.by_track[s.track].append(s)
        self.cycles = report["totals"]["cycles"]
        self.started = [c for c in report["commands"] if c["unit"] != "command_processor"]  # all but END

    def equal(self, found, expected, what=None):
        self.test.assertEqual(found, expected, what)

    def heading(self):
        facts = self.timeline.facts
        self.equal((facts["schema"], facts["cycles"], facts["config"], facts["model_sha256"]),
                   ("vernier-timeline/1", str(self.cycles), self.report["config"]["name"], self.report["model"]["sha256"]))
        self.equal(self.timeline.title, f"{self.report['model']['name']} on {self.report['config']['name']}")

    def tracks(self):
        """Slices of one track stand one after the other, within the run."""
        for track, slices in self.by_track.items():
            last = 0
            for s in slices:
                self.test.assertLessEqual(last, s.start, (track, s))
                self.test.assertLess(s.start, s.end, (track, s))
                last = s.end
            self.test.assertLessEqual(last, self.cycles, track)

    def commands(self):
        mains = {s.args["command_idx"]: s for s in self.by_kind["command"]}
        drains = {s.args["command_idx"]: s for s in self.by_kind["drain"]}
        self.equal(len(self.by_kind["command"]), len(mains))
        self.equal(sorted(mains), [c["command_idx"] for c in self.started])
        for c in self.started:
            main, drain = mains[c["command_idx"]], drains.pop(c["command_idx"], None)
            self.equal(main.track, QUEUE_TRACKS[c["queue"]])
            self.equal({name: main.args[name] for name in SAME}, {name: c[name] for name in SAME})
            self.equal((main.start, (drain or main).end), (c["start_cycle"], c["end_cycle"]), c)
            layer = next(entry for entry in self.report["layers"] if entry["layer_idx"] == c["layer_idx"])
            self.equal((main.args["layer"], main.args["source_operators"]), (layer["source_name"], ", ".join(layer["operators"])))
            self.equal(split(main.args, "wait"), c["wait_cycles"], c)
            self.equal(main.args["wait_cycles"], sum(c["wait_cycles"].values()), c)
            self.command_cycles(c, main, drain)
        self.equal(drains, {}, "drains of no command")

    def command_cycles(self, c, main, drain):
        parts = [s for s in (main, drain) if s is not None]
        stalls = collections.Counter()
        for s in parts:
            of_phase = split(s.args, "stall")
            self.equal(s.args["busy_cycles"] + sum(of_phase.values()), s.end - s.start, s)
            self.equal(s.args["stall_cycles"], sum(of_phase.values()), s)
            stalls.update(of_phase)
        if drain is not None:
            stalls["rescale_contention"] += drain.args["after_main_cycles"]
        self.equal(sum(s.args["busy_cycles"] for s in parts), c["busy_cycles"], c)
        self.equal(+stalls, collections.Counter(c["stall_cycles"]), c)

    def fetches(self):
        fetches = self.by_kind["fetch"]
        self.equal([s.args["command_idx"] for s in fetches], list(range(self.report["totals"]["commands"])))
        self.equal([s.end for s in fetches], [c["dispatch_cycle"] for c in self.report["commands"]])

    def states(self):
        for unit, tracks in UNIT_TRACKS.items():
            cycles = collections.Counter()
            busy = [s for s in self.by_track[f"{unit} state"] if s.name == "busy"]
            for s in self.by_track[f"{unit} state"]:
                cycles[s.name] += s.end - s.start
            said = self.report["units"][unit]
            self.equal(cycles, +collections.Counter({"busy": said["busy_cycles"], **said["stall_cycles"]}), unit)
            # Whatever is busy works for a command.
            spans = union([s for track in tracks for s in self.by_track[track]])
            for s in busy:
                self.test.assertTrue(any(begin <= s.start and s.end <= end for begin, end in spans), (unit, s))

    def lanes(self):
        for unit in ("rescale_unit", "table_unit"):
            said, slices = self.report["units"][unit], self.by_track[unit]
            self.equal(sum(s.args["busy_cycles"] for s in slices), said["busy_cycles"], unit)
            self.equal(sum(s.end - s.start for s in slices), self.cycles - said["idle_cycles"], unit)

    def integral(self, counter):
        values = self.timeline.counters[counter]
        self.equal([v[0] for v in values], sorted({v[0] for v in values}), counter)
        ends = [cycle for cycle, _ in values[1:]] + [self.cycles]
        return sum(value * (end - cycle) for (cycle, value), end in zip(values, ends))

    def counters(self):
        totals = self.report["totals"]
        for name in BYTES:
            self.test.assertAlmostEqual(self.integral(f"{name}_per_cycle"), totals[name], delta=1e-6 * max(1, totals[name]), msg=name)
        macs = self.integral("mac_utilization_percent") / 100 * self.report["config"]["macs_per_cycle"]
        self.test.assertAlmostEqual(macs, totals["macs"], delta=1e-6 * max(1, totals["macs"]))
        for queue in self.report["queues"]:
            values = self.timeline.counters[f"{queue['queue']}_queue_commands"]
            self.equal(max(value for _, value in values), queue["most_commands"], queue)
        in_use = [value for _, value in self.timeline.counters["sram_in_use_bytes"]]
        self.test.assertGreater(max(in_use), 0)
        self.test.assertLessEqual(max(in_use), totals["sram_peak_bytes"])
        self.test.assertGreaterEqual(min(in_use), 0)

    def arrows(self):
        """Each token is an arrow from the end of its giver to the start of who waited; what tokens there are, the printed
        commands say."""
        ends = {(QUEUE_TRACKS[c["queue"]], c["end_cycle"]): c for c in self.started}
        starts = {(QUEUE_TRACKS[c["queue"]], c["start_cycle"]): c for c in self.started}
        pairs, kinds = set(), collections.Counter()
        for (track, end, to_track, start), kind in self.timeline.arrows.items():
            giver, taker = ends[track.removesuffix(" drain"), end], starts[to_track, start]
            self.test.assertLessEqual(end, start)
            pairs.add((giver["command_idx"], taker["command_idx"]))
            kinds[kind] += 1
        self.equal(len(pairs), len(self.timeline.arrows))
        mains = self.by_kind["command"]
        waits = sum(len(match[1].split("+")) for s in mains if (match := re.search(r" wait=(\S+)", s.args["instruction"])))
        if "" not in kinds:
            self.equal(kinds["token"] + kinds["token and data"], waits)
        self.test.assertGreaterEqual(len(pairs), waits)
        for s in mains:
            giver = s.args.get("last_token_of_command_idx")
            self.test.assertTrue(giver is None or (giver, s.args["command_idx"]) in pairs, s)
