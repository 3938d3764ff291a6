"""Every row of base/diag.def and base/remark.def is raised somewhere, with as many arguments as its format takes. Rows that no test
shows are noted: a test shows a row by its name or by quoting some of its text."""
import re

import project


def rows_of(path, macro):
    text = project.without_comments(project.read(path))
    return {f"{macro}_{name}": "".join(re.findall(r'"((?:\\.|[^"\\])*)"', strings))
            for name, strings in re.findall(macro + r"\((\w+),[\s\w,]*?((?:\"(?:\\.|[^\"\\])*\"\s*)+)\)", text, flags=re.M)}


rows = {**rows_of("base/diag.def", "DIAG"), **rows_of("base/remark.def", "REMARK")}
# Functions that take a code and the arguments of its format, and how many arguments stand before the code.
RAISE = {"diag_error": 2, "diag_warning": 2, "diag_error_in": 5, "remark": 3}


def arguments(code, start):
    """Splits the arguments of a call whose opening parenthesis is just before `start`."""
    parts, depth, at, begin = [], 0, start, start
    while depth >= 0:
        c = code[at]
        if c == '"' or c == "'":
            at += 1
            while code[at] != c:
                at += 2 if code[at] == "\\" else 1
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        if depth < 0 or (c == "," and depth == 0):
            parts.append(code[begin:at].strip())
            begin = at + 1
        at += 1
    return parts


SPECIFIER = r"%([^a-zA-Z%]*)(?:hh|h|ll|l|z|j|t)?[a-zA-Z]"


def format_arguments(text):
    return sum(1 + spec.count("*") for spec in re.findall(SPECIFIER, text.replace("%%", "")))


SHOWN = 16 # characters of a text in a row that tests quote


def is_shown(name, text, tests):
    pieces = [piece.strip(" '") for piece in re.split(re.sub(r"\((?!\?)", "(?:", SPECIFIER), text)]
    longest = max(len(piece) for piece in pieces)
    quotes = [piece[i:i + SHOWN] for piece in pieces if len(piece) >= min(SHOWN, longest)
              for i in range(max(1, len(piece) - SHOWN + 1))]
    named = name in words or name.removeprefix("DIAG_") in words
    return named or (longest and any(q in tests for q in quotes))


offenders, raised = [], set()
for path in project.files(".c", ".h"):
    code = project.without_comments(project.read(path))
    raised.update(re.findall(r"\b(?:DIAG|REMARK)_\w+", code))
    for match in re.finditer(r"\b(diag_error|diag_warning|diag_error_in|remark)\s*\(", code):
        parts = arguments(code, match.end())
        before = RAISE[match.group(1)]
        name = parts[before] if len(parts) > before else None
        if name in rows:
            given, wanted = len(parts) - before - 1, format_arguments(rows[name])
            if given != wanted:
                offenders.append(f"{path}:{project.line_of(code, match.start())}: {name} takes {wanted} arguments, {given} given")
offenders += [f"{name} is never raised" for name in rows if name not in raised]

tests = "".join(path.read_text(errors="replace") for path in sorted((project.TOP / "tests").rglob("*"))
                if path.suffix in (".c", ".h", ".txt", ".err"))
tests = re.sub(r'"\s*\n\s*"', "", tests) # strings over several lines
words = set(re.findall(r"\w+", tests))
for name, text in rows.items():
    if not is_shown(name, text, tests):
        print(f"note: no test shows {name}: {text}")
project.finish(offenders, len(rows))
