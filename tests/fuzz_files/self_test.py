# SPDX-License-Identifier: Apache-2.0
"""The judge of fuzz_files.py, with programs that do wrong in place of vernier; and the package format that mutate.py knows.

usage: self_test.py VERNIER"""

import contextlib
import io
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import fuzz_files
import mutate

REFUSE = "echo 'vernier: bad file' >&2; exit 2"


class Judge(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def fuzz(self, script, *options):
        """Exit code and text of a short campaign against a shell script that does the same for every file."""
        program = self.folder / "vernier"
        # Packages to start from are whatever `compile ... -o FILE` writes: the real program's.
        program.write_text(f'#!/bin/sh\nif [ "${{2##*/}}" = good.tosa ]; then exec {VERNIER} "$@"; fi\n{script}\n')
        program.chmod(0o755)
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            code = fuzz_files.main(["--vernier", str(program), "--count", "3", "--jobs", "1", "--seed", "3",
                                    "--keep", str(self.folder / "kept"), *options])
        return code, text.getvalue()

    def test_a_good_program_passes(self):
        code, text = self.fuzz(REFUSE)
        self.assertEqual(code, 0, text)
        self.assertIn("3 with 2", text)
        self.assertFalse((self.folder / "kept").exists())

    def test_what_is_found(self):
        for script, expected in (("exit 70", "exit code 70"), ("kill -SEGV $$", "exit code -11"),
                                 ("echo 'ERROR: AddressSanitizer: x' >&2; exit 1", "AddressSanitizer"),
                                 ("exit 2", "without a line"), (f"echo two >&2; {REFUSE}", "more than there are"),
                                 (f"echo text; {REFUSE}", "printed"), (f"touch r.json; {REFUSE}", "r.json"),
                                 ("touch .r.json.tmp1", "left behind")):
            with self.subTest(script=script):
                code, text = self.fuzz(script)
                self.assertEqual(code, 1, text)
                self.assertIn(expected, text)
                self.assertIn("3 failed", text)
                self.assertEqual(len(list((self.folder / "kept").iterdir())), 3)

    def test_what_is_found_of_encodings(self):
        lines = "echo 'vernier: bad.json:1: error: a' >&2; echo 'vernier: bad.json:2: warning: b' >&2"
        code, text = self.fuzz(f"{lines}; exit 2", "--kinds", "encodings")
        self.assertEqual(code, 0, text)
        for script, expected in (("echo no line >&2; exit 2", "without a line"), (f"{lines}; echo x > out.json; exit 2", "out.json"),
                                 ("[ $2 != convert ] || echo '{}' > $5; [ $3 != out.json ]", "refused, or changes"),
                                 ("[ $2 != convert ] || date +%N > $5", "becomes another file")):
            with self.subTest(script=script):
                code, text = self.fuzz(script, "--kinds", "encodings", "--count", "12")
                self.assertEqual(code, 1, text)
                self.assertIn(expected, text)

    def test_damaged_json_is_mostly_json(self):
        good = fuzz_files.encodings_file.text(fuzz_files.encodings_file.document("0.6.1")).encode()
        damaged = [mutate.json_knowingly(random.Random(number), good) for number in range(200)]
        self.assertGreater(len(set(damaged)), 150)
        self.assertNotIn(good, damaged)

    def test_time_and_memory(self):
        for script, options, expected in ((":", ("--seconds", "0"), "processor time"), (":", ("--mib", "0"), "MiB, allowed")):
            code, text = self.fuzz(script, *options)
            self.assertEqual(code, 1)
            self.assertIn(expected, text)

    def test_the_same_seed_makes_the_same_cases(self):
        corpora = [fuzz_files.Corpus(VERNIER, self.folder) for _ in range(2)]
        cases = [[fuzz_files.make_case(corpus, 9, index) for index in range(20)] for corpus in corpora]
        self.assertEqual(cases[0], cases[1])
        self.assertNotEqual(cases[0][:5], [fuzz_files.make_case(corpora[0], 8, index) for index in range(5)])

    def test_bad_options(self):
        for options in (["--count", "0"], ["--vernier", "none"], ["--frobnicate"]):
            with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit) as raised:
                fuzz_files.main(options)
            self.assertEqual(raised.exception.code, 2)


class Packages(unittest.TestCase):
    def test_fields_are_those_of_the_format(self):
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder) / "demo.vnpu"
            demo = fuzz_files.ROOT / "tests/e2e/demo/demo.tosa"
            subprocess.run([VERNIER, "compile", str(demo), "-q", "-o", str(package)], check=True)
            content = package.read_bytes()
            self.assertEqual(mutate.mended(content), content)
            fields = mutate.Fields(content)
            self.assertEqual(content[slice(*fields.source)], demo.read_bytes())
            damaged = [mutate.knowingly(random.Random(number), content) for number in range(50)]
            self.assertGreaterEqual(min(map(len, damaged)), len(content))
            self.assertLess(damaged.count(content), 3)  # a number may be drawn that was there before

    def test_control_flow_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder) / "demo.vnpu"
            demo = fuzz_files.ROOT / "tests/e2e/demo/demo.tosa"
            subprocess.run([VERNIER, "compile", str(demo), "-q", "-o", str(package)], check=True)
            content, codes, texts = package.read_bytes(), set(), ""
            for number in range(30):
                made = mutate.with_flow(random.Random(number), content)
                mutate.Fields(made)
                package.write_bytes(mutate.mended(made))
                done = subprocess.run([VERNIER, "disasm", str(package)], capture_output=True, text=True, check=False)
                codes.add(done.returncode)
                texts += done.stdout
            self.assertEqual(codes, {0, 2})
            self.assertIn("#    5 loop", texts)


if __name__ == "__main__":
    VERNIER = str(pathlib.Path(sys.argv[1]).resolve(strict=True))
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
