# SPDX-License-Identifier: Apache-2.0
"""SPEC: cycles of the paper model with which the machines were chosen (docs/decisions/0002), everything in SRAM: MACs, layer
by layer, at the array's mapping, plus 30 exposed cycles a layer."""

SPEC = {
    "kws_ref_model": {"v64": 48_914, "v256": 13_284, "v1024": 4_595},
    "vww_96_int8": {"v64": 138_700, "v256": 38_986, "v1024": 15_584},
    "pretrainedResnet_quant": {"v64": 206_840, "v256": 52_307, "v1024": 14_946},
    "str_ww_ref_model": {"v64": 15_117, "v256": 4_543, "v1024": 1_767},
    "ad01_int8": {"v64": 10_082, "v256": 4_946, "v1024": 2_576},
    "mobilenet_v2_quantized_1x3x224x224": {"v64": 5_285_690, "v256": 1_420_000, "v1024": 443_609},
    "mobilenet_v1_025_96_int8": {"v64": 139_864, "v256": 39_514, "v1024": 15_859},
    "mobilenet_v1_025_96_int16x8": {"v64": 261_939, "v256": 76_170, "v1024": 28_117},
    "ds_cnn_kws_int16x8": {"v64": 91_282, "v256": 25_137, "v1024": 7_631},
    "unet_96_int8": {"v64": 4_120_483, "v256": 1_072_433, "v1024": 304_209},
    "vit_tiny_int8": {"v64": 105_068, "v256": 36_709, "v1024": 15_515},
    "resnet50_int8": {"v64": 63_477_340, "v256": 15_946_492, "v1024": 4_012_794},
}
