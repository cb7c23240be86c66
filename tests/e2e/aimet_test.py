# SPDX-License-Identifier: Apache-2.0
"""Float ONNX networks with encodings files of AIMET: the networks and quantizers of ../shared/golden/quant/aimet (skipped where
that is absent), and small networks worked by hand."""

import collections
import json
import struct

import encodings_file
import measured
import npy
import onnx_file
import program

GOLDEN = program.ROOT.parent / "shared" / "golden" / "quant" / "aimet"
MOST_STEPS = {8: 0, 16: 2}  # by bits of the activations


def sample_of(array, index):
    count = len(array.values) // array.shape[0]
    return npy.Array(array.descr, (1, *array.shape[1:]), array.values[index * count:(index + 1) * count])


class Golden(program.ProgramTest):
    """45 encodings files of one network, converted and run; the codes that an integer evaluation gives."""

    def setUp(self):
        super().setUp()
        if not GOLDEN.is_dir():
            self.skipTest("../shared/golden/quant is not there")
        self.network = GOLDEN / "network.onnx"

    def differing(self, configuration, version):
        """How many steps each of the output's codes is off."""
        folder = GOLDEN / configuration
        inputs, expected = npy.read(GOLDEN / "input.npy"), npy.read(folder / "codes_formula.npy")
        done = self.execute("convert", self.network, "--encodings", folder / f"{version}.encodings", "-o", "net.tosa")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        package = self.compile(self.folder / "net.tosa")
        end, = program.read_json(self.folder / "net.boundary.json")["outputs"]
        steps = []
        for i in range(inputs.shape[0]):
            (self.folder / "x.npy").write_bytes(npy.to_bytes(sample_of(inputs, i)))
            _, outputs = self.run_model(package, [self.folder / "x.npy"])
            lowest = self.offsets[configuration] + end["zero_point"]  # what code 0 of AIMET's grid is called here
            steps += [abs(found - lowest - wanted)
                      for found, wanted in zip(outputs["y"].values, sample_of(expected, i).values, strict=True)]
        return steps

    def test_all(self):
        summary = program.read_json(GOLDEN / "aimet.json")["configurations"]
        self.offsets = {name: entry["output_offset"] for name, entry in summary.items()}
        self.assertEqual(len(summary) * len(encodings_file.VERSIONS), 45)
        told = collections.defaultdict(list)
        for configuration in summary:
            for version in encodings_file.VERSIONS:
                if configuration == "a8w8_strict_symmetric" and version == "2.0.0":
                    kind, most = "8 bits, strict grids in version 2.0.0, which has none", 4  # it clamps one code later (golden/quant/README.md)
                else:
                    bits = 16 if configuration.startswith("a16") else 8
                    kind, most = f"activations of {bits} bits", MOST_STEPS[bits]
                with self.subTest(configuration=configuration, version=version):
                    steps = self.differing(configuration, version)
                    told[kind].append(steps)
                    self.assertLessEqual(max(steps), most)
        for kind, files in told.items():
            measured.tell_steps(f"AIMET encodings, {kind}", f"{len(files)} file{'s' * (len(files) > 1)}, 12 samples each", "an integer evaluation by AIMET's formulas",
                                [step for steps in files for step in steps])

    def test_malformed(self):
        """Told with the network, too: exit code and severity as the index says."""
        cases = program.read_json(GOLDEN / "malformed" / "index.json")["files"]
        for case in cases:
            with self.subTest(file=case["file"]):
                file = GOLDEN / "malformed" / case["file"]
                done = self.execute("encodings", "check", file, "--model", self.network)
                self.assertEqual(done.returncode, 0 if case["severity"] == "warning" else 2, done.stderr)
                severities = {line.split(".encodings:")[1].lstrip("0123456789:").split(":")[0].strip()
                              for line in done.stderr.splitlines()}
                self.assertIn(case["severity"], severities)
                converted = self.execute("convert", self.network, "--encodings", file, "-o", "net.tosa")
                self.assertEqual(converted.returncode, done.returncode)
                self.assertEqual((self.folder / "net.tosa").exists(), done.returncode == 0)
                (self.folder / "net.tosa").unlink(missing_ok=True)
        num_refused = sum(case["severity"] != "warning" for case in cases)
        measured.tell("AIMET encodings, malformed files", f"{len(cases)} files, {num_refused} refused, {len(cases) - num_refused} with warnings",
                      "what the files' index asks for", 0, 0, 0)

    def lines(self, name, severity):
        done = self.execute("encodings", "check", GOLDEN / "malformed" / name, "--model", self.network)
        return [line.split(": ", 2)[2] for line in done.stderr.splitlines() if f": {severity}: " in line]

    def test_what_only_the_network_tells(self):
        self.assertEqual(self.lines("channels_7_of_8.encodings", "error"), ["error: tensor conv1.weight: 7 encodings for 8 output channels"])
        self.assertEqual(self.lines("unknown_tensor.encodings", "error"), ["error: tensor conv9.out: is not in the network"])

    def test_quantizers(self):
        """3,600 numbers through AIMET's own quantizers: ties, ends of the range, subnormals."""
        cases = program.read_json(GOLDEN / "quantizer.json")["cases"]
        compared = 0
        for case in cases:
            numbers = [struct.unpack("<f", struct.pack("<I", int(text, 16)))[0] for text in case["in"]]
            self.folder.joinpath("net.onnx").write_bytes(movement(len(numbers)))
            (self.folder / "x.npy").write_bytes(npy.to_bytes(npy.Array("<f4", (1, len(numbers)), numbers)))
            entry = {"bitwidth": case["bitwidth"], "dtype": "int", "is_symmetric": str(bool(case["symmetric"])),
                     "scale": case["scale"], "offset": case["offset"]}
            (self.folder / "e.json").write_text(json.dumps(encodings({"x": entry})))
            _, outputs = self.run_model(self.folder / "net.onnx", [self.folder / "x.npy"], ["--encodings", self.folder / "e.json"])
            lowest = min(outputs["y"].values) - min(case["code"])
            self.assertEqual([code - lowest for code in outputs["y"].values], case["code"], case["id"])
            compared += len(numbers)
        measured.tell("AIMET quantizers", f"{len(cases)} quantizers", "AIMET", compared, 0, 0)


def encodings(activations, parameters=None):
    """A document of version 0.6.1 of {name: entry or entries}."""
    def lists(entries):
        return {name: entry if isinstance(entry, list) else [entry] for name, entry in (entries or {}).items()}
    return {"version": "0.6.1", "activation_encodings": lists(activations), "param_encodings": lists(parameters)}


def asymmetric(scale, offset, bits=8):
    return {"bitwidth": bits, "dtype": "int", "is_symmetric": "False", "scale": scale, "offset": offset}


def symmetric(scale, bits=8):
    return {"bitwidth": bits, "dtype": "int", "is_symmetric": "True", "scale": scale, "offset": -(2 ** (bits - 1))}


FLOAT, INT64 = onnx_file.FLOAT, onnx_file.INT64


def movement(count):
    nodes = [onnx_file.node("Flatten", ["x"], ["y"])]
    return onnx_file.model(nodes, [], [("x", FLOAT, [1, count])], [("y", FLOAT, [1, count])])


def small(kinds=("Relu",)):
    """x [1, 2, 2, 2] through a convolution of 1x1 with weights 1 and 2 and bias 0.3, then operators of one operand."""
    initializers = [onnx_file.tensor("w", FLOAT, [1, 2, 1, 1], [1, 2]), onnx_file.tensor("b", FLOAT, [1], [0.3])]
    nodes = [onnx_file.node("Conv", ["x", "w", "b"], ["c"])]
    names = ["c", *(f"r{i}" for i in range(1, len(kinds))), "y"]
    nodes += [onnx_file.node(kind, [names[i]], [names[i + 1]]) for i, kind in enumerate(kinds)]
    return onnx_file.model(nodes, initializers, [("x", FLOAT, [1, 2, 2, 2])], [("y", FLOAT, [1, 1, 2, 2])])


GOOD = {"x": asymmetric(0.25, -100), "y": asymmetric(0.25, 0)}


class Files(program.ProgramTest):
    REALS = (1.0, 2.125, -3.0, 100.0, 0.5, 0.375, -25.0, 0.0)

    def put(self, document, model=None):
        (self.folder / "net.onnx").write_bytes(model or small())
        (self.folder / "e.json").write_text(json.dumps(document, indent=1))
        (self.folder / "in.npy").write_bytes(npy.to_bytes(npy.Array("<f4", (1, 2, 2, 2), self.REALS)))

    def refusal(self, document, model=None):
        self.put(document, model)
        done = self.execute("run", "net.onnx", "--encodings", "e.json", "-q")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        checked = self.execute("encodings", "check", "e.json", "--model", "net.onnx")
        self.assertEqual(checked.returncode, 2)
        return [line.removeprefix("vernier: ") for line in done.stderr.splitlines() if ": note: " not in line]

    def test_ties_go_up_and_everything_takes_them(self):
        """The codes of x are 104, 109 (108.5), 88, 255, 102, 102 (101.5), 0, 100: 2.125 and 0.375 are ties, and go up."""
        self.put(encodings(GOOD, {"w": symmetric(1 / 64)}))
        arguments = ["net.onnx", "--encodings", "e.json"]
        report, outputs = self.run_model(*arguments[:1], [self.folder / "in.npy"], arguments[1:])
        # 64 * x0 + 128 * x1 codes of 1/256 and 77 (0.3 * 256 = 76.8) for the bias, by 64: ties of 77 / 64 there are none.
        x = [4, 9, -12, 155, 2, 2, -100, 0]
        wanted = [max(0, min(255, (x[i] * 64 + x[i + 4] * 127 + 77 + 32) // 64)) for i in range(4)]
        self.assertEqual(list(outputs["y"].values), wanted)
        self.assertEqual(list(outputs["y.float"].values), [code * 0.25 for code in wanted])
        self.assertEqual(len([note for note in report["notes"] if ": tensor " in note and "note:" not in note]), 2)
        package = self.compile("net.onnx", *arguments[1:])
        _, again = self.run_model(package, [self.folder / "in.npy"])
        self.assertEqual(list(again["y"].values), wanted)
        for command in (["estimate"], ["inspect"]):
            done = self.execute(*command, *arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_what_is_derived_is_told(self):
        self.put(encodings(GOOD, {"w": symmetric(1 / 64)}))
        done = self.execute("encodings", "check", "e.json", "--model", "net.onnx")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr.splitlines(), [
            "vernier: e.json: note: tensor b: has no encoding: a bias, taken as int32 with the scale of the sums that it is added to",
            "vernier: e.json: note: tensor c: has no encoding: no quantizer between nodes 'n_c' (Conv) and 'n_y' (Relu)"])

        done = self.execute("convert", "net.onnx", "--encodings", "e.json", "-o", "net.tosa")
        self.assertEqual([line for line in done.stdout.splitlines() if line.startswith("note:")], [
            "note: e.json: tensor b: has no encoding: a bias, taken as int32 with the scale of the sums that it is added to",
            "note: e.json: tensor c: has no encoding: no quantizer between nodes 'n_c' (Conv) and 'n_y' (Relu)"])

    def test_the_bias_of_a_linear_layer(self):
        """MatMul and Add: no quantizer between the two, and the constant of the Add is a bias, with an encoding of 32 bits or without."""
        initializers = [onnx_file.tensor("w", FLOAT, [2, 3], [1, 0, 0.5, 0, 1, 0.5]), onnx_file.tensor("b", FLOAT, [3], [0.25, -0.5, 1])]
        model = onnx_file.model([onnx_file.node("MatMul", ["x", "w"], ["s"]), onnx_file.node("Add", ["b", "s"], ["y"])], initializers,
                                [("x", FLOAT, [1, 2, 2])], [("y", FLOAT, [1, 2, 3])])
        for bias in ({}, {"b": symmetric(0.25 / 64, 32)}):
            self.put(encodings(GOOD, {"w": symmetric(1 / 64), **bias}), model)
            npy.write(self.folder / "x.npy", npy.Array("<f4", (1, 2, 2), [1, 2, -3, 0.5]))
            _, outputs = self.run_model("net.onnx", [self.folder / "x.npy"], ["--encodings", "e.json"])
            # Sums 1 2 1.5, -3 0.5 -1.25, the bias added; y is from 0 on.
            self.assertEqual((outputs["y.float"].shape, list(outputs["y.float"].values)), ((1, 2, 3), [1.25, 1.5, 2.5, 0, 0, 0]))
            done = self.execute("encodings", "check", "e.json", "--model", "net.onnx")
            said = ["vernier: e.json: note: tensor s: has no encoding: no quantizer between nodes 'n_s' (MatMul) and 'n_y' (Add)"]
            if not bias:
                said.append("vernier: e.json: note: tensor b: has no encoding: a bias, taken as int32 with the scale of the sums that it is added to")
            self.assertEqual((done.returncode, sorted(done.stderr.splitlines())), (0, sorted(said)))
        # A constant for each number is no bias, nor is one that has codes of its own.
        initializers[1] = onnx_file.tensor("b", FLOAT, [2, 3], [0.25, -0.5, 1, 0, 0, 0])
        other = onnx_file.model([onnx_file.node("MatMul", ["x", "w"], ["s"]), onnx_file.node("Add", ["s", "b"], ["y"])], initializers,
                                [("x", FLOAT, [1, 2, 2])], [("y", FLOAT, [1, 2, 3])])
        self.assertEqual(self.refusal(encodings(GOOD, {"w": symmetric(1 / 64)}), other), [
            "e.json: error: tensor s: has no encoding; it is given by node 'n_s' (MatMul)",
            "e.json: error: tensor b: has no encoding; it is read by node 'n_y' (Add)"])
        self.assertEqual(self.refusal(encodings(GOOD, {"w": symmetric(1 / 64), "b": symmetric(1 / 64)}), model),
                         ["e.json: error: tensor s: has no encoding; it is given by node 'n_s' (MatMul)"])

    def test_what_is_missing_is_told_at_once(self):
        self.assertEqual(self.refusal(encodings({}, {})), [
            "e.json: error: tensor x: has no encoding; it is an input of the network",
            "e.json: error: tensor w: has no encoding; it is read by node 'n_c' (Conv)",
            "e.json: error: tensor y: has no encoding; it is given by node 'n_y' (Relu)"])
        # A Sigmoid is no Relu: sums in front of it need a quantizer.
        self.assertEqual(self.refusal(encodings(GOOD, {"w": symmetric(1 / 64)}), small(("Sigmoid",))),
                         ["e.json: error: tensor c: has no encoding; it is given by node 'n_c' (Conv)"])
        self.assertEqual(self.refusal(encodings(GOOD | {"c": {"bitwidth": 8, "dtype": "int"}}, {"w": symmetric(1 / 64)}), small(("Sigmoid",))),
                         ["e.json:23: error: tensor c: has a number of bits only, and no grid; it is given by node 'n_c' (Conv)"])

    def test_refusals(self):
        weights = {"w": symmetric(1 / 64)}
        self.assertEqual(self.refusal(encodings(GOOD | {"x": {"bitwidth": 16, "dtype": "float"}, "z": GOOD["x"]}, weights)), [
            "e.json:5: unsupported: tensor x: dtype is float (16 bits), which an integer machine does not compute; allowed is int",
            "e.json:20: error: tensor z: is not in the network"])
        self.assertEqual(self.refusal(encodings(GOOD | {"x": asymmetric(0.25, -100, 20)}, weights)),
                         ["e.json:5: unsupported: tensor x: has 20 bits, allowed are up to 16, and 32 for a bias"])
        self.assertEqual(self.refusal(encodings(GOOD | {"x": symmetric(0.25, 32)}, weights)),
                         ["e.json:5: unsupported: tensor x: has 32 bits, which is allowed for a bias only"])
        self.assertEqual(self.refusal(encodings(GOOD, {"w": symmetric(1 / 64, 16)})),
                         ["net.onnx: node 'n_c' (Conv): the weights 'w' have 16 bits, allowed are up to 8"])
        self.assertEqual(self.refusal(encodings(GOOD, {"w": [symmetric(0.5), symmetric(0.5)]})),
                         ["e.json:25: error: tensor w: 2 encodings for 1 output channels"])
        self.assertEqual(self.refusal(encodings(GOOD, weights), onnx_file.small()), [
            "e.json: error: the network has quantizers of its own, such as node 'n_x_q' (QuantizeLinear); encodings go with a float network"])
        unknown = self.refusal(encodings(GOOD, weights), small(("Whatever",)))
        self.assertEqual([line for line in unknown if not line.startswith("net.onnx: supported are Abs Add ")],
                         ["net.onnx: node 'n_y' (Whatever): is not supported",
                          "e.json: error: tensor c: has no encoding; it is given by node 'n_c' (Conv)"])

    def test_other_models(self):
        self.put(encodings(GOOD))
        for model, said in ((program.DEMO, "is no ONNX file; encodings go with a float network in ONNX"),
                            (self.compile(program.DEMO), "goes with a float network, ")):
            done = self.execute("run", model, "--encodings", "e.json", "-q")
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)
        done = self.execute("run", "net.onnx", "-q")
        self.assertIn("this network is not quantized: it has no QuantizeLinear and no DequantizeLinear; --encodings takes", done.stderr)
        done = self.execute("run", "net.onnx", "--encodings", "nowhere.json", "-q")
        self.assertEqual((done.returncode, "nowhere.json" in done.stderr), (2, True))

    def test_names_of_tensorflow(self):
        """tf2onnx puts the model's name before and drops or keeps ":0"; variables are named by what reads them."""
        initializers = [onnx_file.tensor("m/conv2d/Conv2D/ReadVariableOp:0", FLOAT, [1, 2, 1, 1], [1, 2]),
                        onnx_file.tensor("m/conv2d/BiasAdd/ReadVariableOp:0", FLOAT, [1], [0.3])]
        nodes = [onnx_file.node("Conv", ["x:0", *("m/conv2d/Conv2D/ReadVariableOp:0", "m/conv2d/BiasAdd/ReadVariableOp:0")], ["m/conv2d/BiasAdd:0"]),
                 onnx_file.node("Relu", ["m/conv2d/BiasAdd:0"], ["m/conv2d/Relu"])]
        model = onnx_file.model(nodes, initializers, [("x:0", FLOAT, [1, 2, 2, 2])], [("m/conv2d/Relu", FLOAT, [1, 1, 2, 2])])
        document = encodings({"x:0": GOOD["x"], "conv2d/Relu:0": GOOD["y"]}, {"conv2d/kernel:0": symmetric(1 / 64)})
        self.put(document, model)
        _, outputs = self.run_model("net.onnx", [self.folder / "in.npy"], ["--encodings", "e.json"])
        self.put(encodings(GOOD, {"w": symmetric(1 / 64)}))
        _, plain = self.run_model("net.onnx", [self.folder / "in.npy"], ["--encodings", "e.json"])
        self.assertEqual(list(outputs["m/conv2d/Relu"].values), list(plain["y"].values))
        self.put(document, model)
        done = self.execute("encodings", "check", "e.json", "--model", "net.onnx")
        self.assertIn("note: tensor conv2d/Relu:0: is tensor m/conv2d/Relu of the network", done.stderr)
        self.assertIn("note: tensor conv2d/kernel:0: is tensor m/conv2d/Conv2D/ReadVariableOp:0 of the network", done.stderr)
        document["activation_encodings"]["Relu"] = document["activation_encodings"]["conv2d/Relu:0"]
        self.assertEqual([line.split("error: ")[1] for line in self.refusal(document, model)],
                         ["tensor Relu: is tensor m/conv2d/Relu of the network, as tensor conv2d/Relu:0 is"])

    def test_no_file_can_write_what_an_encoding_is(self):
        self.put(encodings(GOOD), onnx_file.model([onnx_file.node("Encoding", ["x"], ["y"])], [], [("x", FLOAT, [1, 2])], [("y", FLOAT, [1, 2])]))
        done = self.execute("run", "net.onnx", "--encodings", "e.json", "-q")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"node 'n_y' \(Encoding\): is not supported\nvernier: \S+ supported are Abs Add ")


class Widths(program.ProgramTest):
    """4 to 16 bits of activations, 4 to 8 of weights, against the sums worked here."""

    def test_widths(self):
        counts = collections.Counter()
        for bits in (4, 5, 8, 12, 16):
            for weight_bits in (4, 7, 8):
                half = 2 ** (bits - 1)
                scale = 2.0 ** (3 - bits)
                document = encodings({"x": symmetric(scale, bits), "y": symmetric(scale * 8, bits)},
                                     {"w": symmetric(2.0 ** (3 - weight_bits), weight_bits)})
                (self.folder / "net.onnx").write_bytes(small(("Identity",)).replace(b"Identity", b"Identity"))
                document["activation_encodings"]["c"] = document["activation_encodings"]["y"]
                (self.folder / "e.json").write_text(json.dumps(document))
                reals = [1.1, -2.3, 3.9, -4.4, 0.26, 0.25, -0.25, 7.5]
                (self.folder / "in.npy").write_bytes(npy.to_bytes(npy.Array("<f4", (1, 2, 2, 2), reals)))
                _, outputs = self.run_model("net.onnx", [self.folder / "in.npy"], ["--encodings", "e.json"])
                floats = [struct.unpack("<f", struct.pack("<f", real))[0] for real in reals]
                x = [max(-half, min(half - 1, int((real / scale + 0.5) // 1))) for real in floats]
                w_scale = 2.0 ** (3 - weight_bits)
                w = [min(2 ** (weight_bits - 1) - 1, int(value / w_scale)) for value in (1, 2)]
                bias = int((struct.unpack("<f", struct.pack("<f", 0.3))[0] / (scale * w_scale) + 0.5) // 1)
                ratio = w_scale / 8
                wanted = [max(-half, min(half - 1, int(((x[i] * w[0] + x[i + 4] * w[1] + bias) * ratio + 0.5) // 1))) for i in range(4)]
                reals_wanted = [code * scale * 8 for code in wanted]
                self.assertEqual(list(outputs["y.float"].values), reals_wanted, (bits, weight_bits))
                counts["networks"] += 1
        self.assertEqual(counts["networks"], 15)


class Operators(program.ProgramTest):
    def test_add_concat_and_movement(self):
        """Scales are powers of two, so that there are ties everywhere, and all go up."""
        nodes = [onnx_file.node("MaxPool", ["x"], ["m"], kernel_shape=[1, 1]), onnx_file.node("Relu", ["m"], ["r"]),
                 onnx_file.node("Add", ["m", "r"], ["a"]), onnx_file.node("Concat", ["m", "r"], ["k"], axis=1)]
        (self.folder / "net.onnx").write_bytes(onnx_file.model(nodes, [], [("x", FLOAT, [1, 2, 2, 2])], [
            ("a", FLOAT, [1, 2, 2, 2]), ("k", FLOAT, [1, 4, 2, 2])]))
        grids = {"x": (0.25, -100), "r": (0.5, 0), "a": (1.0, -90), "k": (2.0, -9)}
        (self.folder / "e.json").write_text(json.dumps(encodings({name: asymmetric(*grid) for name, grid in grids.items()})))
        reals = [-1.5, 2.125, -3.0, 17.75, 0.5, -3.5, -25.0, -7.5]  # sums of -1.5 and -3.5 are ties in steps of 1
        (self.folder / "in.npy").write_bytes(npy.to_bytes(npy.Array("<f4", (1, 2, 2, 2), reals)))
        report, outputs = self.run_model("net.onnx", [self.folder / "in.npy"], ["--encodings", "e.json"])
        self.assertEqual(report["check"]["result"], "match")

        def quantized(values, name):
            scale, offset = grids[name]
            return [(max(0, min(255, int((value / scale - offset + 0.5) // 1))) + offset) * scale for value in values]
        m = quantized(reals, "x")
        r = quantized([max(0, value) for value in m], "r")
        self.assertEqual(list(outputs["a.float"].values), quantized([a + b for a, b in zip(m, r)], "a"))
        self.assertEqual(list(outputs["k.float"].values), quantized(m + r, "k"))

    def test_open_dimensions(self):
        """--shape fills them; the encodings say the rest."""
        nodes = [onnx_file.node("MaxPool", ["x"], ["m"], kernel_shape=[2, 2]), onnx_file.node("Relu", ["m"], ["y"])]
        (self.folder / "net.onnx").write_bytes(onnx_file.model(nodes, [], [("x", FLOAT, [-1, 2, -1, -1])], [("y", FLOAT, [-1, 2, -1, -1])]))
        (self.folder / "e.json").write_text(json.dumps(encodings({"x": asymmetric(0.5, -100), "y": asymmetric(0.5, 0)})))
        done = self.execute("run", "net.onnx", "--encodings", "e.json", "-q")
        self.assertEqual(done.returncode, 2)
        self.assertIn("dimension 2 of graph input 'x' is open (-1), allowed without --shape is the first one only", done.stderr)
        reals = [index * 0.25 - 3 for index in range(24)]
        (self.folder / "in.npy").write_bytes(npy.to_bytes(npy.Array("<f4", (2, 2, 2, 3), reals)))
        given = ["--encodings", "e.json", "--shape", "x=2x2x2x3"]
        report, outputs = self.run_model("net.onnx", [self.folder / "in.npy"], given)
        self.assertEqual(report["outputs"][0]["shape"], [2, 2, 1, 2])
        codes = [max(0, int((value / 0.5 + 0.5) // 1)) for value in reals]
        wanted = [0.5 * max(codes[6 * plane + column + step] for step in (0, 1, 3, 4)) for plane in range(4) for column in range(2)]
        self.assertEqual(list(outputs["y.float"].values), wanted)
        self.execute("convert", "net.onnx", *given, "-o", "net.tosa", codes=(0,))
        _, again = self.run_model("net.tosa", [self.folder / "in.npy"])
        self.assertEqual(list(again["y.float"].values), wanted)
        done = self.execute("run", "net.onnx", *given, "--input-format", "x:scale=1", "-q")
        self.assertEqual((done.returncode, done.stderr), (
            2, "vernier: --input-format: input 'x' is quantized by the network itself, allowed are inputs without a quantizer\n"))


if __name__ == "__main__":
    program.main()
