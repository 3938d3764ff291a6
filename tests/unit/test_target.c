/* Targets that are not the engine's own: what they claim, what they inherit, and who is asked. */
#include "ir/build/build.h"
#include "ir/passes/passes.h"
#include "lower/graph/target.h"

#include "tests/unit/check.h"
#include "tests/unit/registered.h"

/* ---- a target with a storage, a schedule and an operation of its own ---- */

struct counts {
    int begun, ended, loops, taken[3], released, copied, nodes;
};

static struct counts counts;

static bool acme_begin(const struct target *t, struct lower *lw)
{
    (void)t, (void)lw;
    counts.begun++;
    return true;
}

static bool acme_end(const struct target *t, struct lower *lw)
{
    (void)t, (void)lw;
    counts.ended++;
    return true;
}

static bool acme_enter(const struct target *t, struct scope *sc, struct map_entry *m, struct scope *in)
{
    counts.loops++;
    CHECK_STR((const char *)t->user, "user");
    return cpu_target.enter(t, sc, m, in);
}

static bool acme_allocate(const struct target *t, struct scope *sc, struct allocation *a)
{
    counts.taken[a->life]++;
    return cpu_target.allocate(t, sc, a);
}

static bool acme_release(const struct target *t, struct lower *lw, const struct allocation *a, struct tree_stmt *block)
{
    counts.released++;
    CHECK_STR(a->owner->name, "acme");
    return cpu_target.release(t, lw, a, block);
}

static bool acme_copy(const struct target *t, struct scope *sc, const struct place *place, const struct area *from,
                      const struct area *to, const struct memlet *m, bool atomic)
{
    counts.copied++;
    return cpu_target.copy(t, sc, place, from, to, m, atomic);
}

static bool acme_node(const struct target *t, struct scope *sc, struct node *n)
{
    (void)t;
    counts.nodes++;
    return lower_tasklet(sc, n);
}

static bool is_named_special(const struct target *t, const struct claim *c, const struct claim_site *site)
{
    (void)t, (void)c;
    return !strcmp(site->node->label, "special");
}

static const char *const grid[] = { "Acme_Grid", NULL };
static const char *const sram[] = { "Acme_SRAM", NULL };
static const char *const host[] = { "Default", "CPU_Heap", NULL };
static const char *const tasklets[] = { "Tasklet", NULL };

static const struct claim acme_claims[] = {
    { .kind = CLAIM_SCHEDULE, .names = grid },
    { .kind = CLAIM_STORAGE, .names = sram },
    { .kind = CLAIM_COPY, .names = host, .to = sram },
    { .kind = CLAIM_COPY, .names = sram, .to = host },
    { .kind = CLAIM_NODE, .names = tasklets, .holds = is_named_special },
};

static const struct target acme = {
    .size = sizeof acme,
    .name = "acme",
    .text = "a test",
    .extends = &cpu_target,
    .claims = acme_claims,
    .num_claims = sizeof acme_claims / sizeof *acme_claims,
    .user = "user",
    .begin = acme_begin,
    .end = acme_end,
    .enter = acme_enter,
    .allocate = acme_allocate,
    .release = acme_release,
    .copy = acme_copy,
    .node = acme_node,
};

/* ---- programs ---- */

struct graph {
    struct ir *ir;
    struct sdfg *s;
    struct state *st;
};

static struct graph graph(void)
{
    struct graph g = { .ir = ir_new() };
    g.s = build_sdfg(g.ir, "p");
    build_symbol(g.s, "N", "int64");
    build_array(g.s, "A", "float64", "N");
    build_array(g.s, "B", "float64", "N");
    g.st = build_state(&g.s->region, "state");
    return g;
}

static struct container *in_sram(struct graph *g, struct container *c)
{
    c->storage = enum_by_name(g->ir, ENUM_STORAGE, "Acme_SRAM");
    return c;
}

static void copy(struct state *st, const char *from, const char *to)
{
    build_edge(&build_access(st, from)->node, NULL, &build_access(st, to)->node, NULL, from, NULL);
}

/* With the engine's own targets and `more`. The tree lives until ir_free. */
static bool lowered(struct graph *g, const struct target *more, const struct target *last)
{
    const struct target *all[8];
    uint32_t n = 0;
    struct lower_options o = registered_options(g->ir->arena);
    for (; n < o.targets->count; n++)
        all[n] = o.targets->items[n];
    all[n++] = more;
    if (last)
        all[n++] = last;
    struct targets targets = { all, n };
    o.targets = &targets;
    struct tree *t;
    CHECK(build_finish(g->s) && sdfg_infer_types(g->s));
    counts = (struct counts){ 0 };
    return lower_program(g->s, &o, &t);
}

static void refused(struct graph *g, const struct target *more, const struct target *last, const char *message,
                    const char *path)
{
    CHECK(!lowered(g, more, last));
    CHECK(diags_count(g->ir->diags) > 0);
    if (diags_count(g->ir->diags)) {
        CHECK_STR(diags_get(g->ir->diags, 0)->message, message);
        CHECK_STR(diags_get(g->ir->diags, 0)->path, path);
    }
    ir_free(g->ir);
}

static void chain(struct graph *g, const char *label)
{
    struct map_entry *m = build_map(g->st, "m", "i = 0:N");
    struct tasklet *t = build_tasklet(g->st, label, "a", "b", "b = a");
    struct access *a = build_access(g->st, "A"), *b = build_access(g->st, "B");
    m->schedule = enum_by_name(g->ir, ENUM_SCHEDULE, "Acme_Grid");
    build_path("A[i]", NULL, NULL, "a", &a->node, &m->node, &t->node, NULL);
    build_path("B[i]", NULL, "b", NULL, &t->node, m->exit, &b->node, NULL);
}

TEST(schedules_storages_copies_and_nodes)
{
    struct graph g = graph();
    in_sram(&g, build_transient(g.s, "T", "float64", "N"));
    copy(g.st, "A", "T");
    struct state *second = build_state(&g.s->region, "second");
    build_transition(&g.st->block, &second->block, NULL, NULL);
    copy(second, "T", "B");
    g.st = build_state(&g.s->region, "third");
    build_transition(&second->block, &g.st->block, NULL, NULL);
    chain(&g, "special");
    CHECK(lowered(&g, &acme, NULL));
    CHECK_INT(counts.begun, 1);
    CHECK_INT(counts.ended, 1);
    CHECK_INT(counts.loops, 1);
    CHECK_INT(counts.taken[LIFE_BLOCK], 1);
    CHECK_INT(counts.released, 1);
    CHECK_INT(counts.copied, 2);
    CHECK_INT(counts.nodes, 1);
    ir_free(g.ir);
}

/* A program with nothing of the target in it does not begin it; a predicate that does not hold is nothing. */
TEST(targets_that_are_not_used)
{
    struct graph g = graph();
    copy(g.st, "A", "B");
    CHECK(lowered(&g, &acme, NULL));
    CHECK_INT(counts.begun + counts.ended + counts.copied, 0);
    ir_free(g.ir);
    g = graph();
    chain(&g, "ordinary");
    CHECK(lowered(&g, &acme, NULL));
    CHECK_INT(counts.nodes, 0);
    ir_free(g.ir);
}

/* Whatever kind of container it is and however long it lives, its target takes it and gives it back. */
TEST(memory_belongs_to_its_target)
{
    static const struct {
        enum enum_row lifetime;
        int taken[3], released;
    } rows[] = {
        { LIFETIME_SCOPE, { 1, 0, 0 }, 1 },
        { LIFETIME_GLOBAL, { 0, 1, 0 }, 1 },
        { LIFETIME_PERSISTENT, { 0, 0, 1 }, 1 },
        { LIFETIME_EXTERNAL, { 0, 0, 0 }, 0 }, /* the caller's */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct graph g = graph();
        in_sram(&g, build_transient(g.s, "T", "float64", "N"))->lifetime = enum_builtin(g.ir, rows[i].lifetime);
        copy(g.st, "A", "T");
        CHECK(lowered(&g, &acme, NULL));
        for (int k = 0; k < 3; k++)
            CHECK_INT(counts.taken[k], rows[i].taken[k]);
        CHECK_INT(counts.released, rows[i].released);
        ir_free(g.ir);
    }
}

TEST(streams_and_containers_of_changing_size)
{
    struct graph g = graph();
    in_sram(&g, build_stream(g.s, "S", "float64", "0"));
    struct tasklet *t = build_tasklet(g.st, "t", "a", "s", "s.push(a)");
    struct access *a = build_access(g.st, "A"), *s = build_access(g.st, "S");
    build_path("A[0]", NULL, NULL, "a", &a->node, &t->node, NULL);
    build_path("S[0]", NULL, "s", NULL, &t->node, &s->node, NULL);
    CHECK(lowered(&g, &acme, NULL));
    CHECK_INT(counts.taken[LIFE_BLOCK], 1);
    CHECK_INT(counts.released, 1);
    ir_free(g.ir);

    g = graph(); /* the size is assigned on the way: taken where it is used, released before that and at the end */
    build_symbol(g.s, "k", "int64");
    in_sram(&g, build_transient(g.s, "T", "float64", "k"));
    struct state *second = build_state(&g.s->region, "second"), *third = build_state(&g.s->region, "third");
    build_transition(&g.st->block, &second->block, NULL, "k = N + 1");
    build_transition(&second->block, &third->block, NULL, NULL);
    build_edge(&build_access(second, "A")->node, NULL, &build_access(second, "T")->node, NULL, "A[0:N] -> [0:N]", NULL);
    build_edge(&build_access(third, "T")->node, NULL, &build_access(third, "B")->node, NULL, "T[0:N] -> [0:N]", NULL);
    CHECK(lowered(&g, &acme, NULL));
    CHECK_INT(counts.taken[LIFE_CALL], 2);
    CHECK_INT(counts.released, 3);
    ir_free(g.ir);
}

/* ---- who is asked ---- */

static bool always(const struct target *t, const struct claim *c, const struct claim_site *site)
{
    (void)t, (void)c, (void)site;
    return true;
}

TEST(pairs_that_nobody_copies)
{
    struct graph g = graph();
    in_sram(&g, build_transient(g.s, "T", "float64", "N"));
    build_transient(g.s, "R", "float64", "N")->storage = enum_builtin(g.ir, STORAGE_CPU_PINNED);
    copy(g.st, "T", "R");
    refused(&g, &acme, NULL, "no target serves copies from storage 'Acme_SRAM' to storage 'CPU_Pinned'",
            "p/state[0] \"state\"/edge[0] \"T\"");
}

TEST(pairs_that_are_refused)
{
    static const struct claim claims[] = {
        { .kind = CLAIM_COPY, .names = host, .to = sram, .holds = always, .refused = "copies from afar" },
    };
    static const struct target illegal = {
        .size = sizeof illegal, .name = "illegal", .claims = claims, .num_claims = 1
    };
    struct graph g = graph();
    in_sram(&g, build_transient(g.s, "T", "float64", "N"));
    copy(g.st, "A", "T");
    refused(&g, &illegal, &acme, "copies from afar", "p/state[0] \"state\"/edge[0] \"A\"");
}

TEST(targets_that_disagree)
{
    static const struct claim claims[] = { { .kind = CLAIM_SCHEDULE, .names = grid, .holds = always } };
    static const struct target one = { .size = sizeof one, .name = "one", .claims = claims, .num_claims = 1 };
    static const struct target two = { .size = sizeof two, .name = "two", .extends = &one };
    struct graph g = graph();
    chain(&g, "t");
    refused(&g, &one, &two, "the targets 'two' and 'one' both claim this element, and neither claim is more specific",
            "p/state[0] \"state\"/map[0] \"m\"");
}

TEST(claims_without_functions)
{
    static const struct target bare = { .size = sizeof bare,
                                        .name = "bare",
                                        .claims = acme_claims,
                                        .num_claims = sizeof acme_claims / sizeof *acme_claims };
    struct graph g = graph();
    chain(&g, "t");
    refused(&g, &bare, NULL, "the target 'bare' claims this element but has no functions for maps",
            "p/state[0] \"state\"/map[0] \"m\"");
    g = graph();
    in_sram(&g, build_transient(g.s, "T", "float64", "N"));
    copy(g.st, "A", "T");
    refused(&g, &bare, NULL, "the target 'bare' claims this element but has no functions for memory",
            "p/container \"T\"");
}

static const char *winner(const struct target *a, const struct target *b, const char *from, const char *to,
                          const char *schedule)
{
    const struct target *items[] = { a, b };
    const struct targets all = { items, 2 };
    struct claim_site site = { .scope = NULL };
    struct claim_found found;
    const struct target *second;
    return target_find(&all, CLAIM_COPY, from, to, schedule, &site, &found, &second) ? found.target->name : "nobody";
}

#define OF(id, ...)                                                                                                    \
    static const struct claim id##_claims[] = { { .kind = CLAIM_COPY, __VA_ARGS__ } };                                 \
    static const struct target id = { .size = sizeof id, .name = #id, .claims = id##_claims, .num_claims = 1 }

TEST(the_most_specific_claim_wins)
{
    OF(anything, .names = NULL);
    OF(source, .names = host);
    OF(both, .names = host, .to = sram);
    OF(same, .names = host, .to = sram);
    OF(scheduled, .schedules = grid);
    OF(predicate, .holds = always);
    CHECK_STR(winner(&anything, &anything, "X", "Y", NULL), "anything");
    CHECK_STR(winner(&source, &anything, "Default", "Y", NULL), "source");
    CHECK_STR(winner(&source, &anything, "X", "Y", NULL), "anything");
    CHECK_STR(winner(&both, &source, "CPU_Heap", "Acme_SRAM", NULL), "both");
    CHECK_STR(winner(&both, &same, "CPU_Heap", "Acme_SRAM", NULL), "same"); /* added last */
    CHECK_STR(winner(&same, &both, "CPU_Heap", "Acme_SRAM", NULL), "both");
    CHECK_STR(winner(&scheduled, &both, "CPU_Heap", "Acme_SRAM", "Acme_Grid"), "scheduled");
    CHECK_STR(winner(&scheduled, &both, "CPU_Heap", "Acme_SRAM", NULL), "both");
    CHECK_STR(winner(&predicate, &scheduled, "CPU_Heap", "Acme_SRAM", "Acme_Grid"), "predicate");
    CHECK_STR(winner(&source, &both, "X", "Y", NULL), "nobody");
}

/* ---- what a target inherits ---- */

TEST(what_is_missing_comes_from_the_base)
{
    static const struct target child = { .size = sizeof child, .name = "child", .extends = &acme };
    static const struct target early = { /* made before the struct had its last functions */
                                         .size = offsetof(struct target, copy),
                                         .name = "early",
                                         .extends = &cpu_target,
                                         .copy = acme_copy
    };
    CHECK(TARGET_WITH(&child, copy) == &acme);
    CHECK(TARGET_WITH(&child, claims) == &acme);
    CHECK(TARGET_WITH(&child, leave) == &cpu_target);
    CHECK(TARGET_WITH(&early, copy) == &cpu_target);
    CHECK(TARGET_WITH(&early, node) == &cpu_target);
    CHECK(!TARGET_WITH((const struct target *)NULL, node));
    struct graph g = graph();
    in_sram(&g, build_transient(g.s, "T", "float64", "N"));
    copy(g.st, "A", "T");
    CHECK(lowered(&g, &acme, NULL));
    ir_free(g.ir);
}

CHECK_MAIN
