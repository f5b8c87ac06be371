"""What the scripts of this folder share: the newest peers, calls in turns, tables and their page."""
import argparse
import datetime
import importlib.metadata
import importlib.util
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENT = ROOT / ".cache" / "peers"
PAGE = ROOT / "docs" / "performance" / "peers.md"
# By the name that pip knows it by, where it is imported by another.
MODULES = {"opencv-contrib-python-headless": "cv2", "scikit-image": "skimage", "PyWavelets": "pywt",
           "connected-components-3d": "cc3d", "itk-elastix": "itk"}


def run_with_newest(packages):
    """Goes on in a virtual environment that has the newest `packages`. Where there is no network, this Python is taken, if
    it has them."""
    if pathlib.Path(sys.prefix) == ENVIRONMENT:
        return
    python = ENVIRONMENT / "bin" / "python"
    try:
        if not python.exists():
            venv.create(ENVIRONMENT, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--upgrade", "--retries", "0", *packages], check=True)
    except (OSError, subprocess.CalledProcessError):
        print("nothing could be installed: peers of this Python are taken", file=sys.stderr)
    else:
        os.execv(python, [str(python), *sys.argv])
    missing = [name for name in packages if not importlib.util.find_spec(MODULES.get(name, name))]
    if missing:
        sys.exit(f"could not install {', '.join(missing)}")


def versions(packages):
    def version(package):
        try:
            return importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:  # the same module by another name
            return importlib.import_module(MODULES.get(package, package)).__version__
    return ", ".join(f"{package} {version(package)}" for package in packages)


# ---- Calls that give how many milliseconds something takes ----------------------------------------

def processor_seconds():
    """Of this process and its children, which do not depend on other work of the machine."""
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


CLOCK = {"seconds": time.perf_counter}


def timed(call):
    def measured():
        start = CLOCK["seconds"]()
        call()
        return 1000 * (CLOCK["seconds"]() - start)
    return measured


def _run(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
    return done.stdout


def process(*command):
    """A whole process, from its start to its end."""
    return timed(lambda: _run(command))


def stages(program, words, counts, device="cpu"):
    """The stages of a verb whose names `counts` takes."""
    def measured():
        choice = ["--device", device] if device else []
        told = _run([program, *words, *choice, "--force", "--quiet", "--json"])
        return sum(stage["milliseconds"] for stage in json.loads(told)["stages"] if counts(stage["name"]))
    return measured


def verb(program, *words, device="cpu"):
    """What a verb computes; reading and writing do not count."""
    return stages(program, words, lambda name: name not in ("read", "write"), device)


def reading(program, *words):
    return stages(program, words, lambda name: name == "read")


def writing(program, *words, device="cpu"):
    """`device` is empty for verbs that take none."""
    return stages(program, words, lambda name: name == "write", device)


# ---- Tables ---------------------------------------------------------------------------------------

def medians_in_turns(calls, rounds):
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


def rows_of(jobs, rounds):
    """Lines of a table of pairs of a job's name and its calls, Tesela's first. Rows where a peer is ahead say so."""
    yield "| job | Tesela | peers, and their time divided by Tesela's |"
    yield "|---|---|---|"
    for job, calls in jobs:
        times = medians_in_turns(calls, rounds)
        own = times.pop("Tesela")
        peers = [f"{name} {text_of(peer)} ({peer / own:.2f}{', *ahead*' if peer < own else ''})"
                 for name, peer in times.items()]
        yield f"| {job} | {text_of(own)} | {'; '.join(peers)} |"


def machine():
    cpu = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return f"{len(os.sched_getaffinity(0))} processors of {cpu[1] if cpu else 'unknown kind'}"


def commit():
    done = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() or "no commit"


def put_section(name, text):
    """Replaces what stands below the heading `name` on the page of peers, or adds it."""
    page = PAGE.read_text(encoding="utf-8")
    section = f"## {name}\n\n{text.rstrip()}\n"
    found = re.search(rf"^## {name}\n.*?(?=^## |\Z)", page, re.M | re.S)
    if found:
        page = page[:found.start()] + section + ("\n" if found.end() < len(page) else "") + page[found.end():]
    else:
        page = page.rstrip() + "\n\n" + section
    PAGE.write_text(page, encoding="utf-8")


def main(documentation, packages, jobs, rounds=5, **options):
    """The command line of a script. `jobs(arguments, folder, remarks)` yields jobs, makes files in `folder` and may append
    sentences to `remarks`; `options` are further arguments with what they are without being given."""
    name = pathlib.Path(sys.argv[0]).name
    parser = argparse.ArgumentParser(description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tesela", help="the program")
    parser.add_argument("--rounds", type=int, default=rounds, help=f"calls whose median counts ({rounds})")
    parser.add_argument("--page", action="store_true", help="put the table into docs/performance/peers.md")
    parser.add_argument("--processor", action="store_true", help="count the time of the processor, beside other work")
    for option, default in options.items():
        parser.add_argument(f"--{option}", type=type(default), default=default, help=f"({default})")
    arguments = parser.parse_args()
    arguments.tesela = pathlib.Path(arguments.tesela).resolve()
    remarks = []
    where = f"{machine()}, {datetime.date.today()}, {commit()}; {versions(packages)}."
    if arguments.processor:
        CLOCK["seconds"] = processor_seconds
        where += " Times are those of the processors."
    lines = [where, ""]
    print("\n".join(lines))
    with tempfile.TemporaryDirectory() as folder:
        for line in rows_of(jobs(arguments, pathlib.Path(folder), remarks), arguments.rounds):
            lines.append(line)
            print(line, flush=True)
    if remarks:
        lines += ["", " ".join(remarks)]
        print("\n" + lines[-1])
    if arguments.page:
        put_section(name, "\n".join(lines))
