# SPDX-License-Identifier: Apache-2.0
"""What the computer cannot give, and what must not be taken from it: memory that cannot be had, files that a command reads,
warnings in few words, names that a terminal would obey."""

import fcntl
import json
import os
import pty
import re
import resource
import select
import shutil
import struct
import termios

import npy
import program
import tosa_file
from tosa_file import graph, operator, tensor

MEBI = 1 << 20
NO_MEMORY = re.compile(r"\Avernier: [^\n]*(no address space for [\d,]+ B|out of memory while [^\n:]+: [\d,]+ B could not be had|"
                       r"out of memory while [^\n:]+: more could not be had)[^\n]*'ulimit -v' allows [\d,]+ MiB\n\Z")
ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\x7f"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f]")


def limit_address_space(mebibytes):
    def apply():
        resource.setrlimit(resource.RLIMIT_AS, (mebibytes * MEBI, mebibytes * MEBI))
    return apply


class Memory(program.ProgramTest):
    def setUp(self):
        super().setUp()
        starts = [limit for limit in range(8, 200, 2)
                  if self.execute("--version", preexec_fn=limit_address_space(limit), codes=None).returncode == 0]
        if not starts:
            self.skipTest("this program (a sanitizer's?) does not start in 200 MiB of address space")
        self.least = starts[0]
        self.model = program.MADE / "depthwise_separable" / "model.tosa"

    def test_address_space(self):
        """However little there is: the command is done, or one line says what could not be had."""
        package = self.compile(self.model)
        commands = [["run", self.model, "-q"], ["run", self.model, "-q", "--backend", "reference"], ["estimate", self.model, "-q"],
                    ["compile", self.model, "-q", "-o", "x.vnpu"], ["run", package, "-q"], ["inspect", package],
                    ["disasm", package], ["run", self.model, "-q", "--memory", "external", "--report", "r.json"]]
        refused = 0
        for command in commands:
            before = sorted(self.folder.iterdir())
            limits = [limit for limit in (60, 100, 500, 1953, 2300, 2500) if limit >= self.least]
            for mebibytes in [*range(self.least, self.least + 20), *limits]:
                with self.subTest(command=command, mebibytes=mebibytes):
                    done = self.execute(*command, preexec_fn=limit_address_space(mebibytes), codes=None)
                    if done.returncode == 0:
                        continue
                    refused += 1
                    self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                    self.assertRegex(done.stderr, NO_MEMORY)
                    left = [path for path in sorted(self.folder.iterdir()) if path.name not in ("x.vnpu", "r.json")]
                    self.assertEqual(left, [path for path in before if path.name not in ("x.vnpu", "r.json")])
        self.assertGreater(refused, 20)

    def test_ulimit_names_the_memory(self):
        done = self.execute("run", program.DEMO, preexec_fn=limit_address_space(1953))  # ulimit -v 2000000
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Avernier: simulated memory: no address space for 2,147,483,648 B of it: Cannot allocate "
                                      r"memory; \d+ MiB of address space are in use, 'ulimit -v' allows 1,953 MiB\n\Z")

    def test_a_network_that_is_too_large_for_the_computer(self):
        model = self.folder / "large.tosa"
        model.write_bytes(tosa_file.one_operator(shape=(200, 1000, 1000)))
        done = self.execute("run", model, "--memory", "external", preexec_fn=limit_address_space(4000))
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, rf"\Avernier: {model}: out of memory while \w+: 800,000,000 B could not be had; ")


class ExternalMemory(program.ProgramTest):
    """More than the 2 GiB that addresses of the external memory reach."""
    REFUSAL = (r"\Avernier: {}: needs (at least )?(\d+) B \([\d.]+ MiB\) of external memory in memory mode 'external', "
               r"the machine's addresses reach 2147483648 B \(2048 MiB\)\n\Z")

    def refused(self, content, options=()):
        model = self.folder / "large.tosa"
        model.write_bytes(content)
        for command in (["estimate"], ["run", "--no-check"], ["compile", "-q", "-o", self.folder / "x.vnpu"]):
            for optimize in ("1", "0"):
                done = self.execute(*command, model, "--memory", "external", "--optimize", optimize, *options)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertRegex(done.stderr, self.REFUSAL.format(re.escape(str(model))))
                needed = int(re.search(r"(\d+) B", done.stderr).group(1))
                self.assertGreater(needed, 1 << 31)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["large.tosa"])
        return needed

    def test_input_and_output(self):
        self.refused(tosa_file.one_operator(shape=(1 << 10, 1 << 9, 1 << 9)))
        self.refused(tosa_file.one_operator(shape=((1 << 29) - 1,)))
        self.assertGreater(self.refused(tosa_file.one_operator(shape=(1 << 13, 1 << 10, 1 << 8)), ["--level", "none"]), 1 << 34)

    def test_elements(self):
        model = self.folder / "large.tosa"
        model.write_bytes(tosa_file.one_operator(shape=((1 << 31) - 1, (1 << 30) - 1)))
        for memory in ("sram", "weights-external", "external"):
            done = self.execute("estimate", model, "--level", "none", "--memory", memory)
            self.assertEqual(done.returncode, 2)
            self.assertIn("tensor 'x' [2147483647, 1073741823] has 2,305,843,005,992,468,481 elements, the NPU takes up to "
                          "2,147,483,648\n", done.stderr)

    def test_inner_tensors(self):
        """Larger than the SRAM: they have to lie outside, whatever the plan."""
        shape = (1 << 10, 200, 1 << 9)
        names = [f"t{i}" for i in range(8)]
        operators = [operator("CLZ" if i % 2 else "ABS", [names[i]], [names[i + 1]]) for i in range(7)]
        operators += [operator("ADD", [names[7], names[i]], [f"s{i}"]) for i in range(1, 7)]
        tensors = [tensor(name, shape) for name in names + [f"s{i}" for i in range(1, 7)]]
        self.refused(graph(tensors, operators, ["t0"], [f"s{i}" for i in range(1, 7)]))

    def test_many_outputs(self):
        shape = (64, 200, 1 << 9)  # 25 MiB each: any of them could lie in the SRAM, not all
        names = [f"t{i}" for i in range(100)]
        operators = [operator("CLZ" if i % 2 else "ABS", [names[i]], [names[i + 1]]) for i in range(99)]
        self.refused(graph([tensor(name, shape) for name in names], operators, ["t0"], names[1:]))
        # The same maps inside: only the plan knows how many of them lie outside.
        sums = [f"s{i}" for i in range(98, 0, -1)]
        operators += [operator("ADD", [left, right], [result])
                      for left, right, result in zip([names[-1], *sums], reversed(names[1:-1]), sums)]
        self.refused(graph([tensor(name, shape) for name in names + sums], operators, ["t0"], [sums[-1]]))

    def test_just_enough(self):
        model = self.folder / "large.tosa"
        model.write_bytes(tosa_file.one_operator(shape=(1 << 10, 450, 1 << 9)))
        self.assertEqual(self.execute("estimate", model, "-q", "--memory", "external").returncode, 0)


class Quiet(program.ProgramTest):
    def test_warnings_are_told(self):
        """Exit code 1 has a reason, and it is said."""
        names = [tensor(name, (4, 5)) for name in "xyz"]
        model = self.folder / "shift.tosa"
        model.write_bytes(graph(names, [operator(22, ["x", "y"], ["z"])], ["x", "y"], ["z"]))
        for backend in ("sim", "reference"):
            done = self.execute("run", model, "-q", "--backend", backend)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stdout.count("\n"), 1)
            self.assertRegex(done.stderr, r"\Avernier: warning: LOGICAL_LEFT_SHIFT [^\n]+\n\Z")
            done = self.execute("run", model, "-q", "--report", "-", "--backend", backend)
            self.assertEqual(len(json.loads(done.stdout)["warnings"]), 1)
            self.assertIn("\nvernier: warning: LOGICAL_LEFT_SHIFT ", done.stderr)


class Overwriting(program.ProgramTest):
    """Nothing is written over what is read, or twice: whatever the path, whether a link or the file itself."""

    def setUp(self):
        super().setUp()
        self.model = self.folder / "model.json"
        self.model.write_bytes(program.DEMO.read_bytes())
        (self.folder / "in.npy").write_bytes(npy.to_bytes(npy.zeros("int8", (1, 8, 8, 1))))
        (self.folder / "m.toml").write_text('base = "v256"\nsram_bytes = 65536\n')
        (self.folder / "sub").mkdir()
        (self.folder / "soft.json").symlink_to("model.json")
        os.link(self.model, self.folder / "hard.json")
        (self.folder / "dangling.json").symlink_to("new.json")
        (self.folder / "toml.csv").symlink_to("m.toml")
        (self.folder / "npy.json").symlink_to("in.npy")

    def refused(self, arguments, *texts):
        before = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        done = self.execute(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), f"{arguments}: {done.stderr}")
        self.assertRegex(done.stderr, r"\Avernier: [^\n]+ would overwrite [^\n]+, expected another file\n\Z")
        for text in texts:
            self.assertIn(text, done.stderr)
        self.assertEqual({path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}, before)

    def test_reports(self):
        for report in ("model.json", "./model.json", "sub/../model.json", self.folder / "model.json", "soft.json", "hard.json"):
            self.refused(["run", "model.json", "--report", report], "--report", "MODEL 'model.json'")
            self.refused(["estimate", "model.json", "--report", report], "--report", "MODEL 'model.json'")
        self.refused(["run", "model.json", "--config", "m.toml", "--report", "toml.csv"], "--config 'm.toml'")
        self.refused(["run", "model.json", "--input", "in.npy", "--report", "npy.json"], "--input 'in.npy'")
        self.refused(["run", "model.json", "--input", "TosaInput_0=in.npy", "--report", "npy.json"], "--input 'in.npy'")

    def test_reports_twice(self):
        for other in ("r.json", "./r.json", "sub/../r.json", self.folder / "r.json"):
            self.refused(["run", "model.json", "--report", "r.json", "--report", other], "--report 'r.json' of the same run")
        self.refused(["run", "model.json", "--report", "dangling.json", "--report", "new.json"], "of the same run")

    def test_outputs(self):
        output = self.folder / "out" / "TosaOutput_0.npy"
        output.parent.mkdir()
        output.symlink_to("../in.npy")
        self.refused(["run", "model.json", "--input", "in.npy", "--output-dir", "out"], "--output-dir", "--input 'in.npy'")
        output.unlink()
        os.link(self.folder / "in.npy", output)
        self.refused(["run", "model.json", "--input", "in.npy", "--output-dir", "out"], "--output-dir", "--input 'in.npy'")
        self.refused(["run", "model.json", "--input", output, "--output-dir", "out"], "--output-dir")
        output.write_bytes(self.model.read_bytes())
        self.refused(["run", output, "--output-dir", "out"], "--output-dir", "MODEL")
        (self.folder / "r.json").symlink_to("out2/TosaOutput_0.npy")
        (self.folder / "out2").mkdir()
        self.refused(["run", "model.json", "--report", "r.json", "--output-dir", "out2"], "of the same run")

    def test_packages(self):
        self.refused(["compile", "model.json", "-o", "soft.json"], "MODEL 'model.json'")
        self.refused(["compile", "model.json", "-o", "m.toml", "--config", "m.toml"], "--config 'm.toml'")
        self.compile("model.json", name="p.json")
        self.refused(["disasm", "p.json", "--report", "./p.json"], "PACKAGE 'p.json'")

    def test_others_stay_allowed(self):
        arguments = ["run", "model.json", "-q", "--input", "in.npy", "--output-dir", ".", "--report", "dangling.json", "--report", "r.csv",
                     "--report", "/dev/stdout"]
        done = self.execute(*arguments[:-2])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "dangling.json").is_symlink())
        self.assertEqual(self.execute(*arguments[:-2]).returncode, 0)  # over the results of the last run


class Escapes(program.ProgramTest):
    """What stands in a file's or a tensor's name is shown, never obeyed."""

    def model(self, **names):
        path = self.folder / f"m{ESCAPES}.tosa"
        path.write_bytes(tosa_file.graph([tensor("x" + ESCAPES, (2, 3)), tensor("y" + ESCAPES, (2, 3))],
                                         [operator("CLZ", ["x" + ESCAPES], ["y" + ESCAPES])], ["x" + ESCAPES], ["y" + ESCAPES],
                                         **names))
        return path

    def assert_harmless(self, text):
        self.assertIsNone(OBEYED.search(text), repr(text))

    def test_every_command(self):
        model = self.model()
        package = self.compile(model, name=f"p{ESCAPES}.vnpu")
        for arguments in (["run", model, "-v", "--check-all"], ["run", model, "-q"], ["run", model, "--report", "-"], ["estimate", model],
                          ["run", package], ["inspect", model], ["inspect", package], ["disasm", package],
                          ["disasm", package, "--report", "-"], ["compile", model, "-o", f"q{ESCAPES}.vnpu"],
                          *(["compile", model, "--dump", stage] for stage in ("ir", "schedule", "stream"))):
            with self.subTest(arguments=arguments):
                done = self.execute(*arguments)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assert_harmless(done.stdout)
                self.assert_harmless(done.stderr)

    def test_errors(self):
        model = self.model()
        for arguments in (["run", f"none{ESCAPES}"], ["run", self.folder, f"--{ESCAPES}"], ["run", model, "--config", ESCAPES],
                          ["run", model, "--input", f"{ESCAPES}=x.npy"], ["run", model, "--report", f"{ESCAPES}.json/r.json"],
                          [ESCAPES], ["help", ESCAPES], ["run", model, "--sram-bytes", ESCAPES], ["run", model, "--output-dir", model]):
            with self.subTest(arguments=arguments):
                done = self.execute(*arguments)
                self.assertEqual(done.returncode, 2)
                self.assert_harmless(done.stderr)
                self.assertIn("\\x1b", done.stderr)
        model.write_bytes(tosa_file.one_operator(version=(3, 0, 0, False)))
        self.assert_harmless(self.execute("run", model).stderr)

    def test_json_holds_the_name(self):
        report, _ = self.run_model(self.model())
        self.assertEqual(report["outputs"][0]["tensor"], "y" + ESCAPES)
        done = self.execute("run", self.model(), "--report", "-")
        self.assertEqual(json.loads(done.stdout)["outputs"][0]["tensor"], "y" + ESCAPES)

    def test_bytes_that_are_no_utf_8(self):
        path = os.path.join(os.fsencode(self.folder), b"bad\xff\xc2.tosa")
        with open(path, "wb") as file:
            file.write(b"no network")
        done = self.execute("run", os.fsdecode(path))
        self.assertEqual(done.returncode, 2)
        self.assertIn("bad\\xff\\xc2.tosa: ", done.stderr)

    def test_on_a_terminal(self):
        """With colours and progress: sequences of the program's own, and no others."""
        model = self.model()
        for arguments in (["run", str(model)], ["run", "none" + ESCAPES]):
            text = self.shown_on_terminal(*arguments)
            self.assertIn("\\x1b", text)
            self.assert_harmless(re.sub("\x1b\\[[0-9;]*m|\r\x1b\\[K|\r\n", "", text))

    def shown_on_terminal(self, *arguments, **variables):
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.pop("NO_COLOR", None)
            os.environ.update({"TERM": "xterm", **variables})
            os.chdir(self.folder)
            os.execv(self._program, [self._program, *map(str, arguments)])
        shown = b""
        while select.select([terminal], [], [], 30)[0]:
            try:
                piece = os.read(terminal, 65536)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        os.waitpid(pid, 0)
        os.close(terminal)
        return shown.decode("utf-8", "replace")

    def test_every_command_on_a_terminal(self):
        """No sequence is shown as text; none of colour where the terminal is dumb; the slow ones tell what they do."""
        package = self.compile(program.DEMO)
        self.execute("run", program.DEMO, "--report", "r.json", "-q")
        demo = program.DEMO
        commands = [["run", demo], ["estimate", demo], ["run", demo, "--config", "v64,v256"], ["compile", demo, "-o", "d.vnpu"],
                    ["compile", demo, "--dump", "schedule"], ["disasm", package], ["dump", demo, "--tensor", "4"],
                    ["explain", demo, "--layer", "4"], ["inspect", demo], ["cosim", "nothing"], ["convert", demo, "-o", "c.tosa"],
                    ["quantize", "none.npy"], ["dequantize", "none.npy"], ["encodings", "check", "none.json"],
                    ["compare", "r.json", "r.json"], ["verify", "--desc", "none"], ["config", "list"], ["config", "show", "v64"], ["version"], ["help"]]
        there = set(re.findall(r"^  (\w+) ", self.execute("--help").stdout.split("SUBCOMMANDS:")[-1].split("Subcommands:")[-1], re.M))
        self.assertEqual(there - {command[0] for command in commands} - {"vernier", "simulate", "one", "the"}, set())
        for arguments in commands:
            with self.subTest(arguments=arguments):
                shown = self.shown_on_terminal(*arguments)
                self.assertNotIn("\\x1b", shown)
                self.assertNotIn("\x1b[1m", self.shown_on_terminal(*arguments, TERM="dumb"))
                if arguments[0] in ("explain", "dump", "compile"):
                    self.assertIn("compiling ...", shown)
        self.assertIn("\x1b[1m", self.shown_on_terminal("explain", demo, "--layer", "4"))

    def test_progress_keeps_to_one_line_of_the_terminal(self):
        """One that wraps could not be cleared: its first rows would stay."""
        folder = self.folder / ("a_long_name_" * 8)
        folder.mkdir()
        shutil.copy(program.DEMO, folder / "demo.tosa")
        for columns in (30, 80):
            pid, terminal = pty.fork()
            if pid == 0:
                fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
                os.execv(self._program, [self._program, "run", "-q", str(folder / "demo.tosa")])
            shown = b""
            while select.select([terminal], [], [], 30)[0]:
                try:
                    shown += os.read(terminal, 65536)
                except OSError:
                    break
            os.waitpid(pid, 0)
            os.close(terminal)
            lines = [piece for piece in re.split("\r\x1b\\[K", shown.decode()) if piece.endswith(" ...")]
            self.assertGreater(len(lines), 2, shown)
            self.assertIn("reading ", lines[0])
            self.assertIn("...", lines[0][:-4])
            self.assertEqual([line for line in lines if len(line) >= columns], [])


if __name__ == "__main__":
    program.main()
