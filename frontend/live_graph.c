/* Calls that stand for a graph: it becomes a nested SDFG of the program, so that nothing is called at run time and the
 * optimizer sees through it. Sizes of the graph are solved from what is passed, strides that are symbols are those of
 * what is passed; a view that lies otherwise than the graph says is copied, and back if the graph writes it. */
#include "frontend/live.h"

#include <string.h>

struct solved {
    const char *name;
    const struct sym *value;
};

/* What is passed for a container of the graph. */
struct passed {
    struct container *inner;
    const struct value *given; /* NULL: a result */
    const struct value *view;  /* what the graph works on: `given`, or a copy */
};

struct embedding {
    struct live *live;
    struct fe *f;
    const struct py *node;
    const sdfg_graph_answer *answer;
    struct sdfg *graph;
    struct sdfg_uses uses;
    VEC(struct passed) passed;
    VEC(struct solved) symbols;
    const char *why; /* it is not embedded */
};

static bool cannot(struct embedding *e, const char *why)
{
    e->why = why;
    return false;
}

/* ---- the graph ---- */

static uint32_t rank_of(const struct container *c) { return c->kind == CONTAINER_SCALAR ? 0 : c->rank; }

static bool is_result(const struct container *c) { return strncmp(c->name, "__return", 8) == 0; }

static bool takes(struct embedding *e, const struct container *c)
{
    bool plain = c->kind == CONTAINER_ARRAY || c->kind == CONTAINER_SCALAR;
    bool shifted = !sym_is_int(c->start_offset, 0);
    for (uint32_t i = 0; i < rank_of(c); i++)
        shifted |= !sym_is_int(c->offset[i], 0);
    if (!plain || !c->type || !type_is_basic(c->type) || rank_of(c) > FE_MAX_RANK || shifted)
        return cannot(e, fe_format(e->f, "'%s' is no array or single value of basic type", c->name));
    return true;
}

/* What only the outermost graph of a program may have. */
static bool is_suitable(struct embedding *e)
{
    const struct sdfg *s = e->graph;
    if (s->global_code.count || s->init_code.count || s->exit_code.count)
        return cannot(e, "it has code outside of its states");
    if (s->requirements.count || s->sources.count)
        return cannot(e, "it makes demands on its arguments");
    for (uint32_t i = 0; i < s->symbols.count; i++)
        if (s->symbols.items[i].type && s->symbols.items[i].type->kind == TYPE_CALLBACK)
            return cannot(e, fe_format(e->f, "it calls '%s'", s->symbols.items[i].name));
    for (uint32_t i = 0; i < s->containers.count; i++)
        if (!s->containers.items[i]->transient && !takes(e, s->containers.items[i]))
            return false;
    return true;
}

static bool read_graph(struct embedding *e)
{
    struct ir *ir = e->f->ir;
    uint32_t before = diags_count(ir->diags);
    const char *text = arena_copy(ir->arena, e->answer->text, e->answer->size);
    e->graph = sdfg_read(ir, text, e->answer->size, NULL);
    if (!e->graph) {
        diags_reset(ir->diags, before);
        return cannot(e, "its text is not read");
    }
    e->uses = sdfg_uses(e->graph);
    return is_suitable(e);
}

/* ---- what is passed ---- */

static bool pass(struct embedding *e, struct container *inner, const struct value *v)
{
    struct fe *f = e->f;
    for (uint32_t i = 0; i < e->passed.count; i++)
        if (e->passed.items[i].inner == inner)
            return cannot(e, fe_format(f, "'%s' is passed twice", inner->name));
    bool integer = v->kind == FE_BOOL || v->kind == FE_INT || v->kind == FE_SYMBOL;
    bool number = integer || (v->kind == FE_FLOAT && type_is_float(inner->type));
    if (v->rank != rank_of(inner) || (!number && (v->kind != FE_VIEW || v->type != inner->type)))
        return cannot(e, fe_format(f, "'%s' is %s, but the graph takes %s of rank %u", inner->name, fe_describe(f, v),
                                   type_text(f->ir, inner->type), rank_of(inner)));
    vec_push(f->arena, &e->passed, ((struct passed){ inner, v, v }));
    return true;
}

static bool solve(struct embedding *e, const char *name, const struct sym *value)
{
    vec_push(e->f->arena, &e->symbols, ((struct solved){ name, value }));
    return true;
}

static bool pass_argument(struct embedding *e, const char *name, const struct value *v)
{
    struct container *c = sdfg_find_container(e->graph, name);
    if (c)
        return c->transient ? cannot(e, fe_format(e->f, "'%s' is a transient of it", name)) : pass(e, c, v);
    if (!map_has(&e->graph->symbol_by_name, intern(e->f->ir->names, name)))
        return true; /* it has no use for it */
    if (!fe_is_operand(v) || (fe_is_data(v) && !fe_is_int_type(v->type)) || (fe_is_number(v) && v->kind > FE_INT))
        return cannot(e, fe_format(e->f, "its symbol '%s' is %s", name, fe_describe(e->f, v)));
    v = fe_as_symbol(e->f, e->node, v);
    return v && solve(e, intern(e->f->ir->names, name), fe_sym(e->f, v));
}

static bool pass_captured(struct embedding *e, size_t i)
{
    struct live *l = e->live;
    const sdfg_object *o = &e->answer->captured[i];
    const char *question = intern(e->f->ir->names, fe_format(e->f, "captured %s", live_key(e->f, o->id)));
    const struct value *v = live_answered(l, question);
    if (!v)
        v = live_take(l, e->node, NULL, question, e->answer->captured_paths[i], true, o);
    return v && pass_argument(e, e->answer->captured_names[i], v);
}

/* ---- sizes ---- */

static const struct sym *value_of(void *embedding, const struct sym *name)
{
    struct embedding *e = embedding;
    for (uint32_t i = 0; i < e->symbols.count; i++)
        if (e->symbols.items[i].name == name->name)
            return e->symbols.items[i].value;
    return NULL;
}

static const struct sym *in_program(struct embedding *e, const struct sym *s)
{
    return sym_substitute(e->f->ir, s, value_of, e);
}

struct unsolved {
    struct embedding *e;
    const char *name;
    bool several;
};

static void find_unsolved(void *user, const struct sym *name)
{
    struct unsolved *u = user;
    if (value_of(u->e, name) || u->name == name->name)
        return;
    u->several |= u->name != NULL;
    u->name = name->name;
}

/* From what an extent or stride of the graph must be; whether that has said something new. */
static bool solve_from(struct embedding *e, const struct sym *inner, const struct sym *actual)
{
    struct unsolved u = { .e = e };
    const struct sym *factor, *rest;
    sym_visit_names(inner, find_unsolved, &u);
    if (!u.name || u.several || !sym_linear_in(e->f->ir, inner, u.name, &factor, &rest) || !sym_is_int(factor, 1))
        return false;
    return solve(e, u.name, sym_sub(e->f->ir, actual, in_program(e, rest)));
}

/* In elements, of each dimension of a view without arrays of indices. */
static void strides_of(struct fe *f, const struct value *v, const struct sym **out)
{
    const struct fe_container *c = v->view.container;
    const struct sym *step = sym_int(f->ir, 1);
    for (uint32_t i = c->rank; i-- > 0; step = sym_mul(f->ir, step, c->shape[i])) {
        const struct fe_dim *d = &v->view.dims[i];
        if (d->axis >= 0)
            out[d->axis] = sym_mul(f->ir, d->step, c->strides ? c->strides[i] : step);
    }
}

static void solve_sizes(struct embedding *e)
{
    const struct sym *strides[FE_MAX_RANK];
    bool more = true;
    while (more) {
        more = false;
        for (uint32_t i = 0; i < e->passed.count; i++)
            for (uint32_t k = 0; k < e->passed.items[i].given->rank; k++)
                more |= solve_from(e, e->passed.items[i].inner->shape[k], e->passed.items[i].given->shape[k]);
    }
    for (uint32_t i = 0; i < e->passed.count; i++) {
        const struct passed *p = &e->passed.items[i];
        if (!p->given->rank || !fe_is_plain(p->given))
            continue;
        strides_of(e->f, p->given, strides);
        for (uint32_t k = 0; k < p->given->rank; k++)
            (void)solve_from(e, p->inner->strides[k], strides[k]);
    }
}

/* Symbols that nothing passed says are those of the program with the same name. */
static bool has_symbols(struct embedding *e)
{
    struct fe *f = e->f;
    const char **names;
    uint32_t count = sdfg_free_symbols(e->graph, true, &names);
    for (uint32_t i = 0; i < count; i++) {
        const struct sym *name = sym_name(f->ir, names[i]);
        if (!value_of(e, name) && !fe_has_name(f->symbols.items, f->symbols.count, names[i]) &&
            !fe_has_name(f->program_symbols.items, f->program_symbols.count, names[i]))
            return cannot(e, fe_format(f, "nothing says what its symbol '%s' is", names[i]));
    }
    return true;
}

static bool require_extents(struct embedding *e)
{
    struct fe *f = e->f;
    for (uint32_t i = 0; i < e->passed.count; i++) {
        const struct passed *p = &e->passed.items[i];
        for (uint32_t k = 0; k < p->given->rank; k++) {
            const struct sym *extent = in_program(e, p->inner->shape[k]);
            const char *said = fe_format(f, "'%s' has %s elements in dimension %u, but the graph takes %s",
                                         p->inner->name, fe_text(f, p->given->shape[k]), k, fe_text(f, extent));
            if (!fe_require_same(f, e->node, p->given->shape[k], extent, said))
                return cannot(e, said);
        }
    }
    return true;
}

/* Nothing is required if one of the extents cannot be right. */
static bool has_extents(struct embedding *e)
{
    struct fe *f = e->f;
    uint32_t before = diags_count(f->ir->diags);
    bool failed = f->failed, dry = f->dry;
    f->dry = true;
    bool good = require_extents(e);
    f->dry = dry;
    if (good)
        return require_extents(e);
    diags_reset(f->ir->diags, before);
    f->failed = failed;
    f->said = false;
    return false;
}

/* ---- places ---- */

static bool lies_so(struct embedding *e, const struct container *inner, const struct value *v)
{
    const struct sym *strides[FE_MAX_RANK];
    if (!fe_is_plain(v))
        return false;
    strides_of(e->f, v, strides);
    for (uint32_t k = 0; k < v->rank; k++)
        if (!sym_is_int(v->shape[k], 1) &&
            sym_equal(e->f->ir, in_program(e, inner->strides[k]), strides[k]) != TRUTH_YES)
            return false;
    return true;
}

/* A container that lies as the graph has it. */
static struct fe_container *laid_out(struct embedding *e, const struct container *inner, const char *wish)
{
    struct fe *f = e->f;
    uint32_t rank = rank_of(inner);
    const struct sym **shape = NEW_ARRAY(f->arena, const struct sym *, rank + 1),
                     **strides = NEW_ARRAY(f->arena, const struct sym *, rank + 1), *packed = sym_int(f->ir, 1);
    bool is_packed = true;
    for (uint32_t k = rank; k-- > 0; packed = sym_mul(f->ir, packed, shape[k])) {
        shape[k] = in_program(e, inner->shape[k]);
        strides[k] = in_program(e, inner->strides[k]);
        is_packed &= strides[k] == packed;
    }
    return fe_strided(f, wish, inner->type, shape, is_packed ? NULL : strides, rank);
}

/* Single values are numbers to Python: what the graph writes there is lost. */
static bool place_arguments(struct embedding *e)
{
    struct fe *f = e->f;
    for (uint32_t i = 0; i < e->passed.count; i++) {
        struct passed *p = &e->passed.items[i];
        bool element = p->given->kind == FE_VIEW && !p->given->rank && fe_is_plain(p->given);
        if (p->given->rank ? lies_so(e, p->inner, p->given) : element && !sdfg_may_write(&e->uses, p->inner))
            continue;
        p->view = fe_whole(f, laid_out(e, p->inner, p->inner->name));
        if (!fe_store(f, e->node, p->view, p->given, NULL))
            return false;
    }
    return true;
}

static bool copy_back(struct embedding *e)
{
    for (uint32_t i = 0; i < e->passed.count; i++) {
        const struct passed *p = &e->passed.items[i];
        if (p->view != p->given && p->given && p->given->rank && sdfg_may_write(&e->uses, p->inner) &&
            !fe_store(e->f, e->node, p->given, p->view, NULL))
            return false;
    }
    return true;
}

/* By the length of their names, then by the names: "__return_10" comes behind "__return_9". */
static bool comes_before(const struct container *a, const struct container *b)
{
    size_t la = strlen(a->name), lb = strlen(b->name);
    return la != lb ? la < lb : strcmp(a->name, b->name) < 0;
}

static const struct value *place_results(struct embedding *e, const char *wish)
{
    struct fe *f = e->f;
    VEC(struct container *) results = { 0 };
    for (uint32_t i = 0; i < e->graph->containers.count; i++) {
        struct container *c = e->graph->containers.items[i];
        if (c->transient || !is_result(c))
            continue;
        uint32_t at = results.count;
        vec_push(f->arena, &results, c);
        for (; at > 0 && comes_before(c, results.items[at - 1]); at--)
            results.items[at] = results.items[at - 1];
        results.items[at] = c;
    }
    const struct value **items = NEW_ARRAY(f->arena, const struct value *, results.count + 1);
    for (uint32_t i = 0; i < results.count; i++) {
        items[i] = fe_whole(f, laid_out(e, results.items[i], wish));
        vec_push(f->arena, &e->passed, ((struct passed){ results.items[i], NULL, items[i] }));
    }
    return !results.count ? fe_none(f) : results.count == 1 ? items[0] : fe_tuple(f, items, results.count);
}

/* ---- the node ---- */

static const char *mapping_of(struct embedding *e)
{
    const char **names;
    struct text out = text_new(e->f->arena);
    uint32_t count = sdfg_free_symbols(e->graph, true, &names);
    for (uint32_t i = 0; i < count; i++) {
        const struct sym *name = sym_name(e->f->ir, names[i]), *value = value_of(e, name);
        if (!map_has(&e->graph->symbol_by_name, names[i]))
            build_symbol(e->graph, names[i], "int64");
        text_printf(&out, "%s%s = %s", i ? ", " : "", names[i], fe_text(e->f, value ? value : name));
    }
    return text_get(&out);
}

static void connect(struct embedding *e, struct state *st, struct nested *n, const struct passed *p, bool write)
{
    struct fe *f = e->f;
    const char *name = p->inner->name, *region = fe_region(f, p->view, write);
    struct node *access = fe_access(f, st, p->view->view.container, write);
    struct edge *edge = write ? build_edge(&n->node, name, access, NULL, region, NULL)
                              : build_edge(access, NULL, &n->node, name, region, NULL);
    fe_mark(f, &edge->place);
}

static void build(struct embedding *e, const char *label)
{
    struct fe *f = e->f;
    struct text inputs = text_new(f->arena), outputs = text_new(f->arena);
    for (uint32_t i = 0; i < e->passed.count; i++) {
        const struct container *inner = e->passed.items[i].inner;
        if (sdfg_may_read(&e->uses, inner))
            text_printf(&inputs, "%s%s", inputs.length ? ", " : "", inner->name);
        if (sdfg_may_write(&e->uses, inner))
            text_printf(&outputs, "%s%s", outputs.length ? ", " : "", inner->name);
    }
    struct state *st = fe_state(f, "graph");
    struct nested *n = build_nested(st, fe_format(f, "%s_%u", label, fe_label_line(f)), e->graph, text_get(&inputs),
                                    text_get(&outputs), mapping_of(e));
    fe_mark(f, &n->node.place);
    for (uint32_t i = 0; i < e->passed.count; i++)
        for (int write = 0; write < 2; write++)
            if (write ? sdfg_may_write(&e->uses, e->passed.items[i].inner)
                      : sdfg_may_read(&e->uses, e->passed.items[i].inner))
                connect(e, st, n, &e->passed.items[i], write);
}

static bool pass_all(struct embedding *e, const sdfg_site *site, const struct value *const *values)
{
    for (size_t i = 0; i < site->count; i++)
        if (e->answer->names[i] && !pass_argument(e, e->answer->names[i], values[i]))
            return false;
    for (size_t i = 0; i < e->answer->num_captured; i++)
        if (!pass_captured(e, i))
            return false;
    for (uint32_t i = 0; i < e->graph->containers.count; i++) {
        const struct container *c = e->graph->containers.items[i];
        bool there = c->transient || is_result(c);
        for (uint32_t k = 0; k < e->passed.count; k++)
            there |= e->passed.items[k].inner == c;
        if (!there)
            return cannot(e, fe_format(e->f, "nothing is passed for '%s'", c->name));
    }
    return true;
}

const struct value *live_graph(struct live *l, const struct py *n, const sdfg_site *site,
                               const struct value *const *values, const char *wish, const char **why)
{
    struct fe *f = l->f;
    sdfg_graph_answer answer = { .struct_size = sizeof answer };
    struct embedding e = { .live = l, .f = f, .node = n, .answer = &answer };
    *why = NULL;
    if (!l->host->graph || !l->host->graph(l->host->user, site, &answer)) {
        *why = answer.text && *answer.text ? arena_strdup(f->arena, answer.text) : NULL;
        return answer.wrong ? fe_unsupported(f, n, "%s: %s", site->path, *why ? *why : "it cannot be called") : NULL;
    }
    bool good = read_graph(&e) && pass_all(&e, site, values);
    if (good) {
        solve_sizes(&e);
        good = has_symbols(&e) && has_extents(&e) && place_arguments(&e);
    }
    *why = e.why;
    if (!good)
        return NULL;
    const struct value *result = place_results(&e, wish ? wish : "result");
    const char *last = strrchr(site->path, '.');
    f->emitted++;
    for (uint32_t i = 0; i < e.passed.count; i++)
        if (sdfg_may_write(&e.uses, e.passed.items[i].inner))
            e.passed.items[i].view->view.container->symbol = NULL;
    if (!f->dry)
        build(&e, last ? last + 1 : site->path);
    return copy_back(&e) ? result : NULL;
}
