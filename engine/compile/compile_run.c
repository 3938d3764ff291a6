/* The driver of the pass table. */
#include "engine/compile/compile.h"

#include "base/near.h"

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
    if (c->skipped && c->skipped[p - pipeline])
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

/* What a pass over the tree may take: all of them are close to linear in its size, for which its variables stand. No
 * program of the corpora takes half of it (fuse-nests in channel_flow does 45 %). A pass that takes more is reported
 * as slow, not stopped: what it does must not depend on the time. */
static double budget_of(const struct compile *c, const struct pass *p)
{
    enum { MICROSECONDS = 2000, MICROSECONDS_PER_VARIABLE = 5 };
    return p->tree ? 1e-6 * (MICROSECONDS + MICROSECONDS_PER_VARIABLE * (double)c->tree->num_vars) : 0;
}

/* ---- what the request says of passes ---- */

static const struct pass *find(const char *name, size_t length)
{
    for (const struct pass *p = pipeline; p->run; p++)
        if (!strncmp(p->name, name, length) && !p->name[length])
            return p;
    return NULL;
}

static bool unknown_pass(struct compile *c, const char *name)
{
    struct near n = near_begin(name);
    for (const struct pass *p = pipeline; p->run; p++)
        near_try(&n, p->name);
    return diag_error(c->ir->diags, NULL, DIAG_PASS_UNKNOWN, name,
                      *n.best ? arena_printf(c->ir->arena, " (did you mean '%s'?)", n.best) : "");
}

/* "-NAME,-NAME" */
static bool take_passes(struct compile *c, const char *list)
{
    size_t rows = 1;
    for (const struct pass *p = pipeline; p->run; p++)
        rows++;
    bool *skipped = NEW_ARRAY(c->ir->arena, bool, rows);
    for (const char *at = list;;) {
        size_t length = strcspn(at, ",");
        const char *word = arena_strndup(c->ir->arena, at, length);
        if (*word != '-' || length == 1)
            return diag_error(c->ir->diags, NULL, DIAG_PASS_LIST, list, word);
        const struct pass *p = find(word + 1, length - 1);
        if (!p)
            return unknown_pass(c, word + 1);
        if (!p->tree)
            return diag_error(c->ir->diags, NULL, DIAG_PASS_NEEDED, p->name);
        skipped[p - pipeline] = true;
        at += length;
        if (!*at++)
            break;
    }
    c->skipped = skipped;
    return true;
}

static bool check_dump_after(struct compile *c)
{
    const char *name = c->request->dump_after;
    return !name || !strcmp(name, "all") || find(name, strlen(name)) || unknown_pass(c, name);
}

bool compile_run(struct compile *c)
{
    if (!check_dump_after(c) || (c->request->passes && !take_passes(c, c->request->passes)))
        return false;
    double verifying = 0;
    for (const struct pass *p = pipeline; p->run; p++) {
        if (!is_wanted(c, p))
            continue;
        unsigned missing = p->needs & ~c->facts;
        if (missing)
            return diag_error(c->ir->diags, NULL, DIAG_PASS_FACT, p->name, fact_name(missing));
        c->pass = p;
        if (c->request->phase)
            atomic_store(c->request->phase, p->name);
        double begin = now();
        double budget = budget_of(c, p);
        bool ok = p->run(c);
        vec_push(c->ir->arena, &c->times, ((struct pass_time){ p->name, now() - begin, budget }));
        arena_reset(c->ir->scratch);
        c->facts = (c->facts & ~p->breaks) | p->makes;
        if (c->dump)
            c->dump(c, p->name); /* after a failure too: that is when one looks */
        if (!ok)
            return false;
        begin = now();
        if (must_verify(c, p) && !tree_verify(c->tree, c->ir->diags))
            return false;
        verifying += now() - begin;
    }
    vec_push(c->ir->arena, &c->times, ((struct pass_time){ "verify", verifying, 0 }));
    return true;
}
