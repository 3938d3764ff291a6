/* Attributes of files that the graph itself does not hold: they are kept as JSON with the element and written as they
 * are. */
#include "engine/graph/graph.h"

#include "ir/json/json.h"

#include <string.h>

enum kept_kind { KEPT_TEXT, KEPT_INTEGER, KEPT_BOOL, KEPT_INTEGERS, KEPT_TEXTS, KEPT_LIST, KEPT_OBJECT };

struct kept {
    const char *name;
    enum kept_kind kind;
};

static const struct kept of_container[] = { { "location", KEPT_OBJECT }, { NULL, 0 } };
static const struct kept of_map[] = { { "gpu_block_size", KEPT_INTEGERS },
                                      { "gpu_launch_bounds", KEPT_TEXT },
                                      { "gpu_min_warps_per_eu", KEPT_INTEGER },
                                      { "gpu_maxnreg", KEPT_INTEGER },
                                      { "gpu_force_syncthreads", KEPT_BOOL },
                                      { "is_collapsed", KEPT_BOOL },
                                      { NULL, 0 } };
static const struct kept of_block[] = { { "is_collapsed", KEPT_BOOL }, { NULL, 0 } };
static const struct kept of_tasklet[] = {
    { "ignored_symbols", KEPT_TEXTS }, { "environments", KEPT_TEXTS }, { "location", KEPT_OBJECT }, { NULL, 0 }
};
static const struct kept of_nested[] = {
    { "environments", KEPT_TEXTS }, { "is_collapsed", KEPT_BOOL }, { "location", KEPT_OBJECT }, { NULL, 0 }
};
static const struct kept of_library[] = { { "location", KEPT_OBJECT }, { NULL, 0 } };
static const struct kept of_state[] = {
    { "location", KEPT_OBJECT }, { "nosync", KEPT_BOOL }, { "is_collapsed", KEPT_BOOL }, { NULL, 0 }
};
static const struct kept of_region[] = { { "arguments", KEPT_OBJECT }, { "is_collapsed", KEPT_BOOL }, { NULL, 0 } };
static const struct kept of_body[] = { { "callback_mapping", KEPT_OBJECT },
                                       { "logical_groups", KEPT_LIST },
                                       { NULL, 0 } };
static const struct kept of_nothing[] = { { NULL, 0 } };

static const struct kept *kept_of(const struct sdfg_element *e)
{
    static const struct kept *const of_nodes[NODE_COUNT] = {
        [NODE_MAP_ENTRY] = of_map, [NODE_CONSUME_ENTRY] = of_block, [NODE_TASKLET] = of_tasklet,
        [NODE_NESTED] = of_nested, [NODE_LIBRARY] = of_library,
    };
    switch (e->kind) {
    case ELEMENT_CONTAINER:
        return of_container;
    case ELEMENT_BODY:
        return of_body;
    case ELEMENT_NODE:
        return of_nodes[e->node->kind] ? of_nodes[e->node->kind] : of_nothing;
    case ELEMENT_BLOCK:
        return as_state(e->block) ? of_state : e->block->kind == BLOCK_REGION ? of_region : of_block;
    default:
        return of_nothing;
    }
}

static const struct json **record_of(const struct sdfg_element *e)
{
    switch (e->kind) {
    case ELEMENT_CONTAINER:
        return &e->container->json;
    case ELEMENT_BODY:
        return &e->graph->sdfg->json;
    case ELEMENT_NODE:
        return &e->node->json;
    default:
        return &e->block->json;
    }
}

/* ---- values ---- */

static bool all_are(const struct json *list, enum json_kind kind)
{
    for (const struct json *v = list->first; v; v = v->next)
        if (v->kind != kind)
            return false;
    return true;
}

static bool is_kind(const struct json *v, enum kept_kind kind)
{
    switch (kind) {
    case KEPT_TEXT:
        return v->kind == JSON_STRING;
    case KEPT_INTEGER:
        return v->kind == JSON_INT;
    case KEPT_BOOL:
        return v->kind == JSON_TRUE || v->kind == JSON_FALSE;
    case KEPT_INTEGERS:
        return v->kind == JSON_ARRAY && all_are(v, JSON_INT);
    case KEPT_TEXTS:
        return v->kind == JSON_ARRAY && all_are(v, JSON_STRING);
    case KEPT_LIST:
        return v->kind == JSON_ARRAY;
    case KEPT_OBJECT:
        return v->kind == JSON_OBJECT;
    }
    return false;
}

static struct json *value_of(struct ir *ir, enum kept_kind kind, const char *value)
{
    struct json *v = NEW(ir->arena, struct json);
    const char *own = arena_strdup(ir->arena, value);
    size_t length = strlen(own);
    if (kind == KEPT_TEXT) {
        *v = (struct json){ .kind = JSON_STRING, .length = (uint32_t)length, .text = own };
        return v;
    }
    const struct json *read = json_parse(ir->arena, ir->diags, own, length);
    if (!read)
        return NULL;
    *v = *read;
    return v;
}

/* `object` (NULL: {}) with a member of this name instead of the one that it may have. */
static const struct json *with_member(struct ir *ir, const struct json *object, const char *key, struct json *value)
{
    struct json *out = NEW(ir->arena, struct json);
    *out = (struct json){ .kind = JSON_OBJECT, .count = 1 };
    value->key = arena_strdup(ir->arena, key);
    value->mark = json_mark(key, strlen(key));
    value->next = NULL;
    for (const struct json *m = object ? object->first : NULL; m; m = m->next) {
        if (!strcmp(m->key, key))
            continue;
        struct json *copy = NEW(ir->arena, struct json);
        *copy = *m;
        copy->next = value->next;
        value->next = copy;
        out->count++;
    }
    out->first = value;
    return out;
}

bool graph_keep(const struct sdfg_element *e, const char *property, const char *value)
{
    struct ir *ir = e->graph->ir;
    const struct kept *k = kept_of(e);
    while (k->name && strcmp(k->name, property) != 0)
        k++;
    if (!k->name)
        return false;
    uint32_t errors = diags_errors(ir->diags);
    struct json *v = value_of(ir, k->kind, value);
    if (v && is_kind(v, k->kind)) {
        const struct json **record = record_of(e), *attributes = json_get(*record, "attributes");
        struct json *all = NEW(ir->arena, struct json);
        *all = *with_member(ir, attributes, k->name, v);
        *record = with_member(ir, *record, "attributes", all);
    } else if (diags_errors(ir->diags) == errors)
        diag_error(ir->diags, graph_place(e), DIAG_BUILD_VALUE, value, property);
    return true;
}
