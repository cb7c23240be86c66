# SPDX-License-Identifier: Apache-2.0
"""Pages of large networks: below 2 MB, and how long a browser takes to open them, which is printed and decides nothing.

html_load_test.py PATH_TO_VERNIER [unittest's arguments]
"""

import unittest

import browser
import program

MOST_BYTES = 2_000_000
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
                for _ in range(3):
                    window.open(file)
                    window.wait_for("performance.getEntriesByName('vernier-ready').length > 0")
                    times.append(window.run("return performance.getEntriesByName('vernier-ready')[0].startTime"))
                self.assertEqual(window.log(), [])
                print(f"resnet50_int8 {machine}: drawn after {min(times):.0f} ms, the best of {len(times)}")


if __name__ == "__main__":
    program.main()
