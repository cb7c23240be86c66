# SPDX-License-Identifier: Apache-2.0
"""The program says which commit it was built from: cmake/WriteCommit.cmake, as each build runs it, and what it becomes."""

import pathlib
import re
import shlex
import shutil
import subprocess
import unittest

import program

SCRIPT = program.ROOT / "cmake" / "WriteCommit.cmake"


@unittest.skipUnless(shutil.which("cmake") and shutil.which("git"), "needs cmake and git")
class Commit(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.sources = self.folder / "sources"
        self.sources.mkdir()
        (self.sources / "a.txt").write_text("one\n")
        self.written = self.folder / "commit.cpp"

    def git(self, *arguments):
        names = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        return subprocess.run(["git", *names, *arguments], cwd=self.sources, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self):
        """What the script writes, and whether it wrote."""
        before = self.written.stat().st_mtime_ns if self.written.exists() else None
        subprocess.run(["cmake", f"-DSOURCE_DIR={self.sources}", f"-DOUTPUT={self.written}", "-P", SCRIPT], check=True,
                       capture_output=True)
        found = re.search(r'commit\(\) \{ return "(.*)"; \}', self.written.read_text()).group(1)
        return found, self.written.stat().st_mtime_ns != before

    def test_it_follows_the_checkout(self):
        self.assertEqual(self.commit(), ("", True))  # no git here
        self.git("init", "-q")
        self.assertEqual(self.commit(), ("", False))  # no commit yet
        self.git("add", "a.txt")
        self.git("commit", "-q", "-m", "one")
        first = self.git("rev-parse", "HEAD")[:12]
        self.assertEqual(self.commit(), (first, True))
        self.assertEqual(self.commit(), (first, False))
        (self.sources / "new.txt").write_text("not in git\n")
        self.assertEqual(self.commit(), (first, False))
        (self.sources / "a.txt").write_text("two\n")
        self.assertEqual(self.commit(), (first + ".dirty", True))
        self.git("commit", "-q", "-a", "-m", "two")
        second = self.git("rev-parse", "HEAD")[:12]
        self.assertNotEqual(first, second)
        self.assertEqual(self.commit(), (second, True))

    def test_a_checkout_around_the_sources_is_another_project(self):
        subprocess.run(["git", "init", "-q"], cwd=self.folder, check=True)
        self.git("add", "a.txt")
        self.git("commit", "-q", "-m", "one")
        self.assertEqual(self.commit(), ("", True))


class Version(program.ProgramTest):
    def test_the_program_and_its_reports_name_one_commit(self):
        shown = self.execute("--version").stdout
        report, _ = self.run_model(program.DEMO)
        self.assertEqual(shown, f"vernier {report['tool_version']}\n")
        number, _, commit = report["tool_version"].partition("+g")
        self.assertRegex(number, r"^\d+\.\d+\.\d+$")
        self.assertRegex(commit, r"^([0-9a-f]{12}(\.dirty)?)?$")
        self.assertEqual(report["run"]["commit"], commit)

    def test_the_command_line_can_be_given_again(self):
        folder = self.folder / "a b's \"c\" $d"
        folder.mkdir()
        model = shutil.copy(program.DEMO, folder / "demo;.tosa")
        arguments = ["run", str(model), "-q", "--seed=7", "--report", str(folder / "r.json")]
        self.assertEqual(self.execute(*arguments).returncode, 0)
        line = program.read_json(folder / "r.json")["run"]["command_line"]
        self.assertEqual(shlex.split(line)[1:], arguments)
        name = pathlib.Path(shlex.split(line)[0])
        self.assertEqual(name.name, str(name))
        shell = subprocess.run(["bash", "-c", f"printf '%s\\n' {line}"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(shell.splitlines()[1:], arguments)


if __name__ == "__main__":
    program.main()
