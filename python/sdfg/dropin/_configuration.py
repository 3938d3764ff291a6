"""DaCe's configuration: what is obeyed here, and what is ignored and therefore named. All that is in neither table is obeyed by DaCe's own
code, which still runs: folders and their mode, caches, extensions, the frontend, simplification, validation, hooks, profiling, messages."""

import shlex

from ._settings import settings

# Without effect on code that libsdfg makes; named if a value is not DaCe's default.
IGNORED = (
    ("compiler", "cpp_standard"), ("compiler", "extra_cmake_args"), ("compiler", "linker", "executable"), ("compiler", "linker", "args"),
    ("compiler", "cpu", "executable"), ("compiler", "cpu", "libs"), ("compiler", "default_data_types"), ("compiler", "max_stack_array_size"),
    ("compiler", "inline_sdfgs"), ("compiler", "codegen_state_struct_suffix"), ("compiler", "format_code"), ("compiler", "codegen_lineinfo"),
    ("testing", "serialization"), ("library", "blas", "default_implementation"), ("library", "lapack", "default_implementation"),
    ("library", "linalg", "default_implementation"),
)
# What the flags of a C++ compiler that change results or debugging mean here. Other flags are named.
FLAGS = {"-ffast-math": {"fp": "fast"}, "-Ofast": {"fp": "fast"}, "-O0": {"opt_level": 0}, "-g": {"debug_info": True}}


def _value(*key):
    """A setting and its default; twice None where this DaCe has no such setting."""
    from dace.config import Config
    try:
        return Config.get(*key), Config.get_default(*key)
    except (KeyError, TypeError):
        return None, None


def _ignored(name, value):
    settings.announce(("configuration", name, str(value)), f"DaCe's setting {name}={value!r} has no effect on programs that libsdfg builds")


def options():
    """Options of the engine that DaCe's configuration asks for. What has no effect is said once."""
    found = {}
    for key in IGNORED:
        value, default = _value(*key)
        if value != default:
            _ignored(".".join(key), value)
    build, default = _value("compiler", "build_type")
    if build == "Debug":
        found.update(opt_level=0, debug_info=True)
    arguments, default = _value("compiler", "cpu", "args")
    if arguments != default:
        usual = set(shlex.split(default or ""))
        for flag in shlex.split(arguments or ""):
            if flag in FLAGS:
                found.update(FLAGS[flag])
            elif flag not in usual:
                _ignored("compiler.cpu.args", flag)
    return {name: value for name, value in found.items() if name not in settings.options}
