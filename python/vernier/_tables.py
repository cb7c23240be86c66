# SPDX-License-Identifier: Apache-2.0
"""Rows of a report as a table: a data frame where pandas is installed, else numpy columns by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import pandas

Table: TypeAlias = "pandas.DataFrame | dict[str, np.ndarray[Any, Any]]"
Row: TypeAlias = dict[str, Any]


def table(rows: list[Row]) -> Table:
    """One column for each key of the first row. Numbers keep their type; texts, lists and dicts are Python objects."""
    columns = {key: _column([row[key] for row in rows]) for key in (rows[0] if rows else {})}
    try:
        import pandas
    except ImportError:
        return columns
    return pandas.DataFrame(columns)


def _column(values: list[Any]) -> np.ndarray[Any, Any]:
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return np.array(values, dtype=np.int64)
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return np.array(values, dtype=np.float64)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column
