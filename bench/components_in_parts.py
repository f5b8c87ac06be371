#!/usr/bin/env python3
"""Components of a mask larger than memory, table only, beside the time of reading and decoding it.

    bench/components_in_parts.py --side 2048 [--program build/bin/tesela] [--folder FOLDER] [--threads 2]

The mask is the vessels of 'tesela synthesize volume', made and cut off part by part; it stays in the folder for
the next run. 'info --verify' reads and decodes every brick in one thread; its time is divided by the threads. Both
are run three times in turns, the file in the cache of the system, and the shortest times count.
"""
import argparse
import json
import subprocess
import time
from pathlib import Path


def run(program, *words):
    begin = time.perf_counter()
    done = subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True)
    return time.perf_counter() - begin, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", type=int, default=1024)
    parser.add_argument("--program", default="build/bin/tesela")
    parser.add_argument("--folder", type=Path, default=Path("."))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--max-memory", default="2G")
    given = parser.parse_args()
    volume, mask = (given.folder / f"{name}-{given.side}.tvol" for name in ("vessels", "mask"))
    size = ",".join([str(given.side)] * 3)
    if not mask.exists():
        run(given.program, "synthesize", "volume", "--scene", "vessels", "--size", size, "--noise", "1%", "-o", volume)
        run(given.program, "threshold", "range", 60, 255, volume, "-o", mask)
        volume.unlink()
    decode, components = [], []
    for _ in range(3):
        decode.append(run(given.program, "info", mask, "--verify")[0] / given.threads)
        seconds, report = run(given.program, "components", mask, "--table", given.folder / "components.csv", "--force",
                              "--threads", given.threads, "--max-memory", given.max_memory, "--json")
        components.append(seconds)
    report = json.loads(report)
    print(f"{given.side}^3, {mask.stat().st_size} bytes, {report['statistics']['component_count']} components, "
          f"{report['peak_memory']['host'] / 2**20:.0f} MiB")
    print(f"decode {min(decode):.2f} s, components {min(components):.2f} s, {min(components) / min(decode):.2f} times")


if __name__ == "__main__":
    main()
