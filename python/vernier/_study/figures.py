# SPDX-License-Identifier: Apache-2.0
"""Rows of a study as tables, those that no other beats, and a picture."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from vernier._errors import InputError
from vernier._files import unfinished
from vernier._tables import Table, column, framed

# A picture has no room for the names of more networks, nor for long ones.
MOST_NAMES, MOST_NAME_CHARACTERS = 12, 40
Floats = npt.NDArray[np.float64]


def to_table(columns: Mapping[str, list[Any]]) -> Table:
    """A data frame where pandas is installed, else numpy columns. A number that is missing is NaN, in a column of floats."""
    return framed({name: column(_with_nan(values)) for name, values in columns.items()})


def _with_nan(values: list[Any]) -> list[Any]:
    is_numeric = all(value is None or isinstance(value, (int, float)) for value in values)
    if not is_numeric or all(value is None for value in values):
        return values
    return [np.nan if value is None else value for value in values]


def non_dominated(columns: Mapping[str, list[Any]], names: Sequence[str], larger: Sequence[str]) -> list[int]:
    """Numbers of the points that no other point of their network beats; less is better, but in the columns of `larger`.

    Raises
    ------
    InputError
        For a column that has no numbers.
    """
    chosen: list[int] = []
    for points, figures in _by_model(columns, names):
        signs = np.array([-1.0 if name in larger else 1.0 for name in names])
        chosen += [int(point) for point in points[_front(figures * signs)]]
    return sorted(chosen)


def _by_model(columns: Mapping[str, list[Any]], names: Sequence[str]) -> Iterator[tuple[npt.NDArray[np.int64], Floats]]:
    """Numbers of the points and their figures, network by network, of the points that have all figures."""
    for name in names:
        if wrong := next((value for value in columns[name] if not isinstance(value, (int, float, type(None)))), None):
            raise InputError(f"column {name!r}: found {wrong!r}, expected numbers", found=repr(wrong), allowed="numbers")
    figures = np.array([columns[name] for name in names], dtype=np.float64).T.reshape(-1, len(names))
    points = np.array(columns["point"], dtype=np.int64)
    models = np.array(columns["model"], dtype=object)
    has_all = ~np.isnan(figures).any(axis=1)
    for model in dict.fromkeys(columns["model"]):
        chosen = has_all & (models == model)
        yield points[chosen], figures[chosen]


def _front(figures: Floats) -> npt.NDArray[np.int64]:
    """Places of the rows that no row beats. In lexical order a row is beaten by rows before it alone, and by one of the front."""
    front: list[int] = []
    for place in np.lexsort(figures.T[::-1]):
        rows = figures[front]
        beaten = (rows <= figures[place]).all(axis=1) & (rows < figures[place]).any(axis=1)
        if not beaten.any():
            front.append(int(place))
    return np.array(front, dtype=np.int64)


def alike(values: list[Any]) -> list[Any]:
    """The values of a column; texts where some are texts and others numbers."""
    is_mixed = len({isinstance(value, str) for value in values if value is not None}) > 1
    return [None if value is None else str(value) for value in values] if is_mixed else values


def drawn(columns: Mapping[str, list[Any]], x: str, y: str, path: str | os.PathLike[str]) -> None:
    """See `Study.plot`."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise InputError("a plot needs matplotlib, which is not installed: pip install 'vernier[study]'") from error
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot(xlabel=x, ylabel=y)
    models = list(dict.fromkeys(columns["model"]))
    for model, (_, figures) in zip(models, _by_model(columns, (x, y)), strict=True):
        if len(figures):
            dots = axes.scatter(figures[:, 0], figures[:, 1], s=12, label=model[-MOST_NAME_CHARACTERS:])
            front = figures[_front(figures)]
            axes.plot(front[:, 0], front[:, 1], linewidth=1, color=dots.get_facecolor()[0])
    if 0 < len(models) <= MOST_NAMES:
        axes.legend(fontsize="small")
    with unfinished(path) as file:
        figure.savefig(file)
