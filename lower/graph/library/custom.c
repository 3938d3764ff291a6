/* Library nodes whose implementation the embedding program gave: a call of the runtime with what the node is and where
 * its operands lie. No address of the implementation is in the code: it is found through the context (runtime/abi.h).
 */
#include "lower/graph/library/library.h"

#include "ir/json/json.h"

#include <string.h>

enum { MAX_OPERANDS = 64 };

bool library_is_custom(const struct lower *lw, const struct library *n)
{
    for (uint32_t i = 0; i < lw->options->num_node_classes; i++)
        if (!strcmp(lw->options->node_classes[i], n->classpath))
            return true;
    return false;
}

struct custom {
    struct scope *sc;
    struct library *node;
    struct text text;
    struct tree_expr *layout[MAX_OPERANDS * (4 + 4 * LOWER_MAX_RANK) + 1];
    uint32_t count, num_operands;
};

static void add_text(struct custom *c, const char *text)
{
    text_add(&c->text, text);
    text_addc(&c->text, 0);
}

static bool add(struct custom *c, struct tree_expr *e)
{
    c->layout[c->count++] = e;
    return e != NULL;
}

static bool add_operand(struct custom *c, const struct edge *e, bool output)
{
    struct lower *lw = c->sc->act->lw;
    struct tree *t = lw->tree;
    const struct place *place = &c->node->node.place;
    const char *conn = output ? e->src_conn : e->dst_conn;
    struct area a;
    if (c->num_operands++ == MAX_OPERANDS)
        return lower_unsupported(c->sc, place, "library nodes of more than 64 operands");
    if (!(output ? library_update : library_input)(c->sc, c->node, conn, &a))
        return false;
    bool vector = a.type->kind == TYPE_VECTOR;
    const struct type *elem = vector ? a.type->elem : a.type;
    if (!type_is_basic(elem))
        return lower_unsupported(c->sc, place, "operands of this type at library nodes");
    add_text(c, conn ? conn : "");
    add_text(c, elem->name);
    add(c, expr_i64(t, output));
    add(c, expr_i64(t, vector ? a.type->lanes : 1));
    add(c, expr_i64(t, a.rank));
    if (!add(c, expr_cast(t, type_basic(lw->ir, TYPE_I64), a.pointer)))
        return false;
    for (uint32_t i = 0; i < a.rank; i++)
        if (!add(c, lower_index(lw, place, a.sizes[i])))
            return false;
    for (uint32_t i = 0; i < a.rank; i++)
        if (!add(c, lower_index(lw, place, a.strides[i])))
            return false;
    return true;
}

static bool add_operands(struct custom *c, struct edge *const *edges, uint32_t count, bool output)
{
    for (uint32_t i = 0; i < count; i++)
        if (!memlet_is_empty(&edges[i]->memlet) && !add_operand(c, edges[i], output))
            return false;
    return true;
}

bool lower_custom(struct scope *sc, struct library *n)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    const struct type *i64 = type_basic(lw->ir, TYPE_I64);
    if (lw->options->exported)
        return diag_error(lw->diags, &n->node.place, DIAG_NODE_EXPORT, n->classpath);
    struct custom *c = NEW(lw->arena, struct custom);
    *c = (struct custom){ .sc = sc, .node = n, .text = text_new(lw->arena) };
    add_text(c, n->classpath);
    add_text(c, n->node.label ? n->node.label : "");
    struct json_writer w = { .out = &c->text };
    if (n->attributes)
        json_write_value(&w, NULL, n->attributes);
    else
        text_add(&c->text, "{}");
    text_addc(&c->text, 0);
    c->count = 1; /* the first is the number of operands */
    if (!add_operands(c, n->node.in.items, n->node.in.count, false) ||
        !add_operands(c, n->node.out.items, n->node.out.count, true))
        return false;
    c->layout[0] = expr_i64(t, c->num_operands);
    struct tree_var *layout = tree_var(t, "layout", type_pointer(lw->ir, i64));
    stmt_alloc(t, sc->block, layout, i64, expr_i64(t, c->count), TREE_STACK);
    for (uint32_t i = 0; i < c->count; i++)
        stmt_store(t, sc->block, expr_var(t, layout), expr_i64(t, i), c->layout[i], 0);
    struct tree_expr *args[] = {
        expr_context(t),
        expr_data(t, type_basic(lw->ir, TYPE_I8), c->text.data, c->text.length),
        expr_var(t, layout),
    };
    stmt_call(t, sc->block, NULL, "sdfg_rt_node", args, 3)->place = &n->node.place;
    return true;
}
