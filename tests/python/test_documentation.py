"""Every example of docs/python.md and README.md runs."""

import contextlib
import io
import os
import pathlib
import re
import tempfile
import unittest
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


class DocumentationTest(unittest.TestCase):
    def run_examples(self, page):
        text = (ROOT / page).read_text(encoding="utf-8")
        examples = list(EXAMPLE.finditer(text))
        self.assertTrue(examples)
        scope, before = {}, os.getcwd()
        warnings.simplefilter("ignore")
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for example in examples:
                    line = text.count("\n", 0, example.start()) + 1
                    code = compile("\n" * line + example[1], page, "exec")
                    with contextlib.redirect_stdout(io.StringIO()):
                        exec(code, scope)  # noqa: S102
            finally:
                os.chdir(before)

    def test_the_page(self):
        self.run_examples("docs/python.md")

    def test_names_of_scikit_image(self):
        self.run_examples("docs/python-skimage.md")

    def test_the_front_page(self):
        self.run_examples("README.md")


if __name__ == "__main__":
    unittest.main()
