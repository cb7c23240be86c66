# SPDX-License-Identifier: Apache-2.0
"""Small ONNX networks of situations that people reported, in ../shared/cases (skipped where that is absent): each folder with model.onnx,
input_NAME.npy and expected_NAME.npy, onnxruntime's results without optimisations."""

import collections

import npy
import program

CASES = program.ROOT.parent / "shared" / "cases"
NOT_YET = ()
MOST_DIFFERING = 0.01  # of the elements, by one step: next to a tie


def step_of(codes, numbers):
    """What one step of the codes is; None where all codes are one."""
    low, high = min(range(len(codes)), key=lambda i: codes[i]), max(range(len(codes)), key=lambda i: codes[i])
    return (numbers[high] - numbers[low]) / (codes[high] - codes[low]) if codes[high] != codes[low] else None


class Cases(program.ProgramTest):
    def differences(self, found, expected, step):
        self.assertEqual(found.shape, expected.shape)
        return collections.Counter(round(abs(a - b) / step) for a, b in zip(found.values, expected.values))

    def check(self, folder):
        arguments = ["run", folder / "model.onnx", "-q", "--output-dir", self.folder / "out"]
        for file in sorted(folder.glob("input_*.npy")):
            arguments += ["--input", f"{file.stem.removeprefix('input_')}={file}"]
        done = self.execute(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        for file in folder.glob("expected_*.npy"):
            name, expected = file.stem.removeprefix("expected_"), npy.read(file)
            codes = npy.read(self.folder / "out" / f"{name}.npy")
            if expected.descr != "<f4":
                self.assertEqual((codes.shape, list(codes.values)), (expected.shape, list(expected.values)))
                continue
            numbers = npy.read(self.folder / "out" / f"{name}.float.npy")
            step = step_of(codes.values, numbers.values)
            self.assertIsNotNone(step, f"{name}: all numbers are equal")
            counts = self.differences(numbers, expected, step)
            self.assertLessEqual(max(counts), 1, f"{name}: {counts}")
            self.assertLessEqual(counts[1], MOST_DIFFERING * len(expected.values), f"{name}: {counts}")

    def test_each_folder(self):
        models = sorted(CASES.glob("*/*/model.onnx"))
        if not models:
            self.skipTest("../shared/cases is not there")
        for model in models:
            if model.parent.parent.name in NOT_YET:
                continue
            with self.subTest(f"{model.parent.parent.name}/{model.parent.name}"):
                self.check(model.parent)


if __name__ == "__main__":
    program.main()
