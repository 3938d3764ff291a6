/* Transients that live longer than their activation: lifetimes Global, Persistent and External (semantics.md 3.3). */
#include "lower/graph/alloc.h"
#include "lower/graph/stream.h"

struct root_names {
    struct lower *lw;
    bool ok;
};

static void check_root_name(void *user, const struct sym *name)
{
    struct root_names *r = user;
    const struct tree_var *v = map_get(&r->lw->vars, name->name);
    bool found = false;
    for (uint32_t i = 0; i < r->lw->main->params.count; i++)
        found = found || r->lw->main->params.items[i].var == v;
    r->ok = r->ok && found;
}

/* The next piece of the caller's memory; the function is left if there is not enough. */
static void take_external(struct lower *lw, struct tree_stmt *block, struct tree_var *v, const struct container *c,
                          struct tree_expr *count)
{
    struct tree *t = lw->tree;
    int64_t storage = c->storage->row == STORAGE_DEFAULT ? STORAGE_CPU_HEAP : c->storage->row;
    struct tree_expr *bytes = expr_binary(t, EXPR_MUL, count, expr_i64(t, c->type->size));
    struct tree_expr *args[] = { expr_context(t), expr_i64(t, storage), bytes };
    stmt_call(t, block, v, "sdfg_rt_external", args, 3)->place = &c->place;
    struct tree_expr *none = expr_binary(t, EXPR_EQ, expr_var(t, v), expr_null(t, v->type));
    stmt_new(t, stmt_if(t, block, none)->body, STMT_RETURN);
}

static void allocate_external(struct lower *lw, struct binding *b, struct tree_expr *count)
{
    const struct container *c = b->desc;
    struct tree_func *f = lower_function(lw, &lw->workspace, "workspace");
    take_external(lw, f->body, tree_var(lw->tree, c->name, b->var->type), c, count);
    take_external(lw, lw->externals, b->var, c, count);
}

static void allocate_global(struct lower *lw, struct binding *b, struct tree_expr *count, bool zero)
{
    struct tree *t = lw->tree;
    if (alloc_is_local(b->desc))
        count = alloc_parts(lw, b, lw->prologue, count, alloc_thread_parts(lw, lw->prologue));
    struct tree_stmt *s = stmt_alloc(t, lw->prologue, b->var, b->type, count, TREE_HEAP);
    s->zero = zero;
    s->place = &b->desc->place;
    stmt_free(t, lw->epilogue, b->var);
}

/* Memory in a slot of the program's state: made by init, gone with exit. */
static struct tree_var *make_slot(struct lower *lw, const struct container *c, const struct type *type,
                                  struct tree_expr *count, uint32_t *slot)
{
    struct tree *t = lw->tree;
    struct tree_func *init = lower_function(lw, &lw->init, "init");
    struct tree_func *end = lower_function(lw, &lw->exit, "exit");
    const struct type *pointer = type_pointer(lw->ir, type);
    *slot = t->num_slots++;
    struct tree_var *leaving = tree_var(t, c->name, pointer), *v = tree_var(t, c->name, pointer);
    stmt_assign(t, end->body, leaving, expr_slot(t, *slot, pointer));
    stmt_free(t, end->body, leaving);
    struct tree_stmt *a = stmt_alloc(t, init->body, v, type, count, TREE_STATE);
    a->slot = *slot;
    a->zero = true;
    a->place = &c->place;
    return v;
}

/* The number of threads is kept with the memory: it may be another one in a later call. */
static struct tree_expr *make_parts(struct lower *lw, struct binding *b, struct tree_expr *count)
{
    struct tree *t = lw->tree;
    const struct type *i64 = type_basic(lw->ir, TYPE_I64), *pointer = type_pointer(lw->ir, i64);
    struct tree_func *init = lower_function(lw, &lw->init, "init");
    uint32_t slot;
    struct tree_expr *limit = alloc_thread_parts(lw, init->body);
    struct tree_var *kept = make_slot(lw, b->desc, i64, expr_i64(t, 1), &slot);
    stmt_store(t, init->body, expr_var(t, kept), expr_i64(t, 0), limit, 0);
    struct tree_var *now = tree_var(t, "limit", i64);
    stmt_assign(t, lw->prologue, now, expr_load(t, i64, expr_slot(t, slot, pointer), expr_i64(t, 0), 0));
    struct binding made = *b;
    struct tree_expr *all = alloc_parts(lw, &made, init->body, count, limit);
    alloc_parts(lw, b, lw->prologue, count, expr_var(t, now));
    return all;
}

static void allocate_persistent(struct lower *lw, struct binding *b, struct tree_expr *count)
{
    struct tree *t = lw->tree;
    uint32_t slot;
    if (alloc_is_local(b->desc))
        count = make_parts(lw, b, count);
    make_slot(lw, b->desc, b->type, count, &slot);
    stmt_assign(t, lw->prologue, b->var, expr_slot(t, slot, b->var->type));
}

/* Sizes may only use arguments of the program. */
bool alloc_outside(struct scope *sc, const struct home *h)
{
    struct lower *lw = sc->act->lw;
    const struct container *c = h->desc;
    const struct sym *size = lower_total_size(sc, &c->place, c);
    if (!size)
        return false;
    struct root_names names = { lw, true };
    sym_visit_names(size, check_root_name, &names);
    if (!names.ok)
        return diag_error(lw->diags, &c->place, DIAG_SIZE_NOT_AT_START, c->name, sym_text(lw->ir, size));
    struct tree_expr *count = lower_index(lw, &c->place, size);
    struct binding *b = count ? alloc_bind(sc, c, alloc_pointer_var(lw, c)) : NULL;
    if (!b)
        return false;
    if (is_stream(c))
        return lower_open_stream(sc, b, lw->prologue, lw->epilogue);
    if (h->kind == HOME_EXTERNAL)
        allocate_external(lw, b, count);
    else if (h->kind == HOME_GLOBAL)
        allocate_global(lw, b, count, h->zero);
    else
        allocate_persistent(lw, b, count);
    if (!alloc_start_offset(sc, b))
        return false;
    if (b->parts && sc->parallel)
        alloc_own_part(lw, b, sc->block);
    return true;
}
