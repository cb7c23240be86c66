# SPDX-License-Identifier: Apache-2.0
"""MLIR text against the official tools: what tosa-opt prints is read with the values of the flatbuffer, and what Vernier prints is
validated strictly, and gives the same values on the official reference model.

usage: mlir_test.py VERNIER FOLDER GOLDEN CONFORMANCE [--seed N] [--networks N]. The tools are installed from PyPI into FOLDER, once; exit code
77, with a message, where they cannot be had. Networks are those of tests/golden/networks, N that fuzz_ops (beside VERNIER) draws, and where
they are there the networks of GOLDEN and every sixth test of CONFORMANCE. Each is printed by tosa-opt in three forms."""

import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import npy
import pypi

FORMS = ((), ("--mlir-print-op-generic",), ("--mlir-print-elementsattrs-with-hex-if-larger=1", "--mlir-print-debuginfo"))
EVERY = 6  # tests of the conformance suite
MOST_BYTES = 3000000  # of a network: text of larger ones takes tosa-opt long
DRAWN_KINDS = ("single", "connected", "control", "variables")


def execute(arguments):
    return subprocess.run([str(argument) for argument in arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


class Check:
    def __init__(self, vernier, tools, folder):
        self.vernier, self.tools, self.folder = vernier, tools, folder
        self.read = self.printed = self.judged = self.skipped = 0
        self.findings = []

    def outputs(self, model, name):
        """Exit code, message and the outputs of a network by name."""
        folder = self.folder / name
        subprocess.run(["rm", "-rf", folder], check=True)
        done = execute([self.vernier, "run", model, "--backend", "reference", "-q", "--level", "none", "--output-dir", folder])
        files = sorted(folder.glob("*.npy")) if folder.exists() else []
        return done.returncode, done.stderr, {file.name: file.read_bytes() for file in files}

    def find(self, model, what, text):
        self.findings.append(f"{model}: {what}: {text.strip()[:300]}")

    def reads(self, model, expected):
        """The text of tosa-opt, in each form."""
        for form in FORMS:
            text = self.folder / "theirs.mlir"
            if execute([self.tools / "tosa-opt", f"--tosa-deserialize=tosa-flatbuffer-filename={model}", *form, "-o", text]).returncode != 0:
                self.skipped += 1  # a test of what is wrong, which tosa-opt refuses too
                return
            self.read += 1
            code, message, outputs = self.outputs(text, "read")
            if (code, outputs) != (expected[0], expected[2]):
                self.find(model, f"read from {' '.join(form) or 'the pretty form'}", f"exit code {code} for {expected[0]} {message}")

    def prints(self, model, expected):
        """The text of `convert`."""
        text, tosa = self.folder / "ours.mlir", self.folder / "ours.tosa"
        done = execute([self.vernier, "convert", model, "-q", "-o", text, "--level", "none"])
        if done.returncode != 0:
            return self.find(model, "convert", done.stderr)
        self.printed += 1
        # Variables of other types than int8 are none of TOSA 1.0; fuzz_ops draws them all the same.
        validation = [] if "variables" in model.parts else ["--tosa-validate=strict-op-spec-alignment"]
        done = execute([self.tools / "tosa-opt", *validation, text, f"--tosa-serialize=tosa-flatbuffer-filename={tosa} retain-graph-input-output-names", "-o", "/dev/null"])
        if done.returncode != 0:
            return self.find(model, "tosa-opt on what was printed", done.stderr)
        for file, what in ((text, "what was printed"), (tosa, "what tosa-opt serialised of it")):
            code, message, outputs = self.outputs(file, "printed")
            if (code, outputs) != (expected[0], expected[2]):
                self.find(model, f"run of {what}", f"exit code {code} for {expected[0]} {message}")
        return None

    def official(self, test):
        """The official model on the text of one test that fuzz_ops wrote, with its inputs and the reference's outputs."""
        done = execute([self.vernier, "convert", test / "test.tosa", "-q", "-o", self.folder / "ours.mlir"])
        tosa = self.folder / "ours.tosa"
        if done.returncode == 0 and "INEXACT_ROUND" in (self.folder / "ours.mlir").read_text(encoding="utf-8"):
            return None
        if done.returncode == 0:
            self.judged += 1
            done = execute([self.tools / "tosa-opt", self.folder / "ours.mlir", "-o", "/dev/null",
                            f"--tosa-serialize=tosa-flatbuffer-filename={tosa} retain-graph-input-output-names"])
        if done.returncode != 0:
            return self.find(test, "for the official model", done.stderr)
        description = pypi.json_of(test / "desc.json")
        results = [self.folder / f"official{i}.npy" for i in range(len(description["ofm_name"]))]
        done = execute([self.tools / "tosa_reference_model", f"--tosa_file={tosa}", "--flatbuffer_dir=/", "--output_dir=/", "--tosa_level=EIGHTK",
                        "--ifm_name=" + ",".join(description["ifm_name"]), "--ifm_file=" + ",".join(str(test / name) for name in description["ifm_file"]),
                        "--ofm_name=" + ",".join(description["ofm_name"]), "--ofm_file=" + ",".join(map(str, results))])
        if done.returncode != 0:
            return self.find(test, "the official model", done.stderr)
        for mine, theirs in zip(description["ofm_file"], results, strict=True):
            difference = npy.read(test / mine).first_difference(npy.read(theirs))
            if difference:
                self.find(test, f"{mine} on the official model", difference)
        return None


def main():
    parser = pypi.parser("--networks", 60)
    parser.add_argument("golden", type=pathlib.Path)
    parser.add_argument("conformance", type=pathlib.Path)
    options = parser.parse_args()
    python = pypi.python_with(options.folder, pypi.TOSA_TOOLS)
    with tempfile.TemporaryDirectory(prefix="vernier_mlir_") as scratch:
        folder = pathlib.Path(scratch)
        drawn = folder / "drawn"
        for kind in DRAWN_KINDS:
            subprocess.run([options.vernier.parent / "fuzz_ops", "--kind", kind, "--count", str(options.networks // len(DRAWN_KINDS)), "--seed",
                            str(options.seed), "--large", "0", "--write-tests", drawn / kind, "--output-dir", folder],
                           stdout=subprocess.DEVNULL, check=True)
        tests = sorted(path.parent for path in drawn.rglob("desc.json"))
        networks = [*sorted((HERE.parent / "golden/networks").glob("*/model.tosa")), *(test / "test.tosa" for test in tests),
                    *sorted(options.golden.glob("*/model.tosa")), *sorted(options.conformance.rglob("*.tosa"))[::EVERY]]
        check = Check(options.vernier, python.parent, folder)
        for network in networks:
            if network.stat().st_size > MOST_BYTES:
                continue
            expected = check.outputs(network, "expected")
            if expected[0] not in (0, 1):
                continue
            check.reads(network, expected)
            check.prints(network, expected)
        for test in tests:
            # The official model keeps variables of one run alone; what is unpredictable, or rounded inexactly, may have other values.
            if "variables" not in test.parts and check.outputs(test / "test.tosa", "expected")[0] == 0:
                check.official(test)
    for finding in check.findings:
        print(finding)
    print(f"{check.read} texts of tosa-opt read, {check.printed} networks printed, {check.judged} on the official model, {check.skipped} refused by "
          f"tosa-opt, {len(check.findings)} findings, seed {options.seed}")
    return 1 if check.findings or check.read == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
