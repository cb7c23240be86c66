# SPDX-License-Identifier: Apache-2.0
"""The smallest machine on which networks are fast enough."""

from __future__ import annotations

import html
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TypeVar

import numpy as np

from vernier import _vernier
from vernier._errors import InputError, path, shown, whole, word
from vernier._network import Network, Size, bytes_text, load, sets_of
from vernier._tables import Table, table

T = TypeVar("T")
CONFIGS = ("v64", "v256", "v1024")
BANDWIDTHS = tuple(int(5e8) << step for step in range(6))  # 0.5 to 16 GB/s
LEAST_SRAM_BYTES = 16 * 1024
SIZED = {"sram_bytes", "external_bytes_per_second", "external_bytes_per_cycle", "memory_mode"}  # keys of the configuration


@dataclass(frozen=True)
class MachineSize:
    """A machine that was tried, or is the answer.

    Attributes
    ----------
    config : str
        Its array: a preset or a TOML file.
    sram_bytes : int
    external_bytes_per_second : int
        Bandwidth of the external memory.
    """

    config: str
    sram_bytes: int
    external_bytes_per_second: int

    def __str__(self) -> str:
        return f"{self.config}, {self.sram_bytes / 1024:g} KiB of SRAM, {self.external_bytes_per_second / 1e9:g} GB/s"


@dataclass(frozen=True)
class Sizing:
    """What `size` found.

    Attributes
    ----------
    machine : MachineSize or None
        The smallest that is fast enough; None where none is.
    reasons : list of str
        Why the next smaller ones do not do, or what the largest reach.
    runs : data frame, or dict of numpy columns
        A row for each network on each machine that was tried: the machine, cycles, frames per second, and why there is no run.
    """

    machine: MachineSize | None
    reasons: list[str]
    runs: Table

    def __str__(self) -> str:
        return "\n".join([str(self.machine) if self.machine else "no machine of these is fast enough", *(f"- {line}" for line in self.reasons)])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def size(
    models: Network | str | os.PathLike[str] | Sequence[Network | str | os.PathLike[str]],
    fps: float,
    *,
    max_sram: Size | None = None,
    configs: Sequence[str | os.PathLike[str]] = CONFIGS,
    srams: Sequence[Size] | None = None,
    bandwidths: Sequence[int] = BANDWIDTHS,
    memory: str = "external",
    set: Mapping[str, object] | None = None,
) -> Sizing:
    """Find the smallest machine on which each network reaches so many frames per second by itself.

    A machine is smaller than another with fewer MACs per cycle; of two with the same array the one with less SRAM is, of two with the
    same SRAM the one with less bandwidth. Arrays are ruled out by their MACs where these do not do; then machines are simulated. More
    SRAM or more bandwidth never makes a network slower, which the tests of the compiler hold, so most machines need no run.

    Parameters
    ----------
    models : Network or path, or several
    fps : float
        Frames per second, above 0.
    max_sram : int or str, optional
        The largest SRAM: 524288, or "512KiB"; 1 MiB when it and `srams` are absent. SRAMs are powers of two of bytes from 16 KiB on, and this
        one.
    configs : sequence of str or path
        Arrays.
    srams : sequence of int or str, optional
        These SRAMs in place of the powers of two; those above `max_sram` are left out.
    bandwidths : sequence of int
        Of the external memory, in bytes per second.
    memory : {"sram", "weights-external", "external"}
        Where weights and feature maps live.
    set : dict, optional
        Other values of the configuration, as for `Network.compile`.

    Returns
    -------
    Sizing

    Raises
    ------
    InputError
        For a network, a size or a key that is none, and for an empty list.
    """
    if isinstance(fps, bool) or not isinstance(fps, Real) or not 0 < fps < math.inf:
        raise InputError(f"fps: found {shown(fps)}, expected a number above 0", found=shown(fps), allowed="a number above 0")
    several = [models] if isinstance(models, (Network, str, os.PathLike)) else models
    sets = sets_of(set)
    for key in sets.keys() & SIZED:
        raise InputError(f"set: found {key!r}, which is what is looked for; expected another key", found=repr(key), allowed="another key")
    sizes = _sram_sizes(max_sram, srams)
    search = _Search(
        [model if isinstance(model, Network) else load(model) for model in _some("models", several)],
        float(fps),
        sizes,
        sorted(whole("bandwidths", one, 1, 10**15) for one in _some("bandwidths", bandwidths)),
        word("memory", memory),
        sets,
    )
    return search.sizing([path("configs", config) for config in _some("configs", configs)])


class _Search:
    def __init__(self, networks: list[Network], fps: float, srams: list[int], bandwidths: list[int], memory: str, sets: dict[str, str]) -> None:
        self._networks = networks
        self._fps = fps
        self._srams = srams
        self._bandwidths = bandwidths
        self._memory = memory
        self._sets = sets
        self._rows: list[dict[str, object]] = []
        self._found: dict[MachineSize, str] = {}  # why it does not do; empty: it does
        self._macs: dict[str, int] = {}  # of networks that have run once

    def sizing(self, configs: list[str]) -> Sizing:
        reasons: list[str] = []
        values = {config: dict(_vernier.config_values(config, self._memory, self._sets)) for config in configs}
        for sram in self._srams:  # one that no machine has is a mistake
            _vernier.config_values(configs[0], self._memory, {**self._sets, "sram_bytes": str(sram)})
        for config in sorted(configs, key=lambda config: int(values[config]["macs_per_cycle"])):
            slow = self._too_few_macs(int(values[config]["macs_per_cycle"]) * int(values[config]["clock_hz"]))
            if not slow:
                slow = self._why_not(MachineSize(config, self._srams[-1], self._bandwidths[-1]))
            if not slow:
                return Sizing(self._least(config, reasons), reasons, table(self._rows))
            reasons.append(f"{config}: {slow}")
        return Sizing(None, reasons, table(self._rows))

    def _least(self, config: str, reasons: list[str]) -> MachineSize:
        """Of the machines with this array, of which the largest does."""
        most = self._bandwidths[-1]
        sram = self._first(self._srams, lambda sram: MachineSize(config, sram, most), reasons)
        bandwidth = self._first(self._bandwidths, lambda bandwidth: MachineSize(config, sram, bandwidth), reasons)
        return MachineSize(config, sram, bandwidth)

    def _first(self, sizes: list[int], machine: Callable[[int], MachineSize], reasons: list[str]) -> int:
        """The first that does, of which the last does."""
        too_small, enough = -1, len(sizes) - 1
        while too_small + 1 < enough:
            middle = (too_small + enough) // 2
            if self._why_not(machine(sizes[middle])):
                too_small = middle
            else:
                enough = middle
        if too_small >= 0:
            smaller = machine(sizes[too_small])
            reasons.append(f"{smaller}: {self._why_not(smaller)}")
        return sizes[enough]

    def _too_few_macs(self, macs_per_second: int) -> str:
        """Why such an array does not do, whatever its memories are. Of a network that has not run, its MACs are not known."""
        for file, macs in self._macs.items():
            if macs * self._fps > macs_per_second:
                return f"{file} has {macs:,} MACs, which {macs_per_second:,} of them in a second do {macs_per_second / macs:,.1f} times"
        return ""

    def _why_not(self, machine: MachineSize) -> str:
        if machine not in self._found:
            self._found[machine] = next(filter(None, (self._slow(machine, network) for network in self._networks)), "")
        return self._found[machine]

    def _slow(self, machine: MachineSize, network: Network) -> str:
        """Why the network is not fast enough on the machine; empty: it is."""
        row: dict[str, object] = {"model": network.file, **vars(machine), "cycles": 0, "fps": 0.0, "error": ""}
        self._rows.append(row)
        sets = {**self._sets, "external_bytes_per_second": machine.external_bytes_per_second}
        try:
            totals = network.compile(machine.config, memory=self._memory, sram_bytes=machine.sram_bytes, set=sets).totals()
        except InputError as error:
            if " of SRAM" not in error.message:  # it is not that the machine is too small
                raise
            row["error"] = error.message
            return error.message
        self._macs[network.file] = totals["macs"]
        row.update(cycles=totals["cycles"], fps=totals["frames_per_second"])
        fast = totals["frames_per_second"]
        return "" if fast >= self._fps else f"{network.file} runs at {fast:,.1f} frames per second of {self._fps:,.1f}"


def _some(name: str, values: Sequence[T]) -> Sequence[T]:
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
        raise InputError(f"{name}: found {shown(values)}, expected a list", found=shown(values), allowed="a list")
    if not values:
        raise InputError(f"{name}: found none, expected one or more", found="none", allowed="one or more")
    return values


def _bytes(name: str, given: Size) -> int:
    return _vernier.parse_bytes(name, bytes_text(name, given))


def _sram_sizes(max_sram: Size | None, srams: Sequence[Size] | None) -> list[int]:
    """From small to large."""
    if srams is None:
        return _powers(_bytes("max_sram", "1MiB" if max_sram is None else max_sram))
    given = sorted(_bytes("srams", one) for one in _some("srams", srams))
    if max_sram is None:
        return given
    most = _bytes("max_sram", max_sram)
    if most < given[0]:
        raise InputError(f"srams: found none up to {most} bytes, which max_sram is, expected one or more", found="none", allowed="one or more")
    return [one for one in given if one <= most]


def _powers(most: int) -> list[int]:
    """Powers of two up to a size, and the size."""
    sizes = [LEAST_SRAM_BYTES]
    while 2 * sizes[-1] < most:
        sizes.append(2 * sizes[-1])
    return [one for one in sizes if one < most] + [most]
