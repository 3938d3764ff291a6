"""What goes wrong, as exceptions: one class for each class of the library."""

from ._library import CLASSES, library


class Error(Exception):
    """`code` is a stable name, `path` the element of the SDFG, `messages` everything that was found."""

    def __init__(self, text, code="", path="", messages=()):
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


class Message:
    """One finding; all fields are text but `warning`."""

    def __init__(self, m):
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
