/* Checked mode: reads of memory that nothing has written on the way that a call takes, or whose scope has ended. */
#include "tests/unit/api.h"

enum { N = 8, UNUSED = 77 }; /* UNUSED: the program does not depend on k */

struct trial {
    struct ir *ir;
    struct sdfg *s;
    sdfg_engine *engine;
    sdfg_program *program;
};

static void begin(struct trial *t)
{
    t->ir = ir_new();
    t->s = build_sdfg(t->ir, "p");
    build_array(t->s, "A", "int32", "8");
    build_array(t->s, "B", "int32", "8");
    build_symbol(t->s, "k", "int64");
    for (const char *name = "T\0U\0V\0"; *name; name += 2)
        build_transient(t->s, name, "int32", "8");
}

/* A state that copies one container into another; NULL: it does nothing. */
static struct block *copying(struct region *in, const char *from, const char *to)
{
    struct state *st = build_state(in, to ? to : "nothing");
    if (from)
        build_edge(&build_access(st, from)->node, NULL, &build_access(st, to)->node, NULL, from, NULL);
    return &st->block;
}

static void load(struct trial *t, const char *specialize)
{
    sdfg_options o;
    sdfg_options_init(&o, sizeof o);
    o.check = SDFG_CHECK_DEFAULT;
    o.specialize = specialize;
    CHECK(good(sdfg_engine_new(&t->engine, &o)));
    t->program = program_of(t->engine, t->s);
    ir_free(t->ir);
}

/* The code of the error of a call, "" if there is none. */
static const char *call(struct trial *t, int64_t k)
{
    static char code[32];
    int32_t a[N] = { 1, 2, 3 }, b[N] = { 0 };
    sdfg_args *args;
    CHECK(good(sdfg_args_new(&args, t->program)));
    CHECK(good(sdfg_args_array(args, "A", SDFG_ARRAY(.data = a, .dtype = SDFG_I32, .rank = 1, .shape = { N }))));
    CHECK(good(sdfg_args_array(args, "B", SDFG_ARRAY(.data = b, .dtype = SDFG_I32, .rank = 1, .shape = { N }))));
    if (k != UNUSED)
        CHECK(good(sdfg_args_i64(args, "k", k)));
    sdfg_error *e = sdfg_call(t->program, args);
    snprintf(code, sizeof code, "%s", e ? sdfg_error_code(e) : "");
    sdfg_error_free(e);
    sdfg_args_free(args);
    return code;
}

static void end(struct trial *t)
{
    sdfg_program_free(t->program);
    sdfg_engine_free(t->engine);
}

static const char *const ways[] = { "auto", "none" };

/* if (k > 0) T = A, else B = T; with a loop around that has memory of its own in the first branch. */
TEST(a_write_in_one_branch_is_none_in_the_other)
{
    for (int w = 0; w < 4; w++) {
        struct trial t;
        begin(&t);
        struct region *r = &t.s->region;
        if (w >= 2)
            r = &build_loop(r, "l", "i", "i = 0", "i < 3", "i = i + 1")->region;
        struct conditional *c = build_conditional(r, "c");
        struct region *first = build_branch(c, "k > 0"), *second = build_branch(c, NULL);
        struct block *own = copying(first, "A", "V"), *writes = copying(first, "V", "T");
        build_transition(own, writes, NULL, NULL);
        copying(second, "T", "B");
        load(&t, ways[w % 2]);
        CHECK_STR(call(&t, 1), "");
        CHECK_STR(call(&t, 0), "CHECK_UNINIT");
        CHECK_STR(call(&t, 1), "");
        end(&t);
    }
}

/* if (k > 0) { T = A; return } U = A, in an SDFG of its own; then B = U or B = T. */
TEST(a_return_skips_what_is_behind_it)
{
    for (int w = 0; w < 4; w++) {
        struct trial t;
        begin(&t);
        struct sdfg *inner = build_sdfg(t.ir, "inner");
        build_symbol(inner, "k", "int64");
        for (const char *name = "A\0T\0U\0"; *name; name += 2)
            build_array(inner, name, "int32", "8");
        struct conditional *c = build_conditional(&inner->region, "c");
        struct region *branch = build_branch(c, "k > 0");
        build_transition(copying(branch, "A", "T"), build_jump(branch, BLOCK_RETURN, "out"), NULL, NULL);
        build_transition(&c->block, copying(&inner->region, "A", "U"), NULL, NULL);
        struct state *st = build_state(&t.s->region, "s");
        struct nested *n = build_nested(st, "n", inner, "A", "T, U", "k = k");
        build_edge(&build_access(st, "A")->node, NULL, &n->node, "A", "A", NULL);
        build_edge(&n->node, "T", &build_access(st, "T")->node, NULL, "T", NULL);
        build_edge(&n->node, "U", &build_access(st, "U")->node, NULL, "U", NULL);
        build_transition(&st->block, copying(&t.s->region, w < 2 ? "U" : "T", "B"), NULL, NULL);
        load(&t, ways[w % 2]);
        CHECK_STR(call(&t, 0), w < 2 ? "" : "CHECK_UNINIT");
        CHECK_STR(call(&t, 1), w < 2 ? "CHECK_UNINIT" : "");
        end(&t);
    }
}

/* The same with transitions: T is written on one way, U on the other, both on the third. */
TEST(jumps_between_states_skip_writes)
{
    for (int w = 0; w < 4; w++) {
        struct trial t;
        begin(&t);
        struct region *r = &t.s->region;
        struct block *start = copying(r, NULL, NULL), *a = copying(r, "A", "T"), *b = copying(r, "A", "U");
        struct block *last = copying(r, w < 2 ? "U" : "T", "B");
        t.s->region.start = start;
        build_transition(start, a, "k > 0", NULL);
        build_transition(start, b, "k <= 0", NULL);
        build_transition(a, b, "k > 1", NULL);
        build_transition(a, last, "k <= 1", NULL);
        build_transition(b, last, NULL, NULL);
        load(&t, ways[w % 2]);
        CHECK_STR(call(&t, 0), w < 2 ? "" : "CHECK_UNINIT");
        CHECK_STR(call(&t, 1), w < 2 ? "CHECK_UNINIT" : "");
        CHECK_STR(call(&t, 2), "");
        end(&t);
    }
}

/* for (i = 0; i < k; i += 2) T[i:i + 2] = A[i:i + 2]; B = T: all of T is written if the loop runs to its end. */
TEST(loops_without_iterations_write_nothing)
{
    for (int w = 0; w < 2; w++) {
        struct trial t;
        begin(&t);
        struct loop *l = build_loop(&t.s->region, "l", "i", "i = 0", "i < k", "i = i + 2");
        struct state *st = build_state(&l->region, "s");
        build_edge(&build_access(st, "A")->node, NULL, &build_access(st, "T")->node, NULL, "T[i:i + 2] -> [i:i + 2]",
                   NULL);
        build_transition(&l->region.block, copying(&t.s->region, "T", "B"), NULL, NULL);
        load(&t, ways[w]);
        CHECK_STR(call(&t, 8), "");
        CHECK_STR(call(&t, 6), "CHECK_UNINIT");
        CHECK_STR(call(&t, 0), "CHECK_UNINIT");
        CHECK_STR(call(&t, -3), "CHECK_UNINIT");
        end(&t);
    }
}

/* map (i = 0:2) R = M, with an M for each iteration or one for all; B = R behind it. */
TEST(references_to_memory_whose_scope_has_ended)
{
    for (int w = 0; w < 4; w++) {
        bool own = w & 2;
        struct trial t;
        begin(&t);
        struct container *c = build_transient(t.s, "M", "int32", "8");
        build_reference(t.s, "R", "int32", "8");
        c->lifetime = enum_builtin(t.ir, own ? LIFETIME_SCOPE : LIFETIME_SDFG);
        struct state *st = build_state(&t.s->region, "set_it");
        struct map_entry *map = build_map(st, "m", "i = 0:2");
        map->schedule = enum_builtin(t.ir, SCHEDULE_SEQUENTIAL);
        struct access *m = build_access(st, "M"), *r = build_access(st, "R");
        build_path("A[0:8]", NULL, NULL, NULL, &build_access(st, "A")->node, &map->node, &m->node, NULL);
        build_edge(&m->node, NULL, &r->node, "set", "M", NULL);
        build_edge(&r->node, NULL, map->exit, NULL, NULL, NULL);
        build_transition(&st->block, copying(&t.s->region, "R", "B"), NULL, NULL);
        load(&t, ways[w % 2]);
        CHECK_STR(call(&t, UNUSED), own ? "CHECK_SCOPE" : "");
        end(&t);
    }
}

CHECK_MAIN
