"""What the lint tests share: the files of the project, C text without comments, and how offenders are reported."""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["base", "ir", "frontend", "lower", "gpu", "jit", "cache", "engine", "runtime"]


def files(*endings, folders=FOLDERS):
    """Sources below `folders`, sorted, as paths relative to the project."""
    return sorted(path.relative_to(TOP) for folder in folders for path in (TOP / folder).rglob("*")
                  if path.suffix in endings and path.is_file())


def read(path):
    return (TOP / path).read_text(encoding="utf-8")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def without_comments(text, strings=True):
    """The text with comments (and, unless `strings`, what stands between quotes) blanked; offsets and lines stay."""
    def replace(match):
        token = match.group(0)
        if token[0] == "/":
            return blank(match)
        return token if strings else token[0] + re.sub(r"[^\n]", " ", token[1:-1]) + token[-1]
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', replace, text, flags=re.S)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def finish(offenders, checked):
    """Prints the offenders and ends the test; checking nothing is a failure too."""
    for offender in offenders:
        print(offender)
    print(f"{len(offenders)} offenders, {checked} checked")
    sys.exit(1 if offenders or not checked else 0)
