"""What calls from Python cost, above the bound call: microseconds, best of several rounds. Run with PYTHONPATH=python."""
import timeit

import numpy

import sdfg

K0, K1, K2, K3, K4 = 1, 2.5, True, "mode", 3


@sdfg.program
def eight(A, B, C, D, E, F, G, H):
    A += B * K0 + C * K1
    if K2 and K3 == "mode":
        A += D + E + F + G + H * K4


@sdfg.program
def one(A):
    return A + 1


@sdfg.program
def number(A, s):
    A += s


def best(call, number=2000):
    return min(timeit.repeat(call, number=number, repeat=7)) / number * 1e6


def main():
    arrays = [numpy.ones(8) for _ in range(8)]
    rows = [("8 arrays, 5 constants", eight, arrays), ("1 array, 1 result", one, arrays[:1]), ("1 array, 1 number", number, [arrays[0], 2.0])]
    for name, program, arguments in rows:
        program(*arguments)
        bound = program.bind(*arguments)
        call, base = best(lambda: program(*arguments)), best(bound)
        print(f"{name}: {call:.2f} us, bound {base:.2f} us, above {call - base:.2f} us")
    plain = one.compile(arrays[0])
    print(f"a program by name: {best(lambda: plain(A=arrays[0])):.2f} us")


if __name__ == "__main__":
    main()
