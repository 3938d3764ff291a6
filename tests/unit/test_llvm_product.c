/* Small products of matrices in place of calls: results, what is left alone in memory, and what stays a call. */
#include "lower/tree/tree_product.h"

#include "base/remark.h"
#include "runtime/runtime.h"

#include "tests/lower/llvm_program.h"

#include <llvm-c/TargetMachine.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 4096, GAP = 3, UNTOUCHED = -77 };

/* C = alpha A B + beta C; a transposed matrix is stored column by column, and so is C if `by_column`. Rows of C lie GAP
 * elements further apart than they are long. */
struct sample {
    enum type_kind kind;
    int64_t m, n, k;
    bool trans_a, trans_b, by_column;
    double alpha, beta;
    bool alpha_at_run_time, beta_at_run_time;
};

struct memory {
    char *pages;
    void *a, *b, *c; /* A and B end where memory ends */
};

static size_t page(void) { return (size_t)sysconf(_SC_PAGESIZE); }

enum { PAGES = 10 };

static void *before_nothing(char *pages, size_t bytes)
{
    mprotect(pages + (PAGES - 1) * page(), page(), PROT_NONE);
    return pages + (PAGES - 1) * page() - bytes;
}

static struct memory memory_new(size_t a, size_t b, size_t c)
{
    struct memory m;
    m.pages = mmap(NULL, 3 * PAGES * page(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(m.pages != MAP_FAILED);
    m.a = before_nothing(m.pages, a);
    m.b = before_nothing(m.pages + PAGES * page(), b);
    m.c = before_nothing(m.pages + 2 * PAGES * page(), c);
    return m;
}

static void memory_free(struct memory *m) { munmap(m->pages, 3 * PAGES * page()); }

static double get(const struct sample *s, const void *data, int64_t i)
{
    return s->kind == TYPE_F32 ? ((const float *)data)[i] : ((const double *)data)[i];
}

static void put(const struct sample *s, void *data, int64_t i, double value)
{
    if (s->kind == TYPE_F32)
        ((float *)data)[i] = (float)value;
    else
        ((double *)data)[i] = value;
}

static int64_t row_of_c(const struct sample *s) { return s->by_column ? 1 : s->n + GAP; }
static int64_t column_of_c(const struct sample *s) { return s->by_column ? s->m + GAP : 1; }
static int64_t elements_of_c(const struct sample *s)
{
    return (s->m - 1) * row_of_c(s) + (s->n - 1) * column_of_c(s) + 1;
}

/* Small whole numbers, so that sums are exact in any order. */
static double a_at(int64_t i, int64_t p) { return (double)((i * 5 + p * 3) % 7 - 3); }
static double b_at(int64_t p, int64_t j) { return (double)((p * 2 + j * 11) % 9 - 4); }
static double c_at(int64_t i, int64_t j) { return (double)((i + j * 3) % 5 - 2); }

static void fill(const struct sample *s, struct memory *m)
{
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t p = 0; p < s->k; p++)
            put(s, m->a, s->trans_a ? p * s->m + i : i * s->k + p, a_at(i, p));
    for (int64_t p = 0; p < s->k; p++)
        for (int64_t j = 0; j < s->n; j++)
            put(s, m->b, s->trans_b ? j * s->k + p : p * s->n + j, b_at(p, j));
    for (int64_t i = 0; i < elements_of_c(s); i++)
        put(s, m->c, i, UNTOUCHED);
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < s->n; j++)
            put(s, m->c, i * row_of_c(s) + j * column_of_c(s), c_at(i, j));
}

static double expected(const struct sample *s, int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t p = 0; p < s->k; p++)
        sum += a_at(i, p) * b_at(p, j);
    return s->alpha * sum + (s->beta != 0 ? s->beta * c_at(i, j) : 0);
}

static int64_t wrong_elements(const struct sample *s, const struct memory *m)
{
    int64_t wrong = 0, untouched = 0;
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < s->n; j++)
            wrong += get(s, m->c, i * row_of_c(s) + j * column_of_c(s)) != expected(s, i, j);
    for (int64_t i = 0; i < elements_of_c(s); i++)
        untouched += get(s, m->c, i) == UNTOUCHED;
    return wrong + llabs(elements_of_c(s) - s->m * s->n - untouched);
}

static struct tree_expr *factor(struct program *p, const char *name, const struct type *type, double *value,
                                bool at_run_time)
{
    static float single[2];
    float *as_single = &single[*name == 'b'];
    *as_single = (float)*value;
    if (!at_run_time)
        return expr_float(p->t, type, *value);
    return program_value(p, name, type->kind, type->kind == TYPE_F32 ? (void *)as_single : value);
}

static void build(struct program *p, struct sample *s, struct memory *m)
{
    const struct type *type = program_type(p, s->kind);
    struct tree *t = p->t;
    struct tree_expr *a = program_array(p, "A", type, m->a), *b = program_array(p, "B", type, m->b),
                     *c = program_array(p, "C", type, m->c);
    struct tree_product_of of = { .type = type };
    of.m = expr_i64(t, s->m);
    of.n = expr_i64(t, s->n);
    of.k = expr_i64(t, s->k);
    of.a = (struct tree_matrix){ a, expr_i64(t, s->trans_a ? 1 : s->k), expr_i64(t, s->trans_a ? s->m : 1), 1 };
    of.b = (struct tree_matrix){ b, expr_i64(t, s->trans_b ? 1 : s->n), expr_i64(t, s->trans_b ? s->k : 1), 2 };
    of.c = (struct tree_matrix){ c, expr_i64(t, row_of_c(s)), expr_i64(t, column_of_c(s)), 3 };
    of.alpha = factor(p, "alpha", type, &s->alpha, s->alpha_at_run_time);
    of.beta = factor(p, "beta", type, &s->beta, s->beta_at_run_time);
    stmt_product(t, p->body, &of);
}

static struct memory memory_of(const struct sample *s)
{
    size_t size = s->kind == TYPE_F32 ? sizeof(float) : sizeof(double);
    CHECK(s->m * s->k <= MOST && s->k * s->n <= MOST && elements_of_c(s) <= MOST);
    return memory_new((size_t)(s->m * s->k) * size, (size_t)(s->k * s->n) * size, (size_t)elements_of_c(s) * size);
}

/* Wrong elements, with the vectors of these features as they are best for this CPU; NULL: of this processor. */
static int64_t run(struct sample *s, const char *cpu, const char *features)
{
    struct memory m = memory_of(s);
    struct program p = program_begin();
    p.cpu = cpu;
    p.features = features;
    fill(s, &m);
    build(&p, s, &m);
    int64_t wrong = program_run(&p, -1) ? wrong_elements(s, &m) : -1;
    program_end(&p);
    memory_free(&m);
    return wrong;
}

static bool is_call(struct sample *s, const char *features)
{
    struct memory m = memory_of(s);
    struct program p = program_begin();
    p.features = features;
    build(&p, s, &m);
    bool call = strstr(program_text(&p, JIT_TEXT_LL, 0), "call void @sdfg_rt_gemm") != NULL;
    program_end(&p);
    memory_free(&m);
    return call;
}

static const char *const wide = "+avx512f,+avx512vl,+avx2,+fma", *const narrow = "+avx2,+fma";

/* What this processor can run; the features that it has in any case are in both lists. */
static bool can_run(const char *features)
{
#if defined(__x86_64__)
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
    return features == wide ? avx2 && avx512 : avx2;
#else
    return features == NULL;
#endif
}

static void check_with(struct sample *s, const char *cpu, const char *features)
{
    int64_t wrong = run(s, cpu, features);
    if (wrong)
        printf("    %lld wrong: %s %lld x %lld x %lld%s%s%s, alpha %g, beta %g, %s with %s\n", (long long)wrong,
               s->kind == TYPE_F32 ? "float32" : "float64", (long long)s->m, (long long)s->n, (long long)s->k,
               s->trans_a ? " A^T" : "", s->trans_b ? " B^T" : "", s->by_column ? " C^T" : "", s->alpha, s->beta,
               cpu ? cpu : "this processor", features ? features : "its own vectors");
    CHECK_INT(wrong, 0);
}

static void check(struct sample *s)
{
    check_with(s, NULL, NULL);
    if (can_run(narrow))
        check_with(s, NULL, narrow);
    if (!can_run(wide))
        return;
    check_with(s, NULL, wide);
    char *own = LLVMGetHostCPUFeatures();
    check_with(s, "znver4", own); /* vectors of half the length */
    LLVMDisposeMessage(own);
}

TEST(shapes_and_layouts)
{
    static const int64_t extents[][3] = { { 1, 1, 1 },    { 1, 1, 2 },   { 1, 1, 700 }, { 5, 7, 3 },   { 13, 9, 11 },
                                          { 12, 12, 12 }, { 8, 8, 8 },   { 1, 30, 30 }, { 30, 1, 30 }, { 2, 1, 1 },
                                          { 1, 3, 2 },    { 4, 1, 129 }, { 3, 1, 70 },  { 9, 1, 5 },   { 25, 33, 4 },
                                          { 3, 100, 5 },  { 60, 2, 3 },  { 24, 24, 7 }, { 17, 31, 1 }, { 6, 16, 40 },
                                          { 1, 1, 40 },   { 2, 1, 21 },  { 7, 20, 9 } };
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++)
        for (int form = 0; form < 8; form += i % 3 == 0 ? 1 : 3) {
            struct sample s = { .m = extents[i][0], .n = extents[i][1], .k = extents[i][2] };
            s.kind = (i + (size_t)form) % 2 ? TYPE_F32 : TYPE_F64;
            s.trans_a = form & 1;
            s.trans_b = form & 2;
            s.by_column = form & 4;
            s.alpha = form % 3 ? 1 : 2;
            s.beta = i % 4 == 1 ? 1 : i % 4 == 2 ? 3 : 0;
            check(&s);
        }
}

TEST(factors_known_when_it_runs)
{
    for (enum type_kind kind = TYPE_F32; kind <= TYPE_F64; kind++)
        for (int n = 1; n <= 7; n += 6) {
            struct sample s = { kind, 9, n, 6, .alpha = -2, .beta = 3, .alpha_at_run_time = true };
            check(&s);
            s.beta_at_run_time = true;
            check(&s);
        }
}

TEST(what_stays_a_call)
{
    struct sample s = { TYPE_F64, 12, 12, 12, .alpha = 1, .beta = 0 };
    if (!can_run(narrow))
        return;
    CHECK(!is_call(&s, wide) && !is_call(&s, narrow));
    CHECK(is_call(&s, "+sse4.2")); /* vectors have no masks */
    struct sample large = { TYPE_F64, 60, 60, 60, .alpha = 1 };
    CHECK(is_call(&large, wide));
    struct sample between = { TYPE_F32, 32, 32, 32, .alpha = 1 };
    CHECK(!is_call(&between, wide) && !is_call(&between, narrow));
    between.k = 33;
    CHECK(!is_call(&between, wide) && is_call(&between, narrow)); /* 4 vectors in a row instead of 2 */
    struct sample in_columns = { TYPE_F64, 12, 12, 12, .trans_a = true, .trans_b = true, .alpha = 1 };
    CHECK(is_call(&in_columns, wide)); /* neither B nor C^T = B^T A^T has rows of numbers that lie together */
    s.beta_at_run_time = true;
    CHECK(is_call(&s, wide)); /* whether C is read */
}

TEST(it_is_remarked)
{
    struct sample s = { TYPE_F64, 12, 9, 7, .alpha = 1 };
    struct memory m = memory_of(&s);
    struct program p = program_begin();
    struct remarks *remarks = remarks_new(p.ir->arena);
    if (!can_run(narrow))
        return;
    p.features = narrow;
    p.options.remarks = remarks;
    build(&p, &s, &m);
    program_text(&p, JIT_TEXT_LL, 0);
    struct text out = text_new(p.ir->arena);
    remarks_print(remarks, &out);
    CHECK(strstr(text_get(&out), "the product of 12 x 7 by 7 x 9 is vector code in place instead of a call"));
    program_end(&p);
    memory_free(&m);
}

CHECK_MAIN
