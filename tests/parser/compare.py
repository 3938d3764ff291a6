"""Trees of ir/python against those of CPython's module `ast`, over its own library and over damaged copies of it.

    compare.py DUMP [--all] [--syntax] [--damage=N] [FILE...]

DUMP is the program python-dump. Without files: the library of the interpreter that runs this, a bounded sample of it unless
--all. Every file must give the same tree with the same places, or be refused at the same line and column. --damage=N adds N
files in which one token was removed, doubled or replaced, made from the library with a fixed seed; there the place of the
error may differ in at most MAY_DIFFER of them, since CPython guesses what was meant. Before Python 3.12 the nodes inside
formatted strings have the places of the whole string in CPython, and are compared without places.

The texts of samples.txt, right and wrong ones, and some in other encodings are always among them. What is newer than the
interpreter is not compared, but read or refused as its name says.

--syntax adds what stands in strings of the tests of CPython's own parser, right programs and wrong ones; there the same share of places
may differ. Run it by CPython 3.13, whose grammar counts. Characters by name (\\N{...}) are a limit here: their table has a megabyte.
"""
import ast
import doctest
import os
import random
import re
import subprocess
import sys
import sysconfig
import tempfile
import textwrap
import tokenize
import warnings

warnings.simplefilter("ignore")
sys.setrecursionlimit(10000)
OLD_FORMATS = sys.version_info < (3, 12)
MAY_DIFFER = 0.03
BATCH = 50


def text_of(raw, mark):
    shown = "".join(chr(c) if 32 <= c < 127 and c not in b'"\\' else f"\\{c:02x}" for c in raw)
    return f'{mark}"{shown}"'


def hexadecimal(value):
    """As C's %a: 0x1.8p+0, without zeros at the end."""
    if value != value or value in (float("inf"), float("-inf")):
        return repr(value)
    digits, power = value.hex().split("p")
    return (digits.rstrip("0").rstrip(".") if "." in digits else digits) + "p" + power


def value_of(value, kind):
    if isinstance(value, bool) or value is None or value is Ellipsis:
        return repr(value)
    if isinstance(value, int):
        return str(value) if value < 2**64 else hex(value)
    if isinstance(value, float):
        return hexadecimal(value)
    if isinstance(value, complex):
        return hexadecimal(value.imag) + "j"
    if isinstance(value, bytes):
        return text_of(value, "b")
    return text_of(value.encode("utf-8", "surrogatepass"), "u" if kind else "")


def dump(node, out, placed=True):
    if node is None:
        out.append("None")
        return
    if isinstance(node, str):
        out.append(f"'{node}'")
        return
    if isinstance(node, (ast.boolop, ast.operator, ast.unaryop, ast.cmpop, ast.expr_context)):
        out.append(type(node).__name__ + "()")
        return
    out.append(type(node).__name__ + "(")
    inside = placed and not (OLD_FORMATS and isinstance(node, ast.JoinedStr))
    separator = ""
    for name, value in ast.iter_fields(node):
        if name in ("type_comment", "kind", "type_ignores"):
            continue
        if isinstance(node, ast.MatchSingleton):
            node = ast.copy_location(ast.Constant(value), node) # the parser here keeps the constant
            out.append("value=")
            dump(node, out, placed)
            continue
        if isinstance(node, ast.Constant):
            out.append("value=" + value_of(value, node.kind))
            continue
        if value is None or value == []:
            continue
        out.append(f"{separator}{name}=")
        separator = ", "
        if isinstance(value, list):
            out.append("[")
            for i, item in enumerate(value):
                if i:
                    out.append(", ")
                dump(item, out, inside)
            out.append("]")
        elif isinstance(value, int):
            out.append(str(value))
        else:
            dump(value, out, inside)
    out.append(")")
    if hasattr(node, "lineno") and placed:
        out.append(f"@{node.lineno}:{node.col_offset}-{node.end_lineno}:{node.end_col_offset}")


def expected(raw):
    try:
        tree = ast.parse(raw)
    except SyntaxError as e:
        return f"error {e.lineno or 1} {max(e.offset or 1, 1)} {e.msg}"
    except (ValueError, RecursionError, MemoryError) as e:
        return f"limit 1 1 {e}"
    out = []
    dump(tree, out)
    return "".join(out)


def without_format_places(text):
    """The places inside JoinedStr(...) removed."""
    out, at = [], 0
    while (begin := text.find("JoinedStr(", at)) >= 0:
        out.append(text[at:begin])
        depth, i, quoted = 0, begin, False
        while True:
            c = text[i]
            if c == '"':
                quoted = not quoted
            elif not quoted and c in "()":
                depth += 1 if c == "(" else -1
                if depth == 0:
                    break
            i += 1
        inner, k = text[begin:i], 0
        plain, quoted = [], False
        while k < len(inner):
            if inner[k] == '"':
                quoted = not quoted
            if inner[k] == "@" and not quoted:
                while k < len(inner) and inner[k] in "@0123456789:-":
                    k += 1
                continue
            plain.append(inner[k])
            k += 1
        out.append("".join(plain))
        at = i
    out.append(text[at:])
    return "".join(out)


def actual(program, paths):
    run = subprocess.run([program, "-"], input="\n".join(paths).encode(), stdout=subprocess.PIPE, check=True)
    results = run.stdout.decode("utf-8", "surrogateescape").split("FILE ")[1:]
    # A tree is one line; "FILE " may also stand in strings of it.
    lines, result = run.stdout.decode("utf-8", "surrogateescape").split("\n"), {}
    for i in range(0, len(lines) - 1, 2):
        result[lines[i][len("FILE "):]] = lines[i + 1]
    assert len(results) >= len(result)
    return result


def library():
    top = sysconfig.get_paths()["stdlib"]
    for folder, folders, files in os.walk(top):
        folders[:] = [f for f in sorted(folders) if f not in ("site-packages", "__pycache__")]
        yield from (os.path.join(folder, f) for f in sorted(files) if f.endswith(".py"))


def damaged(files, count, folder):
    """Files of at most 200 lines around a damaged token."""
    chance = random.Random(1)
    made = 0
    while made < count:
        path = chance.choice(files)
        try:
            with open(path, "rb") as f:
                tokens = [t for t in tokenize.tokenize(f.readline) if t.type not in (tokenize.ENCODING,)]
            lines = open(path, encoding="utf-8").read().split("\n")
        except (SyntaxError, UnicodeDecodeError, tokenize.TokenError):
            continue
        tokens = [t for t in tokens if t.string.strip() and t.type != tokenize.COMMENT and t.start[0] == t.end[0]]
        if len(lines) > 400 or len(tokens) < 10:
            continue
        token, other = chance.choice(tokens), chance.choice(tokens)
        row, begin, end = token.start[0] - 1, token.start[1], token.end[1]
        new = chance.choice(["", token.string + " " + token.string, other.string])
        lines[row] = lines[row][:begin] + new + lines[row][end:]
        out = os.path.join(folder, f"damaged{made}.py")
        with open(out, "w", encoding="utf-8") as f:
            f.write("\n".join(lines))
        made += 1
        yield out


SYNTAX_TESTS = ("syntax", "exceptions", "grammar", "fstring", "named_expressions", "patma", "positional_only_arg", "type_params", "unparse",
                "string_literals", "unpack_ex", "generators", "coroutines", "keywordonlyarg", "compile", "codeop", "genexps", "ast/test_ast")
# Places where CPython's versions differ from each other (the string or the byte in it); files of a continued line and nothing else.
KNOWN = ("badsyntax_pep3120.py",)
KNOWN_TEXTS = ("\\\n", "\\\n\\\n")


def syntax_tests(folder):
    """Files with the strings of CPython's syntax tests, and the examples in them."""
    top, texts = os.path.join(sysconfig.get_paths()["stdlib"], "test"), {}
    for name in SYNTAX_TESTS:
        path = os.path.join(top, name.replace("ast/", "test_ast/") if "/" in name else f"test_{name}") + ".py"
        if not os.path.exists(path):
            continue
        for node in ast.walk(ast.parse(open(path, "rb").read())):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            try:
                examples = [e.source for e in doctest.DocTestParser().get_examples(node.value)]
            except ValueError:
                examples = []
            for text in examples or [node.value, textwrap.dedent(node.value).lstrip("\n")]:
                if text not in KNOWN_TEXTS and not any("\ud800" <= c < "\ue000" for c in text):
                    texts[text] = None
    for i, text in enumerate(texts):
        path = os.path.join(folder, f"syntax{i}.py")
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write(text)
        yield path


SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "samples.txt")
ENCODED = (
    b"# coding: latin-1\nx = '\xe9'\n", b"#!/usr/bin/python\n# -*- coding: iso-8859-15 -*-\nx = '\xa4'\n", b"\xef\xbb\xbf# coding: utf-8\nx = '\xc3\xa9'\n",
    b"\xef\xbb\xbfx = 1\n", b"# coding: UTF8\nx = 1\n", b"\xef\xbb\xbf# coding: latin-1\nx = 1\n", b"# coding: no-such-one\nx = 1\n",
    b"\n# vim: set fileencoding=cp1252 :\nx = '\x80'\n", b"x = 1\n# coding: latin-1\ny = 2\n", b"#\n\n# coding: latin-1\nx = 1\n",
    b"\t# coding:utf-8\nx = '\xc3\xa9'\n", b"# coding: ascii\nx = 1\n", b"x = 'a\r\nb'", b"x = '''a\r\nb\rc'''\r\ny = 'a\\\r\nb'\r",
    b"x = r'''\\\r\n'''\r\ny = b'''\\\r\nc\rd'''\r\n", b"x = f'''{a}\r\n{b:\r\n}'''\r\n", b"if a:\r\n  b\r\n\r\n  c\r", b"x = 1\x0c\n\x0cy = 2\n", b"x = 1\x00",
    b"", b"\n", b"# only", b"x",
    *(b"x = '" + bad + b"'\n" for bad in (b"\xc3", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf0\x80\x80\x80", b"\xf4\x90\x80\x80", b"\xff", b"\x80", b"\xc0\x80", b"\xe2\x82")))


def newer(header):
    """The version of a sample that this interpreter does not know, and whether it is refused there; or None."""
    found = re.search(r" 3\.(\d+)( wrong)?$", header)
    return found if found and sys.version_info < (3, int(found[1])) else None


def samples(program, folder, verbose):
    """Files to compare, and how many of those that cannot be compared are wrong."""
    paths, wrong = [], 0
    for i, block in enumerate(open(SAMPLES, encoding="utf-8").read().split("### ")[1:]):
        header, text = block.split("\n", 1)
        path = os.path.join(folder, f"sample{i}.py")
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write(text)
        if found := newer(header):
            got = actual(program, [path])[path]
            if refused(got) != bool(found[2]):
                verbose(f"{header}: {got}")
                wrong += 1
        else:
            paths.append(path)
    for i, raw in enumerate(ENCODED):
        path = os.path.join(folder, f"encoded{i}.py")
        with open(path, "wb") as f:
            f.write(raw)
        paths.append(path)
    return paths, wrong


def refused(result):
    return result.startswith(("error", "limit"))


def compare(program, paths, counts, verbose):
    for i in range(0, len(paths), BATCH):
        batch = paths[i:i + BATCH]
        found = actual(program, batch)
        for path in batch:
            raw = open(path, "rb").read()
            want, got = expected(raw), found[path]
            if refused(want) or refused(got):
                if got.startswith("limit") and got.endswith("named character"):
                    counts["limit"] += 1
                elif refused(want) != refused(got):
                    counts["decision"] += 1
                    verbose(f"{path}: {want[:150]}\n   but {got[:150]}")
                elif want.startswith("error") and not path.endswith(KNOWN) and want.split(" ")[1:3] != got.split(" ")[1:3]:
                    counts["place"] += 1
                    verbose(f"place {path}: {want[:110]}\n   but {got[:110]}")
                else:
                    counts["same"] += 1
                continue
            if OLD_FORMATS:
                want, got = without_format_places(want), without_format_places(got)
            if want != got:
                counts["tree"] += 1
                at = next((k for k, (a, b) in enumerate(zip(want, got)) if a != b), min(len(want), len(got)))
                verbose(f"{path}: trees differ\n  {want[max(0, at - 150):at + 80]}\n  {got[max(0, at - 150):at + 80]}")
            else:
                counts["same"] += 1


def main():
    program, options, files = sys.argv[1], [a for a in sys.argv[2:] if a.startswith("--")], \
        [a for a in sys.argv[2:] if not a.startswith("--")]
    damage = int(next((o.split("=")[1] for o in options if o.startswith("--damage=")), 0))
    all_files = sorted(library())
    if not files:
        files = all_files if "--all" in options else random.Random(0).sample(all_files, 150)
    shown = []
    verbose = lambda text: shown.append(text)
    counts = dict.fromkeys(("same", "tree", "decision", "place", "limit"), 0)
    compare(program, files, counts, verbose)
    print("files: " + ", ".join(f"{k} {v}" for k, v in counts.items()))
    bad = counts["tree"] + counts["decision"] + counts["place"]
    counts = dict.fromkeys(counts, 0)
    with tempfile.TemporaryDirectory() as folder:
        paths, wrong = samples(program, folder, verbose)
        compare(program, paths, counts, verbose)
    print("samples: " + ", ".join(f"{k} {v}" for k, v in counts.items()))
    bad += counts["tree"] + counts["decision"] + wrong # the places of errors are those of CPython 3.13
    if "--syntax" in options:
        counts = dict.fromkeys(counts, 0)
        with tempfile.TemporaryDirectory() as folder:
            texts = list(syntax_tests(folder))
            compare(program, texts, counts, verbose)
        print("syntax tests: " + ", ".join(f"{k} {v}" for k, v in counts.items()))
        bad += counts["tree"] + counts["decision"] + (counts["place"] > MAY_DIFFER * len(texts))
    if damage:
        counts = dict.fromkeys(counts, 0)
        with tempfile.TemporaryDirectory() as folder:
            kept = os.environ.get("KEEP") or folder
            compare(program, list(damaged(all_files, damage, kept)), counts, verbose)
        print("damaged: " + ", ".join(f"{k} {v}" for k, v in counts.items()))
        bad += counts["tree"] + counts["decision"] + (counts["place"] > MAY_DIFFER * damage)
    print("\n".join(shown[:int(os.environ.get("SHOW", 40))]))
    sys.exit(bad > 0)


main()
