# SPDX-License-Identifier: Apache-2.0
"""The exact line for each mistake of messages.txt: exit code 2, nothing on standard output, nothing written or changed.

A case is a line `$ ARGUMENTS` of messages.txt and the message below it; the files are made here. VERNIER_UPDATE_GOLDEN=1
writes the messages that the program gives now: read the difference."""

import json
import os
import re
import shlex
import struct
import sys

import npy
import program
import tflite_file
import tosa_file

sys.path.insert(0, str(program.ROOT / "tests" / "bench"))
from made_graph import Graph

GOLDEN = program.HERE / "messages.txt"
SHAPE = (1, 8, 8, 1)  # of the demo network's input

TOMLS = {
    "text": 'base = "v256"\nsram_bytes = "64 apples"\n',
    "fraction": 'base = "v256"\nclock_hz = 1.5\n',
    "boolean": 'base = "v256"\nsram_bytes = true\n',
    "number": 'base = "v256"\nexternal_is_full_duplex = 1\n',
    "date": 'base = "v256"\nsram_bytes = 2024-01-01\n',
    "array": 'base = ["v64", "v256"]\n',
    "table": 'base = "v256"\n[external]\nbytes_per_cycle = 4\n',
    "negative": 'base = "v256"\nsram_bytes = -4096\n',
    "odd": 'base = "v256"\nsram_bytes = 65537\n',
    "absurd": 'base = "v256"\nsram_bytes = 9223372036854775807\n',
    "no-number": 'base = "v256"\nsram_bytes = 99999999999999999999\n',
    "no-base": "sram_bytes = 65536\n",
    "unknown-base": 'base = "v265"\n',
    "two-bases": 'base = "v256"\nbase = "v64"\n',
    "unknown-key": 'base = "v256"\nsram_bites = 65536\n',
    "no-unit": 'base = "v256"\nexternal_latency = 32\n',
    "fixed-key": 'base = "v256"\nlanes = 32\n',
    "bandwidth-zero": 'base = "v256"\nexternal_bytes_per_cycle = 0\n',
    "bandwidth-absurd": 'base = "v256"\nexternal_bytes_per_cycle = 1000000\n',
    "bandwidth-negative": 'base = "v256"\nexternal_bytes_per_cycle = -16\n',
    "bandwidth-fraction": 'base = "v256"\nexternal_bytes_per_cycle = 0.5\n',
    "bandwidth-text": 'base = "v256"\nexternal_bytes_per_cycle = "1 / 125"\n',
    "bandwidth-twice": 'base = "v256"\nexternal_bytes_per_cycle = 1\nexternal_bytes_per_second = 1000000000\n',
    "bandwidth-second": 'base = "v256"\nexternal_bytes_per_second = 100\n',
    "latency-twice": 'base = "v256"\nexternal_latency_ns = 60\nexternal_latency_cycles = 60\n',
    "latency-ns": 'base = "v256"\nexternal_latency_ns = 60.5\n',
    "several": 'queue_depth_commands = 1\nname = "v64"\nsram = 65536\nsram_bytes = 100\nclock_hz = true\nlanes = 1\n',
    "bandwidth-nan": 'base = "v256"\nexternal_bytes_per_cycle = nan\n',
    "latency-negative": 'base = "v256"\nexternal_latency_cycles = -100\n',
    "burst-zero": 'base = "v256"\nexternal_burst_bytes = 0\n',
    "latency-zero": 'base = "v256"\nexternal_latency_cycles = 0\n',
    "latency-absurd": 'base = "v256"\nexternal_latency_cycles = 1000000000000\n',
    "burst": 'base = "v256"\nexternal_burst_bytes = 48\n',
    "queue": 'base = "v256"\nqueue_depth_commands = 1\n',
    "clock": 'base = "v256"\nclock_hz = 0\n',
    "mode": 'base = "v256"\nmemory_mode = "weight-external"\n',
    "name-of-two-lines": 'base = "v256"\nname = "two\\nlines"\n',
    "name-of-a-preset": 'base = "v256"\nname = "v64"\n',
    "name-empty": 'base = "v256"\nname = ""\n',
    "v256": 'base = "v256"\nsram_bytes = 65536\n',
    "not-toml": "base = = v256\n",
    "empty": "",
}


def version_2(content):
    """A .npy of version 1.0 as version 2.0: the length of the header has four bytes."""
    return content[:6] + b"\x02\x00" + content[8:10] + b"\0\0" + content[10:]


class Messages(program.ProgramTest):
    def setUp(self):
        super().setUp()
        def put(name, content):
            (self.folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        for name, text in TOMLS.items():
            put(f"{name}.toml", text)
        good = npy.to_bytes(npy.zeros("int8", SHAPE))
        put("good.npy", good)
        put("shape.npy", npy.to_bytes(npy.zeros("int8", (1, 8, 8))))
        put("type.npy", npy.to_bytes(npy.zeros("int16", SHAPE)))
        put("unsigned.npy", npy.to_bytes(npy.zeros("|u1", SHAPE)))
        put("fortran.npy", npy.to_bytes(npy.zeros("int8", SHAPE), fortran_order=True))
        put("truncated.npy", good[:-1])
        put("surplus.npy", good + b"\0")
        put("version-2-truncated.npy", version_2(good)[:11])
        put("version-9.npy", good[:6] + b"\x09\x00" + good[8:])
        put("empty.npy", b"")
        put("float.npy", npy.to_bytes(npy.Array("<f4", (2, 3), range(6))))
        put("float-double.npy", npy.to_bytes(npy.Array("<f8", (2, 3), range(6))))
        put("float-fortran.npy", npy.to_bytes(npy.Array("<f4", (2, 3), range(6)), fortran_order=True))
        put("float-truncated.npy", npy.to_bytes(npy.Array("<f4", (2, 3), range(6)))[:-1])
        put("float-rank0.npy", npy.to_bytes(npy.Array("<f4", (), [1])))
        for name, values in (("low", [-1, -2, -3]), ("high", [1, 2, 3]), ("mixed", [1, -4, 3]), ("one", [1]), ("pair", [1, 2])):
            put(f"{name}.npy", npy.to_bytes(npy.Array("<f4", (len(values),), values)))
        put("column.npy", npy.to_bytes(npy.Array("<f4", (3, 1), [1, 2, 3])))
        put("codes.npy", npy.to_bytes(npy.Array("|u1", (2, 3), range(6))))
        put("demo.tosa", program.DEMO.read_bytes())
        put("two.tosa", (program.MADE / "add_both_broadcast" / "model.tosa").read_bytes())
        put("two0.npy", (program.MADE / "add_both_broadcast" / "TosaInput_0.npy").read_bytes())
        put("some.tflite", tflite_file.float_input())
        put("some.mlir", "module {\n  func.func @main(%a: tensor<4xi8>) -> tensor<4xi8> {\n    %0 = linalg.exp ins(%a)\n"
            "    return %0 : tensor<4xi8>\n  }\n}\n")
        put("undefined.mlir", "func.func @main(%a: tensor<4xi8>) -> tensor<4xi8> {\n  %0 = tosa.identity %b : (tensor<4xi8>) -> tensor<4xi8>\n"
            "  return %0 : tensor<4xi8>\n}\n")
        put("some.mlirbc", b"ML\xefR\x0dMLIR20.0.0")
        put("some.onnx", b"\x08\x08\x12\x07pytorch\x3a\x90\x01graph")
        put("newer.tosa", tosa_file.one_operator(version=(1, 2, 0, True)))
        tensors = [tosa_file.tensor(name, (2, 3)) for name in "xtuy"]
        put("several.tosa", tosa_file.graph(tensors, [tosa_file.operator("CUSTOM", ["x"], ["t"]),
            tosa_file.operator("SIN", ["t"], ["u"]), tosa_file.operator("ABS", ["u"], ["y"])], ["x"], ["y"]))
        put("1.1.tosa", tosa_file.graph(tensors[:2] + [tosa_file.tensor("y", (2, 3), dtype=17)],
            [tosa_file.operator(79, ["x"], ["t"]), tosa_file.operator(100, ["t"], ["y"])], ["x"], ["y"], version=(1, 1, 0, True)))
        put("old.json", "old\n")
        replay = {"schema": "vernier-replay/1", "interface_version": 9, "unit": "table", "config": "v64", "lanes": 8, "sram_read_words": 4,
                  "sram_write_words": 2, "mismatch": "", "is_whole": False, "is_reproduced": True, "num_cycles": 2, "first_vector": 0,
                  "first_cycle": 0, "inputs": {"rst_ni": "0 1 1"}, "expected": {}}
        for name, changes in (("schema", {"schema": "vernier-replay/2"}), ("version", {"interface_version": 6}), ("unit", {"unit": "dma"}),
                              ("lanes", {"lanes": 64}), ("words", {}), ("digits", {"inputs": {"rst_ni": "0 y"}}), ("bits", {"inputs": {"rst_ni": "0 2"}}),
                              ("short", {"inputs": {"rst_ni": "0"}}), ("absurd", {"num_cycles": 10**15}), ("first", {"first_cycle": -1}),
                              ("commands", {"unit": "datapath", "tables": [None, None], "sequences": []}), ("tables", {"unit": "datapath", "tables": [None]})):
            put(f"replay-{name}.json", json.dumps({**replay, **changes}))
        put("replay-cut.json", json.dumps(replay)[:100])
        put("small.toml", 'base = "v256"\n\nsram_bytes = 2048\n')
        for name, shape, kernel in (("wide", (32, 32, 32), 1), ("deep", (192, 192, 64), 3)):
            graph = Graph()
            graph.output(graph.conv2d(graph.input([1, *shape]), shape[2], kernel=(kernel, kernel)))
            graph.write(self.folder / f"{name}.tosa")
        (self.folder / "demo.json").symlink_to("demo.tosa")
        for name in ("directory", "directory.json", "directory.tosa"):
            (self.folder / name).mkdir()
        self.compile("demo.tosa", name="demo.vnpu")
        package = (self.folder / "demo.vnpu").read_bytes()
        put("checksum.vnpu", package[:8] + bytes(20))
        put("version.vnpu", package[:4] + struct.pack("<I", 99) + package[8:])
        put("short.vnpu", package[:10])

    def state(self):
        return {str(path): path.read_bytes() if path.is_file() else None for path in self.folder.rglob("*")}

    def message(self, command):
        """What the command says; the same at every width, since a message is one line for whatever reads it."""
        before, texts = self.state(), set()
        for columns in (None, 80, 100, 160):
            if columns:
                self.environment["COLUMNS"] = str(columns)
            done = self.execute(*shlex.split(command))
            self.assertEqual((done.returncode, done.stdout), (2, ""), command)
            texts.add(done.stderr)
        del self.environment["COLUMNS"]
        self.assertEqual(len(texts), 1, f"{command}: the message depends on the width: {texts}")
        text = texts.pop()
        # One line; all that is wrong with a configuration or a network has one each.
        self.assertRegex(text, r"\A(vernier: [^\n]+\n)" + ("+" if "several." in command else "") + r"\Z", command)
        self.assertEqual(self.state(), before, f"{command}: files appeared, went or changed")
        return text.replace(str(self.folder), "FOLDER")

    def test_messages(self):
        lines = GOLDEN.read_text(encoding="utf-8").splitlines(keepends=True)
        found = []
        for line in lines:
            if not line.startswith("vernier: "):
                found.append(line)
            if line.startswith("$ "):
                found.append(self.message(line[2:]))
        if os.environ.get("VERNIER_UPDATE_GOLDEN") == "1":
            GOLDEN.write_text("".join(found), encoding="utf-8")
        else:
            self.maxDiff = None
            self.assertEqual("".join(found), "".join(lines))

    def test_every_configuration_is_tried(self):
        text = GOLDEN.read_text(encoding="utf-8")
        for name in TOMLS:
            self.assertIn(f"$ config check {name}.toml\n", text)

    def test_what_is_near_a_mistake_and_none(self):
        (self.folder / "-x.tosa").write_bytes(program.DEMO.read_bytes())
        (self.folder / "2.npy").write_bytes(version_2((self.folder / "good.npy").read_bytes()))
        (self.folder / "mine.toml").write_text('base = "v256"\nname = "v256 with less"\nsram_bytes = 0x10000\n')
        for command in ("run -q -- -x.tosa", "run -q demo.tosa --input 2.npy", "run -q demo.tosa --config mine.toml",
                        "run -q -q demo.tosa --no-check --no-check", "run -q demo.tosa --report r.json --report r.csv",
                        "run -q demo.tosa --sram-bytes 65536", "run -q demo.tosa --level 8K", "estimate -q demo.tosa --level NONE",
                        "version", "help config show", "help help", "run -q demo.tosa --sram-bytes 268435456", "help", "help run"):
            done = self.execute(*shlex.split(command))
            self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        self.assertEqual(self.execute("help", "run").stdout, self.execute("run", "--help").stdout)
        self.assertEqual(self.execute("help").stdout, self.execute("--help").stdout)
        self.assertEqual(self.execute("help", "config", "show").stdout, self.execute("config", "show", "--help").stdout)
        self.assertEqual(self.execute("version").stdout, self.execute("--version").stdout)

    def test_sizes_in_any_unit(self):
        def cycles(size):
            done = self.execute("estimate", "-q", "demo.tosa", "--memory", "external", "--sram-bytes", size)
            self.assertEqual((done.returncode, done.stderr), (0, ""), size)
            return done.stdout
        expected = cycles("8192")
        for size in ("0x2000", "0X2000", "8KiB", "8 kib", "8192B", "8.192e3", "8.192KB", "8192.0", "0.0078125MiB", "8192000e-3"):
            self.assertEqual(cycles(size), expected, size)

    def test_help_fits_a_terminal(self):
        topics = [[], ["run"], ["estimate"], ["compile"], ["disasm"], ["dump"], ["explain"], ["inspect"], ["convert"], ["config"], ["config", "show"],
                  ["config", "check"], ["config", "list"], ["quantize"], ["dequantize"], ["cosim"], ["version"], ["help"]]
        for topic in topics:
            for line in self.execute("help", *topic).stdout.splitlines():
                self.assertLessEqual(len(line), 80, line)
        text = self.execute("help").stdout
        for topic in [*topics, ["encodings", "check"], ["encodings", "convert"], ["encodings", "export"], ["compare"]]:
            self.assertNotRegex(self.execute("help", *topic).stdout, r" (TEXT|INT|UINT|FLOAT)\b", topic)
        groups = re.findall(r"^([A-Z][A-Za-z ]+):$", self.execute("help", "run").stdout, re.M)
        self.assertEqual(groups, ["Positionals", "Options", "Model", "Machine", "Samples", "Check", "RTL", "Waves and timeline", "Reports"])
        self.assertEqual(text.split("Examples:\n")[1].count("  vernier "), 3)


if __name__ == "__main__":
    program.main()
