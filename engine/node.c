#include "engine/node.h"

#include "engine/engine.h"

#include <string.h>

static const char *after(const char *text) { return text + strlen(text) + 1; }

/* What generated code gives (runtime/abi.h) as the caller sees it. */
static bool call_node(const struct sdfg_rt_nodes *runtime, const char *text, const int64_t *layout)
{
    enum { MOST = 64 };
    const struct nodes *nodes = (const struct nodes *)runtime;
    const char *label = after(text), *properties = after(label), *name = after(properties);
    sdfg_operand operands[MOST];
    int64_t count = *layout++;
    for (int64_t i = 0; i < count && i < MOST; i++) {
        const char *type = after(name);
        int64_t rank = layout[2];
        operands[i] = (sdfg_operand){
            .connector = name,
            .output = layout[0] != 0,
            .dtype = sdfg_dtype_by_name(type),
            .lanes = (int)layout[1],
            .rank = (int)rank,
            .data = (void *)(intptr_t)layout[3],
            .shape = layout + 4,
            .strides = layout + 4 + rank,
        };
        layout += 4 + 2 * rank;
        name = after(type);
    }
    sdfg_node node = {
        .struct_size = sizeof node,
        .class_path = text,
        .label = label,
        .properties = properties,
        .num_operands = (size_t)count,
        .operands = operands,
    };
    for (size_t i = 0; i < nodes->items.count; i++)
        if (!strcmp(nodes->items.items[i].class_path, text))
            return nodes->items.items[i].function(nodes->items.items[i].user, &node);
    return false;
}

void nodes_add(struct sdfg_engine *e, const char *class_path, const char *text, const char *plugin,
               sdfg_node_function *f, void *user)
{
    struct nodes *n = &e->nodes;
    struct node_implementation item = { arena_strdup(e->arena, class_path), arena_strdup(e->arena, text ? text : ""),
                                        plugin, f, user };
    vec_push(e->arena, &n->items, item);
    vec_push(e->arena, &n->classes, item.class_path);
    n->runtime.call = call_node;
}

void nodes_shorten(struct sdfg_engine *e, uint32_t count) { e->nodes.items.count = e->nodes.classes.count = count; }

static bool add(struct sdfg_engine *e, const char *class_path, sdfg_node_function *f, void *user, struct diags *d)
{
    const struct registry *r = &e->registry;
    const struct nodes *n = &e->nodes;
    if (r->complete)
        return diag_error(d, NULL, DIAG_NODE_LATE, class_path);
    for (uint32_t i = 0; i < n->items.count; i++)
        if (!strcmp(n->items.items[i].class_path, class_path))
            return diag_error(d, NULL, DIAG_NODE_TWICE, class_path);
    for (uint32_t i = 0; i < r->expansions.count; i++)
        if (!strcmp(r->expansions.items[i].class_path, class_path))
            return diag_error(d, NULL, DIAG_NODE_TWICE, class_path);
    nodes_add(e, class_path, "implemented by the embedding program", NULL, f, user);
    return true;
}

sdfg_error *sdfg_engine_implement(sdfg_engine *e, const char *class_path, sdfg_node_function *f, void *user)
{
    NEEDS(e);
    NEEDS(class_path);
    NEEDS(f);
    GUARDED(error_memory(SDFG_STAGE_OPTIONS));
    struct report r = report_begin();
    struct cleanup locked;
    guard_lock(&locked, &e->registry.lock);
    add(e, class_path, f, user, r.diags);
    guard_unlock(&locked);
    return report_end(&r, SDFG_STAGE_OPTIONS);
}

const sdfg_operand *sdfg_node_operand(const sdfg_node *n, const char *connector, bool output)
{
    for (size_t i = 0; n && connector && i < n->num_operands; i++)
        if (n->operands[i].output == output && !strcmp(n->operands[i].connector, connector))
            return &n->operands[i];
    return NULL;
}
