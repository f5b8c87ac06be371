"""``python -m tesela`` is the command line."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np
import recipes

import tesela

MODULE = [sys.executable, "-m", "tesela"]


def takes_interrupts(process):
    """Whether the program, whose threads leave signals to one of them, has begun."""
    status = pathlib.Path(f"/proc/{process}/status").read_text(encoding="ascii")
    blocked = re.search(r"SigBlk:\s*(\w+)", status)[1]
    return bool(int(blocked, 16) & 1 << signal.SIGINT - 1)


class ProgramTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def both(self, *words):
        """Of the module and of the program: exit status and what they say."""
        runs = [subprocess.run([*command, *words], capture_output=True, cwd=self.folder, check=False)
                for command in (MODULE, [os.environ["TESELA_PROGRAM"]])]
        return [(run.returncode, run.stdout, run.stderr) for run in runs]

    @unittest.skipUnless("TESELA_PROGRAM" in os.environ, "there is no program to compare with")
    def test_says_what_the_program_says(self):
        for words in (["--version"], ["--help"], ["threshold", "--help"], ["help"], ["completion", "bash"],
                      ["info", "missing.png"], ["treshold"], ["threshold", "missing.png", "-o", "a.png"]):
            with self.subTest(words=words):
                module, program = self.both(*words)
                self.assertEqual(module, program)

    def test_makes_what_the_function_makes(self):
        image = recipes.picture()
        tesela.write(self.folder / "bäume.png", image)
        done = subprocess.run([*MODULE, "threshold", "bäume.png", "-o", "mask.png", "--quiet", "--device", "cpu"],
                              capture_output=True, cwd=self.folder, check=True)
        self.assertEqual(done.stderr, b"")
        self.assertTrue(np.array_equal(tesela.read(self.folder / "mask.png").array, tesela.threshold.otsu(image).mask))

    def test_experiments(self):
        done = subprocess.run([*MODULE, "bench", "--help"], capture_output=True, check=True)
        self.assertIn(b"region-grow", done.stdout)

    def test_stops_by_interrupt(self):
        tesela.write(self.folder / "large.tif", np.tile(recipes.picture(), (40, 40)))
        run = subprocess.Popen([*MODULE, "mean-shift", "large.tif", "-o", "smooth.tif", "--spatial", "30", "--device", "cpu"],
                               cwd=self.folder, stderr=subprocess.PIPE,
                               # A shell starts what runs in its background with interrupts ignored.
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        while not takes_interrupts(run.pid):
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        text = run.communicate(timeout=20)[1]
        self.assertIn(b"cancelled", text)
        self.assertNotIn(b"Traceback", text)
        self.assertEqual(run.returncode, 130)
        self.assertFalse((self.folder / "smooth.tif").exists())

    def test_reader_that_has_gone(self):
        run = subprocess.Popen([*MODULE, "completion", "bash"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        run.stdout.close()
        text = run.stderr.read()
        run.stderr.close()
        run.wait()
        self.assertEqual(text, b"")


if __name__ == "__main__":
    unittest.main()
