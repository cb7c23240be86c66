# SPDX-License-Identifier: Apache-2.0
"""npu_rescale_unit in cocotb, against `vernier.golden`: random vectors, each element and the cycle of each result.

usage: python test_rescale.py [FOLDER of the RTL]"""

import random
import sys
from collections import deque
from pathlib import Path
from typing import Any

import cocotb
import numpy as np
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from vernier import golden

LANES, LATENCY_CYCLES, VECTORS = 8, 4, 2000
SOURCES = ("npu_spec_pkg.sv", "npu_rescale_lane.sv", "npu_rescale_unit.sv")
BITS = {"int8": 8, "int16": 16, "int32": 32, "int48": 48}
INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
Numbers = np.ndarray[Any, np.dtype[Any]]  # of the lanes


def draw(rng: random.Random) -> tuple[dict[str, Any], Numbers, Numbers, Numbers]:
    """What all lanes share, then value, multiplier and shift of each lane."""
    in_type, out_type = rng.choice(list(BITS)), rng.choice(["int8", "int16", "int32"])
    is_small, saturates = {"int8", "int16"}, rng.random() < 0.5
    shared = {
        "in_type": in_type, "out_type": out_type, "scale32": in_type != "int48" and rng.random() < 0.5,
        "in_unsigned": in_type in is_small and rng.random() < 0.3, "out_unsigned": out_type in is_small and rng.random() < 0.3,
        "rounding": rng.choice(list(golden.ROUNDINGS)), "in_zero_point": rng.randint(-128, 127) if in_type in is_small else 0,
        "out_zero_point": rng.randint(-128, 127) if out_type in is_small else 0,
        "clamp_min": INT32_MIN if saturates else rng.randint(-100, 0), "clamp_max": INT32_MAX if saturates else rng.randint(0, 100),
    }
    most = 2 ** (BITS[in_type] - 1)
    values = [rng.choice([rng.randrange(-most, most), rng.randint(-100, 100), most - 1, -most]) for _ in range(LANES)]
    bits = 31 if shared["scale32"] else 15
    halves = [rng.randint(2, bits) if rng.random() < 0.25 else 0 for _ in range(LANES)]  # shifts that halve a value: a tie where it is odd
    multipliers = [1 << half - 1 if half else rng.randrange(2**bits) for half in halves]
    left = [abs(value * multiplier).bit_length() - rng.randint(0, 7) for value, multiplier in zip(values, multipliers, strict=True)]
    shifts = [half or rng.choice([rng.randint(2, 62), min(max(few, 2), 62)]) for half, few in zip(halves, left, strict=True)]
    return shared, np.array(values), np.array(multipliers), np.array(shifts)


def packed(numbers: Numbers, bits: int) -> int:
    """Numbers of the lanes as one port has them, lane 0 low."""
    return sum((int(number) & (2**bits - 1)) << bits * lane for lane, number in enumerate(numbers))


def offer(dut: Any, tag: int, shared: dict[str, Any], values: Numbers, multipliers: Numbers, shifts: Numbers) -> None:
    dut.scale_tag_i.value = tag
    dut.scale_value_i.value = packed(values, 48)
    dut.scale_multiplier_i.value = packed(multipliers, 32)
    dut.scale_shift_i.value = packed(shifts, 6)
    codes = {"in_type": golden.TYPES, "out_type": golden.TYPES, "rounding": golden.ROUNDINGS}
    for name, value in shared.items():
        getattr(dut, f"scale_{name}_i").value = (codes[name][value] if name in codes else int(value)) & (2**32 - 1)


@cocotb.test()
async def elements_and_cycles_are_those_of_the_golden_model(dut: Any) -> None:
    rng = random.Random(1)
    Clock(dut.clk_i, 10, unit="ns").start()
    for port in ("rst_ni", "en_i", "scale_valid_i"):
        getattr(dut, port).value = 0
    offer(dut, 0, *draw(rng))
    await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    due: deque[tuple[int, Numbers] | None] = deque([None] * LATENCY_CYCLES)  # what each stage holds: a tag and its results, or nothing
    for number in range(VECTORS):
        is_enabled, is_valid = rng.random() < 0.9, rng.random() < 0.8
        dut.en_i.value, dut.scale_valid_i.value = int(is_enabled), int(is_valid)
        vector = draw(rng)
        offer(dut, number % 256, *vector)
        if is_enabled:
            shared, *operands = vector
            due.append((number % 256, golden.rescale(*operands, **shared)) if is_valid else None)
            due.popleft()
        await FallingEdge(dut.clk_i)
        assert int(dut.scale_valid_o.value) == (due[0] is not None), f"vector {number}: scale_valid_o is {dut.scale_valid_o.value}"
        if due[0] is not None:
            tag, expected = due[0]
            assert int(dut.scale_tag_o.value) == tag, f"vector {number}: scale_tag_o is {int(dut.scale_tag_o.value)}, expected {tag}"
            word = int(dut.scale_result_o.value)
            found = np.array([word >> 32 * lane & (2**32 - 1) for lane in range(LANES)], np.uint32).view(np.int32)
            assert (found == expected).all(), f"vector {number}: scale_result_o is {found}, expected {expected}"


if __name__ == "__main__":
    rtl = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[3] / "hw" / "rtl"
    runner = get_runner("icarus")
    runner.build(sources=[rtl / name for name in SOURCES], hdl_toplevel="npu_rescale_unit", parameters={"Lanes": LANES},
                 build_args=["-g2012"], timescale=("1ns", "1ps"))
    sys.exit(get_results(runner.test(hdl_toplevel="npu_rescale_unit", test_module=Path(__file__).stem))[1] != 0)
