/* Library nodes that plug-ins implement by graphs become nested SDFGs:
 *
 *     library node acme.nodes.Scale          nested SDFG, as the plug-in gives it
 *       _in <- A[0:N]  _out -> B[0:N]   =>     containers _in, _out; N -> N
 *
 * What a graph contains may be such nodes again, up to a limit. */
#include "engine/compile/compile.h"

#include "ir/json/json.h"

#include <string.h>

enum { DEEPEST = 32 };

struct expanding {
    struct compile *compile;
    uint32_t replaced;
    bool ok;
};

/* What a plug-in gave. */
struct gift {
    struct arena *arena;
    const char *text;
    size_t size;
};

static void take_gift(void *to, const char *text, size_t size)
{
    struct gift *g = to;
    if (!text)
        return;
    g->text = arena_strndup(g->arena, text, size);
    g->size = size;
}

static const struct codegen_expansion *find(const struct compile *c, const struct node *n)
{
    const struct library *l = as_library(n);
    for (uint32_t i = 0; l && i < c->request->num_expansions; i++)
        if (!strcmp(c->request->expansions[i].class_path, l->classpath))
            return &c->request->expansions[i];
    return NULL;
}

/* ---- what the plug-in is told ---- */

static sdfg_connector describe(struct ir *ir, const struct edge *e, bool output)
{
    const char *name = output ? e->src_conn : e->dst_conn;
    sdfg_connector c = { .name = name ? name : "", .output = output, .container = "", .type = "" };
    if (memlet_is_empty(&e->memlet))
        return c;
    const struct container *data = e->memlet.data;
    const struct subset *s = e->memlet.subset ? e->memlet.subset : subset_whole(ir, data);
    const char **shape = NEW_ARRAY(ir->arena, const char *, s->rank + 1);
    for (uint32_t i = 0; i < s->rank; i++)
        shape[i] = sym_text(ir, subset_size(ir, s, i));
    c.container = e->memlet.name;
    c.type = data->type ? data->type->name : "";
    c.rank = (int)s->rank;
    c.shape = shape;
    return c;
}

static sdfg_expansion expansion_of(struct ir *ir, const struct library *l)
{
    const struct node *n = &l->node;
    sdfg_connector *connectors = NEW_ARRAY(ir->arena, sdfg_connector, n->in.count + n->out.count + 1);
    size_t count = 0;
    for (uint32_t i = 0; i < n->in.count; i++)
        connectors[count++] = describe(ir, n->in.items[i], false);
    for (uint32_t i = 0; i < n->out.count; i++)
        connectors[count++] = describe(ir, n->out.items[i], true);
    struct text properties = text_new(ir->arena);
    struct json_writer w = { .out = &properties };
    if (l->attributes)
        json_write_value(&w, NULL, l->attributes);
    else
        text_add(&properties, "{}");
    return (sdfg_expansion){
        .struct_size = sizeof(sdfg_expansion),
        .class_path = l->classpath,
        .label = n->label ? n->label : "",
        .properties = text_get(&properties),
        .num_connectors = count,
        .connectors = connectors,
    };
}

/* ---- the node ---- */

static void map_symbols(struct nested *n, struct sdfg *inner)
{
    struct ir *ir = inner->ir;
    const char **names;
    uint32_t count = sdfg_free_symbols(inner, true, &names);
    for (uint32_t i = 0; i < count; i++) {
        struct symbol_mapping m = { intern(ir->names, names[i]), sym_name(ir, names[i]) };
        vec_push(ir->arena, &n->mapping, m);
    }
}

static bool replace(struct library *l, struct sdfg *inner)
{
    struct state *st = l->node.state;
    struct nested *n = NEW(inner->ir->arena, struct nested);
    *n = (struct nested){ .node = l->node, .sdfg = inner, .instrument = l->instrument };
    n->node.kind = NODE_NESTED;
    n->node.json = NULL;
    inner->parent = n;
    inner->dace_version = NULL;
    inner->region.block.place.parent = &n->node.place;
    map_symbols(n, inner);
    st->nodes.items[n->node.index] = &n->node;
    for (uint32_t i = 0; i < n->node.in.count; i++)
        n->node.in.items[i]->dst = &n->node;
    for (uint32_t i = 0; i < n->node.out.count; i++)
        n->node.out.items[i]->src = &n->node;
    return state_resolve(st);
}

/* How many of the SDFGs around a node took the place of library nodes: what they are in has no record in the file. */
static int depth_of(const struct node *n)
{
    int depth = 0;
    for (const struct nested *at = n->state->sdfg->parent; at; at = at->node.state->sdfg->parent)
        depth += !at->node.json;
    return depth;
}

static bool expand(struct compile *c, struct library *l, const struct codegen_expansion *x)
{
    struct ir *ir = c->ir;
    sdfg_expansion asked = expansion_of(ir, l);
    if (depth_of(&l->node) == DEEPEST)
        return diag_error(ir->diags, &l->node.place, DIAG_EXPAND_DEPTH, DEEPEST);
    struct gift g = { .arena = ir->arena };
    if (!x->function(x->user, &asked, take_gift, &g))
        return diag_error(ir->diags, &l->node.place, DIAG_EXPAND_FAILED, x->plugin,
                          g.text && *g.text ? g.text : "it does not say why");
    if (!g.text)
        return diag_error(ir->diags, &l->node.place, DIAG_EXPAND_GRAPH, x->plugin, "was not given");
    struct sdfg *inner = sdfg_read(ir, g.text, g.size, c->request->folder);
    if (!inner)
        return diag_error(ir->diags, &l->node.place, DIAG_EXPAND_GRAPH, x->plugin, "cannot be read");
    return replace(l, inner);
}

static void expand_block(void *user, struct block *b)
{
    struct expanding *x = user;
    struct state *st = as_state(b);
    for (uint32_t i = 0; st && x->ok && i < st->nodes.count; i++) {
        struct node *n = st->nodes.items[i];
        const struct codegen_expansion *e = find(x->compile, n);
        if (!e)
            continue;
        x->replaced++;
        x->ok = expand(x->compile, as_library(n), e);
    }
}

static void expand_sdfg(void *user, struct sdfg *s)
{
    struct expanding *x = user;
    if (x->ok)
        region_each_block(&s->region, expand_block, user);
}

/* Graphs that came in are visited after the one around them, so that nodes in them are replaced, too. What is there in
 * the end obeys the rules of the format. */
bool pass_expand(struct compile *c)
{
    struct expanding x = { c, 0, true };
    sdfg_each(c->sdfg, expand_sdfg, &x);
    return x.ok && (!x.replaced || sdfg_validate(c->sdfg));
}
