/* What the tree passes make of loops, run: all schedules, thread numbers and sizes give what the loop says. */
#include "lower/opt/passes.h"
#include "lower/tree/tree.h"
#include "runtime/abi.h"

#include "tests/lower/llvm_program.h"
#include "tests/unit/machine.h"

#include <stdlib.h>

enum { LARGEST = 100003 };

struct variant {
    enum tree_omp omp;
    int chunk, threads;
    bool strict;
};

static const struct variant variants[] = {
    { TREE_OMP_STATIC, 0, 1, false },  { TREE_OMP_STATIC, 0, 2, false },   { TREE_OMP_STATIC, 0, 7, true },
    { TREE_OMP_STATIC, 16, 3, false }, { TREE_OMP_DYNAMIC, 100, 3, true }, { TREE_OMP_GUIDED, 0, 4, false },
};
static const int64_t sizes[] = { -3, 0, 1, 5, LARGEST };
enum { VARIANTS = sizeof variants / sizeof variants[0], SIZES = sizeof sizes / sizeof sizes[0] };

static void mark(struct tree_stmt *loop, const struct variant *v)
{
    loop->loop.parallel = loop->loop.independent = true;
    loop->loop.omp = v->omp;
    loop->loop.chunk = v->chunk;
}

static bool run(struct program *p, const struct variant *v)
{
    struct tree_options o = { .num_threads = v->threads, .strict_fp = v->strict };
    opt_parallelize(p->t, &o);
    opt_reduction_privatization(p->t, &o);
    p->threads = v->threads;
    return program_run(p, -1);
}

static struct tree_expr *add(struct program *p, struct tree_expr *a, int64_t b)
{
    return expr_binary(p->t, EXPR_ADD, a, expr_i64(p->t, b));
}

/* for i = 2 to N step 3: A[i] += i + 1 */
static void check_each_once(const struct variant *v, int64_t n, bool bound)
{
    static int64_t a[LARGEST];
    memset(a, 0, sizeof a);
    struct program p = program_begin();
    struct tree_expr *array = program_array(&p, "A", program_type(&p, TYPE_I64), a), *i;
    struct tree_expr *end = program_value(&p, "N", TYPE_I64, &n);
    struct tree_stmt *loop = program_for(&p, p.body, bound ? expr_i64(p.t, n) : end, &i);
    loop->begin = expr_i64(p.t, 2);
    loop->step = expr_i64(p.t, 3);
    mark(loop, v);
    program_store(&p, loop->body, array, i, expr_binary(p.t, EXPR_ADD, program_load(&p, array, i), add(&p, i, 1)));
    CHECK(run(&p, v));
    int64_t wrong = 0;
    for (int64_t k = 0; k < LARGEST; k++)
        wrong += a[k] != (k < n && k >= 2 && (k - 2) % 3 == 0 ? k + 1 : 0);
    CHECK_INT(wrong, 0);
    program_end(&p);
}

TEST(each_iteration_once)
{
    for (int v = 0; v < VARIANTS; v++)
        for (int s = 0; s < SIZES; s++)
            check_each_once(&variants[v], sizes[s], s & 1);
}

/* for i = 0 to rows: for k = 3 to 2003: A[i * 2007 + k + shift] = B[i * 2007 + k] + i, past a cache of 64 KB */
static void check_stores(const struct variant *v, int64_t rows, int64_t shift, bool outer)
{
    static double a[LARGEST], b[LARGEST];
    struct program p = program_begin();
    const struct type *f64 = program_type(&p, TYPE_F64);
    struct tree_expr *to = program_array(&p, "A", f64, a), *from = program_array(&p, "B", f64, b), *i, *k;
    struct tree_stmt *over = program_for(&p, p.body, expr_i64(p.t, rows), &i);
    struct tree_stmt *along = program_for(&p, over->body, expr_i64(p.t, 2003), &k);
    along->begin = expr_i64(p.t, 3);
    mark(outer ? over : along, v);
    struct tree_expr *at = expr_binary(p.t, EXPR_ADD, expr_binary(p.t, EXPR_MUL, i, expr_i64(p.t, 2007)), k);
    struct tree_expr *value = expr_binary(p.t, EXPR_ADD, program_load(&p, from, at), expr_cast(p.t, f64, i));
    program_store(&p, along->body, to, add(&p, at, shift), value);
    for (int64_t n = 0; n < LARGEST; n++) {
        a[n] = -1;
        b[n] = (double)(n % 1000);
    }
    set_machine(p.t, 0, false, 64 << 10);
    opt_nontemporal(p.t, &(struct tree_options){ 0 });
    struct text out = text_new(p.t->arena);
    stmt_print(p.body, 0, &out);
    CHECK(strstr(text_get(&out), "copy nontemporal") != NULL);
    CHECK(run(&p, v));
    int64_t wrong = 0;
    for (int64_t n = 0; n < LARGEST; n++) {
        int64_t row = n >= shift ? (n - shift) / 2007 : 0, column = n - shift - row * 2007;
        bool stored = n >= shift && row < rows && column >= 3 && column < 2003;
        wrong += a[n] != (stored ? b[n - shift] + (double)row : -1);
    }
    CHECK_INT(wrong, 0);
    program_end(&p);
}

TEST(stores_past_the_caches)
{
    for (int v = 0; v < VARIANTS; v++)
        for (int64_t shift = 0; shift < 9; shift += 4)
            check_stores(&variants[v], 40 + shift, shift, v & 1);
}

/* for i = 0 to N: atomic R[0] += i; if i % 4 == 1: atomic R[1] max= i ^ 21; atomic F[0] += i % 8 */
static void check_reductions(const struct variant *v, int64_t n)
{
    int64_t r[2] = { 5, -1 }, sum = 5, largest = -1;
    double f = 0.5, expected = 0.5;
    struct program p = program_begin();
    struct tree_expr *ints = program_array(&p, "R", program_type(&p, TYPE_I64), r);
    struct tree_expr *floats = program_array(&p, "F", program_type(&p, TYPE_F64), &f), *i;
    struct tree_stmt *loop = program_for(&p, p.body, program_value(&p, "N", TYPE_I64, &n), &i);
    mark(loop, v);
    stmt_reduce(p.t, loop->body, WCR_SUM, true, ints, expr_i64(p.t, 0), i, program_alias(&p, ints));
    struct tree_expr *rest = expr_binary(p.t, EXPR_REM, i, expr_i64(p.t, 4));
    struct tree_stmt *branch = stmt_if(p.t, loop->body, expr_binary(p.t, EXPR_EQ, rest, expr_i64(p.t, 1)));
    stmt_reduce(p.t, branch->body, WCR_MAX, true, ints, expr_i64(p.t, 1),
                expr_binary(p.t, EXPR_XOR, i, expr_i64(p.t, 21)), program_alias(&p, ints));
    struct tree_expr *term = expr_binary(p.t, EXPR_REM, i, expr_i64(p.t, 8));
    stmt_reduce(p.t, loop->body, WCR_SUM, true, floats, expr_i64(p.t, 0), expr_cast(p.t, floats->type->elem, term),
                program_alias(&p, floats));
    for (int64_t k = 0; k < n; k++) {
        sum += k;
        largest = k % 4 == 1 && (k ^ 21) > largest ? k ^ 21 : largest;
        expected += (double)(k % 8);
    }
    CHECK(run(&p, v));
    CHECK_INT(r[0], sum);
    CHECK_INT(r[1], largest);
    CHECK(f == expected);
    program_end(&p);
}

TEST(reductions)
{
    for (int v = 0; v < VARIANTS; v++)
        for (int s = 0; s < SIZES; s++)
            check_reductions(&variants[v], sizes[s]);
}

/* C[i] += A[k] * (i + k), for a parallel i around a k: kept in a register, the sum in its order */
static void check_products(const struct variant *v, int64_t n)
{
    enum { M = 301 };
    static float a[M], c[M * M];
    struct program p = program_begin();
    const struct type *f32 = program_type(&p, TYPE_F32);
    for (int k = 0; k < M; k++)
        a[k] = 1.0f / (float)(k + 1);
    for (int k = 0; k < M * M; k++)
        c[k] = 1;
    struct tree_expr *pa = program_array(&p, "A", f32, a), *pc = program_array(&p, "C", f32, c), *i, *k;
    struct tree_expr *count = program_value(&p, "N", TYPE_I64, &n);
    struct tree_stmt *outer = program_for(&p, p.body, count, &i), *inner = program_for(&p, outer->body, count, &k);
    mark(outer, v);
    struct tree_expr *factor = expr_cast(p.t, f32, expr_binary(p.t, EXPR_ADD, i, k));
    stmt_reduce(p.t, inner->body, WCR_SUM, false, pc, expr_binary(p.t, EXPR_MUL, i, expr_i64(p.t, M)),
                expr_binary(p.t, EXPR_MUL, program_load(&p, pa, k), factor), program_alias(&p, pc));
    p.options.fp = LLVM_FP_STRICT;
    struct variant strict = *v;
    strict.strict = true;
    CHECK(run(&p, &strict));
    int wrong = 0;
    for (int64_t x = 0; x < M * M; x++) {
        float sum = 1;
        for (int64_t y = 0; y < n && x % M == 0 && x / M < n; y++)
            sum = sum + a[y] * (float)(x / M + y);
        wrong += c[x] != sum;
    }
    CHECK_INT(wrong, 0);
    program_end(&p);
}

TEST(products)
{
    for (int v = 0; v < VARIANTS; v++) {
        check_products(&variants[v], 0);
        check_products(&variants[v], 301);
    }
}

/* for i: for k { y[i] += A[i, k] * x[k]; z[k] += A[i, k] * x[i] }, several i at a time */
static void check_rows_together(int64_t rows, int vector)
{
    enum { ROWS = 21, COLUMNS = 1201 };
    static double a[ROWS * COLUMNS], x[COLUMNS], y[ROWS], z[COLUMNS];
    for (int64_t k = 0; k < COLUMNS; k++)
        x[k] = (double)(k % 7 - 3), z[k] = (double)(k % 4);
    for (int64_t k = 0; k < ROWS * COLUMNS; k++)
        a[k] = (double)(k % 11 - 5);
    struct program p = program_begin();
    const struct type *f64 = program_type(&p, TYPE_F64);
    struct tree_expr *pa = program_array(&p, "A", f64, a), *px = program_array(&p, "x", f64, x), *i, *k;
    struct tree_expr *py = program_array(&p, "y", f64, y), *pz = program_array(&p, "z", f64, z);
    struct tree_stmt *outer = program_for(&p, p.body, expr_i64(p.t, rows), &i);
    struct tree_stmt *inner = program_for(&p, outer->body, expr_i64(p.t, COLUMNS), &k);
    struct tree_expr *at = expr_binary(p.t, EXPR_ADD, expr_binary(p.t, EXPR_MUL, i, expr_i64(p.t, COLUMNS)), k);
    struct tree_expr *of_row = expr_binary(p.t, EXPR_MUL, program_load(&p, pa, at), program_load(&p, px, k));
    struct tree_expr *of_column = expr_binary(p.t, EXPR_MUL, program_load(&p, pa, at), program_load(&p, px, i));
    stmt_reduce(p.t, inner->body, WCR_SUM, false, py, i, of_row, program_alias(&p, py));
    stmt_reduce(p.t, inner->body, WCR_SUM, false, pz, k, of_column, program_alias(&p, pz));
    memset(y, 0, sizeof y);
    set_machine(p.t, vector, false, 0);
    opt_unroll_jam(p.t, &(struct tree_options){ 0 });
    CHECK(run(&p, &(struct variant){ .threads = 1 }));
    int64_t wrong = 0;
    for (int64_t r = 0; r < ROWS; r++) {
        double sum = 0;
        for (int64_t c = 0; c < COLUMNS && r < rows; c++)
            sum += a[r * COLUMNS + c] * x[c];
        wrong += y[r] != sum;
    }
    for (int64_t c = 0; c < COLUMNS; c++) {
        double sum = (double)(c % 4);
        for (int64_t r = 0; r < rows; r++)
            sum += a[r * COLUMNS + c] * x[r];
        wrong += z[c] != sum;
    }
    CHECK_INT(wrong, 0);
    program_end(&p);
}

TEST(rows_together)
{
    for (int64_t rows = 8; rows <= 21; rows++) {
        check_rows_together(rows, 0);
        check_rows_together(rows, 64);
    }
}

/* A persistent region: A[i] = i, barrier, B[i] = A[N - 1 - i], each loop shared by the team. */
TEST(team)
{
    enum { N = 5000 };
    static int64_t a[N], b[N];
    for (int threads = 1; threads <= 5; threads += 2) {
        memset(a, 0, sizeof a);
        memset(b, 0, sizeof b);
        struct program p = program_begin();
        struct tree_expr *pa = program_array(&p, "A", program_type(&p, TYPE_I64), a), *i, *j;
        struct tree_expr *pb = program_array(&p, "B", program_type(&p, TYPE_I64), b);
        struct tree_stmt *region = tree_parallel_begin(p.t, p.body, NULL);
        struct tree_stmt *first = program_for(&p, region->body, expr_i64(p.t, N), &i);
        program_store(&p, first->body, pa, i, i);
        struct tree_stmt *second = program_for(&p, region->body, expr_i64(p.t, N), &j);
        struct tree_expr *opposite = expr_binary(p.t, EXPR_SUB, expr_i64(p.t, N - 1), j);
        program_store(&p, second->body, pb, j, program_load(&p, pa, opposite));
        tree_parallel_end(p.t, region);
        first->loop.parallel = second->loop.parallel = true;
        CHECK(run(&p, &(struct variant){ .threads = threads }));
        int wrong = 0;
        for (int k = 0; k < N; k++)
            wrong += a[k] != k || b[k] != N - 1 - k;
        CHECK_INT(wrong, 0);
        program_end(&p);
    }
}

CHECK_MAIN
