# SPDX-License-Identifier: Apache-2.0
"""The types of the compiled module, python/vernier/_vernier.pyi, are what nanobind says of it: stub.py [--write].

Run by a Python in which the wheel and nanobind are installed; --write writes the file.
"""

import pathlib
import subprocess
import sys
import tempfile

STUB = pathlib.Path(__file__).resolve().parents[2] / "python" / "vernier" / "_vernier.pyi"
HEAD = "# SPDX-License-Identifier: Apache-2.0\n# Generated: tests/python/stub.py --write\n"


def main(arguments):
    if arguments not in ([], ["--write"]):
        print(f"stub: found {' '.join(arguments)}, expected --write or nothing", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder, "stub.pyi")
        subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "vernier._vernier", "-o", str(made)], check=True, cwd=folder)
        text = HEAD + made.read_text(encoding="utf-8").rstrip() + "\n"
    if arguments:
        STUB.write_text(text, encoding="utf-8")
    elif STUB.read_text(encoding="utf-8") != text:
        print(f"stub: {STUB} is not what nanobind says of the module; {pathlib.Path(__file__).name} --write writes it", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
