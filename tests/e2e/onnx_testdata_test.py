# SPDX-License-Identifier: Apache-2.0
"""ONNX's own node tests of quantization, as Debian's package libonnx-testdata has them: all parameters and weights become initializers,
then 11 of 17 give ONNX's numbers, and the 6 whose parameters are computed while they run are refused by name."""

import pathlib
import re
import struct

import measured
import npy
import onnx_file
import program

NODES = pathlib.Path("/usr/share/libonnx-testdata/data/node")
NAMES = re.compile("quantize|qlinear|integer")
CODES = {onnx_file.FLOAT: ("<f4", "f"), onnx_file.UINT8: ("|u1", "B"), onnx_file.INT8: ("|i1", "b"), onnx_file.INT32: ("<i4", "i")}
NUM_PASSED, NUM_REFUSED = 11, 6


def array_of(message):
    """The elements of a TensorProto of which raw_data holds them."""
    shape, raw, dtype = [], b"", None
    for field, content in onnx_file.fields(message):
        if field == 1:
            shape += [content] if isinstance(content, int) else onnx_file.varints(content)
        dtype = content if field == 2 else dtype
        raw = content if field == 9 else raw
    descr, code = CODES[dtype]
    return npy.Array(descr, shape, struct.unpack(f"<{len(raw) // struct.calcsize(code)}{code}", raw))


def names_of(model, what):
    """Of the graph's inputs (11) or outputs (12)."""
    graph = next(content for field, content in onnx_file.fields(model) if field == 7)
    return [next(text.decode() for part, text in onnx_file.fields(content) if part == 1)
            for field, content in onnx_file.fields(graph) if field == what]


class NodeTests(program.ProgramTest):
    def verdict(self, folder):
        """(passed, how many codes were compared, the refusal)."""
        model, data = (folder / "model.onnx").read_bytes(), folder / "test_data_set_0"
        inputs, output = names_of(model, 11), names_of(model, 12)[0]
        for index, name in enumerate(inputs[1:], 1):
            # Messages that are joined are merged: the graph gets one initializer more, of the input's name.
            tensor = (data / f"input_{index}.pb").read_bytes() + onnx_file.message(8, name)
            model += onnx_file.message(7, onnx_file.message(5, tensor))
        (self.folder / "model.onnx").write_bytes(model)
        npy.write(self.folder / "x.npy", array_of((data / "input_0.pb").read_bytes()))
        arguments = ["run", "model.onnx", "-q", "--input", f"{inputs[0]}=x.npy", "--output-dir", f"out_{folder.name}"]
        done = self.execute(*arguments, codes=(0, 2))
        if done.returncode == 2:
            return False, 0, done.stderr
        expected = array_of((data / "output_0.pb").read_bytes())
        suffix = ".float" if expected.descr == "<f4" else ""
        self.assert_arrays_equal(npy.read(self.folder / f"out_{folder.name}" / f"{output}{suffix}.npy"), expected, folder.name)
        return True, len(expected.values), ""

    def test_quantization(self):
        folders = sorted(path for path in NODES.glob("test_*") if NAMES.search(path.name))
        if not folders:
            self.skipTest(f"{NODES} is not there: package libonnx-testdata")
        passed = refused = codes = 0
        for folder in folders:
            with self.subTest(folder.name):
                has_passed, count, refusal = self.verdict(folder)
                passed, refused, codes = passed + has_passed, refused + (not has_passed), codes + count
                self.assertEqual(has_passed, "dynamic" not in folder.name, refusal)
                if not has_passed:
                    self.assertRegex(refusal, r"^vernier: model.onnx: node '\S+' \(\w+\): ")
        measured.tell("ONNX node tests of quantization, Debian's", f"{len(folders)} tests, {passed} pass, {refused} refused", "onnx", codes, 0, 0)
        self.assertEqual((passed, refused), (NUM_PASSED, NUM_REFUSED))


if __name__ == "__main__":
    program.main()
