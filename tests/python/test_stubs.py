"""The stubs say what the functions take."""

import ast
import importlib.util
import inspect
import os
import re
import subprocess
import sys
import tempfile
import unittest

import recipes
from recipes import function_of

import tesela
from tesela import _registry
from tesela._errors import name_of


def stub():
    with open(os.path.join(os.path.dirname(tesela.__file__), "__init__.pyi"), encoding="utf-8") as file:
        return ast.parse(file.read())


def node_of(tree, words):
    """The function of an operation in the stub."""
    camel = "".join(part.capitalize() for word in words[:-1] for part in word.split("_"))
    body = tree.body
    if camel:
        body = next(n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.name == "_" + camel).body
    return next(n for n in body if isinstance(n, ast.FunctionDef) and n.name == words[-1])


class StubsTest(unittest.TestCase):
    def test_signatures_are_those_of_the_functions(self):
        tree = stub()
        for name in recipes.RECIPES:
            with self.subTest(operation=name):
                node = node_of(tree, [name_of(word) for word in name.split()])
                written = [a.arg for a in node.args.args + node.args.kwonlyargs]
                self.assertEqual(written, list(inspect.signature(function_of(name)).parameters))

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
    def test_outputs_are_of_the_kind_of_the_first_array(self):
        code = ("import numpy as np, tesela\n"
                "array = np.zeros((9, 9), np.uint8)\n"
                "plain = tesela.threshold.otsu(array).mask\n"
                "there = tesela.threshold(tesela.asarray(array)).mask\n"
                "image = tesela.mean_shift(tesela.Image(array)).filtered\n"
                "other = tesela.image.flip([[1, 2], [3, 4]]).image\n"
                "table = tesela.components(array).table\n"
                "reveal_type(plain); reveal_type(there); reveal_type(image); reveal_type(other); reveal_type(table)\n")
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([sys.executable, "-m", "mypy", "-c", code], capture_output=True, text=True, check=False,
                                 cwd=folder)
        self.assertEqual(re.findall(r'type is "(?:\w+\.)*(\w+)', run.stdout), ["ndarray", "DeviceArray", "Image", "Any", "Table"],
                         run.stdout + run.stderr)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
    def test_stubtest_finds_nothing(self):
        # Families are objects with members, which no stub of a function says; tesela-dicom.so is no module of Python.
        families = [name for name in _registry.families if "." not in name]
        allowed = "\n".join([*(rf"tesela\.{name}" for name in families), r"tesela\._.*", r"tesela\.tesela-\w+",
                             r"tesela\.\w+Result"])
        config = "[mypy]\nignore_missing_imports = True\ndisable_error_code = import-untyped\n"
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("allowed", allowed), ("config", config)):
                with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                    file.write(text)
            run = subprocess.run(
                [sys.executable, "-m", "mypy.stubtest", "tesela", "--concise", "--ignore-unused-allowlist",
                 "--allowlist", "allowed", "--mypy-config-file", "config"],
                capture_output=True, text=True, check=False, cwd=folder)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()
