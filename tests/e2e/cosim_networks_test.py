# SPDX-License-Identifier: Apache-2.0
"""Whole real networks in RTL: each MAC of each command in value and edge, and neighbours that wait for nothing between them once
more as pairs. Cases are NETWORK on PRESET; skipped where the networks are absent or the program has no RTL."""

import cosim_test
import program

NETWORKS = ("ad01_int8", "ds_cnn_kws_int16x8", "kws_ref_model", "mobilenet_v1_025_96_int16x8", "mobilenet_v1_025_96_int8",
            "mobilenet_v2_quantized_1x3x224x224", "pretrainedResnet_quant", "resnet50_int8", "str_ww_ref_model", "unet_96_int8",
            "vit_tiny_int8", "vww_96_int8")
PRESETS = ("v64", "v256", "v1024", "v256-sram48")


class Golden(cosim_test.NetworkTest):
    longest_seconds = 3000  # ResNet-50 on v64 has 60 million cycles

    def check_network(self, name, preset):
        model = program.GOLDEN / name / "model.tosa"
        if not model.exists():
            self.skipTest(f"{model} is not there")
        report, text = self.cosim(model, "--config", preset)
        self.check_equal(report, text)
        self.assertEqual(report["macs_compared"], report["macs"], text)
        self.assertGreater(report["commands_compared"], 4)


def _add_case(name, preset):
    setattr(Golden, f"test_{name}_{preset.replace('-', '_')}", lambda self: self.check_network(name, preset))


for _name in NETWORKS:
    for _preset in PRESETS:
        _add_case(_name, _preset)

if __name__ == "__main__":
    program.main()
