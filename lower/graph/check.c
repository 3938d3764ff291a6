#include "lower/graph/check.h"

#include "ir/json/json.h"
#include "lower/graph/stream.h"
#include "lower/tree/tree_check.h"
#include "runtime/abi.h"

#include <string.h>

enum {
    SCRATCH = 4096, /* bytes; no element is larger */
    OF_ACCESSES = SDFG_RT_CHECK_BOUNDS | SDFG_RT_CHECK_UNINIT | SDFG_RT_CHECK_SCOPE | SDFG_RT_CHECK_RACE |
                  SDFG_RT_CHECK_RACE_SAMPLE,
};

bool lower_check_overflow(struct scope *sc, const struct place *place, const char *name, const struct type *type,
                          const struct code *code)
{
    struct lower *lw = sc->act->lw;
    if (!lower_checks(lw, SDFG_RT_CHECK_OVERFLOW) || !type_is_signed(type) || type->size > 4)
        return true;
    struct code_scope cs = lower_code_scope(sc, place, NULL);
    cs.wide = true;
    struct tree_expr *value = code_value(&cs, sc->block, code);
    if (value && type_is_integer(value->type))
        stmt_check_overflow(lw->tree, sc->block, place, name, type,
                            expr_cast(lw->tree, type_basic(lw->ir, TYPE_I64), value));
    return value;
}

bool lower_checks(const struct lower *lw, unsigned kinds) { return (lw->options->check & kinds) != 0; }

void lower_check_begin(struct lower *lw, struct tree_stmt *block)
{
    if (!lower_checks(lw, OF_ACCESSES))
        return;
    const struct type *byte = type_basic(lw->ir, TYPE_U8);
    lw->scratch = tree_var(lw->tree, "scratch", type_pointer(lw->ir, byte));
    stmt_alloc(lw->tree, block, lw->scratch, byte, expr_i64(lw->tree, SCRATCH), TREE_STACK)->zero = true;
}

struct tree_expr *lower_check_elements(struct scope *sc, const struct container *c)
{
    struct lower *lw = sc->act->lw;
    uint32_t messages = diags_count(lw->diags);
    const struct sym *size = is_stream(c) ? NULL : lower_total_size(sc, &c->place, c);
    struct tree_expr *e = size ? lower_index(lw, &c->place, size) : NULL;
    diags_reset(lw->diags, messages);
    return e;
}

struct tree_expr *lower_check_memory(struct scope *sc, const struct place *place, const struct container *c,
                                     struct tree_expr *pointer)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    if (!lower_checks(lw, OF_ACCESSES) || pointer->op != EXPR_LOAD || !c->type || !c->total_size)
        return pointer;
    struct tree_expr *elements = lower_check_elements(sc, c);
    if (!elements)
        return pointer;
    struct tree_var *v = tree_var(t, c->name, type_pointer(lw->ir, c->type));
    stmt_assign(t, sc->block, v, expr_cast(t, v->type, pointer));
    struct tree_expr *set = expr_binary(t, EXPR_NE, expr_var(t, v), expr_null(t, v->type));
    struct tree_expr *dims[CHECK_DIM];
    dims[CHECK_EXTENT] = expr_select(t, set, elements, expr_i64(t, 0));
    dims[CHECK_LOW] = dims[CHECK_HIGH] = expr_i64(t, 0);
    dims[CHECK_STRIDE] = dims[CHECK_STEP] = expr_i64(t, 1);
    struct tree_check *k = NEW(lw->arena, struct tree_check);
    *k = (struct tree_check){
        .place = place, .container = c->name, .kind = SDFG_RT_CHECK_BOUNDS, .rank = 1, .memory = true
    };
    stmt_check(t, sc->block, k, expr_var(t, v), expr_bool(t, true), dims);
    return expr_var(t, v);
}

/* The extent of a dimension; the largest number if it depends on a symbol that the program does not know. */
static struct tree_expr *extent_of(struct scope *sc, const struct place *place, const struct binding *b, uint32_t dim)
{
    struct lower *lw = sc->act->lw;
    uint32_t messages = diags_count(lw->diags);
    const struct sym *s = lower_shape(sc, place, b, dim);
    struct tree_expr *e = s ? lower_index(lw, place, s) : NULL;
    if (e)
        return e;
    diags_reset(lw->diags, messages);
    return expr_i64(lw->tree, INT64_MAX);
}

/* Do the extents and strides stay inside of an allocation that the container has for itself? */
static bool fits_allocation(struct scope *sc, const struct place *place, const struct binding *b)
{
    struct lower *lw = sc->act->lw;
    struct ir *ir = lw->ir;
    const struct container *c = b->desc;
    if (container_is_view(c) || container_is_reference(c) || c->parent || (!c->transient && sc->act->parent))
        return false;
    uint32_t messages = diags_count(lw->diags);
    const struct sym *last = sym_int(ir, 0), *size = lower_total_size(sc, place, c);
    for (uint32_t i = 0; size && last && i < b->rank; i++) {
        const struct sym *extent = lower_shape(sc, place, b, i);
        last = extent ? sym_add(ir, last, sym_mul(ir, sym_sub(ir, extent, sym_int(ir, 1)), b->strides[i])) : NULL;
    }
    bool fits = size && last && sym_less(ir, sym_expand(ir, last), sym_expand(ir, size)) == TRUTH_YES;
    diags_reset(lw->diags, messages);
    return fits;
}

static struct tree_check *check_new(struct scope *sc, const struct place *place, const struct binding *b)
{
    struct tree_check *c = NEW(sc->act->lw->arena, struct tree_check);
    *c = (struct tree_check){
        .place = place,
        .container = b->desc->name,
        .kind = SDFG_RT_CHECK_BOUNDS,
        .rank = b->rank,
        .flat = !is_stream(b->desc) && !fits_allocation(sc, place, b),
    };
    return c;
}

/* ---- whole regions ---- */

/* The numbers of one dimension of a region. An empty range is no access. */
static bool add_dimension(struct scope *sc, const struct place *place, const struct area *a, uint32_t d,
                          struct tree_expr **numbers, struct tree_expr **when)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    const struct binding *b = a->binding;
    const struct sym *low = sym_add(lw->ir, a->low[d], b->offset[d]), *high = sym_add(lw->ir, a->high[d], b->offset[d]);
    numbers[CHECK_LOW] = lower_index(lw, place, low);
    numbers[CHECK_HIGH] = low == high ? numbers[CHECK_LOW] : lower_index(lw, place, high);
    numbers[CHECK_EXTENT] = extent_of(sc, place, b, d);
    numbers[CHECK_STRIDE] = lower_index(lw, place, b->strides[d]);
    numbers[CHECK_STEP] = lower_index(lw, place, a->step[d]);
    for (int i = 0; i < CHECK_DIM; i++)
        if (!numbers[i])
            return false;
    if (low != high)
        *when =
            expr_binary(t, EXPR_LOGICAL_AND, *when, expr_binary(t, EXPR_LE, numbers[CHECK_LOW], numbers[CHECK_HIGH]));
    return true;
}

bool lower_check_area(struct scope *sc, const struct place *place, const struct area *a, bool read, bool write)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    if (!lower_checks(lw, OF_ACCESSES) || !a->low)
        return true;
    struct tree_check *c = check_new(sc, place, a->binding);
    c->read = read;
    c->write = write;
    struct tree_expr **dims = NEW_ARRAY(lw->arena, struct tree_expr *, CHECK_DIM * c->rank + 1);
    struct tree_expr *when = expr_bool(t, true);
    for (uint32_t d = 0; d < c->rank; d++)
        if (!add_dimension(sc, place, a, d, dims + CHECK_DIM * d, &when))
            return false;
    struct tree_var *ok = stmt_check(t, sc->block, c, a->pointer, when, dims);
    sc->block = stmt_if(t, sc->block, expr_var(t, ok))->body;
    return true;
}

bool lower_check_value(struct scope *sc, const struct place *place, const struct area *a, bool read, bool write)
{
    struct lower *lw = sc->act->lw;
    struct area some = *a;
    if (!lower_checks(lw, OF_ACCESSES) || !a->low)
        return true;
    const struct sym **high = NEW_ARRAY(lw->arena, const struct sym *, a->binding->rank + 1);
    for (uint32_t d = 0; d < a->binding->rank; d++) {
        const struct sym *const ends[] = { a->low[d], a->high[d] };
        bool filled = a->low[d] == a->high[d] || sym_less(lw->ir, a->high[d], a->low[d]) == TRUTH_NO;
        high[d] = filled ? a->high[d] : sym_make(lw->ir, SYM_MAX, NULL, NULL, ends, 2);
    }
    some.high = high;
    return lower_check_area(sc, place, &some, read, write);
}

bool lower_check_address(struct scope *sc, const struct place *place, const struct area *a)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    if (!lower_checks(lw, SDFG_RT_CHECK_BOUNDS) || !a->low)
        return true;
    struct tree_check *c = check_new(sc, place, a->binding);
    struct tree_expr **dims = NEW_ARRAY(lw->arena, struct tree_expr *, CHECK_DIM * c->rank + 1),
                     *any = expr_bool(t, true);
    c->flat = false;
    for (uint32_t d = 0; d < c->rank; d++) {
        struct tree_expr **dim = dims + CHECK_DIM * d;
        if (!add_dimension(sc, place, a, d, dim, &any))
            return false;
        dim[CHECK_HIGH] = dim[CHECK_LOW];
        if (!expr_is_int(dim[CHECK_EXTENT], INT64_MAX))
            dim[CHECK_EXTENT] = expr_binary(t, EXPR_ADD, dim[CHECK_EXTENT], expr_i64(t, 1));
    }
    struct tree_var *ok = stmt_check(t, sc->block, c, a->pointer, expr_bool(t, true), dims);
    sc->block = stmt_if(t, sc->block, expr_var(t, ok))->body;
    return true;
}

bool lower_check_elements_at(struct scope *sc, const struct place *place, const char *container,
                             struct tree_expr *pointer, struct tree_expr *first, struct tree_expr *last,
                             const struct sym *extent)
{
    struct lower *lw = sc->act->lw;
    struct tree *t = lw->tree;
    if (!lower_checks(lw, SDFG_RT_CHECK_BOUNDS))
        return true;
    struct tree_check *c = NEW(lw->arena, struct tree_check);
    *c = (struct tree_check){ .place = place, .container = container, .kind = SDFG_RT_CHECK_BOUNDS, .rank = 1 };
    struct tree_expr *dims[CHECK_DIM];
    dims[CHECK_LOW] = first;
    dims[CHECK_HIGH] = expr_binary(t, EXPR_SUB, last, expr_i64(t, 1));
    dims[CHECK_EXTENT] = lower_index(lw, place, extent);
    dims[CHECK_STRIDE] = dims[CHECK_STEP] = expr_i64(t, 1);
    if (!dims[CHECK_EXTENT])
        return false;
    struct tree_var *ok = stmt_check(t, sc->block, c, pointer, expr_binary(t, EXPR_LT, first, last), dims);
    sc->block = stmt_if(t, sc->block, expr_var(t, ok))->body;
    return true;
}

void lower_check_assume(struct scope *sc, const struct place *place, const struct area *a)
{
    struct lower *lw = sc->act->lw;
    if (!lower_checks(lw, SDFG_RT_CHECK_UNINIT) || !a->binding)
        return;
    struct tree_check *c = NEW(lw->arena, struct tree_check);
    *c = (struct tree_check){
        .place = place, .container = a->desc->name, .kind = SDFG_RT_CHECK_BOUNDS, .assumed = true
    };
    stmt_check(lw->tree, sc->block, c, a->pointer, expr_bool(lw->tree, true), NULL);
}

/* A reduction without identity adds to what is there. */
static bool accumulates(struct node *n)
{
    const struct library *l = as_library(n);
    const char *dot = l ? strrchr(l->classpath, '.') : NULL;
    if (!dot || strcmp(dot, ".Reduce") != 0)
        return false;
    const struct json *identity = json_get(l->attributes, "identity");
    const char *text = identity ? json_string(identity) : NULL;
    return !identity || json_is(identity, JSON_NULL) || (text && !strcmp(text, "None"));
}

bool lower_check_edges(struct scope *sc, struct node *n)
{
    if (!lower_checks(sc->act->lw, OF_ACCESSES))
        return true;
    for (uint32_t i = 0; i < n->in.count + n->out.count; i++) {
        bool output = i >= n->in.count;
        struct edge *e = output ? n->out.items[i - n->in.count] : n->in.items[i];
        if (memlet_is_empty(&e->memlet) || is_stream(e->memlet.data))
            continue;
        struct area a;
        struct access *target = output ? as_access(path_target(e)) : NULL;
        if (target && target->data && container_is_view(target->data) && !lower_point_view(sc, target))
            return false;
        bool update = output && (e->memlet.wcr_kind != WCR_NONE || accumulates(n));
        if (!lower_memlet_area(sc, e, &a) || !lower_check_area(sc, &e->place, &a, !output || update, output))
            return false;
    }
    return true;
}

/* ---- elements that code names ---- */

static struct operand_check *operand_check(struct scope *sc, const struct place *place, const struct binding *b)
{
    struct lower *lw = sc->act->lw;
    struct operand_check *k = NEW(lw->arena, struct operand_check);
    k->check = check_new(sc, place, b);
    k->scratch = expr_var(lw->tree, lw->scratch);
    k->dims = NEW_ARRAY(lw->arena, struct operand_dim, b->rank + 1);
    for (uint32_t d = 0; d < b->rank; d++) {
        k->dims[d].extent = extent_of(sc, place, b, d);
        k->dims[d].stride = lower_index(lw, place, b->strides[d]);
        k->dims[d].step = expr_i64(lw->tree, 1);
        k->dims[d].index = -1;
        if (!k->dims[d].stride)
            return NULL;
    }
    return k;
}

bool lower_check_container(struct scope *sc, const struct place *place, const struct container *c, struct operand *o)
{
    const struct binding *b = map_get(&sc->act->bindings, c);
    struct lower *lw = sc->act->lw;
    if (!lower_checks(lw, OF_ACCESSES) || !b || !lw->scratch || lw->in_extent)
        return true;
    lw->in_extent = true;
    o->check = operand_check(sc, place, b);
    lw->in_extent = false;
    for (uint32_t d = 0; o->check && d < b->rank; d++) {
        o->check->dims[d].low = o->offsets[d];
        o->check->dims[d].index = o->rank ? (int)d : -1;
    }
    return o->check;
}

bool lower_check_operand(struct scope *sc, const struct place *place, const struct area *a, struct operand *o)
{
    struct lower *lw = sc->act->lw;
    if (!lower_checks(lw, OF_ACCESSES) || !a->low)
        return true;
    const struct binding *b = a->binding;
    o->check = operand_check(sc, place, b);
    if (!o->check)
        return false;
    bool linear = o->kind == OPERAND_POINTER;
    int index = 0;
    for (uint32_t d = 0; d < b->rank; d++) {
        struct operand_dim *dim = &o->check->dims[d];
        dim->low = lower_index(lw, place, sym_add(lw->ir, a->low[d], b->offset[d]));
        dim->step = lower_index(lw, place, a->step[d]);
        if (!dim->low || !dim->step)
            return false;
        linear |= a->tiled;
        if (!sym_is_int(a->sizes[d], 1) && !linear && o->rank)
            dim->index = index++;
    }
    /* An index over all dimensions, or over parts of one: only the allocation says where it ends. */
    if (linear || index != (int)o->rank) {
        o->check->linear = true;
        struct tree_check *all = NEW(lw->arena, struct tree_check);
        *all = *o->check->check;
        all->rank = 0;
        all->flat = true;
        o->check->check = all;
    }
    return true;
}
