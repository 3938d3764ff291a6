/* The driver of the pass table. */
#include "engine/compile/compile_passes.h"
#include "lower/tree/tree_facts.h"
#include "lower/tree/tree_print.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool is_wanted(const struct compile *c, const struct pass *p)
{
    enum pass_choice choice = c->choices ? c->choices[p - c->passes] : PASS_AS_USUAL;
    if (choice != PASS_AS_USUAL && !p->tree)
        return choice == PASS_FORCED;
    if (choice == PASS_SKIPPED || (p->plugin && !pass_plugin_is_wanted(c, p)))
        return false;
    unsigned device = c->tree_options.device ? TREE_PASS_GPU : TREE_PASS_CPU;
    return (!p->devices || p->devices & device) && (!p->condition || p->condition(c));
}

/* A tree is verified when it is new and when no pass will change it any more. Builds for developers verify it after
 * every pass, so that the one which broke it is known. */
static bool must_verify(const struct compile *c, const struct pass *p)
{
#ifndef SDFG_VERIFY_ALL
    if (p->phase != PHASE_LOWER || (p->makes & FACT_TREE))
        return p->makes & FACT_TREE;
    do
        p++;
    while (p->run && !is_wanted(c, p));
    return p->phase != PHASE_LOWER;
#else
    return c->tree && p->phase == PHASE_LOWER;
#endif
}

/* Builds for developers see whether a pass changed statements although its row says that it breaks nothing. */
static struct tree_key statements_of(const struct compile *c)
{
    struct tree_key key = { 0 };
#ifdef SDFG_VERIFY_ALL
    for (uint32_t i = 0; c->tree && i < c->tree->functions.count; i++)
        tree_key_stmt(&key, c->tree->functions.items[i]->body);
#endif
    (void)c;
    return key;
}

static bool kept_facts(const struct compile *c, struct tree_key before)
{
    if (!c->pass->tree || c->pass->breaks & FACT_STATEMENTS)
        return true;
    struct tree_key after = statements_of(c);
    if (before.a == after.a && before.b == after.b)
        return true;
    return diag_error(
        c->ir->diags, NULL, DIAG_BUG,
        arena_printf(c->ir->arena, "pass '%s' changes statements, its row says that it does not", c->pass->name));
}

/* What a pass over the tree may take: all of them are close to linear in its size, for which its variables stand. No
 * program of the corpora takes half of it (fuse-nests in channel_flow does 45 %). A pass that takes more is reported
 * as slow, not stopped: what it does must not depend on the time. */
static double budget_of(const struct compile *c, const struct pass *p)
{
    enum { MICROSECONDS = 2000, MICROSECONDS_PER_VARIABLE = 5 };
    return p->tree ? 1e-6 * (MICROSECONDS + MICROSECONDS_PER_VARIABLE * (double)c->tree->num_vars) : 0;
}

static const char *owner_of(const struct compile *c, const struct pass *p)
{
    return p->plugin ? arena_printf(c->ir->arena, " of plug-in '%s'", p->plugin->plugin) : "";
}

static bool has_facts(struct compile *c, const struct pass *p)
{
    unsigned missing = p->needs & ~c->facts;
    if (!missing)
        return true;
    struct arena *a = c->ir->arena;
    const char *why = "no pass before it has made";
    struct pass_group g;
    const struct pass *end = c->round && pass_group(c->passes, p, &g) ? g.last + 1 : p; /* the round before */
    for (const struct pass *b = c->passes; b < end; b++)
        if (b->breaks & missing && is_wanted(c, b))
            why = arena_printf(a, "pass '%s'%s has broken", b->name, owner_of(c, b));
    return diag_error(c->ir->diags, NULL, DIAG_PASS_FACT, p->name, owner_of(c, p),
                      facts_text(a, missing, c->fact_names), why);
}

/* ---- changes ---- */

/* The content of the program, as it is written, with all marks. */
static struct tree_key content_of(struct compile *c)
{
    struct tree_key key = { 0 };
    struct text t = text_new(c->ir->scratch);
    if (c->tree)
        tree_print(c->tree, &t);
    else if (c->sdfg)
        sdfg_write(c->sdfg, &t);
    for (size_t i = 0; i < t.length; i++)
        tree_key_add(&key, (unsigned char)t.data[i]);
    return key;
}

static bool is_same(struct tree_key a, struct tree_key b) { return a.a == b.a && a.b == b.b; }

/* Says of a pass whether it changed the program, where somebody wants to know. */
static void tell_change(const struct compile *c, const struct pass *p, struct tree_key before, struct tree_key after)
{
    c->request->dump(c->request->dump_user, p->name, is_same(before, after) ? "changed nothing\n" : "changed it\n");
}

/* ---- one pass ---- */

/* Rounds of a group are one entry. */
static void add_time(struct compile *c, const struct pass *p, double seconds, double budget)
{
    for (uint32_t i = c->times.count; c->round && i-- > 0;) {
        struct pass_time *t = &c->times.items[i];
        if (strcmp(t->name, p->name) != 0)
            continue;
        t->seconds += seconds;
        t->budget += budget;
        return;
    }
    vec_push(c->ir->arena, &c->times, ((struct pass_time){ p->name, seconds, budget }));
}

static bool run_pass(struct compile *c, const struct pass *p, double *verifying)
{
    bool tells = c->request->dump && compile_is_word(c->request->debug_words, "changes");
    if (!has_facts(c, p))
        return false;
    c->pass = p;
    if (c->request->phase)
        atomic_store(c->request->phase, p->name);
    struct tree_key content = tells ? content_of(c) : (struct tree_key){ 0 };
    struct tree_key before = statements_of(c);
    double begin = now();
    double budget = budget_of(c, p);
    bool ok = p->run(c);
    add_time(c, p, now() - begin, budget);
    arena_reset(c->ir->scratch);
    c->facts = (c->facts & ~p->breaks) | p->makes;
    compile_forget(c, p->breaks & ~p->makes);
    if (c->dump)
        c->dump(c, p->name); /* after a failure too: that is when one looks */
    if (!ok)
        return false;
    if (tells)
        tell_change(c, p, content, content_of(c));
    begin = now();
    if (!kept_facts(c, before) || (must_verify(c, p) && !tree_verify(c->tree, c->ir->diags)))
        return false;
    *verifying += now() - begin;
    return true;
}

/* ---- all of them ---- */

/* A group of rows that runs again until it changes nothing. */
struct rounds {
    struct pass_group group; /* that is open; its first row is NULL: none is */
    struct tree_key before;  /* the program at the begin of the round */
};

static void open_group(struct compile *c, struct rounds *r, const struct pass *p)
{
    struct pass_group g;
    if (!pass_group(c->passes, p, &g) || p != g.first)
        return;
    if (r->group.first != g.first)
        c->round = 0;
    r->group = g;
    r->before = content_of(c);
}

/* The row behind `p`: the first one of its group once more, if the round has changed something. */
static const struct pass *next_row(struct compile *c, struct rounds *r, const struct pass *p)
{
    if (!r->group.first || p != r->group.last)
        return p + 1;
    if (c->round + 1 < r->group.rounds && !is_same(r->before, content_of(c))) {
        c->round++;
        return r->group.first;
    }
    r->group.first = NULL;
    c->round = 0;
    return p + 1;
}

bool compile_run(struct compile *c)
{
    if (!passes_choose(c))
        return false;
    double verifying = 0;
    struct rounds rounds = { .group = { .first = NULL } };
    for (const struct pass *p = c->passes; p->run; p = next_row(c, &rounds, p)) {
        open_group(c, &rounds, p);
        if (is_wanted(c, p) && !run_pass(c, p, &verifying))
            return false;
    }
    vec_push(c->ir->arena, &c->times, ((struct pass_time){ "verify", verifying, 0 }));
    return true;
}
