"""Programs to mutate, and processes that run them. Shared by mutants.py and equivalents.py."""
import argparse
import concurrent.futures
import gzip
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

SECONDS = 20
BYTES = 4 << 30
HERE = pathlib.Path(__file__).resolve().parent


def arguments(text, count):
    p = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("run", help="the program sdfg-run")
    p.add_argument("--count", type=int, default=count, help="mutants to try (%(default)s)")
    p.add_argument("--seed", type=int, default=1, help="of the first one; mutant I has the seed SEED + I (%(default)s)")
    p.add_argument("--from", dest="folders", action="append", metavar="FOLDER",
                   help="programs below this folder instead of those of the tests; may be repeated")
    p.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes side by side (%(default)s)")
    p.add_argument("--keep", metavar="FOLDER", help="failing mutants are written here")
    return p


def folders(options):
    return options.folders or [HERE.parent / "run", HERE.parent.parent / "examples"]


def programs(options, name="*.sdfg*"):
    found = sorted(p for f in folders(options) for p in pathlib.Path(f).rglob(name) if p.suffix in (".sdfg", ".sdfgz"))
    if not found:
        sys.exit("no programs below " + " ".join(map(str, folders(options))))
    return found


def load(path):
    """The graph as Python objects, or None if the file is no JSON."""
    data = pathlib.Path(path).read_bytes()
    try:
        return json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    except (ValueError, OSError):
        return None


class Outcome:
    def __init__(self, status, seconds, peak, output):
        self.status, self.seconds, self.peak, self.output = status, seconds, peak, output

    def trouble(self):
        """What a process must never do, whatever its input is; None if it did not."""
        if self.seconds > SECONDS:
            return f"hangs: more than {SECONDS} s"
        if self.status < 0:
            return f"ends by signal {signal.Signals(-self.status).name}"
        if "AddressSanitizer" in self.output or "runtime error:" in self.output:
            return "the sanitizer complains"
        if "error[bug]" in self.output or self.status not in range(10):
            return f"an error of the library's own, exit code {self.status}"
        if self.peak > BYTES:
            return f"takes {self.peak >> 20} MB"
        return None


def run(command, folder):
    """Runs a command in a folder of its own; never longer than SECONDS."""
    with tempfile.TemporaryFile() as out:
        begin = time.monotonic()
        child = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=folder,
                                 env={**os.environ, "OMP_WAIT_POLICY": "passive", "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1"},
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
        timer = concurrent.futures.thread.threading.Timer(SECONDS + 1, child.kill)
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begin
        out.seek(0)
        return Outcome(child.returncode, seconds, usage.ru_maxrss * 1024, out.read().decode(errors="replace"))


def finish(options, attempt):
    """attempt(seed): None, or what went wrong and the mutant's bytes. Prints a line for each failure and the closing line,
    and to standard error where a long hunt is."""
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        seeds = range(options.seed, options.seed + options.count)
        for seed, result in zip(seeds, pool.map(attempt, seeds)):
            if (seed - options.seed) % 500 == 499:
                print(f"seeds up to {seed}: {failed} failed", file=sys.stderr, flush=True)
            if result is None:
                continue
            failed += 1
            what, data = result
            print(f"seed {seed}: {what}", flush=True)
            if options.keep:
                pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
                (pathlib.Path(options.keep) / f"{seed}.sdfg").write_bytes(data)
    print(f"{options.count - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


def random_for(seed):
    return random.Random(f"sdfg {seed}")
