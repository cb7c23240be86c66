# SPDX-License-Identifier: Apache-2.0
"""A disk that fills up while results are written: one line, exit code 2, and everything stands as it did before."""

import resource
import shutil

import program

OLD = {"r.json": "old report\n", "r.csv": "old table\n", "m.vnpu": "old package\n"}
RUN = ["run", program.DEMO, "-q", "--output-dir", "disk/new/out", "--report", "disk/r.json", "--report", "disk/r.csv"]
COMPILE = ["compile", program.DEMO, "-q", "-o", "disk/m.vnpu"]


class FullDisk(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        for name, text in OLD.items():
            (self.disk / name).write_text(text)

    def assert_refused(self, done, place, reason):
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, rf"\Avernier: disk/[^\n]+: cannot be (written|made): {reason}\n\Z")
        self.assertEqual({path.name: path.read_text() for path in place.iterdir()}, OLD)

    def test_limit_on_the_size_of_files(self):
        """The system refuses to let a file grow: as a disk that is full, without rights to make one."""
        self.execute(*RUN), self.execute(*COMPILE)
        sizes = {path: path.stat().st_size for path in self.disk.rglob("*") if path.is_file()}
        shutil.rmtree(self.disk / "new")
        for name, text in OLD.items():
            (self.disk / name).write_text(text)
        for arguments in (RUN, COMPILE):
            needed = sizes[self.disk / ("r.json" if arguments is RUN else "m.vnpu")]
            for limit in (0, 1, 100, 200, 4096, needed - 64):
                with self.subTest(command=arguments[0], limit=limit):
                    done = self.execute(*arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
                    self.assert_refused(done, self.disk, "File too large")

    def test_every_output(self):
        """Whatever writes a file: nothing of it is left, and the files of the tests before stay."""
        self.assertEqual(self.execute("run", program.DEMO, "-q", "--report", "a.json").returncode, 0)
        self.assertEqual(self.execute("compile", program.DEMO, "-q", "-o", "a.vnpu").returncode, 0)
        run = ["run", program.DEMO, "-q"]
        commands = [[*run, option, f"disk/n.{ending}"] for option, endings in
                    {"--report": ["json", "csv", "html", "mx.json"], "--wave": ["vcd", "ftr"], "--timeline": ["json", "perfetto-trace"]}.items()
                    for ending in endings]
        commands += [["dump", program.DEMO, *what, "-o", f"disk/n.{ending}"] for ending in ("npy", "txt", "hex")
                     for what in (["--accumulator", "@700"], ["--tensor", "residual_a"], ["--sram", "0x0:0x1000@700"])]
        commands += [["dump", program.DEMO, "--tensor", "all", "-o", "disk/all"], ["convert", program.DEMO, "-o", "disk/n.tosa"],
                     ["explain", program.DEMO, "--layer", "4", "--report", "disk/n.json"],
                     ["disasm", "a.vnpu", "--report", "disk/n.json"], *(["compare", "a.json", "a.json", "--report", f"disk/n.{ending}"]
                                                                       for ending in ("json", "html"))]
        self.assert_each_refused(commands)

    def test_every_output_of_a_co_simulation(self):
        done = self.execute("cosim", "table", "--vectors", 1)
        if done.returncode == 2 and "built without Verilator" in done.stderr:
            self.skipTest("the program has no RTL")
        self.assert_each_refused([["cosim", subject, *more, option, f"disk/n.{ending}"]
                                  for subject, more in (("table", ["--vectors", 50]), (program.DEMO, ["--config", "v64"]))
                                  for option, ending in (("--report", "json"), ("--wave", "vcd"))])

    def assert_each_refused(self, commands):
        for arguments in commands:
            with self.subTest(arguments=arguments):
                done = self.execute(*arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
                self.assert_refused(done, self.disk, "File too large")
                self.assertEqual(self.execute(*arguments).returncode, 0)
                for path in set(self.disk.iterdir()) - {self.disk / name for name in OLD}:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()

    def in_small_file_system(self, kibibytes, arguments):
        """Runs with a file system of that size at disk/; what is in it afterwards is copied to after/. None where this user
        may not make one."""
        after = self.folder / "after"
        shutil.rmtree(after, ignore_errors=True)
        after.mkdir()
        script = ('cp -r disk before && mount -t tmpfs -o size="$0"k,mode=755 tmpfs disk && cp before/* disk/ || exit 99\n'
                  '"$@"; code=$?; cp -r disk/. after; exit $code')
        for unshare in (["unshare", "-m"], ["unshare", "-rm"]):
            shutil.rmtree(self.folder / "before", ignore_errors=True)
            done = self.execute(*arguments, prefix=[*unshare, "sh", "-c", script, str(kibibytes)], codes=None)
            if done.returncode != 99 and "unshare:" not in done.stderr:
                return done
        return None

    def test_file_system_without_room(self):
        if shutil.which("unshare") is None or self.in_small_file_system(4096, RUN) is None:
            self.skipTest("neither root nor user name spaces here: no file system of a limited size can be made")
        self.assertTrue((self.folder / "after" / "new" / "out" / "TosaOutput_0.npy").is_file())
        after = self.folder / "after"
        for arguments, sizes in ((RUN, (12, 16, 20, 24)), (COMPILE, (12, 16, 32))):
            for kibibytes in sizes:
                with self.subTest(command=arguments[0], kibibytes=kibibytes):
                    done = self.in_small_file_system(kibibytes, arguments)
                    self.assert_refused(done, after, "No space left on device")
        self.assertEqual(self.in_small_file_system(4096, COMPILE).returncode, 0)
        self.assertEqual((after / "m.vnpu").read_bytes()[:4], b"VNPU")


if __name__ == "__main__":
    program.main()
