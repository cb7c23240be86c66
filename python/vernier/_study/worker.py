# SPDX-License-Identifier: Apache-2.0
"""What a worker of Dask does: it keeps the files of a study, and runs batches of points. Needs `distributed`."""

from __future__ import annotations

import json
import tempfile
import time
import zlib
from collections import OrderedDict
from pathlib import Path
from typing import Any

from distributed import Worker, WorkerPlugin, get_worker

import vernier
from vernier._errors import InputError, MachineError
from vernier._network import Network, load
from vernier._run import Run
from vernier._study.points import Plan, Point, Source, Value
from vernier._study.results import Ended

NETWORKS_KEPT = 8
# A machine whose configuration has not run lately leaves about 20 kB: 10,000 of them are 200 MB, after which a new process takes over.
POINTS_PER_PROCESS = 10_000


class Store(WorkerPlugin):  # type: ignore[misc]
    """The files of a study on a worker. Dask sends it to each worker once, to those that come later and those that restart too."""

    def __init__(self, name: str, plan: Plan, points_per_process: int = POINTS_PER_PROCESS) -> None:
        self.name = name
        self.sources: dict[str, Source] = plan.sources
        self.options = dict(plan.load)
        self.version, self.values, self.seed = plan.version, plan.values, plan.seed
        self.points_per_process = points_per_process

    def setup(self, worker: Worker) -> None:
        """Write the files to a folder of this worker."""
        self._ended = 0
        self._networks: OrderedDict[str, Network] = OrderedDict()
        self._folder = tempfile.TemporaryDirectory(prefix="vernier-study-")
        self._given = {}
        for number, source in enumerate(self.sources.values()):
            folder = Path(self._folder.name) / str(number)
            folder.mkdir()
            for name, data in source.files.items():
                (folder / name).write_bytes(data)
            self._given[str(folder / next(iter(source.files)))] = source.name
        self._paths = {name: path for path, name in self._given.items()}
        self.sources = {}

    def teardown(self, worker: Worker) -> None:
        """Remove the files."""
        self._folder.cleanup()

    def network(self, model: str) -> Network:
        """A network that has been read; the last few are kept."""
        if model not in self._networks:
            self._networks[model] = load(self._paths[model], **self.options)
            self._networks[model].file = model
        self._networks.move_to_end(model)
        while len(self._networks) > NETWORKS_KEPT:
            self._networks.popitem(last=False)
        return self._networks[model]

    def run(self, point: Point) -> Ended:
        """Run a point; whatever goes wrong with it is its row."""
        begin = time.perf_counter()
        row, report = row_of(point), None
        try:
            run = self._simulate(point)
            figures, report = self._report(run, point.model)
            row |= {**figures, "config": point.config or figures["base"], "exit_code": run.exit_code}
            if run.exit_code == 3:
                row["error"] = f"{run.check['elements_different']} elements differ from the reference"
        except InputError as error:
            row |= {"exit_code": 2, "error": self._line(error.message)}
        except MachineError as error:
            row |= {"exit_code": 4, "error": self._line(str(error))}
        except Exception as error:
            row |= {"exit_code": 70, "error": self._line(f"{type(error).__name__}: {error}")}
        self._ended += 1
        return Ended(row | {"host_seconds": time.perf_counter() - begin}, report)

    def _simulate(self, point: Point) -> Run:
        program = self.network(point.model).compile(self._paths.get(point.config or "", point.config), memory=point.memory,
                                                    sram_bytes=point.sram_bytes, optimize=point.optimize, set=point.set)
        return program.run(seed=self.seed) if self.values else program.estimate()

    def _report(self, run: Run, model: str) -> tuple[dict[str, Any], bytes]:
        report = run.report
        report["model"]["file"] = model
        report["run"]["command_line"] = self._said(report["run"]["command_line"])
        return figures_of(report), zlib.compress(json.dumps(report, separators=(",", ":")).encode())

    def _said(self, text: str) -> str:
        for path, name in self._given.items():
            text = text.replace(path, name)
        return text

    def _line(self, text: str) -> str:
        return "; ".join(line.strip() for line in self._said(text).splitlines() if line.strip())

    def is_used_up(self) -> bool:
        """Whether this process has run so many points that a new one is to take its place."""
        return self._ended >= self.points_per_process


def row_of(point: Point) -> dict[str, Any]:
    """The columns that are known before a point runs."""
    named = {name: _stored(value) for name, value in point.set.items() if name.isidentifier() and name.islower()}
    row = {"point": point.number, "key": point.key, "model": point.model, "asked": json.dumps(point.asked()), "exit_code": 0, "error": None}
    size = _stored(point.sram_bytes) if isinstance(point.sram_bytes, int) else None
    return {**named, **row, "config": point.config, "memory_mode": point.memory, "sram_bytes": size}


def _stored(value: Value) -> Value:
    """SQLite has integers of 64 bits; larger ones become texts."""
    return str(value) if isinstance(value, int) and abs(value) >= 2**63 else value


def died(point: Point) -> Ended:
    """The row of a point that ended its worker each time that Dask tried."""
    return Ended(row_of(point) | {"exit_code": 70, "error": "the process of its worker died, each time that it was tried"}, None)


def figures_of(report: dict[str, Any]) -> dict[str, Any]:
    """The columns of a report: the machine, the totals and the check, without lists."""
    machine = _numbers(report["config"])
    machine["machine"] = machine.pop("name")
    check = {f"check_{name}": report["check"][name] for name in ("result", "elements_compared", "elements_different")}
    return {**machine, **_numbers(report["totals"]), "model_sha256": report["model"]["sha256"], **check}


def _numbers(part: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in part.items() if not isinstance(value, (dict, list))}


def run_batch(store: str, points: list[Point], seconds: float) -> list[Ended]:
    """Run the first points of a batch, as many as end in `seconds`, and one at least. The client sends the others again.

    Raises
    ------
    InputError
        On a worker with another version of the package.
    """
    begin, worker = time.monotonic(), get_worker()
    kept: Store = worker.plugins[store]
    if kept.version != vernier.__version__:
        raise InputError(f"worker {worker.address}: found vernier {vernier.__version__}, expected {kept.version}", found=vernier.__version__,
                         allowed=kept.version)
    ended = []
    for point in points:
        ended.append(kept.run(point))
        if time.monotonic() - begin >= seconds:
            break
    if kept.is_used_up() and worker.nanny is not None:
        worker.loop.add_callback(worker.close_gracefully, restart=True)
    return ended


