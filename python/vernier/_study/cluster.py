# SPDX-License-Identifier: Apache-2.0
"""The way to Dask: a client of its scheduler, and batches of points that go to it. Needs `distributed`."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from typing import Any

from distributed import Client, KilledWorker, LocalCluster, as_completed
from distributed.comm import connect

from vernier._errors import InputError
from vernier._study.points import Plan, Point
from vernier._study.results import Ended
from vernier._study.worker import POINTS_PER_PROCESS, Store, died, run_batch

FIRST_BATCH_POINTS, MOST_BATCH_POINTS = 4, 1000
# A worker has its next batch when it ends one.
BATCHES_PER_WORKER = 2
# A batch takes a second, and longer on many workers, so that the scheduler has no more than so many to place in a second.
BATCHES_PER_SECOND = 100
WORKERS_ASKED_SECONDS = 5.0


@contextmanager
def connected(scheduler: str | None, workers: int | None, timeout_seconds: float) -> Iterator[Client]:
    """A client of the scheduler at an address, or of a cluster of processes on this computer, which ends with it.

    Raises
    ------
    InputError
        For an address where no scheduler answers, and a scheduler without workers.
    """
    if scheduler is None:
        try:
            # Any free port, and of this computer alone: without an address the page of Dask takes port 8787 of all networks.
            cluster = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL)
        except RuntimeError as error:
            raise InputError(f"the workers did not start: {_line(error).rstrip('.')}; a script that runs a study does so under "
                             "'if __name__ == \"__main__\":', since each worker imports the script") from error
        with cluster, Client(cluster) as client:
            yield client
        return
    allowed = "the address of a running Dask scheduler, as tcp://host:8786"
    try:
        with ThreadPoolExecutor(1) as thread:  # a notebook has a loop of its own in this one
            thread.submit(asyncio.run, asyncio.wait_for(_called(scheduler), timeout_seconds)).result()
    except (OSError, ValueError, TypeError, ImportError, RuntimeError) as error:
        raise InputError(f"scheduler {scheduler}: no answer within {timeout_seconds:g} s; expected {allowed}", found=scheduler,
                         allowed=allowed) from error
    try:
        found = Client(scheduler, timeout=timeout_seconds, set_as_default=False)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        raise InputError(f"scheduler {scheduler}: what answers there is none: {_line(error)}; expected {allowed}", found=scheduler,
                         allowed=allowed) from error
    with found as client:
        try:
            client.wait_for_workers(1, timeout=timeout_seconds)
        except TimeoutError as error:
            raise InputError(f"scheduler {scheduler}: found no worker within {timeout_seconds:g} s, expected one or more",
                             found="no worker", allowed="one or more") from error
        yield client


async def _called(address: str) -> None:
    """Look first whether anything answers, since a client that never had an answer takes long to end. Dask's own time-out is not used:
    it waits for ever for a server that takes the connection and says nothing."""
    comm = await connect(address)
    await comm.close()


def worked_off(client: Client, name: str, plan: Plan, points: Iterator[Point], total: int) -> Iterator[list[Ended]]:
    """Send the points to the workers, and give what ended as it ends; Dask decides where each batch runs.

    A worker that dies costs its batch, which Dask runs again. A point whose worker dies each time becomes a row with an error.
    """
    try:
        client.register_plugin(Store(name, plan, POINTS_PER_PROCESS), name=name)
    except Exception as error:
        raise InputError(f"the workers did not take the study: {_line(error)}; each needs the package vernier {plan.version}") from error
    try:
        yield from _Batches(client, name, points, total).ended()
    finally:
        if client.status == "running":
            client.unregister_worker_plugin(name)


class _Batches:
    def __init__(self, client: Client, store: str, points: Iterator[Point], total: int) -> None:
        self._client, self._store = client, store
        self._fresh, self._left = points, total
        self._again, self._suspects = deque[Point](), deque[Point]()
        self._suspect: list[Point] | None = None
        self._size = FIRST_BATCH_POINTS
        self._running: dict[Any, list[Point]] = {}
        self._futures = as_completed(with_results=True, raise_errors=False, loop=client.loop)
        self._slots, self._asked_at = 0, -math.inf

    def ended(self) -> Iterator[list[Ended]]:
        self._send()
        while self._running:
            rows: list[Ended] = []
            for future, result in self._futures.next_batch():
                rows += self._taken(self._running.pop(future), result)
            self._left -= len(rows)
            self._send()
            yield rows

    def _send(self) -> None:
        if time.monotonic() - self._asked_at > WORKERS_ASKED_SECONDS and self._client.status == "running":
            self._slots = max(1, sum(self._client.nthreads().values()))
            self._asked_at = time.monotonic()
        seconds = max(1.0, self._slots / BATCHES_PER_SECOND)
        while len(self._running) < BATCHES_PER_WORKER * self._slots and (batch := self._next()):
            future = self._client.submit(run_batch, self._store, batch, seconds, pure=False)
            self._running[future] = batch
            self._futures.add(future)

    def _next(self) -> list[Point]:
        """Points that came back go first. Towards the end batches get small, so that all workers end together. Of the points whose
        worker died one runs at a time: Dask takes all that wait on a worker for the cause of its end."""
        if self._suspects and self._suspect is None:
            self._suspect = [self._suspects.popleft()]
            return self._suspect
        share = math.ceil(self._left / (2 * BATCHES_PER_WORKER * self._slots))
        size = max(1, min(self._size, share))
        again = [self._again.popleft() for _ in range(min(size, len(self._again)))]
        return again + list(islice(self._fresh, size - len(again)))

    def _taken(self, batch: list[Point], result: Any) -> list[Ended]:
        """The rows of a batch; points without one are sent again. The state of the future says nothing here: a worker that ended
        meanwhile has made it pending again, and its rows have come."""
        was_suspect = batch is self._suspect
        if was_suspect:
            self._suspect = None
        if isinstance(result, list):
            self._size = self._size if was_suspect else min(2 * len(result), MOST_BATCH_POINTS)
            self._again.extend(batch[len(result) :])
            return result
        error = result[1] if isinstance(result, tuple) else result
        if isinstance(error, KilledWorker):
            if was_suspect:
                return [died(batch[0])]
            self._suspects.extend(batch)
            return []
        if isinstance(error, InputError):
            raise error
        if isinstance(error, CancelledError):
            raise InputError("the connection to the scheduler was lost; what ended is kept, and the study goes on when it is run again") from error
        raise InputError(f"a worker cannot run points: {_line(error)}; each worker needs the package vernier") from error


def _line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
