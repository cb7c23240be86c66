# SPDX-License-Identifier: Apache-2.0
"""Who may include whom. The one place where the arrows between folders are written down for the machine."""

SHARED = {"hw/base", "hw/spec", "hw/config", "hw/package"}
SIM = SHARED | {"hw/model", "hw/timing"}
COSIM_BELOW_STREAMS = {"sim/cosim/block", "sim/cosim/stimulus"}
QUANTIZED = SHARED | {"hw/model", "compiler/ir", "compiler/import", "compiler/import/quantized"}
QUANTIZED_ROOMS = [f"compiler/import/quantized/{room}" for room in ("nodes", "functions", "recurrent", "operators", "boundary")]

# Folder -> the folders whose headers it may include, beside its own. A folder of the third or fourth level that stands here is a
# room of its own; any other belongs to the level above it.
ALLOWED = {
    "hw/base": set(),
    "hw/spec": {"hw/base"},
    "hw/config": {"hw/base", "hw/spec"},
    "hw/package": {"hw/base", "hw/spec", "hw/config"},
    "hw/gen": SHARED,
    "hw/model": {"hw/base", "hw/spec"},
    "hw/ref": {"hw/base", "hw/spec", "hw/model"},
    # The wall between the two readings of the contract: neither sees the other.
    "hw/sequence": {"hw/base", "hw/spec"},
    "hw/timing": SHARED,
    "compiler/ir": SHARED,
    # Files to graphs and back: nothing of how a graph is run. A format's folder never sees another format's.
    "compiler/import": SHARED | {"compiler/ir", "compiler/import/*", "compiler/import/aimet", "compiler/import/onnx", "compiler/import/quantized",
                        "compiler/import/tflite", "compiler/import/mlir"},
    "compiler/import/*": SHARED | {"compiler/ir", "compiler/import"},
    # What quantized float formats share. Tables and constants are evaluated by the same float functions as the ends are.
    # Its top has the state that all rooms see, and the entry, which sees all rooms; each room sees those before it.
    "compiler/import/quantized": QUANTIZED | set(QUANTIZED_ROOMS),
    **{room: QUANTIZED | set(QUANTIZED_ROOMS[:i]) for i, room in enumerate(QUANTIZED_ROOMS)},
    "compiler/import/onnx": SHARED | {"compiler/ir", "compiler/import", "compiler/import/quantized"},
    # It builds graphs as quantized float formats do, and lowers its operators itself: their rounding is its own.
    "compiler/import/tflite": SHARED | {"compiler/ir", "compiler/import", "compiler/import/quantized"},
    # MLIR text is another spelling of the flatbuffer, which it becomes.
    "compiler/import/mlir": SHARED | {"compiler/ir", "compiler/import", "compiler/import/*"},
    "compiler/export": SHARED | {"compiler/ir"},
    # Encodings files hold no graph: the command line reads and writes them by itself. They make a float network a quantized one.
    "compiler/import/aimet": SHARED | {"compiler/import", "compiler/import/quantized"},
    # What `convert` writes beside a .tosa file, and `run` reads beside it.
    "compiler/import/boundary": SHARED | {"compiler/ir"},
    "compiler/export/aimet": SHARED | {"compiler/import/aimet"},
    # The reference knows nothing of tiles, layouts, commands or cycles.
    "compiler/reference": {"hw/base", "hw/spec", "hw/config", "hw/model", "compiler/ir"},
    "compiler/cost": SHARED | {"hw/timing", "compiler/ir"},
    "compiler/passes": SHARED | {"compiler/ir", "compiler/reference", "compiler/cost"},
    "compiler/schedule": SHARED | {"hw/timing", "compiler/ir", "compiler/cost", "compiler/passes"},
    "compiler/emit": SHARED | {"compiler/ir", "compiler/cost", "compiler/passes", "compiler/schedule"},
    "sim/kit": SIM,
    "sim/mem": SIM | {"sim/kit"},
    "sim/kernels": SIM,
    # The interpreter of the control CPU knows nothing of the machine around it.
    "sim/riscv": {"hw/base", "hw/spec"},
    # So does the server of debuggers.
    "sim/gdb": {"hw/base", "hw/spec"},
    "sim/units": SIM | {"sim/kit", "sim/mem", "sim/kernels"},
    "sim/soc": SIM | {"sim/kit", "sim/mem", "sim/kernels", "sim/riscv", "sim/gdb", "sim/units"},
    "sim/host": SIM | {"sim/soc"},
    # Rooms of the co-simulation, in the order in which they build on each other. What is drawn at random knows no pins: it sees hw,
    # and of the kernels what a table slot holds.
    "sim/cosim/stimulus": SHARED | {"hw/model", "hw/sequence", "sim/kernels"},
    "sim/cosim/block": SHARED | {"sim/waves", "sim/cosim/stimulus"},
    "sim/cosim/stream": SIM | {"hw/sequence", "sim/kernels"} | COSIM_BELOW_STREAMS,
    "sim/cosim/lockstep": SIM | {"hw/sequence", "sim/kernels", "sim/cosim/stream"} | COSIM_BELOW_STREAMS,
    "sim/cosim/memory": SIM | {"hw/sequence", "sim/cosim/stream", "sim/cosim/lockstep"} | COSIM_BELOW_STREAMS,
    "sim/cosim/replay": SIM | {"hw/sequence", "sim/kernels", "sim/cosim/stream", "sim/cosim/lockstep"} | COSIM_BELOW_STREAMS,
    "sim/cosim/network": SIM | {"hw/sequence", "sim/kernels", "sim/units", "sim/waves", "sim/cosim/stream", "sim/cosim/lockstep",
                                "sim/cosim/memory", "sim/cosim/replay"} | COSIM_BELOW_STREAMS,
    # Networks on the core with its memory: what the model did comes in as records and as bytes of its SRAM.
    "sim/cosim/core": SIM | {"sim/kernels", "sim/mem", "sim/units", "sim/cosim/stream", "sim/cosim/lockstep"} | COSIM_BELOW_STREAMS,
    "sim/explain": SIM | {"sim/kit", "sim/units", "sim/soc"},
    "sim/check": SIM,
    "sim/waves": SIM | {"sim/kit"},
    "sim/timeline": SIM | {"sim/kit", "sim/riscv", "sim/units", "sim/soc", "sim/waves", "sim/explain"},
    "sim/report": SIM | {"sim/kit", "sim/units", "sim/soc", "sim/explain", "sim/check"},
}
SIM_FOLDERS = {room for room in ALLOWED if room.startswith("sim/")}
COMPILER_FOLDERS = {room for room in ALLOWED if room.startswith("compiler/")}
HW_FOLDERS = {room for room in ALLOWED if room.startswith("hw/")}
# The one that sees both sides; of a format's folder, nothing, unless the folder stands above by its name. Whatever a command does
# is a function here, which tests and other languages call too. RTL is seen by the two of its rooms that work with it.
COSIM = {room for room in SIM_FOLDERS if room.startswith("sim/cosim")}
FLOW_ROOMS = {"sim/flow", "sim/flow/look", "sim/flow/rtl"}
ALLOWED["sim/flow"] = SIM | (SIM_FOLDERS - {"sim/host"} - COSIM) | COMPILER_FOLDERS - {"compiler/import/*", *QUANTIZED_ROOMS} | FLOW_ROOMS
ALLOWED["sim/flow/look"] = ALLOWED["sim/flow/rtl"] = ALLOWED["sim/flow"] | COSIM
# The program parses, calls sim/flow and prints: what it needs beside is the words and figures of machines, tables and pages.
ALLOWED["sim/cli"] = {"hw/base", "hw/spec", "hw/config", "sim/report", "sim/explain"} | FLOW_ROOMS
# The module of Python's package calls sim/flow and nothing else; arrays, sizes and errors are hw/base's.
ALLOWED["python/binding"] = {"hw/base", "sim/flow", "sim/flow/look"}
TEST_MAY = HW_FOLDERS | SIM_FOLDERS | COMPILER_FOLDERS | FLOW_ROOMS | {"sim/cli"}
OUR_TOPS = ("hw", "sim", "compiler", "firmware", "python", "tests")

# What comes from outside: the start of the header's path, and the folders that may see it beside tests.
FOREIGN = {
    "flatbuffers/": ("compiler/import/tosa", "compiler/import/mlir", "compiler/export"),
    "tosa_generated.h": ("compiler/import/tosa", "compiler/import/mlir", "compiler/export"),
    "onnx/": ("compiler/import/onnx", "compiler/import/qonnx"),
    "google/protobuf/": ("compiler/import/onnx", "compiler/import/qonnx"),
    "zlib.h": ("hw/base", "sim/report"),
    **{start: ("sim",) for start in ("systemc", "tlm", "sysc/", "tlm_utils/")},
}
# Headers that take seconds each, and the folders that may see them: in .cpp files only.
HEAVY = {
    "CLI11": (("CLI/",), ("sim/cli",)),
    "JSON": (("nlohmann/",), ("sim/report", "sim/cosim", "sim/flow/run", "compiler/import/aimet", "compiler/import/boundary", "compiler/export",
                           "tests/unit/compiler_import_quantized")),
    "TOML": (("toml++/", "toml.hpp"), ("hw/config",)),
}


def _room(path):
    """The folder of a file or an include as the table has it: "hw/base", "compiler/import/aimet", or "compiler/import/*"."""
    folders = path.split("/")[:-1]
    if len(folders) > 3 and "/".join(folders[:4]) in ALLOWED:
        return "/".join(folders[:4])
    if len(folders) > 2:
        for room in ("/".join(folders[:3]), "/".join(folders[:2]) + "/*"):
            if room in ALLOWED:
                return room
    return "/".join(folders[:2])


def _is_in(path, folders):
    return any(path.startswith(folder + "/") for folder in folders)


def _own_include(file, target):
    """The finding for an include of one of our own headers, or None."""
    room, seen = _room(file.path), _room(target)
    if file.layer.startswith("tests"):
        allowed = seen in TEST_MAY or target.startswith("tests/") or (file.layer == "tests/firmware" and target.startswith("firmware/"))
    elif file.layer.startswith("firmware"):
        allowed = target.startswith("firmware/")
    elif room not in ALLOWED:
        return f"{file.layer} is not in the table of arrows (tests/hygiene/arrows.py)"
    elif room == seen:  # of a starred room, the same folder
        allowed = "*" not in room or file.path.split("/")[:3] == target.split("/")[:3]
    else:
        allowed = seen in ALLOWED[room]
    return None if allowed else f"{_name(file.path)} may not include {_name(target)}"


def _name(path):
    return _room(path).replace("*", path.split("/")[2])


def _foreign_include(file, target):
    for start, folders in FOREIGN.items():
        if target.startswith(start) and not _is_in(file.path, (*folders, "tests")):
            return f"{target} is seen by {', '.join(folders)} only"
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
    """CLI11, JSON and TOML headers take seconds each: only the folders that need one include it, and no header does."""
    findings = []
    for name, (prefixes, homes) in HEAVY.items():
        for file in (f for f in tree.files if f.is_cpp):
            if not any(target.startswith(prefixes) for _, target, _ in file.includes()):
                continue
            if not file.path.endswith(".cpp"):
                findings.append(f"{file.path}:1: {name} header included in a header")
            elif not _is_in(file.path, homes):
                findings.append(f"{file.path}:1: {name} header outside {', '.join(homes)}")
    return findings
