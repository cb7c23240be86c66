# SPDX-License-Identifier: Apache-2.0
"""What many command lines print and write has not changed unseen: said.txt has a row for each text, with its number of lines and
its CRC-32. VERNIER_UPDATE_GOLDEN=1 rewrites the rows; VERNIER_SAID_TEXTS=DIR writes the texts themselves into DIR, so that
`diff -r` of those of two builds shows what changed. Times, paths and versions are taken out of the texts first."""

import json
import os
import pathlib
import re
import sys
import zlib

import encodings_test
import npy
import onnx_file
import program
import qonnx_file
import streaming_network

sys.path.insert(0, str(program.ROOT / "tests" / "bench"))
from made_graph import Graph

HELD = program.HERE / "said.txt"
MADE = ("residual_block", "depthwise_separable", "softmax_rows", "conv_computed_weights", "fc_batch_3", "outputs_reversed",
        "classifier_head", "conv_deep", "resize_int16_wide", "gather_embedding", "rescale_from_unsigned", "weights_shared")
SMALL = "--memory external --sram-bytes 16384"
MACHINES = ("", "--config v64 --memory weights-external", f"--config v1024 {SMALL}", "--config v256-port8", "--optimize 0",
            "--set external_bytes_per_cycle=1/3 --memory external")
REPORTS = "--report r.json --report r.csv --report r.html --report r.mx.json"
FORMS = ("onnx", "pools", "wide", "qonnx", "thresholds")
# What differs from run to run, from day to day, from build to build.
VARIABLE = ((r"(?ms)^host: .*?(?=\n\S|\Z)", "host"), (r'"host[^"]*": (\{[^{}]*\}|[^\n]*)', "host"), (r'"(\w+_)?(version|commit|command_line|date)": "[^"]*"', "version"),
            (r"Vernier \d[\w.+ ()-]*", "Vernier"))


def commands():
    """[(folder-independent words of a command line, COLUMNS)]."""
    for machine in MACHINES:
        yield f"run demo.tosa {machine} {REPORTS} --output-dir out", 100
        yield f"explain demo.tosa {machine} --layer 2 --report x.json", 100
    for width in (60, 80, 160, 300):
        yield f"run demo.tosa -v {SMALL}", width
        yield f"estimate demo.tosa residual_block.tosa --memory sram,external --sram-bytes 16384,65536 --report t.json --report t.csv", width
        yield f"run demo.tosa -q {SMALL} --seed 7 --iterations 3 --check-all --report a.json", width
        yield "compare a.json b.json c.json --report d.json --report d.html", width
        yield "explain residual_block.tosa --memory external -v --layer 0", width
    for number, network in enumerate(MADE):
        machine = MACHINES[number % len(MACHINES)]
        yield f"run {network}.tosa {machine} {REPORTS} --seed {number} --output-dir out", 100
        yield f"run {network}.tosa --backend reference --report r.json -v", 100
        yield f"dump {network}.tosa {machine} --tensor all -o t", 100
        yield f"explain {network}.tosa {machine} --layer 0 -v --report x.json", 120
    for layer in range(6):
        yield f"explain demo.tosa {MACHINES[layer]} --layer {layer} -v --report x.json", 80
    for network in FORMS:
        for machine in MACHINES[:4]:
            yield f"run {network}.onnx {machine} {REPORTS} --output-dir out --seed 3", 100
        yield f"inspect {network}.onnx", 100
        yield f"dump {network}.onnx --tensor all -o t", 100
        yield f"explain {network}.onnx -v --layer 0", 100
        yield f"convert {network}.onnx -o c.tosa", 100
    yield f"run float.onnx --encodings e.json {REPORTS} --output-dir out -v", 100
    yield "inspect float.onnx --encodings e.json", 100
    for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
        for more in ("", ",round_mode=HALF_TO_EVEN", ",narrow_range=1", ",ensure_minimum_range=9", ",min=-3,axis=3"):
            yield f"run added.tosa --quantize X:mode={mode},type=qint8,min=-1.5,max=3{more} --report r.json --output-dir out", 100
    yield "run added.tosa --quantize X:mode=SCALED,type=quint8,min=0,max=2", 100
    for more in ("", ",narrow_range=1,round_mode=HALF_TO_EVEN"):
        yield f"run added.tosa --quantize X:mode=SCALED,type=qint8,min=low.npy,max=high.npy,axis=3{more} --input X=x.npy --output-dir out --report r.json", 100
    for fault in ("accumulator:bitflip@150:5:20", "weight:bitflip@100:3", "sram:bitflip@200:1000:3", "command:bitflip@100", "token:drop@20"):
        yield f"run demo.tosa --check-all --no-rerun --inject {fault} --report r.json -v", 100
        yield f"run conv_deep.tosa --check-all --no-rerun --inject {fault} --report r.json {SMALL}", 80
    for where in ("--tensor 4", "--tensor all", "--sram 0x100:0x180@300", "--accumulator command:0", "--accumulator @300", "--accumulator 4"):
        for file in ("-o t",) if where == "--tensor all" else ("", "-o d.txt", "-o d.npy", "-o d.hex"):
            yield f"dump demo.tosa {where} {file}", 100
    yield "run carried.tosa --carry Y=S --iterations 4 --report r.json --output-dir out", 100
    yield "run streaming.tosa --iterations 4 --report r.json --report r.html --output-dir out", 100
    yield "inspect streaming.tosa", 100
    yield "compile streaming.tosa -o s.vnpu --dump ir", 100
    for words in ("run demo.tosa --carry 1=2", "run demo.tosa --input no.npy", "run demo.tosa --sram-bytes 1KiB", "dump demo.tosa --tensor no",
                  "dump demo.tosa --sram 5:1@3", "dump demo.tosa --accumulator @99999999", "explain demo.tosa --layer no", "run demo.tosa --inject sram:bitflip@99999999 --check-all",
                  "run added.tosa --quantize X:mode=SCALED,type=qint8,min=3,max=1", "run onnx.onnx --input-format x:scale=1", "compare a.json demo.tosa"):
        yield words, 100


class Said(program.ProgramTest):
    longest_seconds = 60

    def setUp(self):
        super().setUp()
        for name in MADE:
            (self.folder / f"{name}.tosa").write_bytes((program.MADE / name / "model.tosa").read_bytes())
        (self.folder / "demo.tosa").write_bytes(program.DEMO.read_bytes())
        for name, model in (("onnx", onnx_file.operators()), ("pools", onnx_file.pools()), ("wide", onnx_file.wide()), ("qonnx", qonnx_file.small()),
                            ("thresholds", qonnx_file.thresholds()), ("float", onnx_file.float_layer())):
            (self.folder / f"{name}.onnx").write_bytes(model)
        (self.folder / "e.json").write_text(json.dumps(encodings_test.FITTING), encoding="utf-8")
        added = Graph(3)
        x = added.input([1, 4, 4, 8])
        added.output(added.conv2d(x, 8))
        added.write(self.folder / "added.tosa")
        carried = Graph()
        y, state = carried.input([1, 2, 2, 8]), carried.input([1, 2, 2, 8])
        made = carried.conv2d(carried.add(y, state), 8)
        carried.output(made)
        carried.write(self.folder / "carried.tosa")
        streaming_network.streaming_graph().write(self.folder / "streaming.tosa")
        for name, values in (("low", [-channel / 3 for channel in range(8)]), ("high", [channel / 2 + 0.1 for channel in range(8)])):
            (self.folder / f"{name}.npy").write_bytes(npy.to_bytes(npy.Array("<f4", (8,), values)))
        (self.folder / "x.npy").write_bytes(npy.to_bytes(npy.Array("<f4", (1, 4, 4, 8), [(i * 37 % 101 - 50) / 17 for i in range(128)])))
        self.names = {"X:": f"{x.name}:", "X=": f"{x.name}=", "Y=S": f"{made.name}={state.name}"}
        for name, options in (("a", ()), ("b", ("--config", "v64", "--memory", "external")), ("c", ("--optimize", "0", "--seed", "4"))):
            self.execute("run", "demo.tosa", "-q", "--report", f"{name}.json", *options)

    def texts_of(self, words, width):
        """{what: text} of a command line: what it prints, and the files that it writes."""
        before = {path: path.stat().st_mtime_ns for path in self.folder.rglob("*") if path.is_file()}
        for short, name in self.names.items():
            words = words.replace(f" {short}", f" {name}")
        self.environment["COLUMNS"] = str(width)
        done = self.execute(*words.split())
        texts = {"standard output": done.stdout, "standard error": done.stderr, "exit code": str(done.returncode)}
        for path in sorted(self.folder.rglob("*")):
            if path.is_file() and before.get(path) != path.stat().st_mtime_ns:
                texts[path.relative_to(self.folder).as_posix()] = path.read_bytes().decode("latin-1")
        return {what: self.without_what_varies(text) for what, text in texts.items()}

    def without_what_varies(self, text):
        text = text.replace(str(self.folder), "FOLDER")
        for pattern, name in VARIABLE:
            text = re.sub(pattern, name, text)
        return text

    def test_what_is_said_and_written(self):
        rows, folder = [], os.environ.get("VERNIER_SAID_TEXTS")
        for words, width in commands():
            for what, text in self.texts_of(words, width).items():
                rows.append(f"{' '.join(words.split())}, {width} columns, {what}: {text.count(chr(10))} lines, {zlib.crc32(text.encode()):08x}")
                if folder:
                    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
                    name = re.sub(r"[^\w.,=-]+", "_", f"{words}_{width}_{what}")[-200:]
                    (pathlib.Path(folder) / name).write_text(text, encoding="utf-8")
        if os.environ.get("VERNIER_UPDATE_GOLDEN") == "1":
            HELD.write_text("\n".join(rows) + "\n", encoding="utf-8")
        held = HELD.read_text(encoding="utf-8").splitlines()
        differing = [f"was {was}\nis  {now}" for was, now in zip(held, rows) if was != now]
        self.assertEqual(differing[:5], [], "VERNIER_UPDATE_GOLDEN=1 rewrites it")
        self.assertEqual(len(rows), len(held))


if __name__ == "__main__":
    program.main()
