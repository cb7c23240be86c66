# SPDX-License-Identifier: Apache-2.0
"""QONNX networks: the results of qonnx 1.0.0 in ../shared, node by node and network by network."""

import json
import struct

import measured
import npy
import program

QONNX = program.ROOT.parent / "shared" / "golden" / "quant" / "qonnx"
MOST_NOISY = 1  # measured; one tie in "Quant, MatMul by 4-bit weights, Quant"
SAMPLE_STEP = 2  # every second node is a quick test, all are a slow one


def floats(texts):
    return [struct.unpack("<f", struct.pack("<I", int(text, 16)))[0] for text in texts]


def steps_between(reals, expected, codes):
    """How far each number is off, in steps: numbers and codes of one tensor tell what a step is."""
    low, high = min(codes), max(codes)
    step = (reals[codes.index(high)] - reals[codes.index(low)]) / max(1, high - low)
    return [round(abs(a - b) / step) or 1 if a != b else 0 for a, b in zip(reals, expected, strict=True)]


class QonnxTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        if not QONNX.exists():
            self.skipTest(f"{QONNX} is not there")

    def cases(self, name):
        return json.loads((QONNX / "nodes" / f"{name}.json").read_text())["cases"]

    def write_input(self, case):
        (self.folder / "x.npy").write_bytes(npy.to_bytes(npy.Array("<f4", case["shape"], floats(case["in"]))))
        return self.folder / "x.npy"

    def results(self, case):
        """Codes and floats of the one output of a node's model, and the report."""
        report, outputs = self.run_model(QONNX / "nodes" / case["model"], [self.write_input(case)])
        name, = (output["tensor"] for output in report["outputs"])
        return list(outputs[name].values), list(outputs[f"{name}.float"].values), report

    def refusal(self, case):
        """The one line that says what is wrong, without file and node."""
        model = QONNX / "nodes" / case["model"]
        done = self.execute("run", model, "--input", self.write_input(case), "-q")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        line, = done.stderr.splitlines()
        return line.removeprefix(f"vernier: {model}: ").split(": ", 1)[1]


class Nodes(QonnxTest):
    """A quantizer alone between float ends: its codes are exact, and so are its floats but for one rounding."""

    NAMES = {"quant": "Quant", "bipolar": "BipolarQuant", "trunc_v1": "Trunc version 1", "trunc_v2": "Trunc version 2"}

    def check(self, name, step=1, refused=None):
        cases = self.cases(name)[::step]
        compared = num_refused = 0
        for case in cases:
            with self.subTest(name, id=case["id"]):
                why = (refused or {}).get(case.get("why")) or ("zero point is 0.5" if "0x3f000000" in case.get("zeropt", ()) else None)
                if why:
                    self.assertIn(why, self.refusal(case))
                    num_refused += 1
                    continue
                codes, reals, _ = self.results(case)
                self.assertEqual(codes, case["q"])
                for real, expected in zip(reals, floats(case["out"]), strict=True):
                    self.assertLessEqual(abs(real - expected), abs(expected) * 2**-23)
                compared += len(codes)
        what = f"{len(cases)} nodes" + (f", {num_refused} refused" if num_refused else "")
        measured.tell(f"QONNX nodes, {self.NAMES[name]}", what, "qonnx", compared, 0, 0)

    REFUSED_TRUNC = {"zero point divided by the shift is no integer": "is no whole number: no integer stands for 0",
                     "out_scale / scale is no power of two": "which is no power of two",
                     "fractional bit width": "allowed are whole numbers from 1 to 32"}

    def test_quant_sample(self):
        self.check("quant", SAMPLE_STEP)

    def test_quant(self):
        self.check("quant")

    def test_bipolar(self):
        self.check("bipolar")

    def test_trunc_v1(self):
        self.check("trunc_v1")

    def test_trunc_v2_sample(self):
        self.check("trunc_v2", SAMPLE_STEP, self.REFUSED_TRUNC)

    def test_trunc_v2(self):
        self.check("trunc_v2", refused=self.REFUSED_TRUNC)

    def test_chains(self):
        """With scales that are powers of two exact. With others the floats of qonnx are noisy: where a sum is a tie of the
        ideal scales, noise decides. Neg between an input and its quantizer is the host's."""
        steps = []
        cases = self.cases("chains")
        for case in cases:
            with self.subTest(what=case["what"], scales=case["scales"]):
                codes, reals, _ = self.results(case)
                found = steps_between(reals, floats(case["out"]), codes)
                self.assertEqual(max(found) if case["scales"] == "power of two" else 0, 0)
                steps += found
        measured.tell_steps("QONNX chains of nodes", f"{len(cases)} chains", "qonnx", steps)
        self.assertLessEqual(sum(step > 0 for step in steps), MOST_NOISY)


class Resolve(QonnxTest):
    """Versions, domains and attributes. qonnx does not complain about many of the refused ones; its results are wrong there."""

    REFUSED = {"Trunc with 5 inputs, domain version 2": "5 inputs, expected 6: out_scale is missing, since the file imports version 2",
               "Trunc with 5 inputs, domain version 3": "5 inputs, expected 6: out_scale is missing, since the file imports version 3",
               "Quant without the attribute signed": "attribute signed is missing",
               "Quant without the attribute narrow": "attribute narrow is missing",
               "Quant with rounding_mode STOCHASTIC": "attribute rounding_mode is 'STOCHASTIC', allowed are ROUND ",
               "Quant with signed 2": "attribute signed is 2, allowed are 0 and 1",
               "Quant with narrow 7": "attribute narrow is 7, allowed are 0 and 1",
               "Quant with bit width 0": "the bit width is 0, allowed are whole numbers from 1 to 32",
               "Quant with bit width -3": "the bit width is -3, ",
               "Quant with bit width 3.5": "the bit width is 3.5, ",
               "Quant with int32 bit width 32, signed": "more than 16 bits, which is allowed for a bias only",
               "Quant with int32 bit width 32, unsigned": "unsigned codes have 32 bits, allowed are up to 31",
               "Quant with scale 0": "the scale is 0, allowed are finite numbers above 0",
               "Quant with scale -0.5": "the scale is -0.5, ",
               "Quant with scale NaN": "the scale is nan, ",
               "Quant with zero point 1.25": "the zero point is 1.25, allowed are whole numbers",
               "Quant with zero point outside the range": "the zero point is 100, allowed are -8 to 7",
               "operator name QuantX": "(QuantX) is not supported, supported of qonnx.custom_op.general are BipolarQuant IntQuant MultiThreshold Quant QuantAvgPool2d Trunc"}

    def test_resolve(self):
        version_2 = None
        for case in self.cases("resolve"):
            what = case["what"]
            if what == "Trunc with 6 inputs, domain version 2":
                version_2 = floats(case["out"])
        compared = 0
        for case in self.cases("resolve"):
            what = case["what"]
            with self.subTest(what):
                if what in self.REFUSED:
                    model = QONNX / "nodes" / case["model"]
                    done = self.execute("convert", model, "-o", "out.tosa")
                    self.assertEqual(done.returncode, 2)
                    self.assertIn(self.REFUSED[what], done.stderr)
                    self.assertEqual(len(done.stderr.splitlines()), 1)
                    continue
                _, reals, report = self.results(case)
                is_overruled = what.startswith("Trunc with 6 inputs") and what.endswith(("version 1", "not imported"))
                self.assertEqual(reals, version_2 if is_overruled else floats(case["out"]))
                notes = [note for note in report["notes"] if "so it is version 2, although" in note]
                self.assertEqual(len(notes), is_overruled)
                compared += len(reals)
        measured.tell("QONNX versions, domains and attributes", f"{len(self.cases('resolve'))} nodes, {len(self.REFUSED)} refused", "qonnx",
                      compared, 0, 0)


class Boundary(QonnxTest):
    def test_a_converted_network_keeps_it(self):
        """Scales along an axis, a rounding mode and limits go into OUT.boundary.json, and back."""
        case = next(case for case in self.cases("trunc_v2") if len(case["scale"]) > 1)
        self.execute("convert", QONNX / "nodes" / case["model"], "-o", "out.tosa", codes=(0,))
        _, outputs = self.run_model(self.folder / "out.tosa", [self.write_input(case)])
        name = next(name for name in outputs if not name.endswith(".float"))
        self.assertEqual(list(outputs[name].values), case["q"])
        self.assertEqual(list(outputs[f"{name}.float"].values), floats(case["out"]))
        self.assertIn("codes -268435456 to 268435456, rounded half_even",
                      " ".join(self.execute("inspect", self.folder / "out.tosa").stdout.split()))
        boundary = self.folder / "out.boundary.json"
        good = json.loads(boundary.read_text())

        def refusal(**changes):
            boundary.write_text(json.dumps(good | {"inputs": [good["inputs"][0] | changes]}))
            done = self.execute("run", self.folder / "out.tosa", "-q")
            self.assertEqual(done.returncode, 2)
            return done.stderr.removeprefix(f"vernier: {boundary}: ").strip()
        self.assertEqual(refusal(rounding="odd"), "the rounding of 'x' is odd, allowed are half_even ceil floor up down half_up half_down sign ties_up")
        self.assertEqual(refusal(least="1"), "'least' is no integer")
        self.assertEqual(refusal(axis=0), "'x': 3 scales stand for axis 0 of [1, 3, 20]")
        self.assertEqual(refusal(channels=3), "'channels' of 'x' is no list")
        self.assertEqual(refusal(channels=[[1.0]]), "'channels' of 'x' has [1.0], expected a scale and a zero point")


class Nets(QonnxTest):
    """All samples of each network; the floats that qonnx gives."""

    def samples(self, name):
        folder = QONNX / "nets" / name
        inputs, expected = npy.read(folder / "input.npy"), npy.read(folder / "output.npy")
        package = self.compile(folder / "model.onnx")
        count = inputs.shape[0]
        size, num_outputs = len(inputs.values) // count, len(expected.values) // count
        steps = []
        for i in range(count):
            sample = npy.Array("<f4", (1, *inputs.shape[1:]), inputs.values[i * size:(i + 1) * size])
            (self.folder / "x.npy").write_bytes(npy.to_bytes(sample))
            report, outputs = self.run_model(package, [self.folder / "x.npy"])
            tensor = report["outputs"][0]["tensor"]
            reals, codes = outputs[f"{tensor}.float"].values, outputs[tensor].values
            wanted = expected.values[i * num_outputs:(i + 1) * num_outputs]
            steps += steps_between(reals, wanted, codes)
        measured.tell_steps(f"QONNX network {name}", f"{count} samples", "qonnx", steps)
        self.assertEqual(max(steps), 0, name)

    def test_half_to_even_costs_nothing(self):
        """residual_pow2 and its twin, whose weights have scales a millionth larger: layers whose ties are rare, which SINGLE_ROUND rescales."""
        content, twin = (QONNX / "nets/residual_pow2/model.onnx").read_bytes(), self.folder / "twin.onnx"
        names = ("scale_6", "scale_47", "scale_62", "scale_96")  # of layers that round half to even; one rounds down
        for name in names:
            start = content.index(bytes([0x42, len(name)]) + name.encode() + b"\x4a") + len(name) + 4  # name and raw_data of the TensorProto
            count = content[start - 1] // 4
            numbers = struct.unpack_from(f"<{count}f", content, start)
            content = content[:start] + struct.pack(f"<{count}f", *(number * (1 + 1e-6) for number in numbers)) + content[start + 4 * count:]
        twin.write_bytes(content)
        frequent, cycles = [], []
        for model in (QONNX / "nets/residual_pow2/model.onnx", twin):
            done = self.execute("inspect", model, codes=(0,))
            frequent.append(done.stdout.count("frequent: half to even, exactly"))
            report, _ = self.run_model(model)
            cycles.append({layer["name"]: layer["attributed_cycles"] for layer in report["layers"]})
        self.assertEqual(frequent, [len(names), 0])
        # The transpose of the input overlaps the first convolution: which of the two a cycle belongs to depends on where the input lies.
        for layers in (("x", "n_conv_15"), ("n_conv_35",), ("n_conv_56",), ("n_matmul_100",)):
            first, second = (sum(of_model[name] for name in layers) for of_model in cycles)
            self.assertLessEqual(first, 1.02 * second, layers)  # constants of another size lie in other banks
        # A sum that is rounded half to even goes along with its convolution where that is rounded so, too.
        self.assertLessEqual(sum(cycles[0].values()), sum(cycles[1].values()))

    def test_cnn_trunc_pow2(self):
        self.samples("cnn_trunc_pow2")

    def test_residual_pow2(self):
        self.samples("residual_pow2")

    def test_depthwise_pow2(self):
        self.samples("depthwise_pow2")

    def test_mlp_bipolar_pow2(self):
        self.samples("mlp_bipolar_pow2")

    def test_mlp_bipolar_scaled(self):
        self.samples("mlp_bipolar_scaled")

    def test_avgpool_trunc_scaled(self):
        self.samples("avgpool_trunc_scaled")

    def test_depthwise_residual_scaled(self):
        self.samples("depthwise_residual_scaled")


if __name__ == "__main__":
    program.main()
