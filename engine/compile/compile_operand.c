/* Regions of memory and library nodes as targets of plug-ins see them. */
#include "engine/compile/compile_code.h"

#include "ir/json/json.h"
#include "lower/graph/library/library.h"

sdfg_value *region_number(struct scope *sc, const struct place *place, const struct sym *s, int64_t times)
{
    struct lower *lw = sc->act->lw;
    return builder_value(lower_index(lw, place, sym_mul(lw->ir, s, sym_int(lw->ir, times))));
}

bool region_describe(struct scope *sc, const struct place *place, const struct area *a, bool gapless, sdfg_region *out)
{
    struct lower *lw = sc->act->lw;
    int64_t size = (int64_t)a->type->size;
    sdfg_value **strides = NEW_ARRAY(lw->arena, sdfg_value *, a->rank + 1);
    strides[0] = builder_value(expr_i64(lw->tree, size));
    for (uint32_t i = 0; !gapless && i < a->rank; i++)
        if (!(strides[i] = region_number(sc, place, a->strides[i], size)))
            return false;
    *out = (sdfg_region){
        .container = a->desc ? a->desc->name : "",
        .storage = a->desc ? a->desc->storage->name : "Register",
        .type = a->type->name ? a->type->name : "",
        .element_bytes = (size_t)size,
        .address = builder_value(expr_cast(lw->tree, type_basic(lw->ir, TYPE_I64), a->pointer)),
        .strides = strides,
    };
    return true;
}

/* ---- library nodes ---- */

const char *node_class_path(const struct node *n)
{
    const struct library *l = n ? as_library(n) : NULL;
    return l ? l->classpath : "";
}

static const char *const *connectors(struct arena *a, struct edge *const *edges, uint32_t count, bool output)
{
    const char **names = NEW_ARRAY(a, const char *, count + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = output ? edges[i]->src_conn : edges[i]->dst_conn;
        if (!memlet_is_empty(&edges[i]->memlet))
            names[n++] = name ? name : "";
    }
    return names;
}

static const char *properties(struct arena *a, const struct library *l)
{
    struct text t = text_new(a);
    struct json_writer w = { .out = &t };
    if (!l->attributes)
        return "{}";
    json_write_value(&w, NULL, l->attributes);
    return text_get(&t);
}

sdfg_claimed_node node_describe(struct lower *lw, const struct node *n)
{
    static const char *const none[] = { NULL };
    const struct library *l = as_library(n);
    return (sdfg_claimed_node){
        .struct_size = sizeof(sdfg_claimed_node),
        .type = lower_node_type(n),
        .label = n->label ? n->label : "",
        .class_path = node_class_path(n),
        .properties = l ? properties(lw->arena, l) : "{}",
        .inputs = l ? connectors(lw->arena, n->in.items, n->in.count, false) : none,
        .outputs = l ? connectors(lw->arena, n->out.items, n->out.count, true) : none,
    };
}

const sdfg_area *code_operand(sdfg_code *code, const char *connector, bool output)
{
    BUILDER(code);
    struct library *n = b->library;
    struct lower *lw = b->sc->act->lw;
    struct area a;
    if (!n)
        return builder_fail(b, "only library nodes have operands"), NULL;
    b->asked = true;
    const char *name = connector && *connector ? connector : NULL;
    if (!(output ? library_update : library_input)(b->sc, n, name, &a))
        return builder_fail(b, arena_printf(lw->arena, "the operand '%s' cannot be used", name ? name : "")), NULL;
    sdfg_area *out = NEW(lw->arena, sdfg_area);
    sdfg_value **extents = NEW_ARRAY(lw->arena, sdfg_value *, a.rank + 1);
    bool good = region_describe(b->sc, b->place, &a, false, &out->region);
    for (uint32_t i = 0; good && i < a.rank; i++)
        good = (extents[i] = region_number(b->sc, b->place, a.sizes[i], 1)) != NULL;
    if (!good)
        return builder_fail(b, arena_printf(lw->arena, "the operand '%s' has no layout", name ? name : "")), NULL;
    out->struct_size = sizeof *out;
    out->rank = a.rank;
    out->extents = extents;
    return out;
}
