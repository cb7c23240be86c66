# SPDX-License-Identifier: Apache-2.0
"""What a run gives: values, figures and reports."""

from __future__ import annotations

import html
import json
import os
from functools import cached_property
from pathlib import Path
from typing import Any

from vernier import _vernier
from vernier._arrays import Array
from vernier._errors import MachineError
from vernier._tables import Table, table

WIDTH_COLUMNS = 100


class Run:
    """A run that came to its end; `Program.run` and `Program.estimate` make it. Figures are worked out when they are first asked for."""

    def __init__(self, finished: _vernier.Finished) -> None:
        failure = finished.failure()
        if failure:
            raise MachineError(failure)
        self._finished = finished

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
        """
        page = self._finished.html()
        if path is not None:
            Path(path).write_text(page, encoding="ascii", newline="\n")
        return page

    def text(self, width_columns: int = WIDTH_COLUMNS) -> str:
        """The report for people, as the program prints it; no line is wider than `width_columns`."""
        return self._finished.text(width_columns)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<vernier.Run {self._finished.summary().strip()}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text())}</pre>"
