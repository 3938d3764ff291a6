"""What goes wrong, as exceptions: one class for each class of the library."""

from __future__ import annotations

from typing import Any, Tuple

from ._library import CLASSES, library


class Error(Exception):
    """`code` is a stable name, `path` the element of the SDFG, `messages` everything that was found."""

    code: str
    path: str
    messages: Tuple[Message, ...]

    def __init__(self, text: str, code: str = "", path: str = "", messages: Tuple[Message, ...] = ()) -> None:
        super().__init__(text)
        self.code, self.path, self.messages = code, path, messages


class InvalidError(Error, ValueError):
    """The SDFG or an argument is wrong."""


class FaultError(InvalidError):
    """Checked mode found a fault while the program ran; `code` says which: CHECK_BOUNDS, CHECK_UNINIT ..."""


class UnsupportedError(Error, NotImplementedError):
    """Right, but the library cannot do it."""


class MissingError(Error, OSError):
    """A file, library, device or memory is missing."""

    def __str__(self):
        return self.args[0]


class BugError(Error, RuntimeError):
    """A defect of the library."""


_BY_CLASS = dict(zip(CLASSES, (InvalidError, UnsupportedError, MissingError, BugError)))


class ProgramError(Error, SyntaxError):
    """A function that cannot be compiled. As a SyntaxError it shows the line and a caret."""

    @classmethod
    def at(cls, message, path, line):
        """An error at a line of a file."""
        made = cls(message)
        made.msg, made.filename, made.lineno = message, path, line
        return made

    @classmethod
    def of(cls, error):
        """From what loading raised; what has no place in a source stays as it is."""
        found = [m for m in getattr(error, "messages", ()) if not m.warning and m.source.count(":") >= 2]
        if not found:
            return error
        first = found[0]
        kind = UnsupportedProgramError if isinstance(error, UnsupportedError) else _EXCEPTIONS.get(first.code, cls)
        path, line, column = first.source.rsplit(":", 2)
        lines = first.excerpt.splitlines()
        made = kind(first.text, error.code, error.path, error.messages)
        more = [f"{m.source}: {m.text}" for m in found[1:]]
        made.msg = "\n".join([first.text, *more])
        made.filename, made.lineno, made.offset = path, int(line), int(column)
        made.text = lines[0].lstrip() if lines else None
        if made.text is not None and len(lines) > 1 and "^" in lines[1]:
            made.offset = lines[1].index("^") - (len(lines[0]) - len(made.text)) + 1
        made.end_lineno, made.end_offset = made.lineno, made.offset # else CPython 3.13 marks all that follows in the line
        return made

    def __str__(self):
        return f"{self.msg} ({self.filename}, line {self.lineno})"


class UnsupportedProgramError(ProgramError, UnsupportedError):
    """Right, but the library cannot do it."""


class ProgramValueError(ProgramError, ValueError):
    """Python would raise a ValueError there."""


class ProgramTypeError(ProgramError, TypeError):
    """Python would raise a TypeError there."""


class ProgramIndexError(ProgramError, IndexError):
    """Python would raise an IndexError there."""


class ProgramKeyError(ProgramError, KeyError):
    """Python would raise a KeyError there."""


class ProgramAssertionError(ProgramError, AssertionError):
    """Python would raise an AssertionError there."""


_EXCEPTIONS = {"PROGRAM_VALUE": ProgramValueError, "PROGRAM_TYPE": ProgramTypeError, "PROGRAM_INDEX": ProgramIndexError,
               "PROGRAM_KEY": ProgramKeyError, "PROGRAM_ASSERTION": ProgramAssertionError}


class ProgramWarning(UserWarning):
    """A program does something else than its author may think."""


class Message:
    """One finding. `kind` is "invalid", "unsupported", "environment" or "bug", `source` the place in a source file, `excerpt` its line."""

    kind: str
    warning: bool
    code: str
    text: str
    path: str
    source: str
    excerpt: str

    def __init__(self, m: Any) -> None:
        self.kind, self.warning = CLASSES[m.class_id], m.warning
        self.code, self.text, self.path = m.code.decode(), m.text.decode(), m.path.decode()
        self.source, self.excerpt = m.source.decode(), m.excerpt.decode()

    def __repr__(self):
        return f"<{'warning' if self.warning else self.kind}: {self.text}>"


def messages_of(error):
    """The messages of an error object that stays with the library."""
    return tuple(Message(library.sdfg_error_get(error, i).contents) for i in range(library.sdfg_error_count(error)))


def check(error):
    """Raises what the library returned, and frees it."""
    if not error:
        return
    try:
        code = library.sdfg_error_code(error).decode()
        cls = FaultError if code.startswith("CHECK_") else _BY_CLASS[CLASSES[library.sdfg_error_class_of(error)]]
        raise cls(library.sdfg_error_text(error).decode().rstrip(), code,
                  library.sdfg_error_path(error).decode(), messages_of(error))
    finally:
        library.sdfg_error_free(error)
