# SPDX-License-Identifier: Apache-2.0
"""Programs that use libvernier.so, on packages that `vernier compile` makes.

usage: host_test.py VERNIER FROM_C FROM_CPP RUN_NETWORK FLOW_PACKAGES"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
import library
import streaming_network

DEMO = ROOT / "tests/e2e/demo/demo.tosa"
KWS = ROOT.parent / "shared/golden/nets/kws_ref_model"
VERNIER = FROM_C = FROM_CPP = RUN_NETWORK = FLOW_PACKAGES = None


def run(*command, code=0):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode != code:
        raise AssertionError(f"{command[0]} ends with {done.returncode}: {done.stdout}{done.stderr}")
    return done


def raw_bytes(npy):
    """The elements of a .npy file of version 1.0."""
    data = npy.read_bytes()
    return data[10 + int.from_bytes(data[8:10], "little"):]


class Host(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name)

    def compile(self, model, *options):
        package = self.folder / f"{model.stem}{len(list(self.folder.iterdir()))}.vnpu"
        run(VERNIER, "compile", model, "-o", package, "-q", *options)
        return package

    def test_from_c(self):
        run(FLOW_PACKAGES, self.folder)
        done = run(FROM_C, self.compile(DEMO), self.compile(DEMO, "--config", "v64"), DEMO, self.folder / "faulty.vnpu")
        self.assertEqual(done.stdout + done.stderr, "")

    def test_from_cpp(self):
        done = run(FROM_CPP, self.compile(DEMO))
        self.assertEqual(done.stdout + done.stderr, "")

    def test_variables_go_from_job_to_job(self):
        """20 jobs of a streaming network, each with a frame of its own, all submitted before the first one runs."""
        file = pathlib.Path(VERNIER).parent / "libvernier.so"
        if not file.is_file() or b"__asan_init" in file.read_bytes():
            self.skipTest(f"{file} is not there, or is one that Python cannot load: it has a sanitizer")
        graph = streaming_network.streaming_graph()
        graph.write(self.folder / "streaming.tosa")
        package, rng = self.compile(self.folder / "streaming.tosa"), random.Random(3)
        for control in (0, 1):
            by_hand, device = streaming_network.ByHand(graph.weights), library.Device(file, "v256", control)
            network = device.load(package)
            frames = [[rng.randint(-128, 127) for _ in range(streaming_network.FEATURES)] for _ in range(20)]
            jobs = [device.submit(network, frame) for frame in frames]
            found = [device.output(job, streaming_network.SCORES) for job in jobs]
            device.close()
            self.assertEqual(found, [by_hand.scores(frame) for frame in frames])

    def check_example(self, model, expected, inputs, *options):
        report, outputs = self.folder / "report.json", self.folder / "outputs"
        run(VERNIER, "run", model, "-q", "--report", report, "--output-dir", outputs, *options)
        cycles = json.loads(report.read_text())["totals"]["cycles"]
        done = run(RUN_NETWORK, self.compile(model), inputs, self.folder / "out")
        self.assertEqual(done.stdout, f"outcome 1, {cycles} cycles\n")
        self.assertEqual((self.folder / "out").read_bytes(), expected(outputs))

    def test_example_gives_what_the_program_gives(self):
        """With all pixels 0: the program takes them from a .npy file that is made here."""
        array = self.folder / "zeros.npy"
        size = 8 * 8
        header = b"{'descr': '|i1', 'fortran_order': False, 'shape': (1, 8, 8, 1), }"
        header += b" " * (-(len(header) + 11) % 64) + b"\n"
        array.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(size))
        (self.folder / "zeros").write_bytes(bytes(size))
        self.check_example(DEMO, lambda outputs: raw_bytes(next(outputs.glob("*.npy"))), self.folder / "zeros", "--input", array)

    def test_example_with_kws(self):
        if not KWS.is_dir():
            self.skipTest("skipped: ../shared is not there")
        (self.folder / "in").write_bytes(raw_bytes(KWS / "seed0/input0.npy"))
        golden = raw_bytes(KWS / "seed0/output_tosa.npy")
        self.check_example(KWS / "model.tosa", lambda _: golden, self.folder / "in")


if __name__ == "__main__":
    VERNIER, FROM_C, FROM_CPP, RUN_NETWORK, FLOW_PACKAGES = (pathlib.Path(argument).resolve() for argument in sys.argv[1:6])
    unittest.main(argv=sys.argv[:1])
