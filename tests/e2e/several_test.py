# SPDX-License-Identifier: Apache-2.0
"""Several models, configurations, memory modes and sizes of SRAM in one command: one table, whatever becomes of its runs."""

import csv
import itertools
import json
import os
import pathlib
import pty
import re
import signal
import time

import program
import report_text

MODELS = ("add_both_broadcast", "clamp_int8", "avg_pool_25x5")
CONFIGS = ("v64", "v256")
MEMORIES = ("sram", "external")
SIZES = ("64KiB", "1MiB")
LONG = ("--iterations", "1000000")  # of the demo network: longer than any test


class Several(program.ProgramTest):
    def table(self, *arguments, codes=(0,), command="estimate"):
        """Rows of the JSON table, with the exit code; standard output is the table for people."""
        place = self.folder / "table.json"
        done = self.execute(command, *arguments, "--report", place, codes=codes)
        table = program.read_json(place)
        self.assertEqual(table["schema"], "vernier-table/1")
        self.assertEqual(max(row["exit_code"] for row in table["rows"]), done.returncode)
        return table["rows"], done

    def single(self, command, *arguments):
        place = self.folder / "single.json"
        self.execute(command, *arguments, "-q", "--report", place, codes=(0,))
        return program.read_json(place)

    def assert_row_is(self, row, report):
        totals = report["totals"]
        for key in ("cycles", "seconds", "macs", "mac_utilization_percent", "sram_read_bytes", "sram_write_bytes",
                    "external_read_bytes", "external_write_bytes", "sram_peak_bytes", "weight_bytes", "commands"):
            self.assertEqual(row[key], totals[key], key)
        self.assertEqual(row["config"], report["config"]["name"])
        self.assertEqual(row["memory_mode"], report["config"]["memory_mode"])
        self.assertEqual(row["sram_bytes"], report["config"]["sram_bytes"])
        self.assertEqual(row["check"], report["check"]["result"])
        by = {}
        for layer in report["layers"]:
            by[layer["bound_by"]] = by.get(layer["bound_by"], 0) + layer["attributed_cycles"]
        self.assertEqual(by[row["bound_by"]], max(by.values()))
        self.assertAlmostEqual(row["bound_by_percent"], 100 * max(by.values()) / sum(by.values()), delta=0.006)

    def test_all_combinations_in_the_order_of_the_line(self):
        models = [str(program.MADE / name / "model.tosa") for name in MODELS]
        arguments = [*models, "--config", ",".join(CONFIGS), "--memory", ",".join(MEMORIES), "--sram-bytes", ",".join(SIZES)]
        rows, _ = self.table(*arguments)
        combinations = list(itertools.product(models, CONFIGS, MEMORIES, (65536, 1 << 20)))
        self.assertEqual([(row["model"], row["config"], row["memory_mode"], row["sram_bytes"]) for row in rows], combinations)
        for row in rows:
            self.assertEqual((row["error"], row["exit_code"]), (None, 0))
        for row in rows[::5]:
            self.assert_row_is(row, self.single("estimate", row["model"], "--config", row["config"], "--memory",
                                                row["memory_mode"], "--sram-bytes", row["sram_bytes"]))

    def test_a_run_compares_values(self):
        rows, _ = self.table(program.DEMO, "--config", "v64,v1024", "--seed", "3", "--iterations", "2", "--check-all",
                             command="run")
        for row in rows:
            self.assert_row_is(row, self.single("run", program.DEMO, "--config", row["config"], "--seed", "3",
                                                "--iterations", "2", "--check-all"))
            self.assertEqual(row["check"], "match")

    def test_the_same_whatever_the_number_of_jobs(self):
        found = set()
        for jobs in ("1", "2", "7"):
            done = self.execute("estimate", program.DEMO, "none.tosa", "--config", "v64,v256,v1024", "--memory",
                                "sram,external", "--jobs", jobs, "--report", "-", codes=(2,))
            found.add((done.stdout, done.stderr))
        self.assertEqual(len(found), 1)

    def test_csv_is_the_json(self):
        rows, _ = self.table(program.DEMO, "none, not.tosa", "--memory", "sram,external", "--report", "t.csv", codes=(2,))
        with open(self.folder / "t.csv", encoding="utf-8", newline="") as file:
            lines = list(csv.DictReader(file))
        self.assertEqual(len(lines), len(rows))
        for line, row in zip(lines, rows):
            self.assertEqual(list(line), [key for key in row if key not in ("warnings", "notes")])
            for key, text in line.items():
                value = row[key]
                self.assertEqual(text, "" if value is None else text if isinstance(value, float) else str(value), key)
                if isinstance(value, float):
                    self.assertEqual(float(text), value)

    def test_one_combination_is_a_run_as_ever(self):
        usual = self.execute("estimate", program.DEMO, "-q", "--config", "v64").stdout
        self.assertEqual(self.execute("estimate", program.DEMO, "-q", "--config", "v64", "--jobs", "3").stdout, usual)

    def test_a_run_that_fails_is_a_row(self):
        (self.folder / "bad.tosa").write_bytes(b"bad")
        rows, done = self.table(program.DEMO, "bad.tosa", "--memory", "sram,external", "--sram-bytes", "16KiB", codes=(2,))
        self.assertEqual([row["exit_code"] for row in rows], [2, 0, 2, 2])
        alone = self.execute("estimate", program.DEMO, "--memory", "sram", "--sram-bytes", "16KiB", codes=(2,)).stderr
        self.assertEqual(f"vernier: {rows[0]['error']}\n", alone)
        self.assertEqual(rows[2]["error"] + "\n", self.execute("estimate", "bad.tosa").stderr.removeprefix("vernier: "))
        self.assertIsNone(rows[0]["cycles"])
        self.assertIn("needs", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_every_exit_code_is_a_row(self):
        """The row has what its run alone has; the command's exit code is the highest."""
        package = self.compile(program.DEMO).read_bytes()
        models = {0: program.DEMO, 1: program.MADE / "add_both_broadcast" / "model.tosa", 2: "none.tosa"}
        for _, content in program.flipped(package, program.DEMO.read_bytes(), 1000):
            if len(models) == 5:
                break
            path = self.folder / "flipped.vnpu"
            path.write_bytes(content)
            code = self.execute("run", path, "-q").returncode
            if code in (3, 4) and code not in models:
                models[code] = path.rename(self.folder / f"{code}.vnpu")
        self.assertEqual(sorted(models), [0, 1, 2, 3, 4])
        for highest in range(1, 5):
            codes = [code for code in (3, 1, 0, 4, 2) if code <= highest]
            rows, done = self.table(*(models[code] for code in codes), "--jobs", "2", command="run", codes=(highest,))
            self.assertEqual([row["exit_code"] for row in rows], codes)
            for code, row in zip(codes, rows):
                if code in (2, 4):
                    alone = self.execute("run", models[code], codes=(code,)).stderr
                    self.assertEqual(f"vernier: {row['error']}", alone.split("\n")[0])
                    self.assertEqual((row["cycles"], row["check"]), (None, None))
                    continue
                alone = self.folder / "alone.json"
                self.execute("run", models[code], "-q", "--report", alone, codes=(code,))
                self.assert_row_is(row, program.read_json(alone))
                self.assertEqual((row["check"], row["error"]), ("mismatch" if code == 3 else "match", None))
                self.assertEqual(len(row["warnings"]) > 0, code == 1)
            self.assertIn("the sum overflows int32", done.stdout)
            self.assertEqual(done.stderr, "")
            self.assert_quiet_says_why(rows, *(models[code] for code in codes))

    def assert_quiet_says_why(self, rows, *arguments):
        """With -q standard error has a line for each row that does not end with 0, and no other."""
        expected = []
        for row in rows:
            if row["error"] is not None:
                expected.append(row["error"])
            expected += [f"{row['model']}: warning: {warning}" for warning in row["warnings"]]
            if row["exit_code"] == 3:
                found = self.folder / "alone.json"
                self.execute("run", row["model"], "-q", "--report", found, codes=(3,))
                first = program.read_json(found)["check"]["first_difference"]
                self.assertEqual(row["first_difference"], report_text.first_difference(first))
                expected.append(f"{row['model']}: mismatch on v256, memory sram, 64 MiB of SRAM: {row['first_difference']}")
            else:
                self.assertIsNone(row["first_difference"])
        done = self.execute("run", *arguments, "-q")
        self.assertEqual(done.stderr, "".join(f"vernier: {line}\n" for line in expected))
        self.assertEqual(done.stdout.count("\n"), 1)

    def workers_of(self, process, count):
        """Process ids of the workers, once there are `count`."""
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        for _ in range(5000):
            pids = [int(text) for text in children.read_text(encoding="ascii").split()]
            if len(pids) == count:
                return pids
            time.sleep(0.02)
        self.fail(f"{count} workers do not appear")

    def test_a_crash_is_a_row(self):
        # Sanitizers take SIGSEGV themselves.
        arguments = ["run", program.DEMO, "--config", "v64,v256,v1024", *LONG, "--jobs", "3", "--report", "-"]
        with self.start(*arguments) as running:
            pids = self.workers_of(running, 3)
            for pid, number in zip(pids, (signal.SIGILL, signal.SIGKILL, signal.SIGABRT)):
                os.kill(pid, number)
            output, _ = running.communicate(timeout=program.LONGEST_SECONDS)
        rows = json.loads(output)["rows"]
        self.assertEqual(running.returncode, 70)
        by_code = {code: [row["error"] for row in rows if row["exit_code"] == code] for code in (2, 70)}
        self.assertEqual((len(by_code[2]), len(by_code[70])), (1, 2))
        self.assertIn("was ended by signal 9 (Killed), as the system does where memory runs out", by_code[2][0])
        self.assertRegex(by_code[70][0], r"was ended by signal (4|6) ")

    def test_an_interrupt_ends_all(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            arguments = ["run", program.DEMO, "--config", "v64,v256", *LONG, "--jobs", "2", "--report", "t.json"]
            with self.start(*arguments) as running:
                pids = self.workers_of(running, 2)
                running.send_signal(number)
                self.assertEqual(running.communicate(timeout=program.LONGEST_SECONDS), (b"", b""))
                self.assertEqual(running.returncode, -9 if number == signal.SIGKILL else 128 + number)
            for _ in range(5000):
                left = [pid for pid in pids if pathlib.Path(f"/proc/{pid}/stat").exists()
                        and pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").split()[2] != "Z"]
                if not left:
                    break
                time.sleep(0.02)
            self.assertEqual(left, [])
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_nothing_starts_where_an_option_is_wrong(self):
        for arguments, said in (
                (["--config", "v64,v255"], "unknown configuration 'v255', did you mean 'v256'?"),
                (["--config", "v64,"], "--config: 'v64,' has an empty entry"),
                (["--memory", "sram,drum"], "--memory: 'drum' is not one of"),
                (["--sram-bytes", "64KiB,64XB"], "--sram-bytes: '64XB' is not a number of bytes"),
                (["--config", "v64,v1024", "--sram-bytes", "1000"], "--sram-bytes: sram_bytes is 1000 B"),
                (["--config", "v64,v256", "--output-dir", "out"], "--output-dir: is for one run"),
                (["--config", "v64,v256", "--input", "x.npy"], "--input: is for one run"),
                (["--config", "v64,v256", "--report", "t.html"], "is not FILE.json, FILE.csv or -"),
                (["--config", "v64,v256", "--jobs", "0"], "--jobs: 0 is not in 1 to 1,024"),
                (["--config", "v64,v256", "--jobs", "many"], "--jobs: 'many' is not a whole number")):
            done = self.execute("run", program.DEMO, *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_configurations_of_one_name_are_told_apart(self):
        for folder, size in (("aa", 65536), ("bb", 131072)):
            (self.folder / folder).mkdir()
            (self.folder / folder / "t.toml").write_text(f'base = "v256"\nsram_bytes = {size}\n')
        rows, done = self.table(program.DEMO, "--config", "aa/t.toml,bb/t.toml,v64", "--sram-bytes", "65536")
        self.assertEqual([(row["config"], row["config_file"]) for row in rows],
                         [("t", "aa/t.toml"), ("t", "bb/t.toml"), ("v64", None)])
        self.assertEqual([line.split()[1] for line in done.stdout.splitlines()[1:5]], ["config", "aa/t.toml", "bb/t.toml", "v64"])

    def test_a_size_that_leaves_banks_uneven(self):
        rows, done = self.table(program.DEMO, "--config", "v64,v1024", "--sram-bytes", "1e6")
        self.assertEqual([row["sram_bytes"] for row in rows], [1_000_000, 999_936])
        self.assertEqual([len(row["notes"]) for row in rows], [0, 1])
        self.assertIn("note: row 2: --sram-bytes: the SRAM has a whole number of rows, a word in each bank", done.stdout)
        package = self.compile(program.DEMO, "--sram-bytes", "1e6")
        self.assertEqual(self.single("run", package, "--sram-bytes", "1e6")["config"]["sram_bytes"], 999_936)

    def test_progress_on_a_terminal(self):
        leader, follower = pty.openpty()
        process = self.start("estimate", program.DEMO, "--config", "v64,v256,v1024", "-q", stderr=follower)
        os.close(follower)
        self.assertEqual(process.communicate(timeout=program.LONGEST_SECONDS)[0], b"3 runs: 3 done, 0 failed\n")
        shown = b""
        try:
            while chunk := os.read(leader, 4096):
                shown += chunk
        except OSError:  # the other end is closed
            pass
        os.close(leader)
        text = shown.decode()
        self.assertRegex(text, r"0 of 3 runs done.*1 of 3 runs done, about \d+ s left.*3 of 3 runs done")
        self.assertTrue(text.endswith("\r\x1b[K"), repr(text))
        self.assertIsNone(re.search(r"reading|compiling|simulating", text))

    def test_quiet(self):
        done = self.execute("estimate", program.DEMO, "none.tosa", "-q", codes=(2,))
        self.assertEqual(done.stdout, "2 runs: 1 done, 1 failed\n")
        self.assertEqual(done.stderr, self.execute("estimate", "none.tosa", "-q").stderr)
        unpredictable = program.MADE / "add_both_broadcast" / "model.tosa"
        done = self.execute("run", unpredictable, unpredictable, "-q", codes=(1,))
        alone = self.execute("run", unpredictable, "-q", codes=(1,)).stderr
        self.assertEqual(done.stderr, alone.replace("vernier: ", f"vernier: {unpredictable}: "))  # once

    def test_the_reference_has_no_figures_of_a_machine(self):
        models = [program.MADE / name / "model.tosa" for name in MODELS[1:]]
        rows, done = self.table(*models, "--backend", "reference", command="run")
        known = {"macs", "check"}
        for row, model in zip(rows, models):
            self.assertEqual((row["check"], row["exit_code"]), ("skipped", 0))
            self.assertEqual(row["macs"], self.single("run", model, "--backend", "reference")["totals"]["macs"])
            for key in list(row)[list(row).index("cycles"):list(row).index("check")]:
                self.assertEqual(row[key] is None, key not in known, key)
        self.assertEqual(done.stdout.splitlines()[1].split(), ["#", "model", "MACs"])
        done = self.execute("run", *models, "--backend", "reference", "--report", "t.csv", codes=(0,))
        with open(self.folder / "t.csv", encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file):
                self.assertEqual((line["cycles"], line["seconds"], line["bound_by_percent"], line["check"]),
                                 ("", "", "", "skipped"))


class Sweep(program.ProgramTest):
    """Figures of a sweep that a reader compares: the machine of each row, frames per second, and the digits of times."""

    SWEEP = ("--memory", "external", "--set", "clock_hz=5e8,1e9", "--set", "external_bytes_per_second=4e9,16e9")

    def sweep(self, *options):
        done = self.execute("estimate", program.DEMO, *self.SWEEP, "--report", "t.json", "--report", "t.csv", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, program.read_json(self.folder / "t.json")["rows"]

    def test_rows_say_their_machine_and_frames_per_second(self):
        _, rows = self.sweep()
        found = {(row["clock_hz"], row["external_bytes_per_second"], row["macs_per_cycle"]) for row in rows}
        self.assertEqual(found, {(clock, rate, 256) for clock in (500_000_000, 1_000_000_000) for rate in (4_000_000_000, 16_000_000_000)})
        for row in rows:
            self.assertAlmostEqual(row["frames_per_second"] * row["cycles"] / row["clock_hz"], 1, delta=0.001)
        heading, *lines = (self.folder / "t.csv").read_text().splitlines()
        names = heading.split(",")
        for row, line in zip(rows, lines, strict=True):
            cells = dict(zip(names, line.split(","), strict=True))
            for key in ("clock_hz", "external_bytes_per_second", "macs_per_cycle", "frames_per_second"):
                self.assertEqual(float(cells[key]), row[key], key)

    def test_the_table_has_a_column_for_each_key(self):
        text, rows = self.sweep()
        heading = next(line for line in text.splitlines() if line.startswith("# "))
        self.assertIn("clock_hz", heading)
        self.assertIn("external_bytes_per_second", heading)
        lines = [line for line in text.splitlines()[2:] if line[:2] in ("1 ", "2 ", "3 ", "4 ")]
        self.assertEqual(len({tuple(line.split()[1:3]) for line in lines}), len(rows), text)

    def test_quiet_and_the_table_round_alike(self):
        """The milliseconds of a row are those of the one line that the same run prints."""
        text, rows = self.sweep()
        for number, row in enumerate(rows, 1):
            sets = [word for part in row["config"].split()[1:] for word in ("--set", part)]
            quiet = self.execute("estimate", program.DEMO, "--memory", "external", *sets, "-q").stdout
            value, unit = re.search(r", ([\d.]+) (us|ms), ", quiet).groups()
            told = float(value) / (1000 if unit == "us" else 1)
            line = next(line for line in text.splitlines()[2:] if line.startswith(f"{number} "))
            self.assertIn(f"{told:.6f}", [word for word in line.split() if re.fullmatch(r"[\d,]*\.\d+", word)], (quiet, line))

    def test_a_toml_file_takes_sizes_as_text(self):
        for text, size in (('"512KiB"', 512 << 10), ('"1MiB"', 1 << 20), ("524288", 512 << 10)):
            (self.folder / "m.toml").write_text(f'base = "v256"\nsram_bytes = {text}\n')
            shown = self.execute("config", "show", "m.toml").stdout
            self.assertRegex(shown, rf"(?m)^sram_bytes +{size} ", text)
        (self.folder / "m.toml").write_text('base = "v256"\nsram_bytes = "many"\n')
        done = self.execute("config", "check", "m.toml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("sram_bytes", done.stderr)


if __name__ == "__main__":
    program.main()
