#include "engine/call.h"

#include "base/intern.h"
#include "engine/kernels/policy.h"

/* What of a call changes the code. */

struct memory_span {
    uintptr_t begin, end;
    uint32_t root;
};

static bool has_memory(const struct entry *e)
{
    return (e->kind == ENTRY_ARRAY || e->kind == ENTRY_POINTER) && !leaf_is_value(e->leaf) && e->array.data;
}

/* Arrays that share memory with another, one of them written. In argument order, each once. */
static uint32_t overlapping(const struct sdfg_args *a, struct arena *arena, const char *const **out)
{
    const struct sdfg_program *p = a->program;
    struct memory_span *regions = NEW_ARRAY(arena, struct memory_span, a->num_entries);
    bool *overlaps = NEW_ARRAY(arena, bool, p->num_arguments);
    size_t n = 0;
    for (size_t i = 0; i < a->num_entries; i++) {
        const struct entry *e = a->entries[i];
        int64_t begin, end;
        if (!has_memory(e))
            continue;
        entry_extent(e, p, a->values, &begin, &end);
        uintptr_t data = (uintptr_t)e->array.data;
        regions[n++] = (struct memory_span){ data + (uintptr_t)begin, data + (uintptr_t)end, e->argument };
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++) {
            const struct memory_span *x = &regions[i], *y = &regions[k];
            if (x->begin < y->end && y->begin < x->end &&
                (p->arguments[x->root].written || p->arguments[y->root].written))
                overlaps[x->root] = overlaps[y->root] = true;
        }
    const char **names = NEW_ARRAY(arena, const char *, p->num_arguments);
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->num_arguments; i++)
        if (overlaps[i])
            names[count++] = p->arguments[i].name;
    *out = names;
    return count;
}

/* Few classes, so that addresses do not multiply the code. */
uint32_t call_alignment(const struct sdfg_args *a)
{
    uintptr_t bits = 64;
    for (size_t i = 0; i < a->num_entries; i++)
        if (has_memory(a->entries[i]))
            bits |= (uintptr_t)a->entries[i]->array.data;
    uintptr_t lowest = bits & -bits;
    return lowest >= 64 ? 64 : lowest >= 16 ? 16 : 0;
}

bool call_is_repeated(const struct sdfg_args *a, struct arena *arena)
{
    const char *const *ignored;
    return a->settled && a->kernel && kernel_newest(a->kernel) == a->kernel && !a->kernel->signature.num_may_alias &&
           a->kernel_alignment == call_alignment(a) && !overlapping(a, arena, &ignored);
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

struct signature call_signature(const struct sdfg_args *a, struct arena *arena, bool remember)
{
    const struct sdfg_program *p = a->program;
    struct signature s = { .alignment = call_alignment(a) };
    s.num_bound = policy_bound(p->policy, a->values, remember, arena, &s.bound);
    s.num_may_alias = overlapping(a, arena, &s.may_alias);
    if (policy_coarse(p->policy, hash_bytes(s.may_alias, s.num_may_alias * sizeof *s.may_alias, s.alignment),
                      remember)) {
        s.alignment = 0;
        s.num_may_alias = all_arrays(p, arena, &s.may_alias);
    }
    return s;
}
