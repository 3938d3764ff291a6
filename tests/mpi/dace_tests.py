#!/usr/bin/env python3
"""DaCe's own MPI tests on several processes, with DaCe building by libsdfg: dace_tests.py BUILD CHECKOUT [--ranks 1,2,4,8] [TEST...]

The DaCe is the one that tests/dace.sh installs, CHECKOUT has its tests: tests/library/mpi and pblas are run unless TEST names others. Every MPI library whose
launcher is there is used (MPICH, Open MPI). The processes of a launch run all tests one after the other, in step (pytest_in_step.py). A test that does not end in --limit
seconds ends the launch, and another one goes on behind it. What fails is run once more by DaCe alone, with its own compiler: a test that DaCe fails, too,
is listed as that and is no failure. By command only; docs/mpi.md has the table (--table=FILE writes it)."""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from launchers import LAUNCHERS

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
RANK = 'rank=${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}}; export DACE_default_build_folder="$FOLDER/build.$rank"; exec "$@" >"$FOLDER/log.$rank" 2>&1'
RESULT = re.compile(r"^(\S+\.py::\S.*?) (PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS)\b")
REASON = re.compile(r"^(?:FAILED|ERROR) (\S+\.py::\S.*?) - (.*)")
NO_END = "does not end"
MORE = re.compile("at least (two|2) processes") # what the tests say that are not for one process


class Tests:
    def __init__(self, a, python, folder):
        self.a, self.python, self.folder = a, python, folder

    def environment(self, launcher, folder, alone):
        env = dict(os.environ, FOLDER=str(folder), OMP_NUM_THREADS="1", COLUMNS="400", DACE_cache="unique", SDFG_LIBRARY=str(pathlib.Path(self.a.build).resolve() / "libsdfg.so"),
                   PYTHONPATH=os.pathsep.join([str(TOP / "python"), str(HERE)]), SDFG_DROPIN="0" if alone else "build,strict",
                   MPI4PY_MPIABI="openmpi" if "openmpi" in launcher[0] else "mpich", SDFG_CACHE_DIR=str(folder / "cache"))
        if "mpich" in launcher[0]: # mpi4py looks for a name that some distributions do not give to it
            known = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True).stdout
            at = re.search(r"libmpich\.so\.12 .*=> (\S+)", known)
            if at:
                (folder / "libmpi.so.12").symlink_to(at[1])
                env["LD_LIBRARY_PATH"] = str(folder)
        if alone: # DaCe's build finds the library by its compiler wrappers, and asks for that of C, too
            for language, compiler in ("CXX", "c++"), ("CC", "cc"):
                wrapper = f"mpi{compiler.replace('c++', 'cxx')}.{'openmpi' if 'openmpi' in launcher[0] else 'mpich'}"
                env["MPI" + language] = env[language] = shutil.which(wrapper) or compiler
        return env

    def launch(self, launcher, ranks, tests, alone, limit):
        """Results of each process by test, and reasons."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            command = [*launcher, "-n", str(ranks), "sh", "-c", RANK, "rank", str(self.python), "-m", "pytest", "-p", "sdfg.dropin.pytest_plugin", "-p", "pytest_in_step",
                       "-p", "no:cacheprovider", "-v", "--color=no", f"--timeout={limit}", "--timeout-method=thread", "-m", "mpi or scalapack", "-rfE", *tests]
            with subprocess.Popen(command, cwd=self.folder, env=self.environment(launcher, folder, alone), stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, start_new_session=True) as p:
                try:
                    p.wait(30 + (limit + 5) * max(1, len(tests)) if all("::" in t for t in tests) else 600)
                except subprocess.TimeoutExpired:
                    os.killpg(p.pid, signal.SIGKILL)
            results, reasons = [], {}
            for rank in range(ranks):
                log = folder / f"log.{rank}"
                lines = log.read_text(errors="replace").splitlines() if log.exists() else []
                failed = {m[1]: m[2] for m in map(REASON.match, lines) if m} # said in the middle of the line that RESULT is about
                results.append({**dict.fromkeys(failed, "FAILED"), **{m[1]: m[2] for m in map(RESULT.match, lines) if m}})
                reasons.update(failed)
            return results, reasons

    def collect(self, launcher):
        with tempfile.TemporaryDirectory() as name:
            done = subprocess.run([*launcher, "-n", "1", str(self.python), "-m", "pytest", "-p", "no:cacheprovider", "--collect-only", "-q", "--color=no", "-m", "mpi or scalapack", *self.a.tests],
                                  cwd=self.folder, capture_output=True, text=True, env=self.environment(launcher, pathlib.Path(name), True))
        tests = [line for line in done.stdout.splitlines() if "::" in line and not line.startswith(("ERROR", "FAILED"))]
        if done.returncode or not tests:
            sys.exit(f"no tests, exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return tests

    def run(self, launcher, ranks, tests, alone=False):
        """What became of each test: '' if it passed on all processes."""
        outcome, left, limit = {}, list(tests), self.a.limit * (2 if alone else 1)
        while left:
            results, reasons = self.launch(launcher, ranks, left, alone, limit)
            for test in list(left):
                of_all = [r.get(test) for r in results]
                if None in of_all:
                    break
                left.remove(test)
                bad = [w for w in of_all if w not in ("PASSED", "XFAIL")]
                why = "skipped" if set(bad) == {"SKIPPED"} else reasons.get(test, bad[0].lower()) if bad else ""
                outcome[test] = "skipped" if MORE.search(why) else why
            if left: # the first one without an end
                test = left.pop(0)
                outcome[test] = reasons.get(test) or next((r[test].lower() for r in results if r.get(test) not in (None, "PASSED")), NO_END)
        return outcome


def table(rows, worlds):
    lines = ["| test | " + " | ".join(worlds) + " | reason |", "|---|" + "---|" * len(worlds) + "---|"]
    for test, by_world in rows.items():
        if any(by_world.values()):
            lines.append(f"| `{test}` | " + " | ".join("" if not by_world.get(w) else "x" for w in worlds) + f" | {next(v for v in by_world.values() if v)} |")
    return "\n".join(lines) + "\n"


def compare(a, t, launchers):
    tests = t.collect(next(iter(launchers.values())))
    rows, worlds, failures = {test: {} for test in tests}, [], 0
    for name, launcher in launchers.items():
        for ranks in (int(r) for r in a.ranks.split(",")):
            begin = time.monotonic()
            outcome = t.run(launcher, ranks, tests)
            bad = {k: v for k, v in outcome.items() if v and v != "skipped"}
            by_dace = {} if a.no_dace or not bad else t.run(launcher, ranks, list(bad), alone=True)
            for test, why in bad.items():
                bad[test] = f"fails in DaCe, too: {by_dace[test]}" if by_dace.get(test) else why
            ours = [test for test in bad if not by_dace.get(test)]
            failures += len(ours)
            worlds.append(f"{name} x {ranks}")
            skipped = sum(v == "skipped" for v in outcome.values())
            print(f"{worlds[-1]}: {sum(not v for v in outcome.values())} of {len(tests)} pass, {skipped} are skipped or for more processes, {len(bad) - len(ours)} fail in DaCe, too, "
                  f"{len(ours)} fail; {time.monotonic() - begin:.0f} s", flush=True)
            for test, why in bad.items():
                rows[test][worlds[-1]] = why
                print(f"    {test}: {why}", flush=True)
    if a.table:
        a.table.write_text(table(rows, worlds))
    return 1 if failures else 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("build")
    p.add_argument("checkout")
    p.add_argument("tests", nargs="*", default=["tests/library/mpi", "tests/library/pblas"])
    p.add_argument("--ranks", default="1,2,4,8")
    p.add_argument("--limit", type=int, default=30, help="seconds that a test may take")
    p.add_argument("--no-dace", action="store_true", help="what fails is not run by DaCe alone")
    p.add_argument("--table", type=pathlib.Path)
    a = p.parse_intermixed_args()
    found = subprocess.run([str(HERE.parent / "dace.sh"), a.build], capture_output=True, text=True)
    if found.returncode:
        print(found.stdout.strip())
        return found.returncode
    python = pathlib.Path(found.stdout.strip()).absolute()
    subprocess.run([str(python), "-m", "pip", "install", "-q", "pytest", "pytest-timeout", "scipy", "opt_einsum", "mpi4py"], check=True)
    launchers = {n: c for n, c in LAUNCHERS.items() if shutil.which(c[0])}
    if not launchers:
        print("skipped: no launcher of MPI")
        return 77
    with tempfile.TemporaryDirectory() as name: # without the checkout's DaCe
        folder = pathlib.Path(name)
        checkout = pathlib.Path(a.checkout)
        shutil.copytree(checkout / "tests", folder / "tests")
        for part in "conftest.py", "pytest.ini":
            shutil.copy(checkout / part, folder)
        return compare(a, Tests(a, python, folder), launchers)


if __name__ == "__main__":
    sys.exit(main())
