/* Nodes of a state. */
#include "ir/build/build.h"

#include "ir/json/json.h"

#include <string.h>

static void *add_node(struct state *st, enum node_kind kind, size_t size, const char *noun, const char *label)
{
    struct ir *ir = st->sdfg->ir;
    struct node *n = arena_alloc(ir->arena, size);
    n->kind = kind;
    n->state = st;
    n->index = st->nodes.count;
    n->label = intern(ir->names, label);
    n->place = (struct place){ .parent = &st->block.place, .noun = noun, .label = n->label, .id = n->index };
    vec_push(ir->arena, &st->nodes, n);
    return n;
}

static void add_connectors(struct node *n, const char *inputs, const char *outputs)
{
    struct ir *ir = n->state->sdfg->ir;
    build_list names = { 0 };
    build_split(ir, inputs, ',', &names);
    for (uint32_t i = 0; i < names.count; i++)
        vec_push(ir->arena, &n->in_conns, ((struct connector){ .name = names.items[i], .inferred = true }));
    names.count = 0;
    build_split(ir, outputs, ',', &names);
    for (uint32_t i = 0; i < names.count; i++)
        vec_push(ir->arena, &n->out_conns, ((struct connector){ .name = names.items[i], .inferred = true }));
}

struct access *build_access(struct state *st, const char *name)
{
    struct ir *ir = st->sdfg->ir;
    struct access *a = add_node(st, NODE_ACCESS, sizeof *a, "access", name);
    a->name = a->node.label;
    a->data = sdfg_find_container(st->sdfg, a->name);
    a->instrument = enum_builtin(ir, DATA_INSTRUMENT_NONE);
    a->instrument_condition = (struct code_text){ .text = "", .language = enum_builtin(ir, LANGUAGE_CPP) };
    if (!a->data)
        diag_error(ir->diags, &a->node.place, DIAG_READ_CONTAINER, name);
    return a;
}

struct tasklet *build_tasklet(struct state *st, const char *label, const char *inputs, const char *outputs,
                              const char *code)
{
    struct ir *ir = st->sdfg->ir;
    struct tasklet *t = add_node(st, NODE_TASKLET, sizeof *t, "tasklet", label);
    struct code_text none = { .text = "", .language = enum_builtin(ir, LANGUAGE_CPP) };
    add_connectors(&t->node, inputs, outputs);
    t->code =
        (struct code_text){ .text = arena_strdup(ir->arena, code), .language = enum_builtin(ir, LANGUAGE_PYTHON) };
    t->code_global = t->code_init = t->code_exit = none;
    t->side_effects = -1;
    t->instrument = enum_builtin(ir, INSTRUMENT_NONE);
    return t;
}

struct map_entry *build_map(struct state *st, const char *label, const char *ranges)
{
    struct ir *ir = st->sdfg->ir;
    struct map_entry *m = add_node(st, NODE_MAP_ENTRY, sizeof *m, "map", label);
    struct map_exit *x = add_node(st, NODE_MAP_EXIT, sizeof *x, "map exit", label);
    m->exit = &x->node;
    x->entry = &m->node;
    build_list parts = { 0 };
    build_split(ir, ranges, ',', &parts);
    m->range.dims = NEW_ARRAY(ir->arena, struct range, parts.count);
    for (uint32_t i = 0; i < parts.count; i++) {
        build_list sides = { 0 };
        build_split(ir, parts.items[i], '=', &sides);
        if (sides.count != 2) {
            diag_error(ir->diags, &m->node.place, DIAG_BUILD_RANGE, parts.items[i]);
            continue;
        }
        m->range.dims[m->range.rank++] = build_range(ir, &m->node.place, sides.items[1]);
        vec_push(ir->arena, &m->params, sides.items[0]);
    }
    m->schedule = enum_builtin(ir, SCHEDULE_DEFAULT);
    m->omp_schedule = enum_builtin(ir, OMP_SCHEDULE_DEFAULT);
    m->instrument = enum_builtin(ir, INSTRUMENT_NONE);
    m->collapse = 1;
    return m;
}

struct consume_entry *build_consume(struct state *st, const char *label, const char *pe_index, const char *num_pes,
                                    const char *condition)
{
    struct ir *ir = st->sdfg->ir;
    struct consume_entry *c = add_node(st, NODE_CONSUME_ENTRY, sizeof *c, "consume", label);
    struct consume_exit *x = add_node(st, NODE_CONSUME_EXIT, sizeof *x, "consume exit", label);
    c->exit = &x->node;
    x->entry = &c->node;
    c->pe_index = intern(ir->names, pe_index);
    c->num_pes = build_sym(ir, &c->node.place, num_pes);
    c->condition = (struct code_text){ .text = "", .language = enum_builtin(ir, LANGUAGE_PYTHON) };
    if (condition) {
        c->condition.text = arena_strdup(ir->arena, condition);
        c->condition.tree = python_parse_expression(ir, &c->node.place, c->condition.text);
    }
    c->schedule = enum_builtin(ir, SCHEDULE_DEFAULT);
    c->instrument = enum_builtin(ir, INSTRUMENT_NONE);
    c->chunksize = 1;
    return c;
}

struct nested *build_nested(struct state *st, const char *label, struct sdfg *inner, const char *inputs,
                            const char *outputs, const char *mapping)
{
    struct ir *ir = st->sdfg->ir;
    struct nested *n = add_node(st, NODE_NESTED, sizeof *n, "nested", label);
    add_connectors(&n->node, inputs, outputs);
    n->sdfg = inner;
    n->whole = ir->whole_connectors;
    n->instrument = enum_builtin(ir, INSTRUMENT_NONE);
    if (inner->parent)
        diag_error(ir->diags, &n->node.place, DIAG_BUILD_NESTED, inner->name);
    inner->parent = n;
    inner->dace_version = NULL;
    inner->region.block.place.parent = &n->node.place;
    build_list parts = { 0 };
    build_split(ir, mapping, ',', &parts);
    for (uint32_t i = 0; i < parts.count; i++) {
        build_list sides = { 0 };
        build_split(ir, parts.items[i], '=', &sides);
        if (sides.count != 2) {
            diag_error(ir->diags, &n->node.place, DIAG_BUILD_ASSIGNMENT, parts.items[i]);
            continue;
        }
        struct symbol_mapping m = { sides.items[0], build_sym(ir, &n->node.place, sides.items[1]) };
        vec_push(ir->arena, &n->mapping, m);
    }
    return n;
}

struct library *build_library(struct state *st, const char *label, const char *classpath, const char *inputs,
                              const char *outputs, const char *attributes)
{
    struct ir *ir = st->sdfg->ir;
    struct library *l = add_node(st, NODE_LIBRARY, sizeof *l, "library", label);
    const char *text = arena_strdup(ir->arena, attributes ? attributes : "{}");
    add_connectors(&l->node, inputs, outputs);
    l->classpath = arena_strdup(ir->arena, classpath);
    l->schedule = enum_builtin(ir, SCHEDULE_DEFAULT);
    l->instrument = enum_builtin(ir, INSTRUMENT_NONE);
    l->attributes = json_parse(ir->arena, ir->diags, text, strlen(text));
    return l;
}
