# SPDX-License-Identifier: Apache-2.0
"""docs/guides/is-it-what-tflite-computes.md: its table, counted again from the results of both programs.

usage: tflite_page.py SOURCE_ROOT. Needs the real networks (../shared); exit code 77, with a message, without them."""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(ROOT / "tests/e2e"))
import npy

NETS = ROOT.parent / "shared/golden/nets"
ROWS = {  # beginning of a row of the table: its networks
    "kws, vww": ["kws_ref_model", "vww_96_int8", "pretrainedResnet_quant", "str_ww_ref_model"],
    "MobileNetV1": ["mobilenet_v1_025_96_int8", "mobilenet_v1_025_96_int16x8", "resnet50_int8"],
    "anomaly detection": ["ad01_int8"],
    "MobileNetV2": ["mobilenet_v2_quantized_1x3x224x224"],
    "vision transformer": ["vit_tiny_int8"],
    "DS-CNN": ["ds_cnn_kws_int16x8"],
    "U-Net": ["unet_96_int8"],
}


def comparison(network):
    """As the table says it."""
    counts, largest, size = [], 0, 0
    for seed in range(3):
        folder = NETS / network / f"seed{seed}"
        found, other = npy.read(folder / "output_tosa.npy").values, npy.read(folder / "output_litert_ref.npy").values
        differences = [abs(a - b) for a, b in zip(found, other) if a != b]
        counts.append(len(differences))
        largest, size = max([largest, *differences]), len(found)
    if largest == 0:
        return "equal"
    return f"{', '.join(f'{count:,}' for count in counts)} of {size:,} differ, by at most {largest}"


def main():
    if not NETS.is_dir():
        print("skipped: the real networks are not here (../shared/golden/nets)")
        return 77
    page = (ROOT / "docs/guides/is-it-what-tflite-computes.md").read_text(encoding="utf-8")
    findings = []
    for start, networks in ROWS.items():
        row = re.search(rf"^\| {re.escape(start)}[^|]*\| ([^|]*) \|", page, re.M)
        for network in networks:
            found = comparison(network)
            if not row or row.group(1) != found:
                findings.append(f"{network}: {found}; the page says {row.group(1) if row else 'nothing'}")
    print("\n".join(findings) or f"{len(ROWS)} rows hold")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
