# SPDX-License-Identifier: Apache-2.0
"""Networks with variables: a streaming network against Python's integers, and what the program says of variables."""

import json
import random

import npy
import program
import streaming_network
import tosa_file


def frame_of(values):
    return npy.Array("|i1", (1, 1, 1, streaming_network.FEATURES), values)


class Streaming(program.ProgramTest):
    def setUp(self):
        super().setUp()
        graph = streaming_network.streaming_graph()
        graph.write(self.folder / "net.tosa")
        self.input_name = graph.input_names[0]
        self.by_hand = streaming_network.ByHand(graph.weights)
        self.rng = random.Random(5)

    def frame(self):
        return [self.rng.randint(-128, 127) for _ in range(streaming_network.FEATURES)]

    def run_frame(self, frame, *options):
        npy.write(self.folder / "x.npy", frame_of(frame))
        report, outputs = self.run_model("net.tosa", inputs=["x.npy"], options=options)
        [scores] = outputs.values()
        return report, list(scores.values)

    def test_20_invocations_with_the_same_frame(self):
        frame = self.frame()
        different = set()
        for number in range(20):
            expected = self.by_hand.scores(frame)
            different.add(tuple(expected))
            for options in (("--backend", "reference"), ("--optimize", "0"), ("--check-all",)):
                report, scores = self.run_frame(frame, "--iterations", number + 1, *options)
                self.assertEqual(scores, expected, f"iteration {number}, {options}")
                if "--backend" not in options:
                    self.assertEqual(report["check"]["result"], "match")
                    self.assertEqual(report["check"]["iterations_compared"], number + 1)
        self.assertEqual(len(different), 6)  # of four frames and three maps: until the first values are gone

    def test_20_invocations_with_other_frames(self):
        """What was left is handed on as files."""
        for number in range(20):
            options = []
            for name, values, shape in (("frames", self.by_hand.frames, (1, 3, 1, 8)), ("maps", self.by_hand.maps, (1, 2, 1, 16))):
                npy.write(self.folder / f"{name}.npy", npy.Array("|i1", shape, values))
                options += ["--variable", f"{name}={name}.npy"]
            frame = self.frame()
            expected = self.by_hand.scores(frame)
            for backend in ("reference", "sim"):
                report, scores = self.run_frame(frame, "--backend", backend, *options)
                self.assertEqual(scores, expected, f"invocation {number} on {backend}")
                self.assertEqual([variable["first_value"] for variable in report["variables"]], ["frames.npy", "maps.npy"])

    def test_a_package_and_a_converted_network_keep_the_variables(self):
        frame = self.frame()
        expected = [self.by_hand.scores(frame) for _ in range(4)][-1]
        self.assertEqual(self.execute("convert", "net.tosa", "-o", "again.tosa").returncode, 0)
        self.compile("net.tosa", "--config", "v64")
        for model in ("again.tosa", "model.vnpu"):
            npy.write(self.folder / "x.npy", frame_of(frame))
            report, outputs = self.run_model(model, inputs=["x.npy"], options=("--iterations", "4"))
            self.assertEqual(list(next(iter(outputs.values())).values), expected, model)
            self.assertEqual(report["variables"],
                             [{"name": "frames", "dtype": "int8", "shape": [1, 3, 1, 8], "num_bytes": 24, "first_value": "the network"},
                              {"name": "maps", "dtype": "int8", "shape": [1, 2, 1, 16], "num_bytes": 32, "first_value": "zeros"}])
            self.assertIn("variable 'maps' begins with zeros", " ".join(report["notes"]))
            said = self.execute("inspect", model).stdout
            self.assertIn("variable frames int8 [1, 3, 1, 8], 24 B, first value: the network", said.replace("\u00a0", " "))
        self.assertEqual(self.execute("convert", "again.tosa", "-o", "third.tosa").returncode, 0)
        self.assertEqual((self.folder / "again.tosa").read_bytes(), (self.folder / "third.tosa").read_bytes())
        self.assertIn("# variable frames int8[1, 3, 1, 8]: 24 bytes, starts with values, read at", self.execute("disasm", "model.vnpu").stdout)

    def test_a_conformance_test_begins_with_the_first_values(self):
        frame = self.frame()
        npy.write(self.folder / "x.npy", frame_of(frame))
        report, _ = self.run_model("net.tosa", inputs=["x.npy"])
        expected = self.by_hand.scores(frame)
        desc = {"tosa_file": "net.tosa", "ifm_name": [self.input_name], "ifm_file": ["x.npy"], "ofm_name": [report["outputs"][0]["tensor"]],
                "ofm_file": ["y.npy"], "expected_failure": False}
        (self.folder / "desc.json").write_text(json.dumps(desc))
        for backend in ("reference", "sim"):
            for _ in range(2):  # nothing is left of the first test
                done = self.execute("verify", "--desc", "desc.json", "--backend", backend)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(list(npy.read(self.folder / "y.npy").values), expected)

    def test_dump_gives_variables(self):
        npy.write(self.folder / "x.npy", frame_of(self.frame()))
        self.execute("dump", "net.tosa", "--tensor", "all", "-o", "t", "--input", "x.npy")
        self.assertEqual(list(npy.read(self.folder / "t" / "frames.npy").values), [-128] * 24)
        npy.write(self.folder / "m.npy", npy.Array("|i1", (1, 2, 1, 16), [7] * 32))
        done = self.execute("dump", "net.tosa", "--tensor", "maps", "-o", "d.npy", "--input", "x.npy", "--variable", "maps=m.npy")
        self.assertEqual(list(npy.read(self.folder / "d.npy").values), [7] * 32)
        self.assertIn("variable maps int8 [1, 2, 1, 16], as the job finds it", done.stdout)
        self.by_hand.scores(npy.read(self.folder / "x.npy").values)
        self.assertEqual(list(npy.read(self.folder / "t" / "frames_written.npy").values), self.by_hand.frames)

    def test_a_page_names_them(self):
        npy.write(self.folder / "x.npy", frame_of(self.frame()))
        done = self.execute("run", "net.tosa", "--input", "x.npy", "--report", "r.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("variable frames int8 [1, 3, 1, 8], 24 B, first value: the network", done.stdout.replace("\u00a0", " "))
        page = (self.folder / "r.html").read_text()
        for text in ('"name": "frames"', '"first_value": "the network"', '"first_value": "zeros"'):
            self.assertIn(text, page)


class Edges(program.ProgramTest):
    """Reads without writes, writes without reads, one variable into another, constants and what nobody uses."""

    @staticmethod
    def networks():
        for name in ("read alone", "written alone", "one into the other", "written as it was", "a constant"):
            graph = streaming_network.StatefulGraph()
            yield name, graph, graph.variable("v", [4], [1, 2, 3, 4])

    def compare(self, name):
        for memory in ("sram", "weights-external", "external"):
            for optimize in ("0", "1"):
                _, expected = self.run_model("net.tosa", options=("--iterations", "3", "--backend", "reference"))
                report, found = self.run_model("net.tosa", options=("--iterations", "3", "--check-all", "--memory", memory, "--optimize", optimize))
                self.assertEqual((report["check"]["result"], found), ("match", expected), f"{name}, {memory}, {optimize}")
        return [list(array.values) for array in expected.values()]

    def test_all(self):
        found = {}
        for name, graph, variable in self.networks():
            if name == "read alone":
                graph.output(graph.read(variable))
            elif name == "a constant":
                graph.assign(variable, graph.constant([5, 6, 7, 8]))
                graph.output(graph.read(variable))
            else:
                x = graph.input([4])
                if name == "one into the other":
                    other = graph.variable("w", [4])
                    graph.assign(other, graph.read(variable))
                    graph.assign(variable, x)
                    graph.output(graph.read(other))
                else:
                    graph.variable("unused", [3], dtype="int32")
                    graph.assign(variable, x if name == "written alone" else graph.read(variable))
                graph.output(graph.table(x))
            graph.write(self.folder / "net.tosa")
            found[name] = self.compare(name)
        self.assertEqual(found["read alone"], [[1, 2, 3, 4]])
        self.assertEqual(found["a constant"], [[5, 6, 7, 8]])
        self.assertEqual(len(found["one into the other"]), 2)


class BadInput(program.ProgramTest):
    def complaint(self, *arguments):
        done = self.execute(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done.stderr.strip()

    def test_options(self):
        streaming_network.streaming_graph().write(self.folder / "net.tosa")
        npy.write(self.folder / "wrong.npy", npy.Array("|i1", (1, 3, 1, 7), [0] * 21))
        npy.write(self.folder / "int16.npy", npy.Array("<i2", (1, 3, 1, 8), [0] * 24))
        for option, expected in (("frame=wrong.npy", "no variable is named 'frame', the variables are 'frames', 'maps'"),
                                 ("frames=wrong.npy", "[1, 3, 1, 7]"), ("frames=int16.npy", "int16"), ("frames", "is not NAME=FILE.npy")):
            for backend in ("sim", "reference"):
                self.assertIn(expected, self.complaint("run", "net.tosa", "--variable", option, "--backend", backend))
        self.assertIn("did you mean 'frames'", self.complaint("run", "net.tosa", "--variable", "frame=wrong.npy"))
        (self.folder / "plain.tosa").write_bytes(tosa_file.one_operator())
        self.assertIn("is for a network with variables, plain.tosa has none", self.complaint("run", "plain.tosa", "--variable", "a=wrong.npy"))
        self.assertIn("with --interleave", self.complaint("run", "net.tosa", "--interleave", "--variable", "frames=wrong.npy"))

    def test_float_variables_are_refused_by_name(self):
        graph = streaming_network.StatefulGraph()
        graph.variable("gain", [1], dtype="int8")
        x = graph.input([1])
        graph.output(graph.table(x))
        graph._tensors[0][2] = tosa_file.Scalar(tosa_file.DTYPES["fp32"], "I")
        graph.write(self.folder / "float.tosa")
        self.assertIn("variable 'gain' is FP32, which EXT-VARIABLE has with profile PRO-FP", self.complaint("run", "float.tosa"))


if __name__ == "__main__":
    program.main()
