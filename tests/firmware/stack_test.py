# SPDX-License-Identifier: Apache-2.0
"""The stack that the firmware needs at most, from the frames and the calls that GCC reports (-fcallgraph-info=su): the deepest chain
of calls from main, and on top of it a trap with the deepest chain of its handler. Exits 77 without the cross compiler.

usage: stack_test.py BUILD_FOLDER"""

import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "firmware"))
import build  # noqa: E402

MOST_STACK_BYTES = 4000
MOST_CODE_BYTES = 16 * 1000


def graph_of(folder):
    """({function: bytes of its frame}, {function: those that it calls}) of all sources in C."""
    frames, calls = {}, {}
    for source in build.SOURCES:
        if not source.endswith(".c"):
            continue
        out = folder / (pathlib.Path(source).stem + ".o")
        build.cross_compile("-fcallgraph-info=su", "-c", ROOT / "firmware" / source, "-o", out)
        text = out.with_suffix(".ci").read_text(encoding="utf-8")
        for title, label in re.findall(r'node: \{ title: "([^"]*)" label: "([^"]*)"', text):
            if (used := re.search(r"(\d+) bytes \((\w+)", label)):
                if used.group(2) != "static":
                    sys.exit(f"the frame of {title} has no fixed size: {label}")
                frames[title] = max(frames.get(title, 0), int(used.group(1)))  # a weak one has another of its name
        for caller, callee in re.findall(r'edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"', text):
            calls.setdefault(caller, set()).add(callee)
    return frames, calls


def deepest(function, frames, calls, path=()):
    """Bytes of the deepest chain of calls from a function on."""
    if function in path:
        sys.exit(f"{function} calls itself: {' -> '.join(path)}")
    if function not in frames:
        sys.exit(f"the frame of '{function}', which {path[-1] if path else 'nobody'} calls, is not known")
    below = [deepest(callee, frames, calls, (*path, function)) for callee in calls.get(function, ())]
    return frames[function] + max(below, default=0)


def trap_frame_bytes():
    """What boot/start.S puts by before it calls the handler."""
    text = (ROOT / "firmware/boot/start.S").read_text(encoding="utf-8")
    (size,) = re.findall(r"addi sp, sp, -(\d+)", text)
    return int(size)


def main(folder):
    if not shutil.which(build.COMPILER):
        print(f"skipped: there is no {build.COMPILER}")
        return build.SKIPPED
    folder.mkdir(parents=True, exist_ok=True)
    frames, calls = graph_of(folder)
    stack = deepest("main", frames, calls) + trap_frame_bytes() + deepest("handle_trap", frames, calls)
    _, image = build.loaded_bytes(build.build_elf(folder))
    print(f"{stack} bytes of stack, {len(image)} bytes of code and constants")
    if stack > MOST_STACK_BYTES or len(image) > MOST_CODE_BYTES:
        print(f"allowed are {MOST_STACK_BYTES} and {MOST_CODE_BYTES}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
