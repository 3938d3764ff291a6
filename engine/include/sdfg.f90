! libsdfg for Fortran 2018. Compile this file with your program; its module is sdfg:
!
!     type(sdfg_engine) :: engine; type(sdfg_program) :: axpy; type(sdfg_arguments) :: a
!     call engine%open()
!     call axpy%load(engine, "axpy.sdfg")
!     call a%open(axpy)
!     call a%set("alpha", 2.0d0); call a%set("X", x); call a%set("Y", y)
!     call axpy%run(a)
!
! Each procedure has an optional integer `stat`, 0 or the class of the error (SDFG_ERROR_INVALID ...), and an optional text `errmsg`, as
! statements of Fortran have them; an error without `stat` ends the program with its text. Objects are freed when they go out of scope;
! they must not be copied.
! Arrays are used in place, so they have the attribute target and live as long as the call or the bound call. They have to be contiguous. A
! C-ordered container [M, N] is an array (N, M) here.
module sdfg
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: error_unit, int8, int16, int32, int64, real32, real64
    implicit none
    private
    public :: sdfg_engine, sdfg_program, sdfg_arguments, sdfg_bound, sdfg_version

    integer, parameter, public :: SDFG_ERROR_INVALID = 1, SDFG_ERROR_UNSUPPORTED = 2, SDFG_ERROR_ENVIRONMENT = 3, SDFG_ERROR_BUG = 4
    integer, parameter :: MAX_RANK = 32
    ! sdfg_dtype of sdfg.h
    integer(c_int), parameter :: DTYPE_I8 = 2, DTYPE_I16 = 3, DTYPE_I32 = 4, DTYPE_I64 = 5, DTYPE_F32 = 14, DTYPE_F64 = 15, &
        DTYPE_C64 = 16, DTYPE_C128 = 17, DTYPE_BOOL = 1

    type, bind(c) :: c_array
        integer(c_size_t) :: struct_size
        type(c_ptr) :: data
        integer(c_int) :: dtype, rank
        integer(c_int64_t) :: shape(MAX_RANK)
        type(c_ptr) :: strides
        integer(c_size_t) :: item_bytes
        integer(c_int) :: device_kind, device_index
    end type

    type :: sdfg_engine
        private
        type(c_ptr) :: handle = c_null_ptr
    contains
        procedure :: open => engine_open
        procedure :: wait => engine_wait
        final :: engine_close
    end type

    type :: sdfg_program
        private
        type(c_ptr) :: handle = c_null_ptr
    contains
        procedure :: load => program_load
        procedure :: run => program_run
        final :: program_close
    end type

    type :: sdfg_arguments
        private
        type(c_ptr) :: handle = c_null_ptr
    contains
        procedure :: open => arguments_open
        procedure, private :: set_i8, set_i16, set_i32, set_i64, set_f32, set_f64, set_c64, set_c128, set_bool, set_text
        generic :: set => set_i8, set_i16, set_i32, set_i64, set_f32, set_f64, set_c64, set_c128, set_bool, set_text
        procedure :: value => arguments_value
        final :: arguments_close
    end type

    type :: sdfg_bound
        private
        type(c_ptr) :: handle = c_null_ptr
    contains
        procedure :: bind => bound_bind
        procedure :: run => bound_run
        final :: bound_close
    end type

    interface
        function c_version() bind(c, name="sdfg_version") result(text)
            import; type(c_ptr) :: text
        end function
        function c_error_text(e) bind(c, name="sdfg_error_text") result(text)
            import; type(c_ptr), value :: e; type(c_ptr) :: text
        end function
        function c_error_class(e) bind(c, name="sdfg_error_class_of") result(class)
            import; type(c_ptr), value :: e; integer(c_int) :: class
        end function
        subroutine c_error_free(e) bind(c, name="sdfg_error_free")
            import; type(c_ptr), value :: e
        end subroutine
        function c_engine_new(out, options) bind(c, name="sdfg_engine_new") result(e)
            import; type(c_ptr), intent(out) :: out; type(c_ptr), value :: options; type(c_ptr) :: e
        end function
        subroutine c_engine_free(e) bind(c, name="sdfg_engine_free")
            import; type(c_ptr), value :: e
        end subroutine
        subroutine c_engine_wait(e) bind(c, name="sdfg_engine_wait")
            import; type(c_ptr), value :: e
        end subroutine
        function c_program_load_file(out, engine, path) bind(c, name="sdfg_program_load_file") result(e)
            import; type(c_ptr), intent(out) :: out; type(c_ptr), value :: engine; character(kind=c_char), intent(in) :: path(*)
            type(c_ptr) :: e
        end function
        subroutine c_program_free(p) bind(c, name="sdfg_program_free")
            import; type(c_ptr), value :: p
        end subroutine
        function c_args_new(out, p) bind(c, name="sdfg_args_new") result(e)
            import; type(c_ptr), intent(out) :: out; type(c_ptr), value :: p; type(c_ptr) :: e
        end function
        subroutine c_args_free(a) bind(c, name="sdfg_args_free")
            import; type(c_ptr), value :: a
        end subroutine
        function c_args_array(a, name, array) bind(c, name="sdfg_args_array") result(e)
            import; type(c_ptr), value :: a; character(kind=c_char), intent(in) :: name(*); type(c_array), intent(in) :: array
            type(c_ptr) :: e
        end function
        function c_args_scalar(a, name, dtype, value) bind(c, name="sdfg_args_scalar") result(e)
            import; type(c_ptr), value :: a, value; character(kind=c_char), intent(in) :: name(*); integer(c_int), value :: dtype
            type(c_ptr) :: e
        end function
        function c_args_string(a, name, text) bind(c, name="sdfg_args_string") result(e)
            import; type(c_ptr), value :: a; character(kind=c_char), intent(in) :: name(*), text(*); type(c_ptr) :: e
        end function
        function c_args_solve(a) bind(c, name="sdfg_args_solve") result(e)
            import; type(c_ptr), value :: a; type(c_ptr) :: e
        end function
        function c_args_value(a, name, value) bind(c, name="sdfg_args_value") result(known)
            import; type(c_ptr), value :: a; character(kind=c_char), intent(in) :: name(*)
            integer(c_int64_t), intent(inout) :: value
            logical(c_bool) :: known
        end function
        function c_call(p, a) bind(c, name="sdfg_call") result(e)
            import; type(c_ptr), value :: p, a; type(c_ptr) :: e
        end function
        function c_bind(out, p, a) bind(c, name="sdfg_bind") result(e)
            import; type(c_ptr), intent(out) :: out; type(c_ptr), value :: p, a; type(c_ptr) :: e
        end function
        function c_bound_call(b) bind(c, name="sdfg_bound_call") result(e)
            import; type(c_ptr), value :: b; type(c_ptr) :: e
        end function
        subroutine c_bound_free(b) bind(c, name="sdfg_bound_free")
            import; type(c_ptr), value :: b
        end subroutine
        function c_strlen(text) bind(c, name="strlen") result(length)
            import; type(c_ptr), value :: text; integer(c_size_t) :: length
        end function
    end interface

contains

    ! "0.1.0": of the library that runs.
    function sdfg_version() result(text)
        character(:), allocatable :: text
        text = text_of(c_version())
    end function

    function text_of(address) result(text)
        type(c_ptr), intent(in) :: address
        character(:), allocatable :: text
        character(kind=c_char), pointer :: bytes(:)
        integer :: i
        call c_f_pointer(address, bytes, [c_strlen(address)])
        allocate (character(size(bytes)) :: text)
        do i = 1, size(bytes)
            text(i:i) = bytes(i)
        end do
    end function

    ! Gives what a function of the library returned to the caller, or ends the program with it.
    subroutine report(e, stat, errmsg)
        type(c_ptr), intent(in) :: e
        integer, optional, intent(out) :: stat
        character(*), optional, intent(inout) :: errmsg
        character(:), allocatable :: text
        integer :: class
        if (present(stat)) stat = 0
        if (.not. c_associated(e)) return
        text = text_of(c_error_text(e))
        class = c_error_class(e) + 1
        call c_error_free(e)
        call fail(class, text, stat, errmsg)
    end subroutine

    subroutine fail(class, text, stat, errmsg)
        integer, intent(in) :: class
        character(*), intent(in) :: text
        integer, optional, intent(out) :: stat
        character(*), optional, intent(inout) :: errmsg
        if (present(errmsg)) errmsg = text
        if (present(stat)) then
            stat = class
        else
            write (error_unit, "(a)") text
            error stop
        end if
    end subroutine

    ! With the defaults.
    subroutine engine_open(this, stat, errmsg)
        class(sdfg_engine), intent(inout) :: this
        integer, optional, intent(out) :: stat
        character(*), optional, intent(inout) :: errmsg
        call c_engine_free(this%handle)
        call report(c_engine_new(this%handle, c_null_ptr), stat, errmsg)
    end subroutine

    ! Until nothing is compiled or written in the background.
    subroutine engine_wait(this)
        class(sdfg_engine), intent(in) :: this
        call c_engine_wait(this%handle)
    end subroutine

    impure elemental subroutine engine_close(this)
        type(sdfg_engine), intent(inout) :: this
        call c_engine_free(this%handle)
        this%handle = c_null_ptr
    end subroutine

    ! From a file, or a function of a Python file ("prog.py:f").
    subroutine program_load(this, engine, path, stat, errmsg)
        class(sdfg_program), intent(inout) :: this
        type(sdfg_engine), intent(in) :: engine
        character(*), intent(in) :: path
        integer, optional, intent(out) :: stat
        character(*), optional, intent(inout) :: errmsg
        call c_program_free(this%handle)
        call report(c_program_load_file(this%handle, engine%handle, trim(path)//c_null_char), stat, errmsg)
    end subroutine

    ! Solves the symbols, compiles what is needed, runs.
    subroutine program_run(this, arguments, stat, errmsg)
        class(sdfg_program), intent(in) :: this
        type(sdfg_arguments), intent(inout) :: arguments
        integer, optional, intent(out) :: stat
        character(*), optional, intent(inout) :: errmsg
        call report(c_call(this%handle, arguments%handle), stat, errmsg)
    end subroutine

    impure elemental subroutine program_close(this)
        type(sdfg_program), intent(inout) :: this
        call c_program_free(this%handle)
        this%handle = c_null_ptr
    end subroutine

    subroutine arguments_open(this, program, stat, errmsg)
        class(sdfg_arguments), intent(inout) :: this
        type(sdfg_program), intent(in) :: program
        integer, optional, intent(out) :: stat
        character(*), optional, intent(inout) :: errmsg
        call c_args_free(this%handle)
        call report(c_args_new(this%handle, program%handle), stat, errmsg)
    end subroutine

    ! A symbol: what was given, or what the shapes that are given say. INVALID: nothing.
    subroutine arguments_value(this, name, value, stat, errmsg)
        class(sdfg_arguments), intent(inout) :: this
        character(*), intent(in) :: name
        integer(int64), intent(out) :: value
        integer, optional, intent(out) :: stat
        character(*), optional, intent(inout) :: errmsg
        integer :: status
        value = 0
        call report(c_args_solve(this%handle), status)
        if (c_args_value(this%handle, trim(name)//c_null_char, value)) then
            if (present(stat)) stat = 0
        else
            call fail(SDFG_ERROR_INVALID, trim(name)//" has no value", stat, errmsg)
        end if
    end subroutine

    impure elemental subroutine arguments_close(this)
        type(sdfg_arguments), intent(inout) :: this
        call c_args_free(this%handle)
        this%handle = c_null_ptr
    end subroutine

    ! A single value (copied), or an array in place, whose extents are turned around.
    subroutine give(this, name, dtype, address, extents, contiguous, stat, errmsg)
        class(sdfg_arguments), intent(inout) :: this
        character(*), intent(in) :: name
        integer(c_int), intent(in) :: dtype
        type(c_ptr), intent(in) :: address
        integer, intent(in) :: extents(:)
        logical, intent(in) :: contiguous
        integer, optional, intent(out) :: stat
        character(*), optional, intent(inout) :: errmsg
        type(c_array) :: array
        integer :: i
        if (size(extents) == 0) then
            call report(c_args_scalar(this%handle, trim(name)//c_null_char, dtype, address), stat, errmsg)
        else if (.not. contiguous) then
            call fail(SDFG_ERROR_INVALID, "argument '"//trim(name)//"' is not contiguous", stat, errmsg)
        else
            array = c_array(c_sizeof(array), address, dtype, size(extents), 0, c_null_ptr, 0, 0, 0)
            do i = 1, size(extents)
                array%shape(i) = extents(size(extents) + 1 - i)
            end do
            call report(c_args_array(this%handle, trim(name)//c_null_char, array), stat, errmsg)
        end if
    end subroutine

    subroutine set_i8(this, name, value, stat, errmsg)
        class(sdfg_arguments), intent(inout) :: this
        character(*), intent(in) :: name
        integer(int8), intent(in), target :: value(..)
        integer, optional, intent(out) :: stat
        character(*), optional, intent(inout) :: errmsg
        call give(this, name, DTYPE_I8, c_loc(value), shape(value), is_contiguous(value), stat, errmsg)
    end subroutine

    subroutine set_i16(this, name, value, stat, errmsg)
        class(sdfg_arguments), intent(inout) :: this
        character(*), intent(in) :: name
        integer(int16), intent(in), target :: value(..)
        integer, optional, intent(out) :: stat
        character(*), optional, intent(inout) :: errmsg
        call give(this, name, DTYPE_I16, c_loc(value), shape(value), is_contiguous(value), stat, errmsg)
    end subroutine

    subroutine set_i32(this, name, value, stat, errmsg)
        class(sdfg_arguments), intent(inout) :: this
        character(*), intent(in) :: name
        integer(int32), intent(in), target :: value(..)
        integer, optional, intent(out) :: stat
        character(*), optional, intent(inout) :: errmsg
        call give(this, name, DTYPE_I32, c_loc(value), shape(value), is_contiguous(value), stat, errmsg)
    end subroutine

    subroutine set_i64(this, name, value, stat, errmsg)
        class(sdfg_arguments), intent(inout) :: this
        character(*), intent(in) :: name
        integer(int64), intent(in), target :: value(..)
        integer, optional, intent(out) :: stat
        character(*), optional, intent(inout) :: errmsg
        call give(this, name, DTYPE_I64, c_loc(value), shape(value), is_contiguous(value), stat, errmsg)
    end subroutine

    subroutine set_f32(this, name, value, stat, errmsg)
        class(sdfg_arguments), intent(inout) :: this
        character(*), intent(in) :: name
        real(real32), intent(in), target :: value(..)
        integer, optional, intent(out) :: stat
        character(*), optional, intent(inout) :: errmsg
        call give(this, name, DTYPE_F32, c_loc(value), shape(value), is_contiguous(value), stat, errmsg)
    end subroutine

    subroutine set_f64(this, name, value, stat, errmsg)
        class(sdfg_arguments), intent(inout) :: this
        character(*), intent(in) :: name
        real(real64), intent(in), target :: value(..)
        integer, optional, intent(out) :: stat
        character(*), optional, intent(inout) :: errmsg
        call give(this, name, DTYPE_F64, c_loc(value), shape(value), is_contiguous(value), stat, errmsg)
    end subroutine

    subroutine set_c64(this, name, value, stat, errmsg)
        class(sdfg_arguments), intent(inout) :: this
        character(*), intent(in) :: name
        complex(real32), intent(in), target :: value(..)
        integer, optional, intent(out) :: stat
        character(*), optional, intent(inout) :: errmsg
        call give(this, name, DTYPE_C64, c_loc(value), shape(value), is_contiguous(value), stat, errmsg)
    end subroutine

    subroutine set_c128(this, name, value, stat, errmsg)
        class(sdfg_arguments), intent(inout) :: this
        character(*), intent(in) :: name
        complex(real64), intent(in), target :: value(..)
        integer, optional, intent(out) :: stat
        character(*), optional, intent(inout) :: errmsg
        call give(this, name, DTYPE_C128, c_loc(value), shape(value), is_contiguous(value), stat, errmsg)
    end subroutine

    subroutine set_bool(this, name, value, stat, errmsg)
        class(sdfg_arguments), intent(inout) :: this
        character(*), intent(in) :: name
        logical(c_bool), intent(in), target :: value(..)
        integer, optional, intent(out) :: stat
        character(*), optional, intent(inout) :: errmsg
        call give(this, name, DTYPE_BOOL, c_loc(value), shape(value), is_contiguous(value), stat, errmsg)
    end subroutine

    subroutine set_text(this, name, text, stat, errmsg)
        class(sdfg_arguments), intent(inout) :: this
        character(*), intent(in) :: name, text
        integer, optional, intent(out) :: stat
        character(*), optional, intent(inout) :: errmsg
        call report(c_args_string(this%handle, trim(name)//c_null_char, text//c_null_char), stat, errmsg)
    end subroutine

    ! A call whose arguments are looked up and checked once.
    subroutine bound_bind(this, program, arguments, stat, errmsg)
        class(sdfg_bound), intent(inout) :: this
        type(sdfg_program), intent(in) :: program
        type(sdfg_arguments), intent(inout) :: arguments
        integer, optional, intent(out) :: stat
        character(*), optional, intent(inout) :: errmsg
        call c_bound_free(this%handle)
        call report(c_bind(this%handle, program%handle, arguments%handle), stat, errmsg)
    end subroutine

    subroutine bound_run(this, stat, errmsg)
        class(sdfg_bound), intent(in) :: this
        integer, optional, intent(out) :: stat
        character(*), optional, intent(inout) :: errmsg
        call report(c_bound_call(this%handle), stat, errmsg)
    end subroutine

    impure elemental subroutine bound_close(this)
        type(sdfg_bound), intent(inout) :: this
        call c_bound_free(this%handle)
        this%handle = c_null_ptr
    end subroutine

end module sdfg
