# SPDX-License-Identifier: Apache-2.0
"""From a file to a program that runs on a machine."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from vernier import _vernier
from vernier._arrays import Array, checked, plain
from vernier._errors import InputError, about, by_name, flag, path, shown, whole, word
from vernier._libraries import turn
from vernier._run import Run
from vernier._session import Session

Size = int | str


@dataclass(frozen=True)
class End:
    """An input or an output of a network.

    Attributes
    ----------
    name : str
    dtypes : str
        numpy's type; of an input of floats also what may be given in their place: "float32 or int8".
    shape : tuple of int
        As the network's own file has it.
    """

    name: str
    dtypes: str
    shape: tuple[int, ...]


def load(
    file: str | os.PathLike[str],
    *,
    level: str = "8k",
    batch: int | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    encodings: str | os.PathLike[str] | None = None,
    signature: str | None = None,
    tflite_rounding: str | None = None,
) -> Network:
    """Read and verify a network.

    Parameters
    ----------
    file : path
        A network (.tosa, .onnx, .tflite, .mlir) or a compiled package (.vnpu). What is in the file decides, not its name.
    level : {"8k", "none"}
        The level of TOSA whose limits hold.
    batch : int, optional
        First dimension of inputs where the network leaves it open; 1 when absent.
    shapes : dict of sequences of int, optional
        Shapes of inputs that leave other dimensions open, by name.
    encodings : path, optional
        Encodings of AIMET, which quantize a float ONNX network.
    signature : str, optional
        Which one of a .tflite; its inputs and outputs have its names.
    tflite_rounding : {"litert-ref", "litert-ref-int", "xnnpack"}, optional
        Whose arithmetic a .tflite has; "litert-ref" when absent.

    Returns
    -------
    Network

    Raises
    ------
    InputError
        For a file that cannot be read, that is damaged, or whose operators no integer machine has; each with its place.
    """
    name = path("file", file)
    if batch is not None:
        batch = whole("batch", batch, 1, 2**31 - 1)
    words: list[str] = [] if word("level", level) == "8k" else ["--level", level]
    words += [] if batch is None else ["--batch", str(batch)]
    listed = {key: sizes_of(key, shape) for key, shape in by_name("shapes", shapes, "sequences of int").items()}
    for key, sizes in listed.items():
        words += ["--shape", f"{key}={'x'.join(map(str, sizes))}"]
    encodings_name = None if encodings is None else path("encodings", encodings)
    for option, value in (("--encodings", encodings_name), ("--signature", signature), ("--tflite-rounding", tflite_rounding)):
        words += [] if value is None else [option, word(option[2:].replace("-", "_"), value)]
    with about(name):
        return Network(name, _vernier.load(name, level, batch, listed, encodings_name, signature, tflite_rounding), words)


class Network:
    """A network that has been read; `load` makes it. It does not look at its file again."""

    def __init__(self, file: str, network: _vernier.Network, words: list[str]) -> None:
        self.file = file
        self._network = network
        self._words = words

    @property
    def inputs(self) -> list[End]:
        """The inputs that a run is given, in the network's order."""
        return [End(name, dtypes, tuple(shape)) for name, dtypes, shape in self._network.inputs()]

    @property
    def outputs(self) -> list[End]:
        """The outputs, in the network's order."""
        return [End(name, dtypes, tuple(shape)) for name, dtypes, shape in self._network.outputs()]

    @property
    def notes(self) -> list[str]:
        """What was taken for granted while the file was read."""
        return self._network.notes()

    def compile(
        self,
        config: str | os.PathLike[str] | None = None,
        *,
        memory: str | None = None,
        sram_bytes: Size | None = None,
        optimize: int | None = None,
        set: Mapping[str, object] | None = None,
    ) -> Program:
        """Compile the network for a machine. A compiled package (.vnpu) stays what it is, and takes no other machine.

        Parameters
        ----------
        config : str or path, optional
            A machine ("v64", "v256", "v1024") or a TOML file; "v256" when absent.
        memory : {"sram", "weights-external", "external"}, optional
            Where weights and feature maps live; the machine's own mode when absent, or the next one that has room.
        sram_bytes : int or str, optional
            Size of the SRAM in bytes: 262144, or "256KiB".
        optimize : {0, 1}, optional
            0 runs one operator after the other; 1 fuses and overlaps, and is what absent means.
        set : dict, optional
            Values of the configuration by key, as ``{"clock_hz": 500_000_000}``.

        Returns
        -------
        Program

        Raises
        ------
        InputError
            For an option that has no such value, and a network that does not fit the machine.
        """
        name = None if config is None else path("config", config)
        size = None if sram_bytes is None else bytes_text("sram_bytes", sram_bytes)
        sets = sets_of(set)
        if memory is not None:
            word("memory", memory)
        if optimize is not None:
            optimize = whole("optimize", optimize, 0, 1)
        words = list(self._words)
        for option, value in (("--config", name), ("--memory", memory), ("--sram-bytes", size), ("--optimize", optimize)):
            words += [] if value is None else [option, str(value)]
        for key, text in sets.items():
            words += ["--set", f"{key}={text}"]
        with about(self.file):
            return Program(self, self._network.compile(name, memory, size, optimize, sets), words)

    def __repr__(self) -> str:
        return f"<vernier.Network {self.file!r}: {len(self.inputs)} inputs, {len(self.outputs)} outputs>"


class Program:
    """A network that is compiled for a machine; `Network.compile` makes it. It runs any number of times.

    Runs in several threads take turns: one simulation works at a time in a process. Other threads of Python go on meanwhile, and
    Ctrl-C ends a run.
    """

    def __init__(self, network: Network, program: _vernier.Program, words: list[str]) -> None:
        self.network = network
        self._program = program
        self._words = words

    def run(
        self,
        inputs: Mapping[str, Array] | None = None,
        *,
        check: bool = True,
        check_all: bool = False,
        seed: int = 1,
        iterations: int = 1,
        carry: Mapping[str, str] | None = None,
        variables: Mapping[str, Array] | None = None,
        control: str | None = None,
        inject: str | None = None,
        rerun: bool = False,
    ) -> Run:
        """Simulate the program, values included.

        Parameters
        ----------
        inputs : dict of numpy arrays, optional
            By name, with the types and shapes that `Network.inputs` lists. Each is copied once, whatever its byte order and its
            order of elements. Without any, each input is drawn from `seed`.
        check : bool
            Compare each element of the outputs with the reference.
        check_all : bool
            Compare each tensor that the program makes, not only outputs.
        seed : int
            Of inputs that are drawn; not negative.
        iterations : int
            Jobs to run one after the other, 1 to 1,000,000. Values are those of the last.
        carry : dict, optional
            Inputs by output: ``{"state_out": "state_in"}`` makes an output this input of the next iteration.
        variables : dict of numpy arrays, optional
            Values of variables before the first iteration, by name; what the network says, or 0, for others. `Run.variables` has what is
            left of them.
        control : {"direct", "cpu"}, optional
            "cpu": the firmware of the control CPU starts the NPU, and the report has its cycles as well. A network with control flow takes it by
            itself.
        inject : str, optional
            One fault, ``"UNIT:KIND@CYCLE"``, as `vernier run --inject` takes it; each tensor is compared then.
        rerun : bool
            Run once more around the first difference where there is one: its operands come into the report, and a wave of the cycles around it
            into the working folder. The program does so unless it is told `--no-rerun`.

        Returns
        -------
        Run
            Also where values differ from the reference: `Run.check` has the first difference.

        Raises
        ------
        InputError
            For arrays and names that do not fit, with what was found and what is allowed.
        MachineError
            Where the simulated machine stops or hangs.
        KeyboardInterrupt
            After Ctrl-C, when the phase of the work that it is in looks for it. A simulation does so some times a second.
        """
        seed = whole("seed", seed, 0, 2**64 - 1)
        iterations = whole("iterations", iterations, 1, 10**6)
        words = [] if (check := flag("check", check)) else ["--no-check"]
        words += ["--check-all"] if (check_all := flag("check_all", check_all)) else []
        words += [] if seed == 1 else ["--seed", str(seed)]
        words += [] if iterations == 1 else ["--iterations", str(iterations)]
        carries = [f"{output}={word('carry', to)}" for output, to in by_name("carry", carry, "inputs").items()]
        for one in carries:
            words += ["--carry", one]
        words += [] if (rerun := flag("rerun", rerun)) or inject is None else ["--no-rerun"]
        for option, value in (("--control", control), ("--inject", inject)):
            words += [] if value is None else [option, word(option[2:], value)]
        arrays = checked(inputs, {end.name: end.shape for end in self.network.inputs})
        held = {name: plain(f"variable {name!r}", array) for name, array in by_name("variables", variables, "arrays").items()}
        with about(self.network.file), turn:
            finished = self._program.run(self._command("run", words), arrays, held, check, check_all, seed, iterations, carries, control, inject,
                                         rerun)
            return Run(finished, self.network.file)

    def estimate(self) -> Run:
        """Cycles and bytes of a run, exactly, without computing values: the run has no outputs, and its check is skipped.

        Returns
        -------
        Run

        Raises
        ------
        InputError
            For a network whose values decide what runs.
        MachineError
            Where the simulated machine stops or hangs.
        """
        with about(self.network.file), turn:
            return Run(self._program.estimate(self._command("estimate", []), True), self.network.file)

    def totals(self) -> dict[str, Any]:
        """`Run.totals` of an estimate, but for the least external bandwidth that does: sooner, since it takes more simulations.

        Returns
        -------
        dict
            Cycles, seconds, MACs and bytes of the whole run.
        """
        with about(self.network.file), turn:
            return Run(self._program.estimate("", False), self.network.file).totals

    def start(self, inputs: Mapping[str, Array] | None = None, *, seed: int = 1) -> Session:
        """Begin a job that goes on step by step, with a look into the machine.

        Parameters
        ----------
        inputs : dict of numpy arrays, optional
            As for `run`.
        seed : int
            Of inputs that are drawn.

        Returns
        -------
        Session
            In cycle 0. Each session has a machine of its own.

        Raises
        ------
        InputError
            For inputs that do not fit, and a network with control flow.
        MachineError
            Where the simulated machine stops or hangs.
        """
        seed = whole("seed", seed, 0, 2**64 - 1)
        arrays = checked(inputs, {end.name: end.shape for end in self.network.inputs})
        with about(self.network.file), turn:
            return Session(self._program.start(arrays, seed), self.network.file)

    def _command(self, command: str, words: list[str]) -> str:
        """The command of the program that does the same, for the report."""
        return shlex.join(["vernier", command, self.network.file, *self._words, *words])

    def __repr__(self) -> str:
        return f"<vernier.Program {shlex.join([self.network.file, *self._words])}>"


def sizes_of(name: str, shape: Sequence[int]) -> list[int]:
    """A shape, whose sizes are whole numbers from 1 on."""
    if isinstance(shape, (str, bytes)) or not isinstance(shape, Sequence):
        allowed = "a sequence of int"
        raise InputError(f"shapes: found {shown(shape)} for {name!r}, expected {allowed}", found=shown(shape), allowed=allowed)
    return [whole(f"shapes: {name!r}", size, 1, 2**31 - 1) for size in shape]


def bytes_text(name: str, size: Size) -> str:
    """A number of bytes as the command line has it."""
    return word(name, str(size) if isinstance(size, Integral) and not isinstance(size, bool) else size, "a number of bytes, or a text as '64KiB'")  # type: ignore[arg-type]


def sets_of(given: Mapping[str, object] | None) -> dict[str, str]:
    """Values of the configuration as the command line has them."""
    allowed = "a number or a text"
    named = by_name("set", given, "values")
    for key, value in named.items():
        if not isinstance(value, (bool, int, float, str, np.number)):
            raise InputError(f"set: found {shown(value)} for {key!r}, expected {allowed}", found=shown(value), allowed=allowed)
    return {key: word("set", as_text(value)) for key, value in named.items()}


def as_text(value: object) -> str:
    """A value of the configuration as the command line has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
