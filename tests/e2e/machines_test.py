# SPDX-License-Identifier: Apache-2.0
"""What each preset may use, line by line of `config show`: figures mean something only while no machine grows wider. A change
here is a change of the machine: docs/decisions/0002-machine.md says why the numbers are what they are."""

import program

PRESETS = ("v64", "v256", "v1024", "v256-sram48", "v256-port8")
N = (8, 16, 32, 16, 16)  # lanes, elements of a dot product, bytes of an SRAM word
MIB, KIB = 1 << 20, 1 << 10


def of_n(formula):
    return tuple(formula(n) for n in N)


def each(value):
    return (value,) * len(PRESETS)


# In the order of printing. Shape of the array: lanes, multipliers, banks of N bytes, words a cycle (whole ones, all users
# together), two unaligned segments, a shadow tile loaded four words a cycle, two accumulator banks of 64 rows.
TABLE = {
    "name": PRESETS,
    "base": PRESETS,
    "clock_hz": each(1_000_000_000),
    "sram_bytes": (64 * MIB, 64 * MIB, 64 * MIB, 64 * MIB, 48 * KIB),
    "external_bytes_per_cycle": (16, 16, 16, 16, 8),
    "external_bytes_per_second": tuple(rate * 1_000_000_000 for rate in (16, 16, 16, 16, 8)),
    "external_latency_cycles": (100, 100, 100, 100, 32),
    "external_latency_ns": (100, 100, 100, 100, 32),
    "external_burst_bytes": each(64),
    "queue_depth_commands": each(8),
    "external_is_full_duplex": ("false", "false", "false", "false", "true"),
    "memory_mode": ("sram", "sram", "sram", "sram", "external"),
    "sram_protection": each("none"),
    "sram_parity_bits": each(0),
    "macs_per_cycle": of_n(lambda n: n * n),
    "lanes": N,
    "sram_word_bytes": N,
    "num_sram_banks": each(8),
    "sram_read_words_per_cycle": (4, 4, 4, 2, 4),
    "sram_write_words_per_cycle": (2, 2, 2, 1, 2),
    "sram_read_bytes_per_cycle": (32, 64, 128, 32, 64),
    "sram_write_bytes_per_cycle": (16, 32, 64, 16, 32),
    "activation_segments_per_cycle": each(2),
    "weight_tile_bytes": (64, 256, 1024, 256, 256),
    "weight_load_words_per_cycle": each(4),
    "weight_load_rows_per_cycle": each(4),
    "num_accumulator_banks": each(2),
    "accumulator_rows": each(64),
    "accumulator_bits": each(48),
    "max_lane_split_pixels": each(4),
    "depthwise_taps": N,
    "rescale_lanes": N,
    "vector_lanes": N,
    "table_lanes": N,
    "num_table_slots": each(2),
    "num_vector_registers": each(16),
    "max_vector_steps": each(24),
    "dma_bytes_per_cycle": of_n(lambda n: 2 * n),
    # The least latencies: none is free.
    "sram_read_latency_cycles": each(2),
    "mac_pipeline_cycles": each(5),
    "rescale_pipeline_cycles": each(4),
    "table_pipeline_cycles": each(2),
    "vector_slot_cycles": each(3),
    "issue_cycles": each(16),
    "decode_cycles": each(1),
    "token_cycles": each(2),
    "tile_swap_cycles": each(1),
    "lane_reduction_step_cycles": each(1),
    "int_div_cycles": each(34),
    "dma_setup_cycles": each(4),
}
# Cycles to load a weight tile, and bytes of both accumulator banks, follow from the above.
TILE_LOAD_CYCLES = (2, 4, 8, 8, 4)
ACCUMULATOR_BYTES = (6 * KIB, 12 * KIB, 24 * KIB, 12 * KIB, 12 * KIB)


class Machines(program.ProgramTest):
    def shown(self, preset):
        """(key, value) of each line, in order."""
        done = self.execute("config", "show", preset)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [tuple(line.split()[:2]) for line in done.stdout.splitlines()]

    def test_config_show_is_the_table(self):
        for index, preset in enumerate(PRESETS):
            self.assertEqual(self.shown(preset), [(key, str(values[index])) for key, values in TABLE.items()], preset)

    def test_what_follows_from_it(self):
        for index, preset in enumerate(PRESETS):
            value = {key: int(text) for key, text in self.shown(preset) if text.isdigit()}
            words = min(value["weight_load_words_per_cycle"], value["sram_read_words_per_cycle"])
            load = value["weight_tile_bytes"] // (words * value["sram_word_bytes"])
            self.assertEqual(load, TILE_LOAD_CYCLES[index], preset)
            bits = value["num_accumulator_banks"] * value["accumulator_rows"] * value["lanes"] * value["accumulator_bits"]
            self.assertEqual(bits // 8, ACCUMULATOR_BYTES[index], preset)

    def test_the_shape_cannot_be_set(self):
        """A configuration may change memories, queues and clock; the shape and the latencies of the datapath never."""
        may = set(list(TABLE)[:13])
        for key in TABLE:
            text = {"name": '"x"', "base": None, "memory_mode": '"sram"', "sram_protection": '"parity"', "external_is_full_duplex": "true"}.get(
                key, str(TABLE[key][1]))
            if text is None:
                continue
            config = self.folder / "machine.toml"
            config.write_text(f'base = "v256"\n{key} = {text}\n')
            self.assertEqual(self.execute("config", "check", config).returncode, 0 if key in may else 2, key)


if __name__ == "__main__":
    program.main()
