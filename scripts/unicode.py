#!/usr/bin/env python3
"""Writes ir/python/unicode.def, the tables of Unicode that identifiers of Python need, from the module unicodedata of the Python that
runs this: scripts/unicode.py. CPython 3.13 has Unicode 15.1. ir/python/unicode.c says what the rows mean."""
import pathlib
import unicodedata

HANGUL = range(0xAC00, 0xD7A4) # composed and decomposed by arithmetic
ALL = [chr(c) for c in range(0x80, 0x110000) if not 0xD800 <= c < 0xE000]


def ranges(value_of):
    """(first, last, value) of neighbours with the same value other than 0."""
    found = []
    for c in map(ord, ALL):
        value = value_of(chr(c))
        if value and found and found[-1][1] == c - 1 and found[-1][2] == value:
            found[-1][1] = c
        elif value:
            found.append([c, c, value])
    return found


def compositions():
    for c in ALL:
        parts = unicodedata.decomposition(c).split()
        if ord(c) in HANGUL or len(parts) != 2 or parts[0].startswith("<"):
            continue
        first, second = (int(part, 16) for part in parts)
        if unicodedata.normalize("NFC", chr(first) + chr(second)) == c:
            yield first, second, ord(c)


def packed(rows):
    line = ""
    for row in rows:
        if len(line) + len(row) + 1 > 120:
            yield line
            line = ""
        line += (" " if line else "") + row
    yield line


def main():
    names = ranges(lambda c: 2 if c.isidentifier() else 1 if ("a" + c).isidentifier() else 0)
    classes = ranges(unicodedata.combining)
    runs, lengths, parts = [], [], []
    for c in ALL:
        split = unicodedata.normalize("NFKD", c)
        if split == c or ord(c) in HANGUL or not ("a" + c).isidentifier():
            continue
        if not runs or runs[-1][1] != ord(c) - 1:
            runs.append([ord(c), ord(c), len(lengths), len(parts)])
        runs[-1][1] = ord(c)
        lengths.append(len(split))
        parts += map(ord, split)
    tables = {"NAME": (f"NAME({a:#x}, {b:#x}, {v})" for a, b, v in names),
              "CLASS": (f"CLASS({a:#x}, {b:#x}, {v})" for a, b, v in classes),
              "SPLIT": (f"SPLIT({a:#x}, {b:#x}, {at}, {part})" for a, b, at, part in runs),
              "LENGTHS": (f"{n}," for n in lengths),
              "PARTS": (f"{c:#x}," for c in parts),
              "JOIN": (f"JOIN({a:#x}, {b:#x}, {c:#x})" for a, b, c in sorted(compositions()))}
    text = f"/* Unicode {unicodedata.unidata_version}, made by scripts/unicode.py. */\n/* clang-format off */\n"
    for name, rows in tables.items():
        text += f"#ifdef {name}\n" + "\n".join(packed(rows)) + f"\n#undef {name}\n#endif\n"
    path = pathlib.Path(__file__).resolve().parents[1] / "ir/python/unicode.def"
    path.write_text(text)
    print(f"{path}: {len(names)} ranges of names, {len(classes)} of combining classes, {len(lengths)} decompositions")


main()
