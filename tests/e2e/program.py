# SPDX-License-Identifier: Apache-2.0
"""Runs `vernier` for the tests of this folder: each is started as TEST.py PATH_TO_VERNIER [unittest's arguments].

Every report that a test has made goes through report_checks. A test file in which every case was skipped ends with
exit code 77.
"""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

import npy
import report_checks

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DEMO = HERE / "demo" / "demo.tosa"
MADE = ROOT / "tests" / "golden" / "networks"
GOLDEN = ROOT.parent / "shared" / "golden" / "nets"
SKIPPED = 77
LONGEST_SECONDS = 250

_vernier = None


class ProgramTest(unittest.TestCase):
    """A case has a directory of its own, `self.folder`, in which the program runs."""

    longest_seconds = LONGEST_SECONDS

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vernier_e2e_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self._runs = 0
        self._program, self._user = _vernier, {}
        self.environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}

    def execute(self, *arguments, cwd=None, stdout=subprocess.PIPE, prefix=(), codes=(0, 1, 2, 3, 4), preexec_fn=None):
        """The finished process, whatever became of it, but no crash and no sanitizer finding: its exit code is one of
        `codes` (None: any). `prefix` is a command that runs the program."""
        done = subprocess.run([*prefix, self._program, *map(str, arguments)], cwd=cwd or self.folder, stdout=stdout,
                              stderr=subprocess.PIPE, text=True, errors="replace", timeout=self.longest_seconds, check=False,
                              env=self.environment, preexec_fn=preexec_fn, **self._user)
        if codes is not None:
            self.assertIn(done.returncode, codes, f"{arguments}: {done.returncode}\n{done.stderr}")
        return done

    def become_nobody(self):
        """From here on the program runs as a user without rights, also when root runs the test: as one who may read and
        write in self.folder what everybody may."""
        if os.geteuid() != 0:
            return
        self.folder.chmod(0o755)
        self._program = shutil.copy(_vernier, self.folder / "vernier")
        self._user = {"user": 65534, "group": 65534, "extra_groups": []}

    def start(self, *arguments, stderr=subprocess.PIPE):
        """The program, running, with pipes for its output."""
        return subprocess.Popen([_vernier, *map(str, arguments)], cwd=self.folder, stdout=subprocess.PIPE, stderr=stderr,
                                env={**os.environ, **self.environment})

    def run_model(self, model, inputs=(), options=(), exit_code=0):
        """`vernier run`: (report, {tensor: Array}). The report is checked, the files are those that it names. Floats of an output
        are under TENSOR.float."""
        self._runs += 1
        outputs, report_file = self.folder / f"out{self._runs}", self.folder / f"report{self._runs}.json"
        arguments = ["run", model, "-q", "--output-dir", outputs, "--report", report_file, *options]
        for entry in inputs:
            arguments += ["--input", entry]
        done = self.execute(*arguments)
        self.assertEqual(done.returncode, exit_code, f"{arguments}\n{done.stdout}{done.stderr}")
        report = read_json(report_file)
        self.assertEqual(report_checks.check(report), [], f"{arguments}")
        named = {output["tensor"]: outputs / output["file"] for output in report["outputs"]}
        named |= {f"{o['tensor']}.float": outputs / o["float_file"] for o in report["outputs"] if "float_file" in o}
        self.assertEqual(sorted(path.name for path in outputs.iterdir()), sorted(path.name for path in named.values()))
        arrays = {tensor: npy.read(path) for tensor, path in named.items()}
        for output in report["outputs"]:
            self.assertEqual(tuple(output["shape"]), arrays[output["tensor"]].shape)
            self.assertEqual(npy.DTYPES[output["dtype"]] if output["dtype"] in npy.DTYPES else "<i8",
                             arrays[output["tensor"]].descr)
        shutil.rmtree(outputs)
        report_file.unlink()
        return report, arrays

    def assert_arrays_equal(self, found, expected, what):
        difference = found.first_difference(expected)
        if difference is not None:
            self.fail(f"{what}: {difference} (found against expected)")

    def compile(self, model, *options, name="model.vnpu"):
        package = self.folder / name
        done = self.execute("compile", model, "-o", package, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return package


def rtl_configs(*configs):
    """Those of the machines whose RTL is compiled into the program. A wider one is built while it runs, which takes minutes: the
    quick build, whose ctest sets VERNIER_RTL_WIDTHS, leaves it to the night."""
    lanes = {"v64": 8, "v256": 16, "v256-sram48": 16, "v256-port8": 16, "v1024": 32}
    widths = [int(width) for width in os.environ.get("VERNIER_RTL_WIDTHS", "8,16,32").split(",")]
    return [config for config in configs if lanes[config] in widths]


def need_rtl(test):
    """Skips a test where the program was built without RTL."""
    done = test.execute("cosim", "rescale", "--vectors", 1)
    if done.returncode == 2 and "built without Verilator" in done.stderr:
        test.skipTest("the program has no RTL")


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def with_checksum(package):
    """The bytes of a package (magic, version, CRC-32 of everything but itself, contents) with the checksum that they have."""
    checksum = zlib.crc32(package[12:], zlib.crc32(package[:8]))
    return bytes(package[:8] + struct.pack("<I", checksum) + package[12:])


def flipped(package, source, count):
    """Packages that differ from this one in one bit each, at about `count` places spread over all but its source graph."""
    source_at = package.index(source)
    places = [at for at in range(12, len(package)) if not 0 <= at - source_at < len(source)]
    for at in places[::len(places) // count]:
        content = bytearray(package)
        content[at] ^= 0x10
        yield at, with_checksum(content)


def made_networks():
    """The entries of tests/golden/networks/index.json."""
    return read_json(MADE / "index.json")["networks"]


def made_inputs(entry):
    return [f"{name}={MADE / entry['name'] / name}.npy" for name, _, _ in entry["inputs"]]


def main():
    global _vernier
    if len(sys.argv) < 2 or not os.access(sys.argv[1], os.X_OK):
        print(f"usage: {sys.argv[0]} PATH_TO_VERNIER [unittest's arguments]", file=sys.stderr)
        sys.exit(2)
    _vernier = str(pathlib.Path(sys.argv[1]).resolve())
    result = unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False).result
    for reason in sorted({reason for _, reason in result.skipped}):
        print(f"skipped: {reason}")
    if not result.wasSuccessful() or result.testsRun == 0:
        sys.exit(1)
    sys.exit(SKIPPED if len(result.skipped) == result.testsRun else 0)
