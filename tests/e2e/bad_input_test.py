# SPDX-License-Identifier: Apache-2.0
"""What is wrong with the user's files and options: one line that names the file and what is allowed, exit code 2,
nothing written. README.md says which test holds which item of the list."""

import os
import re
import struct

import npy
import onnx_file
import program
import tosa_file
from tosa_file import graph, one_operator, operator, tensor

GRANULE = 128  # bytes of a row of v256's SRAM banks


class BadInputTest(program.ProgramTest):
    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def tree(self):
        return {path: path.read_bytes() if path.is_file() and os.access(path, os.R_OK) else None
                for path in self.folder.rglob("*")}

    def refused(self, arguments, *texts):
        """Exit code 2, a line with all of `texts`, or several of one network, no file or folder that was not there before."""
        before = self.tree()
        done = self.execute(*arguments)
        self.assertEqual(done.returncode, 2, f"{arguments}: {done.stdout}{done.stderr}")
        self.assertEqual(done.stdout, "", arguments)
        self.assertRegex(done.stderr, r"\A(vernier: [^\n]+\n)+\Z", arguments)
        subjects = {line.split(": ")[1] for line in done.stderr.splitlines()}
        self.assertEqual(len(subjects), 1, f"{arguments}: lines of several files: {done.stderr}")
        for text in texts:
            self.assertIn(str(text), done.stderr)
        after = self.tree()
        self.assertEqual(sorted(map(str, after)), sorted(map(str, before)), f"{arguments}: files appeared or went")
        self.assertEqual(after, before)
        return done.stderr

    def run_refused(self, model, *texts, options=()):
        """`run` with every kind of output asked for, on both back ends."""
        for backend in ("reference", "sim"):
            message = self.refused(["run", model, "--output-dir", self.folder / "out", "--report", self.folder / "r.json",
                                    "--backend", backend, *options], *texts)
        return message

    def model_refused(self, model, *texts):
        """Every command that reads a network says the same."""
        self.run_refused(model, model, *texts)
        self.refused(["compile", model, "-o", self.folder / "out.vnpu"], model, *texts)
        self.refused(["compile", model, "--dump", "ir"], model, *texts)
        self.refused(["inspect", model], model, *texts)


class Files(BadInputTest):
    def test_missing_file(self):
        self.model_refused(self.folder / "none.tosa", "no such file")
        self.refused(["disasm", self.folder / "none.vnpu"], "none.vnpu", "no such file")

    def test_directory(self):
        self.model_refused(self.folder, "is a directory, expected a file")

    def test_device(self):
        self.model_refused("/dev/zero", "is a device, expected a file")

    def test_empty_file(self):
        self.model_refused(self.write("empty.tosa", b""), "empty", "expected a network (.tflite, .tosa, .mlir, .onnx)")

    def test_truncated_flatbuffer(self):
        whole = program.DEMO.read_bytes()
        for size in (1, 4, 7, 8, 12, 100, len(whole) // 3, len(whole) // 2, len(whole) - 100, len(whole) - 4):
            with self.subTest(size=size):
                path = self.write(f"cut{size}.tosa", whole[:size])
                self.refused(["run", path, "--output-dir", self.folder / "out"], path, "TOSA flatbuffer")

    def test_garbage_inside(self):
        """Whatever the bytes are, the program takes or refuses them; it never crashes."""
        whole = program.DEMO.read_bytes()
        for start in range(8, len(whole), len(whole) // 24):
            spoilt = whole[:start] + b"\xff" * 8 + whole[start + 8:]
            done = self.execute("inspect", self.write("spoilt.tosa", spoilt))
            self.assertIn(done.returncode, (0, 2))
            self.assertRegex(done.stderr, r"\A(vernier: [^\n]+\n)+\Z" if done.returncode == 2 else r"\A\Z")

    def test_wrong_identifier(self):
        whole = program.DEMO.read_bytes()
        self.model_refused(self.write("x.tosa", whole[:4] + b"SOSO" + whole[8:]), "'SOSO'", "expected 'TOSA'")

    def test_other_formats(self):
        """By content, whatever the name: what will take the file."""
        whole = program.DEMO.read_bytes()
        self.model_refused(self.write("x.tosa", whole[:4] + b"TFL3" + whole[8:]), "a damaged or truncated TensorFlow Lite flatbuffer")
        self.model_refused(self.write("x.tosa", "module {}"), "no function with a body")
        self.model_refused(self.write("x.tosa", b"\x08\x08\x12\x07pytorch\x3a\x90\x01graph"),
                           "a damaged or truncated ONNX file")

    def test_versions(self):
        for version in ((1, 2, 0, False), (1, 2, 0, True), (2, 0, 0, False), (0, 80, 0, False)):
            path = self.write("x.tosa", one_operator(version=version))
            self.model_refused(path, "{}.{}.{}".format(*version), "allowed are 1.0.x and 1.1.x")
        for version in ((1, 0, 0, False), (1, 0, 2, True), (1, 0, 99, False), (1, 0, 0, True), (1, 1, 0, False), (1, 1, 0, True)):
            path = self.write("x.tosa", one_operator(version=version))
            self.assertEqual(self.execute("inspect", path).returncode, 0, version)
            self.run_model(path, options=["--backend", "reference"])

    def test_names_with_line_breaks_stay_on_one_line(self):
        self.refused(["run", program.DEMO, "--input", "two\nlines=x.npy"], "two", "lines", "TosaInput_0")
        self.refused(["run", "two\nlines.tosa"], "no such file")


class Graphs(BadInputTest):
    def bad(self, content, *texts):
        self.model_refused(self.write("bad.tosa", content), *texts)

    def test_unknown_operator(self):
        for number in (101, 200):
            self.bad(one_operator(number), f"operator number {number}")
        self.bad(one_operator(76), "operator MATMUL_T_BLOCK_SCALED")

    def test_operator_that_is_not_there_yet(self):
        self.bad(one_operator("CUSTOM"), "operator CUSTOM is not there yet", "supported are", "CONV2D", "RESCALE")
        self.bad(one_operator("VARIABLE"), "VARIABLE has 1 operands, needed are none")

    def test_floating_point(self):
        for dtype in ("fp32", "fp16", "bf16"):
            self.bad(one_operator("ABS", dtype=dtype), "tensor 'x', read by ABS, is ", "the NPU is integer only",
                     "docs/guides/your-own-network.md")
        self.bad(one_operator("SIN"), "operator SIN", "the NPU is integer only", "docs/guides/your-own-network.md")

    def test_open_shapes(self):
        self.bad(one_operator(shape=(2, -1)), "dimension 1 of graph input 'x' is open (-1)")
        path = self.write("x.tosa", one_operator())
        self.run_refused(path, "dimension 0 of graph input 'x' is 2; --batch 4 is for", options=["--batch", "4"])
        unranked = [tensor("x", (), unranked=True), tensor("y", ())]
        self.bad(graph(unranked, [operator("CLZ", ["x"], ["y"])], ["x"], ["y"]), "'x'", "rank")

    def test_empty_dimension(self):
        self.bad(one_operator(shape=(2, 0)), "'x'", "dimension of 0", "allowed are 1 to")

    def test_rank_above_the_level(self):
        self.bad(one_operator(shape=(1,) * 7), "'x'", "rank 7", "0 to 6")
        path = self.write("x.tosa", one_operator(shape=(1,) * 7))
        self.run_refused(path, "rank 7", options=["--level", "none"])

    def test_sizes_that_overflow(self):
        self.bad(one_operator(shape=(2**20, 2**9)), "'x'", "overflows")
        self.bad(one_operator(shape=(2**31 - 1,) * 5), "'x'", "overflow")

    def test_dangling_names(self):
        both = [tensor("x", (2,)), tensor("y", (2,))]
        self.bad(graph(both, [operator("CLZ", ["nowhere"], ["y"])], ["x"], ["y"]), "'nowhere'")
        self.bad(graph(both, [operator("CLZ", ["x"], ["nowhere"])], ["x"], ["y"]), "'nowhere'")
        self.bad(graph(both, [operator("CLZ", ["x"], ["y"])], ["x"], ["nowhere"]), "'nowhere'")
        self.bad(graph(both, [operator("CLZ", ["x"], ["y"])], ["nowhere"], ["y"]), "'nowhere'")
        self.bad(graph(both, [], ["x"], ["y"]), "'y'")

    def test_cycles(self):
        names = [tensor(name, (2,)) for name in "xyz"]
        operators = [operator("ADD", ["x", "z"], ["y"]), operator("CLZ", ["y"], ["z"])]
        self.bad(graph(names, operators, ["x"], ["y"]), "cycle")
        self.bad(graph(names, [operator("CLZ", ["y"], ["y"])], ["x"], ["y"]), "cycle", "'y'")


class Inputs(BadInputTest):
    SHAPE = (1, 8, 8, 1)

    def bad(self, content, *texts):
        path = self.write("in.npy", content)
        self.run_refused(program.DEMO, path, *texts, options=["--input", path])
        self.run_refused(program.DEMO, path, *texts, options=["--input", f"TosaInput_0={path}"])

    def test_good_one(self):
        path = self.write("in.npy", npy.to_bytes(npy.zeros("int8", self.SHAPE)))
        self.run_model(program.DEMO, [path], ["--backend", "reference"])

    def test_shape(self):
        self.bad(npy.to_bytes(npy.zeros("int8", (1, 8, 8))), "[1, 8, 8]", "[1, 8, 8, 1]")
        self.bad(npy.to_bytes(npy.zeros("int8", (1, 8, 1, 8))), "[1, 8, 1, 8]", "[1, 8, 8, 1]")

    def test_type(self):
        self.bad(npy.to_bytes(npy.zeros("int16", self.SHAPE)), "int16", "int8")
        self.bad(npy.to_bytes(npy.zeros("|u1", self.SHAPE)), "uint8", "int8")

    def test_fortran_order(self):
        self.bad(npy.to_bytes(npy.zeros("int8", self.SHAPE), fortran_order=True), "Fortran")

    def test_truncated(self):
        whole = npy.to_bytes(npy.zeros("int8", self.SHAPE))
        for size in (0, 5, 9, 40, len(whole) - 1):
            self.bad(whole[:size])
        self.bad(whole + b"\0")

    def test_no_npy(self):
        self.bad(b"PK\x03\x04 this is a zip archive, not an array", ".npy")
        self.run_refused(program.DEMO, "none.npy", "no such file", options=["--input", "none.npy"])
        self.run_refused(program.DEMO, "directory", options=["--input", self.folder])

    def test_unknown_name(self):
        path = self.write("in.npy", npy.to_bytes(npy.zeros("int8", self.SHAPE)))
        self.run_refused(program.DEMO, "'TosaInput_1'", "'TosaInput_0'", options=["--input", f"TosaInput_1={path}"])

    def test_given_twice(self):
        path = self.write("in.npy", npy.to_bytes(npy.zeros("int8", self.SHAPE)))
        self.run_refused(program.DEMO, "'TosaInput_0' is given twice",
                         options=["--input", path, "--input", f"TosaInput_0={path}"])

    def test_one_of_two_is_missing(self):
        model = program.MADE / "add_both_broadcast"
        self.run_refused(model / "model.tosa", "'TosaInput_1' is missing",
                         options=["--input", f"TosaInput_0={model / 'TosaInput_0.npy'}"])
        self.run_refused(model / "model.tosa", "names no input", options=["--input", model / "TosaInput_0.npy"])


class Places(BadInputTest):
    def test_output_directory(self):
        self.write("file", "")
        for place in (self.folder / "file", self.folder / "file" / "below"):
            self.refused(["run", program.DEMO, "--output-dir", place], "--output-dir", place)

    def test_places_without_permission(self):
        model = self.write("demo.tosa", program.DEMO.read_bytes())
        self.write("secret.tosa", program.DEMO.read_bytes()).chmod(0)
        self.write("secret.npy", npy.to_bytes(npy.zeros("int8", (1, 8, 8, 1)))).chmod(0)
        (self.folder / "closed").mkdir(mode=0o555)
        self.become_nobody()
        for place in ("closed", "closed/below", "closed/far/below"):
            self.refused(["run", model, "--output-dir", self.folder / place], "--output-dir", place, "not writable")
        self.refused(["run", model, "--report", self.folder / "closed" / "r.json"], "--report", "closed", "not writable")
        self.refused(["compile", model, "-o", self.folder / "closed" / "x.vnpu"], "x.vnpu", "Permission denied")
        self.refused(["run", self.folder / "secret.tosa"], "secret.tosa", "Permission denied")
        self.refused(["run", model, "--input", self.folder / "secret.npy"], "secret.npy", "Permission denied")

    def test_report(self):
        self.write("file", "")
        self.refused(["run", program.DEMO, "--report", self.folder / "none" / "r.json"], "--report", "none")
        self.refused(["run", program.DEMO, "--report", self.folder / "file" / "r.json"], "--report", "file")
        self.refused(["run", program.DEMO, "--report", "r.yaml"], "--report", "r.yaml", ".json")
        (self.folder / "dir.json").mkdir()
        self.refused(["run", program.DEMO, "--report", self.folder / "dir.json"], "directory")

    def test_output_directory_without_name(self):
        self.refused(["run", program.DEMO, "--output-dir", ""], "--output-dir")

    def test_package(self):
        for place in (self.folder / "none" / "x.vnpu", self.folder):
            self.refused(["compile", program.DEMO, "-o", place], place)


class Configurations(BadInputTest):
    def bad(self, text, *texts):
        path = self.write("m.toml", text)
        self.refused(["config", "check", path], path, *texts)
        self.refused(["config", "show", path], path, *texts)
        self.run_refused(program.DEMO, path, *texts, options=["--config", path])
        self.refused(["compile", program.DEMO, "-o", self.folder / "x.vnpu", "--config", path], path, *texts)

    def test_good_one(self):
        path = self.write("m.toml", 'base = "v64"\nexternal_bytes_per_cycle = 8\n')
        self.assertEqual(self.execute("config", "check", path).returncode, 0)

    def test_every_command_says_the_same(self):
        self.bad('base = "v256"\nsram_bites = 65536\n', "'sram_bites'", "sram_bytes", ":2")
        self.bad('base = "v256"\nexternal_bytes_per_cycle = 0\n', "external_bytes_per_cycle is 0", "1/65536 to 1024")
        self.bad("base = = v256\n", "not TOML")

    def test_names(self):
        self.run_refused(program.DEMO, "v265", "v256", options=["--config", "v265"])
        self.run_refused(program.DEMO, "none.toml", "no such file", options=["--config", "none.toml"])
        self.refused(["config", "show", "v265"], "v265", "v256")


class Packages(BadInputTest):
    """A .vnpu: magic, version (4 bytes), CRC-32 of everything but itself (4 bytes), contents."""

    def setUp(self):
        super().setUp()
        self.package = self.compile(program.DEMO)
        self.whole = self.package.read_bytes()

    def bad(self, content, *texts):
        path = self.write("bad.vnpu", content)
        self.run_refused(path, path, *texts)
        self.refused(["disasm", path], path, *texts)
        self.refused(["inspect", path], path, *texts)

    def test_good_one(self):
        self.assertEqual(program.with_checksum(self.whole), self.whole)
        self.run_model(self.package)

    def test_checksum(self):
        for place in (8, 12, len(self.whole) // 2, len(self.whole) - 1):
            spoilt = bytearray(self.whole)
            spoilt[place] ^= 1
            self.bad(bytes(spoilt), "checksum")

    def test_version(self):
        number = struct.unpack_from("<I", self.whole, 4)[0]
        for other in (number + 1, 0, 2**32 - 1):
            self.bad(program.with_checksum(self.whole[:4] + struct.pack("<I", other) + self.whole[8:]), f"{other}", "recompile")

    def test_truncated(self):
        for size in (4, 8, 11, 12, 40, len(self.whole) // 2, len(self.whole) - 1):
            self.bad(self.whole[:size])
            self.bad(program.with_checksum(self.whole[:size].ljust(12, b"\0")))

    def test_contents(self):
        """With a checksum that is right, any 8 bytes of the contents may be anything."""
        for start in range(12, len(self.whole), len(self.whole) // 40):
            content = program.with_checksum(self.whole[:start] + b"\xff" * 8 + self.whole[start + 8:])
            done = self.execute("run", self.write("bad.vnpu", content), "-q")
            if done.returncode == 2:
                self.assertRegex(done.stderr, r"\Avernier: .*bad\.vnpu[^\n]+\n\Z")

    def test_compiled_for_another_configuration(self):
        toml = self.write("slow.toml", 'base = "v256"\nexternal_bytes_per_cycle = 1\n')
        for option, value in (("--config", "v64"), ("--memory", "weights-external"), ("--sram-bytes", "65536"),
                              ("--optimize", "0"), ("--config", toml)):
            self.run_refused(self.package, self.package, "recompile", option, options=[option, value])
        self.run_model(self.package, options=["--config", "v256", "--memory", "sram", "--optimize", "1"])
        slow = self.compile(program.DEMO, "--config", toml, name="slow.vnpu")
        self.run_model(slow, options=["--config", toml])
        self.write("slow.toml", 'base = "v256"\nexternal_bytes_per_cycle = 2\n')
        self.run_refused(slow, "compiled for --config slow, found --config ", "external_bytes_per_cycle is 1, the machine has 2", "recompile",
                         options=["--config", toml])

    def test_edges_that_are_not_those_of_the_source_graph(self):
        """The embedded network is the end of the file, and is what the package is checked against."""
        source = program.DEMO.read_bytes()
        self.assertTrue(self.whole.endswith(source))
        front = self.whole[:-len(source)]
        for found, other, edges in ((b"TosaInput_0", b"TosaInput_9", "inputs"), (b"TosaOutput_0", b"TosaOutput_9", "outputs")):
            self.assertIn(found, source)
            self.bad_run(front + source.replace(found, other), f"its {edges} are not those of its source graph; recompile")
            self.bad_run(front.replace(found, other) + source, f"its {edges} are not those of its source graph; recompile")
        shape = struct.pack("<Q4q", 4, 1, 8, 8, 1)
        self.assertEqual(front.count(b"TosaInput_0\x02" + shape), 1)
        self.bad_run(front.replace(shape, struct.pack("<Q4q", 4, 1, 8, 1, 8)) + source, "its inputs are not those")
        another = (program.MADE / "clamp_int8" / "model.tosa").read_bytes()
        self.bad_run(front[:-8] + struct.pack("<Q", len(another)) + another, "are not those of its source graph; recompile")

    def bad_run(self, content, *texts):
        path = self.write("bad.vnpu", program.with_checksum(content))
        self.run_refused(path, path, *texts)
        self.refused(["inspect", path], path, *texts)

    def test_what_is_no_package(self):
        self.refused(["disasm", program.DEMO], program.DEMO)
        self.refused(["compile", self.package, "-o", self.folder / "x.vnpu"], "package already")


class SmallSram(BadInputTest):
    def least_sram(self, options):
        """What the message asks for, rounded up to what an SRAM may have: a word in each bank."""
        message = self.run_sim_refused(1024, options)
        needed = int(re.search(r"needs (\d+) B \(", message)[1])
        return -(-needed // GRANULE) * GRANULE

    def run_sim_refused(self, size, options):
        return self.refused(["run", program.DEMO, "--sram-bytes", size, "--output-dir", self.folder / "out",
                             "--report", self.folder / "r.json", *options], "demo.tosa", "SRAM")

    def test_a_tile_that_does_not_fit(self):
        for memory in ("sram", "weights-external"):
            for optimize in ("0", "1"):
                with self.subTest(memory=memory, optimize=optimize):
                    options = ["--memory", memory, "--optimize", optimize]
                    needed = self.least_sram(options)
                    self.run_model(program.DEMO, options=[*options, "--sram-bytes", needed])
                    self.run_sim_refused(needed - GRANULE, options)


class LargeMaps(program.ProgramTest):
    def test_windows_of_more_than_two_to_the_31_elements(self):
        scale, zero = onnx_file.tensor("s", onnx_file.FLOAT, [], [0.25]), onnx_file.tensor("z", onnx_file.UINT8, [], [100])
        nodes = [*onnx_file.quantizer("x", "s", "z"), onnx_file.node("MaxPool", ["x_d"], ["m"], kernel_shape=[3, 3], pads=[1] * 4),
                 onnx_file.node("QuantizeLinear", ["m", "s", "z"], ["m_q"]), onnx_file.node("DequantizeLinear", ["m_q", "s", "z"], ["y"])]
        dims = [1, 8, 5470, 5470]
        data = onnx_file.model(nodes, [scale, zero], [("x", onnx_file.FLOAT, dims)], [("y", onnx_file.FLOAT, dims)])
        (self.folder / "large.onnx").write_bytes(data)
        for memory in ("sram", "external"):
            done = self.execute("estimate", "large.onnx", "--memory", memory)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, r"\Avernier: large\.onnx: the layer of '\w+' reads [\d,]+ elements in one command, the NPU takes up to [\d,]+\n\Z")

    def test_dram_is_no_sram(self):
        done = self.execute("run", program.DEMO, "--memory", "dram")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'external'?", done.stderr)


if __name__ == "__main__":
    program.main()
