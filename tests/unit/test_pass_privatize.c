#include "lower/opt/passes.h"
#include "lower/tree/tree.h"

#include "tests/unit/check.h"

/* A program with arrays A (class 1) and B (class 2), a size N, and a loop over i around a loop over k. */
struct sample {
    struct ir *ir;
    struct tree *t;
    struct tree_func *f;
    const struct type *i64, *f64;
    struct tree_expr *a, *b, *n;
    struct tree_var *i, *k;
    struct tree_stmt *outer, *inner;
};

static struct tree_expr *param(struct sample *s, const char *name, const struct type *type)
{
    struct tree_var *v = tree_var(s->t, name, type);
    vec_push(s->t->arena, &s->f->params, ((struct tree_param){ .name = name, .var = v }));
    return expr_var(s->t, v);
}

static struct sample sample_new(void)
{
    struct sample s = { .ir = ir_new() };
    s.t = tree_new(s.ir, "p");
    s.i64 = type_basic(s.ir, TYPE_I64);
    s.f64 = type_basic(s.ir, TYPE_F64);
    s.f = tree_func(s.t, "main");
    s.a = param(&s, "A", type_pointer(s.ir, s.f64));
    s.b = param(&s, "B", type_pointer(s.ir, s.f64));
    s.n = param(&s, "N", s.i64);
    s.t->num_aliases = 3;
    s.i = tree_var(s.t, "i", s.i64);
    s.k = tree_var(s.t, "k", s.i64);
    s.outer = stmt_for(s.t, s.f->body, s.i, expr_i64(s.t, 0), s.n, expr_i64(s.t, 1));
    s.inner = stmt_for(s.t, s.outer->body, s.k, expr_i64(s.t, 0), expr_i64(s.t, 8), expr_i64(s.t, 1));
    return s;
}

/* place[index] op= B[k] */
static struct tree_stmt *reduce(struct sample *s, struct tree_stmt *b, enum wcr_kind wcr, struct tree_expr *index,
                                bool atomic)
{
    return stmt_reduce(s->t, b, wcr, atomic, s->a, index, expr_load(s->t, s->f64, s->b, expr_var(s->t, s->k), 2), 1);
}

static const char *after(const struct sample *s, bool strict)
{
    opt_reduction_privatization(s->t, &(struct tree_options){ .strict_fp = strict });
    if (!tree_verify(s->t, s->ir->diags))
        return diags_get(s->ir->diags, 0)->message;
    struct text out = text_new(s->t->arena);
    stmt_print(s->f->body, 0, &out);
    return text_get(&out);
}

TEST(kept_in_variable)
{
    struct sample s = sample_new();
    reduce(&s, s.inner->body, WCR_SUM, expr_var(s.t, s.i), false);
    CHECK_STR(after(&s, true), "for i = 0 to N step 1 {\n"
                               "    acc = A[i]\n"
                               "    for k = 0 to 8 step 1 {\n"
                               "        acc = acc + B[k]\n"
                               "    }\n"
                               "    A[i] = acc\n"
                               "}\n");
    ir_free(s.ir);
}

TEST(outermost_loop_with_guard)
{
    struct sample s = sample_new();
    reduce(&s, s.inner->body, WCR_MAX, expr_i64(s.t, 3), false);
    CHECK_STR(after(&s, false), "if 0 < N {\n"
                                "    acc = A[3]\n"
                                "    for i = 0 to N step 1 {\n"
                                "        for k = 0 to 8 step 1 {\n"
                                "            acc = max(acc, B[k])\n"
                                "        }\n"
                                "    }\n"
                                "    A[3] = acc\n"
                                "}\n");
    ir_free(s.ir);
}

/* Puts the loops into a region. */
static void enclose(struct sample *s)
{
    struct tree_stmt *outer = s->outer;
    s->f->body->items.count = 0;
    struct tree_stmt *region = tree_parallel_begin(s->t, s->f->body, NULL);
    stmt_append(s->t, region->body, outer);
    s->i->owner = s->k->owner = region;
    tree_parallel_end(s->t, region);
}

TEST(atomic_in_region)
{
    struct sample s = sample_new();
    reduce(&s, s.inner->body, WCR_SUM, expr_i64(s.t, 0), true);
    enclose(&s);
    CHECK_STR(after(&s, false), "parallel thread of threads {\n"
                                "    acc = -0.0\n"
                                "    touched = 0 < N\n"
                                "    for i = 0 to N step 1 {\n"
                                "        for k = 0 to 8 step 1 {\n"
                                "            acc = acc + B[k]\n"
                                "        }\n"
                                "    }\n"
                                "    if touched {\n"
                                "        atomic A[0] += acc\n"
                                "    }\n"
                                "}\n");
    ir_free(s.ir);
}

TEST(strict_keeps_the_order)
{
    struct sample s = sample_new();
    reduce(&s, s.inner->body, WCR_SUM, expr_i64(s.t, 0), true);
    enclose(&s);
    CHECK(!strstr(after(&s, true), "acc"));
    ir_free(s.ir);
}

TEST(conditional_reduction)
{
    struct sample s = sample_new();
    struct tree_stmt *branch = stmt_if(s.t, s.inner->body, expr_binary(s.t, EXPR_LT, expr_var(s.t, s.k), s.n));
    reduce(&s, branch->body, WCR_PRODUCT, expr_i64(s.t, 0), false);
    CHECK_STR(after(&s, false), "acc = 1.0\n"
                                "touched = false\n"
                                "for i = 0 to N step 1 {\n"
                                "    for k = 0 to 8 step 1 {\n"
                                "        if k < N {\n"
                                "            acc = acc * B[k]\n"
                                "            touched = true\n"
                                "        }\n"
                                "    }\n"
                                "}\n"
                                "if touched {\n"
                                "    A[0] *= acc\n"
                                "}\n");
    ir_free(s.ir);
}

/* Memory taken here is there in any case, unless it was freed; elements beyond its end are not. */
static const char *conditional_into_own(bool free_first, int64_t element)
{
    static char result[1000];
    struct sample s = sample_new();
    struct tree_var *own = tree_var(s.t, "T", type_pointer(s.ir, s.f64));
    struct tree_stmt *alloc = stmt_alloc(s.t, NULL, own, s.f64, expr_i64(s.t, 2), TREE_HEAP);
    struct tree_stmt *loop = s.f->body->items.items[0];
    s.f->body->items.count = 0;
    stmt_append(s.t, s.f->body, alloc);
    if (free_first)
        stmt_free(s.t, s.f->body, own);
    stmt_append(s.t, s.f->body, loop);
    struct tree_stmt *branch = stmt_if(s.t, s.inner->body, expr_binary(s.t, EXPR_LT, expr_var(s.t, s.k), s.n));
    struct tree_expr *value = expr_load(s.t, s.f64, s.b, expr_var(s.t, s.k), 2);
    stmt_reduce(s.t, branch->body, WCR_SUM, false, expr_var(s.t, own), expr_i64(s.t, element), value, 3);
    s.t->num_aliases = 4;
    snprintf(result, sizeof result, "%s", after(&s, true));
    ir_free(s.ir);
    return result;
}

TEST(conditional_reduction_into_own_memory)
{
    CHECK_STR(conditional_into_own(false, 1), "T = heap float64[2]\n"
                                              "acc = T[1]\n"
                                              "for i = 0 to N step 1 {\n"
                                              "    for k = 0 to 8 step 1 {\n"
                                              "        if k < N {\n"
                                              "            acc = acc + B[k]\n"
                                              "        }\n"
                                              "    }\n"
                                              "}\n"
                                              "T[1] = acc\n");
    CHECK(!strstr(conditional_into_own(false, 2), "acc"));
    CHECK(!strstr(conditional_into_own(true, 1), "acc"));
}

TEST(two_places)
{
    struct sample s = sample_new();
    s.outer->end = expr_i64(s.t, 4);
    reduce(&s, s.inner->body, WCR_SUM, expr_i64(s.t, 0), false);
    reduce(&s, s.inner->body, WCR_SUM, expr_i64(s.t, 1), false);
    reduce(&s, s.inner->body, WCR_SUM, expr_i64(s.t, 0), false);
    CHECK_STR(after(&s, false), "acc = A[0]\n"
                                "acc#6 = A[1]\n"
                                "for i = 0 to 4 step 1 {\n"
                                "    for k = 0 to 8 step 1 {\n"
                                "        acc = acc + B[k]\n"
                                "        acc#6 = acc#6 + B[k]\n"
                                "        acc = acc + B[k]\n"
                                "    }\n"
                                "}\n"
                                "A[1] = acc#6\n"
                                "A[0] = acc\n");
    ir_free(s.ir);
}

TEST(others_touch_the_class)
{
    struct sample s = sample_new();
    reduce(&s, s.inner->body, WCR_SUM, expr_var(s.t, s.i), false);
    stmt_store(s.t, s.inner->body, s.a, expr_var(s.t, s.k), expr_float(s.t, s.f64, 0), 1);
    CHECK(!strstr(after(&s, false), "acc"));
    vec_last(&s.inner->body->items)->alias = 0; /* may be anything */
    CHECK(!strstr(after(&s, false), "acc"));
    vec_last(&s.inner->body->items)->alias = 2;
    CHECK(strstr(after(&s, false), "acc"));
    ir_free(s.ir);
}

TEST(reads_touch_the_class)
{
    struct sample s = sample_new();
    struct tree_stmt *r = reduce(&s, s.inner->body, WCR_SUM, expr_var(s.t, s.i), false);
    r->value = expr_load(s.t, s.f64, s.a, expr_var(s.t, s.k), 1);
    CHECK(!strstr(after(&s, false), "acc"));
    ir_free(s.ir);
}

TEST(calls_and_different_kinds)
{
    struct sample s = sample_new();
    reduce(&s, s.inner->body, WCR_SUM, expr_var(s.t, s.i), false);
    struct tree_stmt *call = stmt_call(s.t, s.inner->body, NULL, "look_at", &s.a, 1);
    CHECK(!strstr(after(&s, false), "acc"));
    *call = *stmt_reduce(s.t, NULL, WCR_MAX, false, s.a, expr_var(s.t, s.i), expr_float(s.t, s.f64, 0), 1);
    CHECK(!strstr(after(&s, false), "acc"));
    ir_free(s.ir);
}

TEST(leaving_the_loop)
{
    struct sample s = sample_new();
    reduce(&s, s.inner->body, WCR_SUM, expr_var(s.t, s.i), false);
    struct tree_stmt *branch = stmt_if(s.t, s.inner->body, expr_binary(s.t, EXPR_LT, s.n, expr_var(s.t, s.k)));
    struct tree_stmt *jump = stmt_new(s.t, branch->body, STMT_RETURN);
    CHECK(!strstr(after(&s, false), "acc"));
    jump->kind = STMT_BREAK; /* stays within: the place is touched only if a reduction ran */
    CHECK(strstr(after(&s, false), "acc = acc + B[k]\n        touched = true\n"));
    ir_free(s.ir);
}

TEST(integer_kinds)
{
    static const struct {
        enum wcr_kind wcr;
        const char *start;
    } rows[] = { { WCR_SUM, "acc = 0i32\n" },
                 { WCR_MIN, "acc = 2147483647i32\n" },
                 { WCR_MAX, "acc = -2147483648i32\n" },
                 { WCR_BIT_AND, "acc = -1i32\n" },
                 { WCR_LOGICAL_AND, "acc = 1i32\n" } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sample s = sample_new();
        struct tree_expr *c = param(&s, "C", type_pointer(s.ir, type_basic(s.ir, TYPE_I32)));
        stmt_reduce(s.t, s.inner->body, rows[i].wcr, true, c, expr_i64(s.t, 0), expr_int(s.t, c->type->elem, 5), 1);
        enclose(&s);
        CHECK(strstr(after(&s, true), rows[i].start));
        ir_free(s.ir);
    }
}

CHECK_MAIN
