# SPDX-License-Identifier: Apache-2.0
"""`Study`: what a caller sees."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from vernier import _vernier
from vernier._errors import InputError, chosen, flag, path, shown, whole, word
from vernier._files import unfinished
from vernier._network import sizes_of
from vernier._study.figures import alike, drawn, non_dominated, to_table
from vernier._study.points import AXES, LOAD_OPTIONS, Plan, checked, digest_of, known, listed, mapping
from vernier._study.results import Results
from vernier._tables import Table

File: TypeAlias = str | os.PathLike[str]
KINDS: dict[str, tuple[type, ...]] = {"model": (str,), "config": (str,), "memory": (str,), "sram_bytes": (int, str), "optimize": (int,)}
SET_KINDS = (str, int, float, bool)
MODES = {name: code for code, name in enumerate(("sram", "weights-external", "external"))}


@dataclass(frozen=True)
class Progress:
    """How far a study is.

    Attributes
    ----------
    done, total, failed : int
        Points with a row, all points, and rows with an error.
    points_per_second : float
        Since `Study.run` began.
    seconds_left : float or None
        At this rate; None before the first point has ended.
    """

    done: int
    total: int
    failed: int
    points_per_second: float
    seconds_left: float | None


class Study:
    """Many runs, each a network on a machine: a grid, and points that are listed. Their rows are in one SQLite file.

    A study that is there goes on where it was: points with a row do not run again.

    Parameters
    ----------
    models : path or list of paths
        Networks, as `vernier.load` takes them.
    configs : str, path or list of these, optional
        Machines, as `Network.compile` takes them; "v256" when absent.
    memory : str or list of str, optional
        Memory modes; the machine's own when absent.
    sram_bytes : int, str or list of these, optional
        Sizes of the SRAM in bytes: 262144, or "256KiB".
    optimize : {0, 1} or list of these, optional
        As in `Network.compile`.
    set : dict, optional
        Values of the configuration by key, one or a list for each: ``{"external_bytes_per_second": [4e9, 16e9]}``.
    points : list of dict, optional
        Further points with the keys "model", "config", "memory", "sram_bytes", "optimize" and "set", all but the first optional.
    load : dict, optional
        Options of `vernier.load` for all networks: "level", "batch", "shapes", "signature", "tflite_rounding".
    values : bool
        Compute values from drawn inputs and compare them with the reference; otherwise cycles and bytes alone.
    seed : int
        Of the inputs, with `values`; not negative.
    file : path
        The SQLite file of the results.

    Raises
    ------
    InputError
        For a file that cannot be read, a value of a wrong type, an unknown key, and a `file` that holds something else: another study,
        or results of another version of the program.
    """

    def __init__(
        self,
        models: File | Iterable[File] = (),
        configs: File | Iterable[File | None] | None = None,
        memory: str | Iterable[str | None] | None = None,
        sram_bytes: int | str | Iterable[int | str | None] | None = None,
        *,
        optimize: int | Iterable[int | None] | None = None,
        set: Mapping[str, object] | None = None,
        points: Iterable[Mapping[str, Any]] = (),
        load: Mapping[str, Any] | None = None,
        values: bool = False,
        seed: int = 1,
        file: File = "study.sqlite",
    ) -> None:
        seed = whole("seed", seed, 0, 2**64 - 1)
        if isinstance(points, (str, bytes, Mapping)) or not isinstance(points, Iterable):
            raise InputError(f"points: found {shown(points)}, expected a list of dicts", found=shown(points), allowed="a list of dicts")
        further = [_point(number, point) for number, point in enumerate(points, 1)]
        named = [] if further and isinstance(models, (list, tuple)) and not models else listed("models", models, KINDS["model"])
        if None in named:
            raise InputError("models: found None, expected paths", found="None", allowed="paths")
        grid = {"model": named}
        for name, argument, given in (("config", "configs", configs), ("memory", "memory", memory), ("sram_bytes", "sram_bytes", sram_bytes),
                                      ("optimize", "optimize", optimize)):
            grid[name] = listed(argument, given, KINDS[name])
        sets = {word("set", key): listed(f"set: {key}", value, SET_KINDS) for key, value in mapping("set", {} if set is None else set).items()}
        known("set", sets, _set_keys())
        _modes("memory", grid["memory"])
        options = _load_options(mapping("load", {} if load is None else load))
        self._plan = Plan(_vernier.version(), grid, sets, further, options, flag("values", values), seed)
        self.file = path("file", file)
        self._results = Results(self.file, self._plan.version, self._plan.definition())

    def __len__(self) -> int:
        """Points of the grid, and those that are listed."""
        return len(self._plan)

    def run(
        self,
        scheduler: str | None = None,
        *,
        workers: int | None = None,
        timeout_seconds: float = 10.0,
        retry_failed: bool = False,
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        """Run the points that have no row. Rows are in the file as soon as they end, so a study may be stopped at any time.

        Parameters
        ----------
        scheduler : str, optional
            Address of a scheduler of Dask: "tcp://host:8786". Without it processes of this computer run the points.
        workers : int, optional
            How many processes of this computer; as many as it has cores when absent.
        timeout_seconds : float
            How long a scheduler may take to answer, in seconds.
        retry_failed : bool
            Run points whose row has an error once more.
        progress : callable, optional
            Called with a `Progress` when rows have been written.

        Raises
        ------
        InputError
            Where Dask is not installed, where no scheduler answers or its workers have another version, and for a disk that is full.
            What is wrong with a point is in its row instead.
        """
        if workers is not None:
            workers = whole("workers", workers, 1, 10**4)
        if scheduler is not None:
            word("scheduler", scheduler)
        if isinstance(timeout_seconds, bool) or not isinstance(timeout_seconds, (int, float)) or not 0 < timeout_seconds < math.inf:
            allowed = "a number of seconds above 0"
            raise InputError(f"timeout_seconds: found {shown(timeout_seconds)}, expected {allowed}", found=shown(timeout_seconds), allowed=allowed)
        if progress is not None and not callable(progress):
            raise InputError(f"progress: found {shown(progress)}, expected a function", found=shown(progress), allowed="a function")
        try:
            from vernier._study.cluster import connected, worked_off
        except ImportError as error:
            raise InputError(f"a study needs Dask, and {error.name or 'a part of it'} is not installed: pip install 'vernier[study]'",
                             found=f"no {error.name}", allowed="pip install 'vernier[study]'") from error
        if retry_failed:
            self._results.forget_failures()
        there = self._results.keys()
        left = sum(point.key not in there for point in self._plan.points())
        if left == 0:
            return
        waiting = (point for point in self._plan.points() if point.key not in there)
        first = done = len(there)
        total, failed, begin = done + left, self._results.failures(), time.monotonic()
        with connected(scheduler, workers, timeout_seconds) as client:
            name = f"vernier-study-{digest_of([os.path.abspath(self.file), self._plan.version, self._plan.definition()])}"
            for ended in worked_off(client, name, self._plan, waiting, left):
                self._results.add(ended)
                done += len(ended)
                failed += sum(row["error"] is not None for row, _ in ended)
                if progress is not None and ended:
                    rate = (done - first) / max(time.monotonic() - begin, 1e-9)
                    progress(Progress(done, total, failed, rate, (total - done) / rate if rate else None))

    @property
    def frame(self) -> Table:
        """A row for each point that ended: what was asked for, the machine, the totals of its report, its error and its key. A data
        frame where pandas is installed, else a dict of numpy columns. Columns have the names and units of the JSON report."""
        return to_table(self._results.columns(self._results.names()))

    def report(self, point: int) -> dict[str, Any] | None:
        """The whole JSON report of a point, by its number in the column "point"; None where it has none."""
        return self._results.report(whole("point", point, 0, 2**63 - 1))

    def exit_codes(self) -> dict[int, int]:
        """How many points ended with which exit code of the program: 0 and 1 are good, 2 is wrong input, in 3 a value differs, in 4
        the machine stopped, 70 is a bug of Vernier."""
        return self._results.exit_codes()

    def pareto(self, *columns: str, maximize: Iterable[str] = ()) -> Table:
        """The rows of each network that no other row of the network beats: better in one column and as good in the others.

        Parameters
        ----------
        *columns : str
            Columns with numbers, of which less is better: "cycles", "sram_bytes".
        maximize : list of str
            Those of `columns` of which more is better.

        Returns
        -------
        Table
            In the order of the points. Rows without a number in one of the columns are left out.

        Raises
        ------
        InputError
            For a name that is no column.
        """
        if isinstance(maximize, (str, bytes)) or not isinstance(maximize, Iterable):
            raise InputError(f"maximize: found {shown(maximize)}, expected a list of columns", found=shown(maximize), allowed="a list of columns")
        larger = list(maximize)
        self._check_columns([*columns, *larger])
        if not columns:
            raise InputError("pareto: found no column, expected one or more", found="no column", allowed="one or more")
        known("maximize", larger, columns)
        found = self._results.columns(["point", "model", *columns])
        chosen = non_dominated(found, columns, larger)
        return to_table(self._results.columns(self._results.names(), chosen))

    def plot(self, x: str, y: str, path: File) -> None:
        """Draw two columns against each other, a colour for each network, with a line through the rows that no other one beats.

        Parameters
        ----------
        x, y : str
            Columns with numbers, of which less is better.
        path : path
            The picture; its ending says the format: ".png", ".svg", ".pdf".

        Raises
        ------
        InputError
            For a name that is no column, a path that cannot be written, and where matplotlib is not installed.
        """
        self._check_columns([x, y])
        drawn(self._results.columns(["point", "model", x, y]), x, y, path)

    def to_parquet(self, path: File) -> None:
        """Write the rows of `frame` to a Parquet file, for which pyarrow is needed.

        Raises
        ------
        InputError
            For a path that cannot be written, and where pyarrow is not installed.
        """
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError as error:
            raise InputError("Parquet needs pyarrow, which is not installed: pip install 'vernier[study]'") from error
        columns = {name: alike(values) for name, values in self._results.columns(self._results.names()).items()}
        with unfinished(path) as file:
            parquet.write_table(pyarrow.table(columns), file)

    def _check_columns(self, names: Iterable[str]) -> None:
        known(f"{self.file}: columns", names, self._results.names())

    def __repr__(self) -> str:
        return f"<vernier.Study {self.file!r}: {len(self)} points>"


def _point(number: int, given: Mapping[str, Any]) -> dict[str, Any]:
    place = f"points: {number}"
    point = dict(mapping(place, given))
    known(place, point, AXES)
    if point.get("model") is None:
        raise InputError(f"{place}: 'model' is missing", allowed="a path")
    sets = {str(key): checked(f"{place}: set: {key}", value, SET_KINDS) for key, value in mapping(f"{place}: set", point.pop("set", {})).items()}
    known(f"{place}: set", sets, _set_keys())
    _modes(f"{place}: memory", [point.get("memory")])
    return {name: checked(f"{place}: {name}", value, KINDS[name]) for name, value in point.items()} | {"set": sets}


@cache
def _set_keys() -> list[str]:
    """Of the configuration; which of them a machine lets be set is seen when its point runs."""
    return [key for key, _ in _vernier.config_values("v256", "sram", {})]


def _modes(name: str, values: Iterable[Any]) -> None:
    for value in values:
        if value is not None:
            chosen(name, value, MODES)


def _load_options(given: Mapping[Any, Any]) -> dict[str, Any]:
    """Options of `vernier.load`, as JSON can write them."""
    known("load", given, LOAD_OPTIONS)
    options = {name: value for name, value in given.items() if value is not None}
    for name in ("level", "signature", "tflite_rounding"):
        if name in options:
            options[name] = word(f"load: {name}", options[name])
    if "batch" in options:
        options["batch"] = whole("load: batch", options["batch"], 1, 2**31 - 1)
    if "shapes" in options:
        options["shapes"] = {word("load: shapes", key): sizes_of(key, shape) for key, shape in mapping("load: shapes", options["shapes"]).items()}
    return options
