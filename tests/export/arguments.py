"""arguments.py SDFG-CC [--every=N] [--whole=FOLDER] [--jobs=N] [--verbose] FOLDER...: the arguments of functions that sdfg-cc exports against those of the
libraries that DaCe would make (arglist() of the expanded graph), for every Nth program below the folders (all of a whole one). Programs that one of the two
refuses are counted. Run it with a Python that has DaCe (arguments.sh)."""
import argparse
import collections
import gc
import multiprocessing
import multiprocessing.pool
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

SECONDS = 60 # for one program


def split(text):
    """The parameters of a prototype: commas in brackets belong to one."""
    parts, depth, last = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and not depth:
            parts.append(text[last:at])
            last = at + 1
    return parts + [text[last:]]


def ours(tool, path):
    """Names in order, or None with the reason."""
    with tempfile.NamedTemporaryFile(suffix=".h") as header:
        done = subprocess.run([tool, path, f"--header={header.name}"], capture_output=True, text=True)
        if done.returncode:
            return None, done.stderr.strip().split("\n")[0]
        text = re.sub(r"/\*.*?\*/", "", pathlib.Path(header.name).read_text(), flags=re.DOTALL)
    parameters = re.search(r"__program_\w+\((.*?)\);", text, re.DOTALL)[1]
    return [re.search(r"(\w+)\s*(\)|$)", p.strip())[1] for p in split(parameters)[1:]], None


def expanded_arguments(path):
    """In the steps of dace.codegen.codegen.generate_code."""
    import dace
    from dace.codegen.targets import framecode
    from dace.sdfg import infer_types
    graph = dace.SDFG.from_file(path)
    for expand in True, False:
        infer_types.infer_connector_types(graph)
        infer_types.set_default_schedule_and_storage_types(graph, None)
        if expand:
            graph.expand_library_nodes()
    return list(framecode.DaCeCodeGenerator(graph).arglist)


def theirs(path, pipe):
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    try:
        pipe.send((expanded_arguments(path), None))
    except BaseException as error: # whatever DaCe raises
        pipe.send((None, f"{type(error).__name__}: {error}".split("\n")[0]))


def theirs_aside(path):
    """In a process of its own, which may hang or die."""
    here, there = multiprocessing.get_context("fork").Pipe(False)
    child = multiprocessing.get_context("fork").Process(target=theirs, args=(path, there))
    child.start()
    there.close()
    try:
        return here.recv() if here.poll(SECONDS) else (None, "takes too long")
    except EOFError:
        return None, "ended without an answer"
    finally:
        child.kill()
        child.join()


def compare(job):
    tool, path = job
    mine, why = ours(tool, path)
    if mine is None:
        return path, f"refused here: {why}", None
    reference, why = theirs_aside(path)
    if reference is None:
        return path, f"refused by DaCe: {why}", None
    return path, None, None if mine == reference else (mine, reference)


def programs(folders):
    return [str(p) for folder in folders for pattern in ("*.sdfg", "*.sdfgz") for p in sorted(folder.rglob(pattern))]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--whole", action="append", default=[], type=pathlib.Path, metavar="FOLDER", help="all programs of this folder, too")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="says what is refused, and why")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    import dace # once, for all children
    files = programs(options.whole) + programs(options.folders)[::options.every]
    counts = collections.Counter()
    gc.freeze()
    with multiprocessing.pool.ThreadPool(options.jobs) as pool:
        for path, refused, difference in pool.imap(compare, [(options.tool, path) for path in files]):
            counts["refused" if refused else "different" if difference else "equal"] += 1
            if refused and options.verbose:
                print(f"{path}: {refused}")
            if difference:
                print(f"{path}:\n  here {' '.join(difference[0])}\n  DaCe {' '.join(difference[1])}")
    print(f"DaCe {dace.__version__}: {counts['equal']} equal, {counts['different']} different, {counts['refused']} refused")
    if not counts["equal"]:
        print("nothing was compared")
    return 1 if counts["different"] or not counts["equal"] else 0


if __name__ == "__main__":
    sys.exit(main())
