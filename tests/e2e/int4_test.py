# SPDX-License-Identifier: Apache-2.0
"""Weights of int4 take half the bytes of int8 ones in both memories, on both ways to their values. Each network is made twice, with
weights of either type; the expected bytes are worked out here, from the shapes."""

import json
import sys

import encodings_file
import onnx_file
import program
import qonnx_file

sys.path.insert(0, str(program.ROOT / "tests" / "bench"))
from made_graph import Graph

PARAMETER_BYTES = 10  # of an output channel
BURST_BYTES = 64
LANES = {"v64": 8, "v256": 16}


def conv_bytes(channels, reduction, lanes, bits):
    """A row of whole steps for each output channel."""
    return channels * -(-reduction // lanes) * lanes * bits // 8


def depthwise_bytes(channels, taps, bits):
    """A tap of one channel tile after the other; only the last tile may have an odd number of lanes."""
    return taps * -(-channels * bits // 8)


def pointwise(graph):
    graph.output(graph.conv2d(graph.input([1, 8, 8, 64]), 48))
    return 48, lambda lanes, bits: conv_bytes(48, 64, lanes, bits)


def odd_channels(graph):
    """No number is even: a step is filled up, the last channel tile has an odd number of lanes."""
    x = graph.conv2d(graph.input([1, 7, 9, 5]), 19, kernel=(3, 3), pad=(1, 1, 1, 1))
    graph.output(graph.depthwise(x))
    return 38, lambda lanes, bits: conv_bytes(19, 45, lanes, bits) + depthwise_bytes(19, 9, bits)


def fully_connected(graph):
    graph.output(graph.conv2d(graph.input([1, 1, 1, 640]), 128))
    return 128, lambda lanes, bits: conv_bytes(128, 640, lanes, bits)


def transposed(graph):
    """Stride 1: all weights are those of one command."""
    graph.output(graph.transpose_conv2d(graph.input([1, 5, 6, 16]), 21, (3, 2), (1, 1)))
    return 21, lambda lanes, bits: conv_bytes(21, 96, lanes, bits)


NETWORKS = (pointwise, odd_channels, fully_connected, transposed)


class Int4(program.ProgramTest):
    def totals(self, build, bits, *options):
        """Of the run, whose values the reference finds equal."""
        graph = Graph(weight_type=f"int{bits}")
        build(graph)
        model = self.folder / f"{build.__name__}-{bits}.tosa"
        graph.write(model)
        done = self.execute("run", model, "-q", "--report", "-", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["check"]["result"], "match")
        return report["totals"] | {"rtl": report.get("rtl")}

    def test_weights_take_half_the_bytes(self):
        for build in NETWORKS:
            for config, lanes in LANES.items():
                with self.subTest(network=build.__name__, config=config):
                    channels, weight_bytes = build(Graph())
                    parameters = channels * PARAMETER_BYTES
                    saved = weight_bytes(lanes, 8) - weight_bytes(lanes, 4)
                    for memory in ("sram", "weights-external", "external"):
                        of4, of8 = (self.totals(build, bits, "--config", config, "--memory", memory) for bits in (4, 8))
                        self.assertEqual(of4["weight_bytes"], weight_bytes(lanes, 4) + parameters)
                        self.assertEqual(of8["weight_bytes"], weight_bytes(lanes, 8) + parameters)
                        if memory == "sram":  # all of them are there; areas begin with a burst
                            self.assertGreaterEqual(of8["sram_peak_weight_bytes"] - of4["sram_peak_weight_bytes"], saved - BURST_BYTES)
                        if memory == "weights-external":
                            self.assertGreaterEqual(of8["external_read_bytes"] - of4["external_read_bytes"], saved - BURST_BYTES)

    def weight_bytes_of(self, name, data, *options):
        (self.folder / name).write_bytes(data)
        done = self.execute("run", self.folder / name, "-q", "--report", "-", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["totals"]["weight_bytes"]

    def test_quantizers_of_up_to_4_bits(self):
        """Of QONNX, 4 bits in one layer and 1 in the other; of AIMET. With 8 bits the same numbers are int8."""
        parameters = (3 + 4) * PARAMETER_BYTES
        self.assertEqual(self.weight_bytes_of("small.onnx", qonnx_file.small()), conv_bytes(3, 18, 16, 4) + conv_bytes(4, 3, 16, 4) + parameters)
        found = {}
        for bits in (4, 8):
            encodings = json.loads(encodings_file.of_float_layer("1.0.0"))
            weights = encodings["param_encodings"][0]
            weights.update(bw=bits, offset=[-2.0 ** (bits - 1)] * len(weights["scale"]))
            (self.folder / "layer.encodings").write_text(json.dumps(encodings), encoding="utf-8")
            found[bits] = self.weight_bytes_of("layer.onnx", onnx_file.float_layer(), "--encodings", self.folder / "layer.encodings")
        self.assertEqual(found[8] - found[4], (found[8] - 2 * PARAMETER_BYTES) // 2)

    def test_a_layer_that_waits_for_its_weights(self):
        """Fully connected: each weight tile is read once, and external memory sets the pace."""
        for config, lanes in LANES.items():
            saved = conv_bytes(128, 640, lanes, 4)
            of4, of8 = (self.totals(fully_connected, bits, "--config", config, "--memory", "sram") for bits in (4, 8))
            self.assertEqual(of8["sram_read_bytes"] - of4["sram_read_bytes"], saved)
            self.assertLess(of4["cycles"], of8["cycles"])
            of4, of8 = (self.totals(fully_connected, bits, "--config", config, "--memory", "weights-external") for bits in (4, 8))
            self.assertEqual(of8["external_read_bytes"] - of4["external_read_bytes"], saved)
            self.assertLess(of4["cycles"], 0.65 * of8["cycles"])

    def test_on_rtl_each_command_takes_the_cycles_of_the_model(self):
        program.need_rtl(self)
        for build in NETWORKS:
            with self.subTest(network=build.__name__):
                rtl = self.totals(build, 4, "--config", "v64", "--backend", "rtl")["rtl"]
                self.assertGreater(rtl["commands"], 0)
                self.assertEqual((rtl["mismatches"], rtl["cycle_mismatches"]), (0, 0))

    def test_on_the_core_with_its_memory(self):
        """There RTL unpacks the weights, from a memory in which they lie two a byte."""
        program.need_rtl(self)
        for build in (odd_channels, fully_connected):
            with self.subTest(network=build.__name__):
                rtl = self.totals(build, 4, "--config", "v64", "--backend", "rtl", "--rtl-scope", "core")["rtl"]
                total, model = rtl["core"]["total_cycles"], rtl["core"]["model_total_cycles"]
                self.assertLessEqual(abs(total - model), max(32, 0.03 * model))


if __name__ == "__main__":
    program.main()
