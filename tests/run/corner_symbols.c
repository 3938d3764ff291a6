/* Symbols, and memory whose size or life depends on them. */
#include "tests/run/corner.h"

/* The type of an undeclared symbol is that of its first assignment. */
static void symbol_type(struct corner *c)
{
    struct region *top = &c->s->region;
    corner_symbol(c, "int32 x", "5");
    corner_array(c, "float64 B[1]", "0", "2");
    struct state *a = build_state(top, "a"), *b = build_state(top, "b"), *merge = build_state(top, "merge");
    build_transition(&a->block, &b->block, "x < 3", "z = 1");
    build_transition(&b->block, &merge->block, NULL, NULL);
    build_transition(&a->block, &merge->block, "not (x < 3)", "z = 2.5");
    corner_body(merge, NULL, "o = z", NULL, "o = B[0]", NULL);
}

/* Exact where the result is an integer, otherwise N/2 + 1/2 term by term, as DaCe always does. */
static void rational_range(struct corner *c)
{
    struct state *st = corner_state(c);
    corner_symbol(c, "int64 N", "3");
    corner_array(c, "int32 B[4]", "4*0", "1 1 0 0");
    corner_array(c, "int32 D[4]", "4*0", "1 1 0 0");
    corner_body(st, "i = 0:(N + 1) / 2", "o = 1", NULL, "o = B[i]", NULL);
    corner_symbol(c, "int64 M", "4");
    corner_array(c, "int32 E[4]", "4*0", "1 1 0 0");
    corner_body(st, "i = 0:int_ceil(N, 2)", "o = 1", NULL, "o = D[i]", NULL);
    corner_body(st, "i = 0:(M - 1) / 2", "o = 1", NULL, "o = E[i]", NULL);
}

/* The square root; DaCe prints a power that is 1. */
static void symbolic_root(struct corner *c)
{
    corner_symbol(c, "int64 N", "16");
    corner_array(c, "int32 B[8]", "8*0", "1 1 1 1 0 0 0 0");
    corner_body(corner_state(c), "i = 0:sqrt(N)", "o = 1", NULL, "o = B[i]", NULL);
}

/* Constants are divided like Python's, symbols like C's, also where their value is known to the compiler. */
static void folded_division(struct corner *c)
{
    struct state *st = corner_state(c);
    struct sdfg *inner = build_sdfg(c->ir, "inner");
    corner_symbol(c, "int64 N", "-7");
    corner_array(c, "int64 B[5]", "5*0", "-4 -3 -1 -2 -3");
    build_array(inner, "b", "int64", "5");
    static const char *const names[] = { "k", "m", "r", "u", "h" };
    struct state *in = build_state(&inner->region, "s");
    for (int i = 0; i < 5; i++) {
        build_symbol(inner, names[i], "int64");
        corner_body(in, NULL, arena_printf(c->ir->arena, "o = %s", names[i]), NULL,
                    arena_printf(c->ir->arena, "o = b[%d]", i), NULL);
    }
    struct nested *n = build_nested(st, "divide", inner, NULL, "b",
                                    "k = -7 // 2, m = N // 2, r = N % 3, u = int_ceil(N - 1, 3), h = N / 2");
    build_edge(&n->node, "b", &build_access(st, "B")->node, NULL, "B[0:5]", NULL);
}

/* In files since DaCe 2.0.0b1 Mod has the sign of the divisor, in assignments, ranges and tasklets; a % b is C's in
 * all. */
static void floored_modulo(struct corner *c)
{
    struct region *top = &c->s->region;
    c->ir->floored_mod = true;
    corner_symbol(c, "int32 N", "-7");
    corner_symbol(c, "int32 M", "-4");
    corner_array(c, "int32 B[6]", "6*0", "1 -1 -3 0 1 -3");
    corner_array(c, "int32 D[4]", "4*0", "1 0 0 0");
    struct state *before = build_state(top, "before"), *st = build_state(top, "after");
    build_transition(&before->block, &st->block, NULL, "q = Mod(N, 4); r = N % 2; s = Mod(N, M); u = Mod(N, 7)");
    static const char *const values[] = { "q", "r", "s", "u", "Mod(N, 2)", "N % M" };
    for (int i = 0; i < 6; i++)
        corner_body(st, NULL, arena_printf(c->ir->arena, "o = %s", values[i]), NULL,
                    arena_printf(c->ir->arena, "o = B[%d]", i), NULL);
    corner_body(st, "i = 0:Mod(N, 4)", "o = 1", NULL, "o = D[i]", NULL);
}

/* Set on one of two paths that meet before it is read. */
static void unset_symbol(struct corner *c)
{
    struct region *top = &c->s->region;
    build_symbol(c->s, "x", "int32");
    build_array(c->s, "B", "int64", "1");
    struct state *a = build_state(top, "a"), *b = build_state(top, "b"), *other = build_state(top, "other");
    struct state *merge = build_state(top, "merge");
    build_transition(&a->block, &b->block, "x > 3", NULL);
    build_transition(&b->block, &merge->block, NULL, "w = z + 1");
    build_transition(&a->block, &other->block, "not (x > 3)", "z = 1");
    build_transition(&other->block, &merge->block, NULL, "w = z + 2");
    corner_body(merge, NULL, "o = w", NULL, "o = B[0]", NULL);
    corner_says(c, "$ sdfg-run $HERE/prog.sdfg --x=5\n"
                   "error[invalid]: 'z' is used before it is defined, in z + 1\n"
                   "  at corner/transition[1] \"b -> merge\"\n"
                   "sdfg-run: the program is kept in BUILD/cache/libsdfg/failing.sdfg\n"
                   "[4]\n");
}

/* A symbol has the type of the constant that it is assigned; for DaCe it is an integer. */
static void constant_on_transition(struct corner *c)
{
    struct region *top = &c->s->region;
    corner_array(c, "float64 B[1]", "0", "5.5");
    build_constant(c->s, "c0", "float64", NULL, "3.5");
    struct state *a = build_state(top, "a"), *b = build_state(top, "b");
    build_transition(&a->block, &b->block, NULL, "q = c0 + 2");
    corner_body(b, NULL, "o = q", NULL, "o = B[0]", NULL);
}

static void constant_array_on_transition(struct corner *c)
{
    struct region *top = &c->s->region;
    corner_array(c, "int64 B[1]", "0", "12");
    build_symbol(c->s, "q", "int64");
    build_constant(c->s, "table", "int64", "3", "[10, 11, 12]");
    struct state *a = build_state(top, "a"), *b = build_state(top, "b");
    build_transition(&a->block, &b->block, NULL, "q = table[2]");
    corner_body(b, NULL, "o = q", NULL, "o = B[0]", NULL);
}

/* Memory of a size that two branches set, each before it writes. */
static void size_from_branches(struct corner *c)
{
    struct region *top = &c->s->region;
    corner_symbol(c, "int32 x", "5");
    corner_array(c, "int64 B[2]", "0 0", "10 4");
    build_symbol(c->s, "k", "int64");
    build_transient(c->s, "T", "int64", "k")->storage = enum_builtin(c->ir, STORAGE_CPU_HEAP);
    struct state *begin = build_state(top, "begin"), *end = build_state(top, "end");
    static const char *const conditions[] = { "x > 3", "not (x > 3)" }, *const sizes[] = { "k = 4", "k = 70" };
    for (int i = 0; i < 2; i++) {
        struct state *write = build_state(top, i ? "many" : "few");
        corner_body(write, "i = 0:k", "t = i + 1", NULL, "t = T[i]", NULL);
        build_transition(&begin->block, &write->block, conditions[i], sizes[i]);
        build_transition(&write->block, &end->block, NULL, NULL);
    }
    corner_body(end, "i = 0:k", "b = t", "t = T[i]", "b = B[0]", "lambda x, y: x + y");
    corner_body(end, NULL, "b = k", NULL, "b = B[1]", NULL);
}

static struct container *persistent(struct corner *c, const char *name, const char *shape)
{
    struct container *t = build_transient(c->s, name, "int64", shape);
    t->lifetime = enum_builtin(c->ir, LIFETIME_PERSISTENT);
    t->storage = enum_builtin(c->ir, STORAGE_CPU_HEAP);
    return t;
}

/* A second call needs more persistent memory than the first. */
static void persistent_size(struct corner *c)
{
    corner_symbol(c, "int64 N", "10");
    persistent(c, "T", "N");
    corner_array(c, "int64 B[1]", "0", "45");
    corner_body(corner_state(c), "i = 0:N", "t = i", NULL, "t = T[i]", NULL);
    corner_body(corner_state(c), "i = 0:N", "b = t", "t = T[i]", "b = B[0]", "lambda x, y: x + y");
    corner_next_call(c);
    corner_symbol(c, "int64 N", "100000");
    corner_array(c, "int64 B[1]", "0", "4999950000");
}

/* What persistent memory holds stays from call to call. */
static void persistent_content(struct corner *c)
{
    struct region *top = &c->s->region;
    corner_symbol(c, "int32 first", "1");
    persistent(c, "T", "1");
    corner_array(c, "int64 B[1]", "0", "1");
    struct conditional *begin = build_conditional(top, "begin");
    corner_body(build_state(build_branch(begin, "first == 1"), "reset"), NULL, "t = 0", NULL, "t = T[0]", NULL);
    struct state *count = build_state(top, "count");
    build_transition(&begin->block, &count->block, NULL, NULL);
    corner_body(count, NULL, "o = t + 1\nb = t + 1", "t = T[0]", "o = T[0], b = B[0]", NULL);
    corner_next_call(c);
    corner_symbol(c, "int32 first", "0");
    corner_array(c, "int64 B[1]", "0", "2");
    corner_next_call(c);
    corner_symbol(c, "int32 first", "0");
    corner_array(c, "int64 B[1]", "0", "3");
}

const struct corner_row corner_symbols[] = {
    { "069_symbol_type", symbol_type, false },
    { "070_rational_range", rational_range, false },
    { "071_symbolic_root", symbolic_root, false },
    { "072_folded_division", folded_division, false },
    { "072_floored_modulo", floored_modulo, false },
    { "073_unset_symbol", unset_symbol, true },
    { "076_constant_on_transition", constant_on_transition, false },
    { "076_constant_array_on_transition", constant_array_on_transition, false },
    { "082_size_from_branches", size_from_branches, false },
    { "083_persistent_size", persistent_size, false },
    { "084_persistent_content", persistent_content, false },
    { NULL, NULL, false },
};
