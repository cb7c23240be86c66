# SPDX-License-Identifier: Apache-2.0
"""A guide's commands, tried: each block marked sh runs in a folder with the demo network, and a block without a mark after it is what
it prints, to the letter. VERNIER_UPDATE_GOLDEN=1 writes those blocks anew: read the difference, and the text around them."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
NUMBER = re.compile(r"(?<![\d,.])\d{1,3}(?:,\d{3})+(?![\d,])")


class Failed(Exception):
    pass


def expect(holds, what):
    if not holds:
        raise Failed(what)


def folder_with_demo():
    """A temporary folder that `with` opens: the network, RTL that is not ours, and ours."""
    folder = tempfile.TemporaryDirectory(prefix="vernier_guide_")
    shutil.copy(ROOT / "tests/e2e/demo/demo.tosa", folder.name)
    shutil.copytree(ROOT / "tests/cosim/foreign", pathlib.Path(folder.name) / "foreign")
    shutil.copytree(ROOT / "hw/rtl", pathlib.Path(folder.name) / "rtl")
    return folder


def execute(block, folder, vernier):
    """What the commands print to standard output."""
    environment = {**os.environ, "PATH": f"{vernier.parent}:{os.environ['PATH']}", "COLUMNS": "100", "VERNIER_SOURCE": str(ROOT),
                   "XDG_CACHE_HOME": str(vernier.parent / "rtl_cache")}
    print(block, end="", flush=True)
    done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", block], cwd=folder, env=environment, capture_output=True, text=True,
                          check=False)
    expect(done.returncode == 0, f"exit code {done.returncode}: {block}{done.stdout}{done.stderr}")
    return "".join(re.sub(r"^host: .*", "host: ...", line).rstrip() + "\n" for line in done.stdout.splitlines())


def try_page(page_file, folder, vernier):
    """Runs all of a page's commands; Failed where one fails or prints something else, or where the text has a number such as 1,234
    that no block shows."""
    page = page_file.read_text(encoding="utf-8")
    fresh, printed, shown, taken = "", None, "", 0
    for match in BLOCK.finditer(page):
        kind, block = match.groups()
        if kind == "sh":
            printed = execute(block, folder, vernier)
        elif kind == "":
            expect(printed is not None, f"{page_file.name}: a block without commands before it: {block}")
            if os.environ.get("VERNIER_UPDATE_GOLDEN"):
                fresh += f"{page[taken:match.start()]}```\n{printed}```"
                taken = match.end()
            else:
                expect(block == printed, f"{page_file.name} has\n{block}printed is\n{printed}(VERNIER_UPDATE_GOLDEN=1 rewrites it)")
            shown += printed
            printed = None
    fresh += page[taken:]
    if fresh != page:
        page_file.write_text(fresh, encoding="utf-8")
    prose = re.sub(r"^```.*?^```$", "", fresh, flags=re.M | re.S)
    missing = sorted(set(NUMBER.findall(prose)) - set(NUMBER.findall(shown)))
    expect(not missing, f"{page_file.name}: the text says {missing}, which no block shows")
