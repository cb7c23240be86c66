# SPDX-License-Identifier: Apache-2.0
"""Sessions, sizes, and what a run shows beside its report: inside_in_package.py VERNIER NETWORK.tflite."""

import json
import pathlib
import re
import subprocess

import numpy as np
import vernier
from package_cases import DEMO, NETWORK, PROGRAM, PackageTest, main

RUNS, SESSIONS, MOST_GROWTH_BYTES = 10_000, 400, 4_000_000


class Inside(PackageTest):
    """What a run shows beside its report is what the commands of the program write."""

    def setUp(self):
        super().setUp()
        self.compiled = vernier.load(NETWORK).compile("v64")
        self.done = self.compiled.run(seed=4)

    def written(self, *words):
        subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)

    def test_timelines_and_waves(self):
        self.written("run", NETWORK, "--config", "v64", "--seed", "4", "--timeline", "a.json", "--wave", "a.vcd", "--wave-layer", "1", "-q")
        self.done.timeline(self.folder / "b.json")
        self.done.waves(self.folder / "b.vcd", layer="1")
        for kind in ("json", "vcd"):
            self.assertEqual((self.folder / f"a.{kind}").read_bytes(), (self.folder / f"b.{kind}").read_bytes(), kind)
        self.done.waves(self.folder / "c.vcd", cycles=(0, 50), scope="*mac_array*")
        self.assertLess((self.folder / "c.vcd").stat().st_size, (self.folder / "b.vcd").stat().st_size)
        self.compiled.estimate().timeline(self.folder / "d.json")
        self.assert_mistake("found 5:5, expected two cycles", self.done.waves, "w.vcd", cycles=(5, 5))
        self.assert_mistake("expected one of both", self.done.waves, "w.vcd", cycles=(0, 5), layer="1")
        self.assert_mistake("--timeline", self.done.timeline, self.folder / "b.txt")
        self.assert_mistake("--wave", self.done.waves, self.folder / "none" / "b.vcd")
        self.assertFalse((self.folder / "b.txt").exists())

    def test_explanations(self):
        self.written("explain", NETWORK, "--config", "v64", "--layer", "1", "--report", "e.json")
        story = self.done.explain("1")
        wanted = json.loads((self.folder / "e.json").read_text(encoding="utf-8"))
        self.assertEqual({**story.report, "tool_version": None}, {**wanted, "tool_version": None})
        self.assertIn(story.report["name"], str(story))
        self.assertEqual(str(self.done.explain(1)), str(story))
        self.assert_mistake("nothing", self.done.explain, "nothing")

    def test_tensors(self):
        self.written("dump", NETWORK, "--config", "v64", "--seed", "4", "--tensor", "all", "-o", "tensors")
        files = sorted((self.folder / "tensors").glob("*.npy"))
        self.assertGreater(len(files), 3)
        (name,) = self.done.outputs
        np.testing.assert_array_equal(self.done.tensor(name), self.done.outputs[name])
        names = {layer["name"] for layer in self.done.report["layers"]} & {file.stem for file in files}
        for name in names:
            np.testing.assert_array_equal(self.done.tensor(name), np.load(self.folder / "tensors" / f"{name}.npy"))
        self.assert_mistake("nothing", self.done.tensor, "nothing")
        self.assert_mistake("found an estimate", self.compiled.estimate().tensor, name)

    def test_an_array_that_changes_later_is_what_it_was(self):
        array = np.random.default_rng(5).integers(-128, 128, (1, 12, 12, 1), dtype=np.int8)
        run = self.compiled.run({"picture": array})
        (name,) = run.outputs
        array[...] = 0
        np.testing.assert_array_equal(run.tensor(name), run.outputs[name])


class Sessions(PackageTest):
    def setUp(self):
        super().setUp()
        self.compiled = vernier.load(NETWORK).compile("v64", memory="external")
        self.done = self.compiled.run(seed=4)
        self.times = self.done.report["commands"]

    def test_a_session_is_a_run_in_steps(self):
        with self.compiled.start(seed=4) as session:
            ended = []
            while (command := session.step()) is not None:
                ended.append(command)
                self.assertEqual(session.cycle, self.times[command]["end_cycle"])
            self.assertEqual(sorted(ended), sorted(set(ended)))
            session.run_to()
            self.assertEqual((session.cycle, session.cycles, session.has_ended), (self.done.totals["cycles"], self.done.totals["cycles"], True))
            for name, values in self.done.outputs.items():
                np.testing.assert_array_equal(session.outputs[name], values)
        self.assert_mistake("closed", session.step)
        self.assert_mistake("closed", lambda: session.cycle)

    def test_places(self):
        session = self.compiled.start(seed=4)
        self.assertEqual(session.run_to(command=3), self.times[3]["end_cycle"])
        sram, registers, queues = session.sram(), session.registers, session.queues
        self.assertEqual(registers["STATUS"] & 3, 1)
        self.assertEqual(set(queues), {"dma0", "dma1", "mac", "vec"})
        first = min(row["start_cycle"] for row in self.times if row["layer_idx"] == 3)
        self.assertEqual(session.run_to(layer="3"), max(first, self.times[3]["end_cycle"]))
        sums = session.accumulators() if session.queues["mac"].running is not None else None
        self.assertTrue(sums is None or sums.dtype == np.int64)
        session.run_to()
        session.restore(self.times[3]["end_cycle"])
        np.testing.assert_array_equal(session.sram(), sram)
        self.assertEqual((session.registers, session.queues), (registers, queues))
        np.testing.assert_array_equal(session.sram(16, 32), sram[16:48])
        self.assertGreater(session.external().size, 0)
        with self.compiled.start(seed=4) as other:
            other.run_to(command=3)
            np.testing.assert_array_equal(other.sram(), sram)

    def test_mistakes(self):
        session = self.compiled.start()
        session.run_to(cycle=100)
        self.assert_mistake("restore goes back", session.run_to, cycle=99)
        self.assert_mistake("expected a whole number", session.run_to, cycle=10**9)
        self.assert_mistake("expected a whole number", session.run_to, command=-1)
        self.assert_mistake("expected one of them", session.run_to, cycle=200, command=3)
        self.assert_mistake("expected a whole number", session.restore, 1.5)
        self.assert_mistake("expected a whole number", session.sram, 10**9)
        self.assert_mistake("expected a whole number", session.sram, 0, 10**9)
        self.assert_mistake("in cycle 100 of", lambda: session.outputs)
        self.assert_mistake("no input is named", self.compiled.start, {"other": np.zeros(3, np.int8)})


def resident_bytes():
    return int(re.search(r"VmRSS:\s*(\d+) kB", pathlib.Path("/proc/self/status").read_text(encoding="ascii")).group(1)) * 1024


class Memory(PackageTest):
    def test_it_is_flat(self):
        net = vernier.load(NETWORK)
        programs = [net.compile(config, memory=memory, sram_bytes=size) for config in ("v64", "v256", "v1024") for memory in ("sram", "external")
                    for size in (131072, 262144)]

        def some_runs(number):
            for i in range(number):
                programs[i % len(programs)].run(seed=i).outputs
                programs[i % len(programs)].estimate().report

        some_runs(10 * len(programs))
        before = resident_bytes()
        some_runs(RUNS // 2)
        growth = resident_bytes() - before
        print(f"memory grew by {growth / 1e6:.1f} MB over {RUNS:,} runs on {len(programs)} machines")
        self.assertLess(growth, MOST_GROWTH_BYTES)


    def test_it_is_flat_over_sessions(self):
        programs = [vernier.load(NETWORK).compile(config) for config in ("v64", "v256")]

        def some_sessions(number):
            for i in range(number):
                with programs[i % len(programs)].start(seed=i) as session:
                    session.run_to(cycle=i % session.cycles)
                    session.restore(i % 50)

        some_sessions(20)
        before = resident_bytes()
        some_sessions(SESSIONS)
        growth = resident_bytes() - before
        print(f"memory grew by {growth / 1e6:.1f} MB over {SESSIONS} sessions, each restored once")
        self.assertLess(growth, MOST_GROWTH_BYTES // 5)


class Sizes(PackageTest):
    def speeds(self, networks, configs, srams, bandwidths):
        """Frames per second of the slowest network on each machine, from small to large; 0 where one does not fit."""
        for config in configs:
            for sram in srams:
                for bandwidth in bandwidths:
                    try:
                        runs = [net.compile(config, memory="external", sram_bytes=sram, set={"external_bytes_per_second": bandwidth}).totals()
                                for net in networks]
                    except vernier.InputError:
                        yield vernier.MachineSize(config, sram, bandwidth), 0
                        continue
                    yield vernier.MachineSize(config, sram, bandwidth), min(totals["frames_per_second"] for totals in runs)

    def test_the_same_as_brute_force(self):
        small, large = vernier.load(NETWORK), vernier.load(DEMO)
        spaces = [([small], ("v64", "v256"), (8192, 16384, 65536), (10**9, 4 * 10**9, 16 * 10**9)),
                  ([small], ("v256", "v1024"), (16384, 32768, 262144), (5 * 10**8, 2 * 10**9, 8 * 10**9)),
                  ([small, large], ("v64", "v256", "v1024"), (24576,), (10**9, 3 * 10**9))]
        found = set()
        for models, configs, srams, bandwidths in spaces:
            speeds = list(self.speeds(models, configs, srams, bandwidths))
            fastest = sorted(speed for _, speed in speeds)
            for fps in (fastest[0], fastest[len(fastest) // 2], fastest[-1], fastest[-1] + 1):
                wanted = next((machine for machine, speed in speeds if speed >= fps), None)
                sizing = vernier.size(models, max(fps, 1), configs=configs, srams=srams, bandwidths=bandwidths)
                self.assertEqual(sizing.machine, wanted, (fps, configs))
                found.add(sizing.machine)
        self.assertGreater(len(found), 4)

    def test_reasons_and_mistakes(self):
        sizing = vernier.size(DEMO, 150_000, max_sram="64KiB")
        self.assertIsNotNone(sizing.machine)
        self.assertTrue(all("frames per second of 150,000" in reason or "MACs" in reason or "SRAM" in reason for reason in sizing.reasons))
        self.assertTrue(sizing.reasons)
        self.assertIn(str(sizing.machine), str(sizing))
        nothing = vernier.size(DEMO, 10**9)
        self.assertEqual((nothing.machine, len(nothing.reasons)), (None, 3))
        for reason in nothing.reasons[1:]:
            self.assertIn("MACs", reason)
        for named in ({"fps": 0}, {"fps": "30"}, {"fps": 5, "configs": []}, {"fps": 5, "max_sram": "many"}, {"fps": 5, "bandwidths": [0]},
                      {"fps": 5, "configs": ["v65"]}, {"fps": 5, "set": {"clok_hz": 3}}, {"fps": 5, "memory": "extern"}):
            self.assert_mistake("", vernier.size, DEMO, **named)
        for pattern, named in (("max_sram is, expected one or more", {"max_sram": "16KiB", "srams": ["128KiB"]}), ("'sram_bytes', which is what", {"set": {"sram_bytes": 1024}}),
                               ("allowed on every preset", {"max_sram": 1})):
            self.assert_mistake(pattern, vernier.size, DEMO, 5, **named)
        package = self.folder / "demo.vnpu"
        self.program_alone("compile", DEMO, "-o", package)
        self.assert_mistake("demo.vnpu", vernier.size, package, 5)

    def test_arrays_in_any_order(self):
        machine = vernier.size(DEMO, 50_000, max_sram="64KiB").machine
        self.assertEqual(vernier.size(DEMO, 50_000, max_sram="64KiB", configs=["v1024", "v64", "v256"]).machine, machine)
        self.assertEqual(vernier.size(DEMO, 50_000, max_sram="64KiB", srams=["64KiB", "1MiB"]).machine.sram_bytes, 65536)

    def program_alone(self, *words):
        subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
