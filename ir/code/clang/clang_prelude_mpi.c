/* What a tasklet sees of MPI: handles are integers, and small ones stand for what is predefined (runtime/mpi_code.h).
 * And what DaCe's own code for distributed arrays names beside it. */
#include "ir/code/clang/clang_walk.h"

static const char mpi[] =
    "typedef long MPI_Comm; typedef long MPI_Group; typedef long MPI_Datatype; typedef long MPI_Op; typedef long "
    "MPI_Aint;\n"
    "typedef unsigned long MPI_Request;\n"
    "struct MPI_Status { int MPI_SOURCE, MPI_TAG, MPI_ERROR; };\n"
    "#define MPI_SUCCESS 0\n"
    "#define MPI_COMM_NULL 0l\n"
    "#define MPI_COMM_WORLD 1l\n"
    "#define MPI_COMM_SELF 2l\n"
    "#define MPI_GROUP_NULL 0l\n"
    "#define MPI_REQUEST_NULL 0ul\n"
    "#define MPI_DATATYPE_NULL 0l\n"
    "#define MPI_PROC_NULL (-1000)\n"
    "#define MPI_ANY_SOURCE (-1001)\n"
    "#define MPI_ANY_TAG (-1)\n"
    "#define MPI_UNDEFINED (-32766)\n"
    "#define MPI_IN_PLACE ((void *)1)\n"
    "#define MPI_STATUS_IGNORE ((MPI_Status *)0)\n"
    "#define MPI_STATUSES_IGNORE ((MPI_Status *)0)\n"
    "#define MPI_ORDER_C 0\n"
    "#define MPI_ORDER_FORTRAN 1\n"
    "#define MPI_INT8_T 1l\n"
    "#define MPI_CHAR 1l\n"
    "#define MPI_SIGNED_CHAR 1l\n"
    "#define MPI_INT16_T 2l\n"
    "#define MPI_SHORT 2l\n"
    "#define MPI_INT32_T 3l\n"
    "#define MPI_INT 3l\n"
    "#define MPI_INT64_T 4l\n"
    "#define MPI_LONG 4l\n"
    "#define MPI_LONG_LONG 4l\n"
    "#define MPI_LONG_LONG_INT 4l\n"
    "#define MPI_AINT 4l\n"
    "#define MPI_UINT8_T 5l\n"
    "#define MPI_UNSIGNED_CHAR 5l\n"
    "#define MPI_BYTE 5l\n"
    "#define MPI_UINT16_T 6l\n"
    "#define MPI_UNSIGNED_SHORT 6l\n"
    "#define MPI_UINT32_T 7l\n"
    "#define MPI_UNSIGNED 7l\n"
    "#define MPI_UINT64_T 8l\n"
    "#define MPI_UNSIGNED_LONG 8l\n"
    "#define MPI_UNSIGNED_LONG_LONG 8l\n"
    "#define MPI_C_BOOL 9l\n"
    "#define MPI_CXX_BOOL 9l\n"
    "#define MPI_FLOAT 10l\n"
    "#define MPI_DOUBLE 11l\n"
    "#define MPI_C_FLOAT_COMPLEX 12l\n"
    "#define MPI_C_COMPLEX 12l\n"
    "#define MPI_CXX_FLOAT_COMPLEX 12l\n"
    "#define MPI_COMPLEX 12l\n"
    "#define MPI_C_DOUBLE_COMPLEX 13l\n"
    "#define MPI_CXX_DOUBLE_COMPLEX 13l\n"
    "#define MPI_DOUBLE_COMPLEX 13l\n"
    "#define MPI_MAX 1l\n"
    "#define MPI_MIN 2l\n"
    "#define MPI_SUM 3l\n"
    "#define MPI_PROD 4l\n"
    "#define MPI_LAND 5l\n"
    "#define MPI_BAND 6l\n"
    "#define MPI_LOR 7l\n"
    "#define MPI_BOR 8l\n"
    "#define MPI_LXOR 9l\n"
    "#define MPI_BXOR 10l\n"
    "extern \"C\" {\n"
    "int MPI_Comm_rank(MPI_Comm, int *); int MPI_Comm_size(MPI_Comm, int *);\n"
    "int MPI_Comm_group(MPI_Comm, MPI_Group *); int MPI_Comm_dup(MPI_Comm, MPI_Comm *);\n"
    "int MPI_Comm_split(MPI_Comm, int, int, MPI_Comm *); int MPI_Comm_free(MPI_Comm *);\n"
    "int MPI_Group_size(MPI_Group, int *); int MPI_Group_rank(MPI_Group, int *);\n"
    "int MPI_Group_translate_ranks(MPI_Group, int, const int *, MPI_Group, int *);\n"
    "int MPI_Group_free(MPI_Group *); int MPI_Abort(MPI_Comm, int);\n"
    "int MPI_Cart_create(MPI_Comm, int, const int *, const int *, int, MPI_Comm *);\n"
    "int MPI_Cart_sub(MPI_Comm, const int *, MPI_Comm *);\n"
    "int MPI_Cart_get(MPI_Comm, int, int *, int *, int *); int MPI_Cart_coords(MPI_Comm, int, int, int *);\n"
    "int MPI_Cart_rank(MPI_Comm, const int *, int *);\n"
    "int MPI_Cart_shift(MPI_Comm, int, int, int *, int *); int MPI_Dims_create(int, int, int *);\n"
    "int MPI_Type_contiguous(int, MPI_Datatype, MPI_Datatype *);\n"
    "int MPI_Type_vector(int, int, int, MPI_Datatype, MPI_Datatype *);\n"
    "int MPI_Type_create_subarray(int, const int *, const int *, const int *, int, MPI_Datatype, MPI_Datatype *);\n"
    "int MPI_Type_create_resized(MPI_Datatype, MPI_Aint, MPI_Aint, MPI_Datatype *);\n"
    "int MPI_Type_commit(MPI_Datatype *); int MPI_Type_free(MPI_Datatype *);\n"
    "int MPI_Send(const void *, int, MPI_Datatype, int, int, MPI_Comm);\n"
    "int MPI_Recv(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);\n"
    "int MPI_Sendrecv(const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int, int, MPI_Comm, "
    "MPI_Status *);\n"
    "int MPI_Isend(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);\n"
    "int MPI_Irecv(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);\n"
    "int MPI_Wait(MPI_Request *, MPI_Status *); int MPI_Waitall(int, MPI_Request *, MPI_Status *);\n"
    "int MPI_Barrier(MPI_Comm); int MPI_Bcast(void *, int, MPI_Datatype, int, MPI_Comm);\n"
    "int MPI_Reduce(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm);\n"
    "int MPI_Allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);\n"
    "int MPI_Scatter(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm);\n"
    "int MPI_Gather(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm);\n"
    "int MPI_Allgather(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);\n"
    "int MPI_Alltoall(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);\n"
    "int MPI_Scatterv(const void *, const int *, const int *, MPI_Datatype, void *, int, MPI_Datatype, int, "
    "MPI_Comm);\n"
    "int MPI_Gatherv(const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype, int, MPI_Comm);\n"
    "int MPI_Allgatherv(const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype, MPI_Comm);\n"
    "int MPI_Alltoallv(const void *, const int *, const int *, MPI_Datatype, void *, const int *, const int *, "
    "MPI_Datatype, MPI_Comm);\n"
    "}\n";

/* dace/runtime/include/dace/comm.h: processes of a grid are numbered row by row. */
static const char grids[] =
    "namespace dace { namespace comm {\n"
    "inline void cart_coords(int rank, int size, const int *dims, int *coords) {\n"
    "  for (int i = size - 1; i >= 0; --i) { coords[i] = rank % dims[i]; rank /= dims[i]; } }\n"
    "inline int cart_rank(int size, const int *dims, const int *coords) {\n"
    "  int rank = 0; for (int i = 0; i < size; ++i) rank = rank * dims[i] + coords[i]; return rank; }\n"
    "} }\n";

/* dace/runtime/include/dace/copy.h: extent and strides of each dimension. */
static const char copies[] =
    "namespace dace {\n"
    "template <class T, int LANES, int ALIGNED, int N> struct CopyNDDynamic { struct Dynamic {\n"
    "  template <class... R> static void Copy(const T *src, T *dst, int n, int src_stride, int dst_stride, R... r) {\n"
    "    for (int i = 0; i < n; ++i)\n"
    "      CopyNDDynamic<T, LANES, ALIGNED, N - 1>::Dynamic::Copy(src + i * src_stride, dst + i * dst_stride, r...); } "
    "}; };\n"
    "template <class T, int LANES, int ALIGNED> struct CopyNDDynamic<T, LANES, ALIGNED, 0> { struct Dynamic {\n"
    "  static void Copy(const T *src, T *dst) { for (int i = 0; i < LANES; ++i) dst[i] = src[i]; } }; };\n"
    "}\n";

static const char numeric[] =
    "namespace std {\n"
    "template <class T = void> struct plus {}; template <class T = void> struct multiplies {};\n"
    "template <class P, class T> T accumulate(P p, P end, T sum) { for (; p != end; ++p) sum = sum + *p; return sum; "
    "}\n"
    "template <class P, class T, class U> T accumulate(P p, P end, T sum, plus<U>) {\n"
    "  for (; p != end; ++p) sum = sum + *p; return sum; }\n"
    "template <class P, class T, class U> T accumulate(P p, P end, T x, multiplies<U>) {\n"
    "  for (; p != end; ++p) x = x * *p; return x; }\n"
    "}\n";

/* As with NDEBUG, with which DaCe compiles. */
static const char assertions[] = "#define assert(condition) ((void)0)\n";

void clang_prelude_mpi(struct text *out, const char *text)
{
    static const struct clang_part parts[] = {
        { mpi, { "MPI_" } },
        { grids, { "comm::" } },
        { copies, { "CopyNDDynamic" } },
        { numeric, { "accumulate", "multiplies", "std::plus" } },
        { assertions, { "assert" } },
    };
    clang_add_parts(out, text, parts, sizeof parts / sizeof *parts);
}
