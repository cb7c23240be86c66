#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the pictures of docs/guides anew, from the real program: pages in headless Chromium, a wave in GTKWave under Xvfb.

usage: screenshots.py VERNIER [PICTURE ...]; all pictures without names. Needs chromium and chromium-driver, gtkwave, xvfb and
imagemagick (Debian), and ../shared for the pages of ResNet-50. Look at the pictures before they are committed."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import browser
import program

GUIDES = HERE.parents[1] / "docs" / "guides"
RESNET = program.GOLDEN / "resnet50_int8" / "model.tosa"
COLORS = 64
WAVE_WIDTH = 1600
SECONDS_TO_DRAW = 6


def save(picture, name, *changes):
    """With few colours, so that a picture has tens of kilobytes."""
    file = GUIDES / name
    subprocess.run(["convert", picture, *changes, "+dither", "-colors", str(COLORS), "-strip", f"PNG8:{file}"], check=True)
    print(f"{file}: {file.stat().st_size:,} bytes")


@contextlib.contextmanager
def page_of_resnet(vernier, folder, height):
    """Its page on v256-port8, sorted by cycles, the costliest layer chosen."""
    subprocess.run([vernier, "estimate", RESNET, "-q", "--config", "v256-port8", "--report", folder / "r.html"], check=True)
    with browser.Browser(1200, height) as window:
        window.prefer("light")
        window.open(folder / "r.html")
        window.wait_for("performance.getEntriesByName('vernier-complete').length > 0")
        heading = window.run("return [...document.querySelectorAll('#layer_table th')].findIndex((e) => e.textContent === 'cycles') + 1")
        window.click(f"#layer_table th:nth-child({heading}) button")
        window.click("#layer_table tbody tr")
        window.run("document.querySelector('#layer_table .scroll').scrollLeft = 0")
        yield window


def picture_of(window, folder, selector):
    """From that element on."""
    window.run("document.querySelector(arguments[0]).scrollIntoView({block: 'start', behavior: 'instant'}); scrollBy(0, -10)", selector)
    window.screenshot(folder / "page.png")
    return folder / "page.png"


def report_layers(vernier, folder):
    with page_of_resnet(vernier, folder, 760) as window:
        save(picture_of(window, folder, "#layers .controls"), "report-layers.png")


def report_time(vernier, folder):
    with page_of_resnet(vernier, folder, 440) as window:
        window.click("#chosen_layer")
        for _ in range(6):
            window.click("#zoom_in")
        save(picture_of(window, folder, "#time .controls"), "report-time.png")


def wave(vernier, folder, name, arguments, view, height=1010):
    """GTKWave with the view that the program wrote."""
    shutil.copy(program.DEMO, folder / "demo.tosa")
    done = subprocess.run([vernier, *arguments], cwd=folder, stdout=subprocess.DEVNULL, check=False)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{' '.join(arguments)}: exit code {done.returncode}")
    reader, writer = os.pipe()
    screen = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{WAVE_WIDTH}x{height}x24"], pass_fds=[writer],
                              stderr=subprocess.DEVNULL)
    try:
        display = f":{os.read(reader, 20).decode().strip()}"
        environment = {**os.environ, "DISPLAY": display}
        viewer = subprocess.Popen(["gtkwave", "--save", view], cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(SECONDS_TO_DRAW)
        subprocess.run(["import", "-window", "root", folder / "wave.png"], env=environment, check=True)
        viewer.kill()
        viewer.wait()
    finally:
        screen.terminate()
        screen.wait()
    save(folder / "wave.png", name)


def wave_first_difference(vernier, folder):
    wave(vernier, folder, "wave-first-difference.png", ["run", "demo.tosa", "--inject", "accumulator:bitflip@700"],
         "demo.tosa.first-difference.fst.gtkw")


def wave_rtl_bug(vernier, folder):
    """The bug of debugging.md, and one lane of the rescale unit around its first mismatch."""
    (folder / "bug").mkdir()
    lane = (HERE.parents[1] / "hw/rtl/npu_rescale_lane.sv").read_text(encoding="utf-8")
    (folder / "bug/npu_rescale_lane.sv").write_text(lane.replace("{1'b0, multiplier_low_q}", "multiplier_low_q"), encoding="utf-8")
    lane = "npu.rtl0.npu_datapath.u_rescale.gen_lane[5].u_lane"
    signals = [(28, "npu.rtl0.npu_datapath.clk_i"), (24, "npu.rtl0.cycle[31:0]"), (24, "npu.rtl0.command[31:0]"), (820, "npu.rtl0.layer"),
               *((420, f"{lane}.{name}") for name in ("value_q[47:0]", "multiplier_low_q[15:0]", "multiplier_high_q[15:0]", "product_low_q[63:0]",
                                                     "product_high_q[48:0]", "sum_q[64:0]", "result_q[31:0]"))]
    (folder / "lane.gtkw").write_text(
        '[dumpfile] "demo.tosa.first-difference.fst"\n[timestart] 286000\n[size] 1600 420\n[signals_width] 520\n[sst_expanded] 0\n'
        "*-10.500000 290000 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\n"
        + "".join(f"@{flags}\n{name}\n" for flags, name in signals), encoding="utf-8")
    wave(vernier, folder, "wave-rtl-bug.png", ["run", "demo.tosa", "--config", "v64", "--backend", "rtl", "--rtl", "bug"], "lane.gtkw", 420)


def wave_rtl(vernier, folder):
    wave(vernier, folder, "wave-rtl.png", ["cosim", "demo.tosa", "--wave", "both.fst", "--wave-layer", "classes"], "both.fst.gtkw")


PICTURES = {"report-layers": report_layers, "report-time": report_time, "wave-first-difference": wave_first_difference,
            "wave-rtl": wave_rtl, "wave-rtl-bug": wave_rtl_bug}


def main():
    if len(sys.argv) < 2 or set(sys.argv[2:]) - PICTURES.keys():
        raise SystemExit(f"usage: screenshots.py VERNIER [{'|'.join(PICTURES)} ...]")
    vernier = pathlib.Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or PICTURES:
        with tempfile.TemporaryDirectory(prefix="vernier_screenshot_") as folder:
            PICTURES[name](vernier, pathlib.Path(folder))


if __name__ == "__main__":
    main()
