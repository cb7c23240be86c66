# SPDX-License-Identifier: Apache-2.0
"""docs/guides/your-own-network.md, tried: its commands, taken from the page, lead from a .tflite to a checked report.

usage: own_network_test.py VERNIER. Needs PyPI; exit code 77, with a message, where that cannot be reached."""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests/live")]
import npy
import tflite_file
from guide import Failed, expect
from pypi import SKIPPED, UNREACHABLE

GUIDE = ROOT / "docs/guides/your-own-network.md"
LAYERS = ["first", "depthwise", "pointwise", "smaller", "pool", "classes/BiasAdd", "probabilities"]  # as the table shortens them


def command_blocks():
    """The lines of each block that the page marks as commands for a shell."""
    return [block.splitlines() for block in re.findall(r"^```sh\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.M | re.S)]


def execute(command, folder):
    print(f"$ {command}", flush=True)
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def must(command, folder):
    code, out, err = execute(command, folder)
    if code != 0:
        raise Failed(f"exit code {code}: {command}\n{out}{err}")
    return out


def check_report(text):
    expect("check: match, all 10 elements of 1 tensor equal the reference" in text, f"no match in the report:\n{text}")
    for name in LAYERS:
        expect(re.search(rf"^ *\d+ {re.escape(name)} ", text, re.M), f"no layer {name} in the report:\n{text}")


def check_small_networks(folder, convert, run):
    """The same network with a batch that is fixed and one that is open: the same results, and a note."""
    outputs = []
    for dynamic_batch in (False, True):
        (folder / "my.tflite").write_bytes(tflite_file.small_classifier(dynamic_batch))
        must(convert, folder)
        report = must(f"{run} --output-dir out", folder)
        print(report)
        check_report(report)
        inspected = must(f"{run.replace(' run ', ' inspect ')}", folder)
        expect(("taken as 1; --batch N" in " ".join(inspected.split())) == dynamic_batch, f"the note on the batch:\n{inspected}")
        outputs.append((folder / "out/TosaOutput_0.npy").read_bytes())
    expect(outputs[0] == outputs[1], "an open batch changes the results")
    three = must(f"{run} --batch 3", folder)
    expect("all 30 elements" in three, f"a batch of 3:\n{three}")
    (folder / "my.tflite").write_bytes(tflite_file.uint8_input())
    expect("begins or ends in uint8" in must(convert, folder), "nothing is said of uint8")
    must(run, folder)


def check_by_hand(folder, convert, install, by_hand, run):
    (folder / "my.tflite").write_bytes(tflite_file.small_classifier())
    must(convert, folder)
    made = (folder / "my.tosa").read_bytes()
    (folder / "my.tosa").unlink()
    must(install, folder)
    must(by_hand, folder)
    expect((folder / "my.tosa").read_bytes() == made, "by hand becomes another file than with ./dev tosa")
    must(by_hand.replace("--tosa-attach-target=specification_version=1.0 ", ""), folder)
    expect("is read by the tables of TOSA 1.0" in " ".join(must(run, folder).split()), "nothing is said of a draft of 1.1")


def check_failures(folder, convert, run):
    """What cannot be converted leaves no file that could be run; what is given to the wrong program is told where to go."""
    good = tflite_file.small_classifier()
    for content, said in ((good[:600], "not converted"), (b"no network", "neither a TensorFlow Lite network nor MLIR"),
                          (b"\x08\x0a\x12\x07\nmodule\x3a\x00", "is an ONNX file"), (b"\nmodule \0", "neither a TensorFlow Lite"),
                          (b"module {", "not converted"), (None, "no such file")):
        (folder / "my.tosa").write_text("an older file")
        (folder / "my.tflite").unlink(missing_ok=True)
        if content is not None:
            (folder / "my.tflite").write_bytes(content)
        code, _, err = execute(convert, folder)
        expect(code in (1, 2) and said in err, f"{said}: exit code {code}: {err}")
        expect(not (folder / "my.tosa").exists(), f"{said}: an older file is still there")
        expect(not list(folder.glob(".dev-tosa*")), f"{said}: something is left behind")
    (folder / "my.tflite").write_bytes(good)
    swapped = convert.replace("my.tflite my.tosa", "my.tosa my.tflite")
    code, _, err = execute(swapped, folder)
    expect(code == 2 and "usage" in err and (folder / "my.tflite").read_bytes() == good, f"names the wrong way round: {err}")
    direct = run.replace("my.tosa", "my.tflite")
    check_report(must(direct, folder))
    (folder / "my.tflite").write_bytes(tflite_file.uint8_input())
    expect("check: match" in must(direct, folder), "a network of uint8")
    (folder / "my.tflite").write_bytes(tflite_file.float_input())
    code, _, err = execute(direct, folder)
    expect(code == 2 and "not quantized: " in err, f"a .tflite that the program does not read: {err}")


def check_mlperf_tiny(folder, convert, run):
    """The five networks on the first try, with the results of the official reference model."""
    models = sorted((ROOT.parent / "shared/models/mlperf_tiny").glob("*.tflite"))
    if not models:
        print("skipped: the networks of MLPerf Tiny are not here (../shared/models)")
    for model in models:
        (folder / "my.tflite").write_bytes(model.read_bytes())
        must(convert, folder)
        for seed in range(3):
            values = ROOT.parent / "shared/golden/nets" / model.stem / f"seed{seed}"
            must(f"{run} -q --input '{values}/input0.npy' --output-dir out", folder)
            found, expected = npy.read(folder / "out/TosaOutput_0.npy"), npy.read(values / "output_tosa.npy")
            expect(found.first_difference(expected) is None, f"{model.stem}, seed {seed}: {found.first_difference(expected)}")


def main():
    vernier = pathlib.Path(sys.argv[1]).resolve()
    blocks = command_blocks()
    expect([len(block) for block in blocks] == [2, 2], f"{GUIDE.name}: expected two commands twice, found {blocks}")
    convert, run = blocks[0]
    install, by_hand = blocks[1]
    with tempfile.TemporaryDirectory(prefix="vernier_guide_") as name:
        folder = pathlib.Path(name)
        (folder / "build" / "release").mkdir(parents=True)
        (folder / "build" / "release" / "vernier").symlink_to(vernier)
        (folder / "dev").symlink_to(ROOT / "dev")
        (folder / "tests").symlink_to(ROOT / "tests")  # ./dev reads a converted text with a program of these
        (folder / "my.tflite").write_bytes(tflite_file.small_classifier())
        code, out, err = execute(convert, folder)
        if code != 0 and UNREACHABLE.search(out + err):
            print("skipped: PyPI cannot be reached from here, so the guide was not tried")
            return SKIPPED
        expect(code == 0, f"exit code {code}: {convert}\n{out}{err}")
        check_small_networks(folder, convert, run)
        check_by_hand(folder, convert, install, by_hand, run)
        check_failures(folder, convert, run)
        check_mlperf_tiny(folder, convert, run)
    print("the guide's commands work")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failed:
        print(f"own_network_test: {failed}", file=sys.stderr)
        sys.exit(1)
