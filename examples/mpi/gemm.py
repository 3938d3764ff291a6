"""C = A B of N x N matrices; each process of a grid of Px x Py has a block of each."""
import dace
import sdfg

N, Px, Py = dace.symbol("N"), dace.symbol("Px"), dace.symbol("Py")


@sdfg.program
def gemm(A: sdfg.float64[N // Px, N // Py], B: sdfg.float64[N // Px, N // Py], C: sdfg.float64[N // Px, N // Py]):
    C[:] = dace.distr.MatMult(A, B, (N, N, N))
