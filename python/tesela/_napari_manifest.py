"""Writes the manifest that napari reads (https://napari.org/npe2): ``python -m tesela._napari_manifest FOLDER``."""

import json
import os
import sys

from ._napari import operations


def text():
    """Commands and widgets, one of each for an operation; texts in YAML as JSON has them."""
    lines = ["# Made from the descriptions of the operations when Tesela is built.",
             "name: tesela", "display_name: Tesela", "contributions:", "  commands:"]
    for name, operation in operations().items():
        lines += [f"    - id: tesela.{name}", f"      title: {json.dumps('Tesela: ' + operation)}",
                  f"      python_name: tesela._napari:{name}"]
    lines.append("  widgets:")
    for name, operation in operations().items():
        lines += [f"    - command: tesela.{name}", f"      display_name: {json.dumps(operation)}",
                  "      autogenerate: true"]
    return "\n".join(lines) + "\n"


def main(folder):
    with open(os.path.join(folder, "napari.yaml"), "w", encoding="utf-8") as out:
        out.write(text())


if __name__ == "__main__":
    main(sys.argv[1])
