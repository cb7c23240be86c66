# SPDX-License-Identifier: Apache-2.0
"""How fast studies are: study_rate.py [--points N] [--workers W]. Prints the table of docs/guides/studies.md.

Each point is one of the small networks of tests/golden, in memory mode sram, so a point takes the least that points take: what is measured
is what a study adds to it. The same runs in one process, without Dask and without a file, are the first line.
"""

import argparse
import itertools
import pathlib
import sqlite3
import tempfile
import time

import distributed
import study_cases
import vernier
from vernier._study.results import Results

TASKS, ALONE_POINTS, NETWORKS = 2000, 500, 40


def study_of(points, file):
    """A study with as many points, by clocks of the machine: they change no cycle, and each is a point of its own."""
    models = sorted(study_cases.NETWORKS.glob("*/model.tosa"))[:NETWORKS]
    clocks = [500_000_000 + 1000 * number for number in range(points // (2 * len(models)))]
    return vernier.Study(models, ["v64", "v256"], "sram", set={"clock_hz": clocks}, file=file)


def alone(study):
    """Points per second of one process."""
    networks, every = {}, len(study) // ALONE_POINTS
    begin = time.perf_counter()
    for point in itertools.islice(study._plan.points(), 0, None, every):
        network = networks.get(point.model) or networks.setdefault(point.model, vernier.load(point.model))
        network.compile(point.config, memory=point.memory, set=point.set).estimate().report
    return len(study) / every / (time.perf_counter() - begin)


def tasks_per_second(client):
    """Tasks without work that the scheduler places, one by one as they end."""
    begin = time.perf_counter()
    client.gather([client.submit(int, number, pure=False) for number in range(TASKS)])
    return TASKS / (time.perf_counter() - begin)


def rows_per_second(study, folder):
    """Rows that the file takes, in the sizes of the batches that came."""
    rows = study_cases.rows_of(pathlib.Path(study.file), "*")
    names = study._results.names()
    with sqlite3.connect(study.file) as database:
        reports = dict(database.execute("SELECT point, report FROM reports"))
    ended = [(dict(zip(names, row, strict=True)), reports[row[0]]) for row in rows]
    copy = Results(str(folder / "copy.sqlite"), "1", {})
    begin = time.perf_counter()
    for first in range(0, len(ended), 100):
        copy.add(ended[first : first + 100])
    return len(ended) / (time.perf_counter() - begin)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        study = study_of(options.points, folder / "rate.sqlite")
        begin = time.perf_counter()
        keys = sum(1 for _ in study._plan.points())
        lines = [("keys per second", keys / (time.perf_counter() - begin)), ("points per second, one process alone", alone(study))]
        with distributed.LocalCluster(options.workers, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster:
            with distributed.Client(cluster) as client:
                lines.append(("tasks per second of the scheduler", tasks_per_second(client)))
            batches = []
            begin = time.perf_counter()
            study.run(cluster.scheduler_address, progress=batches.append)
            seconds = time.perf_counter() - begin
        work = sum(study.frame["host_seconds"])
        lines += [(f"points per second, study with {options.workers} workers", len(study) / seconds), ("seconds of the study", seconds),
                  ("seconds of its workers at work, divided by the workers", work / options.workers), ("points", len(study)),
                  ("times that rows were written", len(batches)), ("bytes of the file per point", (folder / "rate.sqlite").stat().st_size / len(study)),
                  ("rows per second that the file takes", rows_per_second(study, folder))]
        study.to_parquet(folder / "rate.parquet")
        lines.append(("bytes of Parquet per point", (folder / "rate.parquet").stat().st_size / len(study)))
        for what, value in lines:
            print(f"| {what} | {value:,.0f} |")


if __name__ == "__main__":
    main()
