/* The BLAS that a process finds (tests/blas/library.c in seven kinds): which are taken, whose threads do the work, and
 * what comes out. */
#include "runtime/linalg/blas_small.h"

#include "tests/unit/check.h"
#include "tests/unit/matrices.h"

#include <dlfcn.h>
#include <libgen.h>
#include <math.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, SIZE = 260 }; /* large enough that threads share a product */

static char path[4200];

static const char *library(const char *kind)
{
    static char folder[4096];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    CHECK(length > 0);
    folder[length > 0 ? length : 0] = 0;
    snprintf(path, sizeof path, "%s/libblas-%s.so", dirname(folder), kind);
    return path;
}

/* Since the last time. */
static int calls(const char *what)
{
    atomic_int *n = sdfg_rt_blas_function(what);
    CHECK(n != NULL);
    return n ? atomic_exchange(n, 0) : -1;
}

static int *threads_then(void) { return sdfg_rt_blas_function("blas_threads_then"); }

/* alpha and beta are 2 where `scale`, C and y are NaN where nobody may read them. */
static void product(int type, int64_t m, int64_t n, int64_t k, enum layout la, enum layout lb, enum layout lc,
                    bool scale)
{
    struct sdfg_rt_context context = { .num_threads = THREADS };
    struct sdfg_rt_matrix a = matrix_new(type, m, k, la), b = matrix_new(type, k, n, lb),
                          c = matrix_new(type, m, n, lc);
    struct sdfg_rt_matrix expected = matrix_new(type, m, n, ROWS);
    number memory;
    set(type, &(struct sdfg_rt_matrix){ &memory, 1, 1, 1, 1 }, 0, 0, 2);
    const void *factor = scale ? &memory : NULL;
    for (int64_t i = 0; i < m && !scale; i++)
        for (int64_t j = 0; j < n; j++)
            set(type, &c, i, j, NAN);
    sdfg_rt_copy_matrix(type, &c, &expected);
    sdfg_rt_gemm_loops(type, &a, &b, &expected, factor, factor);
    sdfg_rt_gemm(&context, type, m, n, k, a.data, a.row_stride, a.col_stride, b.data, b.row_stride, b.col_stride,
                 c.data, c.row_stride, c.col_stride, factor, factor);
    double worst = 0;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double error = cabs(get(type, &c, i, j) - get(type, &expected, i, j));
            worst = worse_of(worst, error);
        }
    CHECK(worst <= tolerance(type) * (double)(k + 1));
    CHECK_INT(context.error, 0);
    matrix_free(type, a);
    matrix_free(type, b);
    matrix_free(type, c);
    matrix_free(type, expected);
}

static void dot(int type)
{
    struct sdfg_rt_context context = { .num_threads = THREADS };
    struct sdfg_rt_matrix x = matrix_new(type, 3000, 2, ROWS), y = matrix_new(type, 3000, 3, ROWS);
    number memory, sum = 0;
    sdfg_rt_dot(&context, type, 3000, x.data, 2, y.data, 3, &memory);
    for (int64_t i = 0; i < 3000; i++)
        sum += get(type, &x, i, 0) * get(type, &y, i, 0);
    CHECK(cabs(get(type, &(struct sdfg_rt_matrix){ &memory, 1, 1, 1, 1 }, 0, 0) - sum) <= tolerance(type) * 3000);
    matrix_free(type, x);
    matrix_free(type, y);
}

static void factors(int type)
{
    struct sdfg_rt_context context = { .num_threads = THREADS };
    struct sdfg_rt_matrix a = matrix_new(type, 40, 40, ROWS), b = matrix_new(type, 40, 1, ROWS),
                          x = matrix_new(type, 40, 1, ROWS);
    int32_t info = -1;
    for (int64_t i = 0; i < 40; i++)
        set(type, &a, i, i, 50);
    sdfg_rt_solve(&context, type, 40, 1, a.data, 40, 1, b.data, 1, 1, x.data, 1, 1, &info);
    CHECK_INT(info, 0);
    for (int64_t i = 0; i < 40; i++) {
        number sum = 0;
        for (int64_t j = 0; j < 40; j++)
            sum += get(type, &a, i, j) * get(type, &x, j, 0);
        CHECK(cabs(sum - get(type, &b, i, 0)) <= tolerance(type) * 40);
    }
    matrix_free(type, a);
    matrix_free(type, b);
    matrix_free(type, x);
}

/* Matrices in all layouts that the library is given as they are, turned, or as copies. C in columns is never computed
 * without it. */
static void layouts(int type)
{
    for (int layout = 0; layout < LAYOUTS; layout++) {
        product(type, 40, 50, 60, layout, ROWS, COLUMNS, layout & 1);
        CHECK(calls("blas_products") > 0);
        product(type, 40, 50, 60, ROWS, layout, COLUMNS, !(layout & 1));
        CHECK(calls("blas_products") > 0);
        product(type, 40, 50, 60, COLUMNS, ROWS, layout, layout & 1);
        product(type, 90, 1, 900, layout, ROWS, ROWS, !(layout & 1));
        calls("blas_products");
        CHECK(calls("blas_vectors") > 0 || layout >= SCATTERED); /* those are products */
    }
}

/* Everything by the library in use. `shared`: among threads of ours; else it is called once. */
static void all(bool shared)
{
    for (int type = 0; type < SDFG_RT_TYPE_COUNT; type++) {
        product(type, SIZE, SIZE, SIZE, ROWS, ROWS, COLUMNS, type & 1);
        int n = calls("blas_products");
        CHECK(shared ? n > 1 && n <= THREADS : n == 1);
        product(type, 5 * SIZE, 1, 5 * SIZE, ROWS, ROWS, ROWS, type & 1);
        n = calls("blas_vectors");
        CHECK(shared ? n > 1 && n <= THREADS : n == 1);
        layouts(type);
        calls("blas_dots");
        dot(type);
        CHECK_INT(calls("blas_dots"), 1);
        factors(type);
    }
}

/* Libraries are chosen once in a process. */
static void in_child(void (*run)(void))
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        check_failures = 0;
        run();
        exit(check_failures != 0);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static void plain(void)
{
    CHECK(sdfg_rt_blas_use(library("plain")));
    CHECK_STR(sdfg_rt_blas_name(), path);
    CHECK(!sdfg_rt_blas_use("libsdfg_no_such_blas.so.1"));
    CHECK(sdfg_rt_blas_use(path));
    CHECK(!sdfg_rt_blas_function("no_such_function"));
    all(true);
}

TEST(a_library_without_threads_is_called_by_ours) { in_child(plain); }

static void incomplete(void)
{
    CHECK(!sdfg_rt_blas_use(library("incomplete")));
    CHECK(!sdfg_rt_blas_name() && !sdfg_rt_blas_get() && !sdfg_rt_blas_function("cblas_dgemm"));
    for (int type = 0; type < SDFG_RT_TYPE_COUNT; type++) { /* loops */
        product(type, 60, 50, 40, COLUMNS, ROWS, COLUMNS, true);
        product(type, SIZE, 1, SIZE, COLUMNS, ROWS, ROWS, false);
        dot(type);
        factors(type);
    }
}

TEST(a_library_that_lacks_a_function_is_not_used) { in_child(incomplete); }

static void missing(void)
{
    CHECK(!sdfg_rt_blas_use(library("missing")));
    CHECK(!sdfg_rt_blas_name());
    product(SDFG_RT_F64, 60, 50, 40, ROWS, COLUMNS, ROWS, true);
}

TEST(no_library_is_no_error) { in_child(missing); }

static void own_threads(void)
{
    CHECK(sdfg_rt_blas_use(library("own-threads")));
    const struct sdfg_rt_blas *b = sdfg_rt_blas_get();
    CHECK(b && b->single && b->set_num_threads);
    all(true);
    CHECK_INT(*threads_then(), 1);
    CHECK(b && b->get_num_threads() == 8);
}

TEST(threads_of_a_library_rest_while_ours_call_it) { in_child(own_threads); }

static void known_before(void)
{
    CHECK(dlopen(library("own-threads"), RTLD_NOW) != NULL);
    CHECK(sdfg_rt_blas_use(path));
    CHECK(!sdfg_rt_blas_get()->single);
    all(false);
    CHECK_INT(*threads_then(), 8);
}

TEST(a_library_that_others_have_opened_keeps_its_threads) { in_child(known_before); }

static void fixed_threads(void)
{
    CHECK(sdfg_rt_blas_use(library("fixed-threads")));
    CHECK(!sdfg_rt_blas_get()->set_num_threads);
    all(false);
}

TEST(threads_that_cannot_be_set_do_the_work) { in_child(fixed_threads); }

static void on_openmp(void)
{
    CHECK(sdfg_rt_blas_use(library("on-openmp")));
    CHECK(!sdfg_rt_blas_get()->set_num_threads);
    all(false);
    CHECK_INT(*threads_then(), 8);
}

TEST(a_library_on_openmp_is_left_alone) { in_child(on_openmp); }

static void named_outside(void)
{
    CHECK(setenv("SDFG_BLAS", library("plain"), 1) == 0);
    CHECK_STR(sdfg_rt_blas_name(), path);
    all(true);
}

static void none_outside(void)
{
    CHECK(setenv("SDFG_BLAS", "none", 1) == 0);
    CHECK(!sdfg_rt_blas_name() && !sdfg_rt_blas_quick());
    product(SDFG_RT_F64, 60, 50, 40, ROWS, COLUMNS, ROWS, true);
}

TEST(the_environment_names_a_library_or_none)
{
    in_child(named_outside);
    in_child(none_outside);
}

static bool is_slow(const char *kind)
{
    void *opened = dlopen(library(kind), RTLD_NOW);
    CHECK(opened != NULL);
    return opened && sdfg_rt_blas_is_slow(opened);
}

static void cores(void)
{
    CHECK(!is_slow("new-core"));
    CHECK_INT(is_slow("old-core"), sdfg_rt_small_level() != SMALL_ANY);
    CHECK(is_slow("plain")); /* nothing says that it is more than the reference implementation */
    CHECK(sdfg_rt_blas_use(library("old-core")));
    CHECK(sdfg_rt_blas_quick() == sdfg_rt_blas_get()); /* whoever names a library wants that one */
    all(true);
}

TEST(kernels_for_older_processors_are_slow) { in_child(cores); }

CHECK_MAIN
