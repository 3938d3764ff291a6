# One call of one program in Julia, by the C interface: Y = alpha * X + Y.
#
#     julia embed_axpy.jl axpy.sdfg
struct Array_ # sdfg_array
    struct_size::Csize_t
    data::Ptr{Cdouble}
    dtype::Cint
    rank::Cint
    shape::NTuple{32,Int64}
    strides::Ptr{Int64}
    item_bytes::Csize_t
    device::NTuple{2,Cint}
end
const F64 = 15

function check(error)
    error == C_NULL || throw(ErrorException(unsafe_string(@ccall "libsdfg".sdfg_error_text(error::Ptr{Cvoid})::Cstring)))
end

x, y = collect(0.0:999.0), ones(1000)
engine, program, args = Ref{Ptr{Cvoid}}(), Ref{Ptr{Cvoid}}(), Ref{Ptr{Cvoid}}()
check(@ccall "libsdfg".sdfg_engine_new(engine::Ptr{Ptr{Cvoid}}, C_NULL::Ptr{Cvoid})::Ptr{Cvoid})
check(@ccall "libsdfg".sdfg_program_load_file(program::Ptr{Ptr{Cvoid}}, engine[]::Ptr{Cvoid}, ARGS[1]::Cstring)::Ptr{Cvoid})
check(@ccall "libsdfg".sdfg_args_new(args::Ptr{Ptr{Cvoid}}, program[]::Ptr{Cvoid})::Ptr{Cvoid})
check(@ccall "libsdfg".sdfg_args_f64(args[]::Ptr{Cvoid}, "alpha"::Cstring, 2.0::Cdouble)::Ptr{Cvoid})
GC.@preserve x y begin
    for (name, v) in (("X", x), ("Y", y))
        array = Ref(Array_(sizeof(Array_), pointer(v), F64, 1, ntuple(i -> i == 1 ? length(v) : 0, 32), C_NULL, 0, (0, 0)))
        check(@ccall "libsdfg".sdfg_args_array(args[]::Ptr{Cvoid}, name::Cstring, array::Ptr{Array_})::Ptr{Cvoid})
    end
    check(@ccall "libsdfg".sdfg_call(program[]::Ptr{Cvoid}, args[]::Ptr{Cvoid})::Ptr{Cvoid})
end
@assert y[1000] == 2 * 999 + 1
println("Y[1000] = ", y[1000])
