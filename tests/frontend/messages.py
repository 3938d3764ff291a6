"""Which messages of the frontend have no test: messages.py [-v]. The messages are the texts of fe_error, fe_raise, fe_unsupported and
fe_warn_dialect in frontend/, and of `raise` in frontend/library/; tests are the texts of what they expect (errors.txt here and of the Python
package, and their scripts). Prints those without one; fails where there are others than in messages.txt, which has one in a line and
what would bring it about. A new message comes with a test."""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
CALLS = re.compile(r"\b(fe_error|fe_raise|fe_unsupported|fe_warn_dialect|fe_require_negative|fe_require_same|fe_require)\(")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def arguments(text, start):
    """The text of a call from its bracket to the one that closes it."""
    depth, i = 0, start
    while True:
        string = STRING.match(text, i)
        if string:
            i = string.end()
            continue
        if text[i] == "'":
            i = text.index("'", i + 2)
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        i += 1
        if not depth:
            return text[start:i]


def messages():
    """(file, line, the text with the formats of printf)."""
    folder = os.path.join(TOP, "frontend")
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".c"):
            continue
        text = open(os.path.join(folder, name)).read()
        for call in CALLS.finditer(text):
            inside = arguments(text, call.end() - 1)
            parts = re.findall(r'(?:"(?:[^"\\]|\\.)*"\s*)+', inside)
            texts = ["".join(STRING.findall(p)) for p in parts]
            texts = [t for t in texts if " " in t.strip() or "%" not in t and t[:1].islower()]
            for t in texts if call.group(1) != "fe_raise" else texts[:1]:
                yield name, text.count("\n", 0, call.start()) + 1, t
    library = os.path.join(folder, "library")
    for name in sorted(os.listdir(library)):
        text = open(os.path.join(library, name)).read()
        for found in re.finditer(r'raise \w+\(f?"([^"]*)"\)', text):
            yield f"library/{name}", text.count("\n", 0, found.start()) + 1, re.sub(r"\{[^}]*\}", "%s", found.group(1))


def pattern(message):
    message = message.replace('\\"', '"').replace("%%", "%")
    parts = re.split(r"%(?:\.\*)?(?:ll|l|z)?[a-zA-Z]", message)
    return re.compile(".*".join(re.escape(p) for p in parts))


def expected():
    """The texts of all tests in which a message may stand."""
    texts = []
    for folder in "frontend", "python", "unit", "fail", "cli", "gpu", "mpi":
        for where, _, names in os.walk(os.path.join(TOP, "tests", folder)):
            for name in names:
                if name.endswith((".txt", ".py", ".c", ".sh")) and name not in ("messages.py", "messages.txt", "upstream.txt"):
                    texts.append(open(os.path.join(where, name), errors="replace").read())
    return "\n".join(texts)


def main():
    tests = expected()
    with open(os.path.join(HERE, "messages.txt")) as f:
        allowed = [line.split(" # ")[0] for line in f.read().splitlines()[1:]]
    found = list(messages())
    missing = [m for m in found if not pattern(m[2]).search(tests)]
    unlisted = [m for m in missing if m[2] not in allowed]
    for file, line, text in missing if "-v" in sys.argv else unlisted:
        print(f"frontend/{file}:{line}: {text}")
    gone = [a for a in allowed if a not in [m[2] for m in missing]]
    for a in gone:
        print(f"messages.txt: has a test, or is no message: {a}")
    print(f"{len(found) - len(missing)} of {len(found)} messages have a test, {len(missing) - len(unlisted)} are listed")
    sys.exit(bool(unlisted or gone))


if __name__ == "__main__":
    main()
