# SPDX-License-Identifier: Apache-2.0
"""`vernier encodings`: the files of AIMET in ../shared/golden/quant/aimet, checked and converted (skipped where that is absent);
what is said of each mistake, in the words of encodings.txt (VERNIER_UPDATE_GOLDEN=1 writes what the program says now); files that
are written, or not."""

import json
import os
import unittest

import encodings_file
import onnx_file
import program

GOLDEN = program.ROOT.parent / "shared" / "golden" / "quant" / "aimet"
MESSAGES = program.HERE / "encodings.txt"
VERSIONS = encodings_file.VERSIONS
SECTIONS = ("activation_encodings", "param_encodings")
# Legal without the network they are for: aimet_test.py has what `--model` tells of them.
NEEDS_NETWORK = {"channels_7_of_8.encodings", "unknown_tensor.encodings"}


def tensors_of(document):
    """{name: (section or None, bits, [(scale, offset on the unsigned grid)])}: a reader of its own."""
    found = {}
    for entry in document.get("encodings", ()):
        dtype = entry["output_dtype"]
        bits, half = int(dtype.split("int")[1]), 0
        if not dtype.startswith("u"):
            half = 2 ** (bits - 1)
        scales = entry["y_scale"] if isinstance(entry["y_scale"], list) else [entry["y_scale"]]
        zero = entry.get("y_zero_point", 0)
        zeros = zero if isinstance(zero, list) else [zero] * len(scales)
        found[entry["name"]] = (None, bits, [(s, -z - half) for s, z in zip(scales, zeros)])
    for section in SECTIONS if "encodings" not in document else ():
        if isinstance(document[section], list):
            for entry in document[section]:
                found[entry["name"]] = (section, entry["bw"], list(zip(entry["scale"], map(int, entry["offset"]))))
        else:
            for name, entries in document[section].items():
                grids = [(entry["scale"], int(entry["offset"])) for entry in entries]
                found[name] = (section, entries[0]["bitwidth"], grids)
    return found


def flags_of(document):
    """{name: symmetric}; 2.0.0 has none."""
    if "encodings" in document:
        return {}
    if document["version"] == "1.0.0":
        return {entry["name"]: entry["is_sym"] for section in SECTIONS for entry in document[section]}
    return {name: entries[0]["is_symmetric"] == "True" for section in SECTIONS for name, entries in document[section].items()}


@unittest.skipUnless(GOLDEN.is_dir(), "../shared/golden/quant is not there")
class Golden(program.ProgramTest):
    def configurations(self):
        found = sorted(path.parent for path in GOLDEN.glob("*/0.6.1.encodings"))
        self.assertEqual(len(found), 9)
        return found

    def test_check(self):
        for folder in self.configurations():
            for version in VERSIONS:
                file = folder / f"{version}.encodings"
                done = self.execute("encodings", "check", file)
                self.assertEqual((done.returncode, done.stderr), (0, ""), file)
                self.assertRegex(done.stdout, rf"version {version}, 1[16] tensors")
        print("45 files of AIMET are clean")

    def check_conversion(self, source, target, found):
        """`found`, made of a file with `source`, against AIMET's own file of that version."""
        before, own, made = (tensors_of(document) for document in (source, target, found))
        self.assertEqual(set(made), set(before))
        for name in set(own) & set(made):  # 2.0.0 has biases and an entry more
            own_section, made_section = own[name][0], made[name][0]
            self.assertEqual(made_section, own_section, name)
            self.assertEqual(made[name][1:], own[name][1:], name)
        if source["version"] != "2.0.0":
            flags, own_flags = flags_of(found), flags_of(target)
            self.assertEqual({name: flags[name] for name in own_flags}, own_flags)
        if source["version"] != "2.0.0" and target["version"] in VERSIONS[:3]:
            for section in SECTIONS:
                for name, entries in target[section].items():
                    for mine, theirs in zip(found[section][name], entries):
                        for end in ("min", "max"):
                            self.assertAlmostEqual(mine[end], theirs[end], delta=1e-12 * abs(theirs[end]))

    def test_convert(self):
        """Each file to each version: as AIMET writes that, and the same bytes when it is converted once more."""
        count = 0
        for folder in self.configurations():
            documents = {version: program.read_json(folder / f"{version}.encodings") for version in VERSIONS}
            for from_version in VERSIONS:
                for version in VERSIONS:
                    with self.subTest(configuration=folder.name, source=from_version, target=version):
                        self.execute("encodings", "convert", folder / f"{from_version}.encodings", "-o", "b.json", "--version", version)
                        self.check_conversion(documents[from_version], documents[version], program.read_json(self.folder / "b.json"))
                        done = self.execute("encodings", "convert", "b.json", "-o", "c.json", "--version", version)
                        self.assertEqual((done.returncode, done.stderr), (0, ""))
                        self.assertEqual((self.folder / "b.json").read_bytes(), (self.folder / "c.json").read_bytes())
                        count += 1
        print(f"{count} conversions compared with what AIMET writes")

    def test_malformed(self):
        """Exit code and severity as the index says; each file has a line of its own."""
        cases = program.read_json(GOLDEN / "malformed" / "index.json")["files"]
        self.assertEqual(len(cases), 43)
        said = set()
        for case in cases:
            with self.subTest(file=case["file"]):
                done = self.execute("encodings", "check", GOLDEN / "malformed" / case["file"])
                if case["file"] in NEEDS_NETWORK:
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    continue
                self.assertEqual(done.returncode, 0 if case["severity"] == "warning" else 2)
                lines = done.stderr.splitlines()
                self.assertTrue(lines)
                for line in lines:
                    self.assertRegex(line, rf"\Avernier: .*{case['file']}:[0-9]+: {case['severity']}: ")
                    if case["expect"].startswith("tensor "):
                        name = case["expect"].replace(":", "").split()[1]
                        self.assertIn(f": tensor {name}: ", line.replace(", channel", ": channel"))
                    said.add(line.split(".encodings:")[1].split(" ", 1)[1])
                self.assertEqual(bool(done.stdout), done.returncode == 0)
        self.assertEqual(len(said), 41 + 1)  # one file has two sections of the other kind
        print(f"{len(cases) - len(NEEDS_NETWORK)} malformed files told apart, {len(NEEDS_NETWORK)} need the network")


FITTING = {"version": "1.0.0", "activation_encodings": [
    {"name": name, "bw": 8, "dtype": "INT", "is_sym": False, "enc_type": "PER_TENSOR", "scale": [0.5], "offset": [offset]}
    for name, offset in (("x", -100), ("y", 0))], "param_encodings": [
        {"name": "conv.weight", "bw": 8, "dtype": "INT", "is_sym": True, "enc_type": "PER_CHANNEL", "scale": [0.25, 0.125], "offset": [-128, -128]}]}


def changed(version, change):
    made = encodings_file.document(version)
    change(made)
    return encodings_file.text(made)


def message_files():
    """{file: its text}, for encodings.txt."""
    good = {f"good-{version}": encodings_file.text(encodings_file.document(version)) for version in VERSIONS}
    text = good["good-0.6.1"]

    def several(made):
        made["activation_encodings"]["x"][0].update(bitwidth=3, scale=-1, note="mine")
        made["activation_encodings"]["relu.out"] = [{"bitwidth": 16, "dtype": "float"}]
        made["param_encodings"]["conv.weight"][1]["bitwidth"] = 4
        made["param_encodings"]["conv.bias"][0]["offset"] = 2 ** 31
        made["comment"] = "mine"

    return {
        **good,
        "empty": "",
        "truncated": text[:200],
        "comma": text.replace('"False"', '"False",', 1),
        "latin-1": text.replace("relu", "r\xe9lu").encode("latin-1"),
        "utf-16": text.encode("utf-16"),
        "nan": text.replace("0.5", "NaN", 1),
        "huge": text.replace("0.5", "1e999", 1),
        "digits": text.replace("0.5", "0." + "5" * 5000, 1),
        "deep": "[" * 100000,
        "twice": text.replace('"relu.out"', '"x"'),
        "list": "[]",
        "future": text.replace("0.6.1", "3.7.0"),
        "patch": text.replace("0.6.1", "0.6.2"),
        "none": text.replace('"version"', '"producer"'),
        "several": changed("0.6.1", several),
        "control": text.replace("relu.out", "relu\\u001b[31m").replace(": 16", ": 99"),
        "long": text.replace("relu.out", "r" * 5000).replace(": 16", ": 99"),
        "block": changed("2.0.0", lambda made: made["encodings"][0].update(block_size=4)),
        "strict": changed("0.6.1", lambda made: made["param_encodings"]["conv.bias"][0].update(bitwidth=8, offset=-127, min=-7.9375, max=8)),
        "odd-bits": changed("1.0.0", lambda made: made["activation_encodings"][0].update(bw=5)),
        "float.onnx": onnx_file.float_layer(),
        "quantized.onnx": onnx_file.small(),
        "fitting": json.dumps(FITTING, indent=1),
        "float": changed("0.6.1", lambda made: made["activation_encodings"].update(x=[{"bitwidth": 16, "dtype": "float"}])),
    }


class Files(program.ProgramTest):
    def put(self, name, content):
        (self.folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())

    def test_messages(self):
        """encodings.txt: a line `$ ARGUMENTS -> EXIT CODE`, then what is printed: standard error, then standard output."""
        for name, content in message_files().items():
            self.put(name, content)
        (self.folder / "folder").mkdir()
        golden = MESSAGES.read_text(encoding="ascii").splitlines(keepends=True)
        lines = [line for line in golden if line.startswith(("#", "$", "\n"))]
        made = []
        for line in lines:
            if not line.startswith("$"):
                made.append(line)
                continue
            arguments = line[2:].split(" -> ")[0].split()
            done = self.execute(*arguments)
            made.append(f"$ {' '.join(arguments)} -> {done.returncode}\n{done.stderr}{done.stdout}")
            self.assertEqual(bool(done.stdout), done.returncode == 0, line)
            for printed in done.stderr.splitlines():
                self.assertTrue(printed.startswith("vernier: "), printed)
        if os.environ.get("VERNIER_UPDATE_GOLDEN") == "1":
            MESSAGES.write_text("".join(made), encoding="ascii")
        self.assertEqual("".join(made), "".join(golden))

    def test_nothing_is_written_of_a_file_that_is_not_whole(self):
        files = message_files()
        for name in ("empty", "several", "block", "twice"):
            self.put("in.json", files[name])
            self.put("out.json", "an older file")
            done = self.execute("encodings", "convert", "in.json", "-o", "out.json", "--version", "1.0.0")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual((self.folder / "out.json").read_text(), "an older file")
            self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["in.json", "out.json"])

    def test_each_version_to_each(self):
        """The small files of encodings_file.py become each other."""
        for source in VERSIONS:
            self.put("in.json", encodings_file.text(encodings_file.document(source)))
            for target in VERSIONS:
                done = self.execute("encodings", "convert", "in.json", "-o", "out.json", "--version", target)
                self.assertEqual(done.returncode, 0, done.stderr)
                found = tensors_of(json.loads((self.folder / "out.json").read_text()))
                self.assertEqual(found, tensors_of(encodings_file.document(target)), f"{source} to {target}")

    def test_truncated_anywhere(self):
        for version in VERSIONS[2:]:
            whole = encodings_file.text(encodings_file.document(version)).encode()
            for length in range(0, len(whole) - 2, 61):
                self.put("cut.json", whole[:length])
                done = self.execute("encodings", "check", "cut.json")
                self.assertEqual((done.returncode, done.stdout), (2, ""), length)
                self.assertRegex(done.stderr, r"\Avernier: cut.json:[0-9]+: error: column [0-9]+: [^\n]+\n\Z")

    def test_many_findings_and_large_files(self):
        made = encodings_file.document("0.6.1")
        made["activation_encodings"] = {f"t{i}": 3 for i in range(10_500)}
        self.put("many.json", encodings_file.text(made))
        done = self.execute("encodings", "check", "many.json")
        lines = done.stderr.splitlines()
        self.assertEqual((done.returncode, len(lines)), (2, 10_001))
        self.assertEqual(lines[-1], "vernier: many.json: 500 findings more")
        with open(self.folder / "large.json", "wb") as file:
            file.truncate(1 << 30)  # of zeros, on no disk
        done = self.execute("encodings", "check", "large.json")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "vernier: large.json: has 1073741824 bytes, read are encodings files of up to 134217728\n")


class OpenBatch(program.ProgramTest):
    def test_export_and_check(self):
        """A first dimension of -1 is 1 or what --batch says; another one needs --shape."""
        (self.folder / "one.onnx").write_bytes(onnx_file.small())
        (self.folder / "open.onnx").write_bytes(onnx_file.small(-1))
        export = ("-o", "e.json", "--version", "1.0.0")
        self.execute("encodings", "export", "one.onnx", *export, codes=(0,))
        expected = (self.folder / "e.json").read_bytes()
        for options in ((), ("--batch", "4"), ("--shape", "x=2x2x2x2")):
            self.execute("encodings", "export", "open.onnx", *export, *options, codes=(0,))
            self.assertEqual((self.folder / "e.json").read_bytes(), expected, options)
        for options, words in ((("--batch", "0"), "--batch"), (("--shape", "y=1x2x2x2"), "--shape"), (("--shape", "x=1x3x2x2"), "--shape")):
            done = self.execute("encodings", "export", "open.onnx", *export, *options)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)
        done = self.execute("encodings", "check", "e.json", "--batch", "2")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--batch: is for the network of --model", done.stderr)


if __name__ == "__main__":
    program.main()
