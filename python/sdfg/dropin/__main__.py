"""python -m sdfg.dropin [--level=build|memory] [--strict] [--report] PROGRAM.py|-m MODULE [ARGUMENT...]"""

import argparse
import os
import runpy
import sys

from . import LEVELS, install, statistics


def main():
    parser = argparse.ArgumentParser(prog="python -m sdfg.dropin", description="Runs a program whose DaCe builds with libsdfg.")
    parser.add_argument("--level", choices=LEVELS, default="build",
                        help="build: libraries in DaCe's build folders (default); memory: nothing is written")
    parser.add_argument("--strict", action="store_true", help="what libsdfg refuses is an error, not built by DaCe")
    parser.add_argument("--report", action="store_true", help="says on standard error, at the end, what was built by whom")
    parser.add_argument("-m", dest="module", action="store_true", help="the program is the name of a module")
    parser.add_argument("program", help="a file or, with -m, a module")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the program's own")
    options = parser.parse_args()
    install(options.level, fallback=not options.strict)
    sys.argv = [options.program, *options.arguments]
    try:
        if options.module:
            sys.path[0] = os.getcwd()
            runpy.run_module(options.program, run_name="__main__", alter_sys=True)
        else:
            sys.path[0] = os.path.dirname(os.path.abspath(options.program))
            runpy.run_path(options.program, run_name="__main__")
    finally:
        if options.report:
            done = statistics()
            print(f"libsdfg built {done['built']}, DaCe {sum(done['fallback'].values())}", file=sys.stderr)
            for reason, count in done["fallback"].items():
                print(f"  {count} times: {reason}", file=sys.stderr)


if __name__ == "__main__":
    main()
