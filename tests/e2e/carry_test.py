# SPDX-License-Identifier: Apache-2.0
"""`run --carry OUTPUT=INPUT`: the state of a streaming network goes from one iteration to the next."""

import sys

import npy
import program

sys.path.insert(0, str(program.ROOT / "tests" / "bench"))
from made_graph import Graph


class Carry(program.ProgramTest):
    """state' = (state + x), rescaled to int8 as converters write an addition; y = the greatest of state'."""

    def setUp(self):
        super().setUp()
        graph = Graph()
        x, state = graph.input([1, 2, 2, 8]), graph.input([1, 2, 2, 8])
        self.x, self.state = x.name, state.name
        made = graph.conv2d(graph.add(x, state), 8)
        self.made = made.name
        graph.output(made)
        self.least = graph.reduce_max(made)
        graph.output(self.least)
        graph.write(self.folder / "net.tosa")

    def run_with(self, *options):
        return self.run_model("net.tosa", options=options)

    def by_hand(self, iterations, seed):
        """Outputs of runs of one iteration each, whose state is given as a file."""
        _, inputs = self.execute("dump", "net.tosa", "--tensor", "all", "-o", "t", "--seed", seed), {}
        for name in (self.x, self.state):
            inputs[name] = npy.read(self.folder / "t" / f"{name}.npy")
        for _ in range(iterations):
            specs = []
            for name, array in inputs.items():
                (self.folder / f"in_{name}.npy").write_bytes(npy.to_bytes(array))
                specs += ["--input", f"{name}=in_{name}.npy"]
            _, outputs = self.run_with(*specs)
            inputs[self.state] = outputs[self.made]
        return outputs

    def test_each_iteration_gets_what_the_one_before_gave(self):
        expected = self.by_hand(3, "5")
        for backend in ("sim", "reference"):
            report, outputs = self.run_with("--carry", f"{self.made}={self.state}", "--iterations", "3", "--seed", "5", "--backend", backend)
            self.assertEqual(outputs[self.made], expected[self.made], backend)
            self.assertIn(f"input '{self.state}' of each iteration after the first is output '{self.made}' of the one before", report["notes"])
        report, _ = self.run_with("--carry", f"{self.made}={self.state}", "--iterations", "3", "--check-all")
        self.assertEqual(report["check"]["result"], "match")
        self.assertEqual(report["check"]["iterations_compared"], 3)

    def test_a_fault_in_an_iteration_is_found_there(self):
        done = self.execute("run", "net.tosa", "-q", "--carry", f"{self.made}={self.state}", "--iterations", "4", "--no-rerun",
                            "--inject", "accumulator:bitflip@300:0:20", "--report", "r.json")
        if done.returncode == 3:
            self.assertEqual(program.read_json(self.folder / "r.json")["check"]["iterations_compared"], 1)

    def test_bad_input(self):
        pair = f"{self.made}={self.state}"
        for options, words in ((("--carry", pair), "--carry: goes with --iterations N of 2 or more"),
                               (("--carry", "made", "--iterations", "2"), "--carry: 'made' is not OUTPUT=INPUT"),
                               (("--carry", f"{self.x}={self.state}", "--iterations", "2"), f"--carry: no output is named '{self.x}'"),
                               (("--carry", f"{self.made}=none", "--iterations", "2"), "--carry: no input is named 'none'"),
                               (("--carry", f"{self.least.name}={self.state}", "--iterations", "2"), "expected the same"),
                               (("--carry", pair, "--carry", pair, "--iterations", "2"), f"--carry: input '{self.state}' is given twice")):
            done = self.execute("run", "net.tosa", "-q", *options)
            self.assertEqual(done.returncode, 2, options)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    program.main()
