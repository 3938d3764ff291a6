"""check.py SDFG-RUN FILE: golden checks of lowering. A line 'run: PROGRAM OPTIONS' prints what sdfg-run --emit=... makes of the program;
the lines after it must occur in that text, in order, each in a line behind that of the one before. A line that begins with '! ' must not
occur between its neighbours. '# ' begins a comment. Blanks are not compared, and neither are the numbers of tree variables and alias classes; '...' stands
for anything within a line. Programs are looked up in examples/, tests/run/corner/cases/ and
tests/run/library/, or are files of the project: FILE.py:NAME."""
import pathlib
import re
import shlex
import subprocess
import sys

tool, path = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
top = path.parents[2]


def program(name):
    if (top / name.partition(":")[0]).is_file():
        return str(top / name)
    for candidate in (top / "examples" / f"{name}.sdfg", top / "tests/run/corner/cases" / name / "prog.sdfg", top / "tests/run/library" / name / "prog.sdfg"):
        if candidate.exists():
            return str(candidate)
    sys.exit(f"{path}: no program '{name}'")


def plain(text):
    return re.sub(r"\s+", " ", re.sub(r"(?<=[\w*>)])[#@]\d+", "", text)).strip()


def pattern(line):
    return re.compile(".*".join(re.escape(part) for part in plain(line).split("...")))


def sections():
    command, expected = None, []
    for line in path.read_text().splitlines():
        if line.startswith("run: "):
            if command:
                yield command, expected
            command, expected = line[len("run: "):], []
        elif line.strip() and not line.startswith("# "):
            expected.append(line)
    yield command, expected


def check(command, expected):
    name, *options = shlex.split(command)
    done = subprocess.run([tool, program(name), *options], text=True, capture_output=True, timeout=60)
    lines = [plain(line) for line in done.stdout.splitlines()]
    at, forbidden = 0, []

    def refuse(end):
        for text in forbidden:
            for line in lines[at:end]:
                if pattern(text).search(line):
                    return f"'{text}' must not occur here, but there is '{line}'"
        return None

    for text in expected:
        if text.startswith("! "):
            forbidden.append(text[2:])
            continue
        found = next((i for i in range(at, len(lines)) if pattern(text).search(lines[i])), None)
        if found is None:
            return f"'{text}' is not there, or not in this order", done
        wrong = refuse(found)
        if wrong:
            return wrong, done
        at, forbidden = found + 1, []
    return refuse(len(lines)), done


count = 0
for command, expected in sections():
    if not command or not any(not text.startswith("! ") for text in expected):
        sys.exit(f"{path}: a run with nothing to find")
    wrong, done = check(command, expected)
    if wrong:
        print(f"{path.name}: {command}\n{wrong}\n----\n{done.stdout}{done.stderr}")
        sys.exit(1)
    count += len(expected)
print(f"{count} lines")
