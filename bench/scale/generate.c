/* Graphs of any size, for measuring how the cost of compiling grows with it:
 *
 *     bench-graphs SHAPE COUNT > FILE.sdfg
 *
 * COUNT is the number of scopes (or tasklets, conditionals). All take A and B (float64[N]) and leave something in B. */
#include "ir/build/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shape {
    const char *name, *what;
    void (*make)(struct sdfg *s, int count);
};

static const char *name_of(struct sdfg *s, const char *prefix, int i)
{
    return arena_printf(s->ir->arena, "%s%d", prefix, i);
}

/* to[i] = a * 0.5 + b, with a and b elements of `from`. */
static void add_map(struct sdfg *s, struct state *st, struct access *from, struct access *to, int shift, int number)
{
    struct arena *a = s->ir->arena;
    struct map_entry *m = build_map(st, name_of(s, "map", number), arena_printf(a, "i = %d:N - %d", shift, shift));
    struct tasklet *t = build_tasklet(st, "add", "a, b", "c", "c = a * 0.5 + b");
    build_path(arena_printf(a, "%s[i - %d]", from->data->name, shift), NULL, NULL, "a", &from->node, &m->node, &t->node,
               NULL);
    build_path(arena_printf(a, "%s[i + %d]", from->data->name, shift), NULL, NULL, "b", &from->node, &m->node, &t->node,
               NULL);
    build_path(arena_printf(a, "%s[i]", to->data->name), NULL, "c", NULL, &t->node, m->exit, &to->node, NULL);
}

/* One state, A -> T0 -> T1 ... -> B. */
static void make_line(struct sdfg *s, int count, int shift)
{
    struct state *st = build_state(&s->region, "line");
    struct access *from = build_access(st, "A");
    for (int i = 0; i < count; i++) {
        const char *name = i + 1 < count ? name_of(s, "T", i) : "B";
        if (i + 1 < count)
            build_transient(s, name, "float64", "N");
        struct access *to = build_access(st, name);
        add_map(s, st, from, to, shift, i);
        from = to;
    }
}

static void make_chain(struct sdfg *s, int count) { make_line(s, count, 0); }
static void make_stencils(struct sdfg *s, int count) { make_line(s, count, 1); }

/* One state with components that do not know each other. */
static void make_wide(struct sdfg *s, int count)
{
    struct state *st = build_state(&s->region, "wide");
    for (int i = 0; i < count; i++) {
        const char *name = name_of(s, "T", i);
        build_transient(s, name, "float64", "N");
        struct access *middle = build_access(st, name);
        add_map(s, st, build_access(st, "A"), middle, 0, 2 * i);
        if (i + 1 == count)
            add_map(s, st, middle, build_access(st, "B"), 0, 2 * i + 1);
    }
}

/* A state for each map, there and back. */
static void make_states(struct sdfg *s, int count)
{
    struct state *before = NULL;
    for (int i = 0; i < count; i++) {
        struct state *st = build_state(&s->region, name_of(s, "state", i));
        add_map(s, st, build_access(st, i % 2 ? "B" : "A"), build_access(st, i % 2 ? "A" : "B"), 1, i);
        if (before)
            build_transition(&before->block, &st->block, NULL, NULL);
        before = st;
    }
}

/* States and conditional blocks by turns. */
static void make_branches(struct sdfg *s, int count)
{
    struct block *before = NULL;
    for (int i = 0; i < count; i++) {
        struct conditional *c = build_conditional(&s->region, name_of(s, "choice", i));
        for (int side = 0; side < 2; side++) {
            const char *condition = arena_printf(s->ir->arena, "N > %d", i + 10);
            struct region *branch = build_branch(c, side ? NULL : condition);
            struct state *st = build_state(branch, name_of(s, side ? "no" : "yes", i));
            add_map(s, st, build_access(st, "A"), build_access(st, "B"), side, i);
        }
        if (before)
            build_transition(before, &c->block, NULL, NULL);
        before = &c->block;
    }
}

static struct sdfg *inner(struct sdfg *s, int number)
{
    struct sdfg *in = build_sdfg(s->ir, name_of(s, "inner", number));
    build_symbol(in, "N", "int64");
    build_array(in, "A", "float64", "N");
    build_array(in, "B", "float64", "N");
    return in;
}

static void add_nested(struct sdfg *s, struct state *st, struct sdfg *in, int number)
{
    struct nested *n = build_nested(st, name_of(s, "nested", number), in, "A", "B", "N = N");
    build_edge(&build_access(st, "A")->node, NULL, &n->node, "A", "A", NULL);
    build_edge(&n->node, "B", &build_access(st, "B")->node, NULL, "B", NULL);
}

/* A state with a nested SDFG for each map. */
static void make_nested(struct sdfg *s, int count)
{
    struct state *before = NULL;
    for (int i = 0; i < count; i++) {
        struct state *st = build_state(&s->region, name_of(s, "state", i));
        struct sdfg *in = inner(s, i);
        struct state *body = build_state(&in->region, "body");
        add_map(in, body, build_access(body, "A"), build_access(body, "B"), 1, i);
        add_nested(s, st, in, i);
        if (before)
            build_transition(&before->block, &st->block, NULL, NULL);
        before = st;
    }
}

/* Nested SDFGs in nested SDFGs, each with a map of its own. */
static void make_deep(struct sdfg *s, int count)
{
    struct state *st = build_state(&s->region, "first");
    add_map(s, st, build_access(st, "A"), build_access(st, "B"), 1, count);
    if (count <= 1)
        return;
    struct sdfg *in = inner(s, count);
    make_deep(in, count - 1);
    struct state *second = build_state(&s->region, "second");
    add_nested(s, second, in, count);
    build_transition(&st->block, &second->block, NULL, NULL);
}

/* One map whose body is a chain of tasklets. */
static void make_body(struct sdfg *s, int count)
{
    struct state *st = build_state(&s->region, "body");
    struct map_entry *m = build_map(st, "map", "i = 0:N");
    struct access *a = build_access(st, "A"), *b = build_access(st, "B");
    struct node *before = NULL;
    for (int i = 0; i < count; i++) {
        struct tasklet *t = build_tasklet(st, name_of(s, "step", i), "a", "b", "b = a * 0.5 + 1.0");
        bool last = i + 1 == count;
        const char *name = name_of(s, "s", i);
        if (!before)
            build_path("A[i]", NULL, NULL, "a", &a->node, &m->node, &t->node, NULL);
        else
            build_edge(before, NULL, &t->node, "a", name_of(s, "s", i - 1), NULL);
        if (last) {
            build_path("B[i]", NULL, "b", NULL, &t->node, m->exit, &b->node, NULL);
            return;
        }
        build_scalar(s, name, "float64")->transient = true;
        struct access *value = build_access(st, name);
        build_edge(&t->node, "b", &value->node, NULL, name, NULL);
        before = &value->node;
    }
}

static const struct shape shapes[] = {
    { "chain", "maps in one state, each reads what the one before wrote", make_chain },
    { "stencils", "the same with neighbours, so that maps cannot become one", make_stencils },
    { "wide", "independent maps in one state", make_wide },
    { "states", "a state for each map", make_states },
    { "branches", "a conditional with two maps for each", make_branches },
    { "nested", "a nested SDFG for each map", make_nested },
    { "deep", "nested SDFGs inside each other", make_deep },
    { "body", "one map with many tasklets", make_body },
};

enum { NUM_SHAPES = sizeof shapes / sizeof *shapes };

static int usage(void)
{
    fputs("usage: bench-graphs SHAPE COUNT > FILE.sdfg\n", stderr);
    for (int i = 0; i < NUM_SHAPES; i++)
        fprintf(stderr, "  %-10s %s\n", shapes[i].name, shapes[i].what);
    return 2;
}

static int generate(const struct shape *shape, int count)
{
    struct ir *ir = ir_new();
    struct sdfg *s = build_sdfg(ir, shape->name);
    build_symbol(s, "N", "int64");
    build_array(s, "A", "float64", "N");
    build_array(s, "B", "float64", "N");
    build_arguments(s, "A, B");
    shape->make(s, count);
    bool good = build_finish(s);
    struct text out = text_new(ir->arena);
    if (good) {
        sdfg_write(s, &out);
        good = fwrite(out.data, 1, out.length, stdout) == out.length && !fflush(stdout);
    }
    for (uint32_t i = 0; i < diags_count(ir->diags); i++)
        fprintf(stderr, "%s\n", diags_get(ir->diags, i)->message);
    ir_free(ir);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    for (int i = 0; i < NUM_SHAPES && argc == 3; i++)
        if (!strcmp(argv[1], shapes[i].name) && atoi(argv[2]) > 0)
            return generate(&shapes[i], atoi(argv[2]));
    return usage();
}
