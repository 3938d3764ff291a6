/* Nested SDFGs are lowered in place: connectors bind containers to addresses, the symbol mapping gives the symbols
 * (semantics.md 3.8). */
#include "lower/graph/check.h"
#include "lower/graph/instrument.h"
#include "lower/graph/stream.h"
#include "lower/tree/tree_check.h"

static bool is_integer_value(const struct lower *lw, const struct sym *s)
{
    if (s->op == SYM_INT)
        return true;
    if (s->op == SYM_NAME) {
        const struct tree_var *v = map_get(&lw->vars, s->name);
        return v && (type_is_integer(v->type) || v->type->kind == TYPE_BOOL);
    }
    if (s->op == SYM_ADD || s->op == SYM_MUL || s->op == SYM_MIN || s->op == SYM_MAX) {
        for (uint32_t i = 0; i < s->num_args; i++)
            if (!is_integer_value(lw, s->args[i]))
                return false;
        return true;
    }
    return false;
}

/* The value of an inner symbol. Sums and products of integers stay symbolic, so that index expressions cancel; anything
 * else is computed once. A symbol that is assigned inside becomes a variable. */
static bool map_symbol(struct activation *act, const struct symbol_mapping *m, const struct map *assigned)
{
    struct lower *lw = act->lw;
    const struct place *place = &act->node->node.place;
    const struct sym *value = lower_symbolic(act->caller, place, m->value);
    if (!value)
        return false;
    const struct type *type = sdfg_symbol_type(act->sdfg, m->name);
    if (!type || type->kind == TYPE_VOID)
        type = type_basic(lw->ir, TYPE_I64);
    if (type->kind == TYPE_CALLBACK || type->kind == TYPE_POINTER || type->kind == TYPE_OPAQUE) {
        const struct tree_expr *given = lower_value(lw, place, value);
        if (!given)
            return false;
        if (type->kind == TYPE_CALLBACK && given->type->kind != TYPE_CALLBACK)
            return diag_error(lw->diags, place, DIAG_SYMBOL_MAPPED_TYPE, m->name, type_text(lw->ir, type),
                              type_text(lw->ir, given->type));
        struct symval *v = NEW(lw->arena, struct symval);
        *v = (struct symval){ .value = value, .type = type };
        map_put(lw->arena, &act->symbols, m->name, v);
        return true;
    }
    if (type_is_integer(type) && !map_has(assigned, m->name) && is_integer_value(lw, value)) {
        struct symval *v = NEW(lw->arena, struct symval);
        *v = (struct symval){ .value = value, .type = type };
        map_put(lw->arena, &act->symbols, m->name, v);
        return true;
    }
    struct tree_expr *e = lower_value(lw, place, value);
    if (e && lower_checks(lw, SDFG_RT_CHECK_OVERFLOW) && is_integer_value(lw, value))
        stmt_check_overflow(lw->tree, act->caller->block, place, m->name, type, lower_index(lw, place, value));
    struct code_scope cs = lower_code_scope(act->caller, place, NULL);
    e = e ? code_convert(&cs, type, e) : NULL;
    if (!e)
        return false;
    struct symval *v = lower_symbol_variable(act, m->name, type);
    stmt_assign(lw->tree, act->caller->block, v->var, e);
    return true;
}

/* Symbols without a mapping that exist outside under the same name (graphs written by other tools rely on it). */
static void inherit_symbols(struct activation *act)
{
    for (uint32_t i = 0; i < act->sdfg->symbols.count; i++) {
        const char *name = act->sdfg->symbols.items[i].name;
        const struct symval *outer = lower_find_symbol(act->caller, name);
        if (outer && !map_has(&act->symbols, name)) {
            struct symval *v = NEW(act->lw->arena, struct symval);
            *v = (struct symval){ .value = outer->value, .type = outer->type };
            map_put(act->lw->arena, &act->symbols, name, v);
        }
    }
}

static bool needs_symbol(struct sdfg *s, const char *name)
{
    const char **free_symbols;
    uint32_t count = sdfg_free_symbols(s, true, &free_symbols);
    for (uint32_t i = 0; i < count; i++)
        if (free_symbols[i] == name)
            return true;
    return false;
}

/* Files map symbols that the inner graph does not use, sometimes to names that do not exist: those do not count. */
static bool map_symbols(struct activation *act)
{
    struct map assigned = { 0 };
    lower_assigned_symbols(act->lw, act->sdfg, &assigned);
    for (uint32_t i = 0; i < act->node->mapping.count; i++) {
        const struct symbol_mapping *m = &act->node->mapping.items[i];
        uint32_t messages = diags_count(act->lw->diags);
        if (map_symbol(act, m, &assigned))
            continue;
        if (needs_symbol(act->sdfg, m->name))
            return false;
        diags_reset(act->lw->diags, messages);
    }
    inherit_symbols(act);
    return true;
}

static bool whole_area(struct scope *sc, const struct edge *e, struct area *out)
{
    if (!lower_area(sc, &e->place, e->memlet.data, NULL, out))
        return false;
    out->pointer = out->binding->pointer; /* not where index 0 is: the inner container has an `offset` of its own */
    return true;
}

/* The memory, or the queues, that an inner container stands for. */
static bool connector_area(struct scope *sc, struct edge *e, const struct container *inner, bool whole,
                           struct area *out)
{
    const struct container *outer = e->memlet.data;
    if (is_stream(inner) && is_stream(outer)) {
        if (inner->type != outer->type)
            return diag_error(sc->act->lw->diags, &e->place, DIAG_STREAM_TYPE, inner->name, outer->name);
        return lower_stream_area(sc, &e->place, outer, whole ? NULL : e->memlet.subset, out);
    }
    if (!is_stream(inner) && lower_consumed(sc, e, out))
        return true;
    if (is_stream(inner) || is_stream(outer))
        return lower_unsupported(sc, &e->place,
                                 "a stream that is an array inside of a nested SDFG, or an array that is a stream");
    return whole ? whole_area(sc, e, out) : lower_memlet_area(sc, e, out);
}

static bool bind_connector(struct activation *act, struct scope *inner, struct edge *e, const char *conn)
{
    struct lower *lw = act->lw;
    struct container *c = conn ? map_get(&act->sdfg->container_by_name, conn) : NULL;
    if (!c)
        return !conn || diag_error(lw->diags, &e->place, DIAG_UNDEFINED_SYMBOL, conn);
    if (map_has(&act->bindings, c))
        return true;
    if (memlet_is_empty(&e->memlet))
        return diag_error(lw->diags, &e->place, DIAG_EMPTY_MEMLET_VALUE, conn);
    struct area a;
    if (!connector_area(act->caller, e, c, act->node->whole, &a))
        return false;
    if (!c->type)
        return diag_error(lw->diags, &c->place, DIAG_UNKNOWN_TYPE, c->name);
    bool plain = a.type->kind != TYPE_STRUCT && c->type->kind != TYPE_STRUCT && !is_stream(c);
    struct tree_expr *p = plain ? expr_cast(lw->tree, type_pointer(lw->ir, c->type), a.pointer) : a.pointer;
    struct tree_var *v = tree_var(lw->tree, c->name, p->type); /* evaluated once, when the node starts */
    stmt_assign(lw->tree, act->caller->block, v, p);
    struct binding *b = binding_new(inner, &e->place, c, expr_var(lw->tree, v), a.alias);
    if (b)
        map_put(lw->arena, &act->bindings, c, b);
    return b != NULL;
}

bool lower_nested(struct scope *sc, struct node *n)
{
    struct lower *lw = sc->act->lw;
    struct nested *nested = as_nested(n);
    if (!nested->sdfg)
        return diag_error(lw->diags, &n->place, DIAG_NESTED_MISSING, nested->ext_path ? nested->ext_path : "");
    if (!lower_enter(lw, &n->place, LOWER_LEVELS_OF_LOOP))
        return false;
    struct activation *act = NEW(lw->arena, struct activation);
    act->lw = lw;
    act->parent = sc->act;
    act->sdfg = nested->sdfg;
    act->node = nested;
    act->caller = sc;
    struct scope inner = scope_at(act, sc->block);
    if (!map_symbols(act))
        return false;
    for (uint32_t i = 0; i < n->out.count; i++) {
        struct access *target = as_access(path_target(n->out.items[i]));
        if (target && target->data && container_is_view(target->data) && !lower_point_view(sc, target))
            return false;
        if (!bind_connector(act, &inner, n->out.items[i], n->out.items[i]->src_conn))
            return false;
    }
    for (uint32_t i = 0; i < n->in.count; i++)
        if (!bind_connector(act, &inner, n->in.items[i], n->in.items[i]->dst_conn))
            return false;
    bool ok = lower_activation(act, sc->block);
    lower_leave(lw, LOWER_LEVELS_OF_LOOP);
    return ok;
}
