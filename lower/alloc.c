/* Where transients live (semantics.md 3.3): computed once per activation, then carried out scope by scope.
 *
 * Memory whose size is known when the activation starts is taken there even if only one state uses it (its content is
 * undefined at state entry anyway), so loops over states do not allocate. Sizes that depend on symbols assigned inside
 * are allocated when control first reaches a use, and again when a state that only writes needs more. */
#include "lower/alloc.h"
#include "lower/stream.h"
#include "lower/target.h"

/* ---- uses ---- */

static const struct container *root_container(const struct container *c)
{
    while (c->parent)
        c = c->parent;
    return c;
}

static struct home *home_of(struct alloc_plan *p, const struct container *c)
{
    c = root_container(c);
    struct home *h = map_get(&p->homes, c);
    if (!h) {
        h = NEW(p->act->lw->arena, struct home);
        h->desc = c;
        map_put(p->act->lw->arena, &p->homes, c, h);
    }
    return h;
}

static uint32_t depth(const struct node *entry)
{
    uint32_t d = 0;
    for (; entry; entry = entry->scope)
        d++;
    return d;
}

static struct node *common_scope(struct node *a, struct node *b)
{
    while (depth(a) > depth(b))
        a = a->scope;
    while (depth(b) > depth(a))
        b = b->scope;
    while (a != b) {
        a = a->scope;
        b = b->scope;
    }
    return a;
}

static void use(struct alloc_plan *p, const struct container *c, struct state *st, struct node *scope)
{
    struct home *h = home_of(p, c);
    if (h->used && h->state != st)
        h->shared = true;
    h->scope = h->used && h->state == st ? common_scope(h->scope, scope) : scope;
    h->state = st;
    h->used = true;
}

struct use_site {
    struct alloc_plan *plan;
    struct state *state; /* NULL: a transition, loop or branch */
    struct node *scope;
};

static void use_name(void *user, const char *name)
{
    struct use_site *s = user;
    const struct container *c = sdfg_find_container(s->plan->act->sdfg, name);
    if (!c)
        return;
    use(s->plan, c, s->state, s->scope);
    if (!s->state)
        home_of(s->plan, c)->shared = true;
}

static void use_sym_name(void *user, const struct sym *name) { use_name(user, name->name); }

static void use_subset(struct use_site *s, const struct subset *subset)
{
    for (uint32_t i = 0; subset && i < subset->rank; i++) {
        sym_visit_names(subset->dims[i].begin, use_sym_name, s);
        sym_visit_names(subset->dims[i].end, use_sym_name, s);
        sym_visit_names(subset->dims[i].step, use_sym_name, s);
    }
}

static void collect_state(struct alloc_plan *p, struct state *st)
{
    for (uint32_t i = 0; i < st->nodes.count; i++) {
        struct node *n = st->nodes.items[i];
        struct use_site site = { p, st, n->scope };
        if (as_access(n) && as_access(n)->data) {
            use(p, as_access(n)->data, st, n->scope);
            if (as_access(n)->setzero)
                home_of(p, as_access(n)->data)->zero = true;
        } else if (as_map_entry(n)) {
            use_subset(&site, &as_map_entry(n)->range);
        } else if (as_consume_entry(n)) {
            sym_visit_names(as_consume_entry(n)->num_pes, use_sym_name, &site);
            if (as_consume_entry(n)->condition.tree)
                code_free_names(as_consume_entry(n)->condition.tree, use_name, &site);
        } else if (as_nested(n)) {
            for (uint32_t k = 0; k < as_nested(n)->mapping.count; k++)
                sym_visit_names(as_nested(n)->mapping.items[k].value, use_sym_name, &site);
        }
    }
    for (uint32_t i = 0; i < st->edges.count; i++) {
        struct edge *e = st->edges.items[i];
        struct node *inner = depth(e->src->scope) > depth(e->dst->scope) ? e->src : e->dst;
        struct use_site site = { p, st, inner->scope };
        use_subset(&site, e->memlet.subset);
        use_subset(&site, e->memlet.other);
    }
}

static void collect_code(struct alloc_plan *p, const struct code *c)
{
    struct use_site site = { .plan = p };
    if (c)
        code_free_names((struct code *)(uintptr_t)c, use_name, &site);
}

static void collect_block(void *user, struct block *b)
{
    struct alloc_plan *p = user;
    if (as_state(b))
        collect_state(p, as_state(b));
    if (as_loop(b)) {
        collect_code(p, as_loop(b)->init.tree);
        collect_code(p, as_loop(b)->condition.tree);
        collect_code(p, as_loop(b)->update.tree);
    }
    if (as_conditional(b))
        for (uint32_t i = 0; i < as_conditional(b)->branches.count; i++)
            collect_code(p, as_conditional(b)->branches.items[i].condition.tree);
    if (as_region(b))
        for (uint32_t i = 0; i < as_region(b)->transitions.count; i++) {
            struct transition *t = as_region(b)->transitions.items[i];
            collect_code(p, t->condition.tree);
            for (uint32_t k = 0; k < t->assignments.count; k++)
                collect_code(p, t->assignments.items[k].value);
        }
}

/* ---- where ---- */

struct depends {
    const struct alloc_plan *plan;
    bool found, assigned_only;
};

static void check_name(void *user, const struct sym *name)
{
    struct depends *d = user;
    struct activation *act = d->plan->act;
    if (map_has(&d->plan->assigned, name->name) ||
        (!d->assigned_only && !map_has(&act->symbols, name->name) && !sdfg_find_constant(act->sdfg, name->name)))
        d->found = true;
}

/* Does the size need a symbol that has no value when the activation starts? */
static bool size_changes(const struct alloc_plan *p, const struct container *c, bool assigned_only)
{
    struct depends d = { .plan = p, .assigned_only = assigned_only };
    sym_visit_names(c->total_size, check_name, &d);
    sym_visit_names(c->start_offset, check_name, &d);
    for (uint32_t i = 0; i < c->members.count; i++)
        d.found = d.found || size_changes(p, c->members.items[i], assigned_only);
    return d.found;
}

static enum home_kind decide(const struct alloc_plan *p, const struct home *h)
{
    const struct container *c = h->desc;
    switch (c->lifetime->row) {
    case LIFETIME_PERSISTENT:
        return HOME_PERSISTENT;
    case LIFETIME_EXTERNAL:
        return HOME_EXTERNAL;
    case LIFETIME_GLOBAL:
        return HOME_GLOBAL;
    case LIFETIME_SDFG:
        return size_changes(p, c, true) ? HOME_LAZY : HOME_ENTRY;
    default:
        break;
    }
    if (!h->shared && h->scope && c->lifetime->row == LIFETIME_SCOPE)
        return HOME_SCOPE;
    if (!h->shared && is_stream(c)) /* its queues are empty whenever the state is entered */
        return HOME_STATE;
    if (!size_changes(p, c, false))
        return HOME_ENTRY;
    return h->shared ? HOME_LAZY : HOME_STATE;
}

bool lower_plan_allocations(struct activation *act)
{
    struct lower *lw = act->lw;
    struct alloc_plan *p = NEW(lw->arena, struct alloc_plan);
    p->act = act;
    act->plan = p;
    sdfg_assigned_symbols(act->sdfg, &p->assigned);
    collect_block(p, &act->sdfg->region.block);
    region_each_block(&act->sdfg->region, collect_block, p);
    for (uint32_t i = 0; i < p->homes.count; i++) {
        struct home *h = p->homes.slots[i].value;
        if (!h->desc->transient || container_is_view(h->desc))
            continue;
        if (container_is_reference(h->desc)) {
            h->kind = HOME_ENTRY;
            continue;
        }
        h->kind = decide(p, h);
    }
    return true;
}

bool lower_is_private_to(const struct activation *act, const struct container *c, const struct node *entry)
{
    const struct home *h = map_get(&act->plan->homes, root_container(c));
    if (!h || h->kind != HOME_SCOPE)
        return false;
    for (const struct node *s = h->scope; s; s = s->scope)
        if (s == entry)
            return true;
    return false;
}

/* ---- carrying it out ---- */

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
    if (!c->type || c->type->kind == TYPE_VOID || c->type->kind == TYPE_OPAQUE || c->type->size == 0)
        return diag_error(lw->diags, &c->place, DIAG_UNKNOWN_TYPE, c->name);
    return true;
}

static bool is_structure(const struct container *c)
{
    return c->kind == CONTAINER_STRUCTURE || c->kind == CONTAINER_TENSOR;
}

/* A structure and everything its members point to; NULL with a diagnostic. */
static struct tree_expr *allocate_structure(struct scope *sc, const struct container *c, struct tree_stmt *frees)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    const struct type *s = c->type->elem;
    struct tree_var *v = tree_var(t, c->name, c->type);
    stmt_alloc(t, sc->block, v, s, expr_i64(t, 1), TREE_STACK)->zero = true;
    for (uint32_t i = 0; i < c->members.count; i++) {
        const struct container *m = c->members.items[i];
        if (m->kind == CONTAINER_SCALAR)
            continue;
        if (!check_type(lw, m))
            return NULL;
        struct tree_expr *p;
        if (is_structure(m)) {
            p = allocate_structure(sc, m, frees);
        } else {
            const struct sym *size = lower_total_size(sc, &m->place, m);
            struct tree_expr *count = size ? lower_index(lw, &m->place, size) : NULL;
            if (!count)
                return NULL;
            struct tree_var *memory = alloc_pointer_var(lw, m);
            stmt_alloc(t, sc->block, memory, m->type, count, TREE_HEAP)->place = &m->place;
            stmt_free(t, frees, memory);
            p = expr_var(t, memory);
        }
        if (!p)
            return NULL;
        struct tree_expr *field = expr_field(t, expr_var(t, v), m->index);
        stmt_store(t, sc->block, field, expr_i64(t, 0), expr_cast(t, field->type->elem, p), 0);
    }
    return expr_var(t, v);
}

/* One part for each thread. */
static bool allocate_local(struct scope *sc, struct binding *b, struct tree_stmt *frees, bool zero)
{
    struct lower *lw = sc->act->lw;
    const struct sym *size = lower_total_size(sc, &b->desc->place, b->desc);
    struct tree_expr *count = size ? lower_index(lw, &b->desc->place, size) : NULL;
    if (!count)
        return false;
    count = alloc_parts(lw, b, sc->block, count, alloc_thread_limit(lw, sc->block));
    struct tree_stmt *s = stmt_alloc(lw->tree, sc->block, b->var, b->type, count, TREE_HEAP);
    s->zero = zero;
    s->place = &b->desc->place;
    stmt_free(lw->tree, frees, b->var);
    return true;
}

/* Takes memory at sc->block; frees go to `frees`. */
static bool allocate(struct scope *sc, const struct home *h, struct tree_stmt *frees)
{
    struct lower *lw = sc->act->lw;
    const struct container *c = h->desc;
    const struct target *t = target_for_storage(c->storage);
    if (!t)
        return diag_error(lw->diags, &c->place, DIAG_NO_STORAGE_TARGET, c->storage->name);
    if (is_structure(c)) {
        struct tree_expr *p = allocate_structure(sc, c, frees);
        struct binding *structure = p ? alloc_bind(sc, c, NULL) : NULL;
        if (structure)
            structure->pointer = expr_cast(lw->tree, type_pointer(lw->ir, c->type), p);
        return structure != NULL;
    }
    struct binding *b = alloc_bind(sc, c, alloc_pointer_var(lw, c));
    if (b && is_stream(c))
        return lower_open_stream(sc, b, sc->block, frees);
    if (b && alloc_is_local(c) && !sc->parallel)
        return allocate_local(sc, b, frees, h->zero) && alloc_start_offset(sc, b);
    return b && t->allocate(sc, b, sc->block, frees, h->zero) && alloc_start_offset(sc, b);
}

static bool prepare_lazy(struct scope *sc, struct home *h, struct tree_stmt *frees)
{
    struct lower *lw = sc->act->lw;
    h->capacity = tree_var(lw->tree, "capacity", type_basic(lw->ir, TYPE_I64));
    struct tree_var *v = alloc_pointer_var(lw, h->desc);
    stmt_assign(lw->tree, sc->block, h->capacity, expr_i64(lw->tree, 0));
    stmt_assign(lw->tree, sc->block, v, expr_null(lw->tree, v->type));
    stmt_free(lw->tree, frees, v);
    struct binding *b = NEW(lw->arena, struct binding);
    b->desc = h->desc;
    b->type = h->desc->type;
    b->var = v;
    b->pointer = expr_var(lw->tree, v);
    b->alias = lw->tree->num_aliases++;
    if (alloc_is_local(h->desc) && !sc->parallel)
        b->parts = alloc_thread_limit(lw, sc->block);
    map_put(lw->arena, &sc->act->bindings, h->desc, b);
    return true;
}

static bool only_written(const struct home *h, const struct state *st)
{
    for (uint32_t i = 0; i < st->nodes.count; i++) {
        const struct access *a = as_access(st->nodes.items[i]);
        if (a && a->data && root_container(a->data) == h->desc && a->node.out.count)
            return false;
    }
    return true;
}

static bool used_in(const struct home *h, const struct state *st)
{
    for (uint32_t i = 0; i < st->nodes.count; i++) {
        const struct access *a = as_access(st->nodes.items[i]);
        if (a && a->data && root_container(a->data) == h->desc)
            return true;
    }
    return false;
}

/* At the start of a state: (re)allocate if there is nothing yet, or if the state only writes and needs more. */
static bool ensure_lazy(struct scope *sc, struct home *h)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    struct binding *old = map_get(&sc->act->bindings, h->desc);
    struct binding *b =
        binding_new(sc, &h->desc->place, h->desc, old->pointer, old->alias); /* layout in today's symbols */
    const struct sym *size = lower_total_size(sc, &h->desc->place, h->desc);
    struct tree_expr *count = size ? lower_index(lw, &h->desc->place, size) : NULL;
    if (!b || !count)
        return false;
    b->var = old->var;
    map_put(lw->arena, &sc->act->bindings, h->desc, b);
    struct tree_var *need = tree_var(t, "need", type_basic(lw->ir, TYPE_I64));
    stmt_assign(t, sc->block, need, count);
    struct tree_expr *missing = expr_binary(t, EXPR_EQ, expr_var(t, h->capacity), expr_i64(t, 0));
    if (only_written(h, sc->state))
        missing = expr_binary(t, EXPR_LT, expr_var(t, h->capacity), expr_var(t, need));
    struct tree_stmt *s = stmt_if(t, sc->block, missing);
    stmt_free(t, s->body, b->var);
    struct tree_expr *all = expr_var(t, need);
    if (old->parts) {
        all = expr_binary(t, EXPR_MUL, all, old->parts);
        b->parts = old->parts;
        b->part_size = expr_var(t, h->capacity);
    }
    struct tree_stmt *a = stmt_alloc(t, s->body, b->var, b->type, all, TREE_HEAP);
    a->place = &h->desc->place;
    a->zero = h->zero;
    stmt_assign(t, s->body, h->capacity, expr_var(t, need));
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
        for (uint32_t k = 0; a && a->data && root_container(a->data) == w->desc && k < a->node.in.count; k++)
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

static bool lives_here(const struct home *h, const struct scope *sc)
{
    if (!sc->state)
        return h->kind == HOME_ENTRY || h->kind == HOME_LAZY || h->kind == HOME_GLOBAL || h->kind == HOME_PERSISTENT ||
               h->kind == HOME_EXTERNAL;
    if (!sc->entry)
        return h->kind == HOME_STATE && h->state == sc->state;
    return h->kind == HOME_SCOPE && h->scope == sc->entry;
}

/* setzero of memory that was taken earlier than DaCe would: cleared when its state is entered. */
static bool clear_at_state(struct scope *sc, const struct home *h)
{
    struct lower *lw = sc->act->lw;
    const struct binding *b = map_get(&sc->act->bindings, h->desc);
    const struct sym *size = lower_total_size(sc, &h->desc->place, h->desc);
    struct tree_expr *count = size && b ? lower_index(lw, &h->desc->place, size) : NULL;
    if (!count)
        return false;
    if (b->parts)
        count = expr_binary(lw->tree, EXPR_MUL, b->parts, b->part_size);
    stmt_zero(lw->tree, sc->block, b->type, expr_var(lw->tree, b->var), b->alias, count);
    return true;
}

bool lower_allocate_scope(struct scope *sc, struct tree_stmt *frees)
{
    struct alloc_plan *p = sc->act->plan;
    for (uint32_t i = 0; i < p->homes.count; i++) {
        struct home *h = p->homes.slots[i].value;
        if (h->kind == HOME_NONE)
            continue;
        bool ok = true;
        if (container_is_reference(h->desc))
            ok = sc->state || bind_reference(sc, h->desc);
        else if (lives_here(h, sc))
            ok = allocate_home(sc, h, frees);
        else if (h->kind == HOME_LAZY && sc->state && !sc->entry && used_in(h, sc->state))
            ok = ensure_lazy(sc, h);
        else if (h->kind == HOME_ENTRY && h->zero && !h->shared && sc->state == h->state && sc->state && !sc->entry &&
                 h->desc->lifetime->row != LIFETIME_SDFG)
            ok = clear_at_state(sc, h);
        if (!ok)
            return false;
    }
    return true;
}
