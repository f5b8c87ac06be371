#!/usr/bin/env python3
"""Runs scikit-image's own tests of functions that tesela.skimage has, against tesela.skimage.

usage: skimage_tests.py [--source FOLDER]

FOLDER is the unpacked source package of scikit-image 0.26.0, by default taken from PyPI by pip. The Python
that runs this needs scikit-image 0.26, pooch and pytest beside the module (PYTHONPATH=build/python). A test
counts for a function that it calls.
"""

import argparse
import collections
import functools
import importlib
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import warnings

import pytest

import tesela.skimage as ours

VERSION = "0.26.0"
PACKAGES = ("measure", "filters", "feature", "morphology", "segmentation")
FILES = ("measure/test_ccomp.py", "measure/test_label.py", "measure/test_regionprops.py", "filters/test_thresholding.py",
         "feature/test_texture.py", "morphology/test_binary.py", "morphology/test_gray.py", "morphology/test_misc.py",
         "morphology/test_footprints.py", "segmentation/test_clear_border.py")
WORDS = "label or ccomp or otsu or glcm or GLCM or table or dilation or small_objects or clear_border"


def download(folder):
    """The source package, which nothing is built of."""
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", "scikit-image",
                    "--dest", folder, f"scikit-image=={VERSION}"], check=True)
    with tarfile.open(next(pathlib.Path(folder).glob("*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    return next(path for path in pathlib.Path(folder).iterdir() if path.is_dir())


class Recorder:
    """Puts our functions in place of scikit-image's, and notes which test called which."""

    def __init__(self):
        self.called = set()
        self.results = collections.defaultdict(dict)  # by function: (passed, reason) by test
        packages = [importlib.import_module(f"skimage.{name}") for name in PACKAGES]
        self.replaced = {}
        for name in ours.__all__:
            for package in packages:
                if hasattr(package, name):
                    self.replaced[getattr(package, name)] = self.watched(name)
        for package in packages:
            self.replace(package)

    def watched(self, name):
        function = getattr(ours, name)

        @functools.wraps(function)
        def call(*arguments, **keywords):
            self.called.add(name)
            return function(*arguments, **keywords)

        return call

    def replace(self, module):
        for name, value in list(vars(module).items()):
            if callable(value) and getattr(value, "__hash__", None) and value in self.replaced:
                setattr(module, name, self.replaced[value])

    def pytest_collection_modifyitems(self, items):
        for module in {item.module for item in items}:
            self.replace(module)
            for value in list(vars(module).values()):  # such as binary in "from skimage.morphology import binary"
                if getattr(value, "__name__", "").startswith("skimage."):
                    self.replace(value)

    def pytest_runtest_setup(self):
        self.called = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if report.when == "call":
            reason = ""
            if call.excinfo is not None:
                said = re.sub(r"\s+", " ", str(call.excinfo.value)).strip()
                reason = f"{call.excinfo.typename}: {said}"
            for name in self.called:
                self.results[name][item.nodeid] = (report.passed, reason)
        return report


def reason_of(text):
    """The sentence of a refusal without the numbers of one case, or what scikit-image's test asked."""
    match = re.search(r"tesela\.skimage\.\w+: (.+?)(?:; |$)", text)
    return match[1] if match else "asks: " + text[:100]


def tables(results):
    lines = ["| function | tests | passed |", "|---|---|---|"]
    refused = ["", "| function | not passed | reason |", "|---|---|---|"]
    for name in sorted(results):
        cases = results[name].values()
        lines.append(f"| `{name}` | {len(cases)} | {sum(passed for passed, _ in cases)} |")
        reasons = collections.Counter(reason_of(reason) for passed, reason in cases if not passed)
        refused += [f"| `{name}` | {count} | {reason.replace('|', '/')} |" for reason, count in reasons.most_common()]
    return "\n".join(lines + refused) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=pathlib.Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        source = options.source or download(folder)
        recorder = Recorder()
        tests = [str(source / "tests/skimage" / name) for name in FILES]
        pytest.main(["-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-W", "ignore", f"--rootdir={folder}",
                     "--import-mode=importlib", "--noconftest", "-k", WORDS, "-c", "/dev/null", *tests], plugins=[recorder])
    print(tables(recorder.results))


if __name__ == "__main__":
    main()
