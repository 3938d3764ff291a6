#include "engine/call/recent.h"

#include "engine/kernels/kernels.h"

#include <string.h>

static void move_to_front(struct recent *r, uint32_t i)
{
    struct sdfg_kernel *k = r->kernels[i];
    memmove(r->kernels + 1, r->kernels, i * sizeof *r->kernels);
    r->kernels[0] = k;
}

/* Not one whose better one is there: that is asked for. */
static bool find(struct recent *r, const struct signature *s)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (signature_same(&r->kernels[i]->signature, s) && kernel_newest(r->kernels[i]) == r->kernels[i]) {
            move_to_front(r, i);
            return true;
        }
    return false;
}

/* Where the next one goes: instead of one that is not the newest any more, behind the others, instead of the last. */
static uint32_t place_for_next(const struct recent *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (kernel_newest(r->kernels[i]) != r->kernels[i])
            return i;
    return r->count < RECENT_KERNELS ? r->count : RECENT_KERNELS - 1;
}

static bool ask(struct recent *r, struct kernel_table *t, const struct signature *s, sdfg_error **error)
{
    uint32_t place = place_for_next(r);
    struct sdfg_kernel *k = kernels_get(t, s, place < r->count ? r->kernels[place] : NULL, error);
    if (!k)
        return false;
    r->count += place == r->count;
    r->kernels[place] = k;
    move_to_front(r, place);
    return true;
}

static void give_back_from(struct recent *r, uint32_t first)
{
    for (uint32_t i = first; i < r->count; i++)
        kernels_release(r->kernels[i]);
    r->count = r->count < first ? r->count : first;
}

struct sdfg_kernel *recent_kernel(struct recent *r, struct kernel_table *t, const struct signature *s,
                                  sdfg_error **error)
{
    *error = NULL;
    if (find(r, s))
        kernels_count_found(t);
    else if (!ask(r, t, s, error))
        return NULL;
    return r->kernels[0];
}

void recent_make_room(struct recent *r, const struct kernel_table *t)
{
    uint32_t crowded = kernels_crowded(t);
    if (r->crowded != crowded)
        give_back_from(r, 1);
    r->crowded = crowded;
}

void recent_release(struct recent *r) { give_back_from(r, 0); }
