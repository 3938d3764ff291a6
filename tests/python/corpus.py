"""corpus.py --cases=DIR [--aot] [--aarch64=FOLDER --ways=LIST [--rotate]] [--sdfg=NAME] [--every=N] [--only=CASE] [--jobs=N] [--timeout=S]
[--list=FILE]: runs recorded cases through the Python module, each in a process of its own, and says which fail. With --aot the programs
are compiled into shared libraries and called as DaCe's own are. With --aarch64 they are compiled for that machine and run by an emulator;
FOLDER has libsdfg-rt for it. A way is HOW:FEATURES:VECTOR: `open` a library or `place` an object, features as for sdfg-cc, and bits of
vector registers over 128; every case goes all ways or, with --rotate, one of them. --sdfg takes another file than prog.sdfg, of the cases that
have it. --list names cases that are expected to fail (lines of case, tab, reason); one that passes must leave the list, unless its reason begins with "sometimes"."""
import argparse
import collections
import json
import os
import pathlib
import select
import signal
import sys
import time
import zlib

import numpy
from case import Case, Failure
from foreign import Foreign
from library import Library, known

import sdfg

Recorded = collections.namedtuple("Recorded", "name folder program")


def load(path, aot):
    if aot:
        return Library(path)
    program = sdfg.Program(path, sdfg.Engine(cache_dir=""))

    def call(**values):
        values = known(program, values)
        for storage, size in program.get_workspace_sizes(**values).items():
            program.set_workspace(storage, numpy.zeros(size + 1, numpy.uint8))
        return program(**values)

    return call


def check(recorded, call, aot):
    """Raises what is wrong with a case."""
    case = Case(recorded.folder)
    for earlier in case.earlier():
        call(**earlier.arguments())
    call(**case.arguments())
    case.compare()
    if case.leaves_out() and not case.json.get("stateful"):
        less = case.arguments(inferred=False, returns=aot)
        results = call(**less)
        if not aot:
            case.take_results(results)
        case.compare()


def ways(recorded, options):
    return [options.ways[zlib.crc32(recorded.name.encode()) % len(options.ways)]] if options.rotate else options.ways


def run(recorded, options):
    """What is wrong with a case, or None."""
    way = ""
    try:
        if not options.aarch64:
            check(recorded, load(recorded.program, options.aot), options.aot)
            return None
        program = Foreign(recorded.program, options.aarch64)
        for way in ways(recorded, options):
            how, features, vector = way.split(":")
            getattr(program, how)(features, vector)
            check(recorded, program, True)
    except (Failure, sdfg.Error, TypeError, ValueError) as error:
        return f"{way} {error}".strip()
    return None


class Job:
    """A case in a process of its own, which may crash or hang. It answers through a pipe."""

    def __init__(self, recorded, options):
        self.recorded, self.deadline = recorded, time.monotonic() + options.timeout
        self.reading, writing = os.pipe()
        self.child = os.fork()
        if not self.child:
            os.dup2(os.open(os.devnull, os.O_RDWR), 1)
            try:
                why = run(recorded, options)
            except BaseException as error: # also what nobody thought of
                why = f"{type(error).__name__}: {error}"
            os.write(writing, b"good" if why is None else why.encode()[:4000])
            os._exit(0)
        os.close(writing)

    def finish(self, readable):
        """What is wrong, or None."""
        text = os.read(self.reading, 4096).decode() if readable else "time-out"
        if not readable:
            os.kill(self.child, signal.SIGKILL)
        os.close(self.reading)
        status = os.waitpid(self.child, 0)[1]
        return None if text == "good" else text.replace("\n", " ") or f"crash: ended with status {status}"


def run_all(cases, options):
    """(case, what is wrong or None) of each, as they end."""
    waiting, running = list(cases), []
    while waiting or running:
        while waiting and len(running) < options.jobs:
            running.append(Job(waiting.pop(0), options))
        left = max(0, min(job.deadline for job in running) - time.monotonic())
        readable = select.select([job.reading for job in running], [], [], left)[0]
        for job in list(running):
            if job.reading in readable or time.monotonic() >= job.deadline:
                running.remove(job)
                yield job.recorded, job.finish(job.reading in readable)


def find(folder, program):
    """All cases below a folder that have the program. A case.json may list several programs, with the cases that they share with others."""
    found = (pathlib.Path(at, "case.json") for at, _, files in os.walk(folder, followlinks=True) if "case.json" in files)
    for path in sorted(found):
        name = path.parent.relative_to(folder).as_posix()
        programs = json.loads(path.read_text()).get("programs")
        if programs is None and (program == "prog.sdfg" or (path.parent / program).exists()):
            yield Recorded(name, path.parent, path.parent / program)
        for key, of in (programs or {}).items():
            if of.get("sdfg") and of.get("case"):
                yield Recorded(f"{name}/{key}", (path.parent / of["case"]).parent, path.parent / of["sdfg"])


def expected_failures(path):
    """Case -> reason."""
    lines = pathlib.Path(path).read_text().splitlines() if path else []
    return dict(line.split("\t", 1) for line in lines if "\t" in line and not line.startswith("#"))


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--cases", type=pathlib.Path, required=True)
parser.add_argument("--aot", action="store_true")
parser.add_argument("--aarch64")
parser.add_argument("--ways", type=str.split)
parser.add_argument("--rotate", action="store_true")
parser.add_argument("--sdfg", default="prog.sdfg")
parser.add_argument("--every", type=int, default=1)
parser.add_argument("--only", action="append")
parser.add_argument("--list")
parser.add_argument("--jobs", type=int, default=1)
parser.add_argument("--timeout", type=float, default=60)
options = parser.parse_args()
cases = [c for c in find(options.cases, options.sdfg) if not options.only or c.name in options.only][::options.every]
reasons, failed, skipped = expected_failures(options.list), 0, 0
for case, why in run_all(cases, options):
    reason = reasons.get(case.name)
    if why and reason:
        skipped += 1
    elif why or (reason and not reason.startswith("sometimes")):
        failed += 1
        print(f"{case.name}: {why or 'passed, but is listed as failing: ' + reason}", flush=True)
print(f"{len(cases) - failed - skipped} passed, {failed} failed, {skipped} skipped")
sys.exit(1 if failed or not cases else 0)
