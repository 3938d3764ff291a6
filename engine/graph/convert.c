/* Objects that describe themselves as graphs: a call of one becomes a nested SDFG.
 *
 * What an object captures is a container of its graph. The graph around has one for it, too, under a name of its own,
 * and so up to the outermost graph, where it is an argument; arrays with the same address, type and shape are one. */
#include "base/sized.h"
#include "base/stack.h"
#include "engine/graph/graph.h"

#include <errno.h>
#include <string.h>

enum { DEEPEST = 32 };

struct conversion {
    const sdfg_convertible *object;
    struct sdfg_graph *around, *into;
    struct state *state;
    sdfg_given *given;
    const struct sym *const **sizes, *const **strides; /* of each argument that is data, in symbols of `around` */
    const sdfg_actual *actuals;
    size_t count;
};

static struct diags *diags_of(const struct conversion *c) { return c->around->ir->diags; }

static bool failed(const struct conversion *c, const char *what, const char *why)
{
    return diag_error(diags_of(c), &c->state->block.place, DIAG_CONVERT_FAILED, c->object->name, what,
                      why ? why : "it does not say why");
}

/* ---- what the object is told ---- */

static bool lists(const char *const *names, const char *name)
{
    for (; names && *names; names++)
        if (!strcmp(*names, name))
            return true;
    return false;
}

static const char *const *sym_texts(struct ir *ir, const struct sym *const *items, uint32_t count)
{
    const char **texts = NEW_ARRAY(ir->arena, const char *, count + 1);
    for (uint32_t i = 0; i < count; i++)
        texts[i] = sym_text(ir, items[i]);
    return texts;
}

static bool describe_data(struct conversion *c, size_t i)
{
    struct ir *ir = c->around->ir;
    struct node here = { .state = c->state };
    struct edge e = { .src = &here, .place = { .parent = &c->state->block.place, .noun = "edge", .id = PLACE_NO_ID } };
    build_memlet(&e, c->actuals[i].memlet, NULL);
    const struct container *data = e.memlet.data;
    if (!data)
        return false;
    const struct sym **sizes = NEW_ARRAY(ir->arena, const struct sym *, data->rank + 1);
    for (uint32_t k = 0; k < data->rank; k++)
        sizes[k] = subset_size(ir, e.memlet.subset, k);
    c->sizes[i] = sizes;
    c->strides[i] = data->strides;
    c->given[i].type = data->type ? type_text(ir, data->type) : "";
    c->given[i].rank = data->rank;
    c->given[i].shape = sym_texts(ir, sizes, data->rank);
    c->given[i].strides = sym_texts(ir, data->strides, data->rank);
    return true;
}

static bool describe(struct conversion *c)
{
    const char *const *names = NULL, *const *constants = NULL, *why = NULL;
    struct ir *ir = c->around->ir;
    size_t count = 0;
    if (!c->object->signature(c->object->user, &names, &constants, &why))
        return failed(c, "signature", why);
    while (names && names[count])
        count++;
    if (count != c->count)
        return diag_error(diags_of(c), &c->state->block.place, DIAG_CONVERT_COUNT, c->object->name, count, c->count);
    c->given = NEW_ARRAY(ir->arena, sdfg_given, count + 1);
    c->sizes = NEW_ARRAY(ir->arena, const struct sym *const *, count + 1);
    c->strides = NEW_ARRAY(ir->arena, const struct sym *const *, count + 1);
    for (size_t i = 0; i < count; i++) {
        const sdfg_actual *a = &c->actuals[i];
        bool constant = lists(constants, names[i]);
        c->given[i].name = arena_strdup(ir->arena, names[i]);
        c->given[i].constant = a->constant ? arena_strdup(ir->arena, a->constant) : NULL;
        if (constant != (a->constant != NULL) || !a->memlet != constant)
            return diag_error(diags_of(c), &c->state->block.place, DIAG_CONVERT_CONSTANT, names[i], c->object->name,
                              constant ? "a constant" : "data");
        if (!constant && !describe_data(c, i))
            return false;
    }
    return true;
}

/* ---- the graph of the object ---- */

static bool take_closure(struct conversion *c)
{
    const sdfg_capture *captures = NULL;
    const char *why = NULL;
    size_t count = 0;
    if (!c->object->closure)
        return true;
    if (!c->object->closure(c->object->user, &captures, &count, &why))
        return failed(c, "closure", why);
    for (size_t i = 0; i < count; i++) {
        sdfg_array a = { .struct_size = sizeof a };
        if (!captures[i].name || !captures[i].array || sized_take(&a, sizeof a, captures[i].array) || a.rank < 0 ||
            a.rank > SDFG_MAX_RANK || !sdfg_dtype_size(a.dtype) || a.strides)
            return failed(c, "closure", "an array that it captures has no name, a wrong type or rank, or strides");
        const char *name = arena_strdup(c->into->ir->arena, captures[i].name);
        if (!sdfg_find_container(c->into->sdfg, name))
            return diag_error(diags_of(c), &c->state->block.place, DIAG_CONVERT_LACKS, c->object->name, name,
                              ", which it captures");
        struct graph_capture own = { .container = name,
                                     .object = c->object,
                                     .index = (uint32_t)i,
                                     .data = a.data,
                                     .dtype = a.dtype,
                                     .rank = a.rank };
        memcpy(own.shape, a.shape, sizeof own.shape);
        vec_push(c->into->ir->arena, &c->into->captures, own);
    }
    return true;
}

/* Everything that the graph of an object depends on. */
static const char *key_of(const struct conversion *c)
{
    const sdfg_convertible *o = c->object;
    struct text key = text_new(c->around->ir->arena);
    text_printf(&key, "%s %p %p", o->name, o->user, (void *)(uintptr_t)o->sdfg);
    for (size_t i = 0; i < c->count; i++) {
        const sdfg_given *g = &c->given[i];
        text_printf(&key, "\n%s %s %s", g->name, g->constant ? g->constant : "", g->type ? g->type : "");
        for (size_t k = 0; k < g->rank; k++)
            text_printf(&key, " [%s] [%s]", g->shape[k], g->strides[k]);
    }
    return text_get(&key);
}

static struct sdfg_graph *known(const struct conversion *c, const char *key)
{
    struct sdfg_graph *outermost = c->around->outermost;
    for (uint32_t i = 0; i < outermost->made.count; i++)
        if (!strcmp(outermost->made.items[i].key, key))
            return outermost->made.items[i].graph;
    return NULL;
}

static void write_alone(struct sdfg_graph *g, struct text *text)
{
    const char *version = g->sdfg->dace_version;
    g->sdfg->dace_version = g->outermost->sdfg->dace_version;
    sdfg_write(g->sdfg, text);
    g->sdfg->dace_version = version;
}

/* Another graph like one that was made before: a graph lies in one node. */
static bool copy_graph(struct conversion *c, struct sdfg_graph *from)
{
    struct ir *ir = from->ir;
    struct text text = text_new(ir->arena);
    write_alone(from, &text);
    struct sdfg *copy = sdfg_read(ir, text_get(&text), text.length, NULL);
    if (!copy)
        return false;
    c->into->sdfg = copy;
    c->into->captures = from->captures;
    return true;
}

/* The graph of an object by itself: what is wrong with it is a fault of the object. */
struct trial {
    const struct conversion *conversion;
    struct text text;
    const char *wrong; /* in the arena of the graph around; NULL: nothing */
};

static void declare_symbols(struct sdfg *s)
{
    const char **names;
    uint32_t count = sdfg_free_symbols(s, true, &names);
    for (uint32_t i = 0; i < count; i++)
        if (!map_has(&s->symbol_by_name, names[i]))
            build_symbol(s, names[i], "int64");
}

static const char *first_error(struct arena *a, const struct diags *d, uint32_t from)
{
    for (uint32_t i = from; i < diags_count(d); i++) {
        const struct diag *g = diags_get(d, i);
        if (!g->warning)
            return arena_printf(a, "%s%s%s", g->message, *g->path ? ", at " : "", g->path);
    }
    return NULL;
}

static void try_now(void *trial)
{
    struct trial *t = trial;
    const struct conversion *c = t->conversion;
    const sdfg_engine *e = c->around->outermost->engine;
    struct ir *ir = ir_new();
    enums_extend(ir, e ? &e->registry.members : NULL);
    struct sdfg *s = sdfg_read(ir, text_get(&t->text), t->text.length, NULL);
    if (s) {
        declare_symbols(s);
        sdfg_validate(s);
    }
    t->wrong = first_error(c->around->ir->arena, ir->diags, 0);
    ir_free(ir);
}

/* Scopes and starts are known behind it. One error tells of the call and of what is wrong inside. */
static bool finish(const struct conversion *c)
{
    struct sdfg_graph *g = c->into;
    struct diags *d = g->ir->diags;
    uint32_t before = diags_count(d);
    struct trial t = { .conversion = c, .text = text_new(g->ir->arena) };
    build_finish(g->sdfg);
    t.wrong = first_error(g->ir->arena, d, before);
    diags_reset(d, before);
    if (!t.wrong) {
        write_alone(g, &t.text);
        if (!stack_call(try_now, &t))
            return diag_error(d, NULL, DIAG_STACK, (unsigned)(stack_bytes >> 20), strerror(errno));
    }
    return !t.wrong || failed(c, "valid graph", t.wrong);
}

/* What the object did wrong while it made its graph; calls of other objects have said it of those. */
static bool made_mistakes(const struct conversion *c, uint32_t before)
{
    struct diags *d = diags_of(c);
    for (uint32_t i = before; i < diags_count(d); i++) {
        enum diag_code code = diags_get(d, i)->code;
        if (code >= DIAG_CONVERT_FAILED && code <= DIAG_CONVERT_NESTED)
            return false;
    }
    const char *wrong = first_error(c->around->ir->arena, d, before);
    diags_reset(d, before);
    return failed(c, "valid graph", wrong);
}

static bool make_graph(struct conversion *c)
{
    const sdfg_convertible *o = c->object;
    const char *why = NULL, *key = key_of(c);
    struct sdfg_graph *before = known(c, key);
    uint32_t mistakes = diags_count(diags_of(c));
    if (o->resolve && !o->resolve(o->user, c->given, c->count, &why))
        return failed(c, "closure", why);
    if (before)
        return copy_graph(c, before);
    if (!o->sdfg(o->user, c->into, c->given, c->count, &why))
        return failed(c, "graph", why);
    if (diags_count(diags_of(c)) > mistakes)
        return made_mistakes(c, mistakes);
    if (c->into->outermost->memory || !take_closure(c) || !finish(c))
        return false;
    vec_push(c->into->ir->arena, &c->into->outermost->made, ((struct graph_made){ key, c->into }));
    return true;
}

/* ---- its place in the graph around ---- */

static bool same_array(const struct graph_capture *a, const struct graph_capture *b)
{
    return a->data == b->data && a->dtype == b->dtype && a->rank == b->rank &&
           !memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape);
}

/* The container of the graph around for one that the inner graph captures. */
static const char *capture_around(const struct conversion *c, const struct graph_capture *inner)
{
    struct sdfg_graph *g = c->around;
    struct ir *ir = g->ir;
    for (uint32_t i = 0; i < g->captures.count; i++)
        if (same_array(&g->captures.items[i], inner))
            return g->captures.items[i].container;
    const char *base = arena_printf(ir->arena, "__capture_%s_%s", c->object->name, inner->container), *name = base;
    for (uint32_t n = 1; map_has(&g->sdfg->container_by_name, intern(ir->names, name)); n++)
        name = arena_printf(ir->arena, "%s_%u", base, n);
    struct text shape = text_new(ir->arena);
    for (int i = 0; i < inner->rank; i++)
        text_printf(&shape, "%s%lld", i ? ", " : "", (long long)inner->shape[i]);
    if (inner->rank)
        build_array(g->sdfg, name, sdfg_dtype_name(inner->dtype), text_get(&shape));
    else
        build_scalar(g->sdfg, name, sdfg_dtype_name(inner->dtype));
    struct graph_capture own = *inner;
    own.container = name;
    vec_push(ir->arena, &g->captures, own);
    return name;
}

/* A size of the inner graph's own, which no symbol around has the name of: what it is, as the shape of a parameter that
 * is this symbol says. NULL: it is none. */
static const struct sym *own_size(const struct conversion *c, const char *name)
{
    if (map_has(&c->around->sdfg->symbol_by_name, name))
        return NULL;
    for (size_t i = 0; i < c->count; i++) {
        const struct container *inner =
            c->given[i].constant ? NULL : sdfg_find_container(c->into->sdfg, c->given[i].name);
        for (uint32_t k = 0; inner && k < inner->rank && k < c->given[i].rank; k++)
            if (inner->shape[k]->op == SYM_NAME && inner->shape[k]->name == name)
                return c->sizes[i][k];
    }
    return NULL;
}

static const struct sym *size_around(void *conversion, const struct sym *name)
{
    return own_size(conversion, name->name);
}

/* The inner graph computes addresses with strides of its own. */
static bool lies_as_given(const struct conversion *c, size_t i, const struct container *inner)
{
    struct ir *ir = c->around->ir;
    for (uint32_t k = 0; k < inner->rank; k++) {
        const struct sym *stride = sym_substitute(ir, inner->strides[k], size_around, (void *)(uintptr_t)c);
        if (!sym_is_int(c->sizes[i][k], 1) && sym_equal(ir, stride, c->strides[i][k]) != TRUTH_YES)
            return failed(c, "graph for these strides",
                          arena_printf(ir->arena, "'%s' has %s in dimension %u, but lies with %s", inner->name,
                                       sym_text(ir, stride), k, c->given[i].strides[k]));
    }
    return true;
}

/* What is passed for a container of the inner graph: a memlet of the graph around; NULL after a mistake. */
static const char *passed_for(const struct conversion *c, const struct container *inner)
{
    const struct place *at = &c->state->block.place;
    for (uint32_t i = 0; i < c->into->captures.count; i++)
        if (!strcmp(c->into->captures.items[i].container, inner->name))
            return capture_around(c, &c->into->captures.items[i]);
    for (size_t i = 0; i < c->count; i++) {
        const sdfg_given *g = &c->given[i];
        if (strcmp(g->name, inner->name) != 0 || g->constant)
            continue;
        const char *type = inner->type ? type_text(c->around->ir, inner->type) : "";
        if (!strcmp(type, g->type) && inner->rank == g->rank)
            return lies_as_given(c, i, inner) ? c->actuals[i].memlet : NULL;
        return diag_error(diags_of(c), at, DIAG_CONVERT_TYPE, c->object->name, inner->name, type, inner->rank, g->type,
                          g->rank),
               NULL;
    }
    return diag_error(diags_of(c), at, DIAG_CONVERT_TAKES, c->object->name, inner->name), NULL;
}

static bool parameters_are_there(const struct conversion *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (!c->given[i].constant && !sdfg_find_container(c->into->sdfg, c->given[i].name))
            return diag_error(diags_of(c), &c->state->block.place, DIAG_CONVERT_LACKS, c->object->name,
                              c->given[i].name, ", its parameter");
    return true;
}

/* Symbols of the inner graph are those of the same name around, or sizes of its own. */
static const char *mapping_of(const struct conversion *c)
{
    const char **names;
    struct text out = text_new(c->around->ir->arena);
    uint32_t count = sdfg_free_symbols(c->into->sdfg, true, &names);
    for (uint32_t i = 0; i < count; i++) {
        const struct sym *size = own_size(c, names[i]);
        text_printf(&out, "%s%s = %s", i ? ", " : "", names[i], size ? sym_text(c->around->ir, size) : names[i]);
    }
    return text_get(&out);
}

static void connect(const struct conversion *c, struct nested *n, const struct container *inner, const char *memlet,
                    const struct sdfg_uses *u)
{
    const char *connector = inner->name;
    const char *data = arena_strndup(c->around->ir->arena, memlet, strcspn(memlet, " ["));
    if (sdfg_may_read(u, inner))
        build_edge(&build_access(c->state, data)->node, NULL, &n->node, connector, memlet, NULL);
    if (sdfg_may_write(u, inner))
        build_edge(&n->node, connector, &build_access(c->state, data)->node, NULL, memlet, NULL);
}

static struct nested *place_graph(const struct conversion *c)
{
    struct sdfg *s = c->into->sdfg;
    struct arena *a = c->around->ir->arena;
    struct sdfg_uses uses = sdfg_uses(s);
    const char **memlets = NEW_ARRAY(a, const char *, s->containers.count + 1);
    struct text inputs = text_new(a), outputs = text_new(a);
    if (!parameters_are_there(c))
        return NULL;
    for (uint32_t i = 0; i < s->containers.count; i++) {
        const struct container *inner = s->containers.items[i];
        if (inner->transient)
            continue;
        memlets[i] = passed_for(c, inner);
        if (!memlets[i])
            return NULL;
        if (sdfg_may_read(&uses, inner))
            text_printf(&inputs, "%s%s", inputs.length ? ", " : "", inner->name);
        if (sdfg_may_write(&uses, inner))
            text_printf(&outputs, "%s%s", outputs.length ? ", " : "", inner->name);
    }
    struct nested *n = build_nested(c->state, c->object->name, s, text_get(&inputs), text_get(&outputs), mapping_of(c));
    for (uint32_t i = 0; i < s->containers.count; i++)
        if (memlets[i])
            connect(c, n, s->containers.items[i], memlets[i], &uses);
    return n;
}

/* ---- the public functions ---- */

/* The object as the graph keeps it; NULL after a mistake. */
static const sdfg_convertible *take_object(struct sdfg_graph *g, const sdfg_convertible *given, const char *function)
{
    sdfg_convertible *own = NEW(g->ir->arena, sdfg_convertible);
    own->struct_size = sizeof *own;
    const char *wrong = sized_take(own, sizeof *own, given);
    if (wrong)
        return diag_error(g->ir->diags, &g->sdfg->region.block.place, DIAG_STRUCT_SIZE, "sdfg_convertible", wrong),
               NULL;
    if (!graph_has(g, own->name, function, "name") || !graph_is_name(g, own->name))
        return NULL;
    if (!graph_has(g, own->signature && own->sdfg ? "" : NULL, function, "signature and sdfg"))
        return NULL;
    own->name = arena_strdup(g->ir->arena, own->name);
    return own;
}

sdfg_element *sdfg_graph_call(sdfg_element *state, const sdfg_convertible *object, const sdfg_actual *actuals,
                              size_t count)
{
    MAKES_IN(state);
    struct sdfg_graph *g = state->graph;
    struct conversion c = { .around = g, .actuals = actuals, .count = count };
    if (!graph_has(g, (const char *)object, __func__, "object") ||
        (count && !graph_has(g, (const char *)actuals, __func__, "actuals")))
        return NULL;
    c.state = state->kind == ELEMENT_BLOCK ? as_state(state->block) : NULL;
    if (!c.state) {
        diag_error(g->ir->diags, graph_place(state), DIAG_BUILD_HANDLE, __func__, graph_place(state)->label, "a state");
        return NULL;
    }
    c.object = take_object(g, object, __func__);
    if (!c.object)
        return NULL;
    if (g->depth >= DEEPEST) {
        diag_error(g->ir->diags, &c.state->block.place, DIAG_CONVERT_DEPTH, (unsigned)DEEPEST, c.object->name);
        return NULL;
    }
    c.into = graph_new(g->ir, g->outermost, c.object->name);
    c.into->depth = g->depth + 1;
    if (!describe(&c) || !make_graph(&c))
        return NULL;
    struct nested *n = place_graph(&c);
    return n ? graph_element(g, ELEMENT_NODE, &n->node) : NULL;
}

sdfg_error *sdfg_graph_captures(sdfg_graph *g, sdfg_args *a)
{
    NEEDS(g);
    NEEDS(a);
    GUARDED(error_memory(SDFG_STAGE_BIND));
    const struct sdfg_graph *outermost = g->outermost;
    for (uint32_t i = 0; i < outermost->captures.count; i++) {
        const struct graph_capture *c = &outermost->captures.items[i];
        const sdfg_capture *now = NULL;
        const char *why = NULL;
        size_t count = 0;
        bool ok = c->object->closure(c->object->user, &now, &count, &why);
        if (ok && c->index >= count)
            why = "it captures less than before";
        if (!ok || c->index >= count || !now[c->index].array)
            return error_of(SDFG_STAGE_BIND, DIAG_CONVERT_FAILED, c->object->name, "closure",
                            why ? why : "it does not say why");
        sdfg_error *error = sdfg_args_array(a, c->container, now[c->index].array);
        if (error)
            return error;
    }
    return NULL;
}
