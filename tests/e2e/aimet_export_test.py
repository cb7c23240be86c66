# SPDX-License-Identifier: Apache-2.0
"""`encodings export`: the encodings of onnxruntime's quantized networks in ../shared, put on the float networks that they were made of,
give the codes of the quantized networks (skipped where ../shared is absent)."""

import measured
import npy
import onnx_file
import program
from onnx_file import FLOAT, INT8, node

QDQ = program.ROOT.parent / "shared" / "golden" / "quant" / "qdq"
# Not int8_pow2_scales: its scales were changed after its weights had been quantized, so that float.onnx has others.
NETWORKS = ("int8_per_tensor", "int8_per_channel", "uint8_asymmetric", "uint8_reduced_range")


class Export(program.ProgramTest):
    def codes(self, model, name, *options):
        """Of all samples, less their zero point."""
        inputs = npy.read(QDQ / name / "input.npy")
        self.execute("convert", model, *options, "-o", "net.tosa", codes=(0,))
        end, = program.read_json(self.folder / "net.boundary.json")["outputs"]
        package = self.compile(self.folder / "net.tosa")
        count = len(inputs.values) // inputs.shape[0]
        found = []
        for i in range(inputs.shape[0]):
            sample = npy.Array("<f4", (1, *inputs.shape[1:]), inputs.values[i * count:(i + 1) * count])
            (self.folder / "x.npy").write_bytes(npy.to_bytes(sample))
            _, outputs = self.run_model(package, [self.folder / "x.npy"])
            found += [code - end["zero_point"] for code in outputs["y"].values]
        return found

    def test_round_trip(self):
        if not QDQ.is_dir():
            self.skipTest("../shared/golden/quant is not there")
        steps = []
        for name in NETWORKS:
            own = self.codes(QDQ / name / "model.onnx", name)
            for version in ("0.6.1", "1.0.0", "2.0.0"):
                with self.subTest(network=name, version=version):
                    self.execute("encodings", "export", QDQ / name / "model.onnx", "-o", "e.json", "--version", version, codes=(0,))
                    done = self.execute("encodings", "check", "e.json", "--model", QDQ / name / "float.onnx")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    found = self.codes(QDQ / name / "float.onnx", name, "--encodings", self.folder / "e.json")
                    steps += [abs(a - b) for a, b in zip(found, own, strict=True)]
                    self.assertEqual(found, own)
        measured.tell_steps("AIMET encodings exported from QDQ networks, put on their float networks", f"{len(NETWORKS)} networks, 3 versions",
                            "the QDQ networks here", steps)

    def test_limits_of_codes_are_lost_and_told(self):
        """QCDQ: a Clip of codes has no word in an encodings file."""
        scalars = [("s", FLOAT, 0.5), ("z", INT8, 0), ("low", INT8, -7), ("high", INT8, 7)]
        nodes = [node("QuantizeLinear", ["x", "s", "z"], ["q"]), node("Clip", ["q", "low", "high"], ["l"]),
                 node("DequantizeLinear", ["l", "s", "z"], ["d"]), node("Relu", ["d"], ["r"]), *onnx_file.quantizer("r", "s", "z")]
        ends = [("x", FLOAT, [1, 4])], [("r_d", FLOAT, [1, 4])]
        parameters = [onnx_file.tensor(name, dtype, [], [value]) for name, dtype, value in scalars]
        (self.folder / "net.onnx").write_bytes(onnx_file.model(nodes, parameters, *ends))
        done = self.execute("encodings", "export", "net.onnx", "-o", "e.json", "--version", "0.6.1", codes=(0,))
        self.assertIn("node 'n_l' (Clip): limits the codes of 'x', for which an encoding has no word", done.stderr)


if __name__ == "__main__":
    program.main()
