"""Threads, memory, interrupts, progress and forks."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import unittest
import warnings

import numpy as np
import recipes

import tesela


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def long_work(progress=None):
    """Takes many seconds where nothing stops it."""
    rng = np.random.default_rng(1)
    image = rng.integers(0, 255, (700, 700, 3), np.uint8)
    return tesela.mean_shift(image, channel_axis=-1, spatial=24, range=40, max_iterations=1000, threads=1,
                             device="cpu", progress=progress)


def run(code):
    """A process of its own, which a signal may be sent to."""
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, cwd=os.path.dirname(os.path.abspath(__file__)),
                            # A shell starts what runs in its background with interrupts ignored.
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


class CallsTest(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")

    def test_memory_stays_flat(self):
        image = np.random.default_rng(0).integers(0, 255, (64, 64), np.uint8)
        strided = np.asfortranarray(image)

        def call(count):
            for _ in range(count):
                tesela.mean_shift(image, spatial=2, device="cpu")
                tesela.threshold.otsu(strided, device="cpu")
                tesela.components(image, device="cpu").table["label"].sum()
            gc.collect()

        call(100)
        before = resident_bytes()
        call(1000)
        self.assertLess(resident_bytes() - before, 4 << 20)

    def test_threads_compute_at_once(self):
        images = [recipes.picture(seed=i) for i in range(4)]
        expected = [tesela.watershed(image, device="cpu").labels for image in images]
        wrong = []

        def work(i):
            for _ in range(20):
                if not np.array_equal(tesela.watershed(images[i], device="cpu").labels, expected[i]):
                    wrong.append(i)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_python_runs_while_work_is_done(self):
        done = threading.Event()
        worker = threading.Thread(target=lambda: (self.assert_cancelled(), done.set()))
        worker.start()
        time.sleep(0.2)
        ticks = 0
        for _ in range(20):
            time.sleep(0.01)
            ticks += 1
        self.assertEqual(ticks, 20)
        self.assertFalse(done.is_set())
        tesela.cancel()
        worker.join(5)
        self.assertTrue(done.is_set())

    def assert_cancelled(self):
        with self.assertRaises(tesela.Cancelled):
            long_work()

    def test_progress_tells_fraction_and_stage(self):
        seen = []
        tesela.mean_shift(recipes.picture(), spatial=8, device="cpu",
                          progress=lambda fraction, stage: seen.append((fraction, stage)))
        self.assertTrue(seen)
        self.assertTrue(all(0 <= fraction <= 1 and isinstance(stage, str) for fraction, stage in seen))

    def test_an_exception_in_progress_stops_the_work(self):
        def stop(fraction, stage):
            raise LookupError("enough")

        begun = time.monotonic()
        with self.assertRaisesRegex(LookupError, "enough"):
            long_work(stop)
        self.assertLess(time.monotonic() - begun, 5)
        self.assertEqual(tesela.threshold.otsu(recipes.picture(), device="cpu").mask.shape, (61, 97))

    def test_progress_cannot_call_operations(self):
        def call(fraction, stage):
            tesela.threshold.otsu(recipes.picture(), device="cpu")

        with self.assertRaisesRegex(tesela.InvalidArgument, "progress callback"):
            long_work(call)


class ProcessTest(unittest.TestCase):
    def test_interrupt_is_keyboard_interrupt_soon(self):
        process = run("""
            import time, test_calls
            print("ready", flush=True)
            try:
                test_calls.long_work()
            except KeyboardInterrupt:
                print("interrupted", flush=True)
            mask = test_calls.tesela.threshold.otsu(test_calls.recipes.picture(), device="cpu").mask
            print(mask.shape)
            """)
        self.assertEqual(process.stdout.readline(), "ready\n")
        time.sleep(1)
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.stdout.readline(), "interrupted\n")
        waited = time.monotonic() - begun
        rest, errors = process.communicate(timeout=60)
        self.assertEqual((rest, errors), ("(61, 97)\n", ""))
        self.assertLess(waited, 0.5)

    def test_a_forked_child_is_told_to_spawn(self):
        tesela.threshold.otsu(recipes.picture(), device="cpu")
        context = multiprocessing.get_context("fork")
        queue = context.SimpleQueue()
        child = context.Process(target=forked, args=(queue,))
        child.start()
        child.join(30)
        self.assertIn("spawn", queue.get())

    def test_import_starts_nothing(self):
        process = run("""
            import os, sys
            import tesela
            assert len(os.listdir("/proc/self/task")) == 1, "a thread was started"
            assert "numpy" not in sys.modules, "NumPy was imported"
            assert not [name for name in sys.modules if name.startswith("tesela._") and name != "tesela._tesela"]
            maps = open("/proc/self/maps").read()
            assert "libcuda.so" not in maps and "libOpenCL" not in maps, "a driver was loaded"
            print("fine")
            """)
        self.assertEqual(process.communicate(timeout=60), ("fine\n", ""))

    def test_names_are_found_when_they_are_asked_for(self):
        process = run("""
            import tesela
            assert {"Image", "mean_shift", "threshold", "read", "devices"} <= {*dir(tesela), *tesela.__all__}
            assert type(tesela.image.flip([[1.0, 2.0], [3.0, 4.0]])) is tesela.ImageFlipResult
            assert tesela.threshold is tesela.threshold and "threshold.otsu" in tesela.operations
            assert tesela.threshold.local is tesela.threshold.adaptive
            from tesela import *
            print(show, Image, threshold.otsu)
            """)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(errors, "")
        self.assertIn("function threshold.otsu", output)

    def test_python_ends_while_daemon_threads_compute(self):
        process = run("""
            import atexit, os, threading, time
            atexit.register(lambda: [thread.join(20) for thread in threads])  # after that of tesela
            import test_calls

            def work():
                try:
                    test_calls.long_work()
                except test_calls.tesela.Cancelled:
                    os.write(1, b"cancelled\\n")  # both threads at once

            threads = [threading.Thread(target=work, daemon=True) for _ in range(2)]
            for thread in threads:
                thread.start()
            time.sleep(0.5)
            """)
        begun = time.monotonic()
        self.assertEqual(process.communicate(timeout=60), ("cancelled\n" * 2, ""))
        self.assertEqual(process.returncode, 0)
        self.assertLess(time.monotonic() - begun, 15)


def forked(queue):
    try:
        tesela.threshold.otsu(recipes.picture(), device="cpu")
        queue.put("it went on")
    except tesela.Error as error:
        queue.put(str(error))


if __name__ == "__main__":
    unittest.main()
