# SPDX-License-Identifier: Apache-2.0
"""Networks whose first dimension is left open (-1): 1, or --batch; a package keeps what it was compiled with."""

import npy
import program
import tosa_file


class Batch(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.model = self.folder / "open.tosa"
        self.model.write_bytes(tosa_file.one_operator(shape=(-1, 3, 5)))

    def check(self, model, batch, *options):
        """The network is run with that batch, and the report says so."""
        report, outputs = self.run_model(model, options=options)
        self.assertEqual(report["outputs"][0]["shape"], [batch, 3, 5])
        self.assertEqual(outputs["y"].shape, (batch, 3, 5))
        self.assertEqual(report["check"], {**report["check"], "result": "match", "elements_compared": 15 * batch})
        self.assertIn(f"the network leaves the first dimension of input 'x' open (-1): taken as {batch}; --batch N takes another",
                      report["notes"])
        self.assertIn(f"note: the network leaves the first dimension of input 'x' open (-1): taken as {batch}; --batch N takes "
                      "another\n", self.execute("inspect", model, *options[:2], prefix=["env", "COLUMNS=400"]).stdout)

    def test_run(self):
        self.check(self.model, 1)
        self.check(self.model, 1, "--batch", "1")
        self.check(self.model, 7, "--batch", "7")
        self.check(self.model, 7, "--batch", "7", "--memory", "external")

    def test_input(self):
        self.folder.joinpath("in.npy").write_bytes(npy.to_bytes(npy.zeros("int32", (4, 3, 5))))
        _, outputs = self.run_model(self.model, ["in.npy"], ["--batch", "4"])
        self.assertEqual(set(outputs["y"].values), {32})
        done = self.execute("run", self.model, "--input", "in.npy")
        self.assertEqual(done.returncode, 2)
        self.assertIn("holds int32 [4, 3, 5], expected int32 [1, 3, 5]; the network leaves that dimension open, --batch 4 takes a "
                      "batch of 4\n", done.stderr)
        self.folder.joinpath("in.npy").write_bytes(npy.to_bytes(npy.zeros("int32", (4, 3, 6))))
        self.assertNotIn("--batch", self.execute("run", self.model, "--input", "in.npy").stderr)

    def test_package(self):
        package = self.compile(self.model, "--batch", "6")
        self.check(package, 6)
        self.check(package, 6, "--batch", "6", "--check-all")
        for options in (["run"], ["estimate"], ["inspect"]):
            done = self.execute(*options, package, "--batch", "5")
            self.assertEqual(done.returncode, 2, options)
            self.assertIn("is a package compiled for --batch 6, found --batch 5; recompile it from its network", done.stderr)

    def test_estimate_and_inspect(self):
        done = self.execute("estimate", self.model, "--batch", "3", "--report", "r.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        estimated = program.read_json(self.folder / "r.json")
        self.assertEqual(estimated["outputs"][0]["shape"], [3, 3, 5])
        report, _ = self.run_model(self.model, options=["--batch", "3"])
        self.assertEqual(estimated["totals"]["cycles"], report["totals"]["cycles"])
        done = self.execute("inspect", self.model, "--batch", "3")
        self.assertIn("taken as 3", done.stdout)
        self.assertIn("int32 [3, 3, 5]", done.stdout)


if __name__ == "__main__":
    program.main()
