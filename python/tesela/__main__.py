"""The command line: ``python -m tesela``."""

import sys

from . import _tesela


def main():
    return _tesela.program(sys.argv)


if __name__ == "__main__":
    sys.exit(main())
