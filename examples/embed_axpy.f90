! One call of one program in Fortran: Y = alpha * X + Y, and an error. The module is installed as source, beside sdfg.h.
!
!     gfortran /usr/include/sdfg.f90 embed_axpy.f90 -lsdfg -o embed_axpy && ./embed_axpy axpy.sdfg
program embed_axpy
    use sdfg
    implicit none
    real(8), target :: x(1000), y(1000)
    character(4096) :: path = "axpy.sdfg", message
    integer(8) :: n
    integer :: i, stat
    x = [(real(i - 1, 8), i = 1, 1000)]
    y = 1
    if (command_argument_count() > 0) call get_command_argument(1, path)
    block
        type(sdfg_engine) :: engine
        type(sdfg_program) :: axpy
        type(sdfg_arguments) :: a
        type(sdfg_bound) :: again
        call engine%open()
        call axpy%load(engine, path)
        call a%open(axpy)
        call a%set("alpha", 2.0d0)
        call a%set("X", x)
        call a%set("Y", y)
        call axpy%run(a) ! N is solved from the shapes, the program is compiled for it and runs
        call again%bind(axpy, a)
        call again%run()
        call a%value("N", n)
        print "(a, i0, a, f0.1)", "N = ", n, ", Y(1000) = ", y(1000)
        call a%set("X", x(::2), stat, message)
        if (stat /= SDFG_ERROR_INVALID) error stop "a strided array was taken"
        print "(a)", trim(message)
    end block
    if (y(1000) /= 2 * 2 * 999.0d0 + 1) error stop "Y is wrong"
end program
