# SPDX-License-Identifier: Apache-2.0
"""From a layer's name in the source file to the report's row, its commands, the markers in the wave, the tensor that it makes, its story
and its node: the same name at every station, of a .tosa file and of an ONNX file."""

import json

import onnx_file
import program
import vcd

UNITS = {"dma0": "npu.dma.channel0", "dma1": "npu.dma.channel1", "mac": "npu.mac_array", "vec": "npu.vector_unit"}


class Provenance(program.ProgramTest):
    def follow(self, model, source_names):
        self.execute("run", model, "-q", "--report", "r.json", "--report", "n.mx.json", "--wave", "w.vcd")
        report = program.read_json(self.folder / "r.json")
        package = self.compile(model)
        listed = json.loads(self.execute("disasm", package, "--report", "-").stdout)["commands"]
        wave = vcd.Dump((self.folder / "w.vcd").read_text())
        nodes = program.read_json(self.folder / "n.mx.json")
        [data] = nodes.values()
        self.assertGreater(len(report["layers"]), 5)
        self.assertEqual(len(data["results"]), len(report["layers"]))
        for layer, (key, result) in zip(report["layers"], data["results"].items(), strict=True):
            name, number = layer["name"], layer["layer_idx"]
            with self.subTest(layer=name):
                self.assertIn(layer["source_name"], source_names)
                self.assertEqual(result["value"], layer["attributed_cycles"], key)
                own = [c["command_idx"] for c in listed if c["layer"] == name and c["unit"] != "end"]
                self.assertEqual(own, [c["command_idx"] for c in report["commands"] if c["layer_idx"] == number and c["queue"]])
                self.assertTrue(own)
                for command in (report["commands"][i] for i in own):
                    shown = [text for begin, _, text in wave.stretches(f"{UNITS[command['queue']]}.layer")
                             if begin == command["start_cycle"] * 1000]
                    self.assertTrue(shown and shown[-1] and shown[-1].strip(".") in name, (command, shown))
                self.execute("explain", model, "--layer", name, "--report", "e.json")
                story = program.read_json(self.folder / "e.json")
                self.assertEqual((story["name"], story["attributed_cycles"]), (name, layer["attributed_cycles"]))
                # Besides its own operators a layer has those that were fused into it.
                self.assertIn(name, {operator["source_name"] for operator in story["operators"]})
                dumped = self.execute("dump", model, "--tensor", name)
                self.assertTrue(dumped.returncode == 0 or "tensors, wanted is one of" in dumped.stderr or "makes a tensor" in dumped.stderr,
                                dumped.stderr)

    def test_an_onnx_file(self):
        (self.folder / "m.onnx").write_bytes(onnx_file.operators())
        self.follow(self.folder / "m.onnx", {f"n_{name}" for name in "abcdefghijklmnopqrstuvwxyz"} | {"x", "y"})

    def test_a_tosa_file(self):
        report, _ = self.run_model(program.DEMO)
        self.follow(program.DEMO, {layer["name"] for layer in report["layers"]})


if __name__ == "__main__":
    program.main()
