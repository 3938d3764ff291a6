#include "lower/graph/instrument.h"

#include "runtime/abi.h"

#include <string.h>

/* ---- numbers of elements ---- */

static void number_region(struct lower *lw, struct region *r);

static void number_state(struct lower *lw, struct state *st)
{
    for (uint32_t i = 0; i < st->nodes.count; i++) {
        struct nested *n = as_nested(st->nodes.items[i]);
        if (n && n->sdfg)
            number_region(lw, &n->sdfg->region);
    }
}

/* Control-flow regions count in the order in which a walk through the file meets them. */
static void number_region(struct lower *lw, struct region *r)
{
    map_put(lw->arena, &lw->regions, r, (void *)(uintptr_t)(lw->regions.count + 1));
    for (uint32_t i = 0; i < r->blocks.count; i++) {
        struct block *b = r->blocks.items[i];
        if (as_state(b))
            number_state(lw, as_state(b));
        else if (as_region(b))
            number_region(lw, as_region(b));
        for (uint32_t k = 0; as_conditional(b) && k < as_conditional(b)->branches.count; k++)
            number_region(lw, as_conditional(b)->branches.items[k].region);
    }
}

static int64_t region_number(struct lower *lw, const struct region *r)
{
    if (!lw->regions.count)
        number_region(lw, &lw->root->sdfg->region);
    return (int64_t)(uintptr_t)map_get(&lw->regions, r) - 1;
}

/* ---- measuring ---- */

/* Of any node but access nodes, else NULL. */
static const struct enum_value *node_instrument(struct node *n)
{
    return as_tasklet(n)         ? as_tasklet(n)->instrument
           : as_map_entry(n)     ? as_map_entry(n)->instrument
           : as_consume_entry(n) ? as_consume_entry(n)->instrument
           : as_nested(n)        ? as_nested(n)->instrument
           : as_library(n)       ? as_library(n)->instrument
                                 : NULL;
}

static const struct lower_provider *provider_of(const struct lower *lw, const struct enum_value *kind)
{
    const struct enum_value *plain = kind && kind->template ? kind->template : kind;
    for (uint32_t i = 0; plain && i < lw->options->num_providers; i++) {
        const struct lower_provider *p = &lw->options->providers[i];
        if (p->kind == plain->kind && !strcmp(p->name, plain->name))
            return p;
    }
    return NULL;
}

/* An element as code keeps it: numbers, then texts. `detail` and `more`: of an access node; else NULL. */
static struct tree_expr *element_of(struct lower *lw, const struct sdfg_rt_element *numbers, const char *name,
                                    const struct lower_provider *p, const char *detail, const char *more)
{
    enum { LONGEST = 63 };
    const char *const texts[] = { arena_printf(lw->arena, "%.*s", LONGEST, name), p->name, detail, more };
    struct text t = text_new(lw->arena);
    for (size_t i = 0; i < sizeof texts / sizeof *texts && texts[i]; i++) {
        text_add(&t, texts[i]);
        text_addc(&t, 0);
    }
    size_t size = sizeof *numbers + t.length;
    struct sdfg_rt_element *element = arena_alloc(lw->arena, size);
    *element = *numbers;
    memcpy(element->name, t.data, t.length);
    return expr_data(lw->tree, type_basic(lw->ir, TYPE_I8), element, size);
}

/* Calls `begin` if the element is measured. False with a diagnostic: it is to be, and cannot. */
static bool begin(struct scope *sc, const struct place *place, const struct enum_value *kind,
                  const struct sdfg_rt_element *numbers, const char *name, struct lower_measured *m)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    const struct lower_provider *p = lw->options->timing ? provider_of(lw, kind) : NULL;
    const char *why = NULL;
    *m = (struct lower_measured){ .place = place };
    if (!p || !p->wants(p, numbers, name, &why))
        return !why || diag_error(lw->diags, place, DIAG_PROVIDER_UNUSABLE, p->name, p->owner, why);
    m->element = element_of(lw, numbers, name, p, NULL, NULL);
    m->begun = tree_var(t, "begun", type_basic(lw->ir, TYPE_I64));
    struct tree_expr *args[] = { expr_context(t), m->element };
    stmt_call(t, sc->block, m->begun, "sdfg_rt_measure_begin", args, 2)->place = place;
    return true;
}

bool lower_measure_sdfg(struct scope *sc, const struct sdfg *s, struct lower_measured *m)
{
    struct lower *lw = sc->act->lw;
    struct sdfg_rt_element e = { .region = region_number(lw, &s->region), .state = -1, .node = -1 };
    return begin(sc, &s->region.block.place, s->instrument, &e, arena_printf(lw->arena, "SDFG %s", s->name), m);
}

bool lower_measure_state(struct scope *sc, const struct state *st, struct lower_measured *m)
{
    struct lower *lw = sc->act->lw;
    struct sdfg_rt_element e = { region_number(lw, st->block.region), st->block.index, -1 };
    return begin(sc, &st->block.place, st->instrument, &e, arena_printf(lw->arena, "State %s", st->block.label), m);
}

bool lower_measure_node(struct scope *sc, struct node *n, struct lower_measured *m)
{
    struct lower *lw = sc->act->lw;
    const struct block *b = &n->state->block;
    struct sdfg_rt_element e = { region_number(lw, b->region), b->index, n->index };
    const char *label = n->label ? n->label : "";
    const char *kind = n->kind == NODE_TASKLET ? "Tasklet" : n->kind == NODE_NESTED ? "NestedSDFG" : "LibraryNode";
    const char *name = n->kind == NODE_MAP_ENTRY ? arena_printf(lw->arena, "Map %s", label)
                       : n->kind == NODE_CONSUME_ENTRY
                           ? arena_printf(lw->arena, "Consume %s", label)
                           : arena_printf(lw->arena, "%s %lld_%lld_%lld", kind, (long long)e.region, (long long)e.state,
                                          (long long)e.node);
    return begin(sc, &n->place, node_instrument(n), &e, name, m);
}

void lower_measured(struct scope *sc, const struct lower_measured *m)
{
    struct tree *t = sc->act->lw->tree;
    if (!m->begun)
        return;
    struct tree_expr *args[] = { expr_context(t), m->element, expr_var(t, m->begun) };
    stmt_call(t, sc->block, NULL, "sdfg_rt_measure_end", args, 3)->place = m->place;
}

/* ---- data ---- */

static bool saves(const struct lower *lw, const struct enum_value *v)
{
    return v->row == DATA_INSTRUMENT_SAVE && lw->options->save_data;
}

static bool restores(const struct enum_value *v) { return v->row == DATA_INSTRUMENT_RESTORE; }

/* C's logical operators in the place of which Python has words. */
static const char *as_python(struct lower *lw, const char *text)
{
    struct text out = text_new(lw->arena);
    for (; *text; text++) {
        bool both = (text[0] == '&' || text[0] == '|') && text[0] == text[1];
        if (both)
            text_add(&out, *text++ == '&' ? " and " : " or ");
        else if (text[0] == '!' && text[1] != '=')
            text_add(&out, " not ");
        else
            text_addc(&out, *text);
    }
    return text_get(&out);
}

/* Where to go on: inside of the condition, if there is one. NULL with a diagnostic. */
static struct tree_stmt *gate(struct scope *sc, const struct place *place, const struct code_text *condition)
{
    struct lower *lw = sc->act->lw;
    if (!*condition->text || !strcmp(condition->text, "1") || !strcmp(condition->text, "True"))
        return sc->block;
    bool python = condition->language->row == LANGUAGE_PYTHON;
    const char *text = python ? condition->text : as_python(lw, condition->text);
    struct code *tree = python_parse_expression(lw->ir, place, text);
    struct code_scope cs = lower_code_scope(sc, place, text);
    struct tree_expr *truth = tree ? code_condition(&cs, sc->block, tree) : NULL;
    return truth ? stmt_if(lw->tree, sc->block, truth)->body : NULL;
}

static struct tree_expr *texts(struct lower *lw, const char *name, const char *stem)
{
    struct text t = text_new(lw->arena);
    text_add(&t, name);
    text_addc(&t, 0);
    text_add(&t, stem);
    text_addc(&t, 0);
    return expr_data(lw->tree, type_basic(lw->ir, TYPE_I8), t.data, t.length);
}

/* Bytes of an element, elements, rank, shape and strides, in memory (runtime/data.h). */
static struct tree_expr *layout_of(struct scope *sc, const struct place *place, struct binding *b)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    const struct container *c = b->desc;
    const struct type *i64 = type_basic(lw->ir, TYPE_I64);
    const struct sym *total = lower_symbolic(sc, place, sym_sub(lw->ir, c->total_size, c->start_offset));
    struct tree_expr *values[3 + 2 * LOWER_MAX_RANK] = { expr_i64(t, b->type->size),
                                                         total ? lower_index(lw, place, total) : NULL,
                                                         expr_i64(t, b->rank) };
    for (uint32_t i = 0; i < b->rank; i++) {
        const struct sym *extent = lower_shape(sc, place, b, i);
        values[3 + i] = extent ? lower_index(lw, place, extent) : NULL;
        values[3 + b->rank + i] = lower_index(lw, place, b->strides[i]);
    }
    struct tree_var *layout = tree_var(t, "layout", type_pointer(lw->ir, i64));
    stmt_alloc(t, sc->block, layout, i64, expr_i64(t, 3 + 2 * b->rank), TREE_STACK);
    for (uint32_t i = 0; i < 3 + 2 * b->rank; i++) {
        if (!values[i])
            return NULL;
        stmt_store(t, sc->block, expr_var(t, layout), expr_i64(t, i), values[i], 0);
    }
    return expr_var(t, layout);
}

static bool is_plain(const struct container *c)
{
    bool array = c->kind == CONTAINER_ARRAY || c->kind == CONTAINER_SCALAR || c->kind == CONTAINER_VIEW ||
                 c->kind == CONTAINER_REFERENCE;
    return array && c->type && type_is_basic(type_scalar(c->type)) && c->rank <= LOWER_MAX_RANK;
}

/* What saves, restores or looks at a container: its own arguments behind the context. */
struct data_call {
    const char *function;
    struct tree_expr *what;
};

static bool call_with_data(struct scope *sc, struct access *a, const struct data_call *call)
{
    struct tree *t = sc->act->lw->tree;
    const struct node *n = &a->node;
    struct binding *b = lower_binding(sc, &n->place, a->data);
    struct scope inside = *sc;
    inside.block = b ? gate(sc, &n->place, &a->instrument_condition) : NULL;
    struct tree_expr *layout = inside.block ? layout_of(&inside, &n->place, b) : NULL;
    if (!layout)
        return false;
    struct tree_expr *args[] = { expr_context(t), call->what, layout, b->pointer };
    stmt_call(t, inside.block, NULL, call->function, args, 4)->place = &n->place;
    return true;
}

static bool observe(struct scope *sc, struct access *a, const struct sdfg_rt_element *numbers,
                    const struct lower_provider *p)
{
    struct lower *lw = sc->act->lw;
    const struct node *n = &a->node;
    const char *why = NULL, *name = arena_printf(lw->arena, "Access %s", a->data->name);
    if (!p->wants(p, numbers, name, &why))
        return !why || diag_error(lw->diags, &n->place, DIAG_PROVIDER_UNUSABLE, p->name, p->owner, why);
    if (!is_plain(a->data))
        return lower_unsupported(sc, &n->place, "instrumentation of what is no array or scalar of numbers");
    struct text type = text_new(lw->arena);
    type_print(type_scalar(a->data->type), &type);
    struct data_call call = { "sdfg_rt_observe", element_of(lw, numbers, name, p, a->data->name, text_get(&type)) };
    return call_with_data(sc, a, &call);
}

bool lower_data_access(struct scope *sc, struct access *a)
{
    struct lower *lw = sc->act->lw;
    const struct node *n = &a->node;
    const struct block *state = &n->state->block;
    bool restore = restores(a->instrument);
    if (restore && !lw->options->restore_data)
        return lower_unsupported(sc, &n->place, "restoring saved data without a folder to restore from");
    if (!restore && !saves(lw, a->instrument)) {
        const struct lower_provider *p =
            a->instrument->row == DATA_INSTRUMENT_SAVE ? NULL : provider_of(lw, a->instrument);
        return !p ||
               observe(sc, a, &(struct sdfg_rt_element){ region_number(lw, state->region), state->index, n->index }, p);
    }
    if (!is_plain(a->data))
        return lower_unsupported(sc, &n->place, "saving and restoring what is no array or scalar of numbers");
    const char *stem =
        arena_printf(lw->arena, "%lld_%u_%u", (long long)region_number(lw, state->region), state->index, n->index);
    struct data_call call = { restore ? "sdfg_rt_restore" : "sdfg_rt_save", texts(lw, a->data->name, stem) };
    return call_with_data(sc, a, &call);
}

/* ---- symbols ---- */

static bool data_symbol(struct scope *sc, const struct state *st, const char *name, const struct symval *v,
                        bool restore)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    const struct place *place = &st->block.place;
    bool real = type_is_float(v->type), whole = type_is_integer(v->type) || v->type->kind == TYPE_BOOL;
    if ((!real && !whole) || (restore && !v->var))
        return true; /* a symbol without variable is one of the SDFG around */
    const struct type *type = type_basic(lw->ir, real ? TYPE_F64 : TYPE_I64);
    struct tree_expr *value = v->var ? expr_var(t, v->var) : lower_value(lw, place, v->value);
    if (!value)
        return false;
    struct tree_expr *args[] = { expr_context(t), texts(lw, name, arena_printf(lw->arena, "%u", st->block.index)),
                                 expr_cast(t, type, value) };
    if (!restore) {
        stmt_call(t, sc->block, NULL, real ? "sdfg_rt_save_real" : "sdfg_rt_save_int", args, 3)->place = place;
        return true;
    }
    struct tree_var *restored = tree_var(t, "restored", type);
    stmt_call(t, sc->block, restored, real ? "sdfg_rt_restore_real" : "sdfg_rt_restore_int", args, 3)->place = place;
    stmt_assign(t, sc->block, v->var, expr_cast(t, v->type, expr_var(t, restored)));
    return true;
}

bool lower_data_symbols(struct scope *sc, struct state *st)
{
    struct lower *lw = sc->act->lw;
    bool restore = restores(st->symbol_instrument);
    if (restore && !lw->options->restore_data)
        return lower_unsupported(sc, &st->block.place, "restoring saved symbols without a folder to restore from");
    if (!restore && !saves(lw, st->symbol_instrument))
        return true;
    struct scope inside = *sc;
    inside.block = gate(sc, &st->block.place, &st->symbol_instrument_condition);
    for (uint32_t i = 0; inside.block && i < sc->act->symbols.count; i++)
        if (!data_symbol(&inside, st, sc->act->symbols.slots[i].key, sc->act->symbols.slots[i].value, restore))
            return false;
    return inside.block;
}

struct search {
    bool found;
};

static void find_restoring(void *user, struct block *b)
{
    struct search *search = user;
    search->found |= as_state(b) && restores(as_state(b)->symbol_instrument);
}

void lower_assigned_symbols(struct lower *lw, struct sdfg *s, struct map *out)
{
    struct search restoring = { false };
    sdfg_assigned_symbols(s, out);
    if (lw->options->restore_data)
        region_each_block(&s->region, find_restoring, &restoring);
    for (uint32_t i = 0; restoring.found && i < s->symbols.count; i++)
        map_put(lw->arena, out, s->symbols.items[i].name, s);
}
