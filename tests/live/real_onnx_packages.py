# SPDX-License-Identifier: Apache-2.0
"""The packages that real_onnx_test.py fetches and real_onnx_files.py reads. Their licences: MIT, MIT, Apache-2.0."""

SPEECHMOS, SILERO, RAPIDOCR = "speechmos==0.0.1.1", "silero-vad==6.2.0", "rapidocr-onnxruntime==1.4.4"
