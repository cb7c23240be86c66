# SPDX-License-Identifier: Apache-2.0
"""docs/guides/your-own-network.md, tried: its commands, taken from the page, lead from a .tflite to a checked report.

usage: own_network_test.py VERNIER. Needs PyPI; exit code 77, with a message, where that cannot be reached."""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
import tflite_file

GUIDE = ROOT / "docs/guides/your-own-network.md"
UNREACHABLE = re.compile(r"NewConnectionError|ConnectTimeoutError|ReadTimeoutError|ProxyError|Temporary failure in name resolution")
SKIPPED = 77
LAYERS = ["first/Relu", "depthwise/Relu", "pointwise/Relu", "smaller/Relu", "pool", "classes/BiasAdd", "probabilities"]


class Failed(Exception):
    pass


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


def expect(holds, what):
    if not holds:
        raise Failed(what)


def check_report(text):
    expect("check: match, all 10 elements of 1 tensor equal the reference" in text, f"no match in the report:\n{text}")
    for name in LAYERS:
        expect(re.search(rf"^ +\d+ {re.escape(name)} ", text, re.M), f"no layer {name} in the report:\n{text}")


def main():
    vernier = pathlib.Path(sys.argv[1]).resolve()
    blocks = command_blocks()
    expect([len(block) for block in blocks] == [3, 1], f"{GUIDE.name}: expected three commands and one, found {blocks}")
    install, convert, run = blocks[0]
    with tempfile.TemporaryDirectory(prefix="vernier_guide_") as name:
        folder = pathlib.Path(name)
        (folder / "build" / "release").mkdir(parents=True)
        (folder / "build" / "release" / "vernier").symlink_to(vernier)
        code, out, err = execute(install, folder)
        if code != 0 and UNREACHABLE.search(out + err):
            print("skipped: PyPI cannot be reached from here, so the guide was not tried")
            return SKIPPED
        expect(code == 0, f"exit code {code}: {install}\n{out}{err}")

        (folder / "my.tflite").write_bytes(tflite_file.small_classifier())
        must(convert, folder)
        report = must(run, folder)
        print(report)
        check_report(report)

        # The traps that the page names, and the way out of each.
        code, _, err = execute(run.replace("my.tosa", "my.tflite"), folder)
        expect(code == 2 and "docs/guides/your-own-network.md" in err, f"a .tflite given to the program: {err}")
        must(convert.replace("--tosa-attach-target=specification_version=1.0 ", ""), folder)
        code, _, err = execute(run, folder)
        expect(code == 2 and "allowed is 1.0.x" in err and "specification_version=1.0" in err, f"a draft of 1.1: {err}")
        (folder / "my.tflite").write_bytes(tflite_file.small_classifier(dynamic_batch=True))
        must(convert, folder)
        code, _, err = execute(run, folder)
        expect(code == 2 and "dimension 0 of tensor 'TosaInput_0' is dynamic (-1)" in err, f"an open batch: {err}")
        must(blocks[1][0], folder)
        check_report(must(run, folder))
    print("the guide's commands work")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failed:
        print(f"own_network_test: {failed}", file=sys.stderr)
        sys.exit(1)
