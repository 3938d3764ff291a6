"""The text of functions, wherever it is: files, notebooks, what exec() runs if it is in linecache, modules in archives."""

import linecache
import re
import types


class NoSource(Exception):
    """Why there is no text, in one sentence."""


class Source:
    """The statement that defines a function."""

    def __init__(self, path, text, first_line, name):
        self.path, self.text, self.first_line, self.name = path, text, first_line, name


def of(function, text=None):
    """The Source of a Python function; `text`: what the caller says it is."""
    code = function.__code__
    if text is not None:
        return Source(code.co_filename if "<" in code.co_filename else "<source>", text, 1, code.co_name)
    if not code.co_filename.startswith("<"): # a file may have changed since it was last read
        linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        raise NoSource(_why(code))
    first = code.co_firstlineno
    line = _line_of(code, lines)
    if line is None:
        raise NoSource(f"'{code.co_filename}' has changed since '{code.co_name}' was defined: line {first} is not its text any more; "
                       f"import it again")
    first = line
    return Source(code.co_filename, "".join(block_of(lines[first - 1:])), first, code.co_name)


_MARKS = "\"'"
_OPENS = re.compile(r"[#\\(\[{)\]}]|\"{3}|'{3}|[\"']")
_CLOSES = {mark * n: re.compile(rf"\\.|{mark * n}", re.S) for mark in _MARKS for n in (1, 3)}


class _Scan:
    """What is open at the end of a line: a string, brackets, or the line itself."""

    def __init__(self):
        self.string, self.depth, self.continued = None, 0, False

    @property
    def is_open(self):
        return self.string is not None or self.depth > 0 or self.continued

    def line(self, text):
        at, self.continued = 0, False
        while True:
            if self.string is not None:
                found = _CLOSES[self.string].search(text, at)
                if found is None:
                    if len(self.string) == 1 and not text.endswith("\\\n"): # it is never closed
                        self.string = None
                    return
                self.string = self.string if found.group()[0] == "\\" else None
            else:
                found = _OPENS.search(text, at)
                mark = found and found.group()
                if mark is None or mark == "#":
                    return
                if mark[0] in "\"'":
                    self.string = mark
                elif mark == "\\":
                    self.continued = text[found.end():].strip() == ""
                else:
                    self.depth += 1 if mark in "([{" else -1
            at = found.end()


def block_of(lines):
    """The lines of the statement at the first one: a function with its decorators, or one logical line. As inspect.getblock, whose tokenizer
    takes milliseconds to start."""
    scan, end, kind = _Scan(), 0, "@"
    indent = _indentation(lines[0])
    for i, text in enumerate(lines):
        starts, word = not scan.is_open, text.lstrip()
        if starts and (not word or word[0] == "#"):
            continue
        if starts and end and _indentation(text) <= indent and kind != "@":
            break
        if starts and kind == "@":
            kind = "@" if word[0] == "@" else "def" if word.startswith(("def ", "async ", "class ")) else "line"
        scan.line(text)
        end = i + 1
        if kind == "line" and not scan.is_open:
            break
    return lines[:end]


def _indentation(text):
    text = text.expandtabs()
    return len(text) - len(text.lstrip())


def _line_of(code, lines):
    """Where the text of a function begins by now: it may have been moved. None: the text there is another one than what Python runs."""
    first = code.co_firstlineno
    try:
        module = compile("".join(lines), code.co_filename, "exec", dont_inherit=True)
    except (SyntaxError, ValueError): # a cell of a notebook with commands in it; or an edit, which the parser will find
        return first if first <= len(lines) else None
    found = [c for c in _codes(module) if c.co_name == code.co_name]
    if any(name.startswith("@py_") for name in code.co_varnames): # by pytest, for its assertions
        return first if any(c.co_firstlineno == first for c in found) else None
    places = [c.co_firstlineno for c in found if _same(c, code)]
    return first if first in places else places[0] if places else None


def _codes(code):
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _codes(constant)


def _same(a, b):
    if isinstance(a, types.CodeType):
        return isinstance(b, types.CodeType) and (a.co_code, a.co_names, a.co_varnames, a.co_freevars, len(a.co_consts)) == \
            (b.co_code, b.co_names, b.co_varnames, b.co_freevars, len(b.co_consts)) and all(map(_same, a.co_consts, b.co_consts))
    if isinstance(a, (float, complex)):
        return repr(a) == repr(b)
    return type(a) is type(b) and a == b


def _why(code):
    name, path = code.co_name, code.co_filename
    if path in ("<stdin>", "<python-input-0>") or path.startswith("<python-input"):
        return (f"the text of '{name}' was typed into an interpreter that does not keep it: use a file, IPython, "
                f"or sdfg.program(source=...)")
    if path.startswith("<__array_function__"):
        return f"'{name}' is a function of NumPy"
    if path.startswith("<"):
        return f"'{name}' comes from exec() of a text that is not in linecache: give it by sdfg.program(source=...)"
    return f"the file '{path}' of '{name}' cannot be read (only its compiled form is there?): give the text by sdfg.program(source=...)"
