/* The whole program: parameters in the order of the argument list, then the root activation. */
#include "lower/graph/lower.h"

#include "lower/graph/check.h"
#include "lower/graph/instrument.h"
#include "lower/graph/stream.h"
#include "lower/graph/target.h"

#include <stdlib.h>
#include <string.h>

static bool may_alias(const struct lower *lw, const struct container *c)
{
    if (c->may_alias)
        return true;
    for (uint32_t i = 0; i < lw->options->num_may_alias; i++)
        if (!strcmp(lw->options->may_alias[i], c->name))
            return true;
    return false;
}

static const struct lower_bound *bound_value(const struct lower *lw, const char *name)
{
    for (uint32_t i = 0; i < lw->options->num_bound; i++)
        if (!strcmp(lw->options->bound[i].name, name))
            return &lw->options->bound[i];
    return NULL;
}

/* ---- symbols ---- */

static void add_param(struct lower *lw, struct tree_param p) { vec_push(lw->arena, &lw->main->params, p); }

static void add_symbol(struct lower *lw, const char *name, const struct map *assigned, struct tree_stmt *block)
{
    const struct type *type = sdfg_symbol_type(lw->root->sdfg, name);
    if (!type || type->kind == TYPE_VOID)
        type = type_basic(lw->ir, TYPE_I64);
    const struct lower_bound *bound = bound_value(lw, name);
    bool variable = map_has(assigned, name);
    if (bound && type_is_integer(type)) {
        if (variable) {
            struct symval *v = lower_symbol_variable(lw->root, name, type);
            stmt_assign(lw->tree, block, v->var, expr_int(lw->tree, type, bound->value));
            return;
        }
        struct symval *v = NEW(lw->arena, struct symval);
        *v = (struct symval){ .value = sym_int(lw->ir, bound->value), .type = type };
        map_put(lw->arena, &lw->root->symbols, name, v);
        return;
    }
    struct tree_var *param = tree_var(lw->tree, name, type);
    add_param(lw, (struct tree_param){ .name = name, .var = param, .by_value = type->kind != TYPE_POINTER });
    if (variable) {
        struct symval *v = lower_symbol_variable(lw->root, name, type);
        stmt_assign(lw->tree, block, v->var, expr_var(lw->tree, param));
        return;
    }
    struct symval *v = NEW(lw->arena, struct symval);
    *v = (struct symval){ .value = lower_var_symbol(lw, param), .type = type };
    map_put(lw->arena, &lw->root->symbols, name, v);
}

/* ---- arguments ---- */

static bool is_argument(const struct container *c)
{
    return !c->transient && !container_is_view(c) && !container_is_reference(c);
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const struct container *const *)a)->name, (*(const struct container *const *)b)->name);
}

static struct tree_var *declare_array(struct lower *lw, struct container *c)
{
    const struct type *type = is_stream(c) ? stream_handle_type(lw->ir) : c->type;
    struct tree_var *v = tree_var(lw->tree, c->name, type_pointer(lw->ir, type));
    uint32_t align = lw->options->alignment > type->align && !is_stream(c) ? lw->options->alignment : type->align;
    bool alias = may_alias(lw, c) || type->kind == TYPE_STRUCT || (type->kind == TYPE_POINTER && !is_stream(c));
    add_param(lw, (struct tree_param){
                      .name = c->name,
                      .var = v,
                      .no_alias = !alias,
                      .alias = alias ? 0 : lw->tree->num_aliases++,
                      .alignment = align,
                  });
    return v;
}

static bool bind_argument(struct lower *lw, struct scope *sc, struct container *c, struct tree_expr *pointer,
                          uint32_t alias)
{
    const struct sym *start = lower_symbolic(sc, &c->place, c->start_offset);
    struct tree_expr *offset = start ? lower_index(lw, &c->place, start) : NULL;
    struct binding *b = offset ? binding_new(sc, &c->place, c, expr_offset(lw->tree, pointer, offset), alias) : NULL;
    if (b)
        map_put(lw->arena, &lw->root->bindings, c, b);
    return b != NULL;
}

struct known_names {
    struct scope *sc;
    bool all;
};

static void find_name(void *user, const struct sym *name)
{
    struct known_names *k = user;
    k->all &= lower_find_symbol(k->sc, name->name) != NULL;
}

/* Elements, or 0 if that is no constant. Sizes of arguments may name symbols that nothing else does. */
static int64_t known_size(struct scope *sc, const struct container *c)
{
    struct known_names known = { sc, true };
    sym_visit_names(c->total_size, find_name, &known);
    const struct sym *size = known.all ? lower_symbolic(sc, &c->place, c->total_size) : NULL;
    return size && size->op == SYM_INT && size->i > 0 ? size->i : 0;
}

struct shape_names {
    const struct container *container;
    bool all;
};

static void find_extent(void *user, const struct sym *name)
{
    struct shape_names *n = user;
    bool found = false;
    for (uint32_t d = 0; d < n->container->rank; d++)
        found |= sym_mentions(n->container->shape[d], name->name);
    n->all &= found;
}

/* Do all elements lie behind the address? Strides made of extents are not negative, others may be. */
static bool goes_upwards(struct ir *ir, const struct container *c)
{
    struct shape_names names = { c, true };
    for (uint32_t d = 0; d < c->rank && c->strides; d++) {
        sym_visit_names(c->strides[d], find_extent, &names);
        names.all &= sym_less_equal_from(ir, sym_int(ir, 0), c->strides[d], 0) == TRUTH_YES;
    }
    return names.all && c->total_size;
}

/* Scalars travel by value; the program may write its own copy. */
static bool bind_scalar(struct lower *lw, struct scope *sc, struct container *c, struct tree_var *value)
{
    struct tree_var *v = tree_var(lw->tree, c->name, type_pointer(lw->ir, c->type));
    stmt_alloc(lw->tree, sc->block, v, c->type, expr_i64(lw->tree, 1), TREE_STACK);
    uint32_t alias = lw->tree->num_aliases++;
    stmt_store(lw->tree, sc->block, expr_var(lw->tree, v), expr_i64(lw->tree, 0), expr_var(lw->tree, value), alias);
    struct binding *b = binding_new(sc, &c->place, c, expr_var(lw->tree, v), alias);
    if (b)
        map_put(lw->arena, &lw->root->bindings, c, b);
    return b != NULL;
}

static bool by_value(const struct container *c) { return c->kind == CONTAINER_SCALAR; }

struct value_param {
    const char *name;
    struct container *scalar; /* NULL: a free symbol */
    struct tree_var *var;
};

static int by_value_name(const void *a, const void *b)
{
    return strcmp(((const struct value_param *)a)->name, ((const struct value_param *)b)->name);
}

static bool usable(struct lower *lw, struct container *c)
{
    if (!c->type || c->type->kind == TYPE_VOID || (c->type->kind == TYPE_OPAQUE && !c->type->size))
        return diag_error(lw->diags, &c->place, DIAG_UNKNOWN_TYPE, c->name);
    return true;
}

/* Arguments that are not scalars by name, then scalars and free symbols together by name (semantics.md 1.2). */
static bool lower_parameters(struct lower *lw, struct tree_stmt *block)
{
    struct sdfg *s = lw->root->sdfg;
    struct scope sc = scope_at(lw->root, block);
    VEC(struct container *) arrays = { 0 };
    VEC(struct value_param) values = { 0 };
    for (uint32_t i = 0; i < s->containers.count; i++) {
        struct container *c = s->containers.items[i];
        if (!is_argument(c))
            continue;
        if (!usable(lw, c))
            return false;
        if (by_value(c))
            vec_push(lw->arena, &values, ((struct value_param){ c->name, c, NULL }));
        else
            vec_push(lw->arena, &arrays, c);
    }
    const char **symbols;
    uint32_t num_symbols = sdfg_free_symbols(s, true, &symbols);
    for (uint32_t i = 0; i < num_symbols; i++)
        vec_push(lw->arena, &values, ((struct value_param){ intern(lw->ir->names, symbols[i]), NULL, NULL }));
    if (arrays.count)
        qsort(arrays.items, arrays.count, sizeof *arrays.items, by_name);
    if (values.count)
        qsort(values.items, values.count, sizeof *values.items, by_value_name);
    struct map assigned = { 0 };
    lower_assigned_symbols(lw, s, &assigned);
    bool overlap = false; /* may some of them? */
    for (uint32_t i = 0; i < arrays.count; i++)
        declare_array(lw, arrays.items[i]);
    for (uint32_t i = 0; i < values.count; i++) {
        struct value_param *p = &values.items[i];
        if (!p->scalar) {
            add_symbol(lw, p->name, &assigned, block);
            continue;
        }
        p->var = tree_var(lw->tree, p->name, p->scalar->type);
        add_param(lw, (struct tree_param){ .name = p->name, .var = p->var, .by_value = true });
    }
    for (uint32_t i = 0; i < values.count; i++)
        if (values.items[i].scalar && !bind_scalar(lw, &sc, values.items[i].scalar, values.items[i].var))
            return false;
    for (uint32_t i = 0; i < arrays.count; i++) {
        struct tree_param *p = &lw->main->params.items[i];
        if (!bind_argument(lw, &sc, arrays.items[i], expr_var(lw->tree, p->var), p->alias))
            return false;
        p->count = known_size(&sc, arrays.items[i]);
        overlap |= !p->no_alias && !p->alias;
    }
    for (uint32_t i = 0; i < arrays.count; i++) {
        struct tree_param *p = &lw->main->params.items[i];
        if (lw->options->check || lw->options->device || (overlap && goes_upwards(lw->ir, arrays.items[i])))
            p->elements = lower_check_elements(&sc, arrays.items[i]);
    }
    return true;
}

/* ---- symbols nobody asked for ---- */

struct used_vars {
    struct lower *lw;
    bool *used; /* by tree_var.id */
};

static void mark_expr(void *user, struct tree_expr *e)
{
    struct used_vars *u = user;
    if (e->op == EXPR_VAR)
        u->used[e->var->id] = true;
}

static void mark_operand(void *user, struct tree_expr **e) { expr_visit(*e, mark_expr, user); }

static bool mark_stmt(void *user, struct tree_stmt *s)
{
    stmt_each_expr(s, mark_operand, user);
    return true;
}

/* Symbols that only describe shapes nothing depends on are no parameters (semantics.md 1.3). */
static void drop_unused_symbols(struct lower *lw)
{
    struct used_vars u = { lw, NEW_ARRAY(lw->arena, bool, lw->tree->num_vars + 1) };
    for (uint32_t i = 0; i < lw->tree->functions.count; i++)
        stmt_visit(lw->tree->functions.items[i]->body, mark_stmt, &u);
    for (uint32_t i = 0; i < lw->main->params.count; i++)
        if (lw->main->params.items[i].elements)
            expr_visit(lw->main->params.items[i].elements, mark_expr, &u);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < lw->main->params.count; i++) {
        struct tree_param *p = &lw->main->params.items[i];
        bool container = map_has(&lw->root->sdfg->container_by_name, p->name);
        if (container || u.used[p->var->id])
            lw->main->params.items[kept++] = *p;
    }
    lw->main->params.count = kept;
}

bool lower_program(struct sdfg *s, const struct lower_options *o, struct tree **out)
{
    struct ir *ir = s->ir;
    struct lower *lw = NEW(ir->arena, struct lower);
    lw->ir = ir;
    lw->arena = ir->arena;
    lw->diags = ir->diags;
    lw->options = o;
    lw->targets = o->targets;
    lw->tree = tree_new(ir, s->name);
    if (o->machine)
        lw->tree->machine = o->machine;
    lw->externals = stmt_block(lw->tree);
    lw->prologue = stmt_block(lw->tree);
    lw->epilogue = stmt_block(lw->tree);
    lw->main = NEW(lw->arena, struct tree_func);
    lw->main->name = "main";
    lw->main->body = stmt_block(lw->tree);
    vec_push(lw->arena, &lw->tree->functions, lw->main);
    lw->root = NEW(lw->arena, struct activation);
    lw->root->lw = lw;
    lw->root->sdfg = s;
    struct tree_stmt *arguments = stmt_block(lw->tree), *body = stmt_block(lw->tree);
    stmt_append(lw->tree, lw->main->body, arguments);
    stmt_append(lw->tree, lw->main->body, lw->externals);
    stmt_append(lw->tree, lw->main->body, lw->prologue);
    stmt_append(lw->tree, lw->main->body, body);
    stmt_append(lw->tree, lw->main->body, lw->epilogue);
    lower_check_begin(lw, arguments);
    if (!lower_parameters(lw, arguments) || !lower_begin_state(lw) || !lower_activation(lw->root, body))
        return false;
    if (!lower_end_targets(lw))
        return false;
    lower_end_state(lw);
    lower_clear_unwritten(lw);
    drop_unused_symbols(lw);
    if (lw->init)
        lw->init->params = lw->main->params;
    if (lw->workspace)
        lw->workspace->params = lw->main->params;
    *out = lw->tree;
    return true;
}
