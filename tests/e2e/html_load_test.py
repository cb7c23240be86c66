# SPDX-License-Identifier: Apache-2.0
"""Pages of large networks: below 2 MB, and how long a browser takes to open them: until it has drawn what the reader sees first, and until
it has drawn all. The times are printed and decide nothing, but more than MOST_MS is a failure also on a machine that is busy.

html_load_test.py PATH_TO_VERNIER [unittest's arguments]
"""

import unittest

import browser
import program

MOST_BYTES = 2_000_000
MOST_MS = 5000
MARKS = ("vernier-ready", "vernier-complete")
NETWORK = program.GOLDEN / "resnet50_int8" / "model.tosa"
# In 48 KiB of SRAM it is cut into 49,000 commands and 34,000 places.
MACHINES = (["--config", "v256"], ["--config", "v256", "--memory", "external"], ["--config", "v256-port8"])


@unittest.skipIf(not NETWORK.exists(), f"{NETWORK.parent} is not there")
class Large(program.ProgramTest):
    def pages(self):
        for i, machine in enumerate(MACHINES):
            file = self.folder / f"{i}.html"
            done = self.execute("estimate", NETWORK, "-q", *machine, "--report", file)
            self.assertEqual(done.returncode, 0, done.stderr)
            yield " ".join(machine), file

    def test_size(self):
        for machine, file in self.pages():
            size = file.stat().st_size
            print(f"resnet50_int8 {machine}: {size:,} bytes")
            self.assertLess(size, MOST_BYTES)

    @unittest.skipIf(browser.find() is None, "chromium or chromedriver is not installed")
    def test_load(self):
        with browser.Browser() as window:
            for machine, file in self.pages():
                times = []
                for _ in range(5):
                    window.open(file)
                    window.wait_for(f"performance.getEntriesByName('{MARKS[-1]}').length > 0")
                    times.append(window.run("return arguments[0].map((mark) => performance.getEntriesByName(mark)[0].startTime)", MARKS))
                self.assertEqual(window.log(), [])
                first, last = (min(marks) for marks in zip(*times, strict=True))
                print(f"resnet50_int8 {machine}: what is seen first is drawn after {first:.0f} ms, all after {last:.0f} ms, the best of {len(times)}")
                self.assertLess(last, MOST_MS, machine)


if __name__ == "__main__":
    program.main()
