# SPDX-License-Identifier: Apache-2.0
"""Studies, run by a Python in which the wheel and Dask are installed: study_in_package.py VERNIER."""

import datetime
import json
import logging
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import textwrap
import time

import dask
import numpy as np
import study_cases
import vernier
from study_cases import NETWORKS, QUIET, network, rows_of, wait_for
from vernier._study import cluster

PROGRAM = None


def batch_with_a_deadly_point(store, points, seconds):
    """run_batch, but for a point that ends its process."""
    if any(point.number == 3 for point in points):
        os._exit(1)
    from vernier._study.worker import run_batch

    return run_batch(store, points, seconds)


class Points(study_cases.StudyTest):
    def test_a_study_is_its_grid_and_what_is_listed(self):
        seen = []
        study = self.study(points=[{"model": network("mean"), "config": "v1024", "set": {"clock_hz": 5e8}}, {"model": network("mean"), "config": "v64",
                           "memory": "sram", "set": {"external_bytes_per_second": 4_000_000_000}}])
        self.assertEqual(len(study), 50)
        study.run(workers=2, progress=seen.append)
        frame = study.frame
        self.assertEqual(len(frame), 49)  # the second listed point is one of the grid
        self.assertEqual(sorted(set(frame["config"])), ["v1024", "v256", "v64"])
        self.assertEqual(set(frame["lanes"]), {8, 16, 32})
        self.assertTrue(frame["error"].isna().all())
        self.assertEqual((frame["cycles"].dtype, frame["seconds"].dtype), (np.int64, np.float64))
        self.assertEqual(list(frame["clock_hz"])[-1], 500_000_000)
        self.assertEqual((seen[-1].done, seen[-1].total, seen[-1].failed), (49, 49, 0))
        self.assertEqual([progress.done for progress in seen], sorted(progress.done for progress in seen))
        for row in frame.to_dict("records"):
            report = study.report(row["point"])
            for name in ("cycles", "seconds", "macs", "mac_utilization_percent", "external_read_bytes", "sram_peak_bytes"):
                self.assertEqual(row[name], report["totals"][name])
            for name in ("sram_bytes", "lanes", "clock_hz", "external_bytes_per_second", "memory_mode"):
                self.assertEqual(row[name], report["config"][name])

    def test_points_equal_the_program(self):
        machine = self.folder / "small.toml"
        machine.write_text('base = "v64"\nsram_bytes = 32768\n')
        study = self.study(configs=["v256", machine], points=[{"model": network("conv_deep"), "optimize": 0, "sram_bytes": "64KiB"}])
        study.run(workers=2)
        for (point, asked) in rows_of(self.file, "point, asked")[::4]:
            wanted = study_cases.estimated(PROGRAM, json.loads(asked), self.folder)
            self.assertEqual(study_cases.steady(study.report(point)), study_cases.steady(wanted))
            self.assertIn(json.loads(asked)["model"], study.report(point)["run"]["command_line"])

    def test_points_that_fail_are_rows(self):
        (self.folder / "bad.tosa").write_bytes(network("mean").read_bytes()[:100])
        study = self.study(models=[network("mean"), self.folder / "bad.tosa"], configs=["v64", "v65"], sram_bytes=["256KiB", 1], memory=None)
        study.run(workers=2)
        frame = study.frame
        errors = dict(zip(zip(frame["model"], frame["config"], frame["sram_bytes"].fillna(0)), frame["error"]))
        self.assertEqual(study.exit_codes(), {0: 2, 2: 14})
        self.assertTrue(all("\n" not in str(error) for error in errors.values()))
        self.assertIn("allowed on every preset", errors[str(network("mean")), "v64", 1])
        self.assertIn("unknown configuration 'v65'", errors[str(network("mean")), "v65", 1])
        self.assertTrue(errors[str(self.folder / "bad.tosa"), "v64", 1].startswith(f"{self.folder}/bad.tosa:"))
        before = rows_of(self.file, "*")
        study.run(workers=1)
        self.assertEqual(rows_of(self.file, "*"), before)
        study.run(workers=1, retry_failed=True)
        self.assertEqual(study.exit_codes(), {0: 2, 2: 14})

    def test_keys_that_no_machine_has(self):
        for key in ("point", "Clock_hz", "clock_hs", "KEY"):
            self.assert_mistake(f"set: unknown key '{key}'", self.study, set={key: 5})
            self.assert_mistake(f"points: 1: set: unknown key '{key}'", self.study, points=[{"model": network("mean"), "set": {key: 5}}])
        self.assert_mistake("did you mean 'clock_hz'", self.study, set={"clock_hs": 5})
        study = self.study(models=network("mean"), configs="v64", memory=None, set={"clock_hz": [10**30, 10**9, "fast"]})
        study.run(workers=1)
        self.assertEqual((list(study.frame["point"]), study.exit_codes()), ([0, 1, 2], {0: 1, 2: 2}))
        study.to_parquet(self.folder / "rows.parquet")  # a column of numbers and texts

    def test_values(self):
        study = self.study(models=network("conv_1x1"), memory=None, set=None, values=True, seed=3)
        study.run(workers=1)
        self.assertEqual(list(study.frame["check_result"]), ["match", "match"])

    def test_a_network_comes_with_the_files_beside_it(self):
        for name in ("model.tosa", "model.boundary.json", "other.json"):
            (self.folder / name).write_bytes(b"x")
        (self.folder / "n.onnx").write_bytes(b"\x08 location weights.bin")
        (self.folder / "weights.bin").write_bytes(b"y")
        from vernier._study.points import read
        self.assertEqual(list(read(str(self.folder / "model.tosa")).files), ["model.tosa", "model.boundary.json"])
        self.assertEqual(list(read(str(self.folder / "n.onnx")).files), ["n.onnx", "weights.bin"])


class Tables(study_cases.StudyTest):
    def test_what_no_other_row_beats(self):
        study = self.study(models=[network("conv_deep"), network("mean")], sram_bytes=["16KiB", "64KiB", "1MiB"], memory="external")
        study.run(workers=2)
        frame, best = study.frame, study.pareto("cycles", "sram_bytes")
        for row in frame.to_dict("records"):
            rivals = frame[frame["model"] == row["model"]]
            beaten = ((rivals["cycles"] <= row["cycles"]) & (rivals["sram_bytes"] <= row["sram_bytes"])
                      & ((rivals["cycles"] < row["cycles"]) | (rivals["sram_bytes"] < row["sram_bytes"]))).any()
            self.assertEqual(row["point"] in set(best["point"]), not beaten)
        fastest = study.pareto("frames_per_second", maximize=["frames_per_second"])
        self.assertEqual(set(fastest["cycles"]), set(frame.groupby("model")["cycles"].min()))
        self.assert_mistake("unknown key 'cycle'; did you mean 'cycles'", study.pareto, "cycle")
        self.assert_mistake("'key'.*expected numbers", study.pareto, "key")
        study.plot("sram_bytes", "cycles", self.folder / "plot.svg")
        self.assertIn("cycles", (self.folder / "plot.svg").read_text())
        self.assert_mistake("plot.xyz: cannot be written", study.plot, "sram_bytes", "cycles", self.folder / "plot.xyz")
        study.to_parquet(self.folder / "rows.parquet")
        import pandas
        again = pandas.read_parquet(self.folder / "rows.parquet")
        self.assertEqual((list(again["cycles"]), list(again.columns)), (list(frame["cycles"]), list(frame.columns)))
        self.assert_mistake("none/rows", study.to_parquet, self.folder / "none" / "rows.parquet")


class Mistakes(study_cases.StudyTest):
    def test_arguments(self):
        for pattern, changed in (("models: found an empty list", {"models": []}), ("none.tosa", {"models": "none.tosa"}),
                                 ("optimize: found 'much', expected int", {"optimize": "much"}), ("set: clock_hz: found an empty", {"set": {"clock_hz": []}}),
                                 ("small.toml", {"configs": "small.toml"}), ("set: a: found dict", {"set": {"a": {"b": 1}}}), ("set: found list, expected a dict", {"set": [1]}), ("unknown key 'batches'; did you mean 'batch'", {"load": {"batches": 1}}),
                                 ("points: 1: unknown key 'models'; did you mean 'model'", {"points": [{"models": "x"}]}),
                                 ("points: 1: 'model' is missing", {"points": [{"config": "v64"}]}), ("seed", {"seed": -1}),
                                 ("points: found 5, expected a list", {"points": 5}), ("points: found None", {"points": None}),
                                 ("memory: found 'extrenal', .*did you mean 'external'", {"memory": "extrenal"}),
                                 ("points: 1: memory: found 'x'", {"points": [{"model": network("mean"), "memory": "x"}]}),
                                 ("load: batch: found date", {"load": {"batch": datetime.date(2024, 1, 1)}}), ("load: level: found 3", {"load": {"level": 3}}),
                                 ("load: shapes: found int", {"load": {"shapes": 3}}), ("values: found 'false', expected True", {"values": "false"}),
                                 ("shapes: found .1x2. for .x.", {"load": {"shapes": {"x": "1x2"}}})):
            self.assert_mistake(pattern, self.study, **changed)
        self.assertFalse(self.file.exists())
        for name in (":memory:", ""):
            self.assert_mistake(f"file: found '{name}'", vernier.Study, network("mean"), file=name)
        study = self.study(load={"batch": np.int64(1), "shapes": {"x": np.array([1, 2]).tolist()}})
        for call, pattern in ((lambda: study.report("x"), "point: found 'x'"), (lambda: study.report(0.7), "point: found 0.7"),
                              (lambda: study.report(2**70), "point: found"), (lambda: study.pareto("point", maximize=5), "maximize: found 5"),
                              (lambda: study.plot("point", "point", 5), "path: found 5"), (lambda: study.to_parquet(5), "path: found 5"),
                              (lambda: study.run(5), "scheduler: found 5"), (lambda: study.run(timeout_seconds="x"), "timeout_seconds: found 'x'"),
                              (lambda: study.run(progress=5), "progress: found 5")):
            self.assert_mistake(pattern, call)

    def test_files_of_others(self):
        self.study()
        error = self.assert_mistake("results of another study, whose memory is", self.study, memory="sram")
        self.assertEqual((error.file, error.allowed), (str(self.file), '["sram"]'))
        with sqlite3.connect(self.file) as database:
            database.execute("UPDATE study SET value = '0.1.0' WHERE name = 'version'")
        error = self.assert_mistake("results of version 0.1.0", self.study)
        self.assertEqual(error.allowed, f"version {vernier.__version__}")
        self.file.write_text("hello, this is no database, but it is long enough for one" * 20)
        self.assert_mistake("no database of SQLite", self.study)
        self.file.write_text("x")
        self.assert_mistake("no database of SQLite", self.study)
        self.assertEqual(self.file.read_text(), "x")
        self.file.unlink()
        with sqlite3.connect(self.file) as database:
            database.execute("CREATE TABLE mine (a)")
        self.assert_mistake("a database that is no study", self.study)

    def test_schedulers_that_do_not_answer(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            for address in (f"tcp://127.0.0.1:{silent.getsockname()[1]}", "tcp://127.0.0.1:9", "what://is:this", "tls://127.0.0.1:9"):
                begin = time.monotonic()
                error = self.assert_mistake("no answer within 1 s", self.study().run, address, timeout_seconds=1)
                self.assertEqual(error.found, address)
                self.assertLess(time.monotonic() - begin, 10)
        address, _ = self.cluster(nannies=0)
        self.assert_mistake("found no worker within 1 s", self.study().run, address, timeout_seconds=1)

    def test_a_disk_that_is_full(self):
        study = self.study()
        study.run(workers=1)
        script = f"""
            import vernier, resource, sys
            sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
            import study_cases
            resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, resource.RLIM_INFINITY))
            study = vernier.Study(**study_cases.grid(file="full.sqlite"))
            from vernier._study.results import Ended
            try:
                for point in range(1000):
                    study._results.add([Ended({{"point": point, "key": str(point), "model": "m" * 1000}}, b"")])
            except vernier.InputError as error:
                print(error.file, str(error).splitlines() == [str(error)], len(study._results.keys()) == point)
            """
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.split(), ["full.sqlite", "True", "True"])


class Kills(study_cases.StudyTest):
    def test_a_client_that_is_killed_twice(self):
        wanted = self.study(seed=7)
        wanted.run(workers=2)
        rows = rows_of(self.file, "key, cycles, error")
        self.file.unlink()
        (self.folder / "client.py").write_text(textwrap.dedent(f"""
            import sys
            sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
            import study_cases, vernier
            if __name__ == "__main__":
                vernier.Study(**study_cases.grid(seed=7, file={str(self.file)!r})).run(workers=2)
            """))
        for least in (1, 12):
            client = self.child(["client.py"])
            wait_for("rows", lambda: len(rows_of(self.file)) >= least or client.poll() is not None)
            os.kill(client.pid, signal.SIGKILL)
            client.wait()
            kept = rows_of(self.file, "key, cycles, error")
            self.assertLessEqual(set(kept), set(rows))
        study = self.study(seed=7)
        study.run(workers=2)
        self.assertEqual(rows_of(self.file, "key, cycles, error"), rows)
        self.assertLessEqual(set(kept), set(rows))

    def test_workers_of_a_cluster_that_are_killed(self):
        address, nannies = self.cluster()
        study = self.study(sram_bytes=["64KiB", "256KiB", "1MiB"])
        victims = [lambda: os.kill(_children(nannies[0].pid)[0], signal.SIGKILL), lambda: os.killpg(nannies[1].pid, signal.SIGKILL)]

        def kill(progress):
            if victims and progress.done >= 10:
                victims.pop(0)()

        study.run(address, progress=kill)
        self.assertEqual(victims, [])
        self.assert_each_point_once(study)
        self.assertEqual(study.exit_codes(), {0: len(study)})

    def test_a_scheduler_that_is_killed(self):
        address, _ = self.cluster(1, 1)
        study = self.study(sram_bytes=["64KiB", "256KiB", "1MiB"])
        scheduler = next(int(pid) for pid in os.listdir("/proc") if pid.isdigit() and f"{self.folder}/scheduler.json" in _command(pid))
        dask.config.set({"distributed.comm.timeouts.connect": "2s"})
        self.addCleanup(dask.config.set, {"distributed.comm.timeouts.connect": "30s"})
        self.assert_mistake("the connection to the scheduler was lost", study.run, address,
                            progress=lambda progress: os.kill(scheduler, signal.SIGKILL) if progress.done < 12 else None)
        study.run(workers=2)
        self.assert_each_point_once(study)

    def test_a_point_that_ends_its_worker(self):
        study = self.study(models=[network("mean")])
        self.addCleanup(setattr, cluster, "run_batch", cluster.run_batch)
        cluster.run_batch = batch_with_a_deadly_point
        with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
            study.run(workers=2)
        self.assert_each_point_once(study)
        frame = study.frame
        self.assertEqual([row["point"] for row in frame.to_dict("records") if row["error"] == row["error"] and row["error"]], [3])
        self.assertIn("process of its worker died", list(frame["error"])[3])

    def test_processes_make_room_for_new_ones(self):
        self.addCleanup(setattr, cluster, "POINTS_PER_PROCESS", cluster.POINTS_PER_PROCESS)
        cluster.POINTS_PER_PROCESS = 10
        address, nannies = self.cluster(1, 2)
        wait_for("workers", lambda: len(_children(nannies[0].pid)) >= 2)
        study = self.study()
        before = set(_children(nannies[0].pid))
        study.run(address)
        self.assert_each_point_once(study)
        wait_for("new workers", lambda: not before <= set(_children(nannies[0].pid)))


class Command(study_cases.StudyTest):
    def command(self, *arguments):
        program = pathlib.Path(sys.executable).parent / "vernier-study"
        done = subprocess.run([program, *map(str, arguments)], cwd=self.folder, env=QUIET, capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout, "")
        return done.returncode, done.stderr

    def write(self, text):
        shutil.copy(network("mean"), self.folder / "a.tosa")
        shutil.copy(network("conv_1x1"), self.folder / "b.tosa")
        (self.folder / "s.toml").write_text(text)

    def test_a_file(self):
        (self.folder / "v64").write_text("a file with the name of a preset, which is meant")
        self.write('models = ["*.tosa"]\nconfigs = ["v64", "v256"]\nsram_bytes = ["64KiB", 1]\n[set]\nclock_hz = [1e9, 5e8]\n'
                   '[[points]]\nmodel = "a.tosa"\nconfig = "v1024"\n')
        code, said = self.command("s.toml", "--workers", 2, "--parquet", "rows.parquet")
        self.assertEqual((code, said.splitlines()[-1]), (0, "17 points, 8 of them failed: s.sqlite"))
        self.assertTrue((self.folder / "rows.parquet").exists())
        self.assertEqual(self.command("s.toml", "-q"), (0, ""))
        address, _ = self.cluster(1, 2)
        code, said = self.command("s.toml", "--scheduler", address, "--results", "other.sqlite")
        self.assertEqual(code, 0, said)
        self.assertEqual(rows_of(self.folder / "other.sqlite", "key, cycles, error"), rows_of(self.folder / "s.sqlite", "key, cycles, error"))

    def test_mistakes(self):
        for text, said in (('modells = "a.tosa"', "unknown key 'modells'; did you mean 'models'?"), ("models = [", "is no TOML"),
                           ('models = "*.none"', "no file is named '*.none'"), ('models = "a.tosa"\nvalues = 1', "values: found 1, expected bool"),
                           ('models = "a.tosa"\nmemory = 3', "memory: found 3, expected str"), ("seed = 1", "models: found an empty list"),
                           ('models = "a.tosa"\npoints = [{modell = "a.tosa"}]', "did you mean 'model'?")):
            self.write(text)
            code, line = self.command("s.toml")
            self.assertEqual((code, len(line.splitlines())), (2, 1), line)
            self.assertIn(said, line)
            self.assertIn("s.toml", line)
        for arguments in ((), ("none.toml",), ("s.toml", "--sheduler", "x"), ("s.toml", "--workers", "0")):
            self.write('models = "a.tosa"')
            code, line = self.command(*arguments)
            self.assertEqual((code, len(line.splitlines())), (2, 1), line)

    def test_signals_stop_it(self):
        names = [str(path) for path in sorted(NETWORKS.glob("*/model.tosa"))]
        self.write(f"models = {json.dumps(names)}\nmemory = ['sram', 'external']\nconfigs = ['v64', 'v256', 'v1024']\n")
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            begun = len(rows_of(self.folder / "s.sqlite"))
            child = self.child(["-m", "vernier._study.command", "s.toml", "--workers", 1])
            wait_for("rows", lambda: len(rows_of(self.folder / "s.sqlite")) > begun)
            child.send_signal(number)
            self.assertEqual(child.wait(30), code)


def _children(pid):
    """Processes of workers: those that a nanny started and that are no helper of Python's."""
    found = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(pid)], capture_output=True, text=True, check=False).stdout
    return [int(line.split()[0]) for line in found.splitlines() if "resource_tracker" not in line]


def _command(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode() if "scheduler" in pathlib.Path(
            f"/proc/{pid}/cmdline").read_text() else ""
    except OSError:
        return ""


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    PROGRAM = pathlib.Path(sys.argv[1]).resolve()
    study_cases.unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
