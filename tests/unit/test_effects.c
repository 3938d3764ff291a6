/* Do the functions do what their rows say (runtime/abi.def, ir/code/functions.def)? Each is called with memory of its
 * own for every pointer. What is only read cannot be written: a row that lies ends the process. What is only written
 * comes with different contents in a second call, which must not matter. The memory goes away after the call: who kept
 * a pointer and uses it in the next call ends the process, too. */
#include "lower/tree/tree_callee.h"
#include "runtime/linalg/blas.h"
#include "runtime/runtime.h"
#include "runtime/stream.h"

#include "tests/unit/check.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { SIZE = 4096, MOST_INTEGERS = 18, MOST_REALS = 2, PIVOTS = 4 };

/* What a call is given, one word for each argument: a number, `x`: 1.5, `F` `D` `C` `Z`: a matrix of 4 x 4 elements of
 * that type that is positive definite, `P` pivots, `L` int64 numbers, `T` a text, `c` the context, `0p` null. */
static const struct call {
    const char *name, *arguments;
} calls[] = {
    { "sdfg_rt_print", "T" },
    { "sdfg_rt_next", "L 1 100 0" },
    { "sdfg_rt_thread_num", "c" },
    { "sdfg_rt_num_threads", "c" },
    { "sdfg_rt_threads_sleep", "c" },
    { "sdfg_rt_thread_limit", "c" },
    { "sdfg_rt_threads_keep", "c" },
    { "sdfg_rt_threads_release", "c 0" },
    { "sdfg_rt_measure_begin", "c 0" },
    { "sdfg_rt_cancelled", "c" },
    { "sdfg_rt_external", "c 0 64" },
    { "sdfg_rt_workspace", "c 0 64 8" },
    { "sdfg_rt_target_memory", "c 64" },
    { "sdfg_rt_target_object", "c 3" },
    { "sdfg_rt_nontemporal_copy", "D D 128" },
    { "sdfg_rt_nontemporal_zero", "D 128" },
    { "sdfg_rt_nontemporal_end", "" },
    { "sdfg_rt_gemm", "c 1 4 4 4 D 4 1 D 4 1 D 4 1 D D" },
    { "sdfg_rt_gemm", "c 3 4 4 4 Z 4 1 Z 1 4 Z 4 1 Z Z" },
    { "sdfg_rt_gemv", "c 1 4 4 D 4 1 D 1 D 1 D D" },
    { "sdfg_rt_gemv", "c 0 4 4 F 1 4 F 1 F 1 F F" },
    { "sdfg_rt_dot", "c 1 16 D 1 D 1 D" },
    { "sdfg_rt_dot", "c 2 8 C 2 C 1 C" },
    { "sdfg_rt_getrf", "c 1 4 4 D 4 1 P P" },
    { "sdfg_rt_getri", "c 1 4 D 4 1 P P" },
    { "sdfg_rt_getrs", "c 1 4 2 D 4 1 P D 4 1 P" },
    { "sdfg_rt_potrf", "c 1 1 4 D 4 1 P" },
    { "sdfg_rt_solve", "c 1 4 2 D 4 1 D 2 1 D 2 1 P" },
    { "sdfg_rt_inverse", "c 1 4 D 4 1 D 4 1 P" },
    { "sdfg_rt_cholesky", "c 1 1 4 D 4 1 D 4 1 P" },
    { "sdfg_rt_demand", "c 4 P" },
    { "sdfg_rt_fft", "c 3 -1 1 L Z L Z L Z" },
#define REAL(p, t)                                                                                                     \
    { "sdfg_rt_cblas_" #p "gemm", "c 101 111 112 4 4 4 x " #t " 4 " #t " 4 x " #t " 4" },                              \
        { "sdfg_rt_cblas_" #p "gemv", "c 101 112 4 4 x " #t " 4 " #t " 1 x " #t " 1" },                                \
    {                                                                                                                  \
        "sdfg_rt_cblas_" #p "dot", "c 16 " #t " 1 " #t " 1"                                                            \
    }
#define COMPLEX(p, t)                                                                                                  \
    { "sdfg_rt_cblas_" #p "gemm", "c 101 111 112 4 4 4 " #t " " #t " 4 " #t " 4 " #t " " #t " 4" },                    \
        { "sdfg_rt_cblas_" #p "gemv", "c 101 112 4 4 " #t " " #t " 4 " #t " 1 " #t " " #t " 1" },                      \
    {                                                                                                                  \
        "sdfg_rt_cblas_" #p "dotu_sub", "c 16 " #t " 1 " #t " 1 " #t                                                   \
    }
#define LAPACKE(p, t)                                                                                                  \
    { "sdfg_rt_LAPACKE_" #p "getrf", "c 101 4 4 " #t " 4 P" },                                                         \
        { "sdfg_rt_LAPACKE_" #p "getri", "c 101 4 " #t " 4 P" },                                                       \
        { "sdfg_rt_LAPACKE_" #p "getrs", "c 101 78 4 2 " #t " 4 P " #t " 4" },                                         \
    {                                                                                                                  \
        "sdfg_rt_LAPACKE_" #p "potrf", "c 101 76 4 " #t " 4"                                                           \
    }
    REAL(s, F),
    REAL(d, D),
    COMPLEX(c, C),
    COMPLEX(z, Z),
    LAPACKE(s, F),
    LAPACKE(d, D),
    LAPACKE(c, C),
    LAPACKE(z, Z),
    { "nextafter", "x x" },
    { "remainder", "x x" },
    { "fdim", "x x" },
    { "logb", "x" },
    { "ldexp", "x 3" },
    { "scalbn", "x 3" },
    { "frexp", "x P" },
    { "memcpy", "D D 128" },
    { "memmove", "D D 128" },
    { "memset", "D 1 128" },
    { "memcmp", "D D 128" },
#define LIBRARY_REAL(p, t)                                                                                             \
    { "cblas_" #p "ger", "101 4 4 x " #t " 1 " #t " 1 " #t " 4" }, { "cblas_" #p "axpy", "16 x " #t " 1 " #t " 1" },   \
        { "cblas_" #p "scal", "16 x " #t " 1" }, { "cblas_" #p "copy", "16 " #t " 1 " #t " 1" },                       \
        { "cblas_" #p "nrm2", "16 " #t " 1" }, { "cblas_" #p "asum", "16 " #t " 1" },                                  \
        { "cblas_" #p "trsm", "101 141 122 111 131 4 4 x " #t " 4 " #t " 4" },                                         \
    {                                                                                                                  \
        "cblas_" #p "syrk", "101 122 111 4 4 x " #t " 4 x " #t " 4"                                                    \
    }
#define LIBRARY_COMPLEX(p, t)                                                                                          \
    { "cblas_" #p "dotc_sub", "16 " #t " 1 " #t " 1 " #t }, { "cblas_" #p "axpy", "16 " #t " " #t " 1 " #t " 1" },     \
        { "cblas_" #p "scal", "16 " #t " " #t " 1" },                                                                  \
    {                                                                                                                  \
        "cblas_" #p "copy", "16 " #t " 1 " #t " 1"                                                                     \
    }
    LIBRARY_REAL(s, F),
    LIBRARY_REAL(d, D),
    LIBRARY_COMPLEX(c, C),
    LIBRARY_COMPLEX(z, Z),
};

struct argument {
    char kind, role;
    char *memory, before[SIZE];
};

struct frame {
    struct argument arguments[MOST_INTEGERS];
    uint32_t count;
    int64_t integers[MOST_INTEGERS];
    double reals[MOST_REALS];
    uint32_t num_integers, num_reals;
};

/* Element (i, j) of a matrix that is symmetric and positive definite; `seed` makes another one. */
static double element(int i, int j, int seed) { return (i == j ? 8 : 1.0 / (1 + i + j)) + seed; }

static void fill(struct argument *a, int seed)
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            int at = 4 * i + j;
            double v = element(i, j, seed);
            switch (a->kind) {
            case 'F':
                ((float *)a->memory)[at] = (float)v;
                break;
            case 'C':
                ((float *)a->memory)[2 * at] = (float)v;
                break;
            case 'Z':
                ((double *)a->memory)[2 * at] = v;
                break;
            case 'P':
                ((int32_t *)a->memory)[at] = at < PIVOTS ? at + 1 + seed : seed;
                break;
            case 'L':
                ((int64_t *)a->memory)[at] = at ? 1 : 4;
                break;
            default:
                ((double *)a->memory)[at] = v;
                break;
            }
        }
    memcpy(a->before, a->memory, SIZE);
}

/* `seed`: what memory that is only written holds before. */
static void prepare(struct frame *f, const struct call *call, const struct tree_callee *row, int seed)
{
    static struct sdfg_rt_context context;
    char words[256], *save = NULL;
    bool single = strchr(call->arguments, 'F') || strchr(call->arguments, 'C');
    snprintf(words, sizeof words, "%s", call->arguments);
    memset(f, 0, sizeof *f);
    context = (struct sdfg_rt_context){ .num_threads = 1 }; /* without the error of the call before */
    for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        struct argument *a = &f->arguments[f->count];
        *a = (struct argument){ .kind = *word, .role = callee_role(row, f->count) };
        f->count++;
        if (isdigit((unsigned char)*word) || *word == '-') {
            f->integers[f->num_integers++] = strtoll(word, NULL, 10);
        } else if (*word == 'x') {
            float value = 1.5f;
            f->reals[f->num_reals] = 1.5;
            if (single) /* the low half of the register */
                memcpy(&f->reals[f->num_reals], &value, sizeof value);
            f->num_reals++;
        } else if (*word == 'c') {
            CHECK(a->role == 'o');
            f->integers[f->num_integers++] = (int64_t)(uintptr_t)&context;
        } else {
            a->memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            fill(a, a->role == 'w' ? seed : 0);
            mprotect(a->memory, SIZE, a->role == 'r' ? PROT_READ : PROT_READ | PROT_WRITE);
            f->integers[f->num_integers++] = (int64_t)(uintptr_t)a->memory;
        }
    }
}

/* Integers and pointers, and floating-point numbers, go through registers of their own, in order. */
static int64_t run(void *function, const struct frame *f)
{
    typedef int64_t any(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                        int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, double, double);
    any *call;
    memcpy(&call, &function, sizeof call);
    const int64_t *i = f->integers;
    return call(i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7], i[8], i[9], i[10], i[11], i[12], i[13], i[14], i[15],
                i[16], i[17], f->reals[0], f->reals[1]);
}

static void release(struct frame *f)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (f->arguments[i].memory)
            munmap(f->arguments[i].memory, SIZE);
}

/* A byte that differs after the two calls is one that neither wrote. */
static bool independent(const struct argument *a, const struct argument *b)
{
    for (int i = 0; i < SIZE; i++)
        if (a->memory[i] != b->memory[i] && (a->memory[i] != a->before[i] || b->memory[i] != b->before[i]))
            return false;
    return true;
}

static bool changed(const struct argument *a) { return memcmp(a->memory, a->before, SIZE) != 0; }

static void check(const struct call *call, const struct tree_callee *row, void *function)
{
    static struct frame a, b;
    prepare(&a, call, row, 0);
    prepare(&b, call, row, 3);
    int64_t first = run(function, &a), second = run(function, &b);
    bool good = !(row->flags & RT_PURE) || a.num_reals || first == second;
    for (uint32_t i = 0; i < a.count; i++) {
        char role = a.arguments[i].role;
        bool memory = a.arguments[i].memory != NULL;
        good = good && memory == (strchr("rwbs", role) != NULL);
        good = good && (!memory || independent(&a.arguments[i], &b.arguments[i]));
        if (role == 'b' || role == 's')
            good = good && (changed(&a.arguments[i]) || changed(&b.arguments[i]));
        if (role == 'w') /* of one of the two it may be the contents already */
            good = good && (changed(&a.arguments[i]) || changed(&b.arguments[i]));
    }
    if (!good)
        printf("%s(%s): roles %s\n", call->name, call->arguments, row->roles);
    CHECK(good);
    release(&a);
    release(&b);
}

static void *find(const char *name)
{
    void *function = sdfg_rt_symbol(name);
    return function ? function : dlsym(RTLD_DEFAULT, name);
}

TEST(rows_are_true)
{
    int absent = 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const struct tree_callee *row = tree_callee(calls[i].name);
        void *function = find(calls[i].name);
        CHECK(row->name);
        if (function)
            check(&calls[i], row, function);
        absent += !function;
        if (!function && !row->signature && strncmp(calls[i].name, "cblas_", 6) != 0)
            CHECK(!"a function is missing");
    }
    printf("%d functions of BLAS are not there\n", absent);
}

/* Every row has a role for each argument, and is tried above or below. */
TEST(rows_are_complete)
{
    static const char *const elsewhere[] = {
        "parallel",    "barrier",  "critical_begin", "critical_end", /* threads: test_runtime.c */
        "alloc",       "free",                                       /* below */
        "stream_",                                                   /* below and test_stream.c */
        "program_",    "node",     "target",         "set_slot",     /* roles k: they may do everything */
        "measure_end", "observe",  "save",           "restore",      /* test_instrument.c, cli/providers */
        "fault",       "race",     "stopped",                        /* checked mode: test_checking.c */
        "device_",                                                   /* test_device.c */
        "mpi_",        "MPI_",                                       /* tests/mpi */
        "f8e",         "float_to_"                                   /* below */
    };
    for (int i = 0; i < CALLEE_UNKNOWN; i++) {
        const struct tree_callee *row = &tree_callees[i];
        bool found = false;
        if (!row->signature)
            continue;
        CHECK_INT(strlen(row->roles), strlen(row->signature) - 3);
        for (size_t k = 0; k < strlen(row->roles); k++)
            CHECK((row->signature[k + 2] == 'p') == (strchr(".n", row->roles[k]) == NULL));
        for (size_t k = 0; k < sizeof calls / sizeof *calls && !found; k++)
            found = !strcmp(calls[k].name, row->name);
        for (size_t k = 0; k < sizeof elsewhere / sizeof *elsewhere && !found; k++)
            found = !strncmp(row->name + strlen("sdfg_rt_"), elsewhere[k], strlen(elsewhere[k]));
        if (!found)
            printf("%s\n", row->name);
        CHECK(found);
    }
}

TEST(small_floats)
{
    const struct tree_callee *row = tree_callee("sdfg_rt_f8e4m3_to_float");
    CHECK_INT(row->flags & RT_PURE, RT_PURE);
    CHECK(callee_is_pure(row));
    CHECK(!callee_is_pure(tree_callee("sdfg_rt_measure_begin")));
    CHECK(!callee_is_pure(tree_callee("a_float_of_somebody"))); /* once the name alone said so */
    CHECK(tree_callee("a_float_of_somebody") == &tree_callees[CALLEE_UNKNOWN]);
}

/* Elements are copied when they are pushed: the memory may go away. */
TEST(streams)
{
    struct sdfg_rt_context context = { .num_threads = 1 };
    struct sdfg_rt_stream *handle = NULL;
    double *elements = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), out[2] = { 0 };
    CHECK_STR(tree_callee("sdfg_rt_stream_push")->roles, "oor.");
    CHECK_STR(tree_callee("sdfg_rt_stream_pop")->roles, "oow.");
    sdfg_rt_stream_open(&context, &handle, 1, sizeof *elements);
    elements[0] = 1;
    elements[1] = 2;
    mprotect(elements, SIZE, PROT_READ);
    sdfg_rt_stream_push(&context, handle, elements, 2);
    munmap(elements, SIZE);
    CHECK_INT(sdfg_rt_stream_pop(&context, handle, out, 2), 2);
    CHECK(out[0] + 10 * out[1] == 21);
    sdfg_rt_stream_close(&context, &handle, 1);
    CHECK(!handle);
}

TEST(fresh_memory)
{
    struct sdfg_rt_context context = { .num_threads = 1 };
    CHECK_INT(tree_callee("sdfg_rt_alloc")->flags & RT_FRESH, RT_FRESH);
    char *a = sdfg_rt_alloc(&context, 100), *b = sdfg_rt_alloc(&context, 100);
    CHECK(a && b && (a + 100 <= b || b + 100 <= a));
    CHECK_INT((uintptr_t)a % 64 + (uintptr_t)b % 64, 0);
    sdfg_rt_free(&context, a);
    sdfg_rt_free(&context, b);
}

CHECK_MAIN
