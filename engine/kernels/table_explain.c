/* Why there is a kernel, or none. */
#include "engine/kernels/table.h"

#include "base/fatal.h"
#include "base/text.h"

static bool was_dropped(const struct kernel_table *t, uint64_t hash)
{
    for (uint32_t i = 0; i < DROPPED && i < t->num_dropped; i++)
        if (t->dropped[i] == hash)
            return true;
    return false;
}

static const struct sdfg_kernel *nearest(const struct kernel_table *t, const struct signature *s)
{
    const struct sdfg_kernel *best = NULL;
    uint32_t least = UINT32_MAX;
    for (uint32_t b = 0; b < NUM_BUCKETS; b++)
        for (const struct sdfg_kernel *k = t->buckets[b]; k; k = k->next) {
            uint32_t differences = signature_differences(s, &k->signature, NULL);
            if (differences < least) {
                least = differences;
                best = k;
            }
        }
    return best;
}

void table_reason(const struct kernel_table *t, const struct signature *s, uint64_t hash, struct text *out)
{
    const struct sdfg_kernel *k = nearest(t, s);
    if (was_dropped(t, hash))
        text_printf(out, "it was dropped to keep kernels below %llu bytes",
                    (unsigned long long)store_of(t)->memory.limit);
    else if (k)
        signature_differences(s, &k->signature, out);
    else
        text_add(out, "it is the first one");
}

static void print_quick(const struct sdfg_kernel *k, struct text *out)
{
    text_add(out, "its code is quick, and ");
    if (k->not_improved)
        text_printf(out, "optimized code could not be made: %s", k->not_improved);
    else if (k->program->engine->options.tier != SDFG_TIER_AUTO)
        text_add(out, "stays so");
    else if (atomic_load_explicit(&k->calls, memory_order_relaxed) > 1)
        text_add(out, "optimized code is being made");
    else
        text_add(out, "the second call asks for optimized code");
}

void kernels_explain(struct kernel_table *t, const struct signature *s, struct text *out)
{
    struct kernel_store *store = store_of(t);
    uint64_t hash = signature_hash(s);
    struct cleanup locked;
    guard_lock(&locked, &store->lock);
    const struct sdfg_kernel *k = table_find(t, s, hash);
    text_printf(out, "memory: %s kernel for ", k ? "there is a" : "there is no");
    signature_print(s, out);
    text_add(out, k && !k->quick ? "" : "; ");
    if (!k)
        table_reason(t, s, hash, out);
    else if (k->quick)
        print_quick(k, out);
    text_addc(out, '\n');
    guard_unlock(&locked);
}
