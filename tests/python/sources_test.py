#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What of the Python package can be seen without PyPI."""

import ast
import pathlib
import re
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "vernier"
BINDING = ROOT / "python" / "binding"
FILES = sorted(PACKAGE.rglob("*.py")) + [PACKAGE / "_vernier.pyi"]


def trees():
    return {str(file.relative_to(PACKAGE)): ast.parse(file.read_text(encoding="utf-8"), str(file)) for file in FILES}


def is_public(node):
    return not node.name.startswith("_")


class Sources(unittest.TestCase):
    def test_there_are_sources_and_they_compile(self):
        self.assertGreater(len(FILES), 5)
        for file in FILES:
            compile(file.read_text(encoding="utf-8"), str(file), "exec")

    def test_nothing_is_printed(self):
        for name, tree in trees().items():
            calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
            self.assertNotIn("print", [call.func.id for call in calls], name)

    def test_public_names_have_docstrings_and_types(self):
        for name, tree in trees().items():
            if name == "_vernier.pyi":
                continue
            self.assertTrue(ast.get_docstring(tree), name)
            owners = [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef) and is_public(node))]
            for owner in owners:
                for node in owner.body:
                    if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and is_public(node):
                        self.assertTrue(ast.get_docstring(node), f"{name}: {node.name} has no docstring")
                    if isinstance(node, ast.FunctionDef):
                        self.assertIsNotNone(node.returns, f"{name}: {node.name} says no type")

    def test_names_that_are_exported_are_there(self):
        tree = trees()["__init__.py"]
        imported = {alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
        exported = next(ast.literal_eval(node.value) for node in tree.body
                        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
        self.assertEqual(exported, sorted(exported))
        self.assertLessEqual(set(exported), imported)

    def test_the_types_of_the_module_are_those_of_its_source(self):
        source = (BINDING / "module.cpp").read_text(encoding="utf-8")
        defined = set(re.findall(r'\bdef\(\s*"(\w+)"', source)) | set(re.findall(r'class_<\w+>\(module, "(\w+)"', source))
        tree = trees()["_vernier.pyi"]
        typed = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        self.assertEqual(typed, defined)

    def test_versions_are_pinned(self):
        with open(ROOT / "python" / "pyproject.toml", "rb") as file:
            project = tomllib.load(file)
        for requirement in project["build-system"]["requires"]:
            self.assertRegex(requirement, r"^[a-z0-9-]+==[0-9.]+$")
        version = project["tool"]["scikit-build"]["metadata"]["version"]
        text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
        self.assertTrue(re.search(version["regex"], text), "the version is not found in CMakeLists.txt")


if __name__ == "__main__":
    unittest.main()
