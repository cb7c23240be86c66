# SPDX-License-Identifier: Apache-2.0
"""docs/guides/onnx.md and docs/guides/qonnx.md, tried: their commands, on small networks of each form, and the files that they write.

usage: onnx_test.py VERNIER. Needs neither onnx nor PyPI."""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
import npy
import onnx_file
import qonnx_file
from guide import Failed, expect

BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.M | re.S)
IN_TEXT = re.compile(r"`(vernier [a-z]+ model\.onnx[^`]*)`", re.S)
OPEN_INPUT = "an input without a quantizer"


def without_quantizer():
    """x [1, 2, 2, 2], float, through a convolution of 1x1, then a quantizer."""
    initializers = [onnx_file.tensor("s", onnx_file.FLOAT, [], [0.25]), onnx_file.tensor("z", onnx_file.INT8, [], [3]),
                    onnx_file.tensor("w", onnx_file.INT8, [1, 2, 1, 1], [1, 2])]
    nodes = [onnx_file.node("DequantizeLinear", ["w", "s"], ["w_d"]), onnx_file.node("Conv", ["x", "w_d"], ["c"]),
             onnx_file.node("QuantizeLinear", ["c", "s", "z"], ["c_q"]), onnx_file.node("DequantizeLinear", ["c_q", "s", "z"], ["y"])]
    return onnx_file.model(nodes, initializers, [("x", onnx_file.FLOAT, [1, 2, 2, 2])], [("y", onnx_file.FLOAT, [1, 1, 2, 2])])


# Page, its networks, and how many commands it has.
PAGES = (("onnx.md", {"QDQ": onnx_file.operators(), "ties": onnx_file.small(weight_scale=0.25), "an open batch": onnx_file.small(batch=-1),
                      OPEN_INPUT: without_quantizer()}, 4),
         ("qonnx.md", {"QONNX": qonnx_file.small()}, 1))
SHAPES = {"QDQ": (1, 2, 4, 4), "QONNX": (1, 2, 4, 4)}


def commands_of(page):
    """In blocks, and in the text."""
    return [command for block in BLOCK.findall(page) for command in block.splitlines()] + [" ".join(one.split()) for one in IN_TEXT.findall(page)]


def execute(command, vernier, folder):
    print(f"$ {command}", flush=True)
    done = subprocess.run(["bash", "-e", "-c", command], cwd=folder, capture_output=True, text=True, check=False,
                          env={"PATH": f"{vernier.parent}:/usr/bin:/bin"})
    expect(done.returncode == 0 and not done.stderr, f"exit code {done.returncode}: {command}\n{done.stdout}{done.stderr}")
    return done.stdout


def outputs_in(folder):
    return npy.read(folder / "out/y.npy"), npy.read(folder / "out/y.float.npy")


def try_page(name, commands, content, vernier):
    with tempfile.TemporaryDirectory(prefix="vernier_guide_") as place:
        folder = pathlib.Path(place)
        shape = SHAPES.get(name, (1, 2, 2, 2))
        count = shape[1] * shape[2] * shape[3]
        (folder / "model.onnx").write_bytes(content)
        npy.write(folder / "x.npy", npy.Array("<f4", shape, [i * 0.37 - 4 for i in range(count)]))
        printed = {command.split()[1]: execute(command, vernier, folder) for command in commands}
        expect("check: match" in printed["run"], f"{name}: no match in the report:\n{printed['run']}")
        if not any("--output-dir" in command for command in commands):
            return
        codes, reals = outputs_in(folder)
        expect(reals.descr == "<f4" and codes.descr in ("|i1", "|u1"), f"{name}: y.npy has {codes.descr}, y.float.npy {reals.descr}")
        if "inspect" in printed:
            expect("float32 in the source, real = " in " ".join(printed["inspect"].split()), f"{name}:\n{printed['inspect']}")
        if "convert" not in printed:
            return
        expect((folder / "net.boundary.json").exists(), f"{name}: net.boundary.json was not written")
        execute(commands[0].replace("model.onnx", "net.tosa"), vernier, folder)
        expect(outputs_in(folder) == (codes, reals), f"{name}: net.tosa gives other outputs than model.onnx")
        (folder / "other.onnx").write_bytes(onnx_file.small(weight_scale=0.5))
        execute("vernier convert other.onnx -q -o other.tosa; cp other.boundary.json net.boundary.json", vernier, folder)
        done = subprocess.run([vernier, "run", "net.tosa"], cwd=folder, capture_output=True, text=True, check=False)
        expect(done.returncode == 2 and "another network" in done.stderr, f"{name}: the boundary of another file is taken: {done.stderr}")


def main():
    vernier = pathlib.Path(sys.argv[1]).resolve()
    for file, networks, num_commands in PAGES:
        commands = commands_of((ROOT / "docs/guides" / file).read_text(encoding="utf-8"))
        expect(len(commands) == num_commands, f"{file}: expected {num_commands} commands, found {commands}")
        for name, content in networks.items():
            try_page(name, [one for one in commands if ("--input-format" in one) == (name == OPEN_INPUT)], content, vernier)
    print("the guides' commands work")


if __name__ == "__main__":
    try:
        main()
    except Failed as failed:
        print(f"onnx_test: {failed}", file=sys.stderr)
        sys.exit(1)
