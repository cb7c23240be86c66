# SPDX-License-Identifier: Apache-2.0
"""The command `vernier-study`: runs a study of a TOML file. Nothing goes to standard output."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
import time
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

from vernier._errors import InputError
from vernier._study.file import study_of_file
from vernier._study.study import Progress

TERMINAL_SECONDS, PIPE_SECONDS = 0.2, 30.0


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"vernier-study: {message}; vernier-study --help lists what there is\n")


class _Lines:
    """One line that is rewritten on a terminal; through a pipe a line now and then."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._shown_at = time.monotonic() if not self._is_terminal else 0.0
        self._width = 0

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._shown_at < (TERMINAL_SECONDS if self._is_terminal else PIPE_SECONDS):
            return
        self._shown_at = now
        self._write(text_of(progress), ends=not self._is_terminal)

    def end(self, text: str) -> None:
        self._write(text, ends=True)

    def _write(self, text: str, ends: bool) -> None:
        padded = text.ljust(self._width)
        self._width = 0 if ends else len(text)
        sys.stderr.write(("\r" if self._is_terminal else "") + (padded.rstrip() if not self._is_terminal else padded) + ("\n" if ends else ""))
        sys.stderr.flush()


def text_of(progress: Progress) -> str:
    """Progress in a line."""
    left = "" if progress.seconds_left is None else f", {_time(progress.seconds_left)} left"
    failed = f", {progress.failed:,} failed" if progress.failed else ""
    return f"{progress.done:,} of {progress.total:,} points{failed}, {progress.points_per_second:.1f} points per second{left}"


def _time(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole} s" if whole < 120 else f"{whole // 60} min" if whole < 7200 else f"{whole / 3600:.1f} h"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and give its exit code: 0 done, 2 wrong input, 3 a value differs, 4 a machine stopped, 70 a bug of Vernier."""
    options = _parser().parse_args(arguments)
    logging.disable(logging.CRITICAL)  # of Dask
    signal.signal(signal.SIGTERM, _stop)
    lines = _Lines()
    try:
        return _run(options, lines)
    except InputError as error:
        lines.end(f"vernier-study: {'; '.join(error.message.splitlines())}")
        return 2
    except KeyboardInterrupt:
        lines.end("vernier-study: stopped; what ended is kept, and the same command goes on")
        return 130


def _run(options: argparse.Namespace, lines: _Lines) -> int:
    study = study_of_file(options.study, options.results)
    study.run(options.scheduler, workers=options.workers, timeout_seconds=options.timeout, retry_failed=options.retry_failed,
              progress=None if options.quiet else lines)
    if options.parquet is not None:
        study.to_parquet(options.parquet)
    counts = study.exit_codes()
    failed = sum(count for code, count in counts.items() if code > 1)
    if not options.quiet:
        lines.end(f"{sum(counts.values()):,} points, {failed:,} of them failed: {study.file}")
    return max((code for code in counts if code > 2), default=0)


def _parser() -> _Parser:
    parser = _Parser(prog="vernier-study", description="Runs the points of a study that did not run yet; each becomes a row of an SQLite file.")
    parser.add_argument("study", metavar="STUDY.toml", help="networks, machines, memory modes and sizes")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask scheduler, tcp://host:8786; processes of this computer when absent")
    parser.add_argument("--workers", type=int, metavar="N", help="processes of this computer; as many as it has cores when absent")
    parser.add_argument("--timeout", type=float, default=10.0, metavar="SECONDS", help="how long a scheduler may take to answer (10)")
    parser.add_argument("--results", metavar="FILE", help="the SQLite file, in place of the one that STUDY.toml names")
    parser.add_argument("--parquet", metavar="FILE", help="write the rows as Parquet too, at the end")
    parser.add_argument("--retry-failed", action="store_true", help="run points that failed once more")
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    return parser


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(143)


if __name__ == "__main__":
    sys.exit(main())
