#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains, quantizes and writes the demo network and everything the demo needs.

A small residual network with a depthwise-separable block reads the 8x8 handwritten digits that ship inside
scikit-learn. It is trained with Keras, quantized to int8 by the TFLite converter, and turned into a TOSA 1.0
flatbuffer by tosa-converter-for-tflite and tosa-opt. The official tosa_reference_model then gives the expected
outputs. Only the files written here are in the tree; users of the demo need none of the packages used here.

    python3 -m venv venv && venv/bin/pip install -r requirements.txt
    venv/bin/pip install --no-deps tosa-tools==2026.8.0     (it and tensorflow ask for different flatbuffers)
    PATH=venv/bin:$PATH python3 train.py

Writes, beside itself: demo.tosa, pictures.npy, labels.npy, expected.npy, demo.json.
"""

import hashlib
import importlib.metadata
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import keras
import numpy as np
import sklearn.datasets
import sklearn.model_selection
import tensorflow as tf
import tosa_reference_model
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

HERE = pathlib.Path(__file__).resolve().parent
SEED = 7
NUM_HELD_OUT = 400
NUM_DEMO_PICTURES = 100
EPOCHS = 60
PACKAGES = ["tensorflow", "keras", "numpy", "scikit-learn", "tosa-converter-for-tflite", "tosa-tools"]
TARGET = "specification_version=1.0 profiles=pro_int extensions=int16,doubleround level=8k"


def load_digits():
    """The data set, split by class and seed: pictures [n,8,8,1] in 0..1, labels [n]."""
    digits = sklearn.datasets.load_digits()
    pictures = (digits.images / 16.0).astype(np.float32)[..., None]
    return sklearn.model_selection.train_test_split(
        pictures, digits.target, test_size=NUM_HELD_OUT, random_state=SEED, stratify=digits.target)


def build_model():
    layers = keras.layers

    def conv(x, channels, kernel, name, relu=True):
        x = layers.Conv2D(channels, kernel, padding="same", use_bias=False, name=name)(x)
        x = layers.BatchNormalization(name=name + "_norm")(x)
        return layers.ReLU(name=name + "_relu")(x) if relu else x

    picture = keras.Input((8, 8, 1), name="picture")
    x = conv(picture, 16, 3, "first")
    x = layers.DepthwiseConv2D(3, padding="same", use_bias=False, name="depthwise")(x)
    x = layers.BatchNormalization(name="depthwise_norm")(x)
    x = layers.ReLU(name="depthwise_relu")(x)
    x = conv(x, 32, 1, "pointwise")
    x = layers.AveragePooling2D(2, name="pool")(x)
    branch = conv(x, 32, 3, "residual_a")
    branch = conv(branch, 32, 3, "residual_b", relu=False)
    x = layers.Add(name="residual_add")([x, branch])
    x = layers.ReLU(name="residual_relu")(x)
    x = layers.GlobalAveragePooling2D(name="global_pool")(x)
    x = layers.Dropout(0.2, name="dropout")(x)
    x = layers.Dense(10, name="classes")(x)
    return keras.Model(picture, layers.Softmax(name="probabilities")(x), name="digits")


def shifted(pictures, labels, rng):
    """One epoch of training pictures, each moved by up to one pixel: digits written elsewhere in the frame."""
    padded = np.pad(pictures, ((0, 0), (1, 1), (1, 1), (0, 0)))
    moved = np.empty_like(pictures)
    for i, (dy, dx) in enumerate(rng.integers(0, 3, (len(pictures), 2))):
        moved[i] = padded[i, dy:dy + 8, dx:dx + 8]
    order = rng.permutation(len(pictures))
    return moved[order], labels[order]


def train(pictures, labels):
    model = build_model()
    steps = EPOCHS * (len(pictures) // 32)
    model.compile(keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(4e-3, steps)),
                  "sparse_categorical_crossentropy")
    rng = np.random.default_rng(SEED)
    for _ in range(EPOCHS):
        model.fit(*shifted(pictures, labels, rng), batch_size=32, shuffle=False, verbose=0)
    return model


def quantize(model, pictures):
    """A full int8 .tflite of batch 1, calibrated on training pictures."""
    @tf.function(input_signature=[tf.TensorSpec([1, 8, 8, 1], tf.float32, name="picture")])
    def forward(picture):
        return {"probabilities": model(picture, training=False)}

    frozen = convert_variables_to_constants_v2(forward.get_concrete_function())
    converter = tf.lite.TFLiteConverter.from_concrete_functions([frozen])
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: ([p[None]] for p in pictures[:300])
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = tf.int8
    converter.inference_output_type = tf.int8
    return converter.convert()


def convert_to_tosa(tflite):
    """The TOSA 1.0 flatbuffer of a .tflite, with the TFLite tensor names as locations."""
    with tempfile.TemporaryDirectory() as folder:
        # Relative names: the file's name is part of every location and must not depend on the machine.
        pathlib.Path(folder, "demo.tflite").write_bytes(tflite)
        subprocess.run(["tosa-converter-for-tflite", "demo.tflite", "--text", "--emit-debug-info", "-o", "demo.mlir"],
                       cwd=folder, check=True)
        subprocess.run(["tosa-opt", "demo.mlir", f"--tosa-attach-target={TARGET}",
                        "--tosa-validate=strict-op-spec-alignment", "--tosa-serialize",
                        "--tosa-flatbuffer-filename=demo.tosa", "-o", os.devnull], cwd=folder, check=True)
        return pathlib.Path(folder, "demo.tosa").read_bytes()


def quantized_input(tflite, pictures):
    details = tf.lite.Interpreter(model_content=tflite).get_input_details()[0]
    scale, zero_point = details["quantization"]
    quantized = np.clip(np.round(pictures / scale) + zero_point, -128, 127).astype(np.int8)
    return quantized, scale, zero_point


def run_reference(tosa, pictures):
    """Outputs [n,10] of the official reference model, a run of batch 1 per picture."""
    rows = []
    for picture in pictures:
        outputs, status = tosa_reference_model.run(tosa, [picture[None]], tosa_level="EIGHTK",
                                                       debug_filename=os.devnull)
        if status != tosa_reference_model.GraphStatus.TOSA_VALID:
            sys.exit(f"tosa_reference_model: {status}")
        rows.append(np.frombuffer(outputs[0].tobytes(), np.int8))
    return np.stack(rows)


def percent(outputs, labels):
    return round(100.0 * float(np.mean(np.argmax(outputs, axis=-1) == labels)), 2)


def main():
    keras.utils.set_random_seed(SEED)
    tf.config.experimental.enable_op_determinism()
    train_pictures, test_pictures, train_labels, test_labels = load_digits()
    model = train(train_pictures, train_labels)
    tflite = quantize(model, train_pictures)
    tosa = convert_to_tosa(tflite)
    pictures, scale, zero_point = quantized_input(tflite, test_pictures)
    float_outputs = model.predict(test_pictures, verbose=0)
    int8_outputs = run_reference(tosa, pictures)

    demo = slice(0, NUM_DEMO_PICTURES)  # the first of the held-out part, not chosen
    (HERE / "demo.tosa").write_bytes(tosa)
    np.save(HERE / "pictures.npy", pictures[demo])
    np.save(HERE / "labels.npy", test_labels[demo].astype(np.int8))
    np.save(HERE / "expected.npy", int8_outputs[demo])
    written = ["demo.tosa", "pictures.npy", "labels.npy", "expected.npy"]
    facts = {
        "what": "digit classifier of tests/e2e/demo, made by train.py",
        "data": "sklearn.datasets.load_digits (UCI optical recognition of handwritten digits, CC BY 4.0)",
        "commands": ["python3 -m venv venv && venv/bin/pip install -r requirements.txt",
                     "venv/bin/pip install --no-deps tosa-tools==2026.8.0",
                     "PATH=venv/bin:$PATH python3 train.py"],
        "seed": SEED,
        "versions": {"python": platform.python_version(),
                     **{name: importlib.metadata.version(name) for name in PACKAGES}},
        "parameters": model.count_params(),
        "input": {"scale": scale, "zero_point": zero_point, "pixels": "0..16 divided by 16"},
        "num_training_pictures": len(train_labels),
        "demo": {"num_pictures": NUM_DEMO_PICTURES,
                 "float_accuracy_percent": percent(float_outputs[demo], test_labels[demo]),
                 "int8_accuracy_percent": percent(int8_outputs[demo], test_labels[demo]),
                 "float_answers": "".join(str(i) for i in np.argmax(float_outputs[demo], axis=-1))},
        "held_out": {"num_pictures": NUM_HELD_OUT,
                     "float_accuracy_percent": percent(float_outputs, test_labels),
                     "int8_accuracy_percent": percent(int8_outputs, test_labels)},
        "sha256": {name: hashlib.sha256((HERE / name).read_bytes()).hexdigest() for name in written},
    }
    (HERE / "demo.json").write_text(json.dumps(facts, indent=2) + "\n")
    print(json.dumps({key: facts[key] for key in ("demo", "held_out")}, indent=2))


if __name__ == "__main__":
    main()
