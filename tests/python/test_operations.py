"""Every operation gives the same files as the command line, bit for bit, and has a whole signature."""

import inspect
import os
import subprocess
import tempfile
import unittest
import warnings

import recipes
from recipes import function_of

import tesela
from tesela import _tesela
from tesela._errors import name_of

PROGRAM = os.environ["TESELA_PROGRAM"]
DEVICES = os.environ.get("TESELA_TEST_DEVICES", "cpu").split(",")
IMAGES = ("image", "labels", "mask", "field", "warpable")


def device_of(back_end):
    if back_end == "cpu":
        return "cpu"
    found = [d["id"] for d in tesela.devices() if not d["problem"] and d["id"].startswith(back_end)]
    return found[0] if found else None


class Comparison:
    """One operation called both ways."""

    def __init__(self, name, files, folder, device):
        self.name, self.files, self.folder, self.device = name, files, folder, device
        self.description = _tesela.describe(name)
        self.inputs, self.options = recipes.RECIPES[name]
        for way in ("program", "module"):
            os.makedirs(os.path.join(folder, way))

    def path(self, name):
        path = self.files / name
        return path if os.path.exists(path) else name

    def target(self, way, output):
        suffix = ".tfm" if output["name"] == "itk" else recipes.SUFFIXES[output["kind"]]
        if self.name == "render" and output["name"] == "depth":
            suffix = ".tif"
        return os.path.join(self.folder, way, output["name"] + suffix)

    def outputs(self):
        left_out = recipes.NOT_MADE.get(self.name, ())
        return [output for output in self.description["outputs"] if output["name"] not in left_out]

    def run_program(self):
        line = [PROGRAM, *self.name.split()]
        for given in self.description["inputs"]:
            value = self.inputs.get(given["name"])
            if value is None:
                continue
            for one in value if isinstance(value, list) else [value]:
                if given["named"] or given["kind"] == "seeds":
                    line.append("--" + given["name"])
                line.append(self.path(one))
        for option, value in self.options.items():
            line += [f"--{option}"] if value is True else [f"--{option}", str(value)]
        for output in self.outputs():
            line += ["--" + output["name"], self.target("program", output)]
        if not self.description["on_host"]:
            line += ["--device", self.device]
        run = subprocess.run(line + ["--json"], capture_output=True, text=True, check=False)
        if run.returncode:
            raise AssertionError(" ".join(line) + "\n" + run.stderr)

    def argument(self, given, value):
        if isinstance(value, list):
            return [self.argument(given, one) for one in value]
        path = self.path(value)
        if path == value or given["kind"] not in IMAGES:
            return path
        if given["kind"] == "field":
            return path
        return tesela.read(path, labels=given["kind"] == "labels")

    def call_module(self):
        keywords = {name_of(name): value for name, value in self.options.items()}
        for given in self.description["inputs"]:
            if given["name"] in self.inputs:
                keywords[name_of(given["name"])] = self.argument(given, self.inputs[given["name"]])
        for output in self.outputs():
            if output["form"] == "file":
                keywords[name_of(output["name"])] = self.target("module", output)
        if not self.description["on_host"]:
            keywords["device"] = self.device
        made = [name_of(output["name"]) for output in self.outputs() if output["form"] != "file"]
        if made:
            keywords["outputs"] = made
        result = function_of(self.name)(**keywords)
        for output in self.outputs():
            if output["form"] != "file":
                self.save(getattr(result, name_of(output["name"])), output)
        return result

    def save(self, value, output):
        path = self.target("module", output)
        if hasattr(value, "save"):
            value.save(path)
        elif output["kind"] in ("classes", "field") or isinstance(value, tesela.Image):
            tesela.write(path, value, labels=output["kind"] == "labels")
        else:
            channels = -1 if value.ndim == 3 and self.name != "render" or value.shape[-1] in (3, 4) else None
            tesela.write(path, value, labels=output["kind"] == "labels", channel_axis=channels)

    def differences(self):
        program, module = (contents(os.path.join(self.folder, way)) for way in ("program", "module"))
        return sorted(
            name for name in program.keys() | module.keys() if program.get(name) != module.get(name))


def contents(folder):
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = without_resolution(file.read())
    return found


def without_resolution(data):
    """The program says of pictures how large they are printed."""
    signature = b"\x89PNG\r\n\x1a\n"
    if not data.startswith(signature):
        return data
    kept, at = [signature], len(signature)
    while at < len(data):
        end = at + 12 + int.from_bytes(data[at:at + 4], "big")
        if data[at + 4:at + 8] != b"pHYs":
            kept.append(data[at:end])
        at = end
    return b"".join(kept)


class OperationsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        warnings.simplefilter("ignore")
        cls.files = recipes.Files(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_operation_has_a_recipe(self):
        names = {one["name"] for one in _tesela.operations()["operations"]}
        self.assertEqual(names, set(recipes.RECIPES))

    def test_results_are_those_of_the_program(self):
        for back_end in DEVICES:
            device = device_of(back_end)
            if device is None:
                self.skipTest(f"there is no device of {back_end}")
            for name in recipes.ON_OPENCL if back_end == "opencl" else recipes.RECIPES:
                if device != "cpu" and _tesela.describe(name)["on_host"]:
                    continue
                with self.subTest(operation=name, device=device), tempfile.TemporaryDirectory() as folder:
                    compared = Comparison(name, self.files, folder, device)
                    try:
                        compared.run_program()
                    except AssertionError as error:
                        if device != "cpu" and "takes the CPU" in str(error):
                            continue
                        raise
                    compared.call_module()
                    self.assertEqual(compared.differences(), [])

    def test_signatures_and_texts_name_every_option(self):
        for name in recipes.RECIPES:
            with self.subTest(operation=name):
                function = function_of(name)
                parameters = inspect.signature(function).parameters
                description = _tesela.describe(name)
                for one in description["inputs"] + description["options"]:
                    keyword = name_of(one["name"])
                    self.assertIn(keyword, parameters)
                    self.assertIn(f"\n{keyword} : ", function.__doc__)
                for option in description["options"]:
                    self.assertEqual(parameters[name_of(option["name"])].default, option["default"])
                self.assertNotIn("--", function.__doc__.replace("----------", "").replace("-------", "")
                                 .replace("------", ""))

    def test_keywords_of_python_have_an_underscore(self):
        self.assertIn("from_", inspect.signature(tesela.level_set.ftc).parameters)

    def test_families_are_namespaces(self):
        self.assertEqual(tesela.threshold.otsu.__name__, "otsu")
        self.assertTrue(callable(tesela.threshold))
        with self.assertRaisesRegex(TypeError, "call one of glcm, lbp"):
            tesela.texture(recipes.picture())


if __name__ == "__main__":
    unittest.main()
