"""The text of functions, wherever it is: files, notebooks, what exec() runs if it is in linecache, modules in archives."""

import linecache


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
    import inspect # takes long, and is needed here only
    first = code.co_firstlineno
    if first > len(lines):
        raise NoSource(f"'{code.co_filename}' has changed since it was imported: line {first} is behind its end")
    block = inspect.getblock(lines[first - 1:])
    return Source(code.co_filename, "".join(block), first, code.co_name)


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
