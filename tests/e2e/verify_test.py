# SPDX-License-Identifier: Apache-2.0
"""`vernier verify`: networks of tests/golden as tests of the conformance suite, with the official model's outputs."""

import json
import shutil

import npy
import program
import tosa_file

GOLDEN = program.ROOT / "tests/golden/networks"
NETWORKS = ("add_broadcast", "avg_pool_3x3_pad", "conv_1x1_c20_oc33", "avg_pool_global")


class Verify(program.ProgramTest):
    def write_test(self, network, expects_error=False):
        """The network's folder as a test of the suite; the place of its desc.json."""
        folder = self.folder / network
        shutil.copytree(GOLDEN / network, folder)
        ends = {kind: sorted(file.stem for file in folder.glob(f"Tosa{kind}_*.npy")) for kind in ("Input", "Output")}
        desc = {"tosa_file": "model.tosa", "ifm_name": ends["Input"], "ifm_file": [f"{name}.npy" for name in ends["Input"]],
                "ofm_name": ends["Output"], "ofm_file": [f"made-{name}.npy" for name in ends["Output"]], "expected_failure": expects_error}
        (folder / "desc.json").write_text(json.dumps(desc))
        return folder / "desc.json"

    def assert_official(self, desc):
        made = sorted(desc.parent.glob("made-*.npy"))
        self.assertTrue(made)
        for file in made:
            self.assertEqual(file.read_bytes(), file.with_name(file.name.removeprefix("made-")).read_bytes(), file)

    def test_one_test_has_the_exit_code_of_tosa(self):
        for backend in ("sim", "reference"):
            for network in NETWORKS:
                desc = self.write_test(network)
                done = self.execute("verify", "--desc", desc, "--backend", backend)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), network)
                self.assert_official(desc)
                shutil.rmtree(desc.parent)

    def test_a_computed_parameter(self):
        """MUL with a shift that is a graph input (EXT-DYNAMIC)."""
        names = ["x", "y", "shift"]
        tensors = [tosa_file.tensor(name, [3], "int32") for name in ("x", "y", "z")] + [tosa_file.tensor("shift", [1], "int8")]
        (self.folder / "test.tosa").write_bytes(
            tosa_file.graph(tensors, [tosa_file.operator("MUL", names, ["z"])], names, ["z"]))
        desc = self.folder / "desc.json"
        desc.write_text(json.dumps({"tosa_file": "test.tosa", "ifm_name": names, "ifm_file": [f"{name}.npy" for name in names],
                                    "ofm_name": ["z"], "ofm_file": ["z.npy"], "expected_failure": False}))
        for name, array in (("x", npy.Array("<i4", (3,), [100, -100, 7])), ("y", npy.Array("<i4", (3,), [3, 3, 2])),
                            ("shift", npy.Array("|i1", (1,), [2]))):
            (self.folder / f"{name}.npy").write_bytes(npy.to_bytes(array))
        for backend in ("reference", "sim"):
            done = self.execute("verify", "--desc", desc, "--backend", backend)
            self.assertEqual((done.returncode, done.stderr), (0, ""), backend)
            self.assertEqual(list(npy.read(self.folder / "z.npy").values), [75, -75, 4])  # (a * b + 2) / 4, rounded down
            (self.folder / "z.npy").unlink()

    def test_a_folder_ends_with_a_summary(self):
        for network in NETWORKS:
            self.write_test(network)
        done = self.execute("verify", "--desc", self.folder)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "4 of 4 tests as expected; 0 of all expect an error\n", ""))
        shutil.rmtree(self.folder / NETWORKS[0])
        wrong = self.write_test(NETWORKS[0], expects_error=True)
        done = self.execute("verify", "--desc", self.folder / NETWORKS[1], "--desc", wrong)
        self.assertEqual((done.returncode, done.stdout), (3, "1 of 2 tests as expected; 1 of all expect an error\n"))
        self.assertEqual(done.stderr, f"vernier: {wrong}: exit code 0: no error, one is expected\n")
        done = self.execute("verify", "--desc", self.folder / NETWORKS[1], "--desc", wrong, "--report", "r.json", "--report", "-")
        report = program.read_json(self.folder / "r.json")
        self.assertEqual(report, json.loads(done.stdout))
        self.assertEqual((report["schema"], report["backend"], report["num_tests"], report["num_as_expected"]), ("vernier-verify/1", "sim", 2, 1))
        self.assertEqual(report["tests"][1], {"desc": str(wrong), "expected_failure": True, "exit_code": 0, "as_expected": False, "finding": ""})
        self.assertIn("1 of 2 tests as expected", done.stderr)
        done = self.execute("verify", "--desc", self.folder / NETWORKS[1], "-q", "-v")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(done.stderr, f"{self.folder / NETWORKS[1] / 'desc.json'}: exit code 0\n")

    def test_mistakes(self):
        desc = self.write_test(NETWORKS[0])
        for options, said in (([], "needs --desc"), (["--desc", self.folder / "nobody"], "nobody"),
                              (["--desc", desc, "--backend", "fast"], "'fast' is not one of sim, rtl, reference"),
                              (["--desc", desc, "--report", "r.csv"], "r.csv"), (["--desc", desc, "--report", desc], "--report"),
                              (["--desc", desc, "--desc", desc, "--output-dir", self.folder / "out"], "--output-dir: is for one test")):
            done = self.execute("verify", *options)
            self.assertEqual(done.returncode, 2, options)
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    program.main()
