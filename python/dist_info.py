"""Writes what pip would about the package, of which napari finds the manifest: dist_info.py PYPROJECT VERSION FOLDER."""

import pathlib
import sys
import tomllib


def main(pyproject, version, folder):
    project = tomllib.loads(pathlib.Path(pyproject).read_text(encoding="utf-8"))["project"]
    metadata = [("Metadata-Version", "2.1"), ("Name", project["name"]), ("Version", version),
                ("Summary", project["description"]), ("Requires-Python", project["requires-python"]),
                *(("Requires-Dist", one) for one in project["dependencies"])]
    texts = {"METADATA": "".join(f"{name}: {value}\n" for name, value in metadata), "INSTALLER": "CMake\n"}
    # Scripts are installed apart.
    texts["entry_points.txt"] = "\n".join(
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in project["entry-points"].items())
    for name, text in texts.items():
        pathlib.Path(folder, name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
