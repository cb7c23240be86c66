# SPDX-License-Identifier: Apache-2.0
"""Exit codes 3 and 4 as a user sees them, on packages with one bit flipped and the checksum mended."""

import json

import program
import report_checks

FLIPS = 150  # places over the package, source graph apart


class Tampered(program.ProgramTest):
    def flipped(self):
        package, path = self.compile(program.DEMO).read_bytes(), self.folder / "tampered.vnpu"
        for at, content in program.flipped(package, program.DEMO.read_bytes(), FLIPS):
            path.write_bytes(content)
            yield at, path

    def mismatch(self, package, *options):
        """The report of a run that ends with 3, and what it says for people."""
        report_file = self.folder / "r.json"
        done = self.execute("run", package, "--report", report_file, *options)
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        report = json.loads(report_file.read_text(encoding="utf-8"))
        # A flipped bit of an address may write where the schedule has nothing.
        self.assertEqual([found for found in report_checks.check(report) if "bytes of SRAM were used" not in found], [])
        return report, done.stdout

    def test_first_difference(self):
        num_earlier = 0
        seen = set()
        for at, package in self.flipped():
            done = self.execute("run", package, "-q")
            seen.add(done.returncode)
            if done.returncode == 4:
                self.assertRegex(done.stderr, r"the simulated machine (stopped|hangs) at cycle \d+")
                self.assertEqual(done.stdout, "")
            if done.returncode != 3:
                continue
            with self.subTest(at=at):
                report, text = self.mismatch(package)
                first = report["check"]["first_difference"]
                self.assertEqual((first["tensor"], len(first["coordinates"])), ("TosaOutput_0", 2))
                self.assertNotEqual(first["expected"], first["actual"])
                self.assertIn(f"'TosaOutput_0' [{first['coordinates'][0]}, {first['coordinates'][1]}] expected "
                              f"{first['expected']} found {first['actual']}", text)
                # With every tensor compared, the first is one that an earlier or the same command wrote.
                inner = self.mismatch(package, "--check-all")[0]
                self.assertGreater(inner["check"]["tensors_compared"], report["check"]["tensors_compared"])
                self.assertGreaterEqual(inner["check"]["elements_different"], report["check"]["elements_different"])
                earliest = inner["check"]["first_difference"]
                self.assertLessEqual(earliest["command_idx"], first["command_idx"])
                self.assertLessEqual(earliest["cycle"], first["cycle"])
                num_earlier += earliest["command_idx"] < first["command_idx"]
        # 4 is rare: most of what a bit makes impossible is refused when the package is loaded.
        self.assertLessEqual({0, 2, 3}, seen)
        self.assertGreater(num_earlier, 5)


if __name__ == "__main__":
    program.main()
