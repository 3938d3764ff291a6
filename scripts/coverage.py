"""coverage.py BUILD: prints lines and branches that tests have run, by folder, and writes the branches that none has taken to
BUILD/branches.txt, as FILE:LINE with the text of the line. BUILD is a build with counters (scripts/coverage.sh), whose counts are read
with gcov."""
import collections
import json
import pathlib
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("base", "ir", "lower", "gpu", "jit", "cache", "engine", "runtime")
LISTED = ("ir", "engine", "cache", "runtime")  # whose branches are listed


def counted(build):
    """For each unit of the compiler what gcov says of its files; units that never ran count as well."""
    notes = sorted(str(p.relative_to(build)) for p in build.rglob("*.gcno") if p.relative_to(build).parts[0] == "CMakeFiles")
    for at in range(0, len(notes), 50):
        done = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", *notes[at:at + 50]], cwd=build, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        for text in done.stdout.splitlines():
            yield from json.loads(text)["files"]


def project(name, build):
    """The path below the project's folder, of files that count; what an older build has left does not."""
    path = pathlib.Path(name) if name.startswith("/") else build / name
    try:
        relative = path.resolve().relative_to(TOP)
    except ValueError:
        return None
    return relative if relative.parts[0] in FOLDERS and (TOP / relative).exists() else None


def ways(path, branches):
    """How often each branch of a line was taken. Of a template (.inc), of which compilers make hundreds of copies, a line has two: the
    conditions hold, or not."""
    if path.suffix == ".inc" and branches:
        return [sum(b["count"] for b in branches if b["fallthrough"] == way) for way in (True, False)]
    return [b["count"] for b in branches if not b["throw"]]


def collect(build):
    """lines[file][line] = times run; branches[file][line] = times each was taken: sums over all units that hold the line."""
    lines = collections.defaultdict(collections.Counter)
    branches = collections.defaultdict(dict)
    for file in counted(build):
        path = project(file["file"], build)
        if path is None:
            continue
        for line in file["lines"]:
            number = line["line_number"]
            lines[path][number] += line["count"]
            known = branches[path].setdefault(number, [])
            # Copies of a function (inlined, or of a header) have branches of their own: the longest list takes the others.
            for i, count in enumerate(ways(path, line["branches"])):
                known += [0] * (i + 1 - len(known))
                known[i] += count
    return lines, branches


def rooms(path):
    """The folders that a file counts for: ir, ir/json."""
    return ["/".join(path.parts[:n]) for n in range(1, min(len(path.parts), 3))]


def share(run, all_of_them):
    return f"{100 * run / all_of_them:5.1f} %" if all_of_them else "      -"


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    lines, branches = collect(build)
    counts = collections.defaultdict(lambda: [0, 0, 0, 0])
    untaken = []
    for path in sorted(lines):
        taken = [count for several in branches[path].values() for count in several]
        for room in rooms(path):
            for i, n in enumerate((sum(c > 0 for c in lines[path].values()), len(lines[path]), sum(c > 0 for c in taken), len(taken))):
                counts[room][i] += n
        if path.parts[0] in LISTED:
            text = (TOP / path).read_text(encoding="utf-8").splitlines()
            untaken += [f"{path}:{number}: {several.count(0)} of {len(several)}: {text[number - 1].strip()}"
                        for number, several in sorted(branches[path].items()) if 0 in several]
    report = build / "branches.txt"
    report.write_text("\n".join(untaken) + "\n", encoding="utf-8")
    print(f"{'folder':24} {'lines':>8} {'run':>7} {'branches':>10} {'taken':>7}")
    for room, (run, all_lines, taken, all_branches) in sorted(counts.items()):
        print(f"{room:24} {all_lines:8} {share(run, all_lines)} {all_branches:10} {share(taken, all_branches)}")
    print(f"{len(untaken)} lines of {', '.join(LISTED)} with branches that no test takes: {report}")


main()
