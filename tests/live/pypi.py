# SPDX-License-Identifier: Apache-2.0
"""What the tests here have in common: their options, and a Python with packages from PyPI."""

import argparse
import fcntl
import json
import pathlib
import re
import subprocess
import sys
import venv

UNREACHABLE = re.compile(r"NewConnectionError|ConnectTimeoutError|ReadTimeoutError|ProxyError|Temporary failure in name resolution")
MISSING = re.compile(r"No matching distribution found|No space left on device")
SKIPPED = 77
TOSA_TOOLS = "tosa-tools==2026.8.0"  # the official tools of TOSA, as ./dev tosa installs them


def parse_options(count_option, count):
    """VERNIER FOLDER [--seed N] and how many cases."""
    return parser(count_option, count).parse_args()


def parser(count_option, count):
    """The same, for a test that has further options."""
    result = argparse.ArgumentParser()
    result.add_argument("vernier", type=lambda text: pathlib.Path(text).resolve())
    result.add_argument("folder", type=lambda text: pathlib.Path(text).resolve())
    result.add_argument("--seed", type=int, default=1)
    result.add_argument(count_option, type=int, default=count)
    return result


def json_of(file):
    return json.loads(file.read_text(encoding="utf-8"))


def python_with(folder, *packages):
    """The environment's Python. Where the packages cannot be had, the program says so and ends with SKIPPED."""
    python, reason = install(folder, *packages)
    if python is None:
        print(f"skipped: {', '.join(packages)} cannot be had from PyPI here ({reason})")
        sys.exit(SKIPPED)
    return python


def install(folder, *packages):
    """The environment's Python, or what keeps the packages from being there. Of several tests at once one installs, the others wait."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.parent / f"{folder.name}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return install_alone(folder, *packages)


def install_alone(folder, *packages):
    python = folder / "bin" / "python"
    stamp = folder / f"{' '.join(packages)}.done"
    if stamp.exists():
        return python, None
    venv.create(folder, with_pip=True, clear=True)
    print(f"installing from PyPI into {folder}: {' '.join(packages)}", flush=True)
    done = subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages], capture_output=True,
                          text=True, check=False)
    if done.returncode == 0:
        stamp.touch()
        return python, None
    said = done.stdout + done.stderr
    for reason in (UNREACHABLE, MISSING):
        if reason.search(said):
            return None, reason.search(said).group()
    raise RuntimeError(f"{' '.join(packages)} was not installed:\n{said}")


def wheels(python, folder, *packages):
    """A folder with the packages' wheels, without those that they need, fetched once. Where they cannot be had, the program says so and
    ends with SKIPPED."""
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([python, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "-d", folder, *packages],
                          capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    for reason in (UNREACHABLE, MISSING):
        if done.returncode != 0 and reason.search(said):
            print(f"skipped: {', '.join(packages)} cannot be had from PyPI here ({reason.search(said).group()})")
            sys.exit(SKIPPED)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(packages)} was not fetched:\n{said}")
    return folder
