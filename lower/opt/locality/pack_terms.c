/* The innermost loop: one term of every sum of a tile. */
#include "lower/opt/locality/pack_tile.h"
#include "lower/tree/tree_rewrite.h"

/* The vector of a value for one row and one vector of columns; `values`: variable -> its vector or scalar there. */
struct lane {
    struct pack_tile *w;
    uint32_t row, vector;
    struct map values;
};

static struct tree_expr *scalar_use(void *user, struct tree_expr *e)
{
    const struct lane *at = user;
    if (e->op != EXPR_VAR)
        return e;
    if (e->var == at->w->p->row->var)
        return at->w->full[at->row];
    struct tree_expr *value = map_get(&at->values, e->var);
    return value ? value : e;
}

static struct tree_expr *vector_of(struct lane *at, struct tree_expr *e)
{
    struct pack_tile *w = at->w;
    struct tree *t = w->tree;
    uint32_t mask = pack_mask_of(w->p, e);
    if (!(mask & PACK_COLUMN))
        return expr_splat(t, w->vector, expr_rewrite(t, e, scalar_use, at));
    if (pack_is_packed(mask))
        return expr_var(t, w->operand[pack_find(w->p, e)][at->vector]);
    if (e->op == EXPR_VAR)
        return map_get(&at->values, e->var);
    if (e->op == EXPR_LOAD)
        return expr_var(t, w->sums[at->row][at->vector]);
    if (e->op == EXPR_NEG)
        return expr_unary(t, EXPR_NEG, vector_of(at, e->args[0]));
    return expr_binary(t, e->op, vector_of(at, e->args[0]), vector_of(at, e->args[1]));
}

static bool is_sum_of(const struct tree_expr *e, const struct tree_var *v)
{
    return (e->op == EXPR_ADD || e->op == EXPR_SUB) && e->args[0]->op == EXPR_VAR && e->args[0]->var == v;
}

/* The statements of the innermost loop for one row and one vector. */
static void put_vector(struct pack_tile *w, struct tree_stmt *block, struct lane *at)
{
    struct tree *t = w->tree;
    const struct pack *p = w->p;
    struct tree_var *sum = w->sums[at->row][at->vector];
    struct tree_stmt *last = NULL;
    for (uint32_t i = 0; i + 1 < p->column->body->items.count; i++) {
        const struct tree_stmt *s = p->column->body->items.items[i];
        uint32_t mask = pack_mask_of(p, s->value);
        if (!(mask & PACK_COLUMN) || pack_is_packed(mask))
            continue;
        struct tree_expr *value = vector_of(at, s->value);
        if (value->op != EXPR_VAR) {
            struct tree_var *v = tree_var(t, s->var->name, w->vector);
            last = stmt_assign(t, block, v, value);
            last->place = s->place;
            value = expr_var(t, v);
        }
        map_put(t->scratch, &at->values, s->var, value);
    }
    struct tree_expr *value = vector_of(at, p->store->value);
    if (p->store->kind == STMT_REDUCE)
        value = pack_add(t, expr_var(t, sum), value);
    if (last && value->op == EXPR_VAR && value->var == last->var) {
        last->var = sum;
    } else {
        last = stmt_assign(t, block, sum, value);
        last->place = p->store->place;
    }
    last->reassociate = !p->strict && is_sum_of(last->value, sum);
}

/* Values of an iteration of the sum that are the same for all columns. */
static void put_scalars(struct pack_tile *w, struct tree_stmt *block, const struct tree_stmt *values, struct lane *at)
{
    struct tree *t = w->tree;
    for (uint32_t i = 0; i + 1 < values->items.count; i++) {
        const struct tree_stmt *s = values->items.items[i];
        if (pack_mask_of(w->p, s->value) & PACK_COLUMN)
            continue;
        struct tree_var *v = tree_var(t, s->var->name, s->var->type);
        stmt_assign(t, block, v, expr_rewrite(t, s->value, scalar_use, at))->place = s->place;
        map_put(t->scratch, &at->values, s->var, expr_var(t, v));
    }
}

void pack_terms(struct pack_tile *w, struct tree_stmt *block, struct tree_expr *strip)
{
    struct tree *t = w->tree;
    const struct pack *p = w->p;
    const struct type *pointer = type_pointer(t->ir, w->vector);
    struct lane scalars[PACK_ROWS];
    struct tree_stmt *sums[PACK_SUMS];
    for (uint32_t r = 0; r < w->rows; r++)
        scalars[r] = (struct lane){ .w = w, .row = r };
    for (uint32_t i = 0; i < p->num_sums; i++) {
        sums[i] = pack_loop(w, block, p->sums[i], p->sums[i]->begin, p->sums[i]->end);
        block = sums[i]->body;
        for (uint32_t r = 0; r < w->rows; r++) {
            map_put(t->scratch, &scalars[r].values, p->sums[i]->var, expr_var(t, sums[i]->var));
            if (i + 1 < p->num_sums)
                put_scalars(w, block, p->sums[i]->body, &scalars[r]);
        }
    }
    struct tree_expr *at = pack_place(w, strip, sums, PACK_VECTORS);
    for (uint32_t i = 0; i < p->num_packed; i++)
        for (uint32_t v = 0; v < PACK_VECTORS; v++) {
            w->operand[i][v] = tree_var(t, "packed", w->vector);
            stmt_assign(t, block, w->operand[i][v],
                        expr_load(t, w->vector, expr_cast(t, pointer, w->packed[i]), pack_add(t, at, expr_i64(t, v)),
                                  w->alias[i]));
        }
    for (uint32_t r = 0; r < w->rows; r++) {
        put_scalars(w, block, p->sums[p->num_sums - 1]->body, &scalars[r]);
        put_scalars(w, block, p->column->body, &scalars[r]);
        for (uint32_t v = 0; v < PACK_VECTORS; v++) {
            struct lane lane = { .w = w, .row = r, .vector = v };
            for (uint32_t i = 0; i < scalars[r].values.count; i++)
                map_put(t->scratch, &lane.values, scalars[r].values.slots[i].key, scalars[r].values.slots[i].value);
            put_vector(w, block, &lane);
        }
    }
}
