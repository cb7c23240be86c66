# SPDX-License-Identifier: Apache-2.0
"""`vernier convert`: a copy of what is TOSA 1.0 already, a new file where something had to change, and the official tools'
opinion of the new files."""

import hashlib
import struct
import subprocess

import npy
import program
import tosa_file

TOOLS = program.ROOT / "build" / "tosa" / "bin"
TARGET = ("--tosa-attach-target=specification_version=1.0 profiles=pro_int extensions=int16,int4,doubleround,inexactround "
          "level=8k")


def version_1p1(content):
    """The bytes of a .tosa of 1.0.x as 1.1.x, which is not copied: the minor number is stored, for its default is -1."""
    root, = struct.unpack_from("<I", content, 0)
    version = at_slot(content, root, 0)
    version += struct.unpack_from("<I", content, version)[0]
    place = at_slot(content, version, 1)
    return content[:place] + struct.pack("<i", 1) + content[place + 4:]


def at_slot(content, table, slot):
    vtable = table - struct.unpack_from("<i", content, table)[0]
    offset, = struct.unpack_from("<H", content, vtable + 4 + 2 * slot)
    assert offset, f"slot {slot} is not stored"
    return table + offset


class Convert(program.ProgramTest):
    def convert(self, model, *options, name="out.tosa"):
        """(the new file's place, what was said)"""
        output = self.folder / name
        done = self.execute("convert", model, "-o", output, *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), model)
        return output, done.stdout

    def test_a_file_of_1p0_is_copied(self):
        output, said = self.convert(program.DEMO)
        size = program.DEMO.stat().st_size
        self.assertEqual(said, f"{output}: a copy of {program.DEMO}, {size:,} B\n")
        self.assertEqual(output.read_bytes(), program.DEMO.read_bytes())
        output, said = self.convert(program.DEMO, "-q", "--level", "none", "--batch", "1")  # what it has
        self.assertEqual((said, output.read_bytes()), ("", program.DEMO.read_bytes()))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["out.tosa"])

    def test_the_format_is_told_by_the_content(self):
        model = self.folder / "network.onnx"
        model.write_bytes(program.DEMO.read_bytes())
        self.assertEqual(self.convert(model)[0].read_bytes(), program.DEMO.read_bytes())

    def test_an_open_batch_is_filled(self):
        model = self.folder / "open.tosa"
        model.write_bytes(tosa_file.one_operator(shape=(-1, 3, 5)))
        for options, batch in (([], 1), (["--batch", "7"], 7)):
            output, said = self.convert(model, *options)
            self.assertEqual(said, f"{output}: TOSA 1.0.0, 1 operators, {output.stat().st_size:,} B\n"
                             f"note: the network leaves the first dimension of input 'x' open (-1): taken as {batch}; --batch N "
                             "takes another\n")
            report, outputs = self.run_model(output)
            self.assertEqual(report["notes"], [])
            self.assertEqual(outputs["y"].shape, (batch, 3, 5))
            again, said = self.convert(output, name="again.tosa")
            self.assertIn(": a copy of ", said)
            self.assertEqual(again.read_bytes(), output.read_bytes())

    def test_a_file_of_1p1_is_written_as_1p0(self):
        model = self.folder / "newer.tosa"
        for draft in (True, False):
            model.write_bytes(tosa_file.one_operator(version=(1, 1, 3, draft)))
            text = f"{model}: TOSA 1.1.3{' draft' if draft else ''} is read by the tables of TOSA 1.0"
            output, said = self.convert(model)
            self.assertEqual(said.splitlines(), [f"{output}: TOSA 1.0.0, 1 operators, {output.stat().st_size:,} B", f"note: {text}"])
            self.assertEqual(self.run_model(model)[0]["notes"], [text])
            package = self.compile(model)
            self.assertEqual(self.run_model(package)[0]["notes"], [text.replace(str(model), str(package))])
            self.assertEqual(self.run_model(output)[0]["notes"], [])
            self.assertEqual(self.convert(output, name="again.tosa")[0].read_bytes(), output.read_bytes())

    def test_an_older_file_is_replaced_and_kept_where_nothing_comes(self):
        output = self.folder / "out.tosa"
        output.write_text("old")
        bad = self.folder / "bad.tosa"
        bad.write_bytes(program.DEMO.read_bytes()[:-100])
        done = self.execute("convert", bad, "-o", output)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(output.read_text(), "old")
        self.convert(program.DEMO)
        self.assertEqual(output.read_bytes(), program.DEMO.read_bytes())


def without_source(package, source):
    """The bytes of a package less its checksum, the network in it and that network's SHA-256."""
    at = package.index(source) - 8  # its size comes first
    assert struct.unpack_from("<Q", package, at) == (len(source),)
    digest = hashlib.sha256(source).hexdigest().encode()
    rest = package[12:at] + package[at + 8 + len(source):]
    assert rest.count(digest) == 1
    return rest.replace(digest, b"")


class Networks(program.ProgramTest):
    """The copy compiles to the package of the network, byte for byte; so does the file that the writer makes, but for the file in it."""

    def check(self, model):
        content = model.read_bytes()
        written = self.folder / "written"
        copied = self.folder / "copied"
        for folder in (written, copied):
            folder.mkdir(exist_ok=True)
        self.execute("convert", "-q", model, "-o", copied / model.name)
        self.assertEqual((copied / model.name).read_bytes(), content)
        newer = self.folder / model.name
        newer.write_bytes(version_1p1(content))
        self.assertEqual(self.execute("convert", "-q", newer, "-o", written / model.name).returncode, 0)
        self.assertNotEqual((written / model.name).read_bytes(), content)
        package = self.compile(model).read_bytes()
        self.assertEqual(self.compile(copied / model.name).read_bytes(), package)
        found = self.compile(written / model.name).read_bytes()
        self.assertEqual(without_source(found, (written / model.name).read_bytes()), without_source(package, content))


NETWORKS = ("ad01_int8", "ds_cnn_kws_int16x8", "kws_ref_model", "mobilenet_v1_025_96_int16x8", "mobilenet_v1_025_96_int8",
            "mobilenet_v2_quantized_1x3x224x224", "pretrainedResnet_quant", "resnet50_int8", "str_ww_ref_model", "unet_96_int8",
            "vit_tiny_int8", "vww_96_int8")


def add_network_test(name):
    def test(self):
        model = program.GOLDEN / name / "model.tosa"
        if not model.exists():
            self.skipTest(f"{model} is not there")
        self.check(model)
    setattr(Networks, f"test_{name}", test)


for network in NETWORKS:
    add_network_test(network)


class OfficialTools(program.ProgramTest):
    """tosa-opt and the reference model of the TOSA project take what the writer makes. Of the tools that ./dev tosa installs."""

    def setUp(self):
        super().setUp()
        if not (TOOLS / "tosa-opt").exists():
            self.skipTest(f"the tools of the TOSA project are not in {TOOLS}: './dev tosa' installs them")

    def written(self, model):
        newer, output = self.folder / "newer.tosa", self.folder / "written.tosa"
        newer.write_bytes(version_1p1(model.read_bytes()))
        self.assertEqual(self.execute("convert", "-q", newer, "-o", output).returncode, 0)
        return output

    def tool(self, *arguments):
        done = subprocess.run([TOOLS / arguments[0], *map(str, arguments[1:])], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{arguments}\n{done.stderr}")
        return done.stdout

    def test_tosa_opt_reads_the_same_and_validates_it(self):
        def read(file):
            return self.tool("tosa-opt", f"--tosa-deserialize=tosa-flatbuffer-filename={file}", TARGET,
                             "--tosa-validate=strict-op-spec-alignment")
        for entry in program.made_networks():
            model = program.MADE / entry["name"] / "model.tosa"
            text = read(self.written(model))
            self.assertIn('tosa.fbs_version = "1.0.0"', text)
            original = read(model).replace("1.0.2d", "1.0.0")  # the version of one
            self.assertEqual(text, original, entry["name"])

    def test_the_reference_model_computes_the_same(self):
        for entry in program.made_networks():
            folder = program.MADE / entry["name"]
            output = self.written(folder / "model.tosa")
            names = [name for name, _, _ in entry["outputs"]]
            files = [self.folder / f"{index}.npy" for index in range(len(names))]
            self.tool("tosa_reference_model", f"--tosa_file={output}", "--flatbuffer_dir=/", "--output_dir=/",
                      "--tosa_level=EIGHTK", "--ifm_name=" + ",".join(name for name, _, _ in entry["inputs"]),
                      "--ifm_file=" + ",".join(str(folder / f"{name}.npy") for name, _, _ in entry["inputs"]),
                      "--ofm_name=" + ",".join(names), "--ofm_file=" + ",".join(map(str, files)))
            for name, file in zip(names, files):
                self.assert_arrays_equal(npy.read(file), npy.read(folder / f"{name}.npy"), f"{entry['name']}, {name}")


if __name__ == "__main__":
    program.main()
