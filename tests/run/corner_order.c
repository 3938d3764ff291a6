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

/* Rows of a triangle, each with sums of as many terms as a table says: B[i, j] = B[i, j - 1] + L[i] + B[j, j]. */
static void terms_of_rows(struct corner *c)
{
    struct arena *a = c->ir->arena;
    struct text rows = text_new(a), lengths = text_new(a);
    struct region *top = &c->s->region;
    enum { ROWS = 36 };
    for (int i = 0; i < ROWS; i++) {
        text_printf(&lengths, "%d ", i % 5);
        for (int j = 0, last = 0; j < ROWS; j++) {
            last = i == 0 || j == 0 || j > i ? 0 : j == i ? i : last + i % 5 + j;
            text_printf(&rows, "%d ", last);
        }
    }
    corner_array(c, "int64 L[36]", text_get(&lengths), NULL);
    corner_array(c, "float64 one[36]", "36*1", NULL);
    corner_array(c, "float64 B[36, 36]", "1296*0", text_get(&rows));
    build_transient(c->s, "t", "float64", "1");
    static const char *const symbols[] = { "i", "j", "n" };
    for (int i = 0; i < 3; i++)
        build_symbol(c->s, symbols[i], "int64");
    struct loop *i = build_loop(top, "rows", "i", "i = 1", "i < 36", "i = i + 1");
    struct loop *j = build_loop(&i->region, "columns", "j", "j = 1", "j < i", "j = j + 1");
    struct state *begin = build_state(&j->region, "begin"), *sum = build_state(&j->region, "sum");
    struct state *set = build_state(&j->region, "set"), *diagonal = build_state(&i->region, "diagonal");
    struct library *dot = build_library(sum, "dot", "dace.libraries.blas.nodes.dot.Dot", "_x, _y", "_result", NULL);
    build_edge(&build_access(sum, "one")->node, NULL, &dot->node, "_x", "one[0:n]", NULL);
    build_edge(&build_access(sum, "one")->node, NULL, &dot->node, "_y", "one[0:n]", NULL);
    build_edge(&dot->node, "_result", &build_access(sum, "t")->node, NULL, "t[0]", NULL);
    corner_body(set, NULL, "o = x + y + z", "x = t[0], y = B[j, j], z = B[i, j - 1]", "o = B[i, j]", NULL);
    corner_body(diagonal, NULL, "o = i", NULL, "o = B[i, i]", NULL);
    build_transition(&begin->block, &sum->block, NULL, "n = L[i]");
    build_transition(&sum->block, &set->block, NULL, NULL);
    build_transition(&j->region.block, &diagonal->block, NULL, NULL);
}

const struct corner_row corner_order[] = {
    { "order_moving_place", moving_place, false },
    { "order_terms_of_rows", terms_of_rows, false },
    { NULL, NULL, false },
};
