# SPDX-License-Identifier: Apache-2.0
"""Cases of package_test.py, run by a Python in which the wheel is installed: in_package.py VERNIER NETWORK.tflite."""

import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import vernier
from package_cases import DEMO, HAS_PANDAS, NETWORK, PROGRAM, ROOT, PackageTest, main, steady, steady_page

sys.path.insert(0, str(ROOT / "tests" / "e2e"))
import streaming_network  # noqa: E402

SUM = """func.func @main(%x: tensor<1x8xi32>, %state: tensor<1x8xi32>) -> tensor<1x8xi32> {
  %sum = tosa.add %x, %state : (tensor<1x8xi32>, tensor<1x8xi32>) -> tensor<1x8xi32>
  return %sum : tensor<1x8xi32>
}
"""


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

    def test_arrays_in_the_other_byte_order(self):
        program = vernier.load(ROOT / "tests/golden/networks/clamp_int16/model.tosa").compile()
        (end,) = program.network.inputs
        array = np.random.default_rng(7).integers(-(2**15), 2**15, end.shape, dtype=np.int16)
        ((name, wanted),) = program.run({end.name: array}).outputs.items()
        records = np.zeros(end.shape, [("odd", "i1"), ("value", "i2")])
        records["value"] = array
        for given in (array.astype(">i2"), np.asfortranarray(array.astype(">i2")), array[::-1].copy()[::-1], records["value"]):
            np.testing.assert_array_equal(program.run({end.name: given}).outputs[name], wanted)

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
        self.assert_mistake("found the key 3, expected a dict of arrays", run, {3: self.array})
        for wrong in (self.array.astype(np.float16), self.array.astype(object), self.array.astype("S1"), self.array.astype(np.complex64)):
            self.assert_mistake("expected one of bool, int8", run, {name: wrong})
        self.assert_mistake(r"holds int16 \[1, 12, 12, 1\], expected int8", run, {name: self.array.astype(np.int16)})
        for shape in ((12, 12), (1, 12, 12, 1, 1), (144,), (1, 12, 12, 2)):
            self.assert_mistake(r"expected int8 \[1, 12, 12, 1\]", run, {name: np.zeros(shape, np.int8)})
        self.assert_mistake(r"expected int8 \[1, 12, 12, 1\]", run, {name: np.zeros((), np.int8)})
        self.assert_mistake("found an array of the shape .*expected 1,048,576 elements", run, {name: np.broadcast_to(np.int8(1), (2**40, 12, 12, 1))})
        self.assert_mistake("found MaskedArray, expected an array of numpy", run, {name: np.ma.array(self.array, mask=self.array > 0)})
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
        for named in ({"level": 8}, {"signature": 3}, {"shapes": [1, 2]}, {"shapes": {"picture": "1x2"}}, {"shapes": {"picture": [1, 2.5]}},
                      {"batch": "2"}):
            self.assert_mistake(f"{next(iter(named))}: .*found .*, expected", vernier.load, DEMO, **named)
        for named in ({"carry": ["a=b"]}, {"carry": {"a": 3}}, {"variables": [1]}, {"control": 1}, {"inject": 1}):
            self.assert_mistake(f"{next(iter(named))}: found .*, expected", self.compiled.run, **named)
        self.assert_mistake("'gpu' is not one of direct, cpu", self.compiled.run, control="gpu")
        self.assert_mistake("no output is named 'a'", self.compiled.run, iterations=2, carry={"a": "picture"})
        self.assert_mistake("is for a network with variables", self.compiled.run, variables={"a": self.array})
        self.assert_mistake("--inject", self.compiled.run, inject="accumulator:bitflip")
        missing = str(self.folder / "none.tosa")
        error = self.assert_mistake("none.tosa", vernier.load, missing)
        self.assertEqual(error.file, missing)
        own = self.folder / "own.tosa"
        own.write_bytes(DEMO.read_bytes())
        run = vernier.load(own).compile().estimate()
        self.assert_mistake("expected another file than the network's", run.html, own)
        self.assert_mistake("cannot be written", run.html, self.folder / "none" / "p.html")
        self.assertEqual(own.read_bytes(), DEMO.read_bytes())
        (self.folder / "bad.tflite").write_bytes(NETWORK.read_bytes()[:300])
        error = self.assert_mistake("bad.tflite", vernier.load, self.folder / "bad.tflite")
        self.assertEqual(error.file, str(self.folder / "bad.tflite"))
        (self.folder / "empty.tosa").write_bytes(b"")
        self.assert_mistake("is empty", vernier.load, self.folder / "empty.tosa")


class Jobs(PackageTest):
    """Jobs one after the other, faults, and who starts them."""

    def test_an_output_is_the_next_input(self):
        (self.folder / "sum.mlir").write_text(SUM, encoding="ascii")
        x, state = (np.arange(8, dtype=np.int32).reshape(1, 8) * factor for factor in (1, 100))
        program = vernier.load(self.folder / "sum.mlir").compile("v64")
        arrays = {"TosaInput_0": x, "TosaInput_1": state}
        run = program.run(arrays, iterations=3, carry={"TosaOutput_0": "TosaInput_1"})
        np.testing.assert_array_equal(run.outputs["TosaOutput_0"], 3 * x + state)
        self.assertEqual((run.check["result"], run.check["iterations_compared"]), ("match", 3))
        self.assertIn("--carry TosaOutput_0=TosaInput_1", run.report["run"]["command_line"])
        self.assert_mistake("--carry: goes with --iterations", program.run, arrays, carry={"TosaOutput_0": "TosaInput_1"})

    def test_variables_go_from_run_to_run(self):
        file = self.folder / "net.tosa"
        streaming_network.streaming_graph().write(file)
        program = vernier.load(file).compile()
        (end,) = program.network.inputs
        frame = np.random.default_rng(3).integers(-128, 128, end.shape, dtype=np.int8)
        at_once = program.run({end.name: frame}, iterations=4)
        held = None
        for _ in range(4):
            run = program.run({end.name: frame}, variables=held)
            held = run.variables
        self.assertEqual(sorted(held), ["frames", "maps"])
        for one, other in ((run.outputs, at_once.outputs), (held, at_once.variables)):
            for name, values in one.items():
                np.testing.assert_array_equal(values, other[name])
        self.assertEqual({variable["first_value"] for variable in run.report["variables"]}, {"an array"})
        np.testing.assert_array_equal(run.tensor(next(iter(run.outputs))), next(iter(run.outputs.values())))
        self.assert_mistake("no variable is named 'frame', the variables are .*did you mean 'frames'", program.run, variables={"frame": frame})
        self.assert_mistake("maps: holds int8 .*, expected int8", program.run, variables={"maps": frame})
        self.assert_mistake("variable 'maps': found list", program.run, variables={"maps": [1]})

    def test_the_control_cpu_and_faults(self):
        program = vernier.load(NETWORK).compile("v64")
        for words, named in ((["--control", "cpu"], {"control": "cpu"}), (["--inject", "accumulator:bitflip@300"], {"inject": "accumulator:bitflip@300"})):
            run = program.run(**named)
            self.assertEqual(steady(run.report), steady(self.program("run", NETWORK, "--config", "v64", *words, "--no-rerun", good=False)))
        self.assertEqual((run.exit_code, run.check["result"]), (3, "mismatch"))
        self.assertIn("is flipped on the MAC array", run.report["injected"])
        self.assertIn("--no-rerun", run.report["run"]["command_line"])

    def test_a_difference_is_looked_into(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        inject = "accumulator:bitflip@300"
        wanted = self.program("run", NETWORK, "--inject", inject, good=False)
        waves = {path.name: path.read_bytes() for path in self.folder.glob("*.fst")}
        self.assertTrue(waves)
        for name in waves:
            (self.folder / name).unlink()
        run = vernier.load(NETWORK).compile().run(inject=inject, rerun=True)
        self.assertEqual(steady(run.report), steady(wanted))
        self.assertTrue(run.check["first_difference"]["operands"])
        self.assertEqual(waves.keys(), {path.name for path in self.folder.glob("*.fst")})


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
        comparison = vernier.compare(run, run)
        (self.folder / "afile").write_text("text")
        for write in (run.html, comparison.html):
            write(self.folder / "written.html")
            for wrong in (self.folder / "none" / "a.html", self.folder / "afile" / "a.html", self.folder, "a" * 300, 5, "a\0b"):
                self.assert_mistake("", write, wrong)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"afile", "page.html", "written.html"})
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


if __name__ == "__main__":
    main()
