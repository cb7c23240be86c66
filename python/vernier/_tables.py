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
    return framed({key: column([row[key] for row in rows]) for key in (rows[0] if rows else {})})


def framed(columns: dict[str, np.ndarray[Any, Any]]) -> Table:
    """A data frame of columns, where pandas is installed."""
    try:
        import pandas
    except ImportError:
        return columns
    return pandas.DataFrame(columns)


def column(values: list[Any]) -> np.ndarray[Any, Any]:
    """int64, float64, or Python objects."""
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return np.array(values, dtype=np.int64)
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return np.array(values, dtype=np.float64)
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects
