/* Where operands are packed: in front of all loops whose iterations pack the same. */
#include "lower/opt/locality/pack.h"

struct packed_in {
    const struct pack *p;
    const struct tree_scan *scan; /* of the loop */
    const struct tree_piece *piece;
    bool varies;
};

static void see(void *user, struct tree_expr *e)
{
    struct packed_in *in = user;
    for (uint32_t i = 0; e->op == EXPR_LOAD && i < in->piece->accesses.count; i++) {
        const struct tree_access *a = in->piece->accesses.items[i];
        in->varies |= a->write && (a->alias == e->alias || a->alias == 0 || e->alias == 0);
    }
    if (e->op != EXPR_VAR || !map_has(&in->scan->assigned, e->var))
        return;
    const struct tree_stmt *value = map_get(&in->p->defined, e->var);
    if (value)
        expr_visit(value->value, see, in); /* it is computed where it is packed */
    else
        in->varies |= pack_mask_of(in->p, e) == 0 || (pack_mask_of(in->p, e) & ~(PACK_SUM | PACK_COLUMN));
}

static bool keeps_bounds(const struct tree_scan *scan, const struct tree_stmt *loop)
{
    return tree_scan_invariant(scan, loop->begin) && tree_scan_invariant(scan, loop->end);
}

/* Are operands, the terms and columns that they are packed for, and whether there are rows the same in all iterations?
 */
static bool stays(const struct pack *p, const struct tree_scan *scan, const struct tree_piece *piece)
{
    struct packed_in in = { p, scan, piece, false };
    for (uint32_t i = 0; i < p->num_packed; i++)
        expr_visit(p->packed[i], see, &in);
    for (uint32_t i = 0; i < p->num_sums; i++)
        in.varies |= !keeps_bounds(scan, p->sums[i]);
    for (uint32_t i = 0; i < p->num_homes; i++)
        in.varies |= !keeps_bounds(scan, p->homes[i]);
    return !in.varies && keeps_bounds(scan, p->column);
}

static bool stands_in(const struct tree_stmt *block, const struct tree_stmt *s)
{
    for (uint32_t i = 0; i < block->items.count; i++)
        if (block->items.items[i] == s)
            return true;
    return false;
}

void pack_find_home(struct pack *p, const struct tree_frame *frame)
{
    for (; frame && p->begin_slope + p->end_slope == 0 && p->num_homes < PACK_HOMES; frame = frame->outer) {
        struct tree_stmt *loop = (struct tree_stmt *)(uintptr_t)frame->loop;
        struct tree_scan scan = { .arena = p->tree->scratch };
        struct tree_piece piece = { 0 };
        tree_scan_add(&scan, loop);
        piece_add(p->tree->scratch, &piece, loop, NULL);
        if (!stands_in(loop->body, p->homes[p->num_homes - 1]) || piece.control || piece.effects || piece.frees ||
            piece.jumps || !stays(p, &scan, &piece))
            break;
        p->homes[p->num_homes++] = loop;
    }
}
