/* Sequential loops with independent iterations are marked parallel and independent.
 *
 *     for i {                                       for i parallel independent {
 *         for j = 0 to i { C[i, j] = ... }   ->         ...
 *     }                                             }
 *
 * Legality: No two iterations access the same element, one of them to change it (the test of fusion, applied to the
 * loop and itself).
 * Profitability: Always. */
#include "lower/opt/iterations.h"
#include "lower/opt/remark.h"

static bool is_candidate(const struct tree_stmt *s)
{
    return s->kind == STMT_FOR && !s->loop.parallel && !s->loop.independent && s->body->items.count > 0;
}

static bool is_apart(struct iterations *x, struct tree_stmt *s, const struct tree_frame *frame)
{
    const char *why = iterations_depend(x, s, frame);
    struct remarks *r = x->tree->ir->remarks;
    if (why)
        remark(r, s->place, remark_subject(x->tree, s), REMARK_DEPENDENT, why);
    else
        remark(r, s->place, remark_subject(x->tree, s), REMARK_INDEPENDENT);
    return !why;
}

static bool prove(void *user, struct tree_stmt *s, const struct tree_frame *frame)
{
    if (s->kind == STMT_PARALLEL)
        return false;
    if (is_candidate(s) && is_apart(user, s, frame))
        s->loop.parallel = s->loop.independent = true;
    return true;
}

bool opt_prove_parallel(struct tree *t, const struct tree_options *o)
{
    (void)o;
    for (uint32_t i = 0; i < t->functions.count; i++) {
        struct tree_func *f = t->functions.items[i];
        struct iterations x = iterations_of(t, f);
        tree_visit_frames(f->body, NULL, prove, &x);
    }
    return true;
}
