# SPDX-License-Identifier: Apache-2.0
"""What a run gives: values, figures and reports."""

from __future__ import annotations

import html
import json
import os
from functools import cached_property
from typing import Any

from vernier import _vernier
from vernier._arrays import Array
from vernier._errors import InputError, MachineError, about, shown, whole, word
from vernier._errors import path as path_text
from vernier._files import unfinished
from vernier._libraries import turn
from vernier._tables import Table, table

WIDTH_COLUMNS = 100


class Story:
    """What `vernier explain` says of one layer; `Run.explain` makes it."""

    def __init__(self, report_json: str, text: str) -> None:
        self.report_json = report_json
        self.report: dict[str, Any] = json.loads(report_json)
        self._text = text

    def __str__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._text)}</pre>"


class Run:
    """A run that came to its end; `Program.run` and `Program.estimate` make it. Figures are worked out when they are first asked for."""

    def __init__(self, finished: _vernier.Finished, file: str) -> None:
        _raise(finished.failure())
        self._finished = finished
        self._file = file

    @cached_property
    def outputs(self) -> dict[str, Array]:
        """Outputs of the last iteration by name, as the network's file has them: integers, uint8 where the file has it. Empty after
        `Program.estimate`."""
        return {name: codes for name, codes, _ in self._values}

    @cached_property
    def float_outputs(self) -> dict[str, Array]:
        """float32 arrays by name, of those outputs that stand for floats in the network's file."""
        return {name: floats for name, _, floats in self._values if floats is not None}

    @cached_property
    def variables(self) -> dict[str, Array]:
        """Variables of the network by name, as the last iteration left them: integers. `Program.run` takes them for the run after it."""
        return dict(self._finished.variables())

    @cached_property
    def _values(self) -> list[tuple[str, Array, Array | None]]:
        return self._finished.outputs()

    @cached_property
    def report_json(self) -> str:
        """The text that `vernier run --report FILE.json` writes; docs/reference/report.md has each field with its unit."""
        return self._finished.json()

    @cached_property
    def report(self) -> dict[str, Any]:
        """The JSON report as it is."""
        report: dict[str, Any] = json.loads(self.report_json)
        return report

    @property
    def report_csv(self) -> str:
        """The text that `--report FILE.csv` writes: a line for each layer."""
        return self._finished.csv()

    @property
    def totals(self) -> dict[str, Any]:
        """Cycles, seconds, MACs and bytes of the whole run."""
        totals: dict[str, Any] = self.report["totals"]
        return totals

    @property
    def check(self) -> dict[str, Any]:
        """Whether the outputs are the reference's: "result" is "match", "mismatch" or "skipped"; "first_difference" says where."""
        check: dict[str, Any] = self.report["check"]
        return check

    @property
    def exit_code(self) -> int:
        """What `vernier run` would end with: 0, 1 where TOSA calls the result unpredictable, 3 where a value differs."""
        return self._finished.verdict()

    @property
    def warnings(self) -> list[str]:
        """Where TOSA calls the result unpredictable."""
        warnings: list[str] = self.report["warnings"]
        return warnings

    @cached_property
    def layers(self) -> Table:
        """A row for each layer, with the columns of the report's `layers` and `share`: the part of all cycles that is the layer's, 0 to
        1. A data frame where pandas is installed, else a dict of numpy columns."""
        cycles = self.totals["cycles"]
        return table([{**row, "share": row["attributed_cycles"] / cycles if cycles else 0.0} for row in self.report["layers"]])

    @cached_property
    def commands(self) -> Table:
        """A row for each command of the program, with the columns of the report's `commands`; cycles count from the start."""
        return table(self.report["commands"])

    def html(self, path: str | os.PathLike[str] | None = None) -> str:
        """The page that `--report FILE.html` writes, which loads nothing.

        Parameters
        ----------
        path : path, optional
            Where to write it too.

        Returns
        -------
        str
            The page.

        Raises
        ------
        InputError
            For the network's own file, and one that cannot be written.
        """
        page = self._finished.html()
        if path is not None:
            written(path, page, self._file)
        return page

    def timeline(self, path: str | os.PathLike[str]) -> None:
        """Simulate the run once more, and write its commands over time for https://ui.perfetto.dev.

        Parameters
        ----------
        path : path
            FILE.perfetto-trace, or FILE.json for tools that read Chrome's traces.

        Raises
        ------
        InputError
            For a file with another ending, and one that cannot be written.
        """
        self._trace([], [path_text("path", path)], None, None, None)

    def waves(
        self,
        path: str | os.PathLike[str],
        *,
        scope: str | None = None,
        layer: str | None = None,
        cycles: tuple[int, int] | None = None,
    ) -> None:
        """Simulate the run once more, and write its signals for a wave viewer.

        Parameters
        ----------
        path : path
            FILE.fst or FILE.vcd for signals, FILE.ftr for transactions.
        scope : str, optional
            Signals whose names match this shell pattern; all when absent.
        layer : str, optional
            The cycles of this layer; the whole run when absent.
        cycles : (int, int), optional
            From one cycle to before another.

        Raises
        ------
        InputError
            For a pattern or a layer that there is not, an empty window, and a file that cannot be written.
        """
        if cycles is not None:
            if layer is not None:
                raise InputError("cycles: found a layer too, expected one of both", found="layer", allowed="cycles or layer")
            allowed = "two cycles, the second later"
            if not isinstance(cycles, tuple) or len(cycles) != 2:
                raise InputError(f"cycles: found {shown(cycles)}, expected {allowed}", found=shown(cycles), allowed=allowed)
            first, end = (whole("cycles", cycle, 0, 2**63 - 1) for cycle in cycles)
            if not first < end:
                raise InputError(f"cycles: found {first}:{end}, expected {allowed}", found=f"{first}:{end}", allowed=allowed)
        for name, value in (("scope", scope), ("layer", layer)):
            if value is not None:
                word(name, value)
        self._trace([path_text("path", path)], [], scope, layer, cycles)

    def _trace(self, waves: list[str], timelines: list[str], scope: str | None, layer: str | None, cycles: tuple[int, int] | None) -> None:
        with about(self._file), turn:
            failure = self._finished.trace(waves, timelines, scope, layer, cycles)
        _raise(failure)

    def explain(self, layer: str) -> Story:
        """One layer's story: the compiler's choices, where its tensors lie, its cycles, and what would make it faster.

        Parameters
        ----------
        layer : str
            Its name, the shortened name of a report, or its number.

        Returns
        -------
        Story

        Raises
        ------
        InputError
            For a layer that there is not, with the nearest names.
        """
        with about(self._file), turn:
            failure, report_json, text = self._finished.explain(layer_name(layer), WIDTH_COLUMNS)
        _raise(failure)
        return Story(report_json, text)

    def tensor(self, name: str) -> Array:
        """Simulate the first iteration once more, and take a tensor inside as its commands leave it.

        Parameters
        ----------
        name : str
            The name of a tensor, or of a layer that makes one.

        Returns
        -------
        numpy array
            The integers that the network's file has: codes, not floats, in the file's shape. Elements that no command made are 0.

        Raises
        ------
        InputError
            For a run without values, a name that there is not, and a tensor that stands nowhere since it is part of another.
        """
        if not self._finished.has_values():
            raise InputError("tensor: found an estimate, expected a run: an estimate has no values", found="an estimate", allowed="a run")
        with about(self._file), turn:
            failure, values = self._finished.tensor(word("name", name))
        _raise(failure)
        return values

    def text(self, width_columns: int = WIDTH_COLUMNS) -> str:
        """The report for people, as the program prints it; no line is wider than `width_columns`."""
        return self._finished.text(whole("width_columns", width_columns, 20, 10_000))

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<vernier.Run {self._finished.summary().strip()}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text())}</pre>"


def layer_name(layer: str | int) -> str:
    """A layer's name or number as the compiler takes it."""
    return str(layer) if isinstance(layer, int) else word("layer", layer, "the name or the number of a layer")


def written(path: str | os.PathLike[str], page: str, read: str = "") -> None:
    """A page in a file, all of it or nothing. `read` is a network's file, which stays what it is."""
    with unfinished(path, read) as file:
        file.write_text(page, encoding="ascii", newline="\n")


def _raise(failure: list[str]) -> None:
    """Lines about a machine that stopped; none where it came to its end."""
    if failure:
        raise MachineError(failure)
