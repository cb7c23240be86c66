# SPDX-License-Identifier: Apache-2.0
"""What the tests of studies share: networks, clusters of processes over loopback, and studies as child processes."""

import contextlib
import json
import os
import pathlib
import shlex
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

import vernier

ROOT = pathlib.Path(__file__).resolve().parents[2]
NETWORKS = ROOT / "tests" / "golden" / "networks"
WAIT_SECONDS = 120
QUIET = {**os.environ, "DASK_LOGGING__DISTRIBUTED": "critical"}


def network(name):
    return NETWORKS / name / "model.tosa"


def grid(**changed):
    """The arguments of a small study: 48 points."""
    names = ("conv_1x1", "conv_deep", "depthwise_c16", "fc_64_12", "mean", "conv_3x3_pad")
    return {"models": [network(name) for name in names], "configs": ["v64", "v256"], "memory": ["sram", "external"],
            "set": {"external_bytes_per_second": [4e9, 16e9]}, **changed}


def steady(report):
    """A report without what no two runs have in common."""
    rest = {key: value for key, value in report.items() if key not in ("host_seconds", "tool_version")}
    rest["run"] = {key: value for key, value in report["run"].items() if key not in ("command_line", "commit")}
    return rest


def estimated(program, asked, folder):
    """The report of `vernier estimate` for a point's column "asked"."""
    words = [asked["model"]]
    for option, key in (("--config", "config"), ("--memory", "memory"), ("--sram-bytes", "sram_bytes"), ("--optimize", "optimize")):
        words += [option, str(asked[key])] if key in asked else []
    for key, value in asked.get("set", {}).items():
        words += ["--set", f"{key}={value}"]
    file = pathlib.Path(folder) / "estimate.json"
    done = subprocess.run([program, "estimate", *words, "--report", file, "-q"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"exit code {done.returncode}: vernier estimate {shlex.join(words)}: {done.stderr}")
    return json.loads(file.read_text(encoding="utf-8"))


def rows_of(file, columns="key"):
    """What is in a study's file now; nothing where there is no file yet."""
    if not file.exists():
        return []
    with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=30)) as database:
        try:
            return database.execute(f"SELECT {columns} FROM points ORDER BY point").fetchall()
        except sqlite3.OperationalError:
            return []


def wait_for(what, holds):
    end = time.monotonic() + WAIT_SECONDS
    while not holds():
        if time.monotonic() > end:
            raise RuntimeError(f"{what}: not within {WAIT_SECONDS} s")
        time.sleep(0.02)


class StudyTest(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "study.sqlite"

    def study(self, **changed):
        return vernier.Study(**grid(file=self.file, **changed))

    def assert_mistake(self, pattern, call, *arguments, **named):
        with self.assertRaisesRegex(vernier.InputError, pattern) as caught:
            call(*arguments, **named)
        self.assertEqual(len(caught.exception.message.splitlines()), 1)
        return caught.exception

    def assert_each_point_once(self, study):
        keys = [key for (key,) in rows_of(self.file)]
        self.assertEqual(len(keys), len(study))
        self.assertEqual(len(set(keys)), len(keys))

    def child(self, command):
        """A process in a group of its own, which ends with the test."""
        process = subprocess.Popen([sys.executable, *map(str, command)], cwd=self.folder, env=QUIET, start_new_session=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(end, process)
        return process

    def cluster(self, nannies=2, workers_each=2):
        """The address of a scheduler, and the processes that keep its workers: `dask scheduler` and `dask worker`."""
        place = self.folder / "scheduler.json"
        self.child(["-m", "dask", "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", place])
        wait_for("the scheduler", lambda: place.exists() and place.read_text().strip().endswith("}"))
        address = json.loads(place.read_text())["address"]
        processes = [self.child(["-m", "dask", "worker", address, "--nworkers", workers_each, "--nthreads", 1, "--no-dashboard", "--local-directory",
                                 self.folder / f"worker{number}"]) for number in range(nannies)]
        return address, processes


def end(process):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
