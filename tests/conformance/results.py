# SPDX-License-Identifier: Apache-2.0
"""Runs conformance tests of TOSA with `vernier verify` and judges what they come to: exit codes by desc.json, outputs by the official
reference model's. Standard library only."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import npy

# Control flow runs on the simulator alone.
NOT_ON_RTL = re.compile(r"has control flow, allowed with backend 'sim'")
LINE = re.compile(r"^vernier: (?P<desc>.*?desc\.json): exit code (?P<code>\d+): (?P<finding>.*)$")


def copy_tests(sample, folder, pattern="**/desc.json"):
    """The tests whose desc matches, with their inputs; large files are links. The outputs of a test go beside its desc.json."""
    for desc in sorted(sample.glob(pattern)):
        place = folder / desc.parent.relative_to(sample)
        place.mkdir(parents=True)
        shutil.copyfile(desc, place / desc.name)
        for file in desc.parent.iterdir():
            if file != desc:
                os.symlink(file.resolve(), place / file.name)
    return sorted(folder.rglob("desc.json"))


def unexpected(vernier, folder, backend, options=()):
    """What `vernier verify` says of the tests below the folder that did not end as their desc.json says: finding by desc."""
    done = subprocess.run([str(vernier), "verify", "--desc", str(folder), "--backend", backend, *options], capture_output=True, text=True,
                          check=False)
    lines = done.stderr.splitlines()
    findings = {}
    for line in lines:
        match = LINE.match(line)
        if match is None:
            raise AssertionError(f"verify says '{line}', which is no finding about a test")
        findings[pathlib.Path(match["desc"])] = match["finding"]
    if done.returncode != (3 if findings else 0):
        raise AssertionError(f"verify ends with {done.returncode} and {len(findings)} findings: {done.stderr[-400:]}")
    return findings, done.stdout


def difference(desc_file):
    """What differs between the outputs beside a desc and those of the official model, or None."""
    desc = json.loads(desc_file.read_text())
    for name in desc["ofm_file"]:
        mine = npy.read(desc_file.with_name(name))
        stem = name.removesuffix(".npy")
        lower, upper = (desc_file.with_name(f"{stem}.{end}.npy") for end in ("lower", "upper"))
        if lower.exists():
            least, most = npy.read(lower), npy.read(upper)
            if (mine.descr, mine.shape) != (least.descr, least.shape):
                return f"{name}: {mine.descr} {mine.shape} against {least.descr} {least.shape}"
            if any(not a <= b <= c for a, b, c in zip(least.values, mine.values, most.values)):
                return f"{name}: outside of the suite's bounds"
            continue
        found = mine.first_difference(npy.read(desc_file.with_name(f"{stem}.expected.npy")))
        if found:
            return f"{name}: {found}"
    return None
