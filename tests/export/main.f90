! A Fortran program that calls programs compiled ahead of time. C = 2 A B - C in C order is C^T = 2 B^T A^T - C^T here.
program main
  use, intrinsic :: iso_c_binding
  use gemm_maps_sdfg
  implicit none
  integer, parameter :: n = 7
  real(c_double) :: a(n, n), b(n, n), c(n, n), expected(n, n)
  type(c_ptr) :: handle
  integer :: i, j

  do j = 1, n
    do i = 1, n
      a(i, j) = i + 0.5d0 * j
      b(i, j) = i - 0.25d0 * j
      c(i, j) = i * j
    end do
  end do
  expected = 2 * matmul(b, a) - c
  handle = gemm_maps_init(int(n, c_int64_t))
  call gemm_maps_run(handle, a, b, c, int(n, c_int64_t), 2d0, -1d0)
  if (any(abs(c - expected) > 1d-12 * abs(expected))) stop 1
  if (gemm_maps_call(handle, a, b, c, int(n, c_int64_t), 2d0, -1d0) /= 0) stop 2
  if (gemm_maps_exit(handle) /= 0) stop 3
end program
