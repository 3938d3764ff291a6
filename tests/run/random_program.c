#include "tests/run/random_program.h"

#include <string.h>

enum { MAX_ARRAYS = 12, MAX_DEPTH = 2, MAX_PARAMS = 3 };

struct array {
    const char *name, *dims[2], *type;
    uint32_t rank;
    bool written; /* holds values */
    bool busy;    /* written by the state that is being made: no other access node of it may read */
};

/* What is being made: one SDFG, and the names that its code may use. */
struct maker {
    struct ir *ir;
    uint64_t *random;
    struct sdfg *s;
    struct array arrays[MAX_ARRAYS];
    uint32_t num_arrays, depth, loops, *labels;
    const char *symbols[4]; /* loop variables and assigned symbols, each in 0:5 */
    uint32_t num_symbols;
};

/* A parameter of a map, and the dimension it stays inside. */
struct param {
    const char *name, *dim, *range;
};

struct params {
    struct param items[MAX_PARAMS];
    uint32_t count;
};

/* ---- choices ---- */

uint64_t random_next(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint32_t below(struct maker *m, uint32_t n) { return (uint32_t)(random_next(m->random) % n); }

static bool chance(struct maker *m, uint32_t percent) { return below(m, 100) < percent; }

#define PICK(m, list) ((list)[below(m, sizeof(list) / sizeof *(list))])
#define TEXT(m, ...)  arena_printf((m)->ir->arena, __VA_ARGS__)

static const char *fresh(struct maker *m, const char *what) { return TEXT(m, "%s%u", what, (*m->labels)++); }

/* ---- containers ---- */

static const char *shape_of(struct maker *m, const struct array *a)
{
    return a->rank == 2 ? TEXT(m, "%s, %s", a->dims[0], a->dims[1]) : a->dims[0];
}

static struct array *add_array(struct maker *m, const char *name, bool transient)
{
    static const char *const dims[] = { "N", "M" };
    static const char *const types[] = { "int64", "int64", "int64", "int32", "int16", "uint32", "int8" };
    struct array *a = &m->arrays[m->num_arrays++];
    uint32_t first = below(m, 2);
    *a = (struct array){ .name = name, .dims = { dims[first], dims[1 - first] }, .rank = 1 + below(m, 2) };
    a->type = PICK(m, types);
    a->written = !transient;
    struct container *c = transient ? build_transient(m->s, name, a->type, shape_of(m, a))
                                    : build_array(m->s, name, a->type, shape_of(m, a));
    if (transient && chance(m, 30))
        c->storage = enum_builtin(m->ir, STORAGE_CPU_HEAP);
    return a;
}

/* An array that holds values, other than `but`; NULL if there is none. */
static struct array *readable(struct maker *m, const struct array *but)
{
    uint32_t first = below(m, m->num_arrays);
    for (uint32_t i = 0; i < m->num_arrays; i++) {
        struct array *a = &m->arrays[(first + i) % m->num_arrays];
        if (a->written && !a->busy && a != but)
            return a;
    }
    return NULL;
}

/* Somewhere to write all of: an argument or an old or new transient. */
static struct array *writable(struct maker *m)
{
    if (m->num_arrays < MAX_ARRAYS && chance(m, 35))
        return add_array(m, fresh(m, "T"), true);
    return &m->arrays[below(m, m->num_arrays)];
}

/* ---- indices and code ---- */

/* Any valid index of a dimension. */
static const char *index_in(struct maker *m, const char *dim, const struct params *p)
{
    const struct param *q = p->count ? &p->items[below(m, p->count)] : NULL;
    if (m->num_symbols && chance(m, 20))
        return m->symbols[below(m, m->num_symbols)];
    if (!q || chance(m, 10))
        return PICK(m, ((const char *[]){ "0", "3", TEXT(m, "%s - 1", dim), TEXT(m, "%s // 2", dim) }));
    if (strcmp(q->dim, dim) != 0 || chance(m, 15))
        return TEXT(m, "(%s * %u + %u) %% %s", q->name, 1 + below(m, 3), below(m, 4), dim);
    return chance(m, 70) ? q->name : TEXT(m, "%s - 1 - %s", dim, q->name);
}

static const char *element_of(struct maker *m, const struct array *a, const struct params *p)
{
    const char *first = index_in(m, a->dims[0], p);
    return a->rank == 2 ? TEXT(m, "%s[%s, %s]", a->name, first, index_in(m, a->dims[1], p))
                        : TEXT(m, "%s[%s]", a->name, first);
}

static const char *leaf(struct maker *m, const struct params *p, uint32_t inputs)
{
    if (inputs && chance(m, 60))
        return TEXT(m, "(x%u %% 997)", below(m, inputs));
    if (p->count && chance(m, 50))
        return p->items[below(m, p->count)].name;
    if (m->num_symbols && chance(m, 50))
        return m->symbols[below(m, m->num_symbols)];
    return TEXT(m, "%u", below(m, 20));
}

static const char *expression(struct maker *m, const struct params *p, uint32_t inputs, uint32_t depth)
{
    if (!depth || chance(m, 15))
        return leaf(m, p, inputs);
    const char *a = expression(m, p, inputs, depth - 1), *b = expression(m, p, inputs, depth - 1);
    switch (below(m, 8)) {
    case 0:
    case 1:
        return TEXT(m, "(%s + %s)", a, b);
    case 2:
        return TEXT(m, "(%s - %s)", a, b);
    case 3:
        return TEXT(m, "(%s * (%s %% 31))", a, b);
    case 4:
        return TEXT(m, "min(%s, %s)", a, b);
    case 5:
        return TEXT(m, "((%s) // %u)", a, 2 + below(m, 5));
    case 6:
        return TEXT(m, "(%s if %s < %s else %s)", a, a, b, b);
    default:
        return TEXT(m, "(%s ^ %s)", a, b);
    }
}

/* ---- maps ---- */

static void add_param(struct maker *m, struct params *p, const char *dim)
{
    const char *name = fresh(m, "i");
    const char *range = TEXT(m, "0:%s", dim);
    if (chance(m, 25))
        range = PICK(m, ((const char *[]){ TEXT(m, "1:%s - 1", dim), TEXT(m, "0:%s:2", dim), TEXT(m, "2:%s:3", dim),
                                           TEXT(m, "0:%s // 2", dim) }));
    p->items[p->count++] = (struct param){ name, dim, range };
}

static bool covers(const struct params *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (strncmp(p->items[i].range, "0:", 2) != 0 || strpbrk(p->items[i].range + 2, ":/"))
            return false;
    return true;
}

/* Nested or single map over the parameters. */
struct nest {
    struct map_entry *maps[MAX_PARAMS];
    uint32_t count;
};

static void set_schedule(struct maker *m, struct map_entry *e, bool inner)
{
    static const enum enum_row rows[] = { SCHEDULE_DEFAULT, SCHEDULE_CPU_MULTICORE, SCHEDULE_SEQUENTIAL };
    e->schedule = enum_builtin(m->ir, inner ? SCHEDULE_SEQUENTIAL : PICK(m, rows));
    if (e->params.count > 1 && chance(m, 30))
        e->collapse = 2;
}

static struct nest make_nest(struct maker *m, struct state *st, const struct params *p)
{
    struct nest n = { 0 };
    const char *ranges = "";
    for (uint32_t i = 0; i < p->count; i++) {
        ranges = TEXT(m, "%s%s%s = %s", ranges, *ranges ? ", " : "", p->items[i].name, p->items[i].range);
        if (i + 1 == p->count || chance(m, 40)) {
            n.maps[n.count] = build_map(st, fresh(m, "map"), ranges);
            set_schedule(m, n.maps[n.count], n.count > 0);
            n.count++;
            ranges = "";
        }
    }
    return n;
}

static void connect_in(const struct nest *n, struct node *from, const char *memlet, struct node *to, const char *conn)
{
    struct node *const e[] = { n->count > 0 ? &n->maps[0]->node : to, n->count > 1 ? &n->maps[1]->node : to,
                               n->count > 2 ? &n->maps[2]->node : to };
    if (n->count == 0)
        build_path(memlet, NULL, NULL, conn, from, to, NULL);
    else if (n->count == 1)
        build_path(memlet, NULL, NULL, conn, from, e[0], to, NULL);
    else if (n->count == 2)
        build_path(memlet, NULL, NULL, conn, from, e[0], e[1], to, NULL);
    else
        build_path(memlet, NULL, NULL, conn, from, e[0], e[1], e[2], to, NULL);
}

static void connect_out(const struct nest *n, struct node *from, const char *conn, const char *memlet, const char *wcr,
                        struct node *to)
{
    struct node *x[MAX_PARAMS] = { to, to, to };
    for (uint32_t i = 0; i < n->count; i++)
        x[i] = n->maps[n->count - 1 - i]->exit;
    if (n->count == 0)
        build_path(memlet, wcr, conn, NULL, from, to, NULL);
    else if (n->count == 1)
        build_path(memlet, wcr, conn, NULL, from, x[0], to, NULL);
    else if (n->count == 2)
        build_path(memlet, wcr, conn, NULL, from, x[0], x[1], to, NULL);
    else
        build_path(memlet, wcr, conn, NULL, from, x[0], x[1], x[2], to, NULL);
}

static void order(const struct nest *n, struct node *to)
{
    for (uint32_t i = 0; i < n->count; i++)
        build_edge(&n->maps[i]->node, NULL, i + 1 < n->count ? &n->maps[i + 1]->node : to, NULL, NULL, NULL);
}

/* The element that the parameters address, each iteration its own. */
static const char *own_element(struct maker *m, const struct array *a, const struct params *p)
{
    return a->rank == 2 ? TEXT(m, "%s[%s, %s]", a->name, p->items[0].name, p->items[1].name)
                        : TEXT(m, "%s[%s]", a->name, p->items[0].name);
}

/* `first` (or NULL) is an access node whose data is read at the own element, where the shapes are the same. */
static struct access *element_map(struct maker *m, struct state *st, struct array *out, struct access *first,
                                  const struct array *previous)
{
    struct params p = { 0 };
    bool reduce = out->written && chance(m, 35);
    for (uint32_t i = 0; i < out->rank; i++)
        add_param(m, &p, out->dims[i]);
    if (reduce && p.count < MAX_PARAMS && chance(m, 50))
        add_param(m, &p, PICK(m, ((const char *[]){ "N", "M" })));
    if (!out->written)
        for (uint32_t i = 0; i < p.count; i++)
            p.items[i].range = TEXT(m, "0:%s", p.items[i].dim);
    uint32_t inputs = below(m, 3) + (first != NULL);
    const struct array *from[4] = { previous };
    for (uint32_t i = first ? 1 : 0; i < inputs; i++)
        if (!(from[i] = readable(m, out)))
            inputs = i;
    struct nest n = make_nest(m, st, &p);
    const char *names = "";
    for (uint32_t i = 0; i < inputs; i++)
        names = TEXT(m, "%s%sx%u", names, i ? ", " : "", i);
    struct tasklet *t =
        build_tasklet(st, fresh(m, "t"), names, "o", TEXT(m, "o = %s %% 9973", expression(m, &p, inputs, 3)));
    for (uint32_t i = 0; i < inputs; i++) {
        bool chained = first && i == 0;
        struct access *a = chained ? first : build_access(st, from[i]->name);
        bool same = chained && from[i]->rank == out->rank && from[i]->dims[0] == out->dims[0] && chance(m, 70);
        connect_in(&n, &a->node, same ? own_element(m, from[i], &p) : element_of(m, from[i], &p), &t->node,
                   TEXT(m, "x%u", i));
    }
    if (!inputs)
        order(&n, &t->node);
    static const char *const kinds[] = { "lambda a, b: a + b", "lambda a, b: max(a, b)", "lambda a, b: min(a, b)",
                                         "lambda a, b: a ^ b" };
    struct access *to = build_access(st, out->name);
    const char *place = reduce && chance(m, 50) ? element_of(m, out, &p) : own_element(m, out, &p);
    connect_out(&n, &t->node, "o", place, reduce ? PICK(m, kinds) : NULL, &to->node);
    out->written = out->written || covers(&p);
    out->busy = true;
    return to;
}

/* One or several maps after each other in one state, the later ones reading what the earlier ones wrote. */
static void make_chain(struct maker *m, struct state *st)
{
    struct array *out = writable(m);
    struct access *last = element_map(m, st, out, NULL, NULL);
    while (chance(m, 45) && m->num_arrays < MAX_ARRAYS) {
        struct array *next = add_array(m, fresh(m, "T"), true); /* a new one: no other access node of this state */
        last = element_map(m, st, next, last, out);
        out = next;
    }
}

/* ---- copies, rows, scalars ---- */

static void make_copy(struct maker *m, struct state *st)
{
    struct array *to = &m->arrays[below(m, m->num_arrays)], *from = readable(m, to);
    if (!to->written || !from) {
        make_chain(m, st);
        return;
    }
    uint32_t length = 1 + below(m, 40), a = below(m, 50), b = below(m, 60), step = 1 + below(m, 2); /* up to 130 */
    const char *source = from->rank == 2 ? TEXT(m, "%u, %u:%u:%u", below(m, 90), a, a + length * step, step)
                                         : TEXT(m, "%u:%u:%u", a, a + length * step, step);
    const char *target =
        to->rank == 2 ? TEXT(m, "%u, %u:%u", below(m, 90), b, b + length) : TEXT(m, "%u:%u", b, b + length);
    build_edge(&build_access(st, from->name)->node, NULL, &build_access(st, to->name)->node, NULL,
               TEXT(m, "%s[%s] -> [%s]", from->name, source, target), chance(m, 25) ? "lambda a, b: a + b" : NULL);
}

/* A row per iteration as a pointer: the tasklet loops over it. */
static void make_rows(struct maker *m, struct state *st)
{
    struct array *out = &m->arrays[below(m, m->num_arrays)], *from = readable(m, out);
    if (!from || from->rank != 2 || !out->written) {
        make_chain(m, st);
        return;
    }
    struct params p = { 0 };
    add_param(m, &p, from->dims[0]);
    struct nest n = make_nest(m, st, &p);
    struct tasklet *t = build_tasklet(st, fresh(m, "row"), "x", "o",
                                      TEXT(m,
                                           "s = dace.int64(0)\nfor k in range(%s):\n    if x[k] %% 2 == 0:\n"
                                           "        s = s + x[k] %% 97\n    else:\n        s += k\no = s",
                                           from->dims[1]));
    connect_in(&n, &build_access(st, from->name)->node,
               TEXT(m, "%s[%s, 0:%s]", from->name, p.items[0].name, from->dims[1]), &t->node, "x");
    bool own = out->rank == 1 && out->dims[0] == from->dims[0];
    connect_out(&n, &t->node, "o", own ? own_element(m, out, &p) : element_of(m, out, &p),
                own ? NULL : "lambda a, b: a + b", &build_access(st, out->name)->node);
}

/* A scalar computed in this state bounds a map of it. */
static void make_dynamic(struct maker *m, struct state *st)
{
    struct array *out = &m->arrays[below(m, m->num_arrays)], *from = readable(m, out);
    if (!from || !out->written) {
        make_chain(m, st);
        return;
    }
    struct params none = { 0 };
    const char *scalar = fresh(m, "bound"), *param = fresh(m, "i");
    build_scalar(m->s, scalar, "int64")->transient = true;
    struct access *bound = build_access(st, scalar);
    struct tasklet *t = build_tasklet(st, fresh(m, "t"), "x", "o", "o = abs(x) % 50");
    connect_in(&(struct nest){ 0 }, &build_access(st, from->name)->node, element_of(m, from, &none), &t->node, "x");
    build_edge(&t->node, "o", &bound->node, NULL, TEXT(m, "%s[0]", scalar), NULL);
    struct map_entry *e = build_map(st, fresh(m, "map"), TEXT(m, "%s = 0:limit", param));
    set_schedule(m, e, false);
    struct tasklet *w = build_tasklet(st, fresh(m, "t"), NULL, "o", TEXT(m, "o = %s * 7 + limit", param));
    build_edge(&bound->node, NULL, &e->node, "limit", TEXT(m, "%s[0]", scalar), NULL);
    build_edge(&e->node, NULL, &w->node, NULL, NULL, NULL);
    const char *place = out->rank == 2 ? TEXT(m, "%s[%s, 5]", out->name, param) : TEXT(m, "%s[%s]", out->name, param);
    build_path(place, NULL, "o", NULL, &w->node, e->exit, &build_access(st, out->name)->node, NULL);
}

/* ---- nested SDFGs ---- */

static void make_region(struct maker *m, struct region *r, uint32_t statements);

/* An SDFG over one array that is read and written and one that is read, called once. */
static void make_nested(struct maker *m, struct state *st)
{
    struct array *out = &m->arrays[below(m, m->num_arrays)], *from = readable(m, out);
    if (!from || !out->written || m->depth >= MAX_DEPTH) {
        make_chain(m, st);
        return;
    }
    struct sdfg *inner = build_sdfg(m->ir, fresh(m, "inner"));
    struct maker in = { .ir = m->ir, .random = m->random, .s = inner, .depth = m->depth + 1, .labels = m->labels };
    build_symbol(inner, "N", "int64");
    build_symbol(inner, "M", "int64");
    const struct array *const both[] = { out, from };
    for (int i = 0; i < 2; i++) {
        in.arrays[i] = *both[i];
        in.arrays[i].name = i ? "source" : "target";
        build_array(inner, in.arrays[i].name, both[i]->type, shape_of(m, both[i]));
    }
    struct array source = in.arrays[1]; /* not offered as a target */
    in.num_arrays = 1;
    make_region(&in, &inner->region, 1 + below(m, 2));
    struct state *last = build_state(&inner->region, fresh(m, "s"));
    build_transition(inner->region.blocks.items[inner->region.blocks.count - 2], &last->block, NULL, NULL);
    struct params p = { 0 };
    add_param(m, &p, both[0]->dims[0]);
    struct nest n = make_nest(m, last, &p);
    struct tasklet *t = build_tasklet(last, fresh(m, "t"), "x", "o", "o = x % 9973");
    connect_in(&n, &build_access(last, "source")->node, element_of(&in, &source, &p), &t->node, "x");
    connect_out(&n, &t->node, "o",
                in.arrays[0].rank == 2 ? TEXT(m, "target[%s, 1]", p.items[0].name) : own_element(m, &in.arrays[0], &p),
                NULL, &build_access(last, "target")->node);
    struct nested *call = build_nested(st, fresh(m, "call"), inner, "target, source", "target", "N = N, M = M");
    build_edge(&build_access(st, out->name)->node, NULL, &call->node, "target", out->name, NULL);
    build_edge(&build_access(st, from->name)->node, NULL, &call->node, "source", from->name, NULL);
    build_edge(&call->node, "target", &build_access(st, out->name)->node, NULL, out->name, NULL);
}

/* ---- control flow ---- */

static struct block *make_state(struct maker *m, struct region *r)
{
    static void (*const kinds[])(struct maker *, struct state *) = { make_chain, make_chain,   make_chain, make_copy,
                                                                     make_rows,  make_dynamic, make_nested };
    struct state *st = build_state(r, fresh(m, "s"));
    PICK(m, kinds)(m, st);
    for (uint32_t i = 0; i < m->num_arrays; i++)
        m->arrays[i].busy = false;
    return &st->block;
}

static const char *condition(struct maker *m)
{
    const struct array *a = readable(m, NULL);
    if (m->num_symbols && chance(m, 60))
        return TEXT(m, "%s %% 2 == %u", m->symbols[below(m, m->num_symbols)], below(m, 2));
    if (a && chance(m, 70))
        return TEXT(m, "%s %% 3 > 0", a->rank == 2 ? TEXT(m, "%s[1, 2]", a->name) : TEXT(m, "%s[2]", a->name));
    return TEXT(m, "(N + M) %% 7 < %u", below(m, 8));
}

/* What a block that may not run writes counts as not written behind it. */
static void make_maybe(struct maker *m, struct region *r, uint32_t statements)
{
    bool before[MAX_ARRAYS];
    for (uint32_t i = 0; i < MAX_ARRAYS; i++)
        before[i] = i < m->num_arrays && m->arrays[i].written;
    make_region(m, r, statements);
    for (uint32_t i = 0; i < MAX_ARRAYS; i++)
        m->arrays[i].written = before[i];
}

static struct block *make_loop(struct maker *m, struct region *r)
{
    const char *name = fresh(m, "t");
    build_symbol(m->s, name, "int64");
    struct loop *l = build_loop(r, fresh(m, "loop"), name, TEXT(m, "%s = %u", name, below(m, 2)),
                                TEXT(m, "%s < %u", name, 2 + below(m, 3)), TEXT(m, "%s = %s + 1", name, name));
    m->symbols[m->num_symbols++] = name;
    m->loops++;
    make_maybe(m, &l->region, 1 + below(m, 2));
    m->loops--;
    m->num_symbols--;
    return &l->region.block;
}

static struct block *make_branches(struct maker *m, struct region *r)
{
    struct conditional *c = build_conditional(r, fresh(m, "branch"));
    make_maybe(m, build_branch(c, condition(m)), 1);
    if (chance(m, 60))
        make_maybe(m, build_branch(c, NULL), 1);
    return &c->block;
}

static bool room_for_symbol(const struct maker *m) { return m->num_symbols < sizeof m->symbols / sizeof *m->symbols; }

static void make_region(struct maker *m, struct region *r, uint32_t statements)
{
    struct block *last = NULL;
    uint32_t symbols = m->num_symbols;
    for (uint32_t i = 0; i < statements; i++) {
        uint32_t kind = below(m, 10);
        const struct array *a = readable(m, NULL); /* before the block runs */
        struct block *b;
        if (kind == 0 && m->loops < 2 && room_for_symbol(m) && i)
            b = make_loop(m, r);
        else if (kind == 1 && i)
            b = make_branches(m, r);
        else
            b = make_state(m, r);
        if (last && a && room_for_symbol(m) && m->num_symbols == symbols && chance(m, 20)) {
            const char *name = fresh(m, "k");
            build_symbol(m->s, name, "int64");
            const char *assignment = TEXT(m, "%s = abs(%s) %% 5", name,
                                          a->rank == 2 ? TEXT(m, "%s[3, 4]", a->name) : TEXT(m, "%s[3]", a->name));
            build_transition(last, b, NULL, assignment);
            m->symbols[m->num_symbols++] = name; /* for what follows */
        } else if (last) {
            build_transition(last, b, NULL, NULL);
        }
        last = b;
    }
    m->num_symbols = symbols;
}

struct sdfg *random_program(struct ir *ir, uint64_t seed)
{
    uint32_t labels = 0;
    struct maker m = { .ir = ir, .random = &seed, .labels = &labels };
    m.s = build_sdfg(ir, "random");
    build_symbol(m.s, "N", "int64");
    build_symbol(m.s, "M", "int64");
    for (uint32_t i = 0, count = 2 + below(&m, 3); i < count; i++)
        add_array(&m, TEXT(&m, "A%u", i), false);
    make_region(&m, &m.s->region, 3 + below(&m, 4));
    return m.s;
}
