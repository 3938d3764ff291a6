/* What passes that keep, move or share values might get wrong: places and bounds that change on the way. */
#include "tests/run/corner.h"

/* The place that a name stands for changes between the store and the load of an iteration. */
static void moving_place(struct corner *c)
{
    struct region *top = &c->s->region;
    corner_array(c, "int64 B[4]", "4*0", "2 3 4 5");
    build_symbol(c->s, "i", "int64");
    build_symbol(c->s, "s", "int64");
    build_transient(c->s, "T", "int64", "2")->storage = enum_builtin(c->ir, STORAGE_CPU_HEAP);
    struct loop *loop = build_loop(top, "loop", "i", "i = 0", "i < 4", "i = i + 1");
    struct state *begin = build_state(&loop->region, "begin"), *one = build_state(&loop->region, "one");
    struct state *other = build_state(&loop->region, "other"), *end = build_state(&loop->region, "end");
    corner_body(one, NULL, "t = i + 2", NULL, "t = T[s]", NULL);
    corner_body(other, NULL, "t = 9", NULL, "t = T[s]", NULL);
    corner_body(end, NULL, "b = t", "t = T[s]", "b = B[i]", NULL);
    build_transition(&begin->block, &one->block, NULL, "s = i % 2");
    build_transition(&one->block, &other->block, NULL, "s = 1 - s");
    build_transition(&other->block, &end->block, NULL, "s = 1 - s");
}

const struct corner_row corner_order[] = {
    { "order_moving_place", moving_place, false },
    { NULL, NULL, false },
};
