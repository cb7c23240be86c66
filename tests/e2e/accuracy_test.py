# SPDX-License-Identifier: Apache-2.0
"""Many inputs through one network, and how good their outputs are: every figure is computed here once more."""

import random
import zipfile

import npy
import program
import streaming_network
import tflite_file

DEMO = program.DEMO
PICTURES, LABELS, EXPECTED = (DEMO.parent / f"{name}.npy" for name in ("pictures", "labels", "expected"))
OUTPUT = "TosaOutput_0"
DEQUANTIZE = 6


def rows_of(array):
    """The arrays along the first dimension."""
    size = len(array.values) // array.shape[0]
    return [npy.Array(array.descr, array.shape[1:], array.values[i * size:(i + 1) * size]) for i in range(array.shape[0])]


def stacked(arrays):
    values = [value for array in arrays for value in array.values]
    return npy.Array(arrays[0].descr, (len(arrays), *arrays[0].shape), values)


def write_npz(path, arrays, method=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, array in arrays.items():
            archive.writestr(f"{name}.npy", npy.to_bytes(array))


class AccuracyTest(program.ProgramTest):
    def accuracy(self, model, *options, exit_code=0):
        """Of a run: (the part `accuracy` of its report, all of the report)."""
        report_file = self.folder / "report.json"
        done = self.execute("run", model, "-q", "--report", report_file, *options)
        self.assertEqual(done.returncode, exit_code, f"{options}\n{done.stdout}{done.stderr}")
        report = program.read_json(report_file)
        self.assertEqual(program.report_checks.check(report), [])
        return report["accuracy"], report

    def refused(self, what, *options, model=DEMO):
        done = self.execute("run", model, "-q", *options)
        self.assertEqual(done.returncode, 2, f"{options}\n{done.stdout}{done.stderr}")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(what, done.stderr)
        self.assertEqual(sorted(path.name for path in self.folder.glob("out*")), [], "files are left behind")

    def write_folder(self, name, arrays):
        folder = self.folder / name
        folder.mkdir()
        for sample, array in arrays.items():
            npy.write(folder / f"{sample}.npy", array)
        return folder


class Samples(AccuracyTest):
    def setUp(self):
        super().setUp()
        self.pictures, self.expected = rows_of(npy.read(PICTURES))[:30], rows_of(npy.read(EXPECTED))[:30]
        npy.write(self.folder / "pictures.npy", stacked(self.pictures))

    def test_every_form_of_many_inputs_gives_the_same_outputs(self):
        write_npz(self.folder / "stored.npz", {"TosaInput_0": stacked(self.pictures)})
        write_npz(self.folder / "deflated.npz", {"arr_0": stacked(self.pictures)}, zipfile.ZIP_DEFLATED)
        self.write_folder("folder", {f"{i:04}": picture for i, picture in enumerate(self.pictures)})
        batches = [npy.Array(p.descr, (1, *p.shape), p.values) for p in self.pictures]
        npy.write(self.folder / "batches.npy", stacked(batches))
        self.write_folder("batched", {f"{i:04}": picture for i, picture in enumerate(batches)})
        for number, inputs in enumerate(("pictures.npy", "stored.npz", "deflated.npz", "folder", "batches.npy", "batched")):
            for options in (("--jobs", 2), ("--jobs", 1), ("--backend", "reference")):
                folder = self.folder / f"results{number}{options[1]}"
                found, report = self.accuracy(DEMO, "--inputs", inputs, "--output-dir", folder, *options)
                self.assertEqual([sample["sample"] for sample in found["samples"]], [f"{i:04}" for i in range(30)])
                self.assertEqual(sorted(path.name for path in folder.iterdir()), [f"{i:04}.npy" for i in range(30)])
                self.assertEqual((found["inputs"], found["num_samples"]), (inputs, 30))
                self.assertEqual([sample["files"] for sample in found["samples"]], [[f"{i:04}.npy"] for i in range(30)])
                for i, expected in enumerate(self.expected):
                    self.assertEqual(list(npy.read(folder / f"{i:04}.npy").values), list(expected.values), f"{inputs} {i}")
                if "reference" not in options:
                    self.assertEqual((report["check"]["result"], report["check"]["iterations_compared"]), ("match", 30))

    def test_top_1_and_top_5_are_those_of_the_outputs(self):
        draw = random.Random(3)
        labels = [row.values.index(max(row.values)) if i % 3 else draw.randrange(10) for i, row in enumerate(self.expected)]
        (self.folder / "labels.txt").write_text("".join(f"{label}\n" for label in labels) + "\n")
        npy.write(self.folder / "labels.npy", npy.Array("<i8", (30,), labels))
        orders = [sorted(range(10), key=lambda k, row=row: (-row.values[k], k)) for row in self.expected]
        ranks = [order.index(label) + 1 for order, label in zip(orders, labels)]
        for file in ("labels.txt", "labels.npy", f"{OUTPUT}=labels.txt"):
            found, _ = self.accuracy(DEMO, "--inputs", "pictures.npy", "--labels", file)
            self.assertEqual([sample["rank"] for sample in found["samples"]], ranks)
            self.assertEqual([sample["label"] for sample in found["samples"]], labels)
            self.assertEqual([sample["top_class"] for sample in found["samples"]], [order[0] for order in orders])
            scores = found["labels"]
            self.assertEqual((scores["output"], scores["classes"]), (OUTPUT, 10))
            for top in (1, 5):
                right = sum(rank <= top for rank in ranks)
                self.assertTrue(0 < right < 30)
                self.assertEqual(scores[f"top{top}_samples"], right)
                self.assertAlmostEqual(scores[f"top{top}_percent"], 100 * right / 30, delta=0.006)

    def test_differences_are_those_of_the_outputs(self):
        draw = random.Random(4)
        wanted = [npy.Array(row.descr, row.shape, row.values) for row in self.expected]
        for i in range(0, 30, 4):
            for k in range(0, 10, 3):
                step = draw.choice((-7, -2, 5))
                wanted[i].values[k] = max(-128, min(127, wanted[i].values[k] + step))
        npy.write(self.folder / "wanted.npy", stacked(wanted))
        write_npz(self.folder / "wanted.npz", {OUTPUT: stacked(wanted)}, zipfile.ZIP_DEFLATED)
        self.write_folder("wanted", {f"{i:04}": row for i, row in enumerate(wanted)})
        gaps = [[abs(a - b) for a, b in zip(x.values, y.values)] for x, y in zip(self.expected, wanted)]
        largest = max(map(max, gaps))
        for place in ("wanted.npy", "wanted.npz", "wanted"):
            found, _ = self.accuracy(DEMO, "--inputs", "pictures.npy", "--expected", place)
            scores = found["expected"]
            self.assertEqual(scores["equal_samples"], sum(not any(row) for row in gaps))
            [output] = scores["outputs"]
            self.assertEqual((output["tensor"], output["dtype"], output["elements_compared"]), (OUTPUT, "int8", 300))
            self.assertEqual(output["elements_different"], sum(gap > 0 for row in gaps for gap in row))
            self.assertEqual(output["largest_difference"], largest)
            self.assertAlmostEqual(output["mean_difference"], sum(map(sum, gaps)) / 300, places=12)
            self.assertEqual(output["worst_sample"], f"{next(i for i, row in enumerate(gaps) if max(row) == largest):04}")
            self.assertEqual([sample["is_equal"] for sample in found["samples"]], [not any(row) for row in gaps])

    def test_samples_are_in_the_order_of_their_names(self):
        self.write_folder("folder", {str(i): picture for i, picture in enumerate(self.pictures[:11])})
        found, report = self.accuracy(DEMO, "--inputs", "folder")
        self.assertEqual([sample["sample"] for sample in found["samples"]], ["0", "1", "10", *"23456789"])
        self.assertIn("the samples of folder are in the order of their names, in which '10' comes before '2'", report["notes"])

    def test_the_text_says_the_figures_and_fits_the_width(self):
        for columns in (80, 160):
            self.environment["COLUMNS"] = str(columns)
            done = self.execute("run", DEMO, "--inputs", PICTURES.name, "--labels", LABELS.name, "--expected", EXPECTED.name, cwd=DEMO.parent)
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = done.stdout.splitlines()
            self.assertLessEqual(max(map(len, lines)), columns)
            self.assertIn("accuracy: 100 samples of pictures.npy, '0000' to '0099'", lines)
            self.assertIn("top-1: 100.0% (100 of 100), top-5: 100.0% (100 of 100)", done.stdout.replace("\u00a0", " "))

    def test_what_cannot_be_samples_is_one_line(self):
        self.write_folder("empty", {})
        self.refused("has no .npy files", "--inputs", "empty")
        self.write_folder("mixed", {"a": self.pictures[0], "b": npy.zeros("int8", (1, 8, 8, 1)), "c": npy.zeros("int8", (4, 4, 1))})
        self.refused("c.npy: holds int8 [4, 4, 1], expected int8 [1, 8, 8, 1]", "--inputs", "mixed", "--output-dir", "out")
        npy.write(self.folder / "wrong.npy", npy.zeros("int16", (3, 8, 8, 1)))
        self.refused("wrong.npy, sample 0: holds int16", "--inputs", "wrong.npy")
        write_npz(self.folder / "other.npz", {"TosaInput_1": stacked(self.pictures)})
        self.refused("did you mean 'TosaInput_0'?", "--inputs", "other.npz")
        content = (self.folder / "other.npz").read_bytes()
        (self.folder / "cut.npz").write_bytes(content[:len(content) // 2])
        self.refused("cut.npz: is truncated", "--inputs", "cut.npz")
        self.refused("nowhere", "--inputs", "nowhere")
        npy.write(self.folder / "none.npy", npy.zeros("int8", (0, 8, 8, 1)))
        self.refused("has no samples", "--inputs", "none.npy")
        self.refused("cannot go with --inputs", "--inputs", "pictures.npy", "--input", "pictures.npy")
        self.refused("cannot go with --inputs", "--inputs", "pictures.npy", "--iterations", 2)
        self.refused("is the folder of --inputs", "--inputs", "mixed", "--output-dir", "mixed")
        self.refused("goes with --inputs", "--labels", "x")
        self.refused("is for one run", "--inputs", "pictures.npy", "--config", "v64,v256")

    def test_what_cannot_be_labels_or_expected_outputs_is_one_line(self):
        for text, what in (("1\n" * 29, "labels.txt: has 29 labels, and there are 30 samples"), ("1\n" * 29 + "10\n", "label 10 of sample '0029' is no class"),
                           ("1\n" * 29 + "-1\n", "label -1 of sample"), ("1\ncat\n", "line 2 is 'cat'"), ("1\n\n1\n", "line 2 is empty")):
            (self.folder / "labels.txt").write_text(text)
            self.refused(what, "--inputs", "pictures.npy", "--labels", "labels.txt", "--output-dir", "out")
        npy.write(self.folder / "labels.npy", npy.zeros("<f4", (30,)))
        self.refused("holds float32 [30], expected integers", "--inputs", "pictures.npy", "--labels", "labels.npy")
        self.refused("no output is named 'scores'", "--inputs", "pictures.npy", "--labels", "scores=labels.npy")
        npy.write(self.folder / "short.npy", npy.zeros("int8", (29, 10)))
        self.refused("short.npy: has 29 samples, and pictures.npy has 30", "--inputs", "pictures.npy", "--expected", "short.npy")
        npy.write(self.folder / "wide.npy", npy.zeros("int8", (30, 11)))
        self.refused("holds int8 [11], output 'TosaOutput_0' is int8 [1, 10]", "--inputs", "pictures.npy", "--expected", "wide.npy", "--output-dir", "out")
        self.write_folder("some", {f"{i:04}": row for i, row in enumerate(self.expected[:29])})
        self.refused("has nothing for sample '0029'", "--inputs", "pictures.npy", "--expected", "some")


class Networks(AccuracyTest):
    def test_several_inputs_are_a_folder_for_each_sample(self):
        network, shapes, draw = program.MADE / "mul_int8" / "model.tosa", ((1, 4, 4, 18), (1, 1, 1, 18)), random.Random(5)
        samples = {name: [npy.Array("|i1", shape, [draw.randint(-128, 127) for _ in range(npy_count(shape))]) for shape in shapes]
                   for name in ("cat", "dog", "eel")}
        alone = {}
        for name, arrays in samples.items():
            folder = self.write_folder(f"in_{name}", {f"TosaInput_{i}": array for i, array in enumerate(arrays)})
            (self.folder / "in").mkdir(exist_ok=True)
            folder.rename(self.folder / "in" / name)
            _, alone[name] = self.run_model(network, [f"TosaInput_{i}=in/{name}/TosaInput_{i}.npy" for i in range(2)])
        write_npz(self.folder / "in.npz", {f"TosaInput_{i}": stacked([arrays[i] for arrays in samples.values()]) for i in range(2)})
        for inputs, names in (("in", list(samples)), ("in.npz", ["0000", "0001", "0002"])):
            found, _ = self.accuracy(network, "--inputs", inputs, "--output-dir", f"results_{inputs}")
            self.assertEqual([sample["sample"] for sample in found["samples"]], names)
            for name, outputs in zip(names, alone.values()):
                files = [self.folder / f"results_{inputs}" / file for sample in found["samples"] if sample["sample"] == name for file in sample["files"]]
                for file, output in zip(files, outputs.values(), strict=True):
                    self.assert_arrays_equal(npy.read(file), output, f"{inputs} {name}")
            again, _ = self.accuracy(network, "--inputs", inputs, "--expected", f"results_{inputs}")
            self.assertEqual(again["expected"]["equal_samples"], 3)
        (self.folder / "in" / "dog" / "TosaInput_1.npy").rename(self.folder / "in" / "dog" / "TosaInput_2.npy")
        self.refused("in/dog: holds 'TosaInput_2', no input is named so", "--inputs", "in", model=network)
        (self.folder / "in" / "dog" / "TosaInput_2.npy").unlink()
        self.refused("in/dog: has no TosaInput_1.npy", "--inputs", "in", model=network)
        npy.write(self.folder / "one.npy", stacked([arrays[0] for arrays in samples.values()]))
        self.refused("give a folder or an .npz file", "--inputs", "one.npy", model=network)

    def test_samples_of_a_network_with_variables_follow_each_other(self):
        graph, draw = streaming_network.streaming_graph(), random.Random(6)
        graph.write(self.folder / "net.tosa")
        by_hand = streaming_network.ByHand(graph.weights)
        frames = [[draw.randint(-128, 127) for _ in range(streaming_network.FEATURES)] for _ in range(12)]
        npy.write(self.folder / "frames.npy", stacked([npy.Array("|i1", (1, 1, 1, streaming_network.FEATURES), f) for f in frames]))
        scores = [by_hand.scores(frame) for frame in frames]
        for options in (("--jobs", 4), ("--backend", "reference"), ("--check-all",)):
            folder = self.folder / f"results{options[-1]}"
            self.accuracy("net.tosa", "--inputs", "frames.npy", "--output-dir", folder, *options)
            for i, expected in enumerate(scores):
                self.assertEqual(list(npy.read(folder / f"{i:04}.npy").values), expected, f"frame {i}, {options}")

    def test_floats_become_codes_at_the_boundary(self):
        (self.folder / "net.tflite").write_bytes(float_ends())
        draw = random.Random(7)
        pictures = [npy.Array("<f4", (1, 6, 6, 1), [draw.uniform(-1, 8) for _ in range(36)]) for _ in range(5)]
        npy.write(self.folder / "x.npy", stacked(pictures))
        found, _ = self.accuracy("net.tflite", "--inputs", "x.npy", "--output-dir", "results")
        self.assertEqual(found["samples"][3]["files"], ["0003.npy", "0003.float.npy"])
        floats, codes = [], []
        for i, picture in enumerate(pictures):
            npy.write(self.folder / "one.npy", picture)
            _, outputs = self.run_model("net.tflite", ["one.npy"])
            self.assert_arrays_equal(npy.read(self.folder / "results" / f"{i:04}.npy"), outputs["answer"], i)
            self.assert_arrays_equal(npy.read(self.folder / "results" / f"{i:04}.float.npy"), outputs["answer.float"], i)
            codes.append(outputs["answer"])
            floats.append(outputs["answer.float"])
        moved = [npy.Array("<f4", row.shape, [value + 0.5 for value in row.values]) for row in floats]
        npy.write(self.folder / "moved.npy", stacked(moved))
        found, _ = self.accuracy("net.tflite", "--inputs", "x.npy", "--expected", "moved.npy")
        [output] = found["expected"]["outputs"]
        self.assertEqual((output["dtype"], output["elements_different"]), ("float32", output["elements_compared"]))
        self.assertAlmostEqual(output["mean_difference"], 0.5, places=6)
        found, _ = self.accuracy("net.tflite", "--inputs", "x.npy", "--expected", "results")
        self.assertEqual((found["expected"]["equal_samples"], found["expected"]["outputs"][0]["dtype"]), (5, "int8"))
        for file in (self.folder / "results").glob("????.npy"):
            file.unlink()
        found, _ = self.accuracy("net.tflite", "--inputs", "x.npy", "--expected", "results")
        self.assertEqual((found["expected"]["equal_samples"], found["expected"]["outputs"][0]["dtype"]), (5, "float32"))
        pictures[4].values[17] = float("nan")
        npy.write(self.folder / "nan.npy", stacked(pictures))
        for options in (("--jobs", 3), ("--jobs", 1)):
            self.refused("nan.npy, sample 4: holds nan at [0, 2, 5, 0]", "--inputs", "nan.npy", "--output-dir", "out", *options, model="net.tflite")
        moved[2].values[0] = float("inf")
        npy.write(self.folder / "inf.npy", stacked(moved))
        self.refused("inf.npy, sample 2: holds inf", "--inputs", "x.npy", "--expected", "inf.npy", model="net.tflite")


def float_ends():
    """Floats become codes, a convolution, and floats again."""
    net = tflite_file.Network(seed=2)
    picture = net.tensor("picture", (1, 6, 6, 1), tflite_file.FLOAT32, ())
    codes = net.operator(tflite_file.QUANTIZE, {}, [picture], net.tensor("codes", (1, 6, 6, 1), zero_point=-100))
    first = net.conv("first", (codes, 1), (1, 6, 6, 8), 3)
    second = net.conv("second", first, (1, 6, 6, 8), 3)
    answer = net.tensor("answer", (1, 6, 6, 8), tflite_file.FLOAT32, ())
    return net.to_bytes([picture], [net.operator(DEQUANTIZE, {}, [second[0]], answer, 0)])


def npy_count(shape):
    count = 1
    for size in shape:
        count *= size
    return count


if __name__ == "__main__":
    program.main()
