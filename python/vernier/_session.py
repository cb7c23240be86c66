# SPDX-License-Identifier: Apache-2.0
"""A job that goes on as far as it is told, with a look into the machine."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType

from vernier import _vernier
from vernier._arrays import Array
from vernier._errors import InputError, MachineError, about, whole
from vernier._libraries import turn
from vernier._run import layer_name


@dataclass(frozen=True)
class Queue:
    """Commands of one queue of the machine, by their numbers in `Run.commands`.

    Attributes
    ----------
    running : int or None
        The command that its unit works at.
    waiting : tuple of int
        Commands that have been dispatched and have not started, in order.
    """

    running: int | None
    waiting: tuple[int, ...]


class Session:
    """A job in the middle; `Program.start` makes it. It is closed by `close`, or at the end of a ``with`` block.

    Cycles are those of `Run.commands`, from 0 on. At a cycle everything of it and before has happened: what a command that ends in it
    writes is in memory. The same cycle shows the same, however the session came to it.
    """

    def __init__(self, session: _vernier.Session, file: str) -> None:
        failure = session.failure()
        if failure:
            raise MachineError(failure)
        self._open: _vernier.Session | None = session
        self._file = file

    @property
    def cycle(self) -> int:
        """The cycle that has just passed."""
        return self._session.cycle()

    @property
    def cycles(self) -> int:
        """Cycles of the whole job."""
        return self._session.cycles()

    @property
    def has_ended(self) -> bool:
        """Whether the job is over."""
        return self.cycle >= self.cycles

    def run_to(self, *, cycle: int | None = None, command: int | None = None, layer: str | None = None) -> int:
        """Go on to one of three places; to the end of the job without any.

        Parameters
        ----------
        cycle : int, optional
            This cycle, from the present one to `cycles`.
        command : int, optional
            The cycle in which this command ends.
        layer : str, optional
            The cycle in which the first command of the layer starts. Its name, shortened name or number.

        Returns
        -------
        int
            The cycle that has been reached.

        Raises
        ------
        InputError
            For a place that is over (`restore` goes back), or that there is not.
        """
        session = self._session
        given = [name for name, value in (("cycle", cycle), ("command", command), ("layer", layer)) if value is not None]
        if len(given) > 1:
            raise InputError(f"run_to: found {' and '.join(given)}, expected one of them", found=", ".join(given), allowed="one")
        with about(self._file), turn:
            if command is not None:
                session.run_to_command(whole("command", command, 0, session.num_commands() - 1))
            elif layer is not None:
                session.run_to_layer(layer_name(layer))
            else:
                session.run_to_cycle(session.cycles() if cycle is None else whole("cycle", cycle, 0, session.cycles()))
        return session.cycle()

    def step(self) -> int | None:
        """Go on until the next command ends.

        Returns
        -------
        int or None
            The number of the command, the lowest where several end in that cycle. None: all have ended.
        """
        with turn:
            return self._session.step()

    def restore(self, cycle: int) -> None:
        """Begin the job anew and run it to that cycle, which may be before the present one: every job is the same.

        Parameters
        ----------
        cycle : int
            From 0 to `cycles`.
        """
        session = self._session
        with turn:
            session.restore(whole("cycle", cycle, 0, session.cycles()))

    def sram(self, offset: int = 0, size: int | None = None) -> Array:
        """Bytes of the SRAM as they are now; those that nobody has written are 0.

        Parameters
        ----------
        offset : int
            The first byte, in what the program has of the SRAM.
        size : int, optional
            Bytes; to the end of it when absent.

        Returns
        -------
        numpy array
            uint8 [size].

        Raises
        ------
        InputError
            For bytes outside of what the program has.
        """
        return self._read(False, offset, size)

    def external(self, offset: int = 0, size: int | None = None) -> Array:
        """Bytes of the external memory, as `sram` has them of the SRAM."""
        return self._read(True, offset, size)

    def accumulators(self) -> Array:
        """The sums of the command that is on the MAC array, as they are after its last product: int64 [rows, columns, channels]. What
        they are in the middle of the command is not modelled.

        Raises
        ------
        InputError
            For a cycle in which the array has no command.
        """
        with turn:
            return self._session.accumulators()

    @property
    def registers(self) -> dict[str, int]:
        """The NPU's registers as the host reads them, by the names of docs/reference/machine.md."""
        with turn:
            return dict(self._session.registers())

    @property
    def queues(self) -> dict[str, Queue]:
        """What each of the machine's queues holds: "dma0", "dma1", "mac" and "vec"."""
        return {name: Queue(running, tuple(waiting)) for name, running, waiting in self._session.queues()}

    @property
    def outputs(self) -> dict[str, Array]:
        """The outputs by name, as `Run.outputs` has them, of a job that has ended.

        Raises
        ------
        InputError
            For a job that has not.
        """
        return dict(self._session.outputs())

    def close(self) -> None:
        """Let the machine go. Other calls are refused from then on."""
        with turn:
            self._open = None

    def __del__(self) -> None:
        if getattr(self, "_open", None) is not None:
            self.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def _session(self) -> _vernier.Session:
        if self._open is None:
            raise InputError("session: found one that is closed, expected an open one", found="closed", allowed="open")
        return self._open

    def _read(self, is_external: bool, offset: int, size: int | None) -> Array:
        session = self._session
        most = session.memory_bytes(is_external)
        offset = whole("offset", offset, 0, most)
        rest = most - offset
        return session.read(is_external, offset, rest if size is None else whole("size", size, 0, rest))

    def __repr__(self) -> str:
        return "<vernier.Session, closed>" if self._open is None else f"<vernier.Session in cycle {self.cycle} of {self.cycles}>"
