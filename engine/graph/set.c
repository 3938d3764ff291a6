/* Properties of elements by name. */
#include "engine/graph/graph.h"

#include "ir/json/json.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* CHOICE: a boolean in an int, which has a third value. */
enum property_type {
    PROPERTY_ENUM,
    PROPERTY_BOOL,
    PROPERTY_CHOICE,
    PROPERTY_INT,
    PROPERTY_SYM,
    PROPERTY_CODE,
    PROPERTY_TEXT,
    PROPERTY_STRIDES
};

struct property {
    const char *name;
    enum property_type type;
    size_t offset; /* in the struct of the element */
    enum enum_kind enumeration;
};

#define ENUMERATION(name, s, field, kind)                                                                              \
    {                                                                                                                  \
        name, PROPERTY_ENUM, offsetof(struct s, field), ENUM_##kind                                                    \
    }
#define FIELD(s, field, type)                                                                                          \
    {                                                                                                                  \
#field, PROPERTY_##type, offsetof(struct s, field), 0                                                          \
    }
#define END                                                                                                            \
    {                                                                                                                  \
        NULL, 0, 0, 0                                                                                                  \
    }

static const struct property of_container[] = {
    ENUMERATION("storage", container, storage, STORAGE),
    ENUMERATION("lifetime", container, lifetime, LIFETIME),
    FIELD(container, transient, BOOL),
    FIELD(container, may_alias, BOOL),
    FIELD(container, pool, BOOL),
    FIELD(container, alignment, INT),
    { "strides", PROPERTY_STRIDES, 0, 0 },
    FIELD(container, total_size, SYM),
    FIELD(container, start_offset, SYM),
    FIELD(container, buffer_size, SYM),
    END,
};
static const struct property of_map[] = {
    ENUMERATION("schedule", map_entry, schedule, SCHEDULE),
    ENUMERATION("omp_schedule", map_entry, omp_schedule, OMP_SCHEDULE),
    ENUMERATION("instrument", map_entry, instrument, INSTRUMENT),
    FIELD(map_entry, unroll, BOOL),
    FIELD(map_entry, unroll_factor, INT),
    FIELD(map_entry, collapse, INT),
    FIELD(map_entry, omp_num_threads, INT),
    FIELD(map_entry, omp_chunk_size, INT),
    END,
};
static const struct property of_consume[] = {
    ENUMERATION("schedule", consume_entry, schedule, SCHEDULE),
    ENUMERATION("instrument", consume_entry, instrument, INSTRUMENT),
    FIELD(consume_entry, chunksize, INT),
    END,
};
static const struct property of_tasklet[] = {
    ENUMERATION("language", tasklet, code.language, LANGUAGE),
    ENUMERATION("instrument", tasklet, instrument, INSTRUMENT),
    FIELD(tasklet, side_effects, CHOICE),
    FIELD(tasklet, code_global, CODE),
    FIELD(tasklet, code_init, CODE),
    FIELD(tasklet, code_exit, CODE),
    END,
};
static const struct property of_access[] = {
    ENUMERATION("instrument", access, instrument, DATA_INSTRUMENT),
    FIELD(access, setzero, BOOL),
    END,
};
static const struct property of_nested[] = {
    ENUMERATION("instrument", nested, instrument, INSTRUMENT),
    FIELD(nested, no_inline, BOOL),
    END,
};
static const struct property of_library[] = {
    ENUMERATION("schedule", library, schedule, SCHEDULE),
    ENUMERATION("instrument", library, instrument, INSTRUMENT),
    FIELD(library, implementation, TEXT),
    END,
};
static const struct property of_state[] = {
    ENUMERATION("instrument", state, instrument, INSTRUMENT),
    END,
};
static const struct property of_loop[] = {
    FIELD(loop, inverted, BOOL),
    FIELD(loop, update_before_condition, BOOL),
    FIELD(loop, unroll, BOOL),
    FIELD(loop, unroll_factor, INT),
    END,
};
static const struct property of_body[] = {
    ENUMERATION("instrument", sdfg, instrument, INSTRUMENT),
    END,
};
static const struct property of_edge[] = {
    { "dynamic", PROPERTY_BOOL, offsetof(struct edge, memlet.dynamic), 0 },
    { "wcr_nonatomic", PROPERTY_BOOL, offsetof(struct edge, memlet.wcr_nonatomic), 0 },
    { "allow_oob", PROPERTY_BOOL, offsetof(struct edge, memlet.allow_oob), 0 },
    { "volume", PROPERTY_SYM, offsetof(struct edge, memlet.volume), 0 },
    END,
};
static const struct property of_nothing[] = { END };

static const struct property *properties_of(const struct sdfg_element *e)
{
    static const struct property *const of_nodes[NODE_COUNT] = {
        [NODE_MAP_ENTRY] = of_map, [NODE_CONSUME_ENTRY] = of_consume, [NODE_TASKLET] = of_tasklet,
        [NODE_ACCESS] = of_access, [NODE_NESTED] = of_nested,         [NODE_LIBRARY] = of_library,
    };
    switch (e->kind) {
    case ELEMENT_CONTAINER:
        return of_container;
    case ELEMENT_EDGE:
        return of_edge;
    case ELEMENT_BODY: /* the region is the first member of the SDFG */
        return of_body;
    case ELEMENT_NODE:
        return of_nodes[e->node->kind] ? of_nodes[e->node->kind] : of_nothing;
    case ELEMENT_BLOCK:
        return e->block->kind == BLOCK_STATE ? of_state : e->block->kind == BLOCK_LOOP ? of_loop : of_nothing;
    default:
        return of_nothing;
    }
}

/* ---- values ---- */

static const struct enum_value *enum_value_of(struct ir *ir, const struct place *at, const struct property *p,
                                              const char *text)
{
    const char *own = arena_strdup(ir->arena, text);
    bool object = *own == '{';
    const struct json *json = object ? json_parse(ir->arena, ir->diags, own, strlen(own)) : NULL;
    if (object && !json)
        return NULL;
    const struct enum_value *v =
        object ? enum_from_json(ir, p->enumeration, json) : enum_by_name(ir, p->enumeration, own);
    if (!v || (!enum_is_builtin(p->enumeration, v->name) && !enum_member_of(ir, v)))
        return diag_error(ir->diags, at, DIAG_BUILD_VALUE, text, p->name), NULL;
    const char *wrong = enum_attributes_wrong(ir, v);
    if (wrong)
        return diag_error(ir->diags, at, DIAG_READ_ATTRIBUTES, v->name, p->name, wrong), NULL;
    return v;
}

/* "true", "false" or a number; false after a mistake. */
static bool number_of(struct ir *ir, const struct place *at, const struct property *p, const char *text, int *out)
{
    char *end;
    long value = strtol(text, &end, 10);
    bool word = !strcmp(text, "true") || !strcmp(text, "false");
    bool number = *text && !*end && value == (int)value;
    if (p->type == PROPERTY_INT ? !number : !word)
        return diag_error(ir->diags, at, DIAG_BUILD_VALUE, text, p->name);
    *out = p->type == PROPERTY_INT ? (int)value : *text == 't';
    return true;
}

static void set(const struct sdfg_element *e, const struct property *p, const char *text)
{
    struct ir *ir = e->graph->ir;
    const struct place *at = graph_place(e);
    char *field = (char *)e->any + p->offset;
    const struct enum_value *member;
    int number;
    switch (p->type) {
    case PROPERTY_ENUM:
        member = enum_value_of(ir, at, p, text);
        if (member)
            *(const struct enum_value **)field = member;
        break;
    case PROPERTY_BOOL:
        if (number_of(ir, at, p, text, &number))
            *(bool *)field = number;
        break;
    case PROPERTY_CHOICE:
    case PROPERTY_INT:
        if (number_of(ir, at, p, text, &number))
            *(int *)field = number;
        break;
    case PROPERTY_SYM:
        *(const struct sym **)field = build_sym(ir, at, text);
        break;
    case PROPERTY_CODE:
        ((struct code_text *)field)->text = arena_strdup(ir->arena, text);
        break;
    case PROPERTY_TEXT:
        *(const char **)field = arena_strdup(ir->arena, text);
        break;
    case PROPERTY_STRIDES:
        build_strides(e->graph->sdfg, e->container, text);
        break;
    }
}

void sdfg_graph_set(sdfg_element *e, const char *property, const char *value)
{
    if (!e)
        return;
    GUARDED((void)graph_no_memory(e->graph));
    if (!graph_has(e->graph, property, __func__, "property") || !graph_has(e->graph, value, __func__, "value"))
        return;
    for (const struct property *p = properties_of(e); p->name; p++)
        if (!strcmp(p->name, property)) {
            set(e, p, value);
            return;
        }
    diag_error(e->graph->ir->diags, graph_place(e), DIAG_BUILD_PROPERTY, property);
}
