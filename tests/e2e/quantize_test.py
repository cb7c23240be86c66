# SPDX-License-Identifier: Apache-2.0
"""`quantize` and `dequantize` against results of TensorFlow, and everything that they refuse or warn about.

The results of TensorFlow are in ../shared/golden/quant/tf_quantizev2; the cases of Golden and Errors are skipped where that
is absent."""

import math
import struct
import unittest

import measured
import npy
import program

GOLDEN = program.ROOT.parent / "shared" / "golden" / "quant" / "tf_quantizev2"
DESCR = {"qint8": "|i1", "quint8": "|u1", "qint16": "<i2", "quint16": "<u2", "qint32": "<i4"}
SAMPLE_STEP = 9  # of 1,360 cases, 152


def floats(bits):
    """Numbers from the bit patterns of the golden files; one pattern is a list of one."""
    return [struct.unpack("<f", struct.pack("<I", int(word, 16)))[0] for word in ([bits] if isinstance(bits, str) else bits)]


def digits(number):
    """A float32 in digits that give it again."""
    return repr(number)


def is_same(found, expected):
    return found == expected or (math.isnan(found) and math.isnan(expected))


class QuantizeTest(program.ProgramTest):
    def quantize(self, values, shape, low, high, *options, command="quantize"):
        """Runs a command on an array; `low` and `high` are texts of numbers, or arrays."""
        descr = "<f4" if command == "quantize" else DESCR[options[options.index("--type") + 1]]
        npy.write(self.folder / "in.npy", npy.Array(descr, shape, values))
        arguments = []
        for option, end in (("--min", low), ("--max", high)):
            if not isinstance(end, str):
                npy.write(self.folder / f"{option[2:]}.npy", end)
                end = f"{option[2:]}.npy"
            arguments += [option, end]
        return self.execute(command, "in.npy", *arguments, *map(str, options), "-o", "out.npy")

    def outputs(self, done):
        """The codes and the two lines of numbers of a `quantize` that ended well."""
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line.split() for line in done.stdout.splitlines()]
        self.assertEqual([line[0] for line in lines], ["output_min", "output_max"], done.stdout)
        ends = [[struct.unpack("<f", struct.pack("<f", float(text)))[0] for text in line[1:]] for line in lines]
        return npy.read(self.folder / "out.npy"), *ends


@unittest.skipUnless(GOLDEN.is_dir(), "../shared/golden/quant is not there")
class Golden(QuantizeTest):
    def ends(self, case, names):
        """The two ends of a range, as texts or, with an axis, as arrays."""
        if case["axis"] < 0:
            return [digits(floats(case[name])[0]) for name in names]
        arrays = [floats(case[name]) for name in names]
        return [npy.Array("<f4", (len(array),), array) for array in arrays]

    def check_case(self, case):
        options = ["--mode", case["mode"], "--type", case["T"]]
        options += ["--narrow-range"] if case["narrow_range"] else []
        options += ["--axis", case["axis"]] if case["axis"] >= 0 else []
        shape = case["shape"] if "shape" in case else [len(case["in"])]
        # Rejected calls are there without their input.
        values = floats(case["in"]) if "in" in case else [0] * math.prod(shape)
        done = self.quantize(values, shape, *self.ends(case, ("min", "max")), *options, "--round-mode",
                             case["round_mode"], "--ensure-minimum-range", case["ensure_minimum_range"])
        if "error" in case:
            self.assertEqual((done.returncode, done.stdout), (2, ""), case["message"])
            return 0, 0, 0
        codes, low, high = self.outputs(done)
        self.assertEqual((codes.descr, list(codes.shape)), (DESCR[case["T"]], list(shape)))
        undefined = set(case.get("undefined_at", []))
        for i, (found, expected) in enumerate(zip(codes.values, case["out"])):
            self.assertTrue(found == expected or i in undefined, f"element {i}: {found}, TensorFlow gives {expected}")
        for found, expected in ((low, floats(case["out_min"])), (high, floats(case["out_max"]))):
            self.assertEqual(len(found), len(expected))
            self.assertTrue(all(map(is_same, found, expected)), f"{found}, TensorFlow gives {expected}")
        if undefined:
            self.assertIn(f", {len(undefined):,} do not fit", done.stderr)
        done = self.quantize(case["out"], shape, *self.ends(case, ("out_min", "out_max")), *options, command="dequantize")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        values = npy.read(self.folder / "out.npy")
        self.assertEqual((values.descr, list(values.shape)), ("<f4", list(shape)))
        for i, (found, expected) in enumerate(zip(values.values, floats(case["deq"]))):
            self.assertTrue(is_same(found, expected), f"element {i} dequantized: {found}, TensorFlow gives {expected}")
        return len(case["out"]) - len(undefined), len(low) + len(high), len(case["deq"])

    def check_cases(self, cases, what):
        """How many codes, ends of ranges and dequantized numbers were compared."""
        counts = [0, 0, 0]
        for case in cases:
            with self.subTest(case=case["id"]):
                counts = [before + more for before, more in zip(counts, self.check_case(case), strict=True)]
        num_refused = sum("error" in case for case in cases)
        calls = f"{len(cases):,} calls" + (f", {num_refused} refused by both" if num_refused else "")
        for kind, count in zip(("codes", "ends of the range", "numbers dequantized"), counts, strict=True):
            measured.tell(f"QuantizeV2, {what}: {kind}", calls, "TensorFlow", count, 0, 0)
        return counts

    def cases(self, name):
        return program.read_json(GOLDEN / f"{name}.json")["cases"]

    def test_sample(self):
        sample = self.cases("per_tensor")[::SAMPLE_STEP]
        self.assertEqual(len(sample), 152)
        self.check_cases(sample + self.cases("per_axis")[::SAMPLE_STEP], "a sample")

    def test_per_tensor(self):
        cases = self.cases("per_tensor")
        self.assertEqual((len(cases), self.check_cases(cases, "a tensor")), (1360, [46340, 2720, 47426]))

    def test_per_axis(self):
        cases = self.cases("per_axis")
        self.assertEqual((len(cases), self.check_cases(cases, "an axis")), (360, [17524, 2400, 18000]))

    def test_errors(self):
        """What the kernel or the graph builder rejects is refused in one line, all else is computed alike."""
        cases = self.cases("errors")
        # Accepted at once only because no graph was built: the builder rejects the same call.
        by_graph = {case["what"] for case in cases if case["how"] == "graph" and "error" in case}
        num_refused = compared = 0
        for case in cases:
            with self.subTest(case=case["id"], what=case["what"]):
                attributes = {"mode": "MIN_COMBINED", **case["attrs"]}
                options = ["--type", case["T"]]
                for name, value in attributes.items():
                    option = "--" + name.replace("_", "-")
                    options += [option] if value is True else [] if value is False else [option, value]
                ends = []
                for end in ("min", "max"):
                    values = floats(case[end])
                    scalar = not case[f"{end}_shape"]
                    ends.append(digits(values[0]) if scalar else npy.Array("<f4", case[f"{end}_shape"], values))
                done = self.quantize(floats(case["in"]), case["shape"], *ends, *options)
                if "error" in case or case["what"] in by_graph:
                    num_refused += 1
                    self.assertEqual((done.returncode, done.stdout), (2, ""), case)
                    self.assertRegex(done.stderr, r"\Avernier: [^\n]+\n\Z")
                    self.assertFalse((self.folder / "out.npy").exists())
                    continue
                codes, low, high = self.outputs(done)
                self.assertEqual(list(codes.values), case["out"])
                compared += len(case["out"])
                self.assertEqual((low, high), (floats(case["out_min"]), floats(case["out_max"])))
                (self.folder / "out.npy").unlink()
        self.assertEqual(len(cases), 81)
        measured.tell("QuantizeV2, odd calls: codes", f"{len(cases)} calls, {num_refused} refused by both", "TensorFlow", compared, 0, 0)


class Files(QuantizeTest):
    OPTIONS = ("--mode", "SCALED", "--type", "qint8")

    def test_axis(self):
        ends = npy.Array("<f4", (2,), [-128, -64]), npy.Array("<f4", (2,), [127, 63.5])
        done = self.quantize([1, 1, -2.5, 2.5, -200, 200], (3, 2), *ends, *self.OPTIONS, "--axis", 1)
        codes, low, high = self.outputs(done)
        self.assertEqual((list(codes.values), codes.shape), ([1, 2, -3, 5, -128, 127], (3, 2)))
        self.assertEqual((low, high, done.stderr), ([-128, -64], [127, 63.5], ""))
        done = self.quantize(codes.values, (3, 2), *ends, *self.OPTIONS, "--axis", 1, command="dequantize")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(list(npy.read(self.folder / "out.npy").values), [1, 1, -3, 2.5, -128, 63.5])

    def test_there_and_back_on_the_printed_range(self):
        values = [i / 7 - 9 for i in range(128)]
        for name, descr in DESCR.items():
            for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
                if name == "qint32" and mode != "MIN_FIRST":
                    continue  # undefined at the upper end
                done = self.quantize(values, (128,), "-9.1", "9.3", "--mode", mode, "--type", name)
                codes, low, high = self.outputs(done)
                self.assertEqual(codes.descr, descr)
                self.quantize(codes.values, (128,), digits(low[0]), digits(high[0]), "--mode", mode, "--type", name, command="dequantize")
                step = (high[0] - low[0]) / (2 ** int(name.split("int")[1]) - 1)
                for before, after in zip(values, npy.read(self.folder / "out.npy").values):
                    expected = max(before, low[0])
                    self.assertLessEqual(abs(after - expected), step * 1.01 + 2e-6, f"{name} {mode} {before}")

    def test_no_elements_and_rank_0(self):
        for shape, values, codes in (((0,), [], []), ((2, 0, 3), [], []), ((), [1.5], [2])):
            done = self.quantize(values, shape, "-128", "127", *self.OPTIONS)
            found, low, high = self.outputs(done)
            self.assertEqual((found.shape, list(found.values), low, high), (shape, codes, [-128], [127]))
            done = self.quantize(codes, shape, "-128", "127", *self.OPTIONS, command="dequantize")
            self.assertEqual((done.returncode, npy.read(self.folder / "out.npy").shape), (0, shape))
        none = npy.Array("<f4", (0,), [])
        found, low, high = self.outputs(self.quantize([], (2, 0), none, none, *self.OPTIONS, "--axis", 1))
        self.assertEqual((found.shape, low, high), ((2, 0), [], []))

    def test_numbers_as_python_reads_them(self):
        for text, expected in (("+1.5e1", 15), ("-0x1p3", 8), (".5", 0.5), ("1e400", math.inf), ("Infinity", math.inf), ("1e-400", 0.01)):
            low, high = (text, "127") if text[0] == "-" else ("0", text)
            _, low, high = self.outputs(self.quantize([0], (1,), low, high, "--mode", "MIN_COMBINED", "--type", "qint8"))
            self.assertEqual(-low[0] if text[0] == "-" else high[0], struct.unpack("<f", struct.pack("<f", expected))[0], text)

    def test_warnings(self):
        for options, low, high, values, said in (
                (("--mode", "SCALED", "--type", "quint8"), "-5", "-1", [-3], "no positive part"),
                (("--mode", "MIN_FIRST", "--type", "qint8", "--ensure-minimum-range", "0"), "0", "0", [1], "is empty"),
                (("--mode", "MIN_COMBINED", "--type", "qint8"), "-3e38", "3e38", [0], "wider than float32"),
                (("--mode", "MIN_FIRST", "--type", "qint8"), "nan", "1", [0], "takes nan as 0"),
                (("--mode", "SCALED", "--type", "qint8"), "-inf", "1", [0], "is infinite"),
                (("--mode", "SCALED", "--type", "qint32"), "-1", "1", [1, 0.5, math.nan], "of 3 elements, 2 do not fit int32"),
                (("--mode", "MIN_COMBINED", "--type", "qint8", "--narrow-range"), "-1", "1", [0], "in --mode SCALED only")):
            done = self.quantize(values, (len(values),), low, high, *options)
            self.outputs(done)
            self.assertRegex(done.stderr, r"\A(vernier: warning: [^\n]+\n)+\Z")
            self.assertIn(said, done.stderr)
        done = self.quantize([-128], (1,), "3", "1", *self.OPTIONS, "--round-mode", "HALF_TO_EVEN", "--ensure-minimum-range", "1",
                             command="dequantize")
        self.assertEqual(done.returncode, 0)
        for said in ("upside down", "--round-mode has no effect", "--ensure-minimum-range has no effect"):
            self.assertIn(said, done.stderr)
        ends = npy.Array("<f4", (3,), [-5, -6, -1]), npy.Array("<f4", (3,), [-1, -2, 1])
        done = self.quantize([0] * 3, (3,), *ends, "--mode", "SCALED", "--type", "quint8", "--axis", 0)
        self.assertIn("the range -5 to -1 of slice 0 (and 1 slice more) has no positive part", done.stderr)
        self.assertEqual(self.quantize([0], (1,), "-1", "1", *self.OPTIONS).stderr, "")

    def test_an_older_file_stays_where_nothing_is_written(self):
        (self.folder / "out.npy").write_text("an older file")
        for low in ("2", "none.npy"):
            self.assertEqual(self.quantize([0], (1,), low, "1", *self.OPTIONS).returncode, 2)
            self.assertEqual((self.folder / "out.npy").read_text(), "an older file")
            self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["in.npy", "out.npy"])

    def test_truncated_anywhere(self):
        whole = npy.to_bytes(npy.Array("<f4", (2, 3), range(6)))
        for length in range(0, len(whole), 3):
            (self.folder / "cut.npy").write_bytes(whole[:length])
            done = self.execute("quantize", "cut.npy", "--min", "0", "--max", "1", *self.OPTIONS, "-o", "out.npy")
            self.assertEqual((done.returncode, done.stdout), (2, ""), length)
            self.assertRegex(done.stderr, r"\Avernier: cut.npy: [^\n]+\n\Z")

    def test_shapes_that_announce_more_than_there_is(self):
        for shape in ((2 ** 40, 2 ** 40), (2 ** 62,), (2 ** 31, 2 ** 31, 4)):
            (self.folder / "big.npy").write_bytes(npy.to_bytes(npy.Array("<f4", shape, [])))
            done = self.execute("quantize", "big.npy", "--min", "0", "--max", "1", *self.OPTIONS, "-o", "out.npy")
            self.assertEqual(done.returncode, 2)
            self.assertIn("is truncated", done.stderr)


if __name__ == "__main__":
    program.main()
