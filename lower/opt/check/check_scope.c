/* References: pointers that are null until they are set, and are made null again where the memory that they point to
 * ends. An access through one that is null is a fault. */
#include "lower/opt/check/check.h"

struct scopes {
    struct checking *k;
    VEC(struct tree_var *) references;
    uint32_t depth; /* of blocks */
};

static bool find_reference(void *user, struct tree_stmt *s)
{
    struct scopes *w = user;
    if (s->kind != STMT_ASSIGN || s->value->op != EXPR_NULL || map_get(&w->k->roots, s->var))
        return true;
    for (uint32_t i = 0; i < w->references.count; i++)
        if (w->references.items[i] == s->var)
            return true;
    vec_push(w->k->tree->scratch, &w->references, s->var);
    return true;
}

static bool is_reference(const struct scopes *w, const struct tree_var *v)
{
    for (uint32_t i = 0; i < w->references.count; i++)
        if (w->references.items[i] == v)
            return true;
    return false;
}

static struct tree_expr *as_number(struct tree *t, struct tree_var *v)
{
    return expr_cast(t, type_basic(t->ir, TYPE_I64), expr_var(t, v));
}

/* References into memory that ends here become null. */
static void end_memory(struct scopes *w, struct tree_stmt *block, struct tree_stmt *alloc)
{
    struct tree *t = w->k->tree;
    if (!alloc || !expr_is_pure(alloc->count))
        return;
    for (uint32_t i = 0; i < w->references.count; i++) {
        struct tree_var *r = w->references.items[i];
        if (r->owner != t->region || alloc->var->owner != t->region)
            continue;
        struct tree_expr *behind = expr_binary(t, EXPR_SUB, as_number(t, r), as_number(t, alloc->var));
        struct tree_expr *bytes = expr_binary(t, EXPR_MUL, alloc->count, expr_i64(t, alloc->type->size));
        struct tree_expr *inside = expr_binary(t, EXPR_LOGICAL_AND, expr_binary(t, EXPR_GE, behind, expr_i64(t, 0)),
                                               expr_binary(t, EXPR_LT, behind, bytes));
        struct tree_expr *alive = expr_binary(t, EXPR_NE, as_number(t, alloc->var), expr_i64(t, 0));
        struct tree_stmt *test = stmt_if(t, block, expr_binary(t, EXPR_LOGICAL_AND, alive, inside));
        stmt_assign(t, test->body, r, expr_null(t, r->type));
    }
}

/* One more mark of the same guard: its index is 1, out of 1, if the reference is null. */
static void mark_reference(struct scopes *w, struct tree_stmt *block, const struct tree_stmt *s)
{
    struct tree *t = w->k->tree;
    const struct tree_expr *root = expr_root(s->args[CHECK_POINTER]);
    if (root->op != EXPR_VAR || !is_reference(w, root->var))
        return;
    struct tree_check *c = NEW(t->arena, struct tree_check);
    *c = (struct tree_check){
        .place = s->check->place, .container = s->check->container, .kind = SDFG_RT_CHECK_SCOPE, .rank = 1
    };
    struct tree_expr *null = expr_binary(t, EXPR_EQ, as_number(t, root->var), expr_i64(t, 0));
    struct tree_expr *dims[CHECK_DIM];
    dims[CHECK_LOW] = dims[CHECK_HIGH] = expr_cast(t, type_basic(t->ir, TYPE_I64), null);
    dims[CHECK_EXTENT] = dims[CHECK_STRIDE] = dims[CHECK_STEP] = expr_i64(t, 1);
    stmt_check(t, block, c, s->args[CHECK_POINTER], s->args[CHECK_WHEN], dims);
    vec_last(&block->items)->var = s->var;
    check_count(w->k, s->var, 1);
}

static void visit(struct scopes *w, struct tree_stmt *s);

static void visit_block(struct scopes *w, struct tree_stmt *s)
{
    struct tree *t = w->k->tree;
    struct tree_stmt *out = stmt_block(t);
    VEC(struct tree_stmt *) here = { 0 };
    w->depth++;
    for (uint32_t i = 0; i < s->items.count; i++) {
        struct tree_stmt *item = s->items.items[i];
        visit(w, item);
        const struct check_root *freed = item->kind == STMT_FREE ? map_get(&w->k->roots, item->var) : NULL;
        if (freed)
            end_memory(w, out, freed->alloc);
        if (stmt_is_check(item) && item->check->kind == SDFG_RT_CHECK_BOUNDS)
            mark_reference(w, out, item);
        if (item->kind == STMT_ALLOC && item->where == TREE_STACK)
            vec_push(t->scratch, &here, item);
        stmt_append(t, out, item);
    }
    for (uint32_t i = 0; i < here.count && w->depth > 1; i++)
        end_memory(w, out, here.items[i]);
    w->depth--;
    s->items.items = out->items.items;
    s->items.count = out->items.count;
    s->items.capacity = out->items.capacity;
}

static void visit(struct scopes *w, struct tree_stmt *s)
{
    const struct tree_stmt *region = w->k->tree->region;
    if (s->kind == STMT_PARALLEL)
        w->k->tree->region = s;
    if (s->kind == STMT_BLOCK)
        visit_block(w, s);
    if (s->body)
        visit(w, s->body);
    if (s->otherwise)
        visit(w, s->otherwise);
    w->k->tree->region = region;
}

void check_scope(struct checking *k)
{
    struct scopes w = { .k = k };
    stmt_visit(k->func->body, find_reference, &w);
    if (w.references.count)
        visit(&w, k->func->body);
}
