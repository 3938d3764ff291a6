#include "lower/opt/check/check_shadow.h"

struct shadows {
    struct checking *k;
};

/* ---- what a mark does to the bytes ---- */

struct touched {
    struct checking *k;
    const struct check_root *root;
    const struct tree_stmt *mark;
};

static void touch_element(struct touched *w, struct tree_stmt *block, struct tree_expr *index)
{
    struct tree *t = w->k->tree;
    const struct type *byte = type_basic(t->ir, TYPE_U8);
    struct tree_expr *shadow = expr_var(t, w->root->shadow);
    if (w->mark->check->read && !map_has(&w->k->initialised, w->mark)) {
        struct tree_expr *value = expr_load(t, byte, shadow, index, w->root->shadow_alias);
        struct tree_stmt *test = stmt_if(t, block, expr_binary(t, EXPR_EQ, value, expr_zero(t, byte)));
        check_report(t, test->body, w->mark, SDFG_RT_CHECK_UNINIT);
    }
    if (w->mark->check->write)
        stmt_store(t, block, shadow, index, expr_int(t, byte, 1), w->root->shadow_alias);
}

static struct tree_stmt *loop_over(struct tree *t, struct tree_stmt *block, struct tree_expr *count,
                                   struct tree_expr *by, struct tree_expr **index)
{
    struct tree_var *v = tree_var(t, "i", type_basic(t->ir, TYPE_I64));
    struct tree_stmt *loop = stmt_for(t, block, v, expr_i64(t, 0), count, expr_i64(t, 1));
    loop->loop.independent = true;
    *index = expr_binary(t, EXPR_ADD, *index, expr_binary(t, EXPR_MUL, expr_var(t, v), by));
    return loop->body;
}

/* All elements of the region; one element of the access may be several of the allocation. */
static void touch(struct touched *w, struct tree_stmt *block, struct tree_expr *index)
{
    struct tree *t = w->k->tree;
    for (uint32_t d = 0; d < w->mark->check->rank; d++) {
        struct tree_expr *low = *check_number(w->mark, d, CHECK_LOW), *high = *check_number(w->mark, d, CHECK_HIGH);
        struct tree_expr *step = *check_number(w->mark, d, CHECK_STEP);
        if (low == high || expr_equal(low, high))
            continue;
        struct tree_expr *steps = expr_binary(t, EXPR_DIV, expr_binary(t, EXPR_SUB, high, low), step);
        struct tree_expr *by = expr_binary(t, EXPR_MUL, step, *check_number(w->mark, d, CHECK_STRIDE));
        by = expr_binary(t, EXPR_MUL, by, expr_i64(t, check_units(w->mark, w->root)));
        block = loop_over(t, block, expr_binary(t, EXPR_ADD, steps, expr_i64(t, 1)), by, &index);
    }
    if (check_units(w->mark, w->root) > 1)
        block = loop_over(t, block, expr_i64(t, check_units(w->mark, w->root)), expr_i64(t, 1), &index);
    touch_element(w, block, index);
}

static void touch_mark(struct checking *k, struct tree_stmt *block, struct tree_stmt *mark)
{
    struct tree *t = k->tree;
    struct check_root *root = check_root_of(k, mark->args[CHECK_POINTER]);
    bool checks = root && mark->check->read && !map_has(&k->initialised, mark);
    if (!root || !root->shadow || !(mark->check->write || checks))
        return;
    struct touched w = { k, root, mark };
    struct tree_stmt *inside = stmt_if(t, block, expr_var(t, mark->var))->body;
    if (!expr_is_int(mark->args[CHECK_WHEN], 1))
        inside = stmt_if(t, inside, mark->args[CHECK_WHEN])->body;
    touch(&w, inside, check_element_of(k, mark, root));
}

/* ---- the bytes ---- */

static void take_bytes(struct checking *k, struct tree_stmt *block, struct tree_stmt *alloc)
{
    struct tree *t = k->tree;
    struct check_root *root = map_get(&k->roots, alloc->var);
    if (!root || !root->shadowed || !check_is_followed(root))
        return;
    const struct type *byte = type_basic(t->ir, TYPE_U8);
    root->shadow = tree_var(t, "written", type_pointer(t->ir, byte));
    root->shadow->owner = alloc->var->owner;
    root->shadow_alias = t->num_aliases++;
    stmt_alloc(t, block, root->shadow, byte, alloc->count, alloc->where)->zero = true;
}

static void shadow_block(struct checking *k, struct tree_stmt *s);

static void shadow_stmt(struct checking *k, struct tree_stmt *s)
{
    const struct tree_stmt *region = k->tree->region;
    if (s->kind == STMT_PARALLEL)
        k->tree->region = s;
    if (s->kind == STMT_BLOCK)
        shadow_block(k, s);
    if (s->body)
        shadow_stmt(k, s->body);
    if (s->otherwise)
        shadow_stmt(k, s->otherwise);
    k->tree->region = region;
}

static void shadow_block(struct checking *k, struct tree_stmt *s)
{
    struct tree *t = k->tree;
    struct tree_stmt *out = stmt_block(t);
    for (uint32_t i = 0; i < s->items.count; i++) {
        struct tree_stmt *item = s->items.items[i];
        struct check_root *freed = item->kind == STMT_FREE ? map_get(&k->roots, item->var) : NULL;
        shadow_stmt(k, item);
        if (freed && freed->shadow)
            stmt_free(t, out, freed->shadow);
        stmt_append(t, out, item);
        if (item->kind == STMT_ALLOC)
            take_bytes(k, out, item);
        if (stmt_is_check(item))
            touch_mark(k, out, item);
    }
    s->items.items = out->items.items;
    s->items.count = out->items.count;
    s->items.capacity = out->items.capacity;
}

void check_shadow(struct checking *k) { shadow_block(k, k->func->body); }
