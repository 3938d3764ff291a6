"""Prints lines and branches that tests have run, by folder, and writes those branches that none has taken, as FILE:LINE with the
text of the line. Arguments: what gcovr --json has written, and the file for the branches."""
import collections
import json
import pathlib
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
LISTED = ("ir", "engine", "cache", "runtime")  # whose branches are listed


def rooms(path):
    """The folders that a file counts for: ir, ir/json."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:n + 1]) for n in range(min(len(parts), 2))]


def share(run, all_of_them):
    return f"{100 * run / all_of_them:5.1f} %" if all_of_them else "      -"


counts = collections.defaultdict(lambda: [0, 0, 0, 0])
untaken = []
for file in json.load(open(sys.argv[1]))["files"]:
    path = file["file"]
    lines = [line for line in file["lines"] if not line.get("gcovr/noncode")]
    branches = [(line["line_number"], branch) for line in lines for branch in line.get("branches", [])]
    for room in rooms(path):
        count = counts[room]
        count[0] += sum(line["count"] > 0 for line in lines)
        count[1] += len(lines)
        count[2] += sum(branch["count"] > 0 for _, branch in branches)
        count[3] += len(branches)
    if path.split("/")[0] in LISTED:
        text = (TOP / path).read_text(encoding="utf-8").splitlines()
        missing = collections.Counter(number for number, branch in branches if not branch["count"])
        untaken += [f"{path}:{number}: {n} of {sum(m == number for m, _ in branches)}: {text[number - 1].strip()}"
                    for number, n in sorted(missing.items())]
pathlib.Path(sys.argv[2]).write_text("\n".join(untaken) + "\n", encoding="utf-8")
print(f"{'folder':24} {'lines':>8} {'run':>7} {'branches':>10} {'taken':>7}")
for room, (run, lines, taken, branches) in sorted(counts.items()):
    print(f"{room:24} {lines:8} {share(run, lines)} {branches:10} {share(taken, branches)}")
print(f"{len(untaken)} lines of {', '.join(LISTED)} with branches that no test takes: {sys.argv[2]}")
