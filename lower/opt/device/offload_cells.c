/* What device code computes for others: cells, and how the host gets at them. */
#include "lower/opt/device/offload.h"

enum { CELL_ALIGNMENT = 2 /* int64 */ };

void offload_refuse(struct offload *o, const struct place *place, const char *what)
{
    if (!o->failed)
        diag_error(o->tree->ir->diags, place, DIAG_UNSUPPORTED, what);
    o->failed = true;
}

/* ---- cells ---- */

uint32_t offload_new_cell(struct offload *o, const struct type *type)
{
    uint32_t number = o->num_cells, size = (type->size + 7) / 8;
    o->num_cells += (size + CELL_ALIGNMENT - 1) / CELL_ALIGNMENT * CELL_ALIGNMENT;
    return number;
}

uint32_t offload_cell_of(struct offload *o, const struct tree_var *v)
{
    if (!o->cell_of[v->id])
        o->cell_of[v->id] = 1 + offload_new_cell(o, v->type);
    return o->cell_of[v->id] - 1;
}

struct tree_expr *offload_cell(struct offload *o, uint32_t number, const struct type *type, bool host)
{
    struct tree *t = o->tree;
    struct tree_expr *at = expr_offset(t, expr_var(t, host ? o->copies : o->cells), expr_i64(t, number));
    return expr_cast(t, type_pointer(t->ir, type), at);
}

struct tree_stmt *offload_transfer(struct offload *o, struct tree_stmt *out, enum tree_direction direction,
                                   const struct type *type, struct tree_expr *count, const struct place *place)
{
    struct tree_stmt *s = stmt_new(o->tree, out, STMT_TRANSFER);
    s->direction = direction;
    s->type = type;
    s->count = count;
    s->place = place;
    return s;
}

/* An element of the device's memory, or a cell, arrives where the host has room for a copy of the cell. */
static struct tree_expr *arrive(struct offload *o, struct tree_stmt *out, uint32_t cell, const struct type *type)
{
    offload_wait(o, out);
    return expr_load(o->tree, type, offload_cell(o, cell, type, true), expr_i64(o->tree, 0), o->copy_class);
}

static void transfer_cell(struct offload *o, struct tree_stmt *out, enum tree_direction direction, uint32_t cell,
                          const struct type *type, const struct place *place)
{
    struct tree_stmt *s = offload_transfer(o, out, direction, type, expr_i64(o->tree, 1), place);
    bool in = direction == TREE_IN;
    s->pointer = offload_cell(o, cell, type, !in);
    s->pointer2 = offload_cell(o, cell, type, in);
    s->alias = in ? o->cell_class : o->copy_class;
    s->alias2 = in ? o->copy_class : o->cell_class;
}

/* What was sent to the host arrives. */
void offload_wait(struct offload *o, struct tree_stmt *out) { stmt_new(o->tree, out, STMT_WAIT); }

static struct tree_expr *receive(struct offload *o, struct tree_stmt *out, uint32_t cell, const struct type *type,
                                 const struct place *place)
{
    transfer_cell(o, out, TREE_OUT, cell, type, place);
    return arrive(o, out, cell, type);
}

/* A load from an address that the host knows. */
static bool is_element(struct offload *o, const struct tree_expr *e)
{
    return e->op == EXPR_LOAD && e->type == e->args[0]->type->elem && !offload_on_device(o, e->args[0]) &&
           !offload_on_device(o, e->args[1]);
}

static struct tree_expr *receive_element(struct offload *o, struct tree_stmt *out, const struct tree_expr *e,
                                         const struct place *place)
{
    struct tree *t = o->tree;
    uint32_t cell = offload_new_cell(o, e->type);
    struct tree_stmt *s = offload_transfer(o, out, TREE_OUT, e->type, expr_i64(t, 1), place);
    s->pointer = offload_cell(o, cell, e->type, true);
    s->pointer2 = expr_offset(t, offload_twins(o, e->args[0]), e->args[1]);
    s->alias = o->copy_class;
    s->alias2 = e->alias;
    return arrive(o, out, cell, e->type);
}

/* The host has given the variable a value. */
static void send(struct offload *o, struct tree_stmt *out, struct tree_var *v, const struct place *place)
{
    uint32_t cell = offload_cell_of(o, v);
    stmt_store(o->tree, out, offload_cell(o, cell, v->type, true), expr_i64(o->tree, 0), expr_var(o->tree, v),
               o->copy_class);
    transfer_cell(o, out, TREE_IN, cell, v->type, place);
}

void offload_send(struct offload *o, struct tree_stmt *out, struct tree_var *v, const struct place *place)
{
    if (v && v->id < o->num_vars && o->in_cell[v->id])
        send(o, out, v, place);
}

/* ---- values that the host needs ---- */

struct parts {
    struct offload *offload;
    struct tree_stmt *out;
    const struct place *place;
    struct map done; /* expression -> what stands for it */
};

static struct tree_expr *value_of(struct parts *p, struct tree_expr *e);

static struct tree_expr *part_by_part(struct parts *p, struct tree_expr *e)
{
    struct tree *t = p->offload->tree;
    if (e->op == EXPR_SELECT || e->op == EXPR_LOGICAL_AND || e->op == EXPR_LOGICAL_OR)
        offload_refuse(p->offload, p->place, "a choice on the host between values of the device");
    struct tree_expr *copy = arena_copy(t->arena, e, sizeof *e + e->num_args * sizeof e->args[0]);
    for (uint32_t i = 0; i < e->num_args; i++)
        copy->args[i] = value_of(p, e->args[i]);
    return copy;
}

static struct tree_expr *value_of(struct parts *p, struct tree_expr *e)
{
    struct offload *o = p->offload;
    struct tree *t = o->tree;
    if (!offload_on_device(o, e))
        return e;
    if (e->op == EXPR_VAR) {
        stmt_assign(t, p->out, e->var, receive(o, p->out, offload_cell_of(o, e->var), e->type, p->place));
        return e;
    }
    if (e->type->kind == TYPE_POINTER || !offload_expr_fits(o, e))
        return part_by_part(p, e);
    struct tree_var *v = tree_var(t, "fetched", e->type);
    if (is_element(o, e)) {
        stmt_assign(t, p->out, v, receive_element(o, p->out, e, p->place));
        return expr_var(t, v);
    }
    uint32_t cell = offload_new_cell(o, e->type);
    offload_fetch(o, p->out, e, cell, p->place);
    stmt_assign(t, p->out, v, receive(o, p->out, cell, e->type, p->place));
    return expr_var(t, v);
}

struct tree_expr *offload_value(struct offload *o, struct tree_stmt *out, struct tree_expr *e,
                                const struct place *place)
{
    struct parts p = { .offload = o, .out = out, .place = place };
    return e ? value_of(&p, e) : NULL;
}
