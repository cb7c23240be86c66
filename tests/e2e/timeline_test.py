# SPDX-License-Identifier: Apache-2.0
"""Timelines of runs, read back by a decoder of our own: slices, arrows and counters are what the report of the same run says."""

import os
import resource
import sqlite3
import subprocess
import unittest

import program
import timeline_checks
import timeline_file

FILES = ("t.perfetto-trace", "t.json")
RUNS = [(program.DEMO, ["--memory", "sram"]), (program.DEMO, ["--memory", "weights-external"]),
        (program.DEMO, ["--memory", "external", "--config", "v64"]), (program.DEMO, ["--optimize", "0"]),
        (program.MADE / "table_int8" / "model.tosa", ["--config", "v1024"])]


class Timelines(program.ProgramTest):
    def timelines(self, *options, command="run", model=program.DEMO):
        """The run's report, and both forms of its timeline."""
        for name in (*FILES, "r.json"):
            (self.folder / name).unlink(missing_ok=True)
        done = self.execute(command, model, "-q", "--report", "r.json", *(word for name in FILES for word in ("--timeline", name)), *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return program.read_json(self.folder / "r.json"), [timeline_file.read(self.folder / name) for name in FILES]


class Sums(Timelines):
    def test_a_timeline_says_what_the_report_says(self):
        for model, options in RUNS:
            with self.subTest(model=model, options=options):
                report, timelines = self.timelines(*options, model=model)
                for timeline in timelines:
                    timeline_checks.check(self, timeline, report)

    def test_both_forms_say_the_same(self):
        _, (native, json) = self.timelines("--memory", "external")
        self.assertEqual((native.title, native.facts, native.tracks), (json.title, json.facts, json.tracks))
        strip = lambda slices: sorted((s.track, s.start, s.end, s.kind, s.name, tuple(s.args.items())) for s in slices)
        self.assertEqual(strip(native.slices), strip(json.slices))
        self.assertEqual(sorted(native.arrows), sorted(json.arrows))
        self.assertEqual(native.counters, json.counters)

    def test_values_do_not_matter_and_the_same_run_gives_the_same_bytes(self):
        files = []
        for command, options in (("run", ["--seed", "1"]), ("run", ["--seed", "2", "--iterations", "2"]), ("estimate", [])):
            self.timelines("--memory", "external", *options, command=command)
            files.append([(self.folder / name).read_bytes() for name in FILES])
        self.assertEqual(files[0], files[1])
        self.assertEqual(files[0], files[2])

    def test_a_load_points_at_the_command_that_reads_it(self):
        """In memory mode external, whoever multiplies reads what somebody loaded."""
        report, (_, timeline) = self.timelines("--memory", "external")
        for command in report["commands"]:
            if command["unit"] != "mac_array":
                continue
            givers = [(track, kind) for (track, _, to, start), kind in timeline.arrows.items()
                      if (to, start) == ("mac_array", command["start_cycle"]) and "data" in kind]
            self.assertIn("dma", {track[:3] for track, _ in givers}, command)

    def test_a_cosimulation_has_the_timeline_of_the_run(self):
        self.timelines()
        run = [(self.folder / name).read_bytes() for name in FILES]
        done = self.execute("cosim", program.DEMO, "--timeline", FILES[0], "--timeline", FILES[1])
        if "built without Verilator" in done.stderr:
            self.skipTest("the program has no RTL")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(run, [(self.folder / name).read_bytes() for name in FILES])

    def test_a_machine_that_stops_leaves_what_it_did(self):
        """Slices that are open end with the job; whoever waits for ever has no slice."""
        done = self.execute("run", program.DEMO, "-q", "--inject", "token:drop@300", "--timeline", FILES[0], "--timeline", FILES[1])
        self.assertEqual(done.returncode, 4, done.stderr)
        for name in FILES:
            timeline = timeline_file.read(self.folder / name)
            commands = [s for s in timeline.slices if s.kind == "command"]
            fetches = [s for s in timeline.slices if s.kind == "fetch"]
            self.assertGreater(len(commands), 0)
            self.assertLess(len(commands), len(fetches))
            self.assertLessEqual(max(s.end for s in timeline.slices), int(timeline.facts["cycles"]))


class Queries(Timelines):
    """docs/reference/timeline.sql: in SQLite, on tables with Perfetto's columns; in Perfetto where there is one."""

    FILE = program.ROOT / "docs" / "reference" / "timeline.sql"

    @staticmethod
    def database(timeline):
        """Perfetto's tables slice, track, counter, counter_track and flow, as far as the queries need them."""
        base = sqlite3.connect(":memory:")
        base.executescript("""CREATE TABLE track(id, name); CREATE TABLE counter_track(id, name); CREATE TABLE counter(ts, track_id, value);
            CREATE TABLE slice(id, ts, dur, track_id, category, name, arg_set_id); CREATE TABLE flow(slice_out, slice_in)""")
        base.executemany("INSERT INTO track VALUES (?, ?)", enumerate(timeline.tracks))
        for number, (name, values) in enumerate(timeline.counters.items(), len(timeline.tracks)):
            base.execute("INSERT INTO counter_track VALUES (?, ?)", (number, name))
            base.executemany("INSERT INTO counter VALUES (?, ?, ?)", [(cycle, number, value) for cycle, value in values])
        for number, s in enumerate(timeline.slices):
            base.execute("INSERT INTO slice VALUES (?, ?, ?, ?, ?, ?, ?)",
                         (number, s.start, s.end - s.start, timeline.tracks.index(s.track), s.kind, s.name, number))
        out = {(s.track, s.end): n for n, s in enumerate(timeline.slices) if s.kind in ("command", "drain")}
        into = {(s.track, s.start): n for n, s in enumerate(timeline.slices) if s.kind == "command"}
        base.executemany("INSERT INTO flow VALUES (?, ?)", [(out[a[:2]], into[a[2:]]) for a in timeline.arrows])
        base.create_function("EXTRACT_ARG", 2, lambda n, key: timeline.slices[n].args.get(key.removeprefix("debug.")))
        return base

    def test_in_sqlite(self):
        report, (timeline, _) = self.timelines("--memory", "external")
        base = self.database(timeline)
        work, states, waits, totals, sram, arrows = [base.execute(query).fetchall()
                                                     for query in self.FILE.read_text().split(";")[:-1]]
        units = report["units"]
        busy = {track: sum(row[4] for row in work if row[0] == track) for track, *_ in work}
        self.assertEqual(busy["vector_unit"], units["vector_unit"]["busy_cycles"])
        self.assertEqual({(t, name): cycles for t, name, cycles in states},
                         {(f"{unit} state", name): cycles for unit in ("mac_array", "vector_unit", "dma", "command_processor")
                          for name, cycles in [("busy", units[unit]["busy_cycles"]), *units[unit]["stall_cycles"].items()] if cycles})
        longest = sorted((c for c in report["commands"] if c["unit"] != "command_processor"),
                         key=lambda c: (-sum(c["wait_cycles"].values()), c["command_idx"]))[:10]
        self.assertEqual([row[2:4] for row in waits], [(c["command_idx"], sum(c["wait_cycles"].values())) for c in longest])
        for name, found in totals:
            self.assertAlmostEqual(found, report["totals"][name.removesuffix("_per_cycle")], places=3, msg=name)
        self.assertEqual(len(totals), 4)
        self.assertEqual(sram[0][1], max(value for _, value in timeline.counters["sram_in_use_bytes"]))
        self.assertEqual(len(arrows), 10)

    @unittest.skipUnless("VERNIER_TRACE_PROCESSOR" in os.environ, "VERNIER_TRACE_PROCESSOR names no trace processor")
    def test_in_perfetto(self):
        """As many answers, and the same sums."""
        report, _ = self.timelines("--memory", "external")
        text = subprocess.run([os.environ["VERNIER_TRACE_PROCESSOR"], "--query-file", self.FILE, self.folder / FILES[0]],
                              capture_output=True, text=True, check=True).stdout
        for name in timeline_checks.BYTES:
            self.assertRegex(text, rf'"{name}_per_cycle",{report["totals"][name]}(\.0+)?\b')


class BadInput(Timelines):
    def refused(self, *options, message, command="run"):
        (self.folder / "old.json").write_text("old\n")
        done = self.execute(command, program.DEMO, "-q", *options)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, rf"\Avernier: {message}\n\Z")
        self.assertEqual((self.folder / "old.json").read_text(), "old\n")
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name != "dir.json"], ["old.json"])

    def test_places(self):
        self.refused("--timeline", "missing/old.json",
                     message="--timeline: 'missing/old.json' cannot be written: folder 'missing' is missing or not writable")
        self.refused("--timeline", "t.pftrace", message="--timeline: 't.pftrace' is not FILE.perfetto-trace, FILE.json")
        (self.folder / "dir.json").mkdir()
        self.refused("--timeline", "dir.json", message="--timeline: 'dir.json' is a directory, expected a file name")
        self.refused("--timeline", "old.json", "--report", "./old.json",
                     message="--timeline: 'old.json' would overwrite --report './old.json' of the same run, expected another file")

    def test_runs_without_cycles(self):
        self.refused("--timeline", "old.json", "--backend", "reference",
                     message="--timeline: backend 'reference' has no cycles, allowed with backends 'sim' and 'rtl'")
        self.refused("--timeline", "old.json", "--config", "v64,v256", message="--timeline: is for one run: .*")
        self.refused("--timeline", "old.json", "--wave-window", "0:5",
                     message="--wave-window: says what is in a wave, and there is no --wave")

    def test_a_full_disk(self):
        for name in ("old.json", "t.perfetto-trace"):
            for limit in (0, 100, 4096):
                with self.subTest(name=name, limit=limit):
                    (self.folder / "old.json").write_text("old\n")
                    done = self.execute("run", program.DEMO, "-q", "--timeline", name,
                                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
                    self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                    self.assertRegex(done.stderr, rf"\Avernier: {name}: cannot be written: File too large\n\Z")
                    self.assertEqual((self.folder / "old.json").read_text(), "old\n")
                    self.assertEqual([path.name for path in self.folder.iterdir()], ["old.json"])


if __name__ == "__main__":
    program.main()
