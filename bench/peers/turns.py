"""What `images` and `volumes` share: the newest peers, calls in turns, and tables."""
import importlib.metadata
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
import venv

ENVIRONMENT = pathlib.Path(__file__).resolve().parents[2] / ".cache" / "peers"


def run_with_newest(packages):
    """Goes on in a virtual environment that has the newest `packages`."""
    if pathlib.Path(sys.prefix) == ENVIRONMENT:
        return
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists():
        venv.create(ENVIRONMENT, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--upgrade", *packages], check=True)
    os.execv(python, [str(python), *sys.argv])


version = importlib.metadata.version


def timed(call):
    """A call that gives how many milliseconds `call` takes."""
    def measured():
        start = time.perf_counter()
        call()
        return 1000 * (time.perf_counter() - start)
    return measured


def verb(program, *words):
    """A call that gives how many milliseconds a verb computes; reading and writing do not count."""
    command = [program, *map(str, words), "--device", "cpu", "--force", "--quiet", "--json"]

    def measured():
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
        return sum(stage["milliseconds"] for stage in json.loads(done.stdout)["stages"]
                   if stage["name"] not in ("read", "write"))
    return measured


def medians_in_turns(calls, rounds=5):
    """Of calls by name, each after one that does not count."""
    times = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(call())
    return {name: statistics.median(taken) for name, taken in times.items()}


def text_of(milliseconds):
    return f"{milliseconds / 1000:.2f} s" if milliseconds >= 1000 else f"{milliseconds:.3g} ms"


def print_table(jobs):
    """Of pairs of a job's name and its calls, Tesela's among them. Rows where a peer is ahead say so."""
    print("| job | Tesela | peer | ratio |\n|---|---|---|---|")
    for job, calls in jobs:
        times = medians_in_turns(calls)
        own = times.pop("Tesela")
        for name, peer in times.items():
            ahead = " *peer ahead*" if peer < own else ""
            print(f"| {job} | {text_of(own)} | {name} {text_of(peer)} | {peer / own:.2f}{ahead} |", flush=True)
