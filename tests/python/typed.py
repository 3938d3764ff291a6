"""What type checkers know of the engine's interface: nothing here runs. An error that is expected stands behind `type: ignore`, and one that
is not found any more is an error, too."""
from typing import Any, Dict, List, Optional, Tuple

import numpy
from typing_extensions import assert_type

import sdfg
import sdfg.dropin


def engines() -> None:
    engine = sdfg.Engine(num_threads=4, fp="fast", specialize=["N"], check="bounds", cache_dir=None, plugins=["libclip.so"])
    assert_type(engine.backend(), str)
    assert_type(engine.list("passes")[0].values, Dict[str, Tuple[str, ...]])
    sdfg.Engine(num_thread=4)  # type: ignore[arg-type]
    sdfg.Engine(opt_level="3")  # type: ignore[arg-type]


def programs(path: str, A: Any) -> None:
    program = sdfg.compile(path, folder=".", opt_level=2)
    assert_type(program, sdfg.Program)
    assert_type(program.arguments, List[sdfg.ArgumentInfo])
    assert_type(program.arguments[0].shape, Tuple[str, ...])
    assert_type(program.solve(A=A), Dict[str, int])
    assert_type(program.bind(A=A), sdfg.Bound)
    assert_type(program.export_bytes(".o", N=8), bytes)
    assert_type(program.communicator, Optional[int])
    program.export(path, N="8")  # type: ignore[arg-type]
    program.argument  # type: ignore[attr-defined]


def streams() -> None:
    stream = sdfg.Stream(numpy.float64, queues=2)
    stream.push([1, 2])
    assert_type(stream.size(1), int)


def errors() -> None:
    try:
        sdfg.compile({})
    except sdfg.InvalidError as error:
        assert_type(error.messages, Tuple[sdfg.Message, ...])
        assert_type(error.code, str)


def dropin() -> None:
    sdfg.dropin.install("memory", fallback=False, opt_level=2)
    assert_type(sdfg.dropin.installed(), Optional[str])
    sdfg.dropin.install(fallback="no")  # type: ignore[arg-type]
