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

/* The next piece of the caller's memory, right behind the one before (semantics.md 1.6) where its elements are aligned
 * there; the function is left if there is not enough. */
static void take_external(struct lower *lw, struct tree_stmt *block, struct tree_var *v, const struct container *c,
                          struct tree_expr *count)
{
    struct tree *t = lw->tree;
    int64_t storage = c->storage->row == STORAGE_DEFAULT ? STORAGE_CPU_HEAP : c->storage->row;
    struct tree_expr *bytes = expr_binary(t, EXPR_MUL, count, expr_i64(t, c->type->size));
    struct tree_expr *alignment = expr_i64(t, c->type->align ? c->type->align : 1);
    struct tree_expr *args[] = { expr_context(t), expr_i64(t, storage), bytes, alignment };
    stmt_call(t, block, v, "sdfg_rt_workspace", args, 4)->place = &c->place;
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

static bool allocate_global(struct lower *lw, struct binding *b, struct tree_expr *count, bool zero)
{
    if (lower_has_parts(lw, b->desc))
        count = alloc_parts(lw, b, lw->prologue, count, alloc_thread_parts(lw, lw->prologue));
    struct scope at = scope_at(lw->root, lw->prologue);
    struct allocation a = alloc_of(b, count, LIFE_CALL);
    a.zero = zero;
    return lower_allocate(&at, &a, lw->epilogue);
}

/* Memory in a slot of the program's state: made by init, gone with exit; *out is the variable of init. */
static bool make_slot(struct lower *lw, struct binding *b, const struct type *type, struct tree_expr *count,
                      uint32_t *slot, struct tree_var **out)
{
    struct tree *t = lw->tree;
    struct tree_func *init = lower_function(lw, &lw->init, "init");
    struct tree_func *end = lower_function(lw, &lw->exit, "exit");
    const struct type *pointer = type_pointer(lw->ir, type);
    struct scope at = scope_at(lw->root, init->body);
    struct allocation a = alloc_of(b, count, LIFE_PROGRAM);
    a.slot = *slot = t->num_slots++;
    a.type = type;
    a.zero = true;
    struct tree_var *leaving = tree_var(t, b->desc->name, pointer);
    a.var = *out = tree_var(t, b->desc->name, pointer);
    if (!TARGET_WITH(a.owner, allocate)->allocate(a.owner, &at, &a))
        return false;
    stmt_assign(t, end->body, leaving, expr_slot(t, *slot, pointer));
    a.var = leaving;
    return lower_release(lw, &a, end->body);
}

/* The number of threads is kept with the memory: it may be another one in a later call. */
static struct tree_expr *make_parts(struct lower *lw, struct binding *b, struct tree_expr *count)
{
    struct tree *t = lw->tree;
    const struct type *i64 = type_basic(lw->ir, TYPE_I64), *pointer = type_pointer(lw->ir, i64);
    struct tree_func *init = lower_function(lw, &lw->init, "init");
    uint32_t slot;
    struct tree_var *kept;
    struct tree_expr *limit = alloc_thread_parts(lw, init->body);
    if (!make_slot(lw, b, i64, expr_i64(t, 1), &slot, &kept))
        return NULL;
    stmt_store(t, init->body, expr_var(t, kept), expr_i64(t, 0), limit, 0);
    struct tree_var *now = tree_var(t, "limit", i64);
    stmt_assign(t, lw->prologue, now, expr_load(t, i64, expr_slot(t, slot, pointer), expr_i64(t, 0), 0));
    struct binding made = *b;
    struct tree_expr *all = alloc_parts(lw, &made, init->body, count, limit);
    alloc_parts(lw, b, lw->prologue, count, expr_var(t, now));
    return all;
}

static bool allocate_persistent(struct lower *lw, struct binding *b, struct tree_expr *count)
{
    struct tree *t = lw->tree;
    uint32_t slot;
    struct tree_var *v;
    if (lower_has_parts(lw, b->desc))
        count = make_parts(lw, b, count);
    if (!count || !make_slot(lw, b, b->type, count, &slot, &v))
        return false;
    stmt_assign(t, lw->prologue, b->var, expr_slot(t, slot, b->var->type));
    return true;
}

/* The caller's memory has no owner. */
static bool allocate_by_life(struct scope *sc, const struct home *h, struct binding *b, struct tree_expr *count)
{
    struct lower *lw = sc->act->lw;
    if (h->kind == HOME_EXTERNAL) {
        allocate_external(lw, b, count);
        return true;
    }
    b->owner = lower_target_of_memory(sc, h->desc);
    if (!b->owner)
        return false;
    if (is_stream(h->desc)) {
        struct scope at = scope_at(lw->root, lw->prologue);
        return lower_open_stream(&at, b, lw->epilogue);
    }
    return h->kind == HOME_GLOBAL ? allocate_global(lw, b, count, h->zero) : allocate_persistent(lw, b, count);
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
    if (!allocate_by_life(sc, h, b, count))
        return false;
    if (is_stream(c))
        return true;
    if (!alloc_start_offset(sc, b))
        return false;
    if (b->parts && sc->parallel)
        alloc_own_part(lw, b, sc->block);
    return true;
}
