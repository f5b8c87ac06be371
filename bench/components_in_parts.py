#!/usr/bin/env python3
"""Components of a mask larger than memory, table only, beside the time of reading and decoding it.

    bench/components_in_parts.py --side 2048 [--program build/bin/tesela] [--folder FOLDER] [--threads 2]

The mask is that of the vessels of 'tesela synthesize volume', 256^3, side by side, so that they grow together; it
stays in the folder for the next run. 'info --verify' reads and decodes every brick. Both are run three times in turns, the file in the
cache of the system, and the shortest processor times count, as one has one thread and the other two.
"""
import argparse
import json
import resource
import subprocess
from pathlib import Path

TILE = 256


def run(program, *words):
    """Processor time of the process, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def make(program, side, mask):
    tile, raw = mask.with_suffix(".npy"), mask.with_suffix(".raw")
    size = ",".join([str(TILE)] * 3)
    run(program, "synthesize", "volume", "--scene", "vessels", "--size", size, "-o", tile, "--force")
    voxels = tile.read_bytes()[-TILE**3:].translate(bytes(value >= 120 for value in range(256)))
    with open(raw, "wb") as file:
        for z in range(side):
            begin = z % TILE * TILE**2
            rows = (voxels[at:at + TILE] for at in range(begin, begin + TILE**2, TILE))
            file.write(b"".join(row * (side // TILE) for row in rows) * (side // TILE))
    run(program, "compress", raw, "--raw", f"{side}x{side}x{side}:u8", "--labels", "-o", mask)
    tile.unlink()
    raw.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", type=int, default=1024)
    parser.add_argument("--program", default="build/bin/tesela")
    parser.add_argument("--folder", type=Path, default=Path("."))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--max-memory", default="2G")
    given = parser.parse_args()
    mask = given.folder / f"mask-{given.side}.tvol"
    if not mask.exists():
        make(given.program, given.side, mask)
    decode, components = [], []
    for _ in range(3):
        decode.append(run(given.program, "info", mask, "--verify")[0])
        seconds, report = run(given.program, "components", mask, "--table", given.folder / "components.csv", "--force",
                              "--threads", given.threads, "--max-memory", given.max_memory, "--json")
        components.append(seconds)
    report = json.loads(report)
    print(f"{given.side}^3, {mask.stat().st_size} bytes, {report['statistics']['component_count']} components, "
          f"{report['peak_memory']['host'] / 2**20:.0f} MiB")
    print(f"decode {min(decode):.2f} s, components {min(components):.2f} s, {min(components) / min(decode):.2f} times")


if __name__ == "__main__":
    main()
