#include "engine/call/call.h"

#include "base/intern.h"
#include "engine/kernels/choose.h"
#include "engine/kernels/policy.h"

/* What of a call changes the code. */

struct span {
    uintptr_t begin, end;
};

static bool is_memory(const struct argument_entry *e) { return e->has_extent && e->array.data; }

static struct span span_of(const struct argument_entry *e)
{
    uintptr_t data = (uintptr_t)e->array.data;
    return (struct span){ data + (uintptr_t)e->begin, data + (uintptr_t)e->end };
}

static bool meet(struct span x, struct span y) { return x.begin < y.end && y.begin < x.end; }

/* Does an entry share memory with one before it, one of them written? Marks both in `overlaps` if there is such a
 * table, which has a row per argument. */
static bool shares(const struct sdfg_args *a, size_t which, bool *overlaps)
{
    const struct leaf *arguments = a->program->arguments;
    const struct argument_entry *e = a->entries[which];
    bool found = false;
    for (size_t i = 0; i < which; i++) {
        const struct argument_entry *other = a->entries[i];
        if (!is_memory(other) || !meet(span_of(e), span_of(other)) ||
            !(arguments[e->argument].written || arguments[other->argument].written))
            continue;
        found = true;
        if (overlaps)
            overlaps[e->argument] = overlaps[other->argument] = true;
    }
    return found;
}

/* What addresses say: the alignment, in few classes so that they do not multiply the code; which arrays share memory.
 * False if none do. */
static bool look_at_memory(const struct sdfg_args *a, uint32_t *alignment, bool *overlaps)
{
    uintptr_t bits = 64;
    struct span all = { UINTPTR_MAX, 0 }; /* around what was seen so far: who is outside meets nobody */
    bool found = false;
    for (size_t i = 0; i < a->num_entries; i++) {
        const struct argument_entry *e = a->entries[i];
        if (!is_memory(e))
            continue;
        struct span s = span_of(e);
        bits |= (uintptr_t)e->array.data;
        if (meet(s, all) && shares(a, i, overlaps))
            found = true;
        all.begin = s.begin < all.begin ? s.begin : all.begin;
        all.end = s.end > all.end ? s.end : all.end;
    }
    uintptr_t lowest = bits & -bits;
    *alignment = lowest >= 64 ? 64 : lowest >= 16 ? 16 : 0;
    return found;
}

/* Two arguments that share memory, one of them written, although neither may. */
static bool breaks_promise(const struct sdfg_args *a, const struct argument_entry *e,
                           const struct argument_entry *other)
{
    const struct leaf *x = &a->program->arguments[e->argument], *y = &a->program->arguments[other->argument];
    return is_memory(e) && is_memory(other) && x != y && !x->may_alias && !y->may_alias && (x->written || y->written) &&
           meet(span_of(e), span_of(other));
}

bool call_broken_promise(const struct sdfg_args *a, const struct leaf **x, const struct leaf **y)
{
    for (size_t i = 0; i < a->num_entries; i++)
        for (size_t k = 0; k < i; k++)
            if (breaks_promise(a, a->entries[i], a->entries[k])) {
                *x = &a->program->arguments[a->entries[k]->argument];
                *y = &a->program->arguments[a->entries[i]->argument];
                return true;
            }
    return false;
}

bool call_is_repeated(const struct sdfg_args *a)
{
    uint32_t alignment;
    if (a->program->engine->device_auto)
        return false;
    return a->settled && a->kernel && kernel_newest(a->kernel) == a->kernel && !a->kernel->signature.num_may_alias &&
           !look_at_memory(a, &alignment, NULL) && alignment == a->kernel_alignment;
}

/* In argument order, each once. */
static uint32_t overlapping(const struct sdfg_args *a, struct arena *arena, const char *const **out)
{
    const struct sdfg_program *p = a->program;
    bool *overlaps = NEW_ARRAY(arena, bool, p->num_arguments);
    const char **names = NEW_ARRAY(arena, const char *, p->num_arguments);
    uint32_t count = 0, ignored;
    look_at_memory(a, &ignored, overlaps);
    for (uint32_t i = 0; i < p->num_arguments; i++)
        if (overlaps[i])
            names[count++] = p->arguments[i].name;
    *out = names;
    return count;
}

static uint32_t all_arrays(const struct sdfg_program *p, struct arena *arena, const char *const **out)
{
    const char **names = NEW_ARRAY(arena, const char *, p->num_arguments);
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->num_arguments; i++)
        if (!leaf_is_value(&p->arguments[i]))
            names[count++] = p->arguments[i].name;
    *out = names;
    return count;
}

struct signature call_signature(const struct sdfg_args *a, struct arena *arena, bool remember, uint32_t *alignment)
{
    const struct sdfg_program *p = a->program;
    struct signature s = { 0 };
    s.device = choose_device(a, arena, remember ? NULL : &s.device_why);
    if (look_at_memory(a, &s.alignment, NULL))
        s.num_may_alias = overlapping(a, arena, &s.may_alias);
    if (alignment)
        *alignment = s.alignment;
    uint64_t class = hash_bytes(s.may_alias, s.num_may_alias * sizeof *s.may_alias, s.alignment);
    struct choice choice = policy_choose(p->policy, a->values, class, s.device, remember, arena);
    s.bound = choice.bound;
    s.num_bound = choice.num_bound;
    if (choice.coarse) {
        s.alignment = 0;
        s.num_may_alias = all_arrays(p, arena, &s.may_alias);
    }
    return s;
}
