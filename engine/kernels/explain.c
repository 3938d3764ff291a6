#include "engine/args/args.h"
#include "engine/call/call.h"
#include "engine/kernels/disk.h"
#include "engine/kernels/kernels.h"
#include "engine/kernels/policy.h"
#include "engine/tune/tune.h"

#include <stdlib.h>
#include <string.h>

/* Why a call finds its code, or why it must be compiled, in plain words. */

void signature_print(const struct signature *s, struct text *out)
{
    for (uint32_t i = 0; i < s->num_bound; i++)
        text_printf(out, "%s = %lld, ", s->bound[i].name, (long long)s->bound[i].value);
    if (!s->num_bound)
        text_add(out, "any size, ");
    if (s->alignment)
        text_printf(out, "arrays aligned to %u bytes", s->alignment);
    else
        text_add(out, "arrays aligned to their elements");
    if (s->device)
        text_add(out, ", for a GPU");
    if (s->passes && *s->passes)
        text_printf(out, ", passes %s", s->passes);
    for (uint32_t i = 0; i < s->num_may_alias; i++)
        text_printf(out, "%s%s", i ? ", " : ", overlapping ", s->may_alias[i]);
}

struct differences {
    struct text *out; /* or NULL */
    uint32_t count;
};

static struct text *next_difference(struct differences *d)
{
    if (d->count++ && d->out)
        text_add(d->out, ", ");
    return d->out;
}

static const sdfg_symbol *find_bound(const struct signature *s, const char *name)
{
    for (uint32_t i = 0; i < s->num_bound; i++)
        if (s->bound[i].name == name)
            return &s->bound[i];
    return NULL;
}

static void compare_bound(const struct signature *s, const struct signature *other, struct differences *d)
{
    for (uint32_t i = 0; i < s->num_bound; i++) {
        const sdfg_symbol *b = &s->bound[i], *there = find_bound(other, b->name);
        if (there && there->value == b->value)
            continue;
        struct text *out = next_difference(d);
        if (out && there)
            text_printf(out, "%s is %lld and not %lld", b->name, (long long)b->value, (long long)there->value);
        else if (out)
            text_printf(out, "%s is fixed to %lld", b->name, (long long)b->value);
    }
    for (uint32_t i = 0; i < other->num_bound; i++) {
        if (find_bound(s, other->bound[i].name))
            continue;
        struct text *out = next_difference(d);
        if (out)
            text_printf(out, "%s is not fixed any more", other->bound[i].name);
    }
}

static bool overlaps(const struct signature *s, const char *name)
{
    for (uint32_t i = 0; i < s->num_may_alias; i++)
        if (s->may_alias[i] == name)
            return true;
    return false;
}

static void compare_overlaps(const struct signature *s, const struct signature *other, const char *text,
                             struct differences *d)
{
    for (uint32_t i = 0; i < s->num_may_alias; i++) {
        if (overlaps(other, s->may_alias[i]))
            continue;
        struct text *out = next_difference(d);
        if (out)
            text_printf(out, text, s->may_alias[i]);
    }
}

static bool same_passes(const struct signature *s, const struct signature *other)
{
    return !strcmp(s->passes ? s->passes : "", other->passes ? other->passes : "");
}

uint32_t signature_differences(const struct signature *s, const struct signature *other, struct text *out)
{
    struct differences d = { .out = out };
    compare_bound(s, other, &d);
    if (s->alignment != other->alignment && next_difference(&d)) {
        if (s->alignment)
            text_printf(out, "arrays are aligned to %u bytes", s->alignment);
        else
            text_add(out, "arrays are aligned to their elements only");
    }
    if (s->device != other->device && next_difference(&d))
        text_add(out, s->device ? "it runs on a GPU" : "it runs on the CPU");
    if (!same_passes(s, other) && next_difference(&d))
        text_printf(out, "the choice of passes is %s", s->passes && *s->passes ? s->passes : "the default");
    compare_overlaps(s, other, "%s overlaps another array", &d);
    compare_overlaps(other, s, "%s overlaps no other array", &d);
    return d.count;
}

/* ---- a call ---- */

/* False if nothing is kept. */
static bool explain_disk(const struct sdfg_program *p, const struct signature *s, bool quick, struct text *out)
{
    struct sdfg_engine *e = p->engine;
    const char *why = e->disk_off, *key = e->disk ? disk_key(e->disk, p, s, quick, out->arena, &why) : NULL;
    if (!key) {
        text_printf(out, "disk: not used: %s\n", why);
        return false;
    }
    bool there = cache_has(disk_store_of(e->disk), key, strlen(key));
    text_printf(out, "disk: there is %s%s%s\n", there ? "" : "no ", quick ? "quick code in " : "",
                cache_path(disk_store_of(e->disk), key, strlen(key), out->arena));
    return true;
}

static void explain(struct sdfg_program *p, const struct signature *s, int num_threads, struct text *out)
{
    struct sdfg_engine *e = p->engine;
    policy_explain(p->policy, out);
    if (p->engine->tunes)
        tune_explain(p, s, num_threads, out);
    kernels_explain(p->kernels, s, out);
    bool kept = e->options.tier == SDFG_TIER_QUICK || explain_disk(p, s, false, out);
    if (kept && e->options.tier != SDFG_TIER_FULL)
        explain_disk(p, s, true, out);
}

bool sdfg_args_ready(sdfg_args *a)
{
    if (!a)
        return true;
    if (call_is_repeated(a))
        return true;
    GUARDED(true); /* the call says so */
    struct report r = args_report(a);
    struct solver s;
    if (!args_settle(a) && !args_solve(a, r.arena, &s, r.diags))
        return true;
    struct signature signature = call_signature(a, r.arena, false, NULL);
    tune_apply(a->program, &signature, a->num_threads);
    return kernels_have(a->program->kernels, &signature);
}

sdfg_error *sdfg_args_explain_cache(char **out, sdfg_args *a)
{
    NEEDS(out);
    *out = NULL;
    NEEDS(a);
    GUARDED(error_memory(SDFG_STAGE_BIND));
    struct report r = args_report(a);
    struct solver s;
    struct text t = text_new(r.arena);
    if (args_solve(a, r.arena, &s, r.diags)) {
        struct signature signature = call_signature(a, r.arena, false, NULL);
        tune_apply(a->program, &signature, a->num_threads);
        explain(a->program, &signature, a->num_threads, &t);
    }
    return give_text(out, &t, NULL, report_end(&r, SDFG_STAGE_BIND));
}
