# SPDX-License-Identifier: Apache-2.0
"""Cases of package_test.py, run by a Python in which the wheel is installed: in_package.py VERNIER NETWORK.tflite."""

import json
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import vernier
from package_cases import DEMO, HAS_PANDAS, NETWORK, PROGRAM, PackageTest, main, steady, steady_page

MOST_GROWTH_BYTES = 4_000_000


def resident_bytes():
    return int(re.search(r"VmRSS:\s*(\d+) kB", pathlib.Path("/proc/self/status").read_text(encoding="ascii")).group(1)) * 1024


class SameAsTheProgram(PackageTest):
    def test_runs(self):
        for model in (DEMO, NETWORK):
            for options, named in (([], {}), (["--config", "v64", "--memory", "external", "--sram-bytes", "64KiB"],
                                              {"config": "v64", "memory": "external", "sram_bytes": "64KiB"}),
                                   (["--set", "clock_hz=500000000", "--optimize", "0"], {"set": {"clock_hz": 500_000_000}, "optimize": 0})):
                wanted = self.program("run", model, *options)
                run = vernier.load(model).compile(**named).run()
                self.assertEqual(steady(run.report), steady(wanted))
                self.assertEqual(run.report["run"]["inputs"], wanted["run"]["inputs"])
                self.assertEqual(run.report_csv, (self.folder / "report.csv").read_bytes().decode("utf-8"))
                page = (self.folder / "report.html").read_text(encoding="ascii")
                self.assertEqual(steady_page(run.html(), run.report), steady_page(page, wanted))
                self.assertEqual(run.check["result"], "match")
                for output in wanted["outputs"]:
                    np.testing.assert_array_equal(run.outputs[output["tensor"]], np.load(self.folder / "out" / output["file"]))

    def test_the_command_of_the_report_is_one_that_does_the_same(self):
        run = vernier.load(NETWORK).compile("v64", memory="external", set={"clock_hz": 250_000_000}).run(seed=3, check_all=True)
        words = shlex.split(run.report["run"]["command_line"])
        self.assertEqual(words[0], "vernier")
        self.assertEqual(steady(self.program(*words[1:])), steady(run.report))

    def test_estimates(self):
        run = vernier.load(NETWORK).compile().estimate()
        self.assertEqual(steady(run.report), steady(self.program("estimate", NETWORK)))
        self.assertEqual((run.outputs, run.check["result"]), ({}, "skipped"))

    def test_packages(self):
        subprocess.run([PROGRAM, "compile", NETWORK, "-o", "n.vnpu", "-q"], cwd=self.folder, check=True)
        package = self.folder / "n.vnpu"
        self.assertEqual(steady(vernier.load(package).compile().run().report), steady(self.program("run", package)))
        error = self.assert_mistake("compiled for --config v256", vernier.load(package).compile, "v64")
        self.assertEqual(error.file, str(package))

    def test_comparisons(self):
        net = vernier.load(DEMO)
        runs = [net.compile(config).estimate() for config in ("v64", "v256")]
        comparison = vernier.compare(*runs)
        for number, run in enumerate(runs, 1):
            (self.folder / f"run {number}").write_text(run.report_json, encoding="utf-8")
        subprocess.run([PROGRAM, "compare", "run 1", "run 2", "--report", "c.json"], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        wanted = json.loads((self.folder / "c.json").read_text(encoding="utf-8"))
        self.assertEqual({**comparison.report, "tool_version": None}, {**wanted, "tool_version": None})
        self.assertIn("v64", str(comparison))
        self.assert_mistake("found 1 runs", vernier.compare, runs[0])
        self.assertTrue(self.assert_mistake("cannot be read", vernier.compare, runs[0], self.folder / "none.json").file)


class Arrays(PackageTest):
    def setUp(self):
        super().setUp()
        self.net = vernier.load(NETWORK)
        self.compiled = self.net.compile()
        (self.end,) = self.net.inputs
        self.array = np.random.default_rng(5).integers(-128, 128, self.end.shape, dtype=np.int8)

    def test_an_array_is_what_its_file_is(self):
        np.save(self.folder / "x.npy", self.array)
        wanted = self.program("run", NETWORK, "--input", "x.npy")
        run = self.compiled.run({self.end.name: self.array})
        self.assertEqual(steady(run.report), steady(wanted))
        self.assertEqual(run.report["run"]["inputs"], ["an array"])
        (output,) = wanted["outputs"]
        np.testing.assert_array_equal(run.outputs[output["tensor"]], np.load(self.folder / "out" / output["file"]))

    def test_ends_are_told(self):
        self.assertEqual((self.end.name, self.end.dtypes, self.end.shape), ("picture", "int8", (1, 12, 12, 1)))
        self.assertEqual([end.shape for end in self.net.outputs], [(1, 10)])

    def test_arrays_in_other_orders_are_copied(self):
        outputs = self.compiled.run({self.end.name: self.array}).outputs
        backwards = self.array[:, ::-1].copy()[:, ::-1]
        read_only = self.array.copy()
        read_only.flags.writeable = False
        for array in (np.asfortranarray(self.array), backwards, read_only):
            for name, values in self.compiled.run({self.end.name: array}).outputs.items():
                np.testing.assert_array_equal(values, outputs[name])

    def test_outputs_own_their_values(self):
        outputs = self.compiled.run({self.end.name: self.array}).outputs
        before = {name: values.copy() for name, values in outputs.items()}
        self.compiled.run(seed=9)
        for name, values in outputs.items():
            np.testing.assert_array_equal(values, before[name])
            values[...] = 0

    def test_wrong_arrays(self):
        run = self.compiled.run
        name = self.end.name
        error = self.assert_mistake("no input is named 'pictur', the inputs are 'picture'; did you mean 'picture'", run, {"pictur": self.array})
        self.assertEqual((error.found, error.allowed), ("'pictur'", "'picture'"))
        error = self.assert_mistake("found list, expected an array of numpy", run, {name: self.array.tolist()})
        self.assertEqual((error.found, error.allowed), ("list", "numpy.ndarray"))
        self.assert_mistake("found ndarray, expected a dict", run, self.array)
        self.assert_mistake("no input is named 3", run, {3: self.array})
        for wrong in (self.array.astype(np.float16), self.array.astype(object), self.array.astype("S1"), self.array.astype(np.complex64)):
            self.assert_mistake("expected one of bool, int8", run, {name: wrong})
        self.assert_mistake(r"holds int16 \[1, 12, 12, 1\], expected int8", run, {name: self.array.astype(np.int16)})
        for shape in ((12, 12), (1, 12, 12, 1, 1), (144,), (1, 12, 12, 2)):
            self.assert_mistake(r"expected int8 \[1, 12, 12, 1\]", run, {name: np.zeros(shape, np.int8)})
        self.assert_mistake(r"expected int8 \[1, 12, 12, 1\]", run, {name: np.zeros((), np.int8)})
        self.assert_mistake(r"expected int8 \[1, 12, 12, 1\]", run, {name: np.zeros((1, 0, 12, 1), np.int8)})

    def test_wrong_numbers_and_names(self):
        for named in ({"seed": -1}, {"seed": 2**64}, {"seed": 1.5}, {"iterations": 0}, {"iterations": True}, {"iterations": 10**9}):
            self.assert_mistake("expected a whole number", self.compiled.run, **named)
        self.assert_mistake("--memory: .*external", self.net.compile, memory="extern")
        self.assert_mistake("v257", self.net.compile, "v257")
        self.assert_mistake("--sram-bytes", self.net.compile, sram_bytes="many")
        self.assert_mistake("clock", self.net.compile, set={"clok_hz": 5})
        self.assert_mistake("expected a whole number", self.net.compile, optimize=7)
        self.assert_mistake("--level", vernier.load, DEMO, level="9k")
        missing = str(self.folder / "none.tosa")
        error = self.assert_mistake("none.tosa", vernier.load, missing)
        self.assertEqual(error.file, missing)
        (self.folder / "bad.tflite").write_bytes(NETWORK.read_bytes()[:300])
        error = self.assert_mistake("bad.tflite", vernier.load, self.folder / "bad.tflite")
        self.assertEqual(error.file, str(self.folder / "bad.tflite"))
        (self.folder / "empty.tosa").write_bytes(b"")
        self.assert_mistake("is empty", vernier.load, self.folder / "empty.tosa")

    def test_random_calls_end_in_results_or_mistakes(self):
        random = np.random.default_rng(1)
        types = ["bool", "int8", ">i2", "uint8", "float32", ">f4", "float64", "U3", "datetime64[s]", "int64"]
        mistakes = 0
        for _ in range(200):
            shape = tuple(random.integers(0, 14, random.integers(0, 6)))
            array = np.zeros(shape if random.integers(4) else self.end.shape, types[random.integers(len(types))])
            name = self.end.name if random.integers(8) else "other"
            try:
                self.compiled.run({name: array}, check=False)
            except vernier.InputError:
                mistakes += 1
        self.assertGreater(mistakes, 100)


class Results(PackageTest):
    def test_tables(self):
        run = vernier.load(NETWORK).compile().estimate()
        rows, commands = run.report["layers"], run.report["commands"]
        if HAS_PANDAS:
            layers = run.layers.sort_values("share", ascending=False)
            self.assertEqual(layers.iloc[0]["attributed_cycles"], max(row["attributed_cycles"] for row in rows))
            self.assertAlmostEqual(layers["share"].sum(), 1.0)
            self.assertEqual(len(run.commands), len(commands))
        else:
            self.assertIsInstance(run.layers, dict)
            self.assertAlmostEqual(run.layers["share"].sum(), 1.0)
        for table, of_report in ((run.layers, rows), (run.commands, commands)):
            for key in of_report[0]:
                self.assertEqual(list(table[key]), [row[key] for row in of_report], key)
        self.assertEqual(run.layers["attributed_cycles"].dtype, np.int64)

    def test_pages(self):
        run = vernier.load(DEMO).compile().run()
        page = run.html(self.folder / "page.html")
        self.assertEqual((self.folder / "page.html").read_bytes().decode("ascii"), page)
        self.assertIn("<!doctype html>", page[:200].lower())
        self.assertIn("cycles", run._repr_html_())
        self.assertIn("match", repr(run))
        self.assertLessEqual(max(map(len, run.text(60).splitlines())), 60)

    def test_objects_outlive_what_they_were_made_of(self):
        run = vernier.load(DEMO).compile().run()
        self.assertEqual(run.check["result"], "match")
        self.assertEqual([list(values.shape) for values in run.outputs.values()], [output["shape"] for output in run.report["outputs"]])


class WithoutDask(PackageTest):
    def test_a_study_says_what_is_missing(self):
        study = vernier.Study(DEMO, ["v64", "v256"], file=self.folder / "study.sqlite")
        self.assertEqual((len(study), len(study.frame)), (2, 0 if HAS_PANDAS else 7))
        error = self.assert_mistake("a study needs Dask, and distributed is not installed", study.run)
        self.assertEqual(error.allowed, "pip install 'vernier[study]'")


class Behaviour(PackageTest):
    def test_threads_take_turns_and_others_go_on(self):
        compiled = vernier.load(DEMO).compile()
        wanted = steady(compiled.run().report)
        found = []
        threads = [threading.Thread(target=lambda: found.append(steady(compiled.run(iterations=300).report))) for _ in range(3)]
        for thread in threads:
            thread.start()
        ticks = 0
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.001)
            ticks += 1
        self.assertGreater(ticks, 10)
        self.assertEqual([report["totals"] for report in found], [wanted["totals"]] * 3)

    def test_ctrl_c_ends_a_run(self):
        script = "\n".join(["import vernier", f"program = vernier.load({str(DEMO)!r}).compile()", "print('begins', flush=True)", "try:",
                            "    program.run(iterations=1_000_000, check=False)", "except KeyboardInterrupt:",
                            "    print(program.estimate().totals['cycles'])"])
        child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "begins\n")
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        rest, _ = child.communicate(timeout=30)
        self.assertEqual((child.returncode, rest.strip()), (0, str(vernier.load(DEMO).compile().estimate().totals["cycles"])))

    def test_memory_is_flat(self):
        net = vernier.load(NETWORK)
        programs = [net.compile(config, memory=memory) for config in ("v64", "v256") for memory in ("sram", "external")]

        def some_runs(number):
            for i in range(number):
                programs[i % len(programs)].run(seed=i).outputs
                programs[i % len(programs)].estimate().report

        some_runs(50)
        before = resident_bytes()
        some_runs(500)
        growth = resident_bytes() - before
        print(f"memory grew by {growth / 1e6:.1f} MB over 1,000 runs")
        self.assertLess(growth, MOST_GROWTH_BYTES)


if __name__ == "__main__":
    main()
