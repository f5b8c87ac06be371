"""What `pip install` says before it builds."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# All packages are installed but two.
DPKG_QUERY = """#!/bin/sh
for name; do
    case $name in
        libisal-dev | libsvm-dev) printf 'config-files:%s ' "$name" ;;
        [a-z]*) printf 'installed:%s ' "$name" ;;
    esac
done
"""


@unittest.skipUnless(shutil.which("cmake"), "cmake is not installed")
class InstallTest(unittest.TestCase):
    def test_missing_debian_packages_are_one_sentence(self):
        with tempfile.TemporaryDirectory() as folder:
            query = pathlib.Path(folder, "dpkg-query")
            query.write_text(DPKG_QUERY, encoding="ascii")
            query.chmod(0o755)
            environment = {**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"]}
            environment.pop("TESELA_NO_INSTALL", None)
            run = subprocess.run(["cmake", "-DSKBUILD=ON", "-S", ROOT, "-B", os.path.join(folder, "build")],
                                 env=environment, capture_output=True, text=True, check=False)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("  Debian packages are missing: apt-get install libisal-dev libsvm-dev\n", run.stderr)
        self.assertNotIn("compiler", run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()
