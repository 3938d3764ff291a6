"""Programs whose text random numbers make: what their tests share."""
import argparse
import linecache


def program_of(text, name):
    """The function `f` of the text, which Python finds under the name."""
    scope = {}
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), scope)
    return scope["f"]


def run(check, what, count, description):
    """check(number, seed) for as many programs as the command line asks for."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()
    for number in range(a.count):
        check(number, a.seed)
    print(f"{a.count} {what}")
