# SPDX-License-Identifier: Apache-2.0
"""A study of 2,000 points on a cluster of which a process is killed, against the program: study_at_large.py VERNIER FOLDER.

Networks: those of tests/golden, made ones, and the models of the folder ../shared where there is one.
"""

import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import sys

import study_cases
import vernier
from study_cases import NETWORKS, ROOT, rows_of

sys.path.insert(0, str(ROOT / "tests" / "bench"))
from made_graph import Graph  # noqa: E402

SHARED = ROOT.parent / "shared" / "models"
LEAST_POINTS = 2000
PROGRAM = FOLDER = None


def made(folder):
    """Networks of one to four layers, as the bench makes them."""
    files = []
    for layers in (1, 2, 4):
        graph = Graph(seed=layers)
        x = graph.input([1, 12, 12, 16])
        for _ in range(layers):
            x = graph.conv2d(x, 16, kernel=(3, 3), pad=(1, 1, 1, 1))
        graph.output(x)
        files.append(folder / f"made_{layers}.tosa")
        graph.write(files[-1])
    return files


class AtLarge(study_cases.StudyTest):
    def test_many_points_equal_the_program(self):
        models = [*sorted(NETWORKS.glob("*/model.tosa")), *made(self.folder), ROOT / "tests/e2e/demo/demo.tosa"]
        further = []
        if SHARED.is_dir():
            further = [{"model": model, "config": config} for model in sorted(SHARED.glob("*_tiny/*.tflite")) for config in ("v64", "v256")]
        else:
            print(f"without the models of {SHARED}, which is not there")
        study = vernier.Study(models, ["v64", "v256"], ["sram", "external"], ["16KiB", "1MiB"],
                              set={"external_bytes_per_second": [4e9, 16e9]}, points=further, file=FOLDER / "large.sqlite")
        self.assertGreater(len(study), LEAST_POINTS)
        address, nannies = self.cluster()
        killed = []

        def kill(progress):
            if not killed and progress.done > progress.total // 2:
                killed.append(nannies[0].pid)
                os.killpg(nannies[0].pid, signal.SIGKILL)
            rates[:] = [progress.points_per_second]

        rates = []
        study.run(address, progress=kill)
        rows = rows_of(FOLDER / "large.sqlite", "point, key, asked, exit_code")
        self.assertEqual((len(rows), len({key for _, key, _, _ in rows})), (len(study), len(study)))
        self.assertLessEqual(set(study.exit_codes()), {0, 2})
        good = [(point, json.loads(asked)) for point, _, asked, exit_code in rows if exit_code == 0]
        print(f"{len(rows)} points, {len(rows) - len(good)} of them failed, {rates[0]:.1f} points per second")
        self.assertGreater(len(good), len(rows) // 2)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as programs:
            for (point, asked), wanted in zip(good, programs.map(self.estimated, good), strict=True):
                self.assertEqual(study_cases.steady(study.report(point)), study_cases.steady(wanted), asked)

    def estimated(self, good):
        point, asked = good
        folder = self.folder / str(point)
        folder.mkdir()
        try:
            return study_cases.estimated(PROGRAM, asked, folder)
        finally:
            shutil.rmtree(folder)


if __name__ == "__main__":
    PROGRAM, FOLDER = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    (FOLDER / "large.sqlite").unlink(missing_ok=True)
    study_cases.unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
