#include "lower/opt/locality/strip_mine.h"

/* The same place as in an access before? Data counts once. */
static bool is_seen(const struct tree_piece *piece, uint32_t i)
{
    const struct tree_access *a = piece->accesses.items[i];
    for (uint32_t k = 0; k < i; k++) {
        const struct tree_access *b = piece->accesses.items[k];
        if (b->frame == a->frame && b->alias == a->alias && b->at && b->at->known && linear_equal(a->at, b->at))
            return true;
    }
    return false;
}

/* Bytes that an iteration of the inner loop reads and that other iterations of the outer one read, too. Negative: it
 * goes elsewhere in each of them, or is not known to go anywhere. */
static int64_t shared_bytes(const struct tree_piece *piece, const struct tree_stmt *loop, const struct tree_stmt *inner)
{
    int64_t bytes = 0;
    for (uint32_t i = 0; i < piece->accesses.count; i++) {
        const struct tree_access *a = piece->accesses.items[i];
        if (!a->frame || a->frame->loop != inner)
            continue;
        if (!a->pointer || !a->at->known || a->extent != 1)
            return -1;
        int64_t by_inner = strip_stride(a, inner->var), by_outer = strip_stride(a, loop->var);
        if (by_inner > 1 || (by_inner != 0 && (by_outer != 0 || a->write)))
            return -1;
        bytes += by_inner == 1 && !is_seen(piece, i) ? (int64_t)a->type->size : 0;
    }
    return bytes;
}

int64_t strip_memory(const struct strip *w) { return w->tree->machine->second_cache / 8; }

int64_t strip_block(const struct tree *t, const struct tree_piece *piece, const struct tree_stmt *loop,
                    const struct tree_stmt *inner)
{
    const struct machine *m = t->machine;
    bool known = inner->end->op == EXPR_INT;
    if (inner->begin->op != EXPR_INT || !tree_is_size(t, inner->end) || !expr_is_int(inner->step, 1) ||
        strip_has_loop(inner->body))
        return 0;
    int64_t bytes = shared_bytes(piece, loop, inner), trips = INT64_MAX; /* sizes are taken for large ones */
    if (bytes <= 0 || (known && __builtin_sub_overflow(inner->end->i, inner->begin->i, &trips)) ||
        trips < m->second_cache / bytes)
        return 0;
    return m->first_cache / bytes;
}
