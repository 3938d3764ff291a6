/* Memory of transients, taken and given back where the plan says (alloc_plan.c), scope by scope. */
#include "lower/graph/alloc.h"
#include "lower/graph/stream.h"
#include "lower/graph/target.h"
#include "lower/graph/threads.h"

struct binding *alloc_bind(struct scope *sc, const struct container *c, struct tree_var *v)
{
    struct lower *lw = sc->act->lw;
    uint32_t alias = container_is_reference(c) ? 0 : lw->tree->num_aliases++;
    struct tree_expr *pointer = v ? expr_var(lw->tree, v) : NULL;
    struct binding *b = binding_new(sc, &c->place, c, pointer, alias);
    if (!b)
        return NULL;
    b->var = v;
    map_put(lw->arena, &sc->act->bindings, c, b);
    return b;
}

struct allocation alloc_of(struct binding *b, struct tree_expr *count, enum allocation_life life)
{
    return (struct allocation){
        .owner = b->owner,
        .desc = b->desc,
        .binding = b,
        .var = b->var,
        .type = b->type,
        .count = count,
        .life = life,
    };
}

bool alloc_start_offset(struct scope *sc, struct binding *b)
{
    struct lower *lw = sc->act->lw;
    const struct sym *s = lower_symbolic(sc, &b->desc->place, b->desc->start_offset);
    if (!s || sym_is_int(s, 0))
        return s != NULL;
    struct tree_expr *e = lower_index(lw, &b->desc->place, s);
    if (e)
        b->pointer = expr_offset(lw->tree, b->pointer, e);
    return e != NULL;
}

struct tree_var *alloc_pointer_var(struct lower *lw, const struct container *c)
{
    return tree_var(lw->tree, c->name, type_pointer(lw->ir, is_stream(c) ? stream_handle_type(lw->ir) : c->type));
}

static bool check_type(struct lower *lw, const struct container *c)
{
    if (c->kind == CONTAINER_CONTAINER_ARRAY)
        return diag_error(lw->diags, &c->place, DIAG_UNSUPPORTED, "transient containers of this kind");
    if (!c->type || c->type->kind == TYPE_VOID || c->type->size == 0)
        return diag_error(lw->diags, &c->place, DIAG_UNKNOWN_TYPE, c->name);
    return true;
}

static bool is_structure(const struct container *c)
{
    return c->kind == CONTAINER_STRUCTURE || c->kind == CONTAINER_TENSOR;
}

static struct tree_expr *count_of(struct scope *sc, const struct container *c)
{
    const struct sym *size = lower_total_size(sc, &c->place, c);
    return size ? lower_index(sc->act->lw, &c->place, size) : NULL;
}

static struct tree_expr *allocate_structure(struct scope *sc, const struct container *c, struct tree_stmt *frees);

/* What a member points to. */
static struct tree_expr *allocate_member(struct scope *sc, const struct container *m, struct tree_stmt *frees)
{
    struct lower *lw = sc->act->lw;
    if (!check_type(lw, m))
        return NULL;
    if (is_structure(m))
        return allocate_structure(sc, m, frees);
    struct allocation a = {
        .owner = lower_target_of_memory(sc, m),
        .desc = m,
        .type = m->type,
        .count = count_of(sc, m),
        .life = LIFE_CALL,
    };
    if (!a.owner || !a.count)
        return NULL;
    a.var = alloc_pointer_var(lw, m);
    return lower_allocate(sc, &a, frees) ? expr_var(lw->tree, a.var) : NULL;
}

/* A structure and everything its members point to; NULL with a diagnostic. */
static struct tree_expr *allocate_structure(struct scope *sc, const struct container *c, struct tree_stmt *frees)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    struct allocation a = {
        .owner = lower_target_of_memory(sc, c),
        .desc = c,
        .var = tree_var(t, c->name, c->type),
        .type = c->type->elem,
        .count = expr_i64(t, 1),
        .life = LIFE_BLOCK,
        .zero = true,
    };
    if (!a.owner || !lower_allocate(sc, &a, frees))
        return NULL;
    for (uint32_t i = 0; i < c->members.count; i++) {
        const struct container *m = c->members.items[i];
        if (m->kind == CONTAINER_SCALAR)
            continue;
        struct tree_expr *p = allocate_member(sc, m, frees);
        if (!p)
            return NULL;
        struct tree_expr *field = expr_field(t, expr_var(t, a.var), m->index);
        stmt_store(t, sc->block, field, expr_i64(t, 0), expr_cast(t, field->type->elem, p), 0);
    }
    return expr_var(t, a.var);
}

/* Takes memory at sc->block; frees go to `frees`. */
static bool allocate(struct scope *sc, const struct home *h, struct tree_stmt *frees)
{
    struct lower *lw = sc->act->lw;
    const struct container *c = h->desc;
    if (is_structure(c)) {
        struct tree_expr *p = allocate_structure(sc, c, frees);
        struct binding *structure = p ? alloc_bind(sc, c, NULL) : NULL;
        if (structure)
            structure->pointer = p;
        return structure != NULL;
    }
    const struct target *owner = lower_target_of_memory(sc, c);
    struct binding *b = owner ? alloc_bind(sc, c, alloc_pointer_var(lw, c)) : NULL;
    if (!b)
        return false;
    b->owner = owner;
    if (is_stream(c))
        return lower_open_stream(sc, b, frees);
    struct allocation a = alloc_of(b, count_of(sc, c), LIFE_BLOCK);
    a.zero = h->zero;
    if (!a.count)
        return false;
    if (lower_has_parts(lw, c) && !sc->parallel) { /* one part for each thread */
        a.count = alloc_parts(lw, b, sc->block, a.count, alloc_thread_parts(lw, sc->block));
        a.life = LIFE_CALL;
    }
    return lower_allocate(sc, &a, frees) && alloc_start_offset(sc, b);
}

static bool prepare_lazy(struct scope *sc, struct home *h, struct tree_stmt *frees)
{
    struct lower *lw = sc->act->lw;
    h->capacity = tree_var(lw->tree, "capacity", type_basic(lw->ir, TYPE_I64));
    struct tree_var *v = alloc_pointer_var(lw, h->desc);
    stmt_assign(lw->tree, sc->block, h->capacity, expr_i64(lw->tree, 0));
    stmt_assign(lw->tree, sc->block, v, expr_null(lw->tree, v->type));
    struct binding *b = NEW(lw->arena, struct binding);
    b->desc = h->desc;
    b->owner = lower_target_of_memory(sc, h->desc);
    b->type = h->desc->type;
    b->var = v;
    b->pointer = expr_var(lw->tree, v);
    b->alias = lw->tree->num_aliases++;
    if (lower_has_parts(lw, h->desc) && !sc->parallel)
        b->parts = alloc_thread_parts(lw, sc->block);
    map_put(lw->arena, &sc->act->bindings, h->desc, b);
    struct allocation a = alloc_of(b, NULL, LIFE_CALL);
    return b->owner && lower_release(lw, &a, frees);
}

static bool only_written(const struct home *h, const struct state *st)
{
    for (uint32_t i = 0; i < st->nodes.count; i++) {
        const struct access *a = as_access(st->nodes.items[i]);
        if (a && a->data && alloc_root(a->data) == h->desc && a->node.out.count)
            return false;
    }
    return true;
}

/* The value as a real number, which does not wrap around. */
static struct tree_expr *as_real(struct tree *t, const struct tree_expr *e)
{
    const struct type *real = type_basic(t->ir, TYPE_F64);
    bool walk = e->type->kind == TYPE_I64 && (e->op == EXPR_ADD || e->op == EXPR_SUB || e->op == EXPR_MUL);
    if (!walk)
        return expr_cast(t, real, (struct tree_expr *)(uintptr_t)e);
    return expr_binary(t, e->op, as_real(t, e->args[0]), as_real(t, e->args[1]));
}

/* A count of elements; more than there can be if it does not fit into 64 bits, so that the allocation fails. */
static struct tree_expr *saturated(struct tree *t, struct tree_expr *count)
{
    if (count->op != EXPR_ADD && count->op != EXPR_SUB && count->op != EXPR_MUL)
        return count;
    struct tree_expr *most = expr_float(t, type_basic(t->ir, TYPE_F64), 4611686018427387904.0); /* 2^62 */
    return expr_select(t, expr_binary(t, EXPR_LT, as_real(t, count), most), count, expr_i64(t, INT64_MAX));
}

/* At the start of a state: (re)allocate if there is nothing yet, or if the state only writes and needs more. */
static bool ensure_lazy(struct scope *sc, struct home *h)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    struct binding *old = map_get(&sc->act->bindings, h->desc);
    struct binding *b =
        binding_new(sc, &h->desc->place, h->desc, old->pointer, old->alias); /* layout in today's symbols */
    struct tree_expr *count = count_of(sc, h->desc);
    if (!b || !count)
        return false;
    b->var = old->var;
    b->owner = old->owner;
    map_put(lw->arena, &sc->act->bindings, h->desc, b);
    struct tree_var *need = tree_var(t, "need", type_basic(lw->ir, TYPE_I64));
    stmt_assign(t, sc->block, need, saturated(t, count));
    struct tree_expr *missing = expr_binary(t, EXPR_EQ, expr_var(t, h->capacity), expr_i64(t, 0));
    if (only_written(h, sc->state))
        missing = expr_binary(t, EXPR_LT, expr_var(t, h->capacity), expr_var(t, need));
    struct scope inside = *sc;
    inside.block = stmt_if(t, sc->block, missing)->body;
    struct allocation a = alloc_of(b, expr_var(t, need), LIFE_CALL);
    a.zero = h->zero;
    if (!lower_release(lw, &a, inside.block))
        return false;
    if (old->parts) {
        a.count = expr_binary(t, EXPR_MUL, a.count, old->parts);
        b->parts = old->parts;
        b->part_size = expr_var(t, h->capacity);
    }
    if (!TARGET_WITH(a.owner, allocate)->allocate(a.owner, &inside, &a))
        return false;
    stmt_assign(t, inside.block, h->capacity, expr_var(t, need));
    return alloc_start_offset(sc, b);
}

struct writes {
    const struct container *desc;
    bool found;
};

static void find_write(void *user, struct block *b)
{
    struct writes *w = user;
    const struct state *st = as_state(b);
    for (uint32_t i = 0; st && i < st->nodes.count; i++) {
        const struct access *a = as_access(st->nodes.items[i]);
        for (uint32_t k = 0; a && a->data && alloc_root(a->data) == w->desc && k < a->node.in.count; k++)
            w->found = w->found || !memlet_is_empty(&a->node.in.items[k]->memlet);
    }
}

static bool is_written(const struct activation *act, const struct container *c)
{
    struct writes w = { .desc = c };
    region_each_block(&act->sdfg->region, find_write, &w);
    return w.found;
}

/* A constant may share its name with a container: its value is the container's content (format.md 7.1). What is only
 * read stays in the program's data; what is also written starts as a copy. */
static bool bind_constant(struct scope *sc, const struct home *h, const struct constant *k, struct tree_stmt *frees)
{
    struct lower *lw = sc->act->lw;
    const struct container *c = h->desc;
    void *bytes;
    size_t size;
    if (!constant_bytes(lw->ir, k, &bytes, &size))
        return false;
    if (k->desc->type != c->type)
        return diag_error(lw->diags, &c->place, DIAG_UNSUPPORTED,
                          "a container and a constant of one name and different types");
    struct tree_expr *data = expr_data(lw->tree, c->type, bytes, size);
    if (is_written(sc->act, c)) {
        if (!allocate(sc, h, frees))
            return false;
        const struct binding *b = map_get(&sc->act->bindings, c);
        stmt_copy(lw->tree, sc->block, c->type, b->pointer, b->alias, data, 0,
                  expr_i64(lw->tree, (int64_t)(size / c->type->size)));
        return true;
    }
    struct binding *b = alloc_bind(sc, c, NULL);
    if (b)
        b->pointer = data;
    return b != NULL;
}

static bool allocate_home(struct scope *sc, struct home *h, struct tree_stmt *frees)
{
    if (!check_type(sc->act->lw, h->desc))
        return false;
    const struct constant *k = sdfg_find_constant(sc->act->sdfg, h->desc->name);
    if (k)
        return bind_constant(sc, h, k, frees);
    if (is_stream(h->desc) && (h->kind == HOME_LAZY || h->kind == HOME_PERSISTENT || h->kind == HOME_EXTERNAL))
        return diag_error(sc->act->lw->diags, &h->desc->place, DIAG_UNSUPPORTED, "streams of this lifetime or size");
    if (is_structure(h->desc) && h->kind != HOME_ENTRY && h->kind != HOME_STATE && h->kind != HOME_SCOPE)
        return diag_error(sc->act->lw->diags, &h->desc->place, DIAG_UNSUPPORTED,
                          "transient structures of this lifetime or size");
    switch (h->kind) {
    case HOME_LAZY:
        return prepare_lazy(sc, h, frees);
    case HOME_GLOBAL:
    case HOME_PERSISTENT:
    case HOME_EXTERNAL:
        return alloc_outside(sc, h);
    default:
        return allocate(sc, h, frees);
    }
}

static bool bind_reference(struct scope *sc, const struct container *c)
{
    struct lower *lw = sc->act->lw;
    struct tree_var *v = alloc_pointer_var(lw, c);
    stmt_assign(lw->tree, sc->block, v, expr_null(lw->tree, v->type));
    return alloc_bind(sc, c, v) != NULL;
}

/* setzero of memory that was taken earlier than DaCe would: cleared when its state is entered. */
static bool clear_at_state(struct scope *sc, const struct home *h)
{
    struct lower *lw = sc->act->lw;
    const struct binding *b = map_get(&sc->act->bindings, h->desc);
    struct tree_expr *count = b ? count_of(sc, h->desc) : NULL;
    if (!count)
        return false;
    if (b->parts)
        count = expr_binary(lw->tree, EXPR_MUL, b->parts, b->part_size);
    stmt_zero(lw->tree, sc->block, b->type, expr_var(lw->tree, b->var), b->alias, count);
    return true;
}

static bool allocate_in(struct scope *sc, struct home *h, struct tree_stmt *frees)
{
    if (container_is_reference(h->desc))
        return bind_reference(sc, h->desc);
    bool in_state = sc->state && !sc->entry; /* whatever belongs to the activation has its memory by then */
    if (in_state && h->kind == HOME_LAZY)
        return ensure_lazy(sc, h);
    if (in_state && h->kind == HOME_ENTRY)
        return clear_at_state(sc, h);
    return allocate_home(sc, h, frees);
}

bool lower_allocate_scope(struct scope *sc, struct tree_stmt *frees)
{
    const struct home_list *homes = alloc_homes_at(sc);
    for (uint32_t i = 0; homes && i < homes->count; i++)
        if (!allocate_in(sc, homes->items[i], frees))
            return false;
    return true;
}
