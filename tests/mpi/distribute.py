#!/usr/bin/env python3
"""Arrays of which each process has a block, whose files hold the whole (--distribute): distribute.py BIN-DIR [--ranks 1,2,4], as run.py."""
import sys

import numpy as np

import run as nodes
from programs import FILE
from run import complain, equal

GRIDS = {1: "1x1", 2: "2x1", 4: "2x2", 8: "4x2"}
PROGRAM = f"{FILE}:parts_of_product"
BLOCKS = ["--distribute=A=block:0,1", "--distribute=B=block:0,1", "--distribute=C=block:0,1", "--distribute=x=block:-,0"]


def start(run, *more):
    px, py = GRIDS[run.ranks].split("x")
    return run.start(PROGRAM, [f"--Px={px}", f"--Py={py}", *more])


def good(run, *more):
    done = start(run, *more)
    if done.returncode:
        raise RuntimeError(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def files(run):
    """C, Fortran and big-endian order; three dimensions' worth of gaps; one result by two of the processes."""
    rng = np.random.default_rng(1)
    a, b, x = rng.integers(0, 9, (8, 16)).astype(float), rng.integers(0, 9, (16, 8)).astype(float), np.arange(4, dtype=np.int32)
    at = run.folder
    np.save(at / "A.npy", np.asfortranarray(a))
    np.save(at / "B.npy", b.astype(">f8"))
    np.save(at / "x.npy", x)
    good(run, *BLOCKS, f"--A=@{at}/A.npy", f"--B=@{at}/B.npy", f"--x=@{at}/x.npy", f"--output=C=@{at}/C.npy", f"--output=x=@{at}/x.out.npy", f"--output=A=@{at}/A.out.npy")
    equal("C", [np.load(at / "C.npy")], [a @ b])
    equal("x", [np.load(at / "x.out.npy")], [x + 1])
    equal("A", [np.load(at / "A.out.npy")], [a])
    if (at / "C.npy.unfinished").exists():
        raise RuntimeError("a file is left")
    done = good(run, *BLOCKS, f"--A=@{at}/A.npy", f"--B=@{at}/B.npy", f"--x=@{at}/x.npy", f"--expect=C=@{at}/C.npy")
    complain(done, 0, "C is as expected")
    np.save(at / "C.npy", a @ b + np.eye(8))
    complain(start(run, *BLOCKS, f"--A=@{at}/A.npy", f"--B=@{at}/B.npy", f"--x=@{at}/x.npy", f"--expect=C=@{at}/C.npy"), 1, "C differs", by_one=False)


def patterns(run):
    """What nobody gave is the same whatever the number of processes."""
    px, py = map(int, GRIDS[run.ranks].split("x"))
    sizes = ["--lM=%d" % (8 // px), "--lK=%d" % (8 // py), "--lK2=%d" % (8 // px), "--lN=%d" % (8 // py), f"--n={8 // py}"]
    for which, options in ("block", BLOCKS), ("alone", []):
        alone = nodes.Run(run.binary, run.folder, [], 1)
        values = ["--lM=8", "--lK=8", "--lK2=8", "--lN=8", "--n=8"] if which == "alone" else sizes
        good(run if options else alone, *options, *values, "--B=normal:7", "--x=iota", *(f"--output={n}=@{run.folder}/{n}.{which}.npy" for n in "ABCx"))
    for name in "ABx":
        equal(name, [np.load(run.folder / f"{name}.block.npy")], [np.load(run.folder / f"{name}.alone.npy")])
    if not np.allclose(np.load(run.folder / "C.block.npy"), np.load(run.folder / "C.alone.npy")):
        raise RuntimeError("C")


def cyclic(run):
    """Blocks in turn, as block-cyclic products have them; rows only, and both dimensions; what does not fit is refused."""
    px, py = map(int, GRIDS[run.ranks].split("x"))
    at, rng = run.folder, np.random.default_rng(2)
    a, b = rng.integers(0, 9, (8, 16)).astype(float), rng.integers(0, 9, (16, 8)).astype(float)
    np.save(at / "A.npy", np.asfortranarray(a))
    np.save(at / "B.npy", b)
    split = [f"--distribute=A=cyclic:0/1,1/2", f"--distribute=B=cyclic:0/2,1/1", "--distribute=x=cyclic:-,0/1"]
    good(run, *split, "--distribute=C=cyclic:0/1,1/1", f"--A=@{at}/A.npy", f"--B=@{at}/B.npy", f"--n={8 // py}", *(f"--output={n}=@{at}/{n}.out.npy" for n in "ABx"))
    equal("A", [np.load(at / "A.out.npy")], [a])
    equal("B", [np.load(at / "B.out.npy")], [b])
    alone = nodes.Run(run.binary, at, [], 1)
    good(alone, "--lM=8", "--lK=8", "--lK2=8", "--lN=8", "--n=8", "--B=normal:7", "--x=iota", *(f"--output={n}=@{at}/{n}.alone.npy" for n in "ABx"))
    sizes = ["--lM=%d" % (8 // px), "--lK=%d" % (8 // py), "--lK2=%d" % (8 // px), "--lN=%d" % (8 // py), f"--n={8 // py}"]
    good(run, *split[:1], *split[1:], *sizes, "--B=normal:7", "--x=iota", *(f"--output={n}=@{at}/{n}.cyclic.npy" for n in "ABx"))
    for name in "ABx":
        equal(name, [np.load(at / f"{name}.cyclic.npy")], [np.load(at / f"{name}.alone.npy")])
    complain(start(run, "--distribute=A=cyclic:0"), 2, "expected the size of blocks behind each dimension", by_one=False)
    complain(start(run, "--distribute=A=cyclic:0/0"), 2, "expected the size of blocks behind each dimension", by_one=False)
    complain(start(run, "--distribute=A=cyclic:0/3,1/1", *sizes), 2, "elements, not a multiple of 3", by_one=False)
    complain(start(run, "--distribute=A=cyclic:0/5,1/1", f"--A=@{at}/A.npy"), 3, "of a block for each process", by_one=False)


def errors(run):
    at = run.folder
    np.save(at / "A.npy", np.zeros((7, 8)))
    bad = [("--distribute=A=rows", "expected block:"), ("--distribute=A=block:2", "the array has no dimension of that number"), ("--distribute=A=block:0,0", "a dimension is split twice"),
           ("--distribute=A=block:a", "expected numbers of dimensions"), ("--distribute=A=block:", "expected numbers of dimensions"), ("--distribute=Z=block:0", "the program has no array of that name"),
           ("--distribute=n=block:0", "the program has no array of that name"), (f"--grid={run.ranks + 1}", f"there are {run.ranks} processes"), ("--grid=2by2", "expected numbers of processes")]
    for option, text in bad[-2:] if run.launcher else bad: # without a launcher it is faster
        complain(start(run, option), 2, text, by_one=False)
    if run.ranks == 2: # their product is 2 in 32 bits
        complain(start(run, "--grid=2x2147483647x2147483647"), 2, "there are 2 processes", by_one=False)
    complain(start(run, "--distribute=A=cyclic:0/2147483648"), 2, "expected the size of blocks behind each dimension", by_one=False)
    complain(start(run, "--distribute=A=block:0", "--distribute=A=block:1"), 2, "the array is distributed already", by_one=False)
    complain(start(run, *BLOCKS[:1], f"--grid={run.ranks}"), 2, "an array is split along 2 dimensions of the grid", by_one=False)
    complain(start(run, *BLOCKS, "--lM=2", "--lK=2", "--lK2=2", "--lN=2", "--n=2", "--output=C=-"), 2, "blocks of several processes are written to a file", by_one=False)
    if run.ranks > 1:
        complain(start(run, *BLOCKS, f"--A=@{at}/A.npy"), 3, f"dimension 0 has 7 elements, not a multiple of {GRIDS[run.ranks][0]} processes", by_one=False)
    complain(start(run, *BLOCKS, f"--A=@{at}/none.npy"), 3, "none.npy", by_one=False)
    complain(start(run, *BLOCKS, "--lM=2", "--lK=2", "--lK2=2", "--lN=2", "--n=2", f"--output=C=@{at}/none/C.npy"), 3, "none", by_one=False)


TESTS = [files, patterns, cyclic, errors]

if __name__ == "__main__":
    sys.exit(nodes.main(TESTS))
