# SPDX-License-Identifier: Apache-2.0
"""A golden model for test benches: a simulated machine that goes on command by command, and the arithmetic of its units.

>>> from vernier import golden
>>> with golden.Machine("v256") as machine:
...     network = machine.load("kws.vnpu")
...     job = network.submit({"picture": x})
...     while (cycle := machine.step_command()) is not None:
...         network.read("sram", 0, 64)
...     job.outputs, job.cycles

`Machine` is over libvernier.so, `rescale` and `look_up` are over libvernier_ref.so: bit for bit what `vernier run` computes. Their folder is
the argument `libraries`, the environment's VERNIER_LIB, or else the folder of this package. A caller's mistake is an `InputError`, a
simulated machine that stops is a `MachineError`.
"""

from __future__ import annotations

import ctypes
import os
import weakref
from collections.abc import Mapping
from ctypes import byref
from dataclasses import dataclass
from typing import Any

import numpy as np

from vernier import _libraries
from vernier._arrays import Array
from vernier._errors import InputError, MachineError, chosen, shown, whole
from vernier._network import End
from vernier._units import ROUNDINGS, TYPES, look_up, rescale

__all__ = ["ROUNDINGS", "TYPES", "Command", "Job", "Machine", "Resident", "look_up", "rescale"]

MEMORIES = {"sram": 0, "external": 1}
CONTROLS = {"direct": 0, "cpu": 1}
DTYPES = {"bool": "bool", "int4": "int8", "int8": "int8", "int16": "int16", "int32": "int32", "int48": "int64"}
BITS = {"int4": 4, "int48": 48}  # where the array could hold more
OUTCOMES = ("pending", "done", "fault", "watchdog", "refused", "cancelled", "timed out", "limit reached")
INPUT, OUTPUT = 0, 1
WAIT_CYCLES = 10_000_000  # of one call, after which Ctrl-C is seen: below a second
MOST_CYCLES = 2**48
_ENDED, _FAILED, _INTERNAL = -8, -9, -100


@dataclass(frozen=True)
class Command:
    """A command that has ended.

    Attributes
    ----------
    job : int
        `Job.number` of its job.
    index : int
        In the stream of commands, as in `Run.commands` of the same program.
    queue : str
        "dma0", "dma1", "mac" or "vec"; empty for the one that ends the stream, which waits for none.
    layer : str
        That it works for, cut after 127 bytes; empty where it is none's, or the job is forgotten.
    start_cycle, end_cycle : int
        Cycles of the job.
    """

    job: int
    index: int
    queue: str
    layer: str
    start_cycle: int
    end_cycle: int


class Machine:
    """A machine that is on from `Machine(...)` to `close`, and holds its state. Time passes in `step_command`, `step` and `Job.wait` only.

    Parameters
    ----------
    config : str or path
        A machine ("v64", "v256", "v1024") or a TOML file.
    control : {"direct", "cpu"}
        Who starts jobs: the library, or the firmware of the control CPU, which networks with control flow need.
    libraries : path, optional
        Folder of libvernier.so.

    Raises
    ------
    InputError
        For a machine or a control that is none, and a library that is missing or of another version.
    """

    def __init__(
        self,
        config: str | os.PathLike[str] = "v256",
        *,
        control: str = "direct",
        libraries: str | os.PathLike[str] | None = None,
    ) -> None:
        self._library = _libraries.host(libraries)
        options = _libraries.Options(_libraries.checked_text("config", config), chosen("control", control, CONTROLS), None, None, None)
        handle = ctypes.c_void_p()
        self._call("open", byref(options), byref(handle))
        self._handle = handle
        self._closer = weakref.finalize(self, _close, self._library, handle)

    def load(self, package: str | os.PathLike[str] | bytes) -> Resident:
        """Put a compiled network into the machine's memories, in regions of its own.

        Parameters
        ----------
        package : path or bytes
            A file that `vernier compile` has written (.vnpu), or what is in it.

        Raises
        ------
        InputError
            For a file that cannot be read or is no package, a package for another machine, and one that finds no room.
        """
        number = ctypes.c_int32()
        if isinstance(package, bytes):
            self._of("load_bytes", package, len(package), byref(number))
        else:
            self._of("load", _libraries.checked_text("package", package), byref(number))
        return Resident(self, number.value)

    @property
    def cycles(self) -> int:
        """Cycles since the machine was switched on."""
        cycles = ctypes.c_int64()
        self._of("cycles", byref(cycles))
        return cycles.value

    def step_command(self) -> int | None:
        """Let time pass until a command ends.

        Returns
        -------
        int or None
            The machine's cycle in which it ended; None when nothing runs and no job waits. `stepped` says which command it was.

        Raises
        ------
        MachineError
            Where the machine can run nothing more.
        """
        return None if self._of("step_command", allowed=_ENDED) == _ENDED else self.cycles

    @property
    def stepped(self) -> list[Command]:
        """The commands that ended in the last `step_command`: one, or several of the same cycle."""
        with _libraries.turn:
            count, ended, commands = ctypes.c_int32(), _libraries.Command(), []
            self._of("num_stepped", byref(count))
            for i in range(count.value):
                self._of("stepped", i, byref(ended))
                layer = ended.layer.decode("utf-8", "backslashreplace")
                commands.append(Command(ended.job, ended.command, ended.queue.decode("ascii"), layer, ended.start_cycle, ended.end_cycle))
        return commands

    def step(self, cycles: int) -> None:
        """Let so many cycles pass, 0 to 2^48."""
        cycles = whole("cycles", cycles, 0, MOST_CYCLES)
        end = self.cycles + cycles
        while (rest := end - self.cycles) > 0:
            self._of("step", min(rest, WAIT_CYCLES))

    def close(self) -> None:
        """Switch the machine off; networks and jobs are gone with it. A machine that is off may be closed again."""
        self._closer()

    @property
    def closed(self) -> bool:
        """Whether the machine is off: every other call is an `InputError` then."""
        return not self._closer.alive

    def __enter__(self) -> Machine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _of(self, name: str, *arguments: Any, allowed: int = 0) -> int:
        """A function of the library about this machine; results below zero but `allowed` are raised."""
        with _libraries.turn:
            if self.closed:
                raise InputError("the machine is closed")
            return self._call(name, self._handle, *arguments, allowed=allowed)

    def _call(self, name: str, *arguments: Any, allowed: int = 0) -> int:
        with _libraries.turn:
            result: int = getattr(self._library, f"vernier_{name}")(*arguments)
            if result >= 0 or result == allowed:
                return result
            message = _libraries.message(self._library)
        if result == _FAILED:
            raise MachineError([message])
        if result == _INTERNAL:
            raise RuntimeError(f"vernier_{name}: {message}")
        raise InputError(message)


class Resident:
    """A network that lies in a machine's memories; `Machine.load` makes it.

    Attributes
    ----------
    inputs, outputs : list of End
        As the package has them: integers, in the machine's order of dimensions.
    memory_bytes : dict
        Size of the network's region in each memory, "sram" and "external".
    """

    def __init__(self, machine: Machine, number: int) -> None:
        self.machine = machine
        self._number = number
        self._types: dict[str, str] = {}
        self.inputs = self._ends(INPUT)
        self.outputs = self._ends(OUTPUT)
        place = _libraries.Place()
        machine._of("network_place", number, byref(place))
        self.memory_bytes: dict[str, int] = {"sram": place.sram_bytes, "external": place.external_bytes}

    def submit(self, inputs: Mapping[str, Array]) -> Job:
        """Hand over a job, which begins when time passes. Jobs run in the order in which they were submitted.

        Parameters
        ----------
        inputs : dict of numpy arrays
            One for each of `inputs`, by name, of its type and shape; they are copied.

        Raises
        ------
        InputError
            For a name that is no input, an input that is missing, and an array of another type or shape.
        """
        names = [end.name for end in self.inputs]
        if not isinstance(inputs, Mapping) or set(inputs) != set(names):
            found = ", ".join(map(shown, inputs)) if isinstance(inputs, Mapping) else type(inputs).__name__
            allowed = ", ".join(map(repr, names))
            raise InputError(f"inputs: found {found or 'none'}, expected a dict of arrays with {allowed}", found=found, allowed=allowed)
        held = [self._plain(end, inputs[end.name]) for end in self.inputs]
        buffers = (_libraries.Buffer * len(held))(*(_libraries.Buffer(array.ctypes.data, array.nbytes) for array in held))
        request = _libraries.Request(buffers, len(held), 0, 0, 0, 0)
        number = ctypes.c_int32()
        self.machine._of("submit", self._number, byref(request), byref(number))
        return Job(self, number.value)

    def read(self, memory: str, offset_bytes: int, num_bytes: int) -> Array:
        """Bytes of the network's region as they are now.

        Parameters
        ----------
        memory : {"sram", "external"}
        offset_bytes : int
            From the start of the region, as `vernier disasm` prints addresses.
        num_bytes : int

        Returns
        -------
        uint8 array
            Of `num_bytes` elements. Bytes that nobody has written are 0.

        Raises
        ------
        InputError
            For a memory that is not there, and bytes outside of the region.
        """
        number = chosen("memory", memory, MEMORIES)
        size = self.memory_bytes[memory]
        offset_bytes = whole("offset_bytes", offset_bytes, 0, size)
        num_bytes = whole("num_bytes", num_bytes, 0, size - offset_bytes)
        data = np.zeros(num_bytes, np.uint8)
        self.machine._of("read", self._number, number, offset_bytes, data.ctypes.data, num_bytes)
        return data

    def unload(self) -> None:
        """Take the network out of the machine, which has room for another one then. An `InputError` while it has jobs."""
        self.machine._of("unload", self._number)

    def _ends(self, direction: int) -> list[End]:
        count, tensor, ends = ctypes.c_int32(), _libraries.Tensor(), []
        self.machine._of("num_tensors", self._number, direction, byref(count))
        for i in range(count.value):
            self.machine._of("tensor_info", self._number, direction, i, byref(tensor))
            name, kind = tensor.name.decode("utf-8", "backslashreplace"), tensor.type.decode("ascii")
            self._types[name] = kind
            ends.append(End(name, DTYPES[kind], tuple(tensor.shape[: tensor.rank])))
        return ends

    def _plain(self, end: End, array: Array) -> Array:
        found = f"{array.dtype} {list(array.shape)}" if isinstance(array, np.ndarray) else type(array).__name__
        allowed = f"{end.dtypes} {list(end.shape)}"
        if not isinstance(array, np.ndarray) or array.dtype.name != end.dtypes or array.shape != end.shape:
            raise InputError(f"input {end.name!r}: found {found}, expected {allowed}", found=found, allowed=allowed)
        bits = BITS.get(self._types[end.name])
        if bits and array.size and not -(2 ** (bits - 1)) <= int(array.min()) <= int(array.max()) < 2 ** (bits - 1):
            raise InputError(f"input {end.name!r}: found {array.min()} to {array.max()}, expected numbers of {bits} bits")
        return np.ascontiguousarray(array, array.dtype.newbyteorder("<"))


class Job:
    """A run of a network in a machine; `Resident.submit` makes it.

    Attributes
    ----------
    number : int
        Of the jobs of its machine, from 1 on.
    """

    def __init__(self, network: Resident, number: int) -> None:
        self.network = network
        self.number = number

    @property
    def outcome(self) -> str:
        """"pending" until the job has ended, "done" after it went well; else why it ended."""
        return OUTCOMES[self._info().outcome]

    @property
    def start_cycle(self) -> int:
        """The machine's cycle in which its commands began; -1 before that."""
        return int(self._info().start_cycle)

    @property
    def cycles(self) -> int:
        """From the start to the end of its commands: `Run.totals["cycles"]` of the same program. An `InputError` before the end."""
        info = self._done()
        return int(info.end_cycle - info.start_cycle)

    @property
    def outputs(self) -> dict[str, Array]:
        """Arrays by name, of the types and shapes in `Resident.outputs`.

        Raises
        ------
        InputError
            Before the job has ended.
        MachineError
            Where it ended with a fault, or hangs.
        """
        self._done()
        arrays = {}
        for i, end in enumerate(self.network.outputs):
            array = np.zeros(end.shape, np.dtype(end.dtypes).newbyteorder("<"))
            self.network.machine._of("output", self.number, i, array.ctypes.data, array.nbytes)
            arrays[end.name] = array.astype(end.dtypes, copy=False)
        return arrays

    def wait(self) -> None:
        """Let time pass until the job has ended."""
        while self.network.machine._of("wait", self.number, WAIT_CYCLES) != 0:
            pass

    def release(self) -> None:
        """Forget the job and its outputs, where thousands of jobs run on one machine. An `InputError` before it has ended."""
        self.network.machine._of("release", self.number)

    def _info(self) -> _libraries.JobInfo:
        info = _libraries.JobInfo()
        self.network.machine._of("job_info", self.number, byref(info))
        return info

    def _done(self) -> _libraries.JobInfo:
        info = self._info()
        outcome = OUTCOMES[info.outcome]
        if outcome == "pending":
            raise InputError("the job has not ended; Job.wait lets time pass until then", found=outcome, allowed="done")
        if outcome in ("fault", "watchdog"):
            fault = _libraries.Fault()
            self.network.machine._of("job_fault", self.number, byref(fault))
            name, layer, text = (field.decode("utf-8", "backslashreplace") for field in (fault.code_name, fault.layer, fault.text))
            where = f" in command {fault.command} of layer {layer!r}" if fault.command >= 0 else ""
            raise MachineError([f"{name}{where}: {text}"])
        if outcome != "done":
            raise MachineError([f"the job was ended: {outcome}"])
        return info


def _close(library: ctypes.CDLL, handle: ctypes.c_void_p) -> None:
    with _libraries.turn:
        library.vernier_close(handle)
