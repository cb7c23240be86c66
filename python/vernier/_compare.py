# SPDX-License-Identifier: Apache-2.0
"""Comparing the figures of several runs."""

from __future__ import annotations

import html
import json
import os
from pathlib import Path
from typing import Any

from vernier import _vernier
from vernier._errors import InputError, path
from vernier._run import WIDTH_COLUMNS, Run, written


class Comparison:
    """What `vernier compare` says of several runs; `compare` makes it."""

    def __init__(self, report_json: str, page: str, text: str) -> None:
        self.report_json = report_json
        self.report: dict[str, Any] = json.loads(report_json)
        self._page = page
        self._text = text

    def html(self, path: str | os.PathLike[str] | None = None) -> str:
        """A page to look at, which is written to `path` too where one is given.

        Raises
        ------
        InputError
            For a path that cannot be written.
        """
        if path is not None:
            written(path, self._page)
        return self._page

    def __str__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._text)}</pre>"


def compare(*runs: Run | str | os.PathLike[str]) -> Comparison:
    """Compare runs: totals, layer by layer, and what differs in their machines.

    Parameters
    ----------
    *runs : Run or path
        Two or more. A path is that of a JSON report. The others are compared with the first.

    Raises
    ------
    InputError
        For fewer than two runs, and for a file that is no such report.
    """
    if len(runs) < 2:
        raise InputError(f"compare: found {len(runs)} runs, expected two or more", found=str(len(runs)), allowed="two or more")
    reports = [_named(number, run) for number, run in enumerate(runs, 1)]
    return Comparison(*_vernier.compare(reports, WIDTH_COLUMNS))


def _named(number: int, run: Run | str | os.PathLike[str]) -> tuple[str, str]:
    if isinstance(run, Run):
        return f"run {number}", run.report_json
    file = path("compare", run)
    try:
        return file, Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read as a report: {error}", file=file) from error
