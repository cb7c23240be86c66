# SPDX-License-Identifier: Apache-2.0
"""Who may include whom. The one place where the arrows between folders are written down for the machine."""

SHARED = {"hw/base", "hw/spec", "hw/config", "hw/package"}
SIM = SHARED | {"hw/model", "hw/timing"}
SIM_FOLDERS = {f"sim/{name}" for name in ("kit", "mem", "kernels", "units", "soc", "cosim", "explain", "check", "report", "cli")}
COMPILER_FOLDERS = {
    f"compiler/{name}"
    for name in ("ir", "import", "export", "reference", "passes", "schedule", "cost", "emit")
}
HW_FOLDERS = SIM | {"hw/gen", "hw/sequence"}

# Folder -> the folders whose headers it may include, beside its own.
ALLOWED = {
    "hw/base": set(),
    "hw/spec": {"hw/base"},
    "hw/config": {"hw/base", "hw/spec"},
    "hw/package": {"hw/base", "hw/spec", "hw/config"},
    "hw/gen": SHARED,
    "hw/model": {"hw/base", "hw/spec"},
    # The wall between the two readings of the contract: neither sees the other.
    "hw/sequence": {"hw/base", "hw/spec"},
    "hw/timing": SHARED,
    **{folder: SHARED | COMPILER_FOLDERS for folder in COMPILER_FOLDERS},
    # The reference knows nothing of tiles, layouts, commands or cycles.
    "compiler/reference": {"hw/base", "hw/spec", "hw/config", "hw/model", "compiler/ir"},
    "compiler/cost": SHARED | COMPILER_FOLDERS | {"hw/timing"},
    "compiler/schedule": SHARED | COMPILER_FOLDERS | {"hw/timing"},
    **{folder: SIM | SIM_FOLDERS - {"sim/cli"} for folder in SIM_FOLDERS},
    "sim/cosim": SIM | SIM_FOLDERS - {"sim/cli"} | {"hw/sequence"},
    "sim/explain": SIM | {"sim/kit", "sim/units", "sim/soc"},
    "sim/units": SIM | {"sim/kit", "sim/mem", "sim/kernels", "sim/units"},
    "sim/cli": SIM | SIM_FOLDERS | COMPILER_FOLDERS,
}
TEST_MAY = HW_FOLDERS | SIM_FOLDERS | COMPILER_FOLDERS
OUR_TOPS = ("hw", "sim", "compiler", "firmware", "tests")

# What comes from outside and may be seen in some folders only.
FILE_FORMATS = ("flatbuffers/", "onnx/", "google/protobuf/")
SYSTEMC = ("systemc", "tlm", "sysc/", "tlm_utils/")
# Headers that take seconds each, with the start of the paths of those files that may include them: .cpp files only.
HEAVY = {
    "CLI11": (("CLI/",), "sim/cli/options"),
    "JSON": (("nlohmann/",), "sim/report/"),
    "TOML": (("toml++/", "toml.hpp"), "hw/config/toml_config.cpp"),
}


def _own_include(file, target):
    """The finding for an include of one of our own headers, or None."""
    layer = "/".join(target.split("/")[:2])
    if file.layer.startswith("tests"):
        allowed = layer in TEST_MAY or target.startswith("tests/")
    elif file.layer.startswith("firmware"):
        allowed = target.startswith("firmware/")
    elif file.layer not in ALLOWED:
        return f"{file.layer} is not in the table of arrows (tests/hygiene/arrows.py)"
    else:
        allowed = layer == file.layer or layer in ALLOWED[file.layer]
    return None if allowed else f"{file.layer} may not include {layer}"


def _foreign_include(file, target):
    top = file.path.split("/")[0]
    if target.startswith(FILE_FORMATS) or target.endswith("_generated.h"):
        if file.layer not in ("compiler/import", "compiler/export") and top != "tests":
            return f"file formats are seen by compiler/import and compiler/export only: {target}"
    elif target.startswith(SYSTEMC):
        if top not in ("sim", "tests"):
            return f"SystemC is seen by sim only: {target}"
    return None


def check_arrows(tree):
    findings = []
    for file in (f for f in tree.files if f.is_cpp):
        for number, target, is_angle in file.includes():
            if target.split("/")[0] in OUR_TOPS and not target.endswith("_generated.h"):
                finding = _own_include(file, target)
            elif not is_angle and not target.endswith("_generated.h"):
                finding = f'"{target}" is not a path from the root of the repository'
            else:
                finding = _foreign_include(file, target)
            if finding:
                findings.append(f"{file.path}:{number}: {finding}")
    return findings


def check_heavy_headers(tree):
    """CLI11, JSON and TOML headers take seconds each: only the few files that need one include it, and no header."""
    findings = []
    for name, (prefixes, home) in HEAVY.items():
        for file in (f for f in tree.files if f.is_cpp):
            if not any(target.startswith(prefixes) for _, target, _ in file.includes()):
                continue
            if not file.path.endswith(".cpp"):
                findings.append(f"{file.path}:1: {name} header included in a header")
            elif not file.path.startswith(home):
                findings.append(f"{file.path}:1: {name} header outside {home}*.cpp")
    return findings
