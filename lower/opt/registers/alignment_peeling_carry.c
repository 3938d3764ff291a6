/* Neighbours that a row loads come from the iterations before:
 *
 *                                                     left = A[first - 1]
 *                                                     here = A[first]
 *     for i = first to last independent whole {       for i = first to last independent whole {
 *         B[i] = A[i - 1] + A[i] + A[i + 1]     ->        right = A[i + 1]
 *     }                                                   B[i] = left + here + right
 *                                                         left = here
 *                                                         here = right
 *                                                     }
 *
 * LLVM makes vectors of such values, too (it calls them recurrences): `here` is the last lane of the `right` before and
 * all but the last one of this. That is an instruction on registers in place of a load, which would straddle a line. An
 * element between two others that nothing loads itself would cost as much as it saves. */
#include "lower/opt/registers/alignment_peeling.h"
#include "lower/tree/tree_linear.h"
#include "lower/tree/tree_rewrite.h"

enum { FARTHEST = 2 }; /* elements apart */

/* Loads of elements `low` to `high` beside that of `first`. */
struct beside {
    struct tree *tree;
    const struct tree_stmt *loop;
    const struct tree_expr *first;
    int64_t low, high;
    struct tree_var *values[FARTHEST + 1]; /* of the elements, from low on */
};

static bool stores_to(const struct tree_stmt *s, uint32_t alias)
{
    if (s->kind == STMT_STORE && (s->alias == alias || !s->alias || !alias))
        return true;
    for (uint32_t i = 0; i < s->items.count; i++)
        if (stores_to(s->items.items[i], alias))
            return true;
    return false;
}

/* How many elements behind the first load this one is; false: no such number. */
static bool is_beside(const struct tree_expr *first, const struct tree_expr *load, int64_t *by)
{
    struct linear apart, at;
    if (load->alias != first->alias || load->type != first->type || !expr_equal(load->args[0], first->args[0]))
        return false;
    linear_of(&apart, load->args[1]);
    linear_of(&at, first->args[1]);
    linear_add(&apart, &at, -1);
    *by = apart.constant;
    return linear_is_constant(&apart);
}

/* Takes in what keeps all of them near enough. */
static void find_side(struct beside *s, const struct tree_expr *const *loads, uint32_t count)
{
    int64_t by;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_beside(s->first, loads[i], &by))
            continue;
        int64_t low = by < s->low ? by : s->low, high = by > s->high ? by : s->high;
        if (high - low <= FARTHEST) {
            s->low = low;
            s->high = high;
        }
    }
}

static struct tree_expr *take_value(void *user, struct tree_expr *e)
{
    const struct beside *s = user;
    int64_t by;
    if (e->op != EXPR_LOAD || !is_beside(s->first, e, &by) || by < s->low || by > s->high)
        return e;
    return expr_var(s->tree, s->values[by - s->low]);
}

static bool take_values(void *user, struct tree_stmt *s)
{
    struct beside *side = user;
    stmt_rewrite(side->tree, s, take_value, side);
    return true;
}

/* The element that many behind the first load in iteration `i`. */
static struct tree_expr *element(const struct beside *s, int64_t by, const struct tree_expr *i)
{
    struct linear at, moved, value;
    linear_of(&at, s->first->args[1]);
    linear_of(&value, i);
    linear_replace(&moved, &at, s->loop->var, &value);
    moved.constant += by;
    return expr_load(s->tree, s->first->type, s->first->args[0], linear_expr(s->tree, &moved), s->first->alias);
}

static void carry(struct beside *s, struct tree_stmt *block, struct tree_stmt *loop)
{
    struct tree *t = s->tree;
    int64_t last = s->high - s->low;
    struct tree_stmt *body = stmt_block(t);
    for (int64_t i = 0; i <= last; i++)
        s->values[i] = tree_var(t, "side", s->first->type);
    for (int64_t i = 0; i < last; i++)
        stmt_assign(t, block, s->values[i], element(s, s->low + i, loop->begin));
    stmt_visit(loop->body, take_values, s);
    stmt_assign(t, body, s->values[last], element(s, s->high, expr_var(t, loop->var)));
    stmt_append(t, body, loop->body);
    for (int64_t i = 0; i < last; i++)
        stmt_assign(t, body, s->values[i], expr_var(t, s->values[i + 1]));
    loop->body = body;
}

uint32_t lines_carry(struct tree *t, struct tree_stmt *block, struct tree_stmt *loop,
                     const struct tree_expr *const *loads, uint32_t count)
{
    bool taken[LINES_LOADS] = { false };
    uint32_t carried = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct beside s = { .tree = t, .loop = loop, .first = loads[i] };
        int64_t by;
        if (taken[i] || stores_to(loop->body, loads[i]->alias))
            continue;
        find_side(&s, loads, count);
        int64_t found = 0;
        for (uint32_t k = i; k < count; k++)
            if (is_beside(s.first, loads[k], &by) && by >= s.low && by <= s.high) {
                taken[k] = true;
                found++;
            }
        if (found == 1 || found <= s.high - s.low) /* alone, or with one between them that nothing loads */
            continue;
        carry(&s, block, loop);
        carried += (uint32_t)(s.high - s.low);
    }
    return carried;
}
