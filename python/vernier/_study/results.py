# SPDX-License-Identifier: Apache-2.0
"""The file of a study: SQLite, with a row for each point that ended and its whole report in a second table."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from vernier._errors import InputError

FORMAT = "vernier-study/1"
SQLITE_BEGIN = b"SQLite format 3\0"
LOCK_SECONDS = 30.0
TABLES = """
CREATE TABLE study (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE points (point INTEGER PRIMARY KEY, key TEXT UNIQUE, model, asked, exit_code, error, host_seconds);
CREATE TABLE reports (point INTEGER PRIMARY KEY, report BLOB);
"""


class Ended(NamedTuple):
    """A point that ended: its columns by name, and its JSON report, compressed by zlib; None where there is none."""

    row: dict[str, Any]
    report: bytes | None


class Results:
    """Reads and writes the file. Each call opens it and closes it again, so that other processes may read it at any time.

    Raises
    ------
    InputError
        For a file that holds something else, another study, or results of another version of the program; and for a disk that is full.
    """

    def __init__(self, file: str, version: str, definition: dict[str, Any]) -> None:
        self.file = file
        self._check_file()
        wanted = {"format": FORMAT, "version": version, "definition": json.dumps(definition, sort_keys=True)}
        with self._open(writes=True) as database:
            if not _tables(database):
                for statement in TABLES.split(";"):
                    database.execute(statement)
                database.executemany("INSERT INTO study VALUES (?, ?)", wanted.items())
            elif not {"study", "points", "reports"} <= _tables(database):
                raise self._other("a database that is no study", "the results of a study, or no file")
            self._compare(dict(database.execute("SELECT name, value FROM study")), wanted)

    def _check_file(self) -> None:
        """SQLite takes an empty name and ":memory:" for memory, and a file of a few bytes for an empty one."""
        if self.file in ("", ":memory:"):
            raise InputError(f"file: found {self.file!r}, expected the name of a file", found=repr(self.file), allowed="the name of a file")
        try:
            with open(self.file, "rb") as file:
                begin = file.read(len(SQLITE_BEGIN))
        except OSError:  # also: there is none; SQLite says what is wrong
            return
        if begin not in (b"", SQLITE_BEGIN):
            raise self._other("no database of SQLite", "the results of a study, or no file")

    def _compare(self, found: dict[str, str], wanted: dict[str, str]) -> None:
        for name in ("format", "version"):
            if found.get(name) != wanted[name]:
                raise self._other(f"results of {name} {found.get(name)}", f"{name} {wanted[name]}")
        old, new = json.loads(found["definition"]), json.loads(wanted["definition"])
        for name in sorted(old.keys() | new.keys()):
            if old.get(name) != new.get(name):
                raise self._other(f"results of another study, whose {name} is {_short(old.get(name))}", _short(new.get(name)))

    def _other(self, found: str, allowed: str) -> InputError:
        return InputError(f"{self.file}: found {found}, expected {allowed}; take another file", file=self.file, found=found, allowed=allowed)

    def keys(self) -> set[str]:
        """Of the points that ended."""
        with self._open() as database:
            return {key for (key,) in database.execute("SELECT key FROM points")}

    def failures(self) -> int:
        """How many points have an error."""
        with self._open() as database:
            (count,) = database.execute("SELECT count(*) FROM points WHERE error IS NOT NULL").fetchone()
            return int(count)

    def exit_codes(self) -> dict[int, int]:
        """Those that occur, and how often."""
        with self._open() as database:
            return dict(database.execute("SELECT exit_code, count(*) FROM points GROUP BY exit_code ORDER BY exit_code"))

    def forget_failures(self) -> None:
        """Points with an error become points that did not run."""
        with self._open(writes=True) as database:
            database.execute("DELETE FROM points WHERE error IS NOT NULL")

    def add(self, ended: Iterable[Ended]) -> None:
        """All rows or none are in the file afterwards; a key that is there already stays as it is."""
        with self._open(writes=True) as database:
            columns = set(self._names(database))
            for row, report in ended:
                for name in row.keys() - columns:
                    database.execute(f"ALTER TABLE points ADD COLUMN {_quoted(name)}")
                    columns.add(name)
                names, marks = ", ".join(map(_quoted, row)), ", ".join("?" * len(row))
                done = database.execute(f"INSERT OR IGNORE INTO points ({names}) VALUES ({marks})", list(row.values()))
                if done.rowcount == 1 and report is not None:
                    database.execute("INSERT OR REPLACE INTO reports VALUES (?, ?)", (row["point"], report))

    def names(self) -> list[str]:
        """Of the columns."""
        with self._open() as database:
            return self._names(database)

    def columns(self, names: Sequence[str], numbers: Sequence[int] | None = None) -> dict[str, list[Any]]:
        """Values of these columns in the order of the points: of all points, or of those that are named by number."""
        with self._open() as database:
            chosen = ""
            if numbers is not None:
                database.execute("CREATE TEMP TABLE chosen (point INTEGER PRIMARY KEY)")
                database.executemany("INSERT INTO chosen VALUES (?)", ((int(number),) for number in numbers))
                chosen = "WHERE point IN (SELECT point FROM chosen)"
            return {name: [value for (value,) in database.execute(f"SELECT {_quoted(name)} FROM points {chosen} ORDER BY point")]
                    for name in names}

    def report(self, point: int) -> dict[str, Any] | None:
        """The JSON report of a point; None where it failed, or did not run yet."""
        with self._open() as database:
            found = database.execute("SELECT report FROM reports WHERE point = ?", (int(point),)).fetchone()
        report: dict[str, Any] | None = json.loads(zlib.decompress(found[0])) if found else None
        return report

    def _names(self, database: sqlite3.Connection) -> list[str]:
        return [row[1] for row in database.execute("PRAGMA table_info(points)")]

    @contextmanager
    def _open(self, writes: bool = False) -> Iterator[sqlite3.Connection]:
        if not Path(self.file).parent.is_dir():
            raise InputError(f"{self.file}: its folder is missing", file=self.file)
        try:
            with closing(sqlite3.connect(self.file, timeout=LOCK_SECONDS, isolation_level=None)) as database:
                database.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
                yield database
                database.execute("COMMIT")
        except sqlite3.Error as error:
            if error.sqlite_errorname == "SQLITE_NOTADB":
                raise self._other("no database of SQLite", "the results of a study, or no file") from error
            raise InputError(f"{self.file}: {error}; what was written before is kept", file=self.file, found=str(error)) from error


def _tables(database: sqlite3.Connection) -> set[str]:
    return {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
