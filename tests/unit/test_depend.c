/* The dependence service against enumeration: two accesses in small random nests, all pairs of iterations.
 *
 *     build/release/test_depend [PAIRS]
 *
 * Sizes are constants, a variable N, or products of N, M and N - 1 (as name-sizes calls it); both are tried with
 * several values. */
#include "lower/tree/tree_depend.h"

#include "tests/unit/check.h"

#include <stdlib.h>

enum { PAIRS = 20000, DEPTH = 3, SIDES = 2, MOST_POINTS = 8192, SIZES = 4, VARS = 64 };

static long pairs = PAIRS;

/* ---- numbers ---- */

static uint64_t seed;

static int64_t number(int64_t low, int64_t high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (int64_t)((seed >> 33) % (uint64_t)(high - low + 1));
}

static bool chance(int percent) { return number(0, 99) < percent; }

/* ---- nests ---- */

struct nest {
    struct tree *tree;
    struct tree_var *size;       /* N, or NULL */
    struct tree_var *other;      /* M, or NULL: strides are N or 1 */
    struct tree_var *difference; /* N - 1, if there is M */
    struct tree_stmt *loops[SIDES][DEPTH];
    struct tree_frame frames[SIDES][DEPTH];
    bool choice;            /* some bound has a min or max */
    uint32_t depth, shared; /* loops around; those in one iteration */
    struct tree_access access[SIDES];
    struct depend_loop asked[DEPTH];
};

static struct tree_expr *times(struct tree *t, int64_t by, struct tree_expr *e)
{
    return expr_binary(t, EXPR_MUL, expr_i64(t, by), e);
}

static struct tree_expr *plus(struct tree *t, struct tree_expr *a, struct tree_expr *b)
{
    return expr_binary(t, EXPR_ADD, a, b);
}

static struct tree_expr *counter(struct nest *n, int side, uint32_t loop)
{
    return expr_var(n->tree, n->loops[side][loop]->var);
}

/* A product of sizes. */
static struct tree_expr *sizes(struct nest *n, int factors)
{
    struct tree_var *const all[] = { n->size, n->other, n->difference };
    struct tree_expr *e = expr_i64(n->tree, 1);
    for (int i = 0; i < factors; i++)
        e = expr_binary(n->tree, EXPR_MUL, e, expr_var(n->tree, all[number(0, 5) % (n->other ? 3 : 1)]));
    return e;
}

/* A constant, or what a triangle has. */
static struct tree_expr *bound(struct nest *n, int side, uint32_t depth, int64_t low, int64_t high)
{
    struct tree *t = n->tree;
    struct tree_expr *e = expr_i64(t, number(low, high));
    if (depth > 0 && chance(30))
        e = plus(t, counter(n, side, (uint32_t)number(0, depth - 1)), e);
    else if (n->size && low > 0)
        e = expr_binary(t, EXPR_SUB, sizes(n, n->other && chance(20) ? 2 : 1), expr_i64(t, number(0, 1)));
    if (depth > 0 && chance(10)) {
        e = expr_binary(t, low > 0 ? EXPR_MIN : EXPR_MAX, e, counter(n, side, depth - 1));
        n->choice = true;
    }
    return e;
}

static void add_loop(struct nest *n, int side, uint32_t depth)
{
    struct tree *t = n->tree;
    struct tree_var *v = tree_var(t, "i", type_basic(t->ir, TYPE_I64));
    struct tree_expr *begin = bound(n, side, depth, -1, 0), *end = bound(n, side, depth, 1, 4);
    n->loops[side][depth] = stmt_for(t, stmt_block(t), v, begin, end, expr_i64(t, chance(15) ? number(2, 3) : 1));
}

static struct tree_expr *index_of(struct nest *n, int side)
{
    struct tree *t = n->tree;
    struct tree_expr *e = expr_i64(t, number(-3, 6));
    bool rows = n->size && chance(70);
    for (uint32_t i = 0; i < n->depth; i++) {
        struct tree_expr *v = counter(n, side, i);
        if (rows && n->other)
            e = plus(t, e, expr_binary(t, EXPR_MUL, v, sizes(n, (int)(DEPTH - 1 - i))));
        else if (rows && i == 0)
            e = plus(t, e, expr_binary(t, EXPR_MUL, v, expr_var(t, n->size)));
        else if (rows && chance(80))
            e = plus(t, e, v);
        else if (!rows)
            e = plus(t, e, times(t, number(-4, 4), v));
    }
    return e;
}

static void fill_access(struct nest *n, int side, struct tree_var *memory)
{
    struct linear at;
    linear_of(&at, index_of(n, side));
    n->access[side] = (struct tree_access){ .alias = 1,
                                            .write = true,
                                            .pointer = expr_var(n->tree, memory),
                                            .type = type_basic(n->tree->ir, TYPE_F64),
                                            .at = linear_keep(n->tree->arena, &at),
                                            .extent = chance(20) ? number(2, 3) : 1 };
    for (uint32_t i = 0; i < n->depth; i++) {
        n->frames[side][i] = tree_frame_of(i ? &n->frames[side][i - 1] : NULL, n->loops[side][i]);
        n->access[side].frame = &n->frames[side][i];
    }
}

/* Two accesses of one nest, in different iterations of all loops but the first `shared`, or of two nests. */
static void fill_nest(struct nest *n, struct tree *t, int sized, bool one)
{
    struct tree_var *memory = tree_var(t, "A", type_pointer(t->ir, type_basic(t->ir, TYPE_F64)));
    *n = (struct nest){ .tree = t, .depth = (uint32_t)number(1, DEPTH) };
    n->size = sized ? tree_var(t, "N", type_basic(t->ir, TYPE_I64)) : NULL;
    if (sized > 1) {
        n->other = tree_var(t, "M", type_basic(t->ir, TYPE_I64));
        n->difference = tree_var(t, "size", type_basic(t->ir, TYPE_I64));
        n->difference->size = expr_binary(t, EXPR_SUB, expr_var(t, n->size), expr_i64(t, 1));
    }
    n->shared = (uint32_t)(one ? number(0, n->depth - 1) : 0);
    for (uint32_t i = 0; i < n->depth; i++)
        for (int side = 0; side < SIDES; side++) {
            if (side == 0 || !one)
                add_loop(n, side, i);
            else
                n->loops[1][i] = n->loops[0][i];
        }
    for (int side = 0; side < SIDES; side++)
        fill_access(n, side, memory);
    for (uint32_t i = n->shared; i < n->depth; i++)
        n->asked[i - n->shared] = (struct depend_loop){ n->loops[0][i], n->loops[1][i], chance(25) };
}

/* ---- enumeration ---- */

struct point {
    int64_t values[DEPTH], begins[DEPTH], at;
};

struct points {
    struct point all[MOST_POINTS];
    uint32_t count;
};

static int64_t values[VARS];

static int64_t value_of(const struct tree_expr *e)
{
    int64_t a = e->num_args > 0 ? value_of(e->args[0]) : 0, b = e->num_args > 1 ? value_of(e->args[1]) : 0;
    switch (e->op) {
    case EXPR_INT:
        return e->i;
    case EXPR_VAR:
        return e->var->size ? value_of(e->var->size) : values[e->var->id];
    case EXPR_ADD:
        return a + b;
    case EXPR_SUB:
        return a - b;
    case EXPR_MUL:
        return a * b;
    case EXPR_MIN:
        return a < b ? a : b;
    case EXPR_MAX:
        return a > b ? a : b;
    case EXPR_NEG:
        return -a;
    default:
        printf("%s is not evaluated\n", expr_op_name(e->op));
        exit(1);
    }
}

static int64_t sum_of(const struct linear *l)
{
    int64_t sum = l->constant;
    for (uint32_t i = 0; i < l->count; i++) {
        int64_t product = l->terms[i].times;
        for (uint32_t k = 0; k < l->terms[i].count; k++)
            product *= value_of(l->terms[i].factors[k]);
        sum += product;
    }
    return sum;
}

static void enumerate(const struct nest *n, int side, uint32_t depth, struct point *at, struct points *out)
{
    if (depth == n->depth) {
        at->at = sum_of(n->access[side].at);
        if (out->count < MOST_POINTS)
            out->all[out->count++] = *at;
        return;
    }
    const struct tree_stmt *l = n->loops[side][depth];
    int64_t end = value_of(l->end), begin = value_of(l->begin);
    for (int64_t i = begin; i < end; i += l->step->i) {
        values[l->var->id] = at->values[depth] = i;
        at->begins[depth] = begin;
        enumerate(n, side, depth + 1, at, out);
    }
}

struct truth {
    bool meet;
    struct system_range distance[DEPTH];
};

static void see_points(const struct nest *n, const struct point *a, const struct point *b, struct truth *out)
{
    if (b->at - a->at <= -n->access[1].extent || b->at - a->at >= n->access[0].extent)
        return;
    int64_t apart[DEPTH];
    for (uint32_t i = 0; i < n->depth; i++) {
        apart[i] = b->values[i] - b->begins[i] - a->values[i] + a->begins[i];
        if (i < n->shared ? a->values[i] != b->values[i] : n->asked[i - n->shared].in_step && apart[i])
            return;
    }
    out->meet = true;
    for (uint32_t i = n->shared; i < n->depth; i++) {
        struct system_range *r = &out->distance[i - n->shared];
        r->least = apart[i] < r->least ? apart[i] : r->least;
        r->most = apart[i] > r->most ? apart[i] : r->most;
    }
}

static void find_truth(const struct nest *n, struct truth *out)
{
    static struct points points[SIDES];
    struct point at;
    *out = (struct truth){ 0 };
    for (int i = 0; i < DEPTH; i++)
        out->distance[i] = (struct system_range){ INT64_MAX, INT64_MIN };
    for (int64_t size = n->size ? 1 : SIZES; size <= SIZES; size++)
        for (int64_t other = n->other ? 1 : SIZES; other <= SIZES; other++) {
            if (n->size)
                values[n->size->id] = size;
            if (n->other)
                values[n->other->id] = other;
            for (int side = 0; side < SIDES; side++) {
                points[side].count = 0;
                enumerate(n, side, 0, &at, &points[side]);
            }
            for (uint32_t i = 0; i < points[0].count; i++)
                for (uint32_t k = 0; k < points[1].count; k++)
                    see_points(n, &points[0].all[i], &points[1].all[k], out);
        }
}

/* ---- comparison ---- */

struct counts {
    long all, never, missed, loose, steps;
};

static void show(const struct nest *n, const struct depend *d, const struct truth *truth)
{
    struct text out = text_new(n->tree->arena);
    for (int side = 0; side < SIDES; side++) {
        for (uint32_t i = 0; i < n->depth; i++)
            stmt_print(n->loops[side][i], i, &out);
        expr_print(linear_expr(n->tree, n->access[side].at), &out);
        text_add(&out, "\n");
    }
    printf("%sextents %d %d, shared %d, kind %d, certain %d, meet %d\n", text_get(&out), (int)n->access[0].extent,
           (int)n->access[1].extent, (int)n->shared, (int)d->kind, d->certain, truth->meet);
    for (uint32_t i = 0; i + n->shared < n->depth; i++)
        printf("loop %d%s: %lld to %lld, truth %lld to %lld\n", (int)i, n->asked[i].in_step ? " in step" : "",
               (long long)d->distance[i].least, (long long)d->distance[i].most, (long long)truth->distance[i].least,
               (long long)truth->distance[i].most);
}

static void compare(const struct nest *n, struct counts *c)
{
    struct depend_query q = { .arena = n->tree->scratch,
                              .a = &n->access[0],
                              .b = &n->access[1],
                              .loops = n->asked,
                              .count = n->depth - n->shared };
    struct truth truth;
    find_truth(n, &truth);
    struct depend d = depend_between(&q);
    bool never = d.kind == DEPEND_NEVER, wrong = (never && truth.meet) || (d.certain && !n->size && !truth.meet);
    bool loose = false, in_step = true;
    for (uint32_t i = 0; i < q.count && truth.meet; i++) {
        wrong |= truth.distance[i].least < d.distance[i].least || truth.distance[i].most > d.distance[i].most;
        loose |= truth.distance[i].least > d.distance[i].least || truth.distance[i].most < d.distance[i].most;
    }
    if (truth.meet)
        in_step = truth.distance[q.count - 1].least == 0 && truth.distance[q.count - 1].most == 0;
    wrong |= depend_is_never(&q) != never;
    bool told = depend_is_in_step(&q);
    wrong |= told && !in_step;
    c->all++;
    c->never += !truth.meet;
    c->missed += !truth.meet && !never;
    c->loose += loose;
    c->steps += in_step && !told;
    CHECK(!wrong);
    if (wrong) {
        show(n, &d, &truth);
        printf("never %d, in step %d, said %d %d\n", !truth.meet, in_step, depend_is_never(&q), told);
    }
    if (!n->size && !n->choice && (d.kind != DEPEND_NEVER) != truth.meet) {
        CHECK(!"a meeting of constant places is known exactly");
        show(n, &d, &truth);
    }
}

static void run(const char *what, int sized, uint64_t first)
{
    struct counts c = { 0 };
    struct nest n;
    struct ir *ir = ir_new();
    struct tree *t = tree_new(ir, "p");
    seed = first;
    for (long i = 0; i < pairs / 2 && check_failures < 5; i++) {
        if (t->num_vars > VARS - 16) {
            ir_free(ir);
            ir = ir_new();
            t = tree_new(ir, "p");
        }
        fill_nest(&n, t, sized, chance(50));
        compare(&n, &c);
    }
    ir_free(ir);
    printf("%s: %ld pairs, %ld never meet, %ld of them not seen; %ld wider distances, %ld steps not seen\n", what,
           c.all, c.never, c.missed, c.loose, c.steps);
}

TEST(constant_sizes) { run("constant sizes", 0, 1); }

TEST(variable_sizes) { run("sizes N", 1, 2); }

TEST(products_of_sizes) { run("products of sizes", 2, 3); }

int main(int argc, char **argv)
{
    if (argc > 1)
        pairs = atol(argv[1]);
    for (struct check_test *t = check_tests; t; t = t->next)
        t->run();
    return check_failures ? 1 : 0;
}
