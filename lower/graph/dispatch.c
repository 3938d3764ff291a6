#include "lower/graph/target.h"

#include "lower/graph/instrument.h"

static const struct target *const list[] = { &cuda_target, &mpi_target, &openmp_target, &cpu_target };

enum { NUM_TARGETS = sizeof list / sizeof list[0] };

const struct target *target_for_schedule(const struct enum_value *schedule)
{
    for (int i = 0; i < NUM_TARGETS; i++)
        if (list[i]->claims_schedule(schedule))
            return list[i];
    return NULL;
}

const struct target *target_for_storage(const struct enum_value *storage)
{
    for (int i = 0; i < NUM_TARGETS; i++)
        if (list[i]->claims_storage(storage))
            return list[i];
    return NULL;
}

const struct target *target_at(uint32_t index) { return index < NUM_TARGETS ? list[index] : NULL; }

static bool (*const lower_by_kind[NODE_COUNT])(struct scope *, struct node *) = {
#define NODE(K, json, s, family, doc) [NODE_##K] = lower_##s,
#include "ir/nodes.def"
#undef NODE
};

bool lower_node(struct scope *sc, struct node *n)
{
    struct lower_timer timer = lower_timer_begin(sc, lower_node_instrument(n));
    struct tree_stmt *block = sc->block;
    if (!lower_by_kind[n->kind](sc, n))
        return false;
    sc->block = block; /* checks of the node guard nothing else */
    lower_timer_end_node(sc, &timer, n);
    return true;
}
